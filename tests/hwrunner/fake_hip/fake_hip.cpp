// A HIP runtime for tests, whose GPU is the program `discern eval`: it takes the wave's registers apart, as a GPU
// would, and asks for each dot product. Environment variables:
//   DISCERN_FAKE_HIP          what goes wrong: no-device, launch-failure, lost, lost-once, wrong, place, blocks, hang
//   DISCERN_FAKE_HIP_GFX      what the GPU calls itself (gfx90a:sramecc+:xnack-)
//   DISCERN_FAKE_HIP_UNIT     the unit that it computes; by default the catalogue's of that instruction
//   DISCERN_FAKE_HIP_PROGRAM  the program discern
//   DISCERN_FAKE_HIP_STATE    a file whose existence means that the GPU has been lost
#include "hwrunner/amd/mfma_instructions.hpp"
#include "scenario.hpp"
#include "simulated_wave.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <unistd.h>

namespace {

using namespace discern::testing;

std::string gfx() { return from_environment("DISCERN_FAKE_HIP_GFX", "gfx90a:sramecc+:xnack-"); }
std::string state_file() { return from_environment("DISCERN_FAKE_HIP_STATE", "/nonexistent/state"); }

constexpr int success = 0, launch_failed = 719, no_device = 100, device_lost = 709;
int launches = 0;

/// The unit whose instruction that builtin is.
std::string unit_of(const std::string& builtin) {
    const auto architecture = discern::cdna_from_gfx(gfx());
    for (const discern::MfmaInstruction& instruction : discern::mfma_instructions())
        if (architecture && instruction.builtin == builtin)
            return std::string(catalogue_name(*architecture)) + "/" + instruction.name(*architecture);
    return "";
}

std::string hex(std::uint64_t value, int bits) {
    char text[20];
    std::snprintf(text, sizeof text, "%0*llx", bits / 4, static_cast<unsigned long long>(value));
    return text;
}

/// d of each, by `discern eval UNIT FILE --text`.
std::vector<std::uint64_t> evaluate(const SimulatedMfma& mfma, const std::string& unit, const std::vector<Dot>& dots) {
    std::string path = (std::filesystem::temp_directory_path() / "discern-fake-XXXXXX").string();
    ::close(::mkstemp(path.data()));
    {
        std::ofstream file(path);
        for (const Dot& dot : dots) {
            for (const std::uint64_t pattern : dot.a) file << hex(pattern, mfma.bits) << ' ';
            for (const std::uint64_t pattern : dot.b) file << hex(pattern, mfma.bits) << ' ';
            file << hex(dot.c, mfma.result_bits) << '\n';
        }
    }
    const std::string command =
        from_environment("DISCERN_FAKE_HIP_PROGRAM", "discern") + " eval '" + unit + "' " + path + " --text";
    std::FILE* const pipe = ::popen(command.c_str(), "r");
    std::vector<std::uint64_t> results;
    std::string line;
    for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) {
        if (letter != '\n') {
            line += static_cast<char>(letter);
            continue;
        }
        results.push_back(std::stoull(line.substr(line.rfind(' ') + 1), nullptr, 16));
        line.clear();
    }
    ::pclose(pipe);
    std::filesystem::remove(path);
    if (results.size() != dots.size()) std::cerr << "the fake GPU has no unit " << unit << '\n';
    results.resize(dots.size());
    return results;
}

/// What goes wrong with a result.
std::uint64_t spoilt(std::uint64_t d, int lane, int item, const SimulatedMfma& mfma) {
    const std::string what = scenario();
    const bool here = what == "wrong" || (what == "place" && lane == 5) ||
                      (what == "blocks" && result_element(mfma, lane, item).block == 1);
    return here ? d ^ 1 : d;
}

int lose() {
    std::ofstream(state_file()) << "lost\n";
    return device_lost;
}

