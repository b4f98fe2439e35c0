// What one lane of the kernel of steps.hpp gives if it is special: the walk over the steps in scalars, which tells NaN
// and tentative infinities apart as docs/notation.md, "Special values" and "NaN", says.
//
// A special operand makes the result special whatever the others are. So the numbers need not be computed again; of
// them only those count that a rounding made infinite.
#pragma once

#include "wide.hpp"

namespace discern::fast::DISCERN_ISA {

/// In the order of precedence within one sum, but for operands' NaN of nan=x86.
enum class Kind : std::uint8_t { finite, tentative, infinite, operand, invalid, factor };

/// A term, or the result of a step.
struct Special {
    Kind kind = Kind::finite;
    bool plus = false, minus = false; ///< signs of infinities; both of tentative ones: NaN
    std::uint32_t nan = 0;            ///< bits as f32 has them
};

constexpr std::uint32_t invalid_nan = 0xffc00000;

/// The values of a lane.
struct SpecialLane {
    const Steps& steps;
    const double *a, *b;      ///< of element 0
    std::ptrdiff_t a_element; ///< from one element of a to the next
    std::uint32_t c;          ///< the accumulator's bits
    const double* results;    ///< of the lane, of step 0
    std::ptrdiff_t result_step;

    static std::uint32_t bits_of_nan(double x) {
        std::uint64_t bits = 0;
        __builtin_memcpy(&bits, &x, sizeof bits);
        return static_cast<std::uint32_t>(bits >> 32 & 0x80000000u) | 0x7f800000u |
               static_cast<std::uint32_t>(bits >> 29 & 0x7fffff);
    }
    static bool is_nan(double x) { return x != x; }
    static bool is_infinite(double x) { return x == __builtin_inf() || x == -__builtin_inf(); }
    static Special infinity(double sign, Kind kind = Kind::infinite) {
        return {.kind = kind, .plus = sign > 0, .minus = sign < 0};
    }
    Special invalid() const {
        return {.kind = steps.invalid_as_factor ? Kind::factor : Kind::invalid, .nan = invalid_nan};
    }

    Special product(int k) const {
        const double x = a[k * a_element], y = b[k * row_of_tile], p = x * y;
        if (is_nan(x) || is_nan(y)) {
            const Kind kind = steps.nan == NanBits::ranked ? Kind::factor : Kind::operand;
            return {.kind = kind, .nan = bits_of_nan(is_nan(x) ? x : y)};
        }
        if (is_nan(p)) return invalid();
        if (is_infinite(p)) return infinity(p);
        if (steps.limit != 0 && (p >= steps.limit || p <= -steps.limit))
            return infinity(p, steps.oinf_yields ? Kind::tentative : Kind::infinite);
        return {};
    }

    Special accumulator() const {
        if ((c & 0x7f800000) != 0x7f800000) return {};
        if ((c & 0x7fffff) == 0) return infinity((c & 0x80000000u) != 0 ? -1 : 1);
        return {.kind = Kind::operand, .nan = c};
    }

    Special sum(const Special* terms, int count) const {
        Special all;
        bool tentative_plus = false, tentative_minus = false, has_operand = false, has_invalid = false;
        std::uint32_t operand = 0;
        for (int i = 0; i < count; ++i) {
            const Special& x = terms[i];
            switch (x.kind) {
            case Kind::finite: break;
            case Kind::tentative:
                tentative_plus = tentative_plus || x.plus;
                tentative_minus = tentative_minus || x.minus;
                break;
            case Kind::infinite:
                all.plus = all.plus || x.plus;
                all.minus = all.minus || x.minus;
                break;
            case Kind::operand:
                if (!has_operand) operand = x.nan;
                has_operand = true;
                break;
            case Kind::invalid: has_invalid = true; break;
            case Kind::factor: return x;
            }
        }
        const Special kept{.kind = Kind::operand, .nan = operand};
        if (has_operand && steps.nan != NanBits::ranked) return kept;
        if (has_invalid || (all.plus && all.minus)) return invalid();
        if (has_operand) return kept;
        if (all.plus || all.minus) {
            all.kind = Kind::infinite;
            return all;
        }
        if (tentative_plus || tentative_minus)
            return {.kind = Kind::tentative, .plus = tentative_plus, .minus = tentative_minus};
        return {};
    }

    Special rounded(const Step& step, Special x, double value) const {
        if (x.kind == Kind::finite) return is_infinite(value) ? infinity(value) : x;
        if (x.kind == Kind::tentative && x.plus && x.minus) x = invalid();
        if (x.kind == Kind::tentative) x.kind = Kind::infinite;
        if (x.kind == Kind::infinite) return x;
        const int dropped = step.to.mantissa_bits < 23 ? 23 - step.to.mantissa_bits : 0;
        if (x.kind == Kind::factor)
            x.nan = step.factor_nan;
        else
            x.nan = ((x.kind == Kind::operand ? x.nan : invalid_nan) | 0x00400000u) >> dropped << dropped;
        if (!step.kinds_stay) x.kind = Kind::operand; // a rounded NaN is kept as an accumulator's is
        return x;
    }

    /// The result; finite if the lane is not special.
    Special operator()() const {
        Special results_of[most_steps], terms[most_terms];
        for (int s = 0; s < steps.count; ++s) {
            const Step& step = steps.step[s];
            for (int i = 0; i < step.count; ++i) {
                const StepTerm& term = steps.term[step.first + i];
                terms[i] = term.kind == StepTerm::Kind::product       ? product(term.index)
                           : term.kind == StepTerm::Kind::accumulator ? accumulator()
                                                                      : results_of[term.index];
            }
            results_of[s] = step.kind == Step::Kind::round ? rounded(step, terms[0], results[s * result_step])
                                                           : sum(terms, step.count);
        }
        return results_of[steps.count - 1];
    }

    static std::uint32_t bits(const Special& x) {
        return x.kind == Kind::infinite ? (x.minus ? 0xff800000u : 0x7f800000u) : x.nan;
    }
};

} // namespace discern::fast::DISCERN_ISA
