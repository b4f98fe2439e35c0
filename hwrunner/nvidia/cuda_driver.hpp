// The part of the CUDA driver API that running a kernel takes, reached by dlopen: no toolkit is needed to build or run.
//
// The types are those of the driver's interface, spelled out because its header is not always there; the entry points
// are the versioned ones that the header's macros would choose.
#pragma once

#include "cuda_instruction.hpp"
#include "hwrunner/dynamic_library.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace discern {

namespace cuda {
using Result = int;
using Device = int;
using Handle = void*;          ///< contexts, modules, functions, streams, states of the linker
using Address = std::uint64_t; ///< of device memory

inline constexpr Result success = 0, no_device = 100;
} // namespace cuda

/// Where the driver is looked for: DISCERN_CUDA_LIBRARY of the environment, or the system's libcuda.so.1.
std::vector<std::string> cuda_library_files();

struct CudaDeviceInfo {
    std::string name; ///< "NVIDIA H200"
    Capability capability;
    int multiprocessors = 1;
};

/// The driver, initialised. Not to be made in a process that forks afterwards.
class CudaDriver {
  public:
    /// @throws Error if there is no driver, it is too old, or there is no device: the reason alone
    explicit CudaDriver(std::span<const std::string> files);
    ~CudaDriver();

    /// "580.82.07 (CUDA 13.0)", or the part that is known.
    std::string version() const;
    /// Of CUDA, as cuDriverGetVersion has it: 12040 is 12.4.
    int cuda_version() const;
    int devices() const { return devices_; }
    /// @throws DeviceError
    CudaDeviceInfo info(int index) const;

    /// Makes the device the one that all that follows is about. @throws DeviceError
    void use(int index);
    /// Translates and links PTX. @param machine_alone  the text is for this machine and no later one: sm_90a
    /// @return the code, a cubin. @throws DeviceError with what the driver says of the text
    std::vector<std::uint8_t> assemble(const std::string& text, std::optional<Capability> machine_alone = std::nullopt);
    /// Loads the code for run(). @throws DeviceError
    void load(std::span<const std::uint8_t> cubin, std::string_view kernel);
    /// Runs the loaded kernel as kernel(in, out, count). @throws DeviceError
    void run(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, std::uint32_t count, unsigned blocks,
             unsigned threads);

    // ---- the same in steps, each a DeviceError if it fails

    /// Memory of the device. The caller gives it back.
    cuda::Address allocate(std::size_t size);
    void release(cuda::Address address) noexcept;
    void copy_to(cuda::Address to, std::span<const std::uint8_t> from);
    void copy_from(std::span<std::uint8_t> to, cuda::Address from);
    /// Runs the loaded kernel to its end. @param parameters  pointers to them
    void launch(unsigned blocks, unsigned threads, std::span<void*> parameters);

  private:
    struct Functions;
    struct Buffer {
        cuda::Address address = 0;
        std::size_t size = 0;
    };
    void check(cuda::Result result, const char* function) const;
    void reserve(Buffer& buffer, std::size_t size);

    DynamicLibrary library_;
    std::unique_ptr<const Functions> call_;
    int devices_ = 0;
    cuda::Handle kernel_ = nullptr;
    Buffer in_, out_;
};

} // namespace discern
