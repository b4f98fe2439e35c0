// Exponents are those of the notation: of a product the sum of its factors' exponents, of a subnormal number emin.
#include "quantities.hpp"

#include "encodings/number/number.hpp"
#include "models/format.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::rtl {

namespace {

using Kind = Quantity::Kind;

constexpr std::size_t most_numbers = 3;
constexpr int spare = 3; ///< guard, round and sticky: so far beyond the last bit an exponent still matters

bool is_c(const Unit& unit, std::size_t number) { return number == static_cast<std::size_t>(unit.K); }

std::size_t numbers_of(const Unit& unit) { return static_cast<std::size_t>(unit.K) + (unit.c ? 1 : 0); }

std::string name_of(const Unit& unit, std::size_t number) {
    return is_c(unit, number) ? "c" : sentence("a[", number, "]*b[", number, "]");
}

/// What is known of a number's format.
struct Extent {
    int low, high; ///< of its exponent
    int fraction;  ///< bits below it
};
Extent extent_of(const Unit& unit, std::size_t number) {
    if (is_c(unit, number)) {
        const Format& c = format(*unit.c);
        return {c.emin(), c.emax(), c.mantissa_bits};
    }
    const Format &a = format(unit.a), &b = format(unit.b);
    return {a.emin() + b.emin(), a.emax() + b.emax(), a.mantissa_bits + b.mantissa_bits};
}

/// A part for each distance at which both numbers meet in a sum of d's precision, and one for all that are larger on
/// either side.
std::vector<int> parts_of_distance(const Quantity& q, const Extent& first, const Extent& own, int precision) {
    const int most = std::max(own.fraction, precision) + spare, least = -std::max(first.fraction, precision) - spare;
    std::vector<int> starts = {q.low};
    for (int i = std::max(q.low + 1, least); i <= std::min(q.high, most + 1); ++i) starts.push_back(i);
    return starts;
}

/// A factor of a product has leading zeros only where its format has subnormal numbers.
bool has_leading(const Format& f) { return f.has_subnormals() && f.mantissa_bits > 0; }

/// Of the factors of a single product: of more there would be too many cases.
std::vector<Quantity> leading_zeros(const Unit& unit) {
    std::vector<Quantity> all;
    for (const bool is_b : {false, true}) {
        const Format& f = format(is_b ? unit.b : unit.a);
        if (unit.K > 1 || !has_leading(f)) continue;
        Quantity q{.kind = Kind::leading,
                   .from = is_b ? 1u : 0u,
                   .high = f.mantissa_bits,
                   .name = is_b ? "leading zeros of b[0]" : "leading zeros of a[0]",
                   .starts = {}};
        for (int i = q.low; i <= q.high; ++i) q.starts.push_back(i);
        all.push_back(std::move(q));
    }
    return all;
}

struct Read {
    Term special, zero, sign;
    Ranged exponent;
};

Read read(Terms& t, FormatId id, Term pattern) {
    const Number x = decode_term(t, format(id), pattern);
    return {t.bvor(x.nan, t.bvor(x.positive, x.negative)), x.zero, x.sign, x.exponent};
}

/// The numbers that the unit adds.
std::vector<Read> read_numbers(Terms& t, const Unit& unit, const InputTerms& inputs) {
    std::vector<Read> numbers;
    for (std::size_t k = 0; k < inputs.a.size(); ++k) {
        const Read a = read(t, unit.a, inputs.a[k]), b = read(t, unit.b, inputs.b[k]);
        numbers.push_back({t.bvor(a.special, b.special), t.bvor(a.zero, b.zero), t.bvxor(a.sign, b.sign),
                           add(t, a.exponent, b.exponent)});
    }
    if (inputs.c) numbers.push_back(read(t, *unit.c, *inputs.c));
    return numbers;
}

constexpr int exponent_width = 16; ///< bits in which exponents of all formats, and their differences, fit

/// low ≤ number − first ≤ high. At the ends of what the quantity can be nothing is asked, so that the cases are all
/// inputs even if it could be more.
Term is_distant(Terms& t, const Ranged& number, const Ranged& first, const Quantity& q, const Bound& bound) {
    const auto word = [&](int x) { return t.constant(exponent_width, static_cast<std::uint64_t>(x) & 0xffff); };
    const auto at = [&](const Ranged& x) { return t.bvadd(t.zero_extend(x.bits, exponent_width), word(x.base)); };
    const Term distance = t.bvadd(at(number), t.bvneg(at(first)));
    const Term above = bound.low == q.low ? t.truth(true) : t.bvnot(t.bvslt(distance, word(bound.low)));
    const Term below = bound.high == q.high ? t.truth(true) : t.bvnot(t.bvslt(word(bound.high), distance));
    return t.bvand(above, below);
}

/// low ≤ leading zeros of a factor ≤ high. A zero has as many as the quantity has at most, or more.
Term is_leading(Terms& t, const Format& f, Term pattern, const Quantity& q, const Bound& bound) {
    const int bits = f.exponent_bits + f.mantissa_bits;
    const Term magnitude = t.extract(pattern, f.padding_bits, bits);
    const auto at_least = [&](int zeros) {
        return t.bvult(magnitude, t.constant(bits, std::uint64_t{1} << (f.mantissa_bits - zeros + 1)));
    };
    return t.bvand(bound.low == q.low ? t.truth(true) : at_least(bound.low),
                   bound.high == q.high ? t.truth(true) : t.bvnot(at_least(bound.high + 1)));
}

} // namespace

