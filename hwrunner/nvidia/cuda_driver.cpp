#include "cuda_driver.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <array>
#include <cstdlib>
#include <fstream>

namespace discern {

using cuda::Address;
using cuda::Device;
using cuda::Handle;
using cuda::Result;

/// The driver's functions, by their names without "cu".
struct CudaDriver::Functions {
    const DynamicLibrary& library;

    Result (*Init)(unsigned flags) = library.named("cuInit");
    Result (*DriverGetVersion)(int* version) = library.named("cuDriverGetVersion");
    Result (*DeviceGetCount)(int* count) = library.named("cuDeviceGetCount");
    Result (*DeviceGet)(Device* device, int index) = library.named("cuDeviceGet");
    Result (*DeviceGetName)(char* name, int size, Device device) = library.named("cuDeviceGetName");
    Result (*DeviceGetAttribute)(int* value, int attribute, Device device) = library.named("cuDeviceGetAttribute");
    Result (*DevicePrimaryCtxRetain)(Handle* context, Device device) = library.named("cuDevicePrimaryCtxRetain");
    Result (*CtxSetCurrent)(Handle context) = library.named("cuCtxSetCurrent");
    Result (*CtxSynchronize)() = library.named("cuCtxSynchronize");
    Result (*LinkCreate)(unsigned count, int* options, void** values, Handle* state) = library.named("cuLinkCreate_v2");
    Result (*LinkAddData)(Handle state, int type, void* data, std::size_t size, const char* name, unsigned count,
                          int* options, void** values) = library.named("cuLinkAddData_v2");
    Result (*LinkComplete)(Handle state, void** cubin, std::size_t* size) = library.named("cuLinkComplete");
    Result (*LinkDestroy)(Handle state) = library.named("cuLinkDestroy");
    Result (*ModuleLoadData)(Handle* module, const void* image) = library.named("cuModuleLoadData");
    Result (*ModuleGetFunction)(Handle* function, Handle module,
                                const char* name) = library.named("cuModuleGetFunction");
    Result (*MemAlloc)(Address* address, std::size_t size) = library.named("cuMemAlloc_v2");
    Result (*MemFree)(Address address) = library.named("cuMemFree_v2");
    Result (*MemcpyHtoD)(Address to, const void* from, std::size_t size) = library.named("cuMemcpyHtoD_v2");
    Result (*MemcpyDtoH)(void* to, Address from, std::size_t size) = library.named("cuMemcpyDtoH_v2");
    Result (*LaunchKernel)(Handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                           unsigned block_y, unsigned block_z, unsigned shared, Handle stream, void** parameters,
                           void** extra) = library.named("cuLaunchKernel");
    Result (*GetErrorName)(Result result, const char** name) = library.named("cuGetErrorName");
    Result (*GetErrorString)(Result result, const char** text) = library.named("cuGetErrorString");
};

namespace {

// Of the driver's interface.
constexpr int attribute_multiprocessors = 16, attribute_major = 75, attribute_minor = 76;
constexpr int input_is_ptx = 1;
constexpr int option_error_log = 5, option_error_log_size = 6, option_target = 9;
constexpr int machine_alone_flag = 0x10000; ///< of option_target: the "a" of sm_90a

/// The version of the kernel's part of the driver, where the system says it; or empty.
std::string kernel_driver_version() {
    std::ifstream file("/proc/driver/nvidia/version");
    std::string line, word;
    std::getline(file, line);
    for (std::size_t at = 0; at < line.size();) { // the first word of digits and dots
        const std::size_t end = std::min(line.find(' ', at), line.size());
        word = line.substr(at, end - at);
        if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
            return word;
        at = end + 1;
    }
    return "";
}

} // namespace

std::vector<std::string> cuda_library_files() {
    const char* const set = std::getenv("DISCERN_CUDA_LIBRARY");
    if (set != nullptr && *set != '\0') return {set};
    return {"libcuda.so.1"};
}

CudaDriver::CudaDriver(std::span<const std::string> files)
    : library_(files, "the NVIDIA driver"), call_(std::unique_ptr<const Functions>(new Functions{library_})) {
    const Result result = call_->Init(0);
    if (result == cuda::no_device) throw Error("there is no NVIDIA GPU");
    try {
        check(result, "cuInit");
        check(call_->DeviceGetCount(&devices_), "cuDeviceGetCount");
    } catch (const DeviceError& error) {
        throw Error(sentence("the NVIDIA driver does not work: ", error.what()));
    }
    if (devices_ == 0) throw Error("there is no NVIDIA GPU");
}

CudaDriver::~CudaDriver() = default; // the process ends with the driver, and takes everything back

void CudaDriver::check(Result result, const char* function) const {
    if (result == cuda::success) return;
    const char *name = nullptr, *text = nullptr;
    call_->GetErrorName(result, &name);
    call_->GetErrorString(result, &text);
    throw DeviceError(sentence(function, " gave ", name == nullptr ? std::to_string(result) : name,
                               text == nullptr ? "" : sentence(" (", text, ")")));
}

int CudaDriver::cuda_version() const {
    int number = 0;
    check(call_->DriverGetVersion(&number), "cuDriverGetVersion");
    return number;
}

std::string CudaDriver::version() const {
    const int number = cuda_version();
    const std::string api = sentence("CUDA ", number / 1000, ".", number % 1000 / 10), kernel = kernel_driver_version();
    return kernel.empty() ? api : sentence(kernel, " (", api, ")");
}

CudaDeviceInfo CudaDriver::info(int index) const {
    Device device = 0;
    check(call_->DeviceGet(&device, index), "cuDeviceGet");
    std::array<char, 256> name{};
    check(call_->DeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device), "cuDeviceGetName");
    const auto attribute = [&](int which) {
        int value = 0;
        check(call_->DeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
        return value;
    };
    return {.name = name.data(),
            .capability = {attribute(attribute_major), attribute(attribute_minor)},
            .multiprocessors = attribute(attribute_multiprocessors)};
}

void CudaDriver::use(int index) {
    Device device = 0;
    Handle context = nullptr;
    check(call_->DeviceGet(&device, index), "cuDeviceGet");
    check(call_->DevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
    check(call_->CtxSetCurrent(context), "cuCtxSetCurrent");
}

std::vector<std::uint8_t> CudaDriver::assemble(const std::string& text, std::optional<Capability> machine_alone) {
    std::array<char, 4096> log{};
    // Numbers travel in the values' pointers.
    const auto number = [](std::uintptr_t value) { return reinterpret_cast<void*>(value); };
    std::vector<int> options = {option_error_log, option_error_log_size};
    std::vector<void*> values = {log.data(), number(log.size() - 1)};
    if (machine_alone) {
        options.push_back(option_target);
        values.push_back(
            number(static_cast<std::uintptr_t>(machine_alone_flag + machine_alone->major * 10 + machine_alone->minor)));
    }
    Handle state = nullptr;
    check(call_->LinkCreate(static_cast<unsigned>(options.size()), options.data(), values.data(), &state),
          "cuLinkCreate");
    std::string source = text; // with its final zero, which belongs to it
    void* code = nullptr;
    std::size_t size = 0;
    Result result =
        call_->LinkAddData(state, input_is_ptx, source.data(), source.size() + 1, "discern.ptx", 0, nullptr, nullptr);
    const char* const function = result == cuda::success ? "cuLinkComplete" : "cuLinkAddData";
    if (result == cuda::success) result = call_->LinkComplete(state, &code, &size);
    std::vector<std::uint8_t> cubin;
    if (result == cuda::success) {
        const auto* const bytes = static_cast<const std::uint8_t*>(code);
        cubin.assign(bytes, bytes + size);
    }
    call_->LinkDestroy(state); // and the code with it
    try {
        check(result, function);
    } catch (const DeviceError& error) {
        throw DeviceError(sentence(error.what(), log[0] == '\0' ? "" : ", which says ",
                                   log[0] == '\0' ? "" : excerpt(log.data(), 300)));
    }
    return cubin;
}

void CudaDriver::load(std::span<const std::uint8_t> cubin, std::string_view kernel) {
    Handle module = nullptr;
    check(call_->ModuleLoadData(&module, cubin.data()), "cuModuleLoadData");
    check(call_->ModuleGetFunction(&kernel_, module, std::string(kernel).c_str()), "cuModuleGetFunction");
}

void CudaDriver::reserve(Buffer& buffer, std::size_t size) {
    if (buffer.size >= size) return;
    if (buffer.address != 0) check(call_->MemFree(buffer.address), "cuMemFree");
    buffer = {};
    buffer.address = allocate(size);
    buffer.size = size;
}

void CudaDriver::run(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, std::uint32_t count,
                     unsigned blocks, unsigned threads) {
    reserve(in_, in.size());
    reserve(out_, out.size());
    copy_to(in_.address, in);
    std::array<void*, 3> parameters = {&in_.address, &out_.address, &count};
    launch(blocks, threads, parameters);
    copy_from(out, out_.address);
}

Address CudaDriver::allocate(std::size_t size) {
    Address address = 0;
    check(call_->MemAlloc(&address, size), "cuMemAlloc");
    return address;
}

void CudaDriver::release(Address address) noexcept { call_->MemFree(address); }

void CudaDriver::copy_to(Address to, std::span<const std::uint8_t> from) {
    check(call_->MemcpyHtoD(to, from.data(), from.size()), "cuMemcpyHtoD");
}

void CudaDriver::copy_from(std::span<std::uint8_t> to, Address from) {
    check(call_->MemcpyDtoH(to.data(), from, to.size()), "cuMemcpyDtoH");
}

void CudaDriver::launch(unsigned blocks, unsigned threads, std::span<void*> parameters) {
    check(call_->LaunchKernel(kernel_, blocks, 1, 1, threads, 1, 1, 0, nullptr, parameters.data(), nullptr),
          "cuLaunchKernel");
    check(call_->CtxSynchronize(), "cuCtxSynchronize");
}

} // namespace discern
