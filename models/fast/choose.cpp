#include "choose.hpp"

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

/// Processors with AVX2 and FMA convert halves, too (F16C), which not every compiler can ask.
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
    if ((best || choice == KernelChoice::avx512) && avx512_kernels != nullptr && has_avx512()) return avx512_kernels;
    if ((best || choice == KernelChoice::avx2) && avx2_kernels != nullptr && has_avx2()) return avx2_kernels;
    if (best || choice == KernelChoice::portable) return portable_kernels;
    return nullptr;
}

} // namespace discern::fast
