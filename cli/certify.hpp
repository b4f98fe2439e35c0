// --certificate: an answer as a folder that the separate checker reads (docs/certificates.md).
#pragma once

#include "cli/files/question.hpp"

#include <chrono>
#include <stop_token>

namespace discern::cli {

/// Writes the certificate of an answer, if one was asked for and the answer is known.
/// @return why there is none; empty: there is one, or none was wanted
/// @throws Error if the folder cannot be written
std::string certify(const QuestionOptions& options, const Unit& first, const Unit& second, const InputLimits& limits,
                    const Answer& answer, std::chrono::steady_clock::time_point deadline);

/// Classes of units that an answer holds to be the same.
struct SameUnits {
    std::vector<std::vector<Unit>> classes; ///< each of one shape
    std::vector<std::string> assumed;       ///< sentences about what has no unit here
};

/// --certificate DIR, for certificates of classes.
void add_certificate_option(CommandLine& line, std::string& folder);

/// Writes certificates of classes; says on the error stream what they are, and what is assumed.
/// @param deadline  what is not proved then, or when it is to stop, is assumed
/// @return whether nothing is assumed
/// @throws Error if the folder cannot be written
bool certify_classes(const std::string& folder, const SameUnits& same, const InputLimits& limits, std::uint64_t seed,
                     std::chrono::steady_clock::time_point deadline, std::stop_token stop, const Streams& io);

/// So many seconds from now.
std::chrono::steady_clock::time_point deadline_in(double seconds);

} // namespace discern::cli
