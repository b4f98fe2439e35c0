// prove --certificate: the answer as a folder that the separate checker reads (docs/certificates.md).
#pragma once

#include "cli/files/question.hpp"

#include <chrono>

namespace discern::cli {

/// Writes the certificate of an answer, if one was asked for and the answer is known.
/// @return why there is none; empty: there is one, or none was wanted
/// @throws Error if the folder cannot be written
std::string certify(const QuestionOptions& options, const Unit& first, const Unit& second, const InputLimits& limits,
                    const Answer& answer, std::chrono::steady_clock::time_point deadline);

} // namespace discern::cli
