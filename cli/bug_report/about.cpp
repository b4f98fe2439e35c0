// Reads the compiler, the solvers, the system and the processor; whatever cannot be read is left out.
#include "about.hpp"

#include "models/unit/sentence.hpp"
#include "solver/backend/backend.hpp"

#include <array>
#include <fstream>
#include <string_view>
#include <thread>

#include <sys/utsname.h>
#include <unistd.h>

extern char** environ;

namespace discern::cli {

namespace {

std::string compiler() {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

std::string build() {
    std::string text = sentence(compiler(), ", C++ ", __cplusplus / 100 % 100);
#if defined(__OPTIMIZE__)
    text += ", optimised";
#endif
#if defined(__SANITIZE_ADDRESS__)
    text += ", with the address sanitizer";
#endif
    return text;
}

std::string solvers() {
    std::string text;
    for (const BackendKind& solver : backends())
        text += sentence(text.empty() ? "" : ", ", solver.name, " ", solver.version);
    return text.empty() ? "none" : text;
}

/// What stands behind "KEY" and `between` in the first line of the file that begins with the key.
std::string value_in(const char* file, std::string_view key, char between) {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(key)) continue;
        std::string value = line.substr(line.find(between) + 1);
        value.erase(0, value.find_first_not_of(" \t\""));
        while (!value.empty() && value.back() == '"') value.pop_back();
        return value;
    }
    return "";
}

std::string system_name() {
    utsname name{};
    if (uname(&name) != 0) return "not known";
    const std::string release = value_in("/etc/os-release", "PRETTY_NAME", '=');
    return sentence(release, release.empty() ? "" : ", ", name.sysname, " ", name.release, " ", name.machine);
}

/// The vector instructions that decide which kernels are used.
std::string vector_instructions() {
    static constexpr std::array<std::string_view, 7> known = {"fma",      "avx2",        "avx512f",    "avx512vl",
                                                              "avx512bw", "avx512_vnni", "avx512_fp16"};
    const std::string flags = " " + value_in("/proc/cpuinfo", "flags", ':') + " ";
    std::string text;
    for (const std::string_view flag : known)
        if (flags.find(sentence(" ", flag, " ")) != std::string::npos) text += sentence(text.empty() ? "" : " ", flag);
    return text.empty() ? "none that is known here" : text;
}

std::string settings() {
    std::string text;
    for (char** one = environ; *one != nullptr; ++one)
        if (std::string_view(*one).starts_with("DISCERN_")) text += sentence(text.empty() ? "" : ", ", *one);
    return text.empty() ? "none" : text;
}

} // namespace

std::vector<std::pair<std::string, std::string>> about_program_and_machine() {
    const std::string cpu = value_in("/proc/cpuinfo", "model name", ':');
    return {{"version", DISCERN_VERSION},
            {"build", build()},
            {"solvers", solvers()},
            {"system", system_name()},
            {"CPU", sentence(cpu.empty() ? "not known" : cpu, ", ", std::thread::hardware_concurrency(), " threads")},
            {"vector instructions", vector_instructions()},
            {"environment", settings()}};
}

} // namespace discern::cli