std::vector<Quantity> quantities_of(const Unit& unit) {
    const std::size_t count = numbers_of(unit);
    if (count < 2 || count > most_numbers || unit.scale) return {};
    for (const FormatId id : {unit.a, unit.b, unit.c.value_or(unit.d), unit.d})
        if (format(id).is_fixed_point()) return {};
    std::vector<Quantity> all = {{.kind = Kind::special, .name = "an input is infinite or NaN", .starts = {0, 1}}};
    for (std::size_t i = 0; i < count; ++i)
        all.push_back({.kind = Kind::zero, .of = i, .name = name_of(unit, i) + " is zero", .starts = {0, 1}});
    for (std::size_t from = 0; from < count; ++from)
        for (std::size_t i = from + 1; i < count; ++i) {
            const Extent first = extent_of(unit, from), own = extent_of(unit, i);
            Quantity q{.kind = Kind::distance,
                       .of = i,
                       .from = from,
                       .low = own.low - first.high,
                       .high = own.high - first.low,
                       .name = sentence("exponent of ", name_of(unit, i), " less that of ", name_of(unit, from)),
                       .starts = {}};
            q.starts = parts_of_distance(q, first, own, format(unit.d).mantissa_bits);
            all.push_back(std::move(q));
        }
    for (std::size_t from = 0; from < count; ++from)
        for (std::size_t i = from + 1; i < count; ++i)
            all.push_back({.kind = Kind::opposed,
                           .of = i,
                           .from = from,
                           .name = sentence(name_of(unit, i), " has another sign than ", name_of(unit, from)),
                           .starts = {0, 1}});
    for (Quantity& q : leading_zeros(unit)) all.push_back(std::move(q));
    return all;
}

Term is_of(Terms& t, const Unit& unit, const InputTerms& inputs, const std::vector<Quantity>& quantities,
           const Case& one) {
    const std::vector<Read> numbers = read_numbers(t, unit, inputs);
    std::vector<Term> all = {t.truth(true)};
    for (const Bound& bound : one) {
        const Quantity& q = quantities[bound.quantity];
        const Read& number = numbers[q.of];
        const auto bit = [&](Term x) {
            if (bound.low == bound.high) all.push_back(bound.low == 1 ? x : t.bvnot(x));
        };
        switch (q.kind) {
        case Kind::special: {
            Term any = t.truth(false);
            for (const Read& x : numbers) any = t.bvor(any, x.special);
            bit(any);
            break;
        }
        case Kind::zero: bit(number.zero); break;
        case Kind::opposed: bit(t.bvxor(number.sign, numbers[q.from].sign)); break;
        case Kind::distance: all.push_back(is_distant(t, number.exponent, numbers[q.from].exponent, q, bound)); break;
        case Kind::leading:
            all.push_back(q.from == 0 ? is_leading(t, format(unit.a), inputs.a[q.of], q, bound)
                                      : is_leading(t, format(unit.b), inputs.b[q.of], q, bound));
            break;
        }
    }
    return t.all_of(all);
}

std::string text(const std::vector<Quantity>& quantities, const Case& one) {
    std::string all;
    for (const Bound& bound : one) {
        const Quantity& q = quantities[bound.quantity];
        if (!all.empty()) all += ", ";
        if (q.kind == Kind::distance || q.kind == Kind::leading)
            all += bound.low == bound.high ? sentence(q.name, " ", bound.low)
                                           : sentence(q.name, " ", bound.low, "..", bound.high);
        else
            all += (bound.low == 1 ? "" : "not: ") + q.name;
    }
    return all.empty() ? "all inputs" : all;
}

