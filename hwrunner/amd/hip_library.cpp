#include "hip_library.hpp"

#include "hwrunner/matrix_target.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern {

HipRuntime::HipRuntime(const HipFiles& files) : library_(files.runtime, "AMD's HIP runtime") {
    properties = library_.optional_function<int(void*, int)>("hipGetDevicePropertiesR0600");
    if (properties == nullptr) properties = library_.named("hipGetDeviceProperties");
}

void HipRuntime::require(int error, const char* call) const {
    if (error == 0) return;
    const char* text = error_text(error);
    throw DeviceError(sentence(call, ": ", text == nullptr ? "error " + std::to_string(error) : std::string(text)));
}

std::string compile_hip(const HipFiles& files, const std::string& source, const std::string& architecture) {
    const DynamicLibrary library(files.compiler, "AMD's compiler hiprtc");
    const auto create =
        library.function<int(void**, const char*, const char*, int, const char**, const char**)>("hiprtcCreateProgram");
    const auto compile = library.function<int(void*, int, const char**)>("hiprtcCompileProgram");
    const auto log_size = library.function<int(void*, std::size_t*)>("hiprtcGetProgramLogSize");
    const auto get_log = library.function<int(void*, char*)>("hiprtcGetProgramLog");
    const auto code_size = library.function<int(void*, std::size_t*)>("hiprtcGetCodeSize");
    const auto get_code = library.function<int(void*, char*)>("hiprtcGetCode");
    const auto destroy = library.function<int(void**)>("hiprtcDestroyProgram");
    const auto require = [](int error, std::string_view call, const std::string& log) {
        if (error == 0) return;
        throw Error(sentence(call, " failed with error ", error, log.empty() ? "" : ": " + excerpt(log, 400)));
    };
    void* program = nullptr;
    require(create(&program, source.c_str(), "discern.hip", 0, nullptr, nullptr), "hiprtcCreateProgram", "");
    const std::string option = "--offload-arch=" + architecture;
    const char* options[] = {option.c_str(), "-O2"};
    const int error = compile(program, 2, options);
    std::string log, code;
    std::size_t size = 0;
    if (error != 0 && log_size(program, &size) == 0 && size > 1) {
        log.resize(size);
        if (get_log(program, log.data()) != 0) log.clear();
        log.erase(log.find_last_not_of(std::string_view("\0\n ", 3)) + 1);
    }
    int code_error = 0;
    if (error == 0) {
        code_error = code_size(program, &size);
        if (code_error == 0) {
            code.resize(size);
            code_error = get_code(program, code.data());
        }
    }
    destroy(&program);
    require(error, "hiprtcCompileProgram", log);
    require(code_error, "hiprtcGetCode", "");
    return code;
}

} // namespace discern
