// The kernels for AVX2. Nothing but them is compiled here, since all of this file uses its instructions.
#include "tile.hpp"

#if defined(__AVX2__) && defined(__FMA__)

#define DISCERN_ISA avx2
#define DISCERN_VECTOR_BYTES 32
#include "kernels.hpp"

namespace discern::fast {
namespace {
constexpr KernelSet set = avx2::set_named("AVX2");
}
const KernelSet* const avx2_kernels = &set;
} // namespace discern::fast

#else

namespace discern::fast {
const KernelSet* const avx2_kernels = nullptr;
}

#endif
