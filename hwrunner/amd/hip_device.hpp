// An mfma instruction of an AMD GPU.
#pragma once

#include "hip_library.hpp"
#include "hwrunner/matrix_target.hpp"

#include <memory>
#include <string>

namespace discern {

/// What the runtime says of the GPUs that there are. To be asked in a process of its own (ask_in_process): the driver
/// does not survive a fork.
/// @return a line each: what it calls itself ("gfx90a:sramecc+:xnack-"), a blank, and its name
/// @throws Error if there is no runtime, or no GPU
std::string list_hip_devices(const HipFiles& files = {});

/// @param number       of the device, from 0
/// @param instruction  "v_mfma_f32_16x16x16_f16"
/// @throws Error if there is no such device, it does not have the instruction, or the compiled code does not contain
/// it;
///         DeviceError if the driver fails
std::unique_ptr<MatrixDevice> open_hip_device(int number, const std::string& instruction, const HipFiles& files = {});

} // namespace discern
