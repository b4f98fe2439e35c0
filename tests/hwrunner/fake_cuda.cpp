// libcuda.so.1 for tests; see fake_cuda.hpp. With FAKE_CUDA_OLD it lacks a function, as a driver that is too old does.
#include "fake_cuda.hpp"

#include "fake_cubin.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

using discern::cuda::Address;
using discern::cuda::Device;
using discern::cuda::Handle;
using discern::cuda::Result;
using discern::testing::FakeCuda;

namespace {

FakeCuda state;
std::string text;
std::vector<std::uint8_t> code;
char* error_log = nullptr;

constexpr Result ok = discern::cuda::success;
Handle some() { return &state; }
void* memory(Address address) { return reinterpret_cast<void*>(address); }

} // namespace

extern "C" {

FakeCuda* fake_cuda_state() { return &state; }

Result cuInit(unsigned) { return state.init; }
Result cuDriverGetVersion(int* version) {
    *version = 13000;
    return ok;
}
Result cuDeviceGetCount(int* count) {
    *count = state.devices;
    return ok;
}
Result cuDeviceGet(Device* device, int index) {
    *device = index;
    return ok;
}
Result cuDeviceGetName(char* name, int size, Device) {
    std::strncpy(name, "Fake GPU", static_cast<std::size_t>(size));
    return ok;
}
Result cuDeviceGetAttribute(int* value, int attribute, Device) {
    *value = attribute == 75 ? state.major : attribute == 76 ? state.minor : 2;
    return ok;
}
Result cuDevicePrimaryCtxRetain(Handle* context, Device) {
    *context = some();
    return ok;
}
Result cuCtxSetCurrent(Handle) { return ok; }
Result cuCtxSynchronize() { return ok; }
#ifndef FAKE_CUDA_OLD
Result cuLinkCreate_v2(unsigned count, int* options, void** values, Handle* link) {
    constexpr int option_error_log = 5;
    for (unsigned i = 0; i < count; ++i)
        if (options[i] == option_error_log) error_log = static_cast<char*>(values[i]);
    *link = some();
    return ok;
}
#endif
Result cuLinkAddData_v2(Handle, int, void* data, std::size_t size, const char*, unsigned, int*, void**) {
    text.assign(static_cast<const char*>(data), size - 1);
    if (state.link != ok && error_log != nullptr) std::strcpy(error_log, "line 7: no such instruction");
    return state.link;
}
Result cuLinkComplete(Handle, void** cubin, std::size_t* size) {
    code = discern::testing::fake_cubin("discern",
                                        std::vector<unsigned>(static_cast<std::size_t>(state.opcodes), state.opcode));
    *cubin = code.data();
    *size = code.size();
    return ok;
}
Result cuLinkDestroy(Handle) {
    code.assign(code.size(), 0); // reading it later is a mistake
    return ok;
}
Result cuModuleLoadData(Handle* module, const void*) {
    *module = some();
    return ok;
}
Result cuModuleGetFunction(Handle* function, Handle, const char*) {
    *function = some();
    return ok;
}
Result cuMemAlloc_v2(Address* address, std::size_t size) {
    if (size > state.memory) return 2; // out of memory
    *address = reinterpret_cast<Address>(std::malloc(size));
    return ok;
}
Result cuMemFree_v2(Address address) {
    std::free(memory(address));
    return ok;
}
Result cuMemcpyHtoD_v2(Address to, const void* from, std::size_t size) {
    std::memcpy(memory(to), from, size);
    return ok;
}
Result cuMemcpyDtoH_v2(void* to, Address from, std::size_t size) {
    std::memcpy(to, memory(from), size);
    return ok;
}
Result cuLaunchKernel(Handle, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned, unsigned,
                      Handle, void** parameters, void**) {
    if (state.launch_any != nullptr) return state.launch_any(text.c_str(), parameters, blocks, threads);
    const auto address = [&](int i) {
        return static_cast<std::uint8_t*>(memory(*static_cast<Address*>(parameters[i])));
    };
    return state.launch(text.c_str(), address(0), address(1), *static_cast<std::uint32_t*>(parameters[2]));
}
Result cuGetErrorName(Result result, const char** name) {
    *name = result == 719 ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_UNKNOWN";
    return ok;
}
Result cuGetErrorString(Result result, const char** description) {
    *description = result == 719 ? "unspecified launch failure" : "unknown error";
    return ok;
}

} // extern "C"
