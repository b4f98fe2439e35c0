// The instructions whose layouts are tested.
#pragma once

#include "hwrunner/nvidia/fragments.hpp"

#include <string>
#include <vector>

namespace discern::testing {

/// Every instruction that can be run, on the first machine of its architecture.
inline std::vector<CudaInstruction> all_instructions() {
    std::vector<CudaInstruction> all;
    for (const char* architecture : {"volta", "turing", "ampere", "ada", "hopper", "blackwell", "rtxblackwell"})
        for (const std::string& name : cuda_instructions(architecture))
            all.push_back(cuda_instruction(name, capabilities_of(architecture).front()));
    for (const char* name : {"hopper/wgmma.m64n24k16.f32.f16.f16", "hopper/wgmma.m64n256k32.f16.e4m3.e4m3"})
        all.push_back(cuda_instruction(name, {9, 0}));
    for (const char* name :
         {"blackwell/tcgen05.mma.m128n48k16.f32.f16.f16", "blackwell/tcgen05.mma.m128n8k16.f32.f16.f16",
          "blackwell/tcgen05.mma.m64n256k8.f32.tf32.tf32",
          "blackwell/tcgen05.mma.m128n128k64.block16.f32.e2m1.e2m1.ue4m3"})
        all.push_back(cuda_instruction(name, {10, 0}));
    return all;
}

} // namespace discern::testing
