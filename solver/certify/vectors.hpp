// The vectors with which gates are simulated: given ones, counterexamples of the prover, and vectors near these. Where
// a condition is given, only vectors that satisfy it count.
#pragma once

#include "given.hpp"
#include "prover.hpp"

#include "models/random.hpp"
#include "solver/sweep/signatures.hpp"

namespace discern::certificate {

class Vectors {
  public:
    Vectors(const Miter& miter, const Given& given, Signatures& signatures, std::uint64_t seed)
        : miter_(miter), given_(given), signatures_(signatures), random_(seed) {}

    /// 64 vectors. @param words  one for each input
    void add(std::vector<std::uint64_t> words);
    /// The values that the prover found, and 63 vectors near them.
    void add_found(const Prover& prover);
    /// Vectors by a random walk from a given one that stays within the given condition, which few vectors may satisfy.
    /// @return whether the first one satisfies it
    bool walk_from_found(const Prover& prover);

    /// A vector on which the units differ, if there is one among them: a bit for each input. Else empty.
    const std::vector<std::uint64_t>& telling() const { return telling_; }

  private:
    std::size_t inputs() const { return miter_.netlist.inputs(); }

    const Miter& miter_;
    const Given& given_;
    Signatures& signatures_;
    Random random_;
    std::vector<std::uint64_t> telling_;
};

} // namespace discern::certificate
