// The HIP kernel of an mfma instruction, as source text: registers in, registers out, one instruction a wave.
//
// The kernel knows nothing of matrices; where an element goes is mfma_layout's business. It is compiled by hiprtc on
// the user's machine, by hipcc from an exported program, or by clang alone.
#pragma once

#include "mfma_instructions.hpp"

#include <string>

namespace discern {

inline constexpr const char* hip_kernel_name = "discern_mfma";

/// extern "C" kernel discern_mfma(const Operand* a, const Operand* b, const Result* c, Result* d), to be launched with
/// 64 threads a block, a block for each instruction. Needs no header.
std::string hip_kernel(const MfmaInstruction& instruction);

} // namespace discern
