// A kernel on numbers, as a GPU runs it: memory holds bytes, and matrix instructions are computed by the models. The
// machine is that of launches on unknown data.
#pragma once

#include "programs/evaluate/unit_numbers.hpp"
#include "programs/ptx/program.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace discern::programs {

/// An array in the memory of a device.
struct DeviceArray {
    std::uint64_t address = 0; ///< at which kernels find it
    std::span<std::uint8_t> bytes;
};

struct DeviceLaunch {
    std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::uint64_t shared = 0;                 ///< dynamic, in bytes
    std::span<const std::uint8_t> parameters; ///< the bytes of all, one after the other
};

class LoadedKernel {
  public:
    /// @param file  the name of the text, for errors @throws Error
    LoadedKernel(std::string ptx, const std::string& file);

    /// Runs all blocks. @throws Error with file, line and instruction; arrays are then as they were
    void launch(const DeviceLaunch& launch, std::span<const DeviceArray> arrays);

  private:
    std::unique_ptr<const Program> program_;
    UnitNumbers numbers_;
};

} // namespace discern::programs
