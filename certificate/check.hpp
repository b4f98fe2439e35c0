// A certificate: a folder with a claim about some units and the proofs for it (docs/certificates.md).
#pragma once

#include "handshake.hpp"
#include "limits.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace discern::certificate {

struct Checked {
    enum class Claim { equivalent, different, classes } claimed = Claim::equivalent;
    std::string refused;                           ///< why; empty: it is not
    std::vector<std::string> units;                ///< that are equivalent or different
    std::vector<std::string> designs;              ///< … beside them: the digests of their circuits
    std::string shape;                             ///< of two designs: a unit of their formats
    Limits limits;                                 ///< of the inputs on which they are
    std::optional<Handshake> handshake;            ///< of the design, whose results are then those of a handshake
    std::size_t obligations = 0;                   ///< with their proofs
    std::vector<std::vector<std::string>> classes; ///< each of units that are the same, and
    std::size_t merges = 0;                        ///< … certificates that join them
    std::vector<std::string> assumed;              ///< what the claim rests on besides; empty is right

    const char* claim() const {
        return claimed == Claim::classes ? "classes" : claimed == Claim::equivalent ? "equivalent" : "different";
    }
    const char* verdict() const { return !refused.empty() ? "refused" : assumed.empty() ? "accepted" : "assumed"; }
};

/// The unit of one block of a longer one: `later` ones take the accumulator in d's format, the first in c's.
Unit block_of(const Unit& unit, bool later);

/// Why the units cannot be compared block by block; empty: they can.
std::string against_chain(const std::vector<Unit>& units, const Limits& limits);

/// Reads a certificate and checks all of it; one of classes with the certificates in its folders.
/// @throws std::exception if there is not enough memory, or a circuit of the claim is enormous
Checked check_certificate(const std::filesystem::path& folder);

/// What was found, as the program prints it: with all that is claimed, of which inputs, and what is assumed.
std::string to_text(const Checked& checked);
/// The same as JSON. @param seconds  that it took
std::string to_json(const Checked& checked, double seconds);

} // namespace discern::certificate
