// Which unit made which set of the public measurements of Khattak and Mikaitis.
//
// Their data set "MATLAB Tensor Core" (github.com/north-numerical-computing/MATLAB-tensor-core, directory
// model_validation) has 48 sets of outputs measured on eight NVIDIA GPUs. A set's name says the GPU and the formats,
// not the instruction; this table does. How it is known:
//   - f16, bf16 and tf32 sets were made with wmma, which is the warp-wide mma of the GPU. Only the first elements of K
//     are not +0, and as many are stored: {K=…} where that is fewer than the instruction has.
//   - fp8 sets were made with mma.sync, which the assembler expands through f16 on Hopper and Blackwell; the
//     sets of the H100 and H200 with f32 output were made with wgmma.
// The data themselves are not in this repository.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace discern {

struct MeasuredSet {
    std::string_view gpu, input, output;
    std::string_view unit; ///< with overrides

    /// The set's file name without its suffix: "H100_e4m3_f32".
    std::string name() const;
};

/// The 48 sets, by GPU.
std::span<const MeasuredSet> measured_sets();

inline constexpr std::string_view measured_source =
    "F. A. Khattak and M. Mikaitis, MATLAB Tensor Core, model_validation: "
    "github.com/north-numerical-computing/MATLAB-tensor-core";
inline constexpr std::string_view measured_revision = "b12b5a700957655375a1b0c1d0c26e76065da015";
inline constexpr std::string_view measured_licence = "BSD-2-Clause";

} // namespace discern
