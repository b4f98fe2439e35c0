// The assembler of NVIDIA's toolkit, where there is one.
#pragma once

#include "hwrunner/process/run_process.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

namespace discern::testing {

/// ptxas of the PATH, CUDA_HOME or the usual folder; empty if there is none.
inline std::string ptxas() {
    const char* const home = std::getenv("CUDA_HOME");
    for (const std::string& candidate :
         {std::string("ptxas"), home == nullptr ? std::string() : std::string(home) + "/bin/ptxas",
          std::string("/usr/local/cuda/bin/ptxas")})
        if (!candidate.empty() && is_program(candidate)) return candidate;
    return "";
}

/// What ptxas makes of a text.
struct PtxasResult {
    std::string errors; ///< empty if it took it
    std::string cubin;
};

/// @param machine  "sm_90a"
inline PtxasResult run_ptxas(const std::string& text, const std::string& machine) {
    std::string name = std::string(::testing::TempDir()) + "/discern-XXXXXX";
    close(mkstemp(name.data()));
    std::ofstream(name) << text;
    const ProcessResult result =
        run_process(ptxas() + " -arch=" + machine + " " + name + " -o " + name + ".cubin", "", [] { return false; });
    PtxasResult made;
    if (result.ended != "exit status 0") made.errors = result.output + result.errors;
    std::ostringstream cubin;
    cubin << std::ifstream(name + ".cubin", std::ios::binary).rdbuf();
    made.cubin = cubin.str();
    unlink(name.c_str());
    unlink((name + ".cubin").c_str());
    return made;
}

} // namespace discern::testing
