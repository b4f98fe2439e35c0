// A driver without a device: what the tests can make libcuda.so.1 do.
//
// The library (fake_cuda.cpp) keeps device memory in this process's memory and hands every launch to a function of the
// test, which sees the PTX text and the images.
#pragma once

#include "hwrunner/nvidia/cuda_driver.hpp"

#include <array>
#include <cstdint>

namespace discern::testing {

struct FakeCuda {
    cuda::Result init = cuda::success;
    int devices = 1;
    int major = 9, minor = 0;
    cuda::Result link = cuda::success;                 ///< of translating PTX
    std::size_t memory = static_cast<std::size_t>(-1); ///< the most that one array may take
    /// Machine code of every kernel: as many words with each of these opcodes.
    unsigned opcode = 0x23c;
    int opcodes = 1;
    /// Computes what the kernel would. @return the driver's result
    cuda::Result (*launch)(const char* text, const std::uint8_t* in, std::uint8_t* out, std::uint32_t count) = nullptr;
    /// The same for kernels with other parameters; if it is set, it gets every launch.
    cuda::Result (*launch_any)(const char* text, void** parameters, unsigned blocks, unsigned threads) = nullptr;
};

/// The one state of the library, by its C name: fake_cuda_state.
using FakeCudaState = FakeCuda*();

} // namespace discern::testing
