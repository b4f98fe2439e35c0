// The kernels for AVX-512. Nothing but them is compiled here, since all of this file uses its instructions.
#include "tile.hpp"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)

#define DISCERN_ISA avx512
#define DISCERN_VECTOR_BYTES 64
#include "kernels.hpp"

namespace discern::fast {
namespace {
constexpr KernelSet set = avx512::set_named("AVX-512");
}
const KernelSet* const avx512_kernels = &set;
} // namespace discern::fast

#else

namespace discern::fast {
const KernelSet* const avx512_kernels = nullptr;
}

#endif
