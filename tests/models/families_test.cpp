// Each family of random inputs does what its description says: measured shares, with bounds that a broken family
// misses.
#include "models/families.hpp"

#include "digest.hpp"
#include "models/catalogue.hpp"
#include "trees.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace discern::tests {
namespace {

using enum FormatId;
using enum Rounding;

constexpr int vectors = 4000;

Unit f16_unit() { return unit_of(f16, f32, f32, 16, t_fdpa(25, rho(f32, rz), -133)); }
Unit bf16_unit() { return unit_of(bf16, f32, f32, 16, t_fdpa(25, rho(f32, rz), -133)); }
Unit scaled_unit() {
    Unit unit = unit_of(e4m3, f32, f32, 64, t_fdpa(25, rho(f32, rz)));
    unit.scale = {e8m0, 32};
    return unit;
}
Unit nvfp4_unit() {
    Unit unit = unit_of(e2m1, f32, f32, 64, round_to(rho(f32, rz), fuse({at(35, g(16)), at(35, c())})));
    unit.scale = {ue4m3, 16};
    return unit;
}
Unit fnuz_unit() { return unit_of(e4m3fnuz, f32, f32, 32, t_fdpa(24, rho(f32, rne))); }

/// The share of a family's vectors of which something holds.
double share(const Unit& unit, Family family, const std::function<bool(const InputBuffer&)>& holds) {
    InputGenerator generator(unit, family, 1);
    InputBuffer buffer;
    int count = 0;
    for (int i = 0; i < vectors; ++i) {
        generator.next(buffer);
        count += holds(buffer) ? 1 : 0;
    }
    return static_cast<double>(count) / vectors;
}

double value(FormatId id, std::uint64_t bits) { return to_double(format(id), bits); }

bool any_of(FormatId id, const std::vector<std::uint64_t>& patterns, const std::function<bool(double)>& holds) {
    for (const std::uint64_t p : patterns)
        if (holds(value(id, p))) return true;
    return false;
}

bool is_subnormal(FormatId id, double x) { return x != 0 && std::abs(x) < std::ldexp(1.0, format(id).emin()); }

/// The exact sum of all products and c of a unit without scales, as the f64 nearest to it.
double exact_total(Unit unit, const InputBuffer& buffer) {
    unit.d = f64;
    unit.L = unit.K;
    unit.tree = e_fdpa(ieee(f64));
    return value(f64, evaluate_exactly(unit, buffer.inputs()));
}
double magnitudes(const Unit& unit, const InputBuffer& buffer) {
    double sum = std::abs(value(*unit.c, buffer.c));
    for (std::size_t k = 0; k < buffer.a.size(); ++k)
        sum += std::abs(value(unit.a, buffer.a[k]) * value(unit.b, buffer.b[k]));
    return sum;
}

std::uint64_t digest(const Unit& unit, Family family, std::uint64_t seed) {
    InputGenerator generator(unit, family, seed);
    InputBuffer buffer;
    tests::Digest all;
    for (int i = 0; i < 200; ++i) {
        generator.next(buffer);
        all.add(buffer);
    }
    return all.value();
}

TEST(Random, IsXoshiro256StarStarSeededBySplitmix64) {
    // splitmix64 from seed 0 gives these four words (its authors' published test values); the first two outputs of
    // xoshiro256** follow from them: rotl(s1 · 5, 7) · 9.
    Random random(0);
    const std::uint64_t s1 = 0x6e789e6aa1b965f4ull;
    EXPECT_EQ(random.bits(), std::rotl(s1 * 5, 7) * 9);
    const std::uint64_t s0 = 0xe220a8397b1dcdafull, s2 = 0x06c45d188009454full;
    EXPECT_EQ(random.bits(), std::rotl((s1 ^ s2 ^ s0) * 5, 7) * 9);
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
    Random random(7);
    double sum = 0, squares = 0;
    constexpr int n = 100000;
    for (int i = 0; i < n; ++i) {
        const double x = random.normal();
        sum += x;
        squares += x * x;
    }
    EXPECT_NEAR(sum / n, 0, 0.015); // five standard deviations are 0.016
    EXPECT_NEAR(squares / n, 1, 0.025);
}

TEST(Families, HaveNames) {
    for (const Family family : families) EXPECT_EQ(family_from_name(name(family)), family);
    EXPECT_EQ(family_from_name("uniform"), std::nullopt);
}

TEST(Families, AreReproducible) {
    for (const Unit& unit : {f16_unit(), bf16_unit(), scaled_unit(), nvfp4_unit(), fnuz_unit()})
        for (const Family family : families) {
            EXPECT_EQ(digest(unit, family, 1), digest(unit, family, 1)) << name(family);
            EXPECT_NE(digest(unit, family, 1), digest(unit, family, 2)) << name(family);
        }
}

// As g++ had them when this was written; clang++ used to draw arguments in another order. What changes a family on
// purpose changes its number.
TEST(Families, AreTheSameWhateverCompilesThem) {
    constexpr std::array<std::uint64_t, families.size()> expected = {0xb3f0c84d25a383f7ull, 0xe27859d2733b0dd2ull,
                                                                     0xff090eeb05e93fdull, 0x41dcc0b36046d16eull,
                                                                     0x976e2ea4ce25bf4full};
    for (std::size_t i = 0; i < families.size(); ++i) {
        std::uint64_t all = 0;
        for (const Unit& unit : {f16_unit(), bf16_unit(), scaled_unit(), nvfp4_unit(), fnuz_unit()})
            all = std::rotl(all, 1) ^ digest(unit, families[i], 1);
        EXPECT_EQ(all, expected[i]) << name(families[i]);
    }
}

TEST(Families, GivePatternsOfTheRightSizeForEveryUnit) {
    for (const CatalogueEntry& entry : catalogue()) {
        const Unit& unit = entry.unit;
        for (const Family family : families) {
            InputGenerator generator(unit, family, 3);
            InputBuffer buffer;
            for (int i = 0; i < 50; ++i) {
                generator.next(buffer);
                ASSERT_EQ(buffer.a.size(), static_cast<std::size_t>(unit.K)) << entry.name;
                ASSERT_EQ(buffer.b.size(), buffer.a.size());
                ASSERT_EQ(buffer.sa.size(), static_cast<std::size_t>(unit.scales()));
                ASSERT_EQ(buffer.sb.size(), buffer.sa.size());
                for (const std::uint64_t a : buffer.a) ASSERT_LE(a, format(unit.a).mask());
                for (const std::uint64_t b : buffer.b) ASSERT_LE(b, format(unit.b).mask());
                for (const std::uint64_t s : buffer.sa) ASSERT_LE(s, format(unit.scale->format).mask());
                ASSERT_LE(buffer.c, unit.c ? format(*unit.c).mask() : 0u);
            }
        }
    }
}

TEST(Families, NormalIsNormal) {
    for (const Unit& unit : {f16_unit(), bf16_unit()}) {
        double sum = 0, squares = 0, largest = 0;
        share(unit, Family::normal, [&](const InputBuffer& buffer) {
            for (const std::uint64_t a : buffer.a) {
                const double x = value(unit.a, a);
                sum += x;
                squares += x * x;
                largest = std::max(largest, std::abs(x));
            }
            return true;
        });
        const double n = 16.0 * vectors;
        EXPECT_NEAR(sum / n, 0, 0.03);
        EXPECT_NEAR(squares / n, 1, 0.1); // outliers add 0.025
        EXPECT_GT(largest, 8) << "outliers of the heavy-tailed quarter";
        EXPECT_LT(largest, 70);
    }
    // Nothing special, and d is hardly ever zero.
    EXPECT_EQ(
        share(fnuz_unit(), Family::normal,
              [](const InputBuffer& b) { return any_of(e4m3fnuz, b.a, [](double x) { return !std::isfinite(x); }); }),
        0);
    EXPECT_GT(share(scaled_unit(), Family::normal,
                    [](const InputBuffer& b) { return evaluate_exactly(scaled_unit(), b.inputs()) != 0; }),
              0.99);
}

TEST(Families, CancellingCancels) {
    for (const Unit& unit : {f16_unit(), bf16_unit(), fnuz_unit()}) {
        int cancelled = 0, exact = 0, equal_exponents = 0;
        share(unit, Family::cancelling, [&](const InputBuffer& buffer) {
            const double total = exact_total(unit, buffer);
            cancelled += std::abs(total) < magnitudes(unit, buffer) * 0x1p-8 ? 1 : 0;
            exact += total == 0 ? 1 : 0;
            int low = 100, high = -100;
            for (const std::uint64_t a : buffer.a) {
                low = std::min(low, decode(format(unit.a), a).exponent);
                high = std::max(high, decode(format(unit.a), a).exponent);
            }
            equal_exponents += low == high ? 1 : 0;
            return true;
        });
        EXPECT_GT(cancelled, 0.5 * vectors) << format(unit.a).name;
        EXPECT_GT(exact, 0.1 * vectors) << format(unit.a).name;
        EXPECT_LT(exact, 0.7 * vectors) << format(unit.a).name;
        EXPECT_GT(equal_exponents, 0.25 * vectors) << format(unit.a).name;
    }
    // Without c, products cancel among themselves.
    const Unit dpps = resolve_unit("x86/dpps");
    EXPECT_GT(
        share(dpps, Family::cancelling,
              [&](const InputBuffer& b) { return std::abs(value(f32, evaluate_exactly(dpps, b.inputs()))) < 0x1p-10; }),
        0.4);
}

TEST(Families, UniformBitsAreDiverse) {
    for (const Unit& unit : {f16_unit(), scaled_unit(), nvfp4_unit(), fnuz_unit()}) {
        const bool has_nan = format(unit.a).has_nan();
        const double nan = share(unit, Family::uniform_bits, [&](const InputBuffer& b) {
            return std::isnan(value(f32, evaluate_exactly(unit, b.inputs())));
        });
        // A quarter is unrestricted, a quarter has one or two specials; NaN must neither be missing nor dominate.
        EXPECT_GT(nan, 0.1) << format(unit.a).name;
        EXPECT_LT(nan, 0.55) << format(unit.a).name;
        const double special_operand = share(unit, Family::uniform_bits, [&](const InputBuffer& b) {
            return any_of(unit.a, b.a, [](double x) { return !std::isfinite(x); });
        });
        EXPECT_EQ(special_operand > 0.1, has_nan) << format(unit.a).name;
    }
    // Infinite results that are no NaN, finite ones over the whole range, and products near c.
    EXPECT_GT(
        share(f16_unit(), Family::uniform_bits,
              [](const InputBuffer& b) { return std::isinf(value(f32, evaluate_exactly(f16_unit(), b.inputs()))); }),
        0.02);
    EXPECT_GT(share(bf16_unit(), Family::uniform_bits,
                    [](const InputBuffer& b) {
                        return is_subnormal(f32, value(f32, evaluate_exactly(bf16_unit(), b.inputs())));
                    }),
              0.005);
    // Padding bits are set now and then.
    const Unit tf = unit_of(tf32, f32, f32, 8, t_fdpa(25, rho(f32, rz)));
    EXPECT_GT(share(tf, Family::uniform_bits, [](const InputBuffer& b) { return (b.a[0] & 0x1fff) != 0; }), 0.5);
}

TEST(Families, SubnormalsAndZeros) {
    for (const Unit& unit : {f16_unit(), bf16_unit(), scaled_unit(), fnuz_unit()}) {
        const auto operand = [&](const std::function<bool(double)>& holds) {
            return share(unit, Family::subnormals_and_zeros,
                         [&](const InputBuffer& b) { return any_of(unit.a, b.a, holds); });
        };
        EXPECT_GT(operand([&](double x) { return is_subnormal(unit.a, x); }), 0.4) << format(unit.a).name;
        EXPECT_GT(operand([](double x) { return x == 0 && !std::signbit(x); }), 0.5);
        EXPECT_EQ(operand([](double x) { return x == 0 && std::signbit(x); }) > 0.5, unit.a != e4m3fnuz);
        EXPECT_GT(operand([&](double x) { return std::abs(x) == std::ldexp(1.0, format(unit.a).emin()); }), 0.2);
        EXPECT_GT(operand([&](double x) { return std::abs(x) >= std::ldexp(1.0, format(unit.a).emax() - 2); }), 0.2);
        EXPECT_EQ(operand([](double x) { return !std::isfinite(x); }), 0);
        const double zero_d = share(unit, Family::subnormals_and_zeros, [&](const InputBuffer& b) {
            return value(f32, evaluate_exactly(unit, b.inputs())) == 0;
        });
        EXPECT_GT(zero_d, 0.02) << format(unit.a).name;
        EXPECT_LT(zero_d, 0.5) << format(unit.a).name;
    }
}

TEST(Families, FloorExponentsAreAtTheFloor) {
    // Exponents of the products of bf16 (f32 d): most vectors between −165 and −120, some around the largest.
    const auto exponents = [](const InputBuffer& b, FormatId id) {
        int largest = -10000;
        for (std::size_t k = 0; k < b.a.size(); ++k)
            largest = std::max(largest, decode(format(id), b.a[k]).exponent + decode(format(id), b.b[k]).exponent);
        return largest;
    };
    const auto between = [&](const Unit& unit, int low, int high) {
        return share(unit, Family::floor_exponents, [&](const InputBuffer& b) {
            const int largest = exponents(b, unit.a);
            return low <= largest && largest <= high;
        });
    };
    EXPECT_GT(between(bf16_unit(), -165, -120), 0.6);
    EXPECT_GT(between(bf16_unit(), -136, -130), 0.12) << "the floor";
    EXPECT_GT(between(bf16_unit(), 119, 129), 0.05) << "overflow";
    // It finds what it is for: a floor of −133 against none, −133 against −132.
    const auto differs = [](const Unit& x, const Unit& y) {
        return share(x, Family::floor_exponents, [&](const InputBuffer& b) {
            return evaluate_exactly(x, b.inputs()) != evaluate_exactly(y, b.inputs());
        });
    };
    const auto bf16_with = [](std::optional<int> floor) {
        return unit_of(bf16, f32, f32, 16, t_fdpa(25, rho(f32, rz), floor));
    };
    EXPECT_GT(differs(bf16_with(-133), bf16_with({})), 0.001);
    EXPECT_GT(differs(bf16_with(-133), bf16_with(-132)), 0.0007);
    const auto f16_with = [](std::optional<int> floor) {
        return unit_of(f16, f16, f16, 16, t_fdpa(10, rho(f16, rne), floor));
    };
    EXPECT_GT(differs(f16_with(-21), f16_with({})), 0.001);
    // Scales bring fp8 products to the floor of f32 too.
    EXPECT_GT(share(scaled_unit(), Family::floor_exponents,
                    [](const InputBuffer& b) {
                        return is_subnormal(f32, value(f32, evaluate_exactly(scaled_unit(), b.inputs())));
                    }),
              0.2);
    // Carry bits: 17 near-maximum terms of one sign need three, and show that two wrap.
    const auto carries = [](int w) {
        return unit_of(f16, f32, f32, 16, round_to(rho(f32, rz), fuse({at(25, p()), at(25, c())}, {}, w)));
    };
    EXPECT_GT(differs(carries(2), carries(5)), 0.05);
    EXPECT_GT(differs(carries(3), carries(5)), 0.02);
}

} // namespace
} // namespace discern::tests
