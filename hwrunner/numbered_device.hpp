// Names of targets that are instructions of numbered devices, "cuda:0/mma.m16n8k16.f32.f16.f16.f32".
#pragma once

#include "matrix_target.hpp"

#include <functional>
#include <memory>
#include <string>

namespace discern {

/// A device by its number, running that instruction. @throws Error if there is none
using OpenNumbered = std::function<std::unique_ptr<MatrixDevice>(int number, const std::string& instruction)>;

/// @param kind     with its colon: "cuda:"
/// @param rest     what a user wrote behind that: "0/INSTRUCTION"
/// @param example  an instruction, for the sentence if that cannot be read
/// @throws Error if it cannot be read, or the device cannot be opened ("unavailable: …")
std::unique_ptr<Target> make_numbered_target(const std::string& kind, const std::string& rest,
                                             const std::string& example, const OpenNumbered& open,
                                             const MatrixOptions& options);

} // namespace discern
