// The units of gfx1250 against the steps of AMD's emulator, written a second time in the host's float: a chain of
// multiply-adds from c on, in the order of k. And what docs/sources.md says of the instructions with scales: up to
// where a line of the notation is the same, and where it is not.
//
// Source of the steps: ROCm/rocm-systems, emulation/rocjitsu (docs/sources.md, [J]); no result of a card was published.
#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/format.hpp"
#include "models/notation.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
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

struct Scaled {
    float result;
    bool is_exact; ///< whether every product of a block's sum with its scale of a is
};

/// A sum for each block of scales, times the scale of a, times that of b, added to c; each step is rounded.
Scaled scaled(const Unit& unit, const InputBuffer& v) {
    Scaled all{value_of(FormatId::f32, v.c), true};
    const int n = unit.scale->block;
    for (int block = 0; block < unit.K / n; ++block) {
        const auto i = static_cast<std::size_t>(block);
        const float sum = chain(unit, v, block * n, block * n + n, 0.0F);
        const float first = rounded_product(sum, value_of(FormatId::e8m0, v.sa[i]));
        const double exactly = static_cast<double>(sum) * to_double(format(FormatId::e8m0), v.sa[i]);
        if (!std::isnan(exactly)) all.is_exact = all.is_exact && static_cast<double>(first) == exactly;
        all.result += rounded_product(first, value_of(FormatId::e8m0, v.sb[i]));
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
        if (entry.architecture != "cdna5") continue;
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

/// The line of docs/sources.md for 4-bit operands, whose sums of 32 products are exact in f32: multiples of 1/4 up to
/// 32 · 36.
constexpr const char* line_of_fp4 =
    "e2m1*e2m1+f32->f32 K=128 L=32 scale=e8m0/32 : round[f32 rne](fuse[exact](c, "
    "round[f32 rne](fuse[exact](round[f32 rne zsign=pos](fuse[exact](p*)) @[scaled]))))";

TEST(Cdna5, ALineWithScalesIsTheSameWhileTheFirstScaleIsExact) {
    const Unit unit = parse_unit(line_of_fp4);
    int exact = 0;
    for_each_vector(unit, 2000, [&](const InputBuffer& v, std::uint64_t d) {
        const Scaled expected = scaled(unit, v);
        if (!expected.is_exact) return;
        ++exact;
        EXPECT_TRUE(same_result(unit, d, std::bit_cast<std::uint32_t>(expected.result)));
    });
    EXPECT_GT(exact, fewer(1000));
}

TEST(Cdna5, ALineWithScalesIsAnotherWhereTheFirstScaleOverflows) {
    const Unit unit = parse_unit(line_of_fp4);
    InputBuffer v{.a = std::vector<std::uint64_t>(128), .b = std::vector<std::uint64_t>(128), .sa = {}, .sb = {}};
    v.a[0] = v.b[0] = 4;             // 2
    v.sa = {0xfe, 0x7f, 0x7f, 0x7f}; // 2^127, and 1 for the blocks of zeros
    v.sb = {0, 0x7f, 0x7f, 0x7f};    // 2^-127
    EXPECT_EQ(Evaluator(unit)(v.inputs()), std::bit_cast<std::uint32_t>(4.0F));
    EXPECT_EQ(scaled(unit, v).result, std::numeric_limits<float>::infinity());
}

} // namespace
} // namespace discern::tests
