// The certificate of an answer: what `prove` found of two units, in the terms of certificates, which know nothing of
// questions.
#pragma once

#include "write.hpp"

#include "solver/question/question.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace discern::certificate {

/// Limits of a question as those of a certificate, in which numbers are patterns of the operands' formats.
Limits limits_for(const InputLimits& limits, const Unit& unit);

/// The same for all of these units. @throws Error if the limits are other patterns in the formats of one than of
/// another
Limits limits_for(const InputLimits& limits, const std::vector<std::vector<Unit>>& classes);

/// Whether there is a certificate, and why not.
enum class Made : std::uint8_t {
    ready,
    too_large, ///< the reference circuits have too many gates
    not_found, ///< no way was found to prove the circuits equal
    no_time,   ///< the deadline came first, or it was to stop
};
struct MadeOf {
    Made made = Made::ready;
    std::string why = {}; ///< too_large, and not_found if that is known: in words
};

/// Writes the certificate of an answer that is known: of a difference its vectors, of an equivalence a proof.
/// @param what  two units, a unit and a design, or two designs
/// @param folder  made if it is not there
/// @throws Error if the folder cannot be written or is not empty
/// @throws std::logic_error if the circuits of what was found to be the same differ
MadeOf write_answer(const Certified& what, const InputLimits& limits, const Answer& answer,
                    const std::filesystem::path& folder, const WriteOptions& options);

} // namespace discern::certificate
