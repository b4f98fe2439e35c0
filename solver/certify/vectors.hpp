// The vectors with which gates are simulated: given ones, those that the prover finds, and others near them. Where
// something is given, only vectors of which it holds count.
#pragma once

#include "given.hpp"
#include "prover.hpp"
#include "signatures.hpp"

#include "models/random.hpp"

namespace discern::certificate {

class Vectors {
  public:
    Vectors(const Miter& miter, const Given& given, Signatures& signatures, std::uint64_t seed)
        : miter_(miter), given_(given), signatures_(signatures), random_(seed) {}

    /// 64 vectors. @param words  one for each input
    void add(std::vector<std::uint64_t> words);
    /// The values that the prover found, and 63 vectors near them.
    void add_found(const Prover& prover);
    /// Vectors from there on in random steps, on which what is given still holds: it may hold of few.
    /// @return whether it holds of the first
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
