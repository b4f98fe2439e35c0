// Random vectors near the boundaries where exact and computed results part.
#include "proposals.hpp"

#include <algorithm>

namespace discern::property {

namespace {

Fraction some_fraction(Random& random) { return static_cast<Fraction>(random.below(5)); }

/// The largest exponent of terms: about one, about the last bit of d, or any that terms can have.
/// @param with_c  whether c is one of them
int some_top(const Unit& unit, Placing& placing, bool with_c, Random& random) {
    const Format &d = format(unit.d), &c = format(unit.c.value_or(unit.d));
    const bool small = random.one_in(3);
    const int near = small ? d.lsb() + random.between(-10, 10) : random.between(-2, 2);
    placing.scale_to(random.one_in(2) ? near + random.between(0, 20) : random.between(-60, 60));
    if (random.one_in(2)) return near;
    const int low = placing.lowest(), high = placing.highest();
    if (!with_c || c.emin() > high || c.emax() < low) return random.between(low, high);
    return random.between(std::max(low, c.emin()), std::min(high, c.emax()));
}

/// c of either sign, at most n bits below the top.
void some_c(Placing& placing, int top, int n, Random& random) {
    const Fraction fraction = some_fraction(random);
    placing.c(any_sign, top - random.between(0, n), fraction);
}

} // namespace

void propose_within(const Unit& unit, int n, Vector& x, Random& random) {
    Placing placing(unit, x, random);
    const bool with_c = unit.c && !random.one_in(3);
    const int top = some_top(unit, placing, with_c, random);
    const int some = random.between(1, 8); // of eight terms
    for (std::size_t k = 0; k < x.a.size(); ++k)
        if (random.below(8) < some) {
            const Fraction of_b = some_fraction(random), of_a = some_fraction(random);
            placing.product(k, any_sign, top - random.between(0, n), of_a, of_b);
        }
    if (with_c) some_c(placing, top, n, random);
}

void propose_tail(const Unit& unit, int n, Vector& x, Random& random) {
    using enum Fraction;
    Placing placing(unit, x, random);
    const bool tail_of_c = unit.c && random.one_in(2);
    const int top = some_top(unit, placing, tail_of_c, random), tail = top - random.between(std::max(0, n - 2), n);
    const bool negative = random.one_in(2), sign = random.one_in(2);
    const std::vector<std::size_t> elements = placing.elements();
    std::size_t next = 0;
    const auto put = [&](bool minus, int exponent, Fraction a, Fraction b) {
        if (next < elements.size()) placing.product(elements[next++], minus, exponent, a, b);
    };
    if (tail_of_c) {
        placing.c(negative, tail, last);
        if (random.one_in(2)) put(!negative, tail, zeros, zeros);
    } else {
        put(negative, tail, last, last);
        const int rest = random.below(3);
        if (rest == 1) put(!negative, tail, twice, zeros); // (1 + u)(1 + u) − (1 + 2u) = u²
        if (rest == 2) {                                   // (1 + u)(1 + v) − (1 + u) − (1 + v) + 1 = uv
            put(!negative, tail, last, zeros);
            put(!negative, tail, zeros, last);
            put(negative, tail, zeros, zeros);
        }
    }
    const int way = random.below(4), half = format(unit.d).mantissa_bits + 1;
    if (way == 0) { // the other terms: some of about one size; or a power, and half of its last bit
        for (int i = random.between(1, 32); i > 0; --i) {
            const Fraction of_b = random.one_in(2) ? zeros : last;
            put(sign, top - random.between(0, std::min(n, 5)), zeros, of_b);
        }
    } else if (way == 1) {
        put(sign, top - 1, zeros, zeros);
        put(sign, top - 1, zeros, zeros);
    } else {
        put(sign, top, zeros, zeros);
        if (way == 2 && half <= n) put(sign, top - half, zeros, zeros);
    }
    if (!tail_of_c && random.one_in(2)) some_c(placing, top, n, random);
}

void propose_at_floor(const Unit& unit, int n, Vector& x, Random& random) {
    Placing placing(unit, x, random);
    const auto lsb = placing.some_lsb_of_floor();
    if (!lsb) return propose_within(unit, n, x, random);
    const int digits = format(unit.a).mantissa_bits + format(unit.b).mantissa_bits;
    const int top = *lsb + random.between(0, digits + std::min(n, 8));
    placing.scale_to(top + random.between(0, 10));
    const bool negative = random.one_in(2), mixed = random.one_in(4);
    int count = random.between(unit.K / 2, unit.K);
    for (const std::size_t k : placing.elements())
        if (count-- > 0) {
            const Fraction of_b = random.one_in(2) ? Fraction::any : some_fraction(random);
            const int exponent = top - random.between(0, n);
            placing.product(k, mixed ? random.one_in(2) : negative, exponent, Fraction::any, of_b);
        }
}

void propose_truncated(const Unit& unit, Vector& x, Random& random) {
    Placing placing(unit, x, random);
    const int top = some_top(unit, placing, false, random), low = top - placing.some_F() - random.between(-1, 3);
    const bool negative = random.one_in(2), all_large = random.one_in(2);
    bool first = true;
    for (const std::size_t k : placing.elements()) {
        if (first || all_large)
            placing.product(k, negative, top, random.one_in(2) ? Fraction::ones : some_fraction(random));
        else
            placing.product(k, negative, low, Fraction::ones);
        first = false;
    }
    if (random.one_in(2)) placing.c(negative, random.one_in(2) ? top : low + 1, Fraction::ones);
}

void propose_large(const Unit& unit, Vector& x, Random& random) {
    Placing placing(unit, x, random);
    const Format& d = format(unit.d);
    // The largest products are as large as d's largest number, or as its last bit.
    const int above = random.between(0, 30);
    placing.scale_to(d.emax() + above - (random.one_in(2) ? d.mantissa_bits + 12 : 0));
    const bool negative = random.one_in(2);
    const int over = d.emax() + 1;
    if (unit.c && random.one_in(2)) placing.c(negative, d.emax(), Fraction::ones);
    if (unit.blocks() > 1 && random.one_in(2)) {
        const int turn = random.between(1, unit.blocks() - 1), many = random.between(1, unit.L);
        const int exponent = std::min(placing.highest(), over) - random.between(0, 6);
        for (int block = 0; block < unit.blocks(); ++block) {
            int left = many;
            for (const std::size_t k : placing.elements(block))
                if (left-- > 0) placing.product(k, negative == (block < turn), exponent, Fraction::zeros);
        }
        if (unit.c) placing.c(!negative, d.emax(), random.one_in(2) ? Fraction::ones : Fraction::zeros);
        return;
    }
    const std::vector<std::size_t> elements = placing.elements();
    std::size_t next = 0;
    const auto put = [&](bool minus, int exponent, Fraction fraction) {
        if (next < elements.size()) placing.product(elements[next++], minus, exponent, fraction);
    };
    int E = d.emax();
    if (random.one_in(2) && placing.highest() > d.emax()) {
        E = random.between(d.emax(), placing.highest());
        put(false, E, Fraction::zeros);
        put(true, E, Fraction::zeros);
    }
    const int parts = random.between(0, 2);
    for (int i = 0; i < 1 << parts; ++i) put(negative, over - parts, Fraction::zeros);
    if (random.one_in(2)) put(negative, d.emax() - d.mantissa_bits - random.between(-2, 2), Fraction::zeros);
    const int low = E - placing.some_F() - random.between(1, 4);
    const Fraction fraction = random.one_in(2) ? Fraction::ones : Fraction::any;
    for (int left = random.between(1, unit.K); left > 0; --left) put(!negative, low, fraction);
}

void propose_infinities(const Unit& unit, Vector& x, Random& random) {
    propose_large(unit, x, random);
    const auto k = static_cast<std::size_t>(random.below(unit.K));
    const Format &a = format(unit.a), &b = format(unit.b);
    const Format& infinite = a.has_infinity() ? a : b;
    if (!infinite.has_infinity() || random.one_in(4)) return;
    const std::uint64_t infinity =
        pack(infinite, {.number_class = NumberClass::infinite, .negative = infinite.is_signed && random.one_in(2)});
    (a.has_infinity() ? x.a : x.b)[k] = infinity;
    const Format& other = a.has_infinity() ? b : a;
    (a.has_infinity() ? x.b : x.a)[k] = random.one_in(3) ? pattern_at_place(other, 1) : one(other);
}

} // namespace discern::property
