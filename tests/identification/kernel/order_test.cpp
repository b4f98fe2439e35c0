// The order over k: the schedule that a black box has is among those that swamped units show, whatever its unit.
#include "identification/kernel/order.hpp"

#include "models/catalogue.hpp"
#include "models/unit/sentence.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace discern::kernels {
namespace {

Ask ask_of(const KernelEvaluator& evaluate) {
    return [&evaluate](std::span<const Inputs> batch) {
        std::vector<std::optional<std::uint64_t>> answers;
        for (const Inputs& inputs : batch) answers.emplace_back(evaluate(inputs));
        return answers;
    };
}

/// Of the first candidate; "none" without one.
std::string order_of(const std::string& text) {
    const KernelEvaluator evaluate(resolve_kernel(text));
    const Order order = find_order(shape_of(evaluate.kernel()), ask_of(evaluate), 1);
    if (order.candidates.empty()) return "none: " + order.trouble;
    const Candidate& first = order.candidates.front();
    return sentence(to_string(first.schedule), " / ", first.instruction, first.exact ? " exact" : "");
}

constexpr const char* fma = "x86/fma.f32";
constexpr const char* hopper = "hopper/wgmma.m64n8k16.f32.f16.f16";
constexpr const char* ampere = "ampere/mma.m16n8k16.f32.f16.f16.f32"; // blocks of 8
constexpr const char* cdna1 = "cdna1/v_mfma_f32_16x16x16f16";         // exact sums of 4
constexpr const char* cdna2 = "cdna2/v_mfma_f32_16x16x16f16";         // pairs of pairs
constexpr const char* fp8 = "hopper/wgmma.m64n8k32.f32.e4m3.e4m3";

TEST(Order, OfPlainChainsIsTheInstruction) {
    EXPECT_EQ(order_of(sentence(fma, "@[K=64]")), " / 1");
    EXPECT_EQ(order_of(sentence(hopper, "@[K=128]")), " / 16");
    EXPECT_EQ(order_of(sentence(ampere, "@[K=128]")), " / 8");
    EXPECT_EQ(order_of(sentence(cdna1, "@[K=128]")), " / 4 exact");
    // Whose pairs of pairs could be a schedule, too.
    const KernelEvaluator evaluate(resolve_kernel(sentence(cdna2, "@[K=128]")));
    const Order order = find_order(shape_of(evaluate.kernel()), ask_of(evaluate), 1);
    EXPECT_TRUE(std::any_of(order.candidates.begin(), order.candidates.end(), [](const Candidate& c) {
        return c.instruction == 4 && c.schedule == Schedule{} && !c.exact;
    }));
    EXPECT_EQ(order_of(sentence(fp8, "@[K=256]")), " / 32");
}

TEST(Order, IsFoundForEveryLevel) {
    const std::pair<const char*, const char*> cases[] = {
        {"split=4", "split=4"},
        {"split=4 reduce=pairwise", "split=4 reduce=pairwise"},
        {"split=8 reduce=reverse", "split=8 reduce=reverse"},
        {"split=8 reduce=halving", "split=8 reduce=halving"},
        {"split=8 reduce=last-halves", "split=8 reduce=last-halves"},
        {"slice=4 run=32 reduce=last-halves", "slice=4 run=32 reduce=last-halves"},
        {"split=64+128+64", "split=64+128+64"},
        {"slice=2 run=32", "slice=2 run=32"},
        {"slice=4 run=32 reduce=pairwise", "slice=4 run=32 reduce=pairwise"},
        {"lanes=8 reduce=halving", "lanes=8 reduce=halving"},
        {"lanes=4 unroll=4 reduce=halving", "lanes=16 reduce=halving"}, // the same tree
        {"lanes=4 unroll=3", "unroll=3 lanes=4"},
        {"split=2 lanes=4", "split=2 lanes=4"},
        {"from=zero", "from=zero"},
        {"split=4 from=zero", "split=4 from=zero"},
    };
    for (const auto& [schedule, found] : cases) {
        EXPECT_EQ(order_of(sentence(fma, "@[K=256 ", schedule, "]")), sentence(found, " / 1")) << schedule;
        if (std::string(schedule).find("lanes") == std::string::npos) {
            EXPECT_EQ(order_of(sentence(hopper, "@[K=256 ", schedule, "]")), sentence(found, " / 16")) << schedule;
        }
    }
}

TEST(Order, InstructionsOfSeveralBlocksAreDealtOutWhole) {
    constexpr const char* schedule = "unroll=2:order lanes=8:pairwise"; // of one block each it would be slices
    for (const auto& [unit, size] : {std::pair(ampere, 8), std::pair(cdna2, 4)}) {
        const int block = size; // which a lambda may read in clang++ 14, too
        const KernelEvaluator evaluate(resolve_kernel(sentence(unit, "@[K=1024 ", schedule, "]")));
        const Order order = find_order(shape_of(evaluate.kernel()), ask_of(evaluate), 1);
        EXPECT_TRUE(std::any_of(order.candidates.begin(), order.candidates.end(), [&](const Candidate& c) {
            return c.instruction == 16 && c.block == block && to_string(c.schedule) == schedule;
        })) << unit;
    }
}

TEST(Order, OfSumsThatAreRoundedTowardsZero) {
    // Between −M and M units take −M a place up; between M and −M they vanish.
    EXPECT_EQ(order_of("turing/mma.m16n8k8.f32.f16.f16.f32@[K=512 promote=64:f32:rz]"), "kc=64 from=zero / 8");
    EXPECT_EQ(order_of(sentence(fma, "@[K=128 split=4 reduce=order:f32:rz]")), "split=4 / 1");
}

TEST(Order, ListsWhatHasTheSameTree) {
    // A promoted accumulator, and C that is read and written between blocks, add up pieces in order.
    const KernelEvaluator evaluate(resolve_kernel(sentence(fma, "@[K=96 promote=32:f32:rne]")));
    const Order order = find_order(shape_of(evaluate.kernel()), ask_of(evaluate), 1);
    std::vector<std::string> found;
    for (const Candidate& c : order.candidates) // others take the pieces for instructions
        if (c.instruction == 1) found.push_back(to_string(c.schedule));
    EXPECT_NE(std::find(found.begin(), found.end(), "promote=32:f32:rne"), found.end());
    EXPECT_NE(std::find(found.begin(), found.end(), "kc=32 from=zero"), found.end());
    EXPECT_EQ(std::find(found.begin(), found.end(), ""), found.end());
}

TEST(Order, NarrowFormatsHaveNoRoom) {
    EXPECT_EQ(order_of("e2m1*e2m1+f32->f32 K=4 : round[f32 rz](fuse[F=25 rz](p*, c))@[K=16]"),
              "none: the formats have no room for numbers that absorb others, which show the order");
}

} // namespace
} // namespace discern::kernels
