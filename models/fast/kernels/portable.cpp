// The kernels for any CPU: vectors of 16 bytes in the compiler's extensions, which it maps to what there is.
#include "tile.hpp"

#define DISCERN_ISA portable
#define DISCERN_VECTOR_BYTES 16
#include "kernels.hpp"

namespace discern::fast {
namespace {
constexpr KernelSet set = portable::set_named("portable");
}
const KernelSet* const portable_kernels = &set;
} // namespace discern::fast
