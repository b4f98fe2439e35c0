// Parts that all forms of an explanation share.
#include "report.hpp"

#include "cli/options/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace discern::cli {

namespace {

constexpr int most_columns = 72;
constexpr int most_below = 20; ///< of what is truncated

} // namespace

Grid grid_of(const std::vector<const explain::Sum*>& sums) {
    Grid grid;
    int kept_to = INT_MAX; ///< the last bit that any term keeps
    for (const explain::Sum* const sum : sums) {
        if (sum == nullptr || !sum->E) continue;
        const auto widen = [&](const explain::Number& x) {
            if (x.digits.empty()) return;
            grid.top = std::max(grid.top, x.top());
            grid.low = std::min(grid.low, x.lsb);
        };
        for (const explain::Term& term : sum->terms) widen(term.value);
        kept_to = std::min(kept_to, lowest_lsb(*sum).value_or(INT_MAX));
        widen(sum->value);
        widen(sum->result);
    }
    if (grid.is_empty()) return grid;
    if (kept_to != INT_MAX) grid.top = std::max(grid.top, kept_to);
    const int lowest = kept_to == INT_MAX ? grid.low : kept_to - most_below;
    grid.is_shortened = grid.low < lowest;
    grid.low = std::max(grid.low, lowest);
    return grid.columns() > most_columns ? Grid{} : grid;
}

char digit_at(const explain::Number& number, int exponent) {
    if (number.digits.empty() || exponent > number.top() || exponent < number.lsb) return ' ';
    return number.digits[static_cast<std::size_t>(number.top() - exponent)];
}

std::optional<int> lowest_lsb(const explain::Sum& sum) {
    std::optional<int> last;
    for (const explain::Term& term : sum.terms)
        if (term.lsb) last = std::min(last.value_or(*term.lsb), *term.lsb);
    return last;
}

std::vector<const explain::Sum*> sums_of(const Explanation& all, std::size_t block, const std::string& name) {
    std::vector<const explain::Sum*> sums;
    for (const Explained& one : all.units) {
        const explain::Sum* found = nullptr;
        if (block < one.trace.blocks.size())
            for (const explain::Step& step : one.trace.blocks[block].steps)
                if (const auto* sum = std::get_if<explain::Sum>(&step); sum != nullptr && sum->name == name)
                    found = sum;
        sums.push_back(found);
    }
    return sums;
}

std::string factors(const Shape& shape, const Vector& vector, const std::string& term) {
    if (term.empty() || term.front() != 'p') return "";
    std::size_t k = 0;
    std::from_chars(term.data() + 1, term.data() + term.size(), k);
    std::string text =
        fmt::format("{} * {}", decimal(format(shape.a), vector.a[k]), decimal(format(shape.b), vector.b[k]));
    if (!shape.scale) return text;
    const Format& scale = format(shape.scale->format);
    const std::size_t s = k / static_cast<std::size_t>(shape.scale->block);
    return text + fmt::format(" * {} * {}", decimal(scale, vector.sa[s]), decimal(scale, vector.sb[s]));
}

} // namespace discern::cli
