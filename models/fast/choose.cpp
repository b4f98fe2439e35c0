#include "choose.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace discern::fast {

namespace {

bool has_avx512() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/// Asks the processor itself, since not every compiler has a function for this set.
bool has_fp16() {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned fp16 = 1u << 23, vnni = 1u << 11;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & fp16) != 0 && (c & vnni) != 0;
#else
    return false;
#endif
}

/// Processors with AVX2 and FMA convert halves, too (F16C), for which not every compiler has a function.
bool has_avx2() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

} // namespace

const KernelSet* choose_kernels(KernelChoice choice) {
    const bool best = choice == KernelChoice::best;
    if ((best || choice == KernelChoice::avx512fp16) && avx512fp16_kernels != nullptr && has_avx512() && has_fp16())
        return avx512fp16_kernels;
    if ((best || choice == KernelChoice::avx512) && avx512_kernels != nullptr && has_avx512()) return avx512_kernels;
    if ((best || choice == KernelChoice::avx2) && avx2_kernels != nullptr && has_avx2()) return avx2_kernels;
    if (best || choice == KernelChoice::portable) return portable_kernels;
    return nullptr;
}

} // namespace discern::fast
