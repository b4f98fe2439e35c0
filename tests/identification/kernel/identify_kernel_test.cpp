// Kernels behind a black box: what is named gives all products, and what is not a function is said to be none.
#include "box.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/families.hpp"
#include "models/pattern_words.hpp"
#include "models/random.hpp"
#include "models/unit/sentence.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstring>

namespace discern::kernels {
namespace {

using tests::sweep;
using tests::sweeping;

/// Whether two kernels agree on fresh vectors of all families.
void expect_same(const Kernel& found, const Kernel& truth, int vectors) {
    const KernelEvaluator one(found), other(truth);
    for (const Family family : families) {
        InputGenerator generator(chain_of(truth), family, 99);
        InputBuffer x;
        for (int i = 0; i < vectors; ++i) {
            generator.next(x);
            ASSERT_TRUE(same_result(found, one(x.inputs()), other(x.inputs())))
                << to_string(found) << "\nis not\n"
                << to_string(truth) << "\non " << name(family) << " " << i;
        }
    }
}

TEST(IdentifyKernel, FindsSplitFma) {
    const Kernel truth = resolve_kernel("x86/fma.f32@[K=64 split=4 reduce=pairwise:f32:rne]");
    const KernelResult r = Box(truth).identify(20);
    ASSERT_TRUE(r.kernel) << r.trouble;
    EXPECT_EQ(to_string(r.kernel->schedule), "split=4 reduce=pairwise:f32:rne");
    EXPECT_GE(r.validated, 3'000u);
    EXPECT_EQ(r.kernel->unit.nan.kind, NanRule::Kind::propagate);
    expect_same(*r.kernel, truth, 100);
}

TEST(IdentifyKernel, ATargetThatChangesItsAnswersIsNoFunction) {
    Box one(resolve_kernel("x86/fma.f32@[K=32 split=2]")), other(resolve_kernel("x86/fma.f32@[K=32 split=4]"));
    int turn = 0; // as if which part is ready first were added first
    const Ask ask = [&](std::span<const Inputs> batch) { return (++turn % 3 == 0 ? other : one).ask(batch); };
    const KernelResult r = identify_kernel(one.shape, ask, {});
    EXPECT_EQ(r.conclusion, identify::Conclusion::unexplained);
    ASSERT_TRUE(r.unsteady);
    EXPECT_NE(r.unsteady->first, r.unsteady->second);
}

TEST(IdentifyKernel, AnswersThatDependOnThePlaceAreNoFunction) {
    Box one(resolve_kernel("x86/fma.f32@[K=32 split=2]")), other(resolve_kernel("x86/fma.f32@[K=32]"));
    KernelOptions options;
    options.product = [&](GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d) {
        one.multiply(size, a, b, c, d);
        PatternWords rest(FormatId::f32, size.m * size.n); // the last row comes from other code
        other.multiply(size, a, b, c, rest.out());
        const std::size_t first = (size.m - 1) * size.n, word = d.word();
        std::memcpy(static_cast<std::byte*>(d.data()) + first * word,
                    static_cast<const std::byte*>(rest.patterns().data()) + first * word, size.n * word);
    };
    const KernelResult r = identify_kernel(one.shape, one.ask, options);
    EXPECT_EQ(r.conclusion, identify::Conclusion::unexplained);
    ASSERT_TRUE(r.unsteady);
    const KernelEvaluator usual(resolve_kernel("x86/fma.f32@[K=32 split=2]"));
    EXPECT_EQ(r.unsteady->second, usual(r.unsteady->vector.inputs()));
    EXPECT_NE(r.unsteady->first, r.unsteady->second);
}

TEST(IdentifyKernel, WithoutFreshProductsNothingIsSettled) {
    Box box(resolve_kernel("x86/fma.f32@[K=16 split=2]"));
    bool asked_fresh = false; // several hundred at once
    const Ask ask = [&](std::span<const Inputs> batch) {
        asked_fresh = asked_fresh || batch.size() >= 1000;
        if (asked_fresh) return std::vector<std::optional<std::uint64_t>>(batch.size());
        return box.ask(batch);
    };
    KernelOptions options;
    options.timeout = 3;
    const KernelResult r = identify_kernel(box.shape, ask, options);
    EXPECT_EQ(r.validated, 0u);
    EXPECT_NE(r.conclusion, identify::Conclusion::unique);
    EXPECT_NE(r.conclusion, identify::Conclusion::several);
    if (r.kernel) {
        ASSERT_FALSE(r.open.empty());
        EXPECT_NE(r.open.back().find("answered none of the fresh products"), std::string::npos);
    }
}

/// A unit and a schedule, drawn; K from 64 to 4096.
Kernel random_kernel(Random& random) {
    static constexpr const char* units[] = {"x86/fma.f32",
                                            "hopper/wgmma.m64n8k16.f32.f16.f16",
                                            "ampere/mma.m16n8k16.f32.f16.f16.f32",
                                            "ampere/mma.m16n8k16.f32.bf16.bf16.f32",
                                            "hopper/wgmma.m64n8k16.f32.bf16.bf16",
                                            "turing/mma.m16n8k8.f32.f16.f16.f32",
                                            "volta/mma.m8n8k4.f32.f16.f16.f32",
                                            "cdna1/v_mfma_f32_16x16x16f16",
                                            "cdna2/v_mfma_f32_16x16x16f16",
                                            "cdna3/v_mfma_f32_16x16x16_f16",
                                            "hopper/wgmma.m64n8k8.f32.tf32.tf32",
                                            "ampere/mma.m8n8k4.f64.f64.f64.f64"};
    for (;;) {
        const Unit unit = resolve_unit(units[random.below(std::size(units))]);
        Kernel kernel{unit, 64 << random.below(7), {}};
        Schedule& s = kernel.schedule;
        const auto order = [&] { return static_cast<FoldOrder>(random.below(4)); };
        const Conversion sum{unit.d, random.one_in(5) ? Rounding::rz : Rounding::rne};
        switch (random.below(5)) {
        case 0: s.split = {2 << random.below(4)}; break;
        case 1:
            s.slice = 2 << random.below(2);
            s.run = unit.K * (2 << random.below(2));
            break;
        case 2: s.lanes = 4 << random.below(2); break;
        case 3: s.promote = Promotion{unit.K * (2 << random.below(4)), sum}; break;
        case 4:
            s.kc = {unit.K * random.between(3, 20)};
            s.from_zero = true;
            break;
        }
        if (random.one_in(3) && !s.promote && s.split.empty() && s.kc.empty()) s.split = {2};
        if (s.lanes > 1 && random.one_in(2)) s.unroll = 2;
        if (s.kc.empty()) s.order = s.promote ? FoldOrder::order : order();
        if (!s.promote) s.reduce = sum;
        if (random.one_in(3)) s.from_zero = true;
        if (s.from_zero && !s.reduce) s.reduce = sum;
        try {
            validate(kernel);
            return kernel;
        } catch (const Error&) {
            continue;
        }
    }
}

TEST(IdentifyKernel, RandomPairs) {
    const int count = sweep(1);
    Random random(22);
    int settled = 0;
    for (int i = 0; i < count; ++i) {
        const Kernel truth = random_kernel(random);
        const auto start = std::chrono::steady_clock::now();
        const KernelResult r = Box(truth).identify(40);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        const bool done = r.kernel && r.conclusion <= identify::Conclusion::several && seconds <= 60;
        settled += done ? 1 : 0;
        if (r.kernel) expect_same(*r.kernel, truth, 200);
        if (sweeping())
            std::printf("%-90s %s %s %.1f s\n", to_string(truth).c_str(),
                        r.kernel ? to_string(r.kernel->schedule).c_str() : r.trouble.c_str(),
                        std::string(identify::name(r.conclusion)).c_str(), seconds);
    }
    if (sweeping()) std::printf("settled %d of %d\n", settled, count);
    EXPECT_GE(settled * 10, count * 9);
}

} // namespace
} // namespace discern::kernels
