// Structured random vectors. See random_search.hpp.
#include "random_search.hpp"

#include <algorithm>
#include <array>

namespace discern {

namespace {

// How the patterns of one operand are drawn; percentages of the patterns.
struct Style {
    int plain = 0;         ///< uniform bits
    int zero = 0;          ///< a signed zero
    int special = 0;       ///< the top exponent field: infinities, NaN, largest numbers
    int centre = 50;       ///< where the exponent fields lie, in percent of their range
    int spread = 0;        ///< how far they are apart
    int full = 0;          ///< all ones in the mantissa
    int bare = 0;          ///< a power of two
    bool positive = false; ///< no negative number
};

int between(Random& random, int from, int to) {
    return from + static_cast<int>(random() % static_cast<std::uint64_t>(to - from + 1));
}

bool chance(Random& random, int percent) { return between(random, 0, 99) < percent; }

template <std::size_t N>
int choose(Random& random, const std::array<int, N>& values) {
    return values[random() % N];
}

Style random_style(Random& random) {
    Style s;
    s.plain = choose(random, std::array{0, 0, 0, 30, 100});
    s.zero = choose(random, std::array{0, 0, 10, 60, 90});
    s.special = choose(random, std::array{0, 0, 0, 0, 5});
    s.centre = choose(random, std::array{0, 0, 5, 25, 40, 48, 50, 52, 60, 75, 95, 100});
    s.spread = choose(random, std::array{0, 0, 1, 2, 4, 10, 30});
    s.full = choose(random, std::array{0, 0, 20, 90});
    s.bare = choose(random, std::array{0, 0, 30, 90});
    s.positive = chance(random, 30);
    return s;
}

std::uint64_t low_bits(int n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

std::uint64_t random_pattern(Random& random, const Format& f, const Style& s) {
    const std::uint64_t plain = random() & f.mask();
    if (chance(random, s.plain)) return plain;
    const std::uint64_t sign = f.is_signed && !s.positive ? plain & (1ull << (f.width - 1)) : 0;
    if (chance(random, s.zero)) return f.specials == Specials::fnuz ? 0 : sign;
    const int top = (1 << f.exponent_bits) - 1, last = f.has_infinity() ? top - 1 : top;
    int field = std::clamp(last * s.centre / 100 + between(random, -s.spread, s.spread), 0, last);
    if (chance(random, s.special)) field = top;
    std::uint64_t mantissa = random() & low_bits(f.mantissa_bits);
    if (chance(random, s.full)) mantissa = low_bits(f.mantissa_bits) & ~(random() % 4 == 0 ? 1ull : 0ull);
    if (chance(random, s.bare)) mantissa = 0;
    return sign | (((static_cast<std::uint64_t>(field) << f.mantissa_bits) | mantissa) << f.padding_bits);
}

// Into `row`, whose size is the number of patterns.
void fill(Random& random, const Format& f, const Style& s, std::vector<std::uint64_t>& row) {
    for (std::uint64_t& pattern : row) pattern = random_pattern(random, f, s);
}

void draw(Random& random, const Unit& unit, Vector& v) {
    const Style style = random_style(random);
    const auto own_or = [&] { return chance(random, 60) ? style : random_style(random); };
    fill(random, format(unit.a), style, v.a);
    fill(random, format(unit.b), own_or(), v.b);
    if (unit.scale) {
        fill(random, format(unit.scale->format), own_or(), v.sa);
        fill(random, format(unit.scale->format), own_or(), v.sb);
    }
    if (unit.c) v.c = random_pattern(random, format(*unit.c), own_or());
    // Cancellation: some products are others, negated.
    const Format& a = format(unit.a);
    if (a.is_signed && unit.K > 1 && chance(random, 25))
        for (std::size_t i = 1; i < v.a.size(); i += 2) {
            v.a[i] = v.a[i - 1] ^ (1ull << (a.width - 1));
            v.b[i] = v.b[i - 1];
        }
    // One term alone may be of another kind than all others.
    if (chance(random, 25)) {
        const Style other = random_style(random);
        const std::size_t i = random() % v.a.size();
        v.a[i] = random_pattern(random, a, other);
        v.b[i] = random_pattern(random, format(unit.b), other);
    }
}

Vector empty_vector(const Unit& unit) {
    Vector v;
    v.a.resize(static_cast<std::size_t>(unit.K));
    v.b.resize(static_cast<std::size_t>(unit.K));
    v.sa.resize(static_cast<std::size_t>(unit.scales()));
    v.sb.resize(static_cast<std::size_t>(unit.scales()));
    if (unit.c) v.c = 0;
    return v;
}

} // namespace

Vector random_vector(Random& random, const Unit& unit) {
    Vector v = empty_vector(unit);
    draw(random, unit, v);
    return v;
}

std::vector<Vector> random_search(const Pair& pair, std::uint64_t seed, std::uint64_t tries, std::size_t wanted,
                                  const Limit& limit) {
    Random random(seed);
    std::vector<Vector> found;
    Vector v = empty_vector(pair.first());
    for (std::uint64_t i = 0; i < tries && found.size() < wanted; ++i) {
        if (i % 256 == 0 && limit.reached()) break;
        draw(random, pair.first(), v);
        const Inputs inputs = v.inputs();
        if (pair.differ(pair.first(inputs), pair.second(inputs))) found.push_back(v);
    }
    return found;
}

} // namespace discern
