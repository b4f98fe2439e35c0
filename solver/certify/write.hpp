// Makes a certificate: proves a claim and writes the folder that discern-check reads (docs/certificates.md).
#pragma once

#include "certificate/miter.hpp"
#include "models/families.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace discern::certificate {

struct Written {
    enum class Verdict { equivalent, different, open } verdict = Verdict::open;
    std::string combination;     ///< of a proof: whole or chain
    std::size_t gates = 0;       ///< of all obligations,
    std::size_t proof_bytes = 0; ///< … of their proofs
    std::vector<Unit> apart;     ///< open: units that were not shown to be the same as the first
};

struct WriteOptions {
    std::uint64_t seed = 1;
    std::optional<std::chrono::steady_clock::time_point> deadline;
    std::stop_token stop;
    double seconds_each = 60; ///< for one of many merges, or a quarter of what is left (classes.hpp)
    bool by_blocks = true;    ///< units of several blocks are compared block by block where that is possible
    bool shared = false;      ///< gates that units have in common are made once
};

/// A certificate that all units are equivalent, or a vector on which two differ.
/// @param units   two or more
/// @param folder  made if it is not there; open: nothing is written
/// @throws Error if the units have different shapes, the limits leave no input, or the folder cannot be written or is
/// not empty
Written write_certificate(const std::vector<Unit>& units, const Limits& limits, const std::filesystem::path& folder,
                          const WriteOptions& options);

/// The certificate of a difference: vectors on which the units differ.
/// @throws Error as write_certificate
void write_difference(const std::vector<Unit>& units, const Limits& limits, const std::vector<InputBuffer>& vectors,
                      const std::filesystem::path& folder);

/// @throws Error if a certificate cannot be written there: it is a file, or a folder with something in it
void require_empty_folder(const std::filesystem::path& folder);

} // namespace discern::certificate
