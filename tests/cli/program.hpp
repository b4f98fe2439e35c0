// Running the program inside of a test, and files to run it on.
#pragma once

#include "cli/base/command.hpp"
#include "folder.hpp"
#include "solver/backend/backend.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace discern::testing {

// Units that many tests ask about: the same four products, of which F and the rounding differ.
inline const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32", turing = "turing/mma.m16n8k8.f32.f16.f16.f32{K=4}";

/// Whether this build has a solver.
inline bool can_prove() { return !backends().empty(); }

struct Outcome {
    int status = 0;
    std::string out, err;
};

/// What `discern ARGUMENTS` does with that standard input.
inline Outcome discern(const std::vector<std::string>& arguments, const std::string& input = "") {
    std::istringstream in(input);
    std::ostringstream out, err;
    Outcome outcome;
    outcome.status = cli::run(arguments, in, out, err);
    outcome.out = out.str();
    outcome.err = err.str();
    return outcome;
}

inline std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
}

inline std::string last_line(const std::string& text) {
    const auto all = lines(text);
    return all.empty() ? "" : all.back();
}

/// Data that may lie beside the repository and is not part of it; empty if it does not.
inline std::string shared_folder(const std::string& name) {
    const char* set = std::getenv("DISCERN_SHARED");
    const std::filesystem::path root =
        set != nullptr ? std::filesystem::path(set) : std::filesystem::path(DISCERN_TEST_DATA) / "../../../shared";
    std::error_code ignored;
    return std::filesystem::is_directory(root / name, ignored) ? (root / name).string() : "";
}

} // namespace discern::testing
