// Makes a certificate: proves a claim and writes the folder that discern-check reads (docs/certificates.md).
#pragma once

#include "certificate/miter.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace discern::certificate {

struct Written {
    enum class Verdict { equivalent, different, open } verdict = Verdict::open;
    std::string combination;     ///< of a proof: whole or chain
    std::size_t gates = 0;       ///< of all obligations,
    std::size_t proof_bytes = 0; ///< … of their proofs
};

struct WriteOptions {
    std::uint64_t seed = 1;
    std::optional<std::chrono::steady_clock::time_point> deadline;
    bool by_blocks = true; ///< units of several blocks are compared block by block where that is possible
};

/// @param folder  made if it is not there; open: nothing is written
/// @throws Error if the units have different shapes, or the folder cannot be written or is not empty
Written write_certificate(const Unit& one, const Unit& other, const Limits& limits, const std::filesystem::path& folder,
                          const WriteOptions& options);

} // namespace discern::certificate
