// The aligned sum of terms, computed once for each set of possible F and rounding modes that give the same sum.
#pragma once

#include "chooser.hpp"

#include "models/evaluate/terms.hpp"

#include <climits>
#include <map>
#include <utility>
#include <vector>

namespace discern::identify {

/// An exact sum does not fit the integers.
struct TooNarrow {};

template <typename Int>
int lowest_bit(const Int& magnitude) {
    if constexpr (sizeof(Int) <= 16) {
        const auto low = static_cast<std::uint64_t>(magnitude);
        return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(magnitude >> 64));
    } else {
        int n = 0;
        for (const std::uint64_t limb : magnitude.limb) {
            if (limb != 0) return n + std::countr_zero(limb);
            n += 64;
        }
        return n;
    }
}

/// The lowest bit that is set; the term is not zero.
template <typename Int>
int lsb_of(const integer::Term<Int>& term) {
    return term.lsb + lowest_bit(wide::magnitude(term.value));
}

/// x·2^n, or TooNarrow if there would be no room for a few more of them.
template <typename Int>
Int moved_left(const Int& x, int n) {
    if (wide::is_zero(x)) return x;
    if (wide::bit_length(wide::magnitude(x)) + n >= static_cast<int>(8 * sizeof(Int)) - 12) throw TooNarrow{};
    return wide::shift_left(x, n);
}

/// A sum, comparable.
template <typename Int>
struct Partial {
    Int value; ///< in units of 2^lsb; odd, or zero
    int lsb;
    bool cancelled; ///< the sum is zero, and some aligned term is not
    bool lost;      ///< something was truncated, and the sum may have a sticky bit

    bool operator==(const Partial& o) const {
        return value == o.value && lsb == o.lsb && cancelled == o.cancelled && lost == o.lost;
    }
};

template <typename Int>
Partial<Int> normalised(const Int& value, int lsb, bool any, bool lost) {
    if (wide::is_zero(value)) return {value, 0, any, lost};
    const int n = lowest_bit(wide::magnitude(value));
    const Int magnitude = wide::shift_right(wide::magnitude(value), n);
    return {wide::negative(value) ? wide::negate(magnitude) : magnitude, lsb + n, false, lost};
}

/// Terms of a sum that share F and the mode.
template <typename Int>
struct AlignTogether {
    Slot F, mode;
    std::vector<const integer::Term<Int>*> terms; ///< not zero
    int lsb = INT_MAX;                            ///< the lowest last bit of all
    bool sticky = false;                          ///< the sum may have a sticky bit, which shows what was truncated

    /// Forks only where the possible F and modes give different sums.
    /// @param E  the reference exponent
    Partial<Int> sum(Chooser& chooser, int E) const {
        int kept_lsb = INT_MIN;
        chooser.for_possible(F, [&](int f) {
            if (f != exact) kept_lsb = std::max(kept_lsb, E - f);
        });
        if (kept_lsb <= lsb) return sum_of(INT_MIN, Rounding::rz);
        std::map<std::pair<int, int>, Partial<Int>> sums; // by the exponent of the last kept bit, and the mode
        const auto known = [&](int f, int m) -> const Partial<Int>& {
            const bool truncates = f != exact && E - f > lsb;
            const std::pair<int, int> key{truncates ? E - f : INT_MIN, truncates ? m : 0};
            auto at = sums.find(key);
            if (at == sums.end()) at = sums.emplace(key, sum_of(key.first, static_cast<Rounding>(m))).first;
            return at->second;
        };
        const int f = chooser.choose(F, [&](int candidate) {
            std::vector<Partial<Int>> of_modes;
            chooser.for_possible(mode, [&](int m) { of_modes.push_back(known(candidate, m)); });
            return of_modes;
        });
        const int m = chooser.choose(mode, [&](int candidate) { return known(f, candidate); });
        return known(f, m);
    }

  private:
    /// @param kept_lsb  exponent of the last bit that is kept; INT_MIN: all are
    Partial<Int> sum_of(int kept_lsb, Rounding rounding) const {
        const int unit = std::max(lsb, kept_lsb);
        Int sum;
        wide::assign(sum, 0);
        bool any = false, lost = false;
        for (const integer::Term<Int>* term : terms) {
            const Int aligned = term->lsb < unit ? integer::round_shift(term->value, unit - term->lsb, rounding)
                                                 : moved_left(term->value, term->lsb - unit);
            any = any || !wide::is_zero(aligned);
            lost = lost || (sticky && integer::loses_bits(term->value, unit - term->lsb));
            sum = wide::add(sum, aligned);
        }
        return normalised(sum, unit, any, lost);
    }
};

} // namespace discern::identify
