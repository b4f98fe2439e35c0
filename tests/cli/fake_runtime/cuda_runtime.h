// As much of the CUDA runtime as an exported program uses, without a GPU: a launch writes what goes into the kernel to
// the file FAKE_GPU_IN, and takes what comes out of it from the file FAKE_GPU_OUT, if there is one.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define __global__
#define __launch_bounds__(threads)

using cudaError_t = int;
enum { cudaSuccess = 0, cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

struct cudaDeviceProp {
    char name[256];
    int major, minor;
};
struct dim3 {
    unsigned x;
    explicit dim3(unsigned count) : x(count) {}
};

struct FakeAllocation {
    void* address;
    std::size_t size;
};
static FakeAllocation fake_allocations[2]; // in, out
static int fake_count = 0;

inline const char* cudaGetErrorString(cudaError_t) { return "an error"; }
inline cudaError_t cudaDriverGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    std::strcpy(properties->name, "Fake GPU");
    properties->major = std::atoi(std::getenv("FAKE_GPU_MAJOR"));
    properties->minor = 0;
    return cudaSuccess;
}
inline cudaError_t cudaMalloc(void** address, std::size_t size) {
    *address = std::calloc(size, 1);
    fake_allocations[fake_count++] = {*address, size};
    return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, std::size_t size, int) {
    std::memcpy(to, from, size);
    return cudaSuccess;
}
inline cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, int) {
    if (std::FILE* in = std::fopen(std::getenv("FAKE_GPU_IN"), "wb")) {
        std::fwrite(fake_allocations[0].address, 1, fake_allocations[0].size, in);
        std::fclose(in);
    }
    if (std::FILE* out = std::fopen(std::getenv("FAKE_GPU_OUT"), "rb")) {
        const std::size_t got = std::fread(fake_allocations[1].address, 1, fake_allocations[1].size, out);
        std::fclose(out);
        return got == fake_allocations[1].size ? cudaSuccess : 1;
    }
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
