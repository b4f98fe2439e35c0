// Where no driver can be loaded, as in a browser, no kernels for GPUs are written either: half a megabyte less to load.
#include "accelerator.hpp"

#include "models/error.hpp"

namespace discern::gpu {

std::shared_ptr<Accelerator> open_gpu(const Unit&) {
    throw Error("unavailable: no driver of a GPU can be loaded here; the other kernels compute on the CPU");
}

} // namespace discern::gpu
