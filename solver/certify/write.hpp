// Makes a certificate: proves a claim and writes the folder that discern-check reads (docs/certificates.md).
#pragma once

#include "certificate/miter.hpp"
#include "models/families.hpp"
#include "solver/backend/limit.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace discern::certificate {

/// A design whose operands and results wait for each other.
struct CertifiedHandshake {
    std::size_t registers = 0; ///< of the design, whose circuit is that of an edge (ClockedCircuit)
    int cycles = 0;            ///< edges from operands to a result that does not wait
    bool has_reset = true;
    bool can_wait = true; ///< results may have to
};

/// A design in a certificate: its gates, and what is said of where they come from, which the checker does not read.
struct CertifiedDesign {
    AndCircuit circuit; ///< over the operands of the units beside it, or of `shape`
    std::vector<std::pair<std::string, std::vector<std::string>>> about = {};
    std::optional<CertifiedHandshake> handshake = {};

    /// As the file of the certificate has it. @param unit  with its operands
    std::string text(const Unit& unit) const;
};

struct Written {
    enum class Verdict { equivalent, different, open } verdict = Verdict::open;
    std::string combination;     ///< of a proof: whole, chain, cases or handshake
    std::size_t gates = 0;       ///< of all obligations,
    std::size_t proof_bytes = 0; ///< … of their proofs
    std::size_t cases = 0;       ///< of a proof by cases
    std::size_t states = 0;      ///< of a handshake
    std::string why = {};        ///< open: in words, if that is known
    std::vector<Unit> apart;     ///< open: units that were not shown to be the same as the first
};

/// Inputs for which results are proved the same by themselves.
struct ProofCase {
    Condition condition;                    ///< over the operands
    std::function<void(InputBuffer&)> next; ///< a vector that is probably of the case
    int conflicts = 0;                      ///< of a pair of gates
    std::size_t most_open = 0;              ///< pairs of gates: the case is given up when so many are
    bool is_last = false;                   ///< it is not split any more
};
/// Splits all inputs into cases, and those that stay open further, each of which it asks about, from several threads.
/// @return whether all are equivalent. What is split is no matter for the certificate: that the cases are all inputs is
/// proved as well
using SplitProof =
    std::function<bool(const std::function<Written::Verdict(const ProofCase&)>& ask, const Limit& limit)>;

/// Of what something is certified: of units, two or more; of a unit and a design; of two designs.
struct Certified {
    std::vector<Unit> units;
    std::vector<CertifiedDesign> designs = {};
    std::optional<Unit> shape = {}; ///< of two designs: a unit with the formats of their operands
    /// What makes the units, which are certified as they are written, those that a person asked about: sentences that
    /// the claim repeats, and no checker reads.
    std::vector<std::string> assumed_of_units = {};
    SplitProof by_cases = {}; ///< if inputs can be split

    const Unit& any_unit() const { return units.empty() ? *shape : units.front(); }
    std::vector<AndCircuit> circuits() const;
};

struct WriteOptions {
    std::uint64_t seed = 1;
    Limit limit;
    double seconds_each = 60; ///< for one of many merges, or a quarter of what is left (classes.hpp)
    bool by_blocks = true;    ///< units of several blocks are compared block by block where that is possible
    bool by_cases = false;    ///< of a design, if inputs can be split: the whole question was too hard
    bool shared = false;      ///< gates that units have in common are made once
};

/// A certificate that all are equivalent, or a vector on which two differ.
/// @param folder  made if it is not there; open: nothing is written
/// @throws Error if the units have different shapes, the limits leave no input, or the folder cannot be written or is
/// not empty
Written write_certificate(const Certified& what, const Limits& limits, const std::filesystem::path& folder,
                          const WriteOptions& options);
/// The same of units alone.
inline Written write_certificate(const std::vector<Unit>& units, const Limits& limits,
                                 const std::filesystem::path& folder, const WriteOptions& options) {
    return write_certificate(Certified{units}, limits, folder, options);
}

/// The certificate of a difference: vectors on which they differ.
/// @throws Error as write_certificate
void write_difference(const Certified& what, const Limits& limits, const std::vector<InputBuffer>& vectors,
                      const std::filesystem::path& folder);

/// @throws Error if a certificate cannot be written there: it is a file, or a folder with something in it
void require_empty_folder(const std::filesystem::path& folder);

} // namespace discern::certificate