Steering::Steering(const Unit& unit, const std::vector<Quantity>& quantities, const Case& one, std::uint64_t seed)
    : unit_(unit), random_(seed), numbers_(numbers_of(unit)), zero_(numbers_) {
    for (const Bound& bound : one) {
        const Quantity& q = quantities[bound.quantity];
        const Relation relation{q.of, q.from, bound.low, bound.high};
        switch (q.kind) {
        case Kind::special: special_ = bound.low == 1; break;
        case Kind::zero:
            if (bound.low == bound.high) zero_[q.of] = bound.low == 1;
            break;
        case Kind::opposed:
            if (bound.low == bound.high) opposed_.push_back(relation);
            break;
        case Kind::distance: distances_.push_back(relation); break;
        case Kind::leading: leading_.push_back(relation); break;
        }
    }
}

namespace {

std::uint64_t sign_bit(const Format& f) { return std::uint64_t{1} << (f.width - 1); }

/// The magnitude's bits of a pattern, without sign and padding.
std::uint64_t magnitude(const Format& f, std::uint64_t pattern) {
    return (pattern >> f.padding_bits) & ((std::uint64_t{1} << (f.exponent_bits + f.mantissa_bits)) - 1);
}

int exponent_of(const Format& f, std::uint64_t pattern) {
    const auto field = static_cast<int>(magnitude(f, pattern) >> f.mantissa_bits);
    return f.has_zero && field == 0 ? f.emin() : field - f.bias;
}

} // namespace

Steering::Range Steering::range(std::size_t number) const {
    if (!is_c(number)) {
        const Range a = range_of_factor(number, 0), b = range_of_factor(number, 1);
        return {a.low + b.low, a.high + b.high};
    }
    const Extent extent = extent_of(unit_, number);
    return {extent.low, extent.high};
}

Steering::Range Steering::range_of_factor(std::size_t product, std::size_t factor) const {
    const Format& f = format(factor == 0 ? unit_.a : unit_.b);
    for (const Relation& leading : leading_)
        if (leading.of == product && leading.from == factor && leading.low > 0) return {f.emin(), f.emin()};
    return {f.emin(), f.emax()};
}

int Steering::exponent(const InputBuffer& inputs, std::size_t number) const {
    if (is_c(number)) return exponent_of(format(*unit_.c), inputs.c);
    return exponent_of(format(unit_.a), inputs.a[number]) + exponent_of(format(unit_.b), inputs.b[number]);
}

/// The pattern with another exponent, not zero; emin is that of subnormal numbers as often as not.
std::uint64_t Steering::with_exponent(const Format& f, std::uint64_t pattern, int exponent) {
    const int fields = f.exponent_bits + f.mantissa_bits;
    std::uint64_t fraction = magnitude(f, pattern) & ((std::uint64_t{1} << f.mantissa_bits) - 1);
    std::uint64_t field = static_cast<std::uint64_t>(exponent + f.bias);
    if (f.has_subnormals() && exponent == f.emin() && f.mantissa_bits > 0 && random_.below(2) == 0) {
        field = 0;
        if (fraction == 0)
            fraction = 1u + static_cast<std::uint64_t>(random_.below((1 << std::min(f.mantissa_bits, 30)) - 1));
    }
    const std::uint64_t all = ((std::uint64_t{1} << fields) - 1) << f.padding_bits;
    return (pattern & ~all) | (((field << f.mantissa_bits) | fraction) << f.padding_bits);
}

void Steering::set_exponent(InputBuffer& inputs, std::size_t number, int exponent) {
    if (is_c(number)) {
        inputs.c = with_exponent(format(*unit_.c), inputs.c, exponent);
        return;
    }
    const Format &fa = format(unit_.a), &fb = format(unit_.b);
    int of_a = exponent_of(fa, inputs.a[number]); // as it is, if it may be
    const Range a = range_of_factor(number, 0), b = range_of_factor(number, 1);
    const int low = std::max(a.low, exponent - b.high), high = std::min(a.high, exponent - b.low);
    if (of_a < low || of_a > high) of_a = between(low, high);
    inputs.a[number] = with_exponent(fa, inputs.a[number], of_a);
    inputs.b[number] = with_exponent(fb, inputs.b[number], exponent - of_a);
}

