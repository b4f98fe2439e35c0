// libcuda.so.1 for tests; see fake_cuda.hpp. With FAKE_CUDA_OLD it lacks a function, as a driver that is too old does.
#include "fake_cuda.hpp"

#include "device_pipe.hpp"
#include "fake_cubin.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <string>

#include <spawn.h>
#include <unistd.h>

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

Handle some() { return &state; }

constexpr Address first_address = Address(1) << 33, granule = 1 << 20;
/// Of the device: addresses that mean nothing here, with a gap behind each array.
std::map<Address, std::vector<std::uint8_t>> arrays;

std::uint8_t* memory(Address address) {
    const auto behind = arrays.upper_bound(address);
    if (behind == arrays.begin()) return nullptr;
    auto& [begin, bytes] = *std::prev(behind);
    return address - begin < bytes.size() ? bytes.data() + (address - begin) : nullptr;
}

constexpr Result ok = discern::cuda::success, no_memory = 2, bad_value = 1, launch_failed = 719;
std::string failure; ///< of the last launch

/// Bytes of each parameter of the entry, by what stands between its parentheses.
std::vector<std::size_t> parameter_sizes() {
    const std::size_t begin = text.find('(', text.find(".entry")), end = text.find(')', begin);
    std::vector<std::size_t> sizes;
    for (std::size_t at = begin; at < end;) {
        const std::size_t next = std::min(text.find(',', at + 1), end);
        const std::string one = text.substr(at + 1, next - at - 1);
        const std::size_t bracket = one.find('[');
        sizes.push_back(bracket != std::string::npos           ? std::stoul(one.substr(bracket + 1))
                        : one.find("64 ") != std::string::npos ? 8
                                                               : 4);
        at = next;
    }
    return sizes;
}

/// The process that is the device; one for each process that launches.
class DeviceProcess {
  public:
    DeviceProcess() {
        int there[2], back[2];
        if (pipe(there) != 0 || pipe(back) != 0) std::abort();
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, there[0], 0);
        posix_spawn_file_actions_adddup2(&actions, back[1], 1);
        for (const int file : {there[0], there[1], back[0], back[1]}) posix_spawn_file_actions_addclose(&actions, file);
        char name[] = DISCERN_FAKE_DEVICE;
        char* const arguments[] = {name, nullptr};
        pid_t child = 0;
        if (posix_spawn(&child, name, &actions, nullptr, arguments, environ) != 0) std::abort();
        posix_spawn_file_actions_destroy(&actions);
        close(there[0]);
        close(back[1]);
        pipe_.emplace(back[0], there[1]);
    }
    pid_t owner() const { return owner_; }
    bool launch(const discern::testing::DeviceRequest& request, discern::testing::DeviceAnswer& answer) {
        return pipe_->send(request) && pipe_->receive(answer);
    }

  private:
    pid_t owner_ = getpid();
    std::optional<discern::testing::DevicePipe> pipe_;
};

Result launch_on_device(unsigned blocks, unsigned threads, void** parameters) {
    static std::optional<DeviceProcess> device;
    if (!device || device->owner() != getpid()) device.emplace();
    discern::testing::DeviceRequest request{.text = text, .blocks = blocks, .threads = threads};
    const std::vector<std::size_t> sizes = parameter_sizes();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto* const bytes = static_cast<const std::uint8_t*>(parameters[i]);
        request.parameters.insert(request.parameters.end(), bytes, bytes + sizes[i]);
    }
    for (const auto& [address, bytes] : arrays) request.arrays.push_back({address, bytes});
    discern::testing::DeviceAnswer answer;
    failure = "the device has ended";
    if (!device->launch(request, answer)) return launch_failed;
    failure = answer.error;
    if (!failure.empty()) return launch_failed;
    for (const auto& [address, bytes] : answer.arrays) arrays[address] = bytes;
    if (state.after != nullptr) state.after(parameters, memory);
    return ok;
}

/// "10.0" of the environment; else what the test says.
int capability(bool major) {
    const char* const set = std::getenv("DISCERN_FAKE_CAPABILITY");
    if (set == nullptr) return major ? state.major : state.minor;
    const char* const dot = std::strchr(set, '.');
    return std::atoi(major || dot == nullptr ? set : dot + 1);
}

} // namespace

extern "C" {

FakeCuda* fake_cuda_state() { return &state; }

Result cuInit(unsigned) { return state.init; }
Result cuDriverGetVersion(int* version) {
    *version = state.version;
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
    *value = attribute == 75 || attribute == 76 ? capability(attribute == 75) : 2;
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
    if (size > state.memory) return no_memory;
    *address = first_address;
    if (!arrays.empty())
        *address = (arrays.rbegin()->first + arrays.rbegin()->second.size() + 2 * granule - 1) / granule * granule;
    arrays[*address].resize(std::max<std::size_t>(size, 1));
    return ok;
}
Result cuMemFree_v2(Address address) { return arrays.erase(address) == 1 || address == 0 ? ok : bad_value; }
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
    if (state.launch == nullptr) return launch_on_device(blocks, threads, parameters);
    const auto address = [&](int i) { return memory(*static_cast<Address*>(parameters[i])); };
    failure.clear();
    return state.launch(text.c_str(), address(0), address(1), *static_cast<std::uint32_t*>(parameters[2]));
}
Result cuGetErrorName(Result result, const char** name) {
    *name = result == launch_failed ? "CUDA_ERROR_LAUNCH_FAILED" : "CUDA_ERROR_UNKNOWN";
    return ok;
}
Result cuGetErrorString(Result result, const char** description) {
    *description = result != launch_failed ? "unknown error"
                   : failure.empty()       ? "unspecified launch failure"
                                           : failure.c_str();
    return ok;
}

} // extern "C"
