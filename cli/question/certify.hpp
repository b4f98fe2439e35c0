// --certificate: an answer as a folder that the separate checker reads (docs/certificates.md).
#pragma once

#include "cli/base/interrupt.hpp"
#include "question.hpp"
#include "solver/certify/write.hpp"

#include <chrono>
#include <filesystem>
#include <stop_token>

namespace discern::cli {

/// An answer that is to be certified, and within which time.
struct ToCertify {
    const certificate::Certified& what;
    const std::string& why_not; ///< there can be no certificate; empty: there may be one
    const InputLimits& limits;
    std::chrono::steady_clock::time_point deadline;
    Interrupt& interrupt; ///< is told what is known
};

/// Writes the certificate of an answer, if one was asked for and the answer is known.
/// @return why there is none; empty: there is one, or none was wanted
/// @throws Error if the folder cannot be written
std::string certify(const QuestionOptions& options, const ToCertify& what, const Answer& answer);

/// --checked: makes a certificate of what is equivalent, and of what is different where a folder is wanted, and asks
/// the checker, which is a program of its own. "Equivalent" is then so by the certificate; without one that was
/// accepted it becomes unknown.
/// @param program  checker_program()
/// @return what is missing, as a sentence without its end; empty: nothing
/// @throws Error if the folder cannot be written, or the checker not be started
/// @throws std::logic_error if the checker refuses the certificate
std::string check(const QuestionOptions& options, const ToCertify& what, const std::filesystem::path& program,
                  Answer& answer);

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
