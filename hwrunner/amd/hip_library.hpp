// AMD's HIP runtime and its compiler hiprtc, as far as we need them, found at run time.
//
// The declarations are those of ROCm's hip_runtime_api.h and hiprtc.h, with the types that the calling convention sees.
#pragma once

#include "hwrunner/dynamic_library.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace discern {

/// Where the libraries are looked for, in order.
struct HipFiles {
    std::vector<std::string> runtime = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
                                        "/opt/rocm/lib/libamdhip64.so"};
    /// Old versions have the compiler in the runtime.
    std::vector<std::string> compiler = {"libhiprtc.so.7", "libhiprtc.so.6",   "libhiprtc.so.5",
                                         "libhiprtc.so",   "libamdhip64.so.5", "/opt/rocm/lib/libhiprtc.so"};
};

/// The runtime. Functions return an error number, 0 for success.
class HipRuntime {
  public:
    /// @throws Error if there is no such library, or it lacks a function
    explicit HipRuntime(const HipFiles& files);

    int (*device_count)(int*);
    int (*set_device)(int);
    int (*device_name)(char*, int, int);
    int (*properties)(void*, int); ///< writes a struct whose layout differs between versions
    int (*driver_version)(int*);
    int (*runtime_version)(int*);
    int (*load_module)(void**, const void*);
    int (*get_function)(void**, void*, const char*);
    int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
    int (*synchronize)();
    int (*allocate)(void**, std::size_t);
    int (*release)(void*);
    int (*copy_to_device)(void*, void*, std::size_t);
    int (*copy_from_device)(void*, void*, std::size_t);
    const char* (*error_text)(int);

    /// @throws DeviceError "CALL: what the runtime says" unless the number is 0
    void require(int error, const char* call) const;

  private:
    DynamicLibrary library_;

  public:
    const std::string& file() const { return library_.file(); }
};

/// Compiles source text for a GPU.
/// @param architecture  as the GPU calls itself: "gfx90a:sramecc+:xnack-"
/// @return the code object
/// @throws Error if there is no compiler, or with what it says of the source
std::string compile_hip(const HipFiles& files, const std::string& source, const std::string& architecture);

} // namespace discern
