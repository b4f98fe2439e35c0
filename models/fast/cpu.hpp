// What the processor can do, asked of itself (CPUID): compilers have functions for it, but not each knows every set,
// and that of zig's runtime library says no to all of them. A set whose registers the operating system does not save is
// not there.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>

namespace discern::fast {

/// A bit of CPUID that stands for a set of instructions, and the parts of the registers (XCR0) that it computes in.
struct CpuSet {
    unsigned leaf, subleaf;
    int word; ///< 0 to 3: eax, ebx, ecx, edx
    int bit;
    unsigned registers = 0;
};
inline constexpr unsigned ymm = 0x06, zmm = 0xe6, amx_tiles = 3u << 17;
inline constexpr CpuSet sse41{1, 0, 2, 19}, fma{1, 0, 2, 12, ymm}, f16c{1, 0, 2, 29, ymm}, avx2{7, 0, 1, 5, ymm},
    avx512f{7, 0, 1, 16, zmm}, avx512dq{7, 0, 1, 17, zmm}, avx512bw{7, 0, 1, 30, zmm}, avx512vl{7, 0, 1, 31, zmm},
    avx512vnni{7, 0, 2, 11, zmm}, avx512fp16{7, 0, 3, 23, zmm}, avx512bf16{7, 1, 0, 5, zmm};

/// Whether the operating system saves and restores these registers.
inline bool system_keeps(unsigned registers) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned osxsave = 1u << 27;
    if (registers == 0) return true;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & osxsave) == 0) return false;
    unsigned low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & registers) == registers;
}

inline bool cpu_has(const CpuSet& set) {
    unsigned words[4] = {};
    return __get_cpuid_count(set.leaf, set.subleaf, &words[0], &words[1], &words[2], &words[3]) != 0 &&
           ((words[set.word] >> set.bit) & 1) != 0 && system_keeps(set.registers);
}

} // namespace discern::fast

#endif
