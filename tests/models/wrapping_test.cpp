// Integers that wrap, as those of matrix units do without .satfinite: a register as wide as the result
// (docs/notation.md, "Sums that wrap") against the integers of C++, on all inputs of small formats.
#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"
#include "models/unit.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace discern::tests {
namespace {

/// The number of a two's complement pattern.
std::int64_t number(std::uint64_t pattern, int width) {
    return static_cast<std::int64_t>(pattern << (64 - width)) >> (64 - width);
}

/// Whether the unit wraps on all inputs: a and b of the width `of_factors`, c and d of `of_sums`; every nth is tried.
void wraps(const std::string& line, int of_factors, int of_sums, std::uint64_t nth = 1) {
    const Unit unit = parse_unit(line);
    const Evaluator evaluate(unit);
    const auto K = static_cast<std::size_t>(unit.K);
    const std::uint64_t factor = 1ull << of_factors, sum = 1ull << of_sums;
    std::uint64_t all = unit.c ? sum : 1;
    for (std::size_t i = 0; i < 2 * K; ++i) all *= factor;
    std::uint64_t clamped = 0;
    for (std::uint64_t at = 0; at < all; at += nth) {
        std::uint64_t rest = at;
        std::vector<std::uint64_t> a(K), b(K);
        for (std::size_t k = 0; k < K; ++k) {
            a[k] = rest % factor, rest /= factor;
            b[k] = rest % factor, rest /= factor;
        }
        std::int64_t total = number(rest, of_sums);
        for (std::size_t k = 0; k < K; ++k) total += number(a[k], of_factors) * number(b[k], of_factors);
        const std::uint64_t want = static_cast<std::uint64_t>(total) % sum;
        clamped += number(want, of_sums) != total ? 1 : 0;
        const Inputs inputs{.a = a, .b = b, .sa = {}, .sb = {}, .c = rest};
        ASSERT_EQ(evaluate(inputs), want) << line << ", inputs " << at;
        ASSERT_EQ(evaluate_exactly(unit, inputs), want) << line << ", inputs " << at;
    }
    EXPECT_GT(clamped, 0u) << line << ": nothing wrapped";
}

TEST(Wrapping, OnAllInputs) {
    wraps("fix4.0*fix4.0+fix8.0->fix8.0 K=1 : round[fix8.0 rz](fuse[F=5 floor=5 carry=0](p*, c@[less=1]))", 4, 8);
    wraps("fix3.0*fix3.0+fix6.0->fix6.0 K=2 : round[fix6.0 rz](fuse[F=3 floor=3 carry=0](p*, c@[less=1]))", 3, 6);
    wraps("fix3.0*fix3.0+fix6.0->fix6.0 K=2 L=1 : round[fix6.0 rz](fuse[F=3 floor=3 carry=0](p*, c@[less=1]))", 3, 6);
    wraps("fix3.0*fix3.0->fix5.0 K=3 : round[fix5.0 rz](fuse[F=2 floor=2 carry=0](p*))", 3, 5);
}

TEST(Wrapping, OfBytesIn32Bits) {
    const Unit unit = parse_unit(
        "fix8.0*fix8.0+fix32.0->fix32.0 K=32 : round[fix32.0 rz](fuse[F=29 floor=29 carry=0](p*, c@[less=1]))");
    const Evaluator evaluate(unit);
    Random random(7);
    int wrapped = 0;
    for (int n = 0; n < 2000; ++n) {
        std::vector<std::uint64_t> a(32), b(32);
        const bool large = random.one_in(2);
        for (std::size_t k = 0; k < 32; ++k) {
            a[k] = large ? 0x80 : random.below(256);
            b[k] = large ? 0x80 - random.below(2) : random.below(256);
        }
        const std::uint64_t c = (random.one_in(2) ? 0x7ffffff0u : 0x80000000u) + random.below(16);
        std::int64_t total = number(c, 32);
        for (std::size_t k = 0; k < 32; ++k) total += number(a[k], 8) * number(b[k], 8);
        const std::uint64_t want = static_cast<std::uint32_t>(total);
        wrapped += number(want, 32) != total ? 1 : 0;
        const Inputs inputs{.a = a, .b = b, .sa = {}, .sb = {}, .c = c};
        ASSERT_EQ(evaluate(inputs), want);
        ASSERT_EQ(evaluate_exactly(unit, inputs), want);
    }
    EXPECT_GT(wrapped, 100);
}

} // namespace
} // namespace discern::tests
