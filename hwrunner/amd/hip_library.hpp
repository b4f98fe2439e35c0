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
    DynamicLibrary library_;

  public:
    /// @throws Error if there is no such library, or it lacks a function
    explicit HipRuntime(const HipFiles& files);

    int (*device_count)(int*) = library_.named("hipGetDeviceCount");
    int (*set_device)(int) = library_.named("hipSetDevice");
    int (*device_name)(char*, int, int) = library_.named("hipDeviceGetName");
    int (*properties)(void*, int); ///< writes a struct whose layout differs between versions
    int (*driver_version)(int*) = library_.named("hipDriverGetVersion");
    int (*runtime_version)(int*) = library_.named("hipRuntimeGetVersion");
    int (*load_module)(void**, const void*) = library_.named("hipModuleLoadData");
    int (*get_function)(void**, void*, const char*) = library_.named("hipModuleGetFunction");
    int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                  void**) = library_.named("hipModuleLaunchKernel");
    int (*synchronize)() = library_.named("hipDeviceSynchronize");
    int (*allocate)(void**, std::size_t) = library_.named("hipMalloc");
    int (*release)(void*) = library_.named("hipFree");
    int (*copy_to_device)(void*, void*, std::size_t) = library_.named("hipMemcpyHtoD");
    int (*copy_from_device)(void*, void*, std::size_t) = library_.named("hipMemcpyDtoH");
    const char* (*error_text)(int) = library_.named("hipGetErrorString");

    /// @throws DeviceError "CALL: what the runtime says" unless the number is 0
    void require(int error, const char* call) const;
};

/// Compiles source text for a GPU.
/// @param architecture  as the GPU calls itself: "gfx90a:sramecc+:xnack-"
/// @return the code object
/// @throws Error if there is no compiler, or with what it says of the source
std::string compile_hip(const HipFiles& files, const std::string& source, const std::string& architecture);

} // namespace discern
