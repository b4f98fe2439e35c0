// Every rounding mode on all inputs of small units, against rational numbers and the list of a format's numbers.
//
// What is expected is found otherwise than evaluators find it: a result is one of the two numbers of the format beside
// the exact rational sum, which are looked up in the list of all its numbers, and a mode chooses among the two as
// signed numbers. No significand is shifted, and no bit below the last one is looked at.
#include "encodings/written_units.hpp"
#include "models/evaluate.hpp"
#include "models/format.hpp"
#include "models/notation.hpp"
#include "sweep.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

namespace discern {
namespace {

using Rational = boost::multiprecision::cpp_rational;

/// Of two neighbours below and above x, whether the mode takes the upper one, by the words of docs/notation.md.
/// @param lower_is_odd  of the multiples of the last bit; the upper one then is even
bool takes_upper(Rounding mode, const Rational& lower, const Rational& x, const Rational& upper, bool lower_is_odd) {
    const bool upper_is_nearer_to_zero = abs(upper) < abs(lower);
    const Rational below = x - lower, above = upper - x;
    const std::map<Rounding, bool> directed = {{Rounding::rz, upper_is_nearer_to_zero},
                                               {Rounding::ra, !upper_is_nearer_to_zero},
                                               {Rounding::rd, false},
                                               {Rounding::ru, true},
                                               {Rounding::odd, !lower_is_odd}};
    if (const auto found = directed.find(mode); found != directed.end()) return found->second;
    if (below != above) return above < below;
    const std::map<Rounding, bool> tie = {{Rounding::rne, lower_is_odd},
                                          {Rounding::rno, !lower_is_odd},
                                          {Rounding::rnu, true},
                                          {Rounding::rnd, false},
                                          {Rounding::rnz, upper_is_nearer_to_zero},
                                          {Rounding::rna, !upper_is_nearer_to_zero}};
    return tie.at(mode);
}

/// The numbers of a format that are not negative, by pattern, and the one that would follow.
class Numbers {
  public:
    explicit Numbers(const Format& f) : f_(f) {
        for (std::uint64_t bits = 0; decode(f, bits).number_class == NumberClass::finite && bits >> (f.width - 1) == 0;
             ++bits)
            magnitudes_.emplace_back(to_double(f, bits));
        largest_ = magnitudes_.size() - 1;
        magnitudes_.push_back(2 * magnitudes_[largest_] - magnitudes_[largest_ - 1]);
    }

    /// The pattern of x ≠ 0 rounded, with IEEE's overflow; nothing if it is NaN, since the format has no infinity.
    std::optional<std::uint64_t> rounded(const Rational& x, Rounding mode) const {
        const bool negative = x < 0;
        const auto above = std::upper_bound(magnitudes_.begin(), magnitudes_.end(), abs(x));
        std::size_t pattern = static_cast<std::size_t>(above - magnitudes_.begin()) - 1;
        if (pattern <= largest_ && magnitudes_[pattern] != abs(x)) {
            const bool is_odd = pattern % 2 != 0; // of a normal number, the leading bit is above the last one
            const Rational near_zero = negative ? -magnitudes_[pattern] : magnitudes_[pattern],
                           far = negative ? -magnitudes_[pattern + 1] : magnitudes_[pattern + 1];
            const bool goes_far = negative ? !takes_upper(mode, far, x, near_zero, !is_odd)
                                           : takes_upper(mode, near_zero, x, far, is_odd);
            pattern += goes_far ? 1 : 0;
        }
        if (pattern > largest_) {
            const bool to_largest = mode == Rounding::rz || mode == Rounding::odd ||
                                    (mode == Rounding::rd && !negative) || (mode == Rounding::ru && negative);
            if (!to_largest && !f_.has_infinity()) return std::nullopt;
            pattern = to_largest ? largest_ : largest_ + 1; // infinity follows the largest number
        }
        const bool sign = negative && (pattern != 0 || f_.has_minus_zero());
        return pattern | (sign ? 1ull << (f_.width - 1) : 0);
    }

