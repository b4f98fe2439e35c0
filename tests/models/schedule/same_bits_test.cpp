// The C interface: what it answers about kernels of which the answer is known, and what it says of wrong texts.
#include "models/same_bits.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace discern {
namespace {

struct Asked {
    discern_answer answer;
    std::string message;
};

Asked ask(const char* one, const char* other, int k, int products = 0) {
    std::array<char, 300> message{};
    const discern_answer answer = discern_same_bits(one, other, k, products, message.data(), message.size());
    return {answer, message.data()};
}

TEST(SameBits, TheMergesThatCompilersAskAbout) {
    struct Row {
        const char *one, *other;
        discern_answer answer;
    };
    for (const Row& row : {
             Row{"blackwell/mma.m16n8k16.f32.bf16.bf16.f32@[]", "blackwell/tcgen05.mma.m64n8k16.f32.bf16.bf16@[]",
                 DISCERN_SAME},
             Row{"hopper/wgmma.m64n8k16.f32.f16.f16@[]", "blackwell/tcgen05.mma.m64n8k16.f32.f16.f16@[]", DISCERN_SAME},
             Row{"ampere/mma.m16n8k16.f32.f16.f16.f32@[]", "ampere/mma.m16n8k8.f32.f16.f16.f32@[]", DISCERN_SAME},
             Row{"blackwell/mma.m16n8k16.f32.bf16.bf16.f32@[]", "blackwell/mma.m16n8k8.f32.bf16.bf16.f32@[]",
                 DISCERN_DIFFERENT},
             Row{"hopper/mma.m16n8k4.f32.tf32.tf32.f32@[]", "hopper/mma.m16n8k8.f32.tf32.tf32.f32@[]",
                 DISCERN_DIFFERENT},
             Row{"hopper/wgmma.m64n8k32.f32.e4m3.e4m3@[]", "blackwell/tcgen05.mma.m64n8k32.f32.e4m3.e4m3@[]",
                 DISCERN_DIFFERENT},
         }) {
        const Asked asked = ask(row.one, row.other, 4096, 100);
        EXPECT_EQ(asked.answer, row.answer) << row.one << ", " << row.other << ": " << asked.message;
        if (row.answer == DISCERN_DIFFERENT) {
            EXPECT_EQ(ask(row.one, row.other, 4096).answer, DISCERN_UNKNOWN);
            EXPECT_NE(asked.message.find("random product"), std::string::npos);
        }
    }
}

TEST(SameBits, WhatIsNoKernel) {
    const char* const fma = "x86/fma.f32@[]";
    for (const Asked& asked :
         {ask("nothing@[]", fma, 64), ask(fma, fma, 0), ask(nullptr, fma, 64), ask(fma, fma, -1),
          ask("x86/fma.f32@[K=8]", fma, 64), ask(fma, "hopper/wgmma.m64n8k16.f32.f16.f16@[]", 64)}) {
        EXPECT_EQ(asked.answer, DISCERN_ERROR);
        EXPECT_FALSE(asked.message.empty());
        EXPECT_EQ(asked.message.find('\n'), std::string::npos);
    }
    EXPECT_EQ(discern_same_bits(fma, fma, 64, 0, nullptr, 0), DISCERN_SAME);
    std::array<char, 5> cut{};
    EXPECT_EQ(discern_same_bits("nothing@[]", fma, 64, 0, cut.data(), cut.size()), DISCERN_ERROR);
    EXPECT_EQ(std::string(cut.data()).size(), 4u);
}

} // namespace
} // namespace discern
