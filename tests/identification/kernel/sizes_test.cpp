// Targets that choose their order by K, M and N: where they do is found.
#include "identification/kernel/sizes.hpp"

#include "box.hpp"
#include "models/unit/sentence.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace discern::kernels {
namespace {

/// A target that is another kernel at each K.
SizeOptions at_lengths(const std::function<std::string(int)>& kernel_at) {
    SizeOptions options;
    options.at_length = [=](int K) -> std::optional<AtLength> {
        const auto box = std::make_shared<Box>(resolve_kernel(kernel_at(K), K));
        return AtLength{box->ask, {}, box};
    };
    options.seconds = 30;
    return options;
}

const SizeRange* range_of(char size, const std::vector<SizeRange>& ranges) {
    for (const SizeRange& r : ranges)
        if (r.size == size) return &r;
    return nullptr;
}

TEST(Sizes, LengthsAtWhichTheOrderChangesAreFound) {
    const auto kernel_at = [](int K) {
        return K < 24 ? "x86/fma.f32@[lanes=2]" : K < 100 ? "x86/fma.f32@[]" : "x86/fma.f32@[from=zero]";
    };
    const auto ranges = size_ranges({resolve_kernel("x86/fma.f32@[K=64]"), {}}, at_lengths(kernel_at));
    ASSERT_EQ(ranges.size(), 1u); // it has no products, so M and N are not varied
    const SizeRange& K = ranges.front();
    EXPECT_EQ(K.from, 24);
    EXPECT_EQ(K.to, 99);
    ASSERT_TRUE(K.below && K.above && K.depends());
    EXPECT_EQ(K.below->size, 23);
    EXPECT_EQ(K.below->schedule, "lanes=2 reduce=order:f32:rne");
    EXPECT_EQ(K.above->size, 100);
    EXPECT_EQ(K.above->schedule, "reduce=order:f32:rne from=zero");
}

TEST(Sizes, LengthsThatDoNotFitAreNotAsked) {
    const auto same = [](int) { return "x86/fma.f32@[split=4]"; };
    const auto ranges = size_ranges({resolve_kernel("x86/fma.f32@[K=48 split=4]"), {}}, at_lengths(same));
    ASSERT_EQ(ranges.size(), 1u);
    EXPECT_FALSE(ranges.front().depends());
    EXPECT_EQ(ranges.front().from, 12); // 6 is no multiple of 4
    EXPECT_GT(ranges.front().to, 48);
}

TEST(Sizes, RowsAndColumnsAtWhichTheOrderChangesAreFound) {
    Box usual(resolve_kernel("x86/fma.f32@[K=32 split=2]")), few(resolve_kernel("x86/fma.f32@[K=32]"));
    SizeOptions options;
    options.seconds = 10 * tests::slowness;
    options.product = [&](GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d) {
        (size.m < 5 || size.n > 200 ? few : usual).multiply(size, a, b, c, d);
    };
    const auto ranges = size_ranges({usual.evaluate.kernel(), {}}, options);
    ASSERT_EQ(ranges.size(), 2u);
    const SizeRange *M = range_of('M', ranges), *N = range_of('N', ranges);
    EXPECT_EQ(M->from, 5);
    EXPECT_EQ(M->to, 512);
    ASSERT_TRUE(M->below && !M->above);
    EXPECT_EQ(M->below->schedule, "");
    EXPECT_EQ(N->from, 1);
    EXPECT_EQ(N->to, 200);
    ASSERT_TRUE(N->above && !N->below);
    EXPECT_EQ(N->above->size, 201);
}

TEST(Sizes, LengthsOfBlocksBecomeARule) {
    const auto open_blas = [](int) { return "x86/fma.f32@[kc=320/16 from=zero]"; };
    const Kernel lengths = resolve_kernel("x86/fma.f32@[K=1000 kc=320+320+192+168 from=zero]");
    const auto rule = with_a_rule({lengths, {}}, at_lengths(open_blas));
    ASSERT_TRUE(rule);
    EXPECT_EQ(to_string(rule->schedule), "kc=320/16 from=zero");
    const auto other = [](int K) {
        return K == 1000 ? "x86/fma.f32@[kc=320+320+192+168 from=zero]" : "x86/fma.f32@[from=zero]";
    };
    EXPECT_FALSE(with_a_rule({lengths, {}}, at_lengths(other)));
    EXPECT_FALSE(with_a_rule({resolve_kernel("x86/fma.f32@[K=1000 kc=320+480+200]"), {}}, at_lengths(open_blas)));
}

} // namespace
} // namespace discern::kernels
