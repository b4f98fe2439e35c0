// The part of HIP that exported programs use, for g++: the host's side is compiled and run, the kernel is the fake GPU's.
#pragma once

#include <cstddef>
#include <cstring>

typedef int hipError_t;
enum { hipSuccess = 0, hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 };
struct dim3 {
    unsigned x;
    explicit dim3(unsigned n) : x(n) {}
};
struct hipDeviceProp_t {
    char name[256];
    char others[904];
    char gcnArchName[256];
};

extern "C" {
hipError_t hipSetDevice(int);
hipError_t hipGetDevicePropertiesR0600(void*, int);
hipError_t hipDriverGetVersion(int*);
hipError_t hipRuntimeGetVersion(int*);
hipError_t hipMalloc(void**, size_t);
hipError_t hipDeviceSynchronize();
const char* hipGetErrorString(int);
void fake_hip_launch(const char*, unsigned, const void*, const void*, const void*, void*);
}

inline hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
    return hipGetDevicePropertiesR0600(properties, device);
}
inline hipError_t hipGetLastError() { return hipSuccess; }
inline hipError_t hipMemcpy(void* to, const void* from, size_t bytes, int) {
    std::memcpy(to, from, bytes);
    return hipSuccess;
}

// Attributes of the kernel that only HIP knows, and the builtin's name, come from the command line.
#define hipLaunchKernelGGL(kernel, blocks, threads, shared, stream, a, b, c, d)                                        \
    ((void)(kernel), fake_hip_launch(FAKE_BUILTIN, (blocks).x, a, b, c, d))
