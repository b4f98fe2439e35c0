// See input_limits.hpp. The check of a vector and the term are written apart, and tested against each other.
#include "input_limits.hpp"

#include "encodings/number.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace discern {

namespace {

constexpr std::array<std::string_view, 5> operand_names = {"a", "b", "sa", "sb", "c"}; // in the order of Operand

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<ExponentRange> parse_range(std::string_view text) {
    const std::size_t colon = text.find(':'), dots = text.find("..");
    if (colon == std::string_view::npos || dots == std::string_view::npos || dots < colon) return std::nullopt;
    const auto* const operand = std::find(operand_names.begin(), operand_names.end(), text.substr(0, colon));
    const auto low = number(text.substr(colon + 1, dots - colon - 1)), high = number(text.substr(dots + 2));
    if (operand == operand_names.end() || !low || !high || *low > *high) return std::nullopt;
    return ExponentRange{static_cast<Operand>(operand - operand_names.begin()), *low, *high};
}

// Calls f(operand, format, its patterns) for every operand that the unit has; Row is a span of patterns or of terms.
template <typename Row, typename F>
void for_each_operand(const Unit& unit, const Row& a, const Row& b, const Row& sa, const Row& sb, const Row& c, F f) {
    f(Operand::a, format(unit.a), a);
    f(Operand::b, format(unit.b), b);
    if (unit.scale) {
        f(Operand::sa, format(unit.scale->format), sa);
        f(Operand::sb, format(unit.scale->format), sb);
    }
    if (unit.c) f(Operand::c, format(*unit.c), c);
}

} // namespace

std::vector<ExponentRange> parse_ranges(std::string_view text) {
    std::vector<ExponentRange> ranges;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view item = text.substr(begin, end - begin);
        const auto range = parse_range(item);
        if (!range)
            throw Error(sentence("--range: ", excerpt(item),
                                 " is not OPERAND:LOW..HIGH with one of a, b, sa, sb, c "
                                 "and two exponents in order, such as a:-14..15"));
        ranges.push_back(*range);
        begin = end + 1;
    }
    return ranges;
}

void require_operands(const InputLimits& limits, const Unit& unit) {
    for (const ExponentRange& r : limits.ranges) {
        const bool is_scale = r.operand == Operand::sa || r.operand == Operand::sb;
        if ((is_scale && !unit.scale) || (r.operand == Operand::c && !unit.c))
            throw Error(sentence("--range: the units have no ", operand_names[static_cast<std::size_t>(r.operand)]));
    }
}

bool allows(const InputLimits& limits, const Unit& unit, const Inputs& inputs) {
    bool good = true;
    using Row = std::span<const std::uint64_t>;
    for_each_operand<Row>(unit, inputs.a, inputs.b, inputs.sa, inputs.sb, Row(&inputs.c, 1),
                          [&](Operand operand, const Format& f, const Row& row) {
                              for (const std::uint64_t pattern : row) {
                                  const Decoded x = decode(f, pattern);
                                  const bool finite = x.number_class == NumberClass::finite;
                                  if (limits.finite) good = good && finite;
                                  for (const ExponentRange& r : limits.ranges)
                                      if (r.operand == operand)
                                          good = good && finite &&
                                                 (x.is_zero() || (r.low <= x.exponent && x.exponent <= r.high));
                              }
                          });
    return good;
}

Term allowed(Terms& t, const InputLimits& limits, const Unit& unit, const InputTerms& inputs) {
    std::vector<Term> conditions;
    using Row = std::span<const Term>;
    const Row c = inputs.c ? Row(&*inputs.c, 1) : Row();
    for_each_operand<Row>(
        unit, inputs.a, inputs.b, inputs.sa, inputs.sb, c, [&](Operand operand, const Format& f, const Row& row) {
            for (const Term pattern : row) {
                const Number x = decode_term(t, f, pattern);
                const Term special[] = {x.nan, x.positive, x.negative};
                const Term finite = t.bvnot(t.any_of(special));
                if (limits.finite) conditions.push_back(finite);
                for (const ExponentRange& r : limits.ranges) {
                    if (r.operand != operand) continue;
                    const Term inside =
                        t.bvand(at_least(t, x.exponent, r.low), t.bvnot(at_least(t, x.exponent, r.high + 1)));
                    conditions.push_back(t.bvand(finite, t.bvor(x.zero, inside)));
                }
            }
        });
    return t.all_of(conditions);
}

} // namespace discern
