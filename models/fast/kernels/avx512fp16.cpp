// The kernels for AVX-512 with its FP16 and VNNI: those of AVX-512, and another one for fp8. Nothing but that is
// compiled here, since all of this file uses these instructions.
#include "tile.hpp"

#if defined(__AVX512FP16__) && defined(__AVX512VNNI__) && defined(__AVX512F__) && defined(__AVX512BW__) &&             \
    defined(__AVX512DQ__) && defined(__AVX512VL__)

#define DISCERN_ISA avx512fp16
#define DISCERN_VECTOR_BYTES 64
#include "half_products.hpp"

namespace discern::fast {
namespace {

TileKernel find(const Recipe& r, bool pairs) {
    if (pairs || !r.half_products) return avx512_kernels->find(r, pairs);
    if (r.result.to_nearest) return avx512fp16::half_products<true, true>;
    return r.careful_c ? avx512fp16::half_products<true, false> : avx512fp16::half_products<false, false>;
}
bool unpack(const Unpack& request) { return avx512_kernels->unpack(request); }
void scale_columns(const ScaleColumns& request) { avx512_kernels->scale_columns(request); }
void add_last(const Recipe& recipe, float* acc, const float* c, std::size_t count) {
    avx512_kernels->add_last(recipe, acc, c, count);
}

constexpr KernelSet set = {
    .name = "AVX-512 FP16", .find = find, .unpack = unpack, .scale_columns = scale_columns, .add_last = add_last};

} // namespace
const KernelSet* const avx512fp16_kernels = &set;
} // namespace discern::fast

#else

namespace discern::fast {
const KernelSet* const avx512fp16_kernels = nullptr;
}

#endif
