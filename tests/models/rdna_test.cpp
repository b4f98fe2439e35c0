// The units of RDNA3 and RDNA4 against the rules that AMD's emulator has from measurements, written a second time: in
// whole numbers of 2^-1000, without trees. Random vectors are full of infinities, NaN, subnormals and cancellation.
//
// Source of the rules: ROCm/rocm-systems, emulation/rocjitsu (docs/sources.md, [J]).
#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/format.hpp"
#include "models/random.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <climits>
#include <optional>
#include <vector>

namespace discern::tests {
namespace {

using Whole = boost::multiprecision::cpp_int; ///< in units of 2^-scale
constexpr int scale = 1000;
constexpr int no_grid = INT_MIN / 2;

Whole power(int exponent) { return Whole(1) << (exponent + scale); }

/// The largest multiple of 2^grid that is not above x, in units of it.
Whole floored(const Whole& x, int grid) {
    const Whole unit = power(grid);
    Whole quotient = abs(x) / unit;
    if (x < 0) quotient = quotient * unit == abs(x) ? Whole(-quotient) : Whole(-quotient - 1);
    return quotient;
}

/// A finite number: its value and the exponent of its fields.
struct Operand {
    Whole value;
    int exponent;
    bool negative;
};

Operand number(const Format& f, std::uint64_t bits, bool flush) {
    const Decoded x = decode(f, bits);
    const bool subnormal = (x.significand >> f.mantissa_bits) == 0;
    const Whole magnitude = flush && subnormal ? Whole(0) : Whole(x.significand) * power(x.exponent - f.mantissa_bits);
    return {x.negative ? Whole(-magnitude) : magnitude, x.exponent, x.negative};
}

int top(const Whole& magnitude) { return static_cast<int>(msb(magnitude)) - scale; }

/// To nearest even with `digits` digits, but to no finer place than 2^lowest.
Whole nearest(const Whole& magnitude, int digits, int lowest) {
    const Whole unit = power(std::max(top(magnitude) - digits + 1, lowest));
    Whole quotient = magnitude / unit;
    const Whole rest = 2 * (magnitude - quotient * unit);
    if (rest > unit || (rest == unit && bit_test(quotient, 0))) ++quotient;
    return quotient * unit;
}

/// The pattern of a total: to nearest even, every zero is +0.
/// @param flush  with unlimited exponent first; what is below the smallest normal number then is +0
std::uint64_t pack_total(const Format& f, const Whole& total, bool flush) {
    if (total == 0) return 0;
    const std::uint64_t sign = total < 0 ? 1ull << (f.width - 1) : 0;
    const int digits = f.mantissa_bits + 1;
    const Whole rounded = nearest(abs(total), digits, flush ? -scale : f.emin() - f.mantissa_bits);
    if (rounded == 0 || (flush && rounded < power(f.emin()))) return 0;
    if (rounded >= power(f.emax() + 1)) return sign | (((1ull << f.exponent_bits) - 1) << f.mantissa_bits);
    const int exponent = std::max(top(rounded), f.emin());
    const auto significand = static_cast<std::uint64_t>(rounded / power(exponent - f.mantissa_bits));
    return sign | ((static_cast<std::uint64_t>(exponent - f.emin()) << f.mantissa_bits) + significand);
}

/// One step of a chain, in the words of the rules.
struct Step {
    const Format &a, &b, &d; ///< d: of the accumulator, too
    bool rdna4;

    bool bytes() const { return a.width == 8; }
    bool flushes_operands() const { return !rdna4 && a.id == FormatId::bf16; }

    std::uint64_t of_factor() const {
        return d.id == FormatId::f32 ? 0xffc00a3d : d.id == FormatId::f16 ? 0xfe3d : 0xfffd;
    }
    std::uint64_t invalid() const {
        if (bytes()) return of_factor();
        return d.id == FormatId::f32 ? 0xffc00000 : d.id == FormatId::f16 ? 0xfe00 : 0xffc0;
    }

    /// What NaN and infinities lead to, if there are any.
    std::optional<std::uint64_t> special(const std::uint64_t* x, const std::uint64_t* y, int n, std::uint64_t c) const {
        bool nan = false, wrong = false, plus = false, minus = false;
        for (int i = 0; i < n; ++i) {
            const Decoded p = decode(a, x[i]), q = decode(b, y[i]);
            nan = nan || p.number_class == NumberClass::nan || q.number_class == NumberClass::nan;
            const bool infinite = p.number_class == NumberClass::infinite || q.number_class == NumberClass::infinite;
            if (nan || !infinite) continue;
            const auto is_zero = [&](const Format& f, std::uint64_t bits, const Decoded& z) {
                return z.number_class == NumberClass::finite && number(f, bits, flushes_operands()).value == 0;
            };
            wrong = wrong || is_zero(a, x[i], p) || is_zero(b, y[i], q);
            (p.negative != q.negative ? minus : plus) = true;
        }
        if (nan) return of_factor();
        if (wrong || (plus && minus)) return invalid();
        const Decoded z = decode(d, c);
        if (z.number_class == NumberClass::nan) return c | (1ull << (d.mantissa_bits - 1));
        if (z.number_class == NumberClass::infinite) (z.negative ? minus : plus) = true;
        if (plus && minus) return invalid();
        const std::uint64_t infinity = ((1ull << d.exponent_bits) - 1) << d.mantissa_bits;
        if (plus) return infinity;
        if (minus) return infinity | 1ull << (d.width - 1);
        return std::nullopt;
    }

