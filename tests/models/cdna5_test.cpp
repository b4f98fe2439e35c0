// The units of gfx1250 against the steps of AMD's emulator, written a second time in the host's float: a chain of
// multiply-adds from c on, in the order of k; and of the instructions with scales a chain from +0 on for each block,
// times the scale of a, times that of b, added to c.
//
// Source of the steps: ROCm/rocm-systems, emulation/rocjitsu (docs/sources.md, [J]); no result of a card was published.
#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/format.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace discern::tests {
namespace {

/// Exact for all formats of operands and of e8m0 scales.
float value_of(FormatId id, std::uint64_t bits) { return static_cast<float>(to_double(format(id), bits)); }

/// The sum from `sum` on of the products first … last − 1, or the same from the last one down.
float chain(const Unit& unit, const InputBuffer& v, int first, int last, float sum, bool down = false) {
    for (int i = first; i < last; ++i) {
        const auto k = static_cast<std::size_t>(down ? first + last - 1 - i : i);
        sum = std::fma(value_of(unit.a, v.a[k]), value_of(unit.b, v.b[k]), sum);
    }
    return sum;
}

/// Rounded to f32, whatever the compiler makes of a product beside a sum.
float rounded_product(float x, float y) {
    const volatile float product = x * y;
    return product;
}

enum class Order { a_then_b, b_then_a, at_once };

/// A sum for each block of scales, times the scale of a, times that of b, added to c; each step is rounded. Or the
/// scales the other way round, or with one rounding of both.
float scaled(const Unit& unit, const InputBuffer& v, Order order = Order::a_then_b) {
    float all = value_of(FormatId::f32, v.c);
    const int n = unit.scale->block;
    for (int block = 0; block < unit.K / n; ++block) {
        const auto i = static_cast<std::size_t>(block);
        const float sum = chain(unit, v, block * n, block * n + n, 0.0F);
        const float a = value_of(unit.scale->format, v.sa[i]), b = value_of(unit.scale->format, v.sb[i]);
        if (order == Order::at_once) // 24 bits and two significands of at most four are exact in a double
            all += static_cast<float>(static_cast<double>(sum) * a * b);
        else if (order == Order::a_then_b)
            all += rounded_product(rounded_product(sum, a), b);
        else
            all += rounded_product(rounded_product(sum, b), a);
    }
    return all;
}

/// Calls visit(buffer, result of the unit) for random vectors of all families.
template <typename Visit>
void for_each_vector(const Unit& unit, int count, Visit visit) {
    const Evaluator evaluate(unit);
    for (const Family family : families) {
        InputGenerator generator(unit, family, 23);
        InputBuffer v;
        for (int i = 0; i < fewer(count); ++i) {
            generator.next(v);
            visit(v, evaluate(v.inputs()));
        }
    }
}

TEST(Cdna5, UnitsAreTheChainsOfTheEmulator) {
    int units = 0;
    for (const CatalogueEntry& entry : catalogue()) {
        if (entry.architecture != "cdna5" || entry.unit.scale) continue;
        ++units;
        const Unit& unit = entry.unit;
        int backwards = 0, with_c_last = 0;
        for_each_vector(unit, 400, [&](const InputBuffer& v, std::uint64_t d) {
            const auto is = [&](float expected) {
                return same_result(unit, d, std::bit_cast<std::uint32_t>(expected));
            };
            const float c = value_of(FormatId::f32, v.c);
            EXPECT_TRUE(is(chain(unit, v, 0, unit.K, c))) << entry.name;
            if (!is(chain(unit, v, 0, unit.K, c, true))) ++backwards;
            if (!is(chain(unit, v, 0, unit.K, 0.0F) + c)) ++with_c_last;
        });
        EXPECT_GT(backwards, 0) << entry.name; // the vectors show the order, and where c is added
        EXPECT_GT(with_c_last, 0) << entry.name;
    }
    EXPECT_EQ(units, 10);
}

TEST(Cdna5, UnitsWithScalesAreTheStepsOfTheEmulator) {
    int units = 0;
    for (const CatalogueEntry& entry : catalogue()) {
        if (entry.architecture != "cdna5" || !entry.unit.scale) continue;
        ++units;
        const Unit& unit = entry.unit;
        int other_way_round = 0, at_once = 0;
        for_each_vector(unit, 400, [&](const InputBuffer& v, std::uint64_t d) {
            const auto is = [&](float expected) {
                return same_result(unit, d, std::bit_cast<std::uint32_t>(expected));
            };
            EXPECT_TRUE(is(scaled(unit, v))) << entry.name;
            if (!is(scaled(unit, v, Order::b_then_a))) ++other_way_round;
            if (!is(scaled(unit, v, Order::at_once))) ++at_once;
        });
        // The vectors show which scale comes first, and that a rounding is between: where a product with powers of two
        // overflows or is subnormal, or one with other scales has more than 24 bits. Sums of 4-bit products are
        // multiples of 1/4 up to 32 · 36, and have 13 bits, with two scales of four bits 21.
        const bool is_exact = unit.a == FormatId::e2m1 && unit.scale->format == FormatId::ue5m3;
        const bool shows = unit.scale->format == FormatId::e8m0 || format(unit.a).width == 8;
        if (is_exact) {
            EXPECT_EQ(other_way_round + at_once, 0) << entry.name;
        } else if (shows) {
            EXPECT_GT(std::min(other_way_round, at_once), 0) << entry.name;
        }
    }
    EXPECT_EQ(units, 32);
}

TEST(Cdna5, AnOverflowOfTheFirstScaleStays) {
    const Unit& unit = find_entry("cdna5/v_wmma_scale_f32_16x16x128_f8f6f4.fp4.fp4.e8")->unit;
    InputBuffer v{.a = std::vector<std::uint64_t>(128), .b = std::vector<std::uint64_t>(128), .sa = {}, .sb = {}};
    v.a[0] = v.b[0] = 4;             // 2
    v.sa = {0xfe, 0x7f, 0x7f, 0x7f}; // 2^127, and 1 for the blocks of zeros
    v.sb = {0, 0x7f, 0x7f, 0x7f};    // 2^-127
    const auto d = [&](const Unit& of) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(Evaluator(of)(v.inputs())));
    };
    EXPECT_EQ(d(unit), std::numeric_limits<float>::infinity());
    EXPECT_EQ(scaled(unit, v), std::numeric_limits<float>::infinity());
    std::swap(v.sa, v.sb);
    EXPECT_EQ(d(unit), 4.0F);
}

} // namespace
} // namespace discern::tests