  private:
    const Format& f_;
    std::vector<Rational> magnitudes_;
    std::size_t largest_ = 0;
};

/// Calls `expect` with the unit's results for all inputs that are finite, or every `step`-th of them.
template <typename Expected>
void compare(const Unit& unit, std::uint64_t step, Expected expected) {
    const Evaluator model(unit);
    const tests::InputBits bits(unit);
    const Format &a = format(unit.a), &b = format(unit.b);
    InputBuffer x;
    for (std::uint64_t v = 0; v < 1ull << bits.count(); v += step) {
        bits.at(v, x);
        const Decoded first = decode(a, x.a[0]), second = decode(b, x.b[0]);
        if (first.number_class != NumberClass::finite || second.number_class != NumberClass::finite) continue;
        const std::optional<std::uint64_t> right = expected(x);
        if (!right) continue;
        const std::uint64_t found = model(x.inputs());
        ASSERT_EQ(found, *right) << to_string(unit) << ": " << std::hex << x.a[0] << " " << x.b[0] << " " << x.c;
        if (v % 7 == 0) {
            ASSERT_EQ(evaluate_exactly(unit, x.inputs()), *right)
                << to_string(unit) << ", oracle: " << std::hex << x.a[0] << " " << x.b[0] << " " << x.c;
        }
    }
}

TEST(RoundingModes, OfResultsOnAllInputs) {
    for (const char* const d : {"e4m3", "e5m2", "e3m2ieee", "e4m3fnuz", "e2m3ieee", "e3m1ieee", "e3m2inuz", "e4m3inuz"})
        for (const std::string_view mode : rounding_names) {
            const Unit unit =
                parse_unit(std::string("e5m4f*e2m3->") + d + " K=1 : round[" + d + " " + std::string(mode) + "](p*)");
            const Format& f = format(unit.d);
            const Numbers numbers(f);
            const std::uint64_t step = tests::sweeping() ? 1 : 19;
            compare(unit, step, [&](const InputBuffer& x) -> std::optional<std::uint64_t> {
                const Rational exact =
                    Rational(to_double(format(unit.a), x.a[0])) * Rational(to_double(format(unit.b), x.b[0]));
                if (exact == 0) return std::nullopt; // whose sign is no matter of rounding
                const auto pattern = numbers.rounded(exact, *rounding_from_name(mode));
                return pattern ? *pattern : quiet_nan(f);
            });
        }
}

/// A term rounded to a multiple of its last bit.
Rational aligned(const Rational& x, const Rational& last, Rounding mode) {
    using boost::multiprecision::cpp_int;
    const Rational q = x / last;
    cpp_int below = numerator(q) / denominator(q); // toward zero
    if (q < 0 && below * denominator(q) != numerator(q)) --below;
    if (Rational(below) == q) return x;
    const Rational lower = Rational(below) * last, upper = Rational(below + 1) * last;
    return takes_upper(mode, lower, x, upper, (below & 1) != 0) ? upper : lower;
}

TEST(RoundingModes, OfAlignedTermsOnAllInputs) {
    for (int F = 0; F <= 3; ++F)
        for (const std::string_view mode : rounding_names) {
            const Unit unit = parse_unit("e3m2*e2m1+e3m2->f32 K=1 : round[f32 rne](fuse[F=" + std::to_string(F) + " " +
                                         std::string(mode) + "](p*, c))");
            const Format &a = format(unit.a), &b = format(unit.b), &c = format(*unit.c);
            compare(unit, tests::sweeping() ? 1 : 19, [&](const InputBuffer& x) -> std::optional<std::uint64_t> {
                const Rational product = Rational(to_double(a, x.a[0])) * Rational(to_double(b, x.b[0])),
                               addend = Rational(to_double(c, x.c));
                int E = -100; // zeros have no part in it
                if (product != 0) E = decode(a, x.a[0]).exponent + decode(b, x.b[0]).exponent;
                if (addend != 0) E = std::max(E, decode(c, x.c).exponent);
                const Rational last(std::ldexp(1.0, E - F));
                const auto m = *rounding_from_name(mode);
                const Rational sum = aligned(product, last, m) + aligned(addend, last, m);
                if (sum == 0) return std::nullopt;
                return std::bit_cast<std::uint32_t>(static_cast<float>(sum)); // few bits: exact
            });
        }
}

} // namespace
} // namespace discern
