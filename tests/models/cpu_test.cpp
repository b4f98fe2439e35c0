// What the processor says of itself, beside what the compiler's own functions say.
#include "models/fast/cpu.hpp"

#include <gtest/gtest.h>

namespace discern::fast {

#if defined(__x86_64__)
TEST(Cpu, SaysWhatTheCompilersFunctionsSay) {
    EXPECT_EQ(cpu_has(sse41), __builtin_cpu_supports("sse4.1") != 0);
    EXPECT_EQ(cpu_has(fma), __builtin_cpu_supports("fma") != 0);
    EXPECT_EQ(cpu_has(avx2), __builtin_cpu_supports("avx2") != 0);
    EXPECT_EQ(cpu_has(avx512f), __builtin_cpu_supports("avx512f") != 0);
    EXPECT_EQ(cpu_has(avx512dq), __builtin_cpu_supports("avx512dq") != 0);
    EXPECT_EQ(cpu_has(avx512bw), __builtin_cpu_supports("avx512bw") != 0);
    EXPECT_EQ(cpu_has(avx512vl), __builtin_cpu_supports("avx512vl") != 0);
    EXPECT_EQ(cpu_has(avx512vnni), __builtin_cpu_supports("avx512vnni") != 0);
    EXPECT_EQ(cpu_has(avx512bf16), __builtin_cpu_supports("avx512bf16") != 0);
}

/// A part of the registers that no system has.
TEST(Cpu, HasNothingWhoseRegistersAreNotKept) {
    EXPECT_TRUE(cpu_has({1, 0, 3, 0})); // x87, which each has
    EXPECT_FALSE(cpu_has({1, 0, 3, 0, 1u << 31}));
}
#endif

} // namespace discern::fast
