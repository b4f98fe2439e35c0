#include "choose.hpp"

#include "cpu.hpp"

namespace discern::fast {

namespace {

#if defined(__x86_64__)
bool has_avx512() {
    return cpu_has(avx512f) && cpu_has(avx512bw) && cpu_has(avx512dq) && cpu_has(avx512vl) && cpu_has(fma) &&
           cpu_has(f16c);
}
bool has_fp16() { return cpu_has(avx512fp16) && cpu_has(avx512vnni); }
bool has_avx2() { return cpu_has(avx2) && cpu_has(fma) && cpu_has(f16c); }
#else
bool has_avx512() { return false; }
bool has_fp16() { return false; }
bool has_avx2() { return false; }
#endif

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
