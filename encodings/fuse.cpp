// The fused sum: align every summand at the largest reference exponent, cut it, and add exactly.
//
// Summands that are cut to F places share a moving last place, 2^(E − F), and the sum keeps it. As soon as one summand
// is exact, the sum needs a fixed last place instead: the smallest that any summand can have.
#include "nodes.hpp"

#include "shift.hpp"
#include "special.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace discern {

namespace {

struct Exponents {
    std::vector<Ranged> own; ///< each summand's reference exponent if it takes part, else the base
    Ranged largest;          ///< E
    Term someone;            ///< whether anybody takes part
};

Exponents exponents_of(Terms& t, std::span<const Summand> summands, std::optional<int> floor) {
    Exponents result;
    std::vector<Ranged> exponents;
    std::vector<Term> parts;
    for (const auto& [n, how] : summands) {
        Ranged exponent = n.exponent;
        Term part = t.bvnot(n.zero);
        if (how.zero.kind == ZeroExponent::Kind::own) part = t.bvor(part, n.has_exponent);
        if (how.zero.kind == ZeroExponent::Kind::constant) {
            part = t.truth(true);
            exponent = ite(t, n.zero, ranged_constant(t, how.zero.value), exponent);
        }
        exponents.push_back(exponent);
        parts.push_back(part);
    }
    int base = exponents.front().low;
    for (const Ranged& e : exponents) base = std::min(base, e.low);
    if (floor) base = std::min(base, *floor); // E if nobody takes part
    for (std::size_t i = 0; i < exponents.size(); ++i) {
        // Whoever does not take part gets the base, which loses against everybody.
        Ranged own = ite(t, parts[i], exponents[i], ranged_constant(t, base));
        own.low = parts[i] == t.truth(true) ? exponents[i].low : base;
        result.own.push_back(own);
    }
    result.largest = maximum(t, result.own);
    if (floor) result.largest = maximum(t, result.largest, *floor);
    result.someone = floor ? t.truth(true) : t.any_of(parts);
    return result;
}

// The exponent that a summand must have for its alignment: at most E where its value is not zero.
Ranged places_to_cut(Terms& t, const Number& n, const Ranged& own, const Ranged& largest, int F) {
    if (n.gap) return subtract(t, largest, own) + (*n.gap - F);
    Ranged cut = largest - (F + n.place);
    return cut;
}

// Drops the value if its exponent is too far below E.
Term dropped(Terms& t, const Summand& s, const Ranged& own, const Ranged& largest) {
    return s.how.drop ? less(t, own + *s.how.drop, largest) : t.truth(false);
}

// Bits of the sum's magnitude, from the bits of the summands' magnitudes.
int sum_bits(std::span<const int> bits) {
    const int most = *std::max_element(bits.begin(), bits.end());
    double total = 0; // in units of 2^most
    for (const int b : bits) total += std::ldexp(1.0, b - most);
    return most + static_cast<int>(std::ceil(std::log2(total)));
}

struct Sum {
    Term value; ///< two's complement
    bool wraps = false;
};

// @param aligned  two's complement, all at the same last place
Sum add_up(Terms& t, std::span<const Term> aligned, std::optional<int> register_bits) {
    std::vector<int> bits;
    for (const Term a : aligned) bits.push_back(t.width(a) - 1);
    int width = sum_bits(bits) + 1;
    const bool wraps = register_bits && *register_bits < width;
    if (wraps) width = *register_bits;
    std::vector<Term> operands;
    for (const Term a : aligned)
        operands.push_back(t.width(a) <= width ? t.sign_extend(a, width) : t.extract(a, 0, width));
    return {t.bvadd(operands), wraps};
}

// The summands at the moving last place 2^(E − F), F the largest of theirs.
std::vector<Term> aligned_at_E(Terms& t, std::span<const Summand> summands, const Exponents& e, int most) {
    std::vector<Term> aligned;
    for (std::size_t i = 0; i < summands.size(); ++i) {
        const auto& [n, how] = summands[i];
        const Ranged cut = places_to_cut(t, n, e.own[i], e.largest, *how.F);
        Term value = shift_rounded(t, n.magnitude, n.sign, cut, how.rounding);
        if (*how.F < most) value = t.concat(value, t.constant(most - *how.F, 0));
        const Term gone = dropped(t, summands[i], e.own[i], e.largest);
        aligned.push_back(t.ite(gone, t.constant(t.width(value), 0), value));
    }
    return aligned;
}

// The summands at one fixed last place, which is returned with them.
std::vector<Term> aligned_fixed(Terms& t, std::span<const Summand> summands, const Exponents& e, int& place) {
    std::vector<Term> values;
    std::vector<Ranged> places;
    for (std::size_t i = 0; i < summands.size(); ++i) {
        const auto& [n, how] = summands[i];
        if (how.F) {
            const Ranged cut = places_to_cut(t, n, e.own[i], e.largest, *how.F);
            values.push_back(shift_rounded(t, n.magnitude, n.sign, cut, how.rounding));
            places.push_back(e.largest - *how.F);
        } else {
            values.push_back(signed_term(t, n.magnitude, n.sign));
            places.push_back(last_place(t, n));
        }
    }
    place = places.front().low;
    for (const Ranged& p : places) place = std::min(place, p.low);
    std::vector<Term> aligned;
    for (std::size_t i = 0; i < summands.size(); ++i) {
        const int width = t.width(values[i]) + std::max(places[i].high - place, 0);
        const Term value = t.bvshl(t.sign_extend(values[i], width), above(t, places[i], place));
        const Term gone = dropped(t, summands[i], e.own[i], e.largest);
        // A zero's exponent may lie outside the range, so its shift may be anything: its value is zero all the same.
        aligned.push_back(t.ite(gone, t.constant(width, 0), value));
    }
    return aligned;
}

} // namespace

Number fuse_term(Terms& t, std::span<const Summand> summands, std::optional<int> floor, std::optional<int> carry) {
    if (summands.empty()) throw std::logic_error("fuse_term: a fuse must have children");
    const Exponents e = exponents_of(t, summands, floor);
    std::optional<int> most = 0; // the largest F, if all have one
    for (const Summand& s : summands) {
        if (!s.how.F || !most)
            most.reset();
        else
            most = std::max(*most, *s.how.F);
    }
    if (carry && !most) throw std::logic_error("fuse_term: carry needs every child to have an F");

    Number sum;
    sum.gap = most;
    const std::vector<Term> aligned =
        most ? aligned_at_E(t, summands, e, *most) : aligned_fixed(t, summands, e, sum.place);
    const Sum added = add_up(t, aligned, carry ? std::optional(1 + *carry + 2 + *most) : std::nullopt);

    const int width = t.width(added.value);
    sum.sign = t.bit(added.value, width - 1);
    const Term magnitude = t.ite(sum.sign, t.bvneg(added.value), added.value);
    // Only a register that wraps can hold −2^(width − 1), whose magnitude has no spare bit.
    sum.magnitude = added.wraps ? magnitude : t.extract(magnitude, 0, width - 1);
    sum.zero = t.is_zero(added.value);
    sum.exponent = e.largest;
    sum.has_exponent = e.someone;

    std::vector<Number> numbers;
    for (const Summand& s : summands) numbers.push_back(s.number);
    zero_sign_of_sum(t, sum, numbers, [&](std::size_t i) { return t.is_zero(aligned[i]); });
    join_specials(t, sum, numbers);
    return sum;
}

} // namespace discern