    /// The total as d; bf16 is what is left of f32 without its lower half.
    std::uint64_t finish(const Whole& total) const {
        if (d.id != FormatId::bf16) return pack_total(d, total, !rdna4 && d.id == FormatId::f32);
        return pack_total(format(FormatId::f32), total, !rdna4) >> 16;
    }

    std::uint64_t operator()(const std::uint64_t* x, const std::uint64_t* y, int n, std::uint64_t c) const {
        if (const auto bits = special(x, y, n, c)) return *bits;
        // As f32, where a subnormal f16 number is a normal one.
        const Operand z = number(d, c, !rdna4 && d.id != FormatId::f16);
        const int least = d.id == FormatId::f16 ? -14 : -126;
        std::vector<Whole> products;
        std::vector<int> grids;
        std::vector<bool> negative;
        for (int i = 0; i < n; ++i) {
            const Operand p = number(a, x[i], flushes_operands()), q = number(b, y[i], flushes_operands());
            products.push_back(p.value * q.value / power(0));
            negative.push_back(p.negative != q.negative);
            grids.push_back(products.back() == 0 ? no_grid : p.exponent + q.exponent - 24);
        }
        int grid = *std::max_element(grids.begin(), grids.end());
        Whole total = 0;
        if (!rdna4) {
            const bool counts = z.value != 0 || d.id == FormatId::f16;
            const int lead = z.value == 0 ? least : std::max(top(abs(z.value)), least);
            if (counts) grid = std::max(grid, lead - 26);
            if (grid == no_grid) return 0;
            total = abs(z.value) / power(grid);
            for (int i = 0; i < n; ++i) {
                const Whole units = abs(products[static_cast<std::size_t>(i)]) / power(grid);
                total += negative[static_cast<std::size_t>(i)] == z.negative ? units : Whole(-units - 1); // inverted
            }
            if (z.negative) total = -total;
        } else {
            const int lead = z.value == 0 ? least : std::max(top(abs(z.value)), least);
            grid = std::max(grid, lead - 26);
            if (abs(z.value) >= power(grid) || grid <= least) total = floored(z.value, grid);
            const int group = bytes() ? n : 2;
            for (int i = 0; i < n; i += group) {
                const int of_group = *std::max_element(grids.begin() + i, grids.begin() + i + group);
                if (of_group == no_grid) continue;
                Whole sum = 0;
                for (int j = i; j < i + group; ++j) sum += floored(products[static_cast<std::size_t>(j)], of_group);
                total += floored(sum * power(of_group), grid);
            }
        }
        return finish(total * power(grid));
    }
};

/// The order in which a wave of 32 takes k.
int in_wave32(int k) { return k < 4 || k >= 12 ? k : k < 8 ? k + 4 : k - 4; }

std::uint64_t expected(const Unit& unit, const std::string& name, const InputBuffer& v) {
    const bool rdna4 = name.starts_with("rdna4");
    const Step step{format(unit.a), format(unit.b), format(unit.d), rdna4};
    const int n = rdna4 && unit.K > 2 ? 4 : 2;
    std::vector<std::uint64_t> a(v.a), b(v.b);
    if (name.ends_with("wave32"))
        for (int k = 0; k < unit.K; ++k) {
            a[static_cast<std::size_t>(k)] = v.a[static_cast<std::size_t>(in_wave32(k))];
            b[static_cast<std::size_t>(k)] = v.b[static_cast<std::size_t>(in_wave32(k))];
        }
    std::uint64_t c = v.c;
    for (int k = 0; k < unit.K; k += n)
        c = step(&a[static_cast<std::size_t>(k)], &b[static_cast<std::size_t>(k)], n, c);
    return c;
}

/// Few exponents, so that terms meet, with everything special now and then.
std::uint64_t pattern(const Format& f, Random& random, int specials_one_in) {
    const std::uint64_t fraction = random.bits() & ((1ull << f.mantissa_bits) - 1);
    const std::uint64_t sign = random.one_in(2) ? 1ull << (f.width - 1) : 0;
    if (random.one_in(specials_one_in))
        return sign | ((1ull << f.exponent_bits) - 1) << f.mantissa_bits | (random.one_in(2) ? 0 : fraction);
    if (random.one_in(10)) return sign | (random.one_in(2) ? 0 : fraction);
    if (random.one_in(6)) return random.bits() & f.mask();
    const int exponent = std::clamp(f.bias + random.between(-8, 8), 1, (1 << f.exponent_bits) - 2);
    return sign | static_cast<std::uint64_t>(exponent) << f.mantissa_bits | fraction;
}

void expect_the_rules(const std::string& name, const Unit& unit) {
    constexpr std::uint64_t seed = 17;
    const Evaluator evaluate(unit);
    Random random(seed);
    for (int i = 0; i < fewer(3000); ++i) {
        const int specials_one_in = i % 3 == 0 ? 6 : 60;
        InputBuffer v;
        for (int k = 0; k < unit.K; ++k) {
            v.a.push_back(pattern(format(unit.a), random, specials_one_in));
            v.b.push_back(pattern(format(unit.b), random, specials_one_in));
        }
        v.c = pattern(format(*unit.c), random, specials_one_in);
        ASSERT_EQ(evaluate(v.inputs()), expected(unit, name, v)) << name << ", seed " << seed << ", vector " << i;
    }
}

TEST(Rdna, UnitsAreTheRulesOfTheEmulator) {
    int units = 0;
    for (const CatalogueEntry& entry : catalogue()) {
        if (!entry.name.starts_with("rdna3/") && !entry.name.starts_with("rdna4/")) continue;
        if (entry.remark == "a hypothesis") continue;
        ++units;
        expect_the_rules(entry.name, entry.unit);
    }
    EXPECT_EQ(units, 22);
}

} // namespace
} // namespace discern::tests
