// A driver without a device: what the tests can make libcuda.so.1 do.
//
// The library (fake_cuda.cpp) runs the text that it is given on the machine of programs/ (fake_device.cpp), so that
// programs work with it too: DISCERN_CUDA_LIBRARY names it, and DISCERN_FAKE_CAPABILITY which GPU it shall be ("10.0").
// A test may compute launches itself.
#pragma once

#include "hwrunner/nvidia/cuda_driver.hpp"

#include <array>
#include <cstdint>

namespace discern::testing {

struct FakeCuda {
    cuda::Result init = cuda::success;
    int devices = 1;
    int major = 9, minor = 0;
    int version = 13000;                               ///< of CUDA, as the driver says it
    cuda::Result link = cuda::success;                 ///< of translating PTX
    std::size_t memory = static_cast<std::size_t>(-1); ///< the most that one array may take
    /// Machine code of every kernel: as many words with each of these opcodes.
    unsigned opcode = 0x23c;
    int opcodes = 1;
    /// Computes what the kernel with images would, instead of the device. @return the driver's result
    cuda::Result (*launch)(const char* text, const std::uint8_t* in, std::uint8_t* out, std::uint32_t count) = nullptr;
    /// What becomes of memory after the device has run a kernel.
    void (*after)(void** parameters, std::uint8_t* (*memory)(cuda::Address)) = nullptr;
};

/// The one state of the library, by its C name: fake_cuda_state.
using FakeCudaState = FakeCuda*();

} // namespace discern::testing
