// The program discern-check, asked by commands that say nothing without it: in a process of its own, so that what it
// says owes nothing to this one.
#pragma once

#include "solver/certify/write.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace discern::cli {

/// Beside the program or the library in which this code is, or in one of the two folders above it, as in a build.
/// @throws Error with a sentence that says where it was looked for
std::filesystem::path checker_program();

/// The checker's verdict on a certificate.
struct CheckerSays {
    enum class Verdict {
        accepted, ///< that these units are the same, or differ as they were said to, with nothing assumed
        refused,  ///< anything else
        none,     ///< it gave no answer: it was stopped, or something went wrong
    } verdict = Verdict::none;
    std::string why; ///< refused, or none and not stopped: a sentence
};

/// @param folder  of the certificate
/// @param claim   "equivalent" or "different"
/// @param what    of which that is claimed
/// @param must_stop  asked some fifty times a second; then it is killed
/// @throws Error if it cannot be started
CheckerSays ask_checker(const std::filesystem::path& program, const std::filesystem::path& folder,
                        std::string_view claim, const certificate::Certified& what,
                        const std::function<bool()>& must_stop);

} // namespace discern::cli
