// Values of parameters near those at which they begin or cease to have an effect, and formats.
#include "draw.hpp"

#include <algorithm>

namespace discern::claims {

namespace {

using namespace parametric;

/// Exponents and numbers of bits at which a parameter begins or ceases to have an effect.
struct Thresholds {
    std::vector<int> exponents, lsbs;
    int precision = 0; ///< of d, in bits
};

Thresholds thresholds(const Unit& unit) {
    const Format &a = format(unit.a), &b = format(unit.b), &d = format(unit.d);
    Thresholds t{{a.emax() + b.emax(), a.emax() + b.emax() + 1, a.emin() + b.emin(), d.emin(), d.emax(), 0},
                 {a.lsb() + b.lsb(), d.lsb()},
                 d.mantissa_bits + 1};
    if (unit.c) {
        t.exponents.insert(t.exponents.end(), {format(*unit.c).emin(), format(*unit.c).emax()});
        t.lsbs.push_back(format(*unit.c).lsb());
    }
    return t;
}

int places(Random& random, const Thresholds& t) {
    const int top = any_of(random, t.exponents), last = any_of(random, t.lsbs);
    const int around = random.between(-1, 1);
    switch (random.below(5)) {
    case 0:
    case 1: return top - last + around;
    case 2:
    case 3: return t.precision + random.between(-3, 4);
    default: break;
    }
    if (random.one_in(2)) return random.below(10);
    const int other = any_of(random, t.exponents); // how far terms can be apart
    return top - other + around;
}

int exponent(Random& random, const Thresholds& t) {
    const int around = random.between(-1, 1);
    if (random.one_in(3)) return any_of(random, t.lsbs) + around;
    return any_of(random, t.exponents) + around;
}

} // namespace

FormatId draw_format(Random& random, int widest, bool fixed, bool special_values) {
    if (fixed && random.one_in(4)) {
        const int width = random.between(2, std::min(widest, 9));
        const int fraction = random.between(0, width);
        return fixed_point(width, fraction).value();
    }
    for (;;) {
        const int e = random.between(2, 5), m = random.between(1, 6);
        const auto specials = special_values ? Specials::ieee : static_cast<Specials>(random.below(5));
        if (1 + e + m > std::max(widest, 4)) continue;
        if (const auto id = format_of_fields(e, m, specials)) return *id;
    }
}

int draw_value(Random& random, const Parameter& p, const Unit& unit) {
    const Values& values = values_of(p.meaning);
    const auto words = p.words();
    const Thresholds t = thresholds(unit);
    if (values.formats) {
        if (!words.empty() && random.one_in(3)) return words.front().value;
        const FormatId small = draw_format(random, 10, true, false);
        const FormatId wide = any_of(random, std::vector{FormatId::f32, FormatId::f16, FormatId::f64});
        return static_cast<int>(random.one_in(2) ? small : wide);
    }
    if (!words.empty() && (!values.numbers || random.one_in(3)))
        return words[static_cast<std::size_t>(random.below(static_cast<int>(words.size())))].value;
    int number = 0;
    switch (p.meaning) {
    case Meaning::fraction:
    case Meaning::drop: number = places(random, t); break;
    case Meaning::carry: number = random.below(5); break;
    case Meaning::step: number = 1 << random.between(1, 4); break;
    case Meaning::number: number = random.below(8); break;
    default: number = exponent(random, t);
    }
    return std::clamp(number, values.low, values.high);
}

} // namespace discern::claims