void compute(const std::string& builtin, unsigned waves, const unsigned char* a, const unsigned char* b,
             const unsigned char* c, unsigned char* d) {
    const SimulatedMfma mfma(builtin);
    const std::string unit = from_environment("DISCERN_FAKE_HIP_UNIT", unit_of(builtin));
    const auto operand_bytes = static_cast<std::size_t>(64 * mfma.items * mfma.bits / 8);
    const auto result_bytes = static_cast<std::size_t>(64 * mfma.result_items * mfma.result_bits / 8);
    std::vector<Dot> dots;
    for (unsigned wave = 0; wave < waves; ++wave) {
        const auto more =
            dots_of_wave(mfma, a + wave * operand_bytes, b + wave * operand_bytes, c + wave * result_bytes);
        dots.insert(dots.end(), more.begin(), more.end());
    }
    const std::vector<std::uint64_t> results = evaluate(mfma, unit, dots);
    const auto wide = static_cast<std::size_t>(mfma.result_bits / 8);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const int in_wave = static_cast<int>(i % (result_bytes / wide));
        const std::uint64_t value = spoilt(results[i], in_wave / mfma.result_items, in_wave % mfma.result_items, mfma);
        std::memcpy(d + i * wide, &value, wide);
    }
}

} // namespace

extern "C" {

int hipGetDeviceCount(int* count) {
    *count = 0;
    if (std::filesystem::exists(state_file()) && scenario() == "lost") return no_device;
    if (scenario() == "no-device") return no_device;
    *count = 1;
    return success;
}
int hipSetDevice(int) { return success; }
int hipDeviceGetName(char* name, int length, int) {
    std::snprintf(name, static_cast<std::size_t>(length), "a fake GPU");
    return success;
}
int hipGetDevicePropertiesR0600(void* properties, int) {
    std::strcpy(static_cast<char*>(properties), "a fake GPU");
    std::strcpy(static_cast<char*>(properties) + 1160, gfx().c_str());
    return success;
}
int hipDriverGetVersion(int* version) {
    *version = 60032830;
    return success;
}
int hipRuntimeGetVersion(int* version) { return hipDriverGetVersion(version); }
int hipModuleLoadData(void** module, const void* image) {
    *module = new std::string(static_cast<const char*>(image) + 64); // where the fake compiler puts the builtin
    return success;
}
int hipModuleGetFunction(void** function, void* module, const char* name) {
    *function = module;
    return std::string(name) == "discern_mfma" ? success : 500;
}
int hipModuleLaunchKernel(void* function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                          unsigned, void*, void** arguments, void**) {
    if (scenario() == "launch-failure" || threads != 64) return launch_failed;
    ++launches;
    if (scenario() == "lost" && launches > 17) return lose();
    if (scenario() == "lost-once" && launches > 17 && !std::filesystem::exists(state_file())) return lose();
    const auto pointer = [&](int i) { return *static_cast<unsigned char**>(arguments[i]); };
    compute(*static_cast<std::string*>(function), blocks, pointer(0), pointer(1), pointer(2), pointer(3));
    return success;
}
int hipDeviceSynchronize() {
    if (scenario() == "hang") ::sleep(600);
    return success;
}
#ifndef FAKE_WITHOUT_MALLOC
int hipMalloc(void** at, std::size_t bytes) {
    *at = std::malloc(bytes);
    return success;
}
#endif
int hipFree(void* at) {
    std::free(at);
    return success;
}
int hipMemcpyHtoD(void* to, void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    return success;
}
int hipMemcpyDtoH(void* to, void* from, std::size_t bytes) { return hipMemcpyHtoD(to, from, bytes); }
const char* hipGetErrorString(int error) {
    return error == launch_failed ? "unspecified launch failure"
           : error == no_device   ? "no ROCm-capable device is detected"
                                  : "the device was lost";
}

/// For exported programs, whose kernels no compiler of ours runs: a launch by the builtin's name.
void fake_hip_launch(const char* builtin, unsigned waves, const void* a, const void* b, const void* c, void* d) {
    compute(builtin, waves, static_cast<const unsigned char*>(a), static_cast<const unsigned char*>(b),
            static_cast<const unsigned char*>(c), static_cast<unsigned char*>(d));
}
}
