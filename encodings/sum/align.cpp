// Where F is a choice, one shifter serves all of its values: the summand is aligned once, in a register for the largest
// F, with the bits below it in a sticky bit. Each F then is a mask over the register. The last kept bit, the first
// dropped bit and the sticky bit below it are disjunctions over the positions that they have for the possible F.
#include "align.hpp"

#include "encodings/graph/shift.hpp"

#include <algorithm>
#include <cmath>

namespace discern {

namespace {

// E − lsb; the exponent is used where it is lsb plus a constant.
Ranged distance(Terms& t, const Number& n, const Ranged& largest) {
    if (n.facts->gap) return subtract(t, largest, n.exponent) + *n.facts->gap;
    return subtract(t, largest + n.facts->below_lsb, n.lsb) - n.facts->below_lsb;
}

// Whether the i-th bit is set for some i of which the i-th condition holds.
Term masked_any(Terms& t, Term bits, std::span<const Term> conditions) {
    std::vector<Term> all;
    for (std::size_t i = 0; i < conditions.size(); ++i)
        all.push_back(t.bvand(t.bit(bits, static_cast<int>(i)), conditions[i]));
    return t.any_of(all);
}

Term picked_increment(Terms& t, const Pick<Rounding>& mode, Term negative, Term odd_last, Term half, Term sticky) {
    std::vector<Term> all;
    for (const auto& [m, condition] : mode.options)
        all.push_back(t.bvand(condition, increment(t, m, negative, odd_last, half, sticky)));
    return t.any_of(all);
}

// The magnitude in units of 2^(E − most − 2), with a sticky bit at the end.
Term in_register(Terms& t, const Number& n, const Ranged& largest, const Pick<int>& F, int most) {
    Ranged by = distance(t, n, largest) - (most + 2);
    Term magnitude = n.magnitude;
    if (by.low < 0) {
        magnitude = t.concat(magnitude, t.constant(-by.low, 0));
        by = by - by.low;
    }
    const Term shifted = shift_jammed(t, magnitude, by);
    int deepest = 0; // position of the last kept bit for the smallest F
    for (const auto& [f, condition] : F.options) deepest = std::max(deepest, most + 2 - f);
    return t.zero_extend(shifted, std::max(t.width(shifted), deepest + 1));
}

} // namespace

Term aligned_term(Terms& t, const Number& n, const Ranged& largest, const Pick<int>& F, const Pick<Rounding>& mode,
                  int most) {
    // |value| ≤ peak · 2^E, and rounding gives at most the next power of two.
    const int bits = std::max(1, most + 1 + static_cast<int>(std::ceil(std::log2(n.facts->peak))));
    const auto fitted = [&](Term value) { return t.width(value) > bits + 1 ? t.extract(value, 0, bits + 1) : value; };
    if (F.is_fixed() && mode.is_fixed()) {
        Term value = shift_rounded(t, n.magnitude, n.sign, distance(t, n, largest) - F.first(), mode.first());
        if (F.first() < most) value = t.concat(value, t.constant(most - F.first(), 0));
        return fitted(value);
    }
    const Term exact = in_register(t, n, largest, F, most);
    const int width = t.width(exact);
    // Of each bit of the register: whether it is the last kept bit, a kept bit, or a bit below the first dropped one.
    std::vector<Term> last, kept, below;
    for (int bit = 0; bit < width; ++bit) {
        const auto at_last_bit = [&](auto relation) {
            return F.when(t, [&](int f) { return relation(bit, most + 2 - f); });
        };
        last.push_back(at_last_bit([](int p, int at) { return p == at; }));
        kept.push_back(at_last_bit([](int p, int at) { return p >= at; }));
        below.push_back(at_last_bit([](int p, int at) { return p < at - 1; }));
    }
    std::vector<Term> half_at(last.begin() + 1, last.end());
    half_at.push_back(t.truth(false));
    const Term up = picked_increment(t, mode, n.sign, masked_any(t, exact, last), masked_any(t, exact, half_at),
                                     masked_any(t, exact, below));
    const Term magnitude = t.bvand(exact, t.concat(kept));
    std::vector<Term> one;
    for (const Term at : last) one.push_back(t.bvand(at, up));
    const Term rounded = t.add_wide(magnitude, t.concat(one));
    return fitted(
        signed_term(t, t.width(rounded) > 2 ? t.extract(rounded, 2, t.width(rounded) - 2) : t.constant(1, 0), n.sign));
}

Term loses_bits(Terms& t, const Number& n, const Ranged& largest, const Pick<int>& F, int most) {
    const Term exact = in_register(t, n, largest, F, most);
    std::vector<Term> below;
    for (int bit = 0; bit < t.width(exact); ++bit)
        below.push_back(F.when(t, [&](int f) { return bit < most + 2 - f; }));
    return masked_any(t, exact, below);
}

int sum_bits(const Terms& t, std::span<const Term> values) {
    int most = 0;
    for (const Term v : values) most = std::max(most, t.width(v) - 1);
    double total = 0; // in units of 2^most
    for (const Term v : values) total += std::ldexp(1.0, t.width(v) - 1 - most);
    return most + static_cast<int>(std::ceil(std::log2(total)));
}

Term sum_term(Terms& t, std::span<const Term> values, int width) {
    std::vector<Term> operands;
    for (const Term v : values)
        operands.push_back(t.width(v) <= width ? t.sign_extend(v, width) : t.extract(v, 0, width));
    return t.bvadd(operands);
}

} // namespace discern
