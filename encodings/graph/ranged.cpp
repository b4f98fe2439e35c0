// Integers with a known range. See ranged.hpp.
#include "ranged.hpp"

#include "pick.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace discern {

int bits_for(int value) { return std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(value)))); }

Ranged ranged_constant(Terms& t, int value) { return {t.constant(1, 0), value, value, value}; }

Ranged ranged_from(Terms& t, Term bits, int high) { return {t.resize(bits, bits_for(high)), 0, 0, high}; }

Ranged operator+(Ranged a, int constant) { return {a.bits, a.base + constant, a.low + constant, a.high + constant}; }

Ranged operator-(Ranged a, int constant) { return a + -constant; }

Term above(Terms& t, const Ranged& a, int base) {
    const int width = bits_for(std::max(a.high - base, 0));
    if (a.base >= base) { // base + x, x ≥ 0
        const auto more = static_cast<std::uint64_t>(a.base - base);
        return t.bvadd(t.resize(a.bits, width), t.constant(width, more));
    }
    const int wide = std::max(width, t.width(a.bits));
    const Term less = t.constant(wide, static_cast<std::uint64_t>(base - a.base));
    return t.resize(t.bvsub(t.resize(a.bits, wide), less), width);
}

Ranged add(Terms& t, const Ranged& a, const Ranged& b) {
    const int base = a.base + b.base, high = a.high + b.high;
    const int width = bits_for(high - base);
    return {t.bvadd(t.resize(a.bits, width), t.resize(b.bits, width)), base, a.low + b.low, high};
}

Ranged subtract(Terms& t, const Ranged& a, const Ranged& b) {
    const int base = std::min(a.base, b.base);
    const int high = std::max(a.high - b.low, 0);
    const int width = bits_for(std::max(a.high, b.high) - base);
    const Term x = t.resize(above(t, a, base), width), y = t.resize(above(t, b, base), width);
    return {t.resize(t.bvsub(x, y), std::min(width, bits_for(high))), 0, std::max(a.low - b.high, 0), high};
}

Term less(Terms& t, const Ranged& a, const Ranged& b) {
    if (a.high < b.low) return t.truth(true);
    if (a.low >= b.high) return t.truth(false);
    const int base = std::min(a.base, b.base);
    const Term x = above(t, a, base), y = above(t, b, base);
    const int width = std::max(t.width(x), t.width(y));
    return t.bvult(t.resize(x, width), t.resize(y, width));
}

Term at_least(Terms& t, const Ranged& a, int constant) { return t.bvnot(less(t, a, ranged_constant(t, constant))); }

Ranged ite(Terms& t, Term condition, const Ranged& yes, const Ranged& no) {
    const int base = std::min(yes.base, no.base), high = std::max(yes.high, no.high);
    const int width = bits_for(high - base);
    const Term x = t.resize(above(t, yes, base), width), y = t.resize(above(t, no, base), width);
    return {t.ite(condition, x, y), base, std::min(yes.low, no.low), high};
}

Ranged maximum(Terms& t, std::span<const Ranged> operands) {
    int base = operands[0].base, low = operands[0].low, high = operands[0].high;
    for (const Ranged& r : operands) {
        base = std::min(base, r.base);
        low = std::max(low, r.low);
        high = std::max(high, r.high);
    }
    const int width = bits_for(high - base);
    std::vector<Term> level;
    for (const Ranged& r : operands) level.push_back(t.resize(above(t, r, base), width));
    return {t.bvumax(level), base, low, high};
}

Ranged maximum(Terms& t, const Ranged& a, int constant) {
    if (a.low >= constant) return a;
    if (a.high <= constant) return ranged_constant(t, constant);
    // Above `constant`, so that the constant itself is 0 there.
    const Term beyond = t.ite(less(t, a, ranged_constant(t, constant)), t.constant(bits_for(a.high - constant), 0),
                              above(t, a, constant));
    return {beyond, constant, constant, a.high};
}

Ranged minimum(Terms& t, const Ranged& a, const Ranged& b) {
    if (a.high <= b.low) return a;
    if (b.high <= a.low) return b;
    Ranged result = ite(t, less(t, a, b), a, b);
    result.high = std::min(a.high, b.high);
    result.bits = t.resize(result.bits, bits_for(std::max(result.high - result.base, 0)));
    return result;
}

Ranged floor_log2(Terms& t, Term magnitude) {
    // Binary search from the top: is anything set in the upper half of what is left?
    int width = 1;
    while (width < t.width(magnitude)) width *= 2;
    const int high = t.width(magnitude) - 1;
    Term rest = t.zero_extend(magnitude, width);
    if (width == 1) return ranged_constant(t, 0);
    Term log = t.constant(1, 0);
    bool first = true;
    for (int half = width / 2; half >= 1; half /= 2) {
        const Term upper = t.extract(rest, half, half), lower = t.extract(rest, 0, half);
        const Term in_upper = t.bvnot(t.is_zero(upper));
        log = first ? in_upper : t.concat(log, in_upper);
        first = false;
        rest = t.ite(in_upper, upper, lower);
    }
    return ranged_from(t, log, high);
}

Ranged ranged_pick(Terms& t, const Pick<int>& pick) {
    return choose_ranged(t, pick, [&](int value) { return ranged_constant(t, value); });
}

} // namespace discern
