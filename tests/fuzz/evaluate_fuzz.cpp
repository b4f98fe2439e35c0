// Both evaluators give the same d for any unit and any inputs. The first line of the input is the unit, the rest are
// the patterns of a, b, their scales and c, in that order, as bytes; what is missing is zero.

#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/notation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace discern::fuzz::evaluate_fuzz {
namespace {

constexpr int largest_K = 64; // longer units are only slower

std::optional<Unit> parse(std::string_view text) {
    try {
        return parse_unit(text);
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Takes patterns off the front of the bytes.
class Patterns {
  public:
    explicit Patterns(std::string_view bytes) : bytes_(bytes) {}

    std::uint64_t next(const Format& format) {
        std::uint64_t bits = 0;
        for (int taken = 0; taken < format.width; taken += 8) {
            const std::uint64_t byte = bytes_.empty() ? 0 : static_cast<std::uint8_t>(bytes_.front());
            bits |= byte << taken;
            if (!bytes_.empty()) bytes_.remove_prefix(1);
        }
        return bits & format.mask();
    }
    std::vector<std::uint64_t> next(const Format& format, int count) {
        std::vector<std::uint64_t> patterns;
        for (int i = 0; i < count; ++i) patterns.push_back(next(format));
        return patterns;
    }

  private:
    std::string_view bytes_;
};

} // namespace

int run(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t line = std::min(text.find('\n'), size);
    const std::optional<Unit> unit = parse(text.substr(0, line));
    if (!unit || unit->K > largest_K) return 0;

    Patterns patterns(text.substr(std::min(line + 1, size)));
    const auto a = patterns.next(format(unit->a), unit->K), b = patterns.next(format(unit->b), unit->K);
    const Format& scale = format(unit->scale ? unit->scale->format : FormatId::e8m0);
    const auto sa = patterns.next(scale, unit->scales()), sb = patterns.next(scale, unit->scales());
    const std::uint64_t c = unit->c ? patterns.next(format(*unit->c)) : 0;
    const Inputs inputs{.a = a, .b = b, .sa = sa, .sb = sb, .c = c};

    const std::uint64_t fast = Evaluator(*unit)(inputs), exact = evaluate_exactly(*unit, inputs);
    if (!same_result(*unit, fast, exact)) {
        std::fprintf(stderr, "%s: in machine integers %llx, exactly %llx\n", to_string(*unit).c_str(),
                     static_cast<unsigned long long>(fast), static_cast<unsigned long long>(exact));
        const auto print = [](const char* name, const std::vector<std::uint64_t>& list) {
            std::fprintf(stderr, "%s", name);
            for (const std::uint64_t x : list) std::fprintf(stderr, " %llx", static_cast<unsigned long long>(x));
            std::fprintf(stderr, "\n");
        };
        print("a", a);
        print("b", b);
        print("sa", sa);
        print("sb", sb);
        print("c", {c});
        std::abort();
    }
    return 0;
}

} // namespace discern::fuzz::evaluate_fuzz