/// A factor of a case's leading zeros, without another exponent.
void Steering::set_leading(InputBuffer& inputs, const Relation& leading) {
    const Format& f = format(leading.from == 0 ? unit_.a : unit_.b);
    std::uint64_t& pattern = leading.from == 0 ? inputs.a[leading.of] : inputs.b[leading.of];
    std::uint64_t wanted = magnitude(f, pattern);
    const std::uint64_t one = std::uint64_t{1} << f.mantissa_bits;
    if (leading.low > 0) {
        const std::uint64_t top = one >> between(leading.low, leading.high);
        wanted = top | (wanted & (top - 1));
    } else if (leading.high == 0) {
        if (wanted < one) wanted += one;
    }
    const std::uint64_t all = ((std::uint64_t{1} << (f.exponent_bits + f.mantissa_bits)) - 1) << f.padding_bits;
    pattern = (pattern & ~all) | (wanted << f.padding_bits);
}

void Steering::make_finite(InputBuffer& inputs) {
    const auto finite = [&](const Format& f, std::uint64_t& pattern) {
        if (exponent_of(f, pattern) > f.emax() || (f.specials != Specials::ieee && f.has_nan()))
            pattern = with_exponent(f, pattern, between(f.emin(), f.emax()));
    };
    for (std::uint64_t& x : inputs.a) finite(format(unit_.a), x);
    for (std::uint64_t& x : inputs.b) finite(format(unit_.b), x);
    if (unit_.c) finite(format(*unit_.c), inputs.c);
}

void Steering::make_special(InputBuffer& inputs) {
    const auto special = [&](const Format& f, std::uint64_t& pattern) {
        const int fields = f.exponent_bits + f.mantissa_bits;
        const std::uint64_t exponent = ((std::uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
        pattern |= exponent << f.padding_bits;
        if (random_.below(3) == 0) pattern &= ~(((std::uint64_t{1} << f.mantissa_bits) - 1) << f.padding_bits);
        if (random_.below(8) == 0) pattern |= ((std::uint64_t{1} << fields) - 1) << f.padding_bits;
    };
    const auto one = static_cast<std::size_t>(random_.below(static_cast<int>(2 * inputs.a.size() + 1)));
    if (one < inputs.a.size())
        special(format(unit_.a), inputs.a[one]);
    else if (one < 2 * inputs.a.size())
        special(format(unit_.b), inputs.b[one - inputs.a.size()]);
    else if (unit_.c)
        special(format(*unit_.c), inputs.c);
}

void Steering::operator()(InputBuffer& inputs) {
    if (special_) {
        make_special(inputs);
        return;
    }
    make_finite(inputs);
    // Exponents: as they are where they may be.
    constexpr int tries = 40;
    for (int i = 0; i < tries; ++i) {
        std::vector<int> wanted;
        while (wanted.size() < numbers_) {
            const std::size_t n = wanted.size();
            auto [low, high] = range(n);
            for (const Relation& distance : distances_) {
                if (distance.of != n) continue;
                low = std::max(low, wanted[distance.from] + distance.low);
                high = std::min(high, wanted[distance.from] + distance.high);
            }
            if (low > high) break;
            const int now = exponent(inputs, n);
            wanted.push_back(now >= low && now <= high && (i == 0 || n > 0) ? now : between(low, high));
        }
        if (wanted.size() < numbers_) continue;
        for (std::size_t n = 0; n < numbers_; ++n) set_exponent(inputs, n, wanted[n]);
        break;
    }
    for (const Relation& leading : leading_) set_leading(inputs, leading);
    for (std::size_t n = 0; n < numbers_; ++n) {
        if (zero_[n] != true) continue;
        const auto clear = [&](const Format& f, std::uint64_t& pattern) {
            pattern &= ~(((std::uint64_t{1} << (f.exponent_bits + f.mantissa_bits)) - 1) << f.padding_bits);
        };
        if (is_c(n))
            clear(format(*unit_.c), inputs.c);
        else if (random_.below(2) == 0)
            clear(format(unit_.a), inputs.a[n]);
        else
            clear(format(unit_.b), inputs.b[n]);
    }
    const auto negative = [&](std::size_t n) {
        if (is_c(n)) return (inputs.c & sign_bit(format(*unit_.c))) != 0;
        return ((inputs.a[n] & sign_bit(format(unit_.a))) != 0) != ((inputs.b[n] & sign_bit(format(unit_.b))) != 0);
    };
    for (const Relation& opposed : opposed_) {
        if ((negative(opposed.of) != negative(opposed.from)) == (opposed.low == 1)) continue;
        if (is_c(opposed.of))
            inputs.c ^= sign_bit(format(*unit_.c));
        else
            inputs.a[opposed.of] ^= sign_bit(format(unit_.a));
    }
}

} // namespace discern::rtl
