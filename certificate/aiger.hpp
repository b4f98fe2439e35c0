// The circuit of a claim in a format that other programs read: binary AIGER (Biere, "The AIGER And-Inverter Graph (AIG)
// Format", 2007). The verdict of the checker does not rest on it; it only checks that the file is of the same circuit.
#pragma once

#include "miter.hpp"

#include <map>
#include <string>
#include <utility>

namespace discern::certificate {

/// AND gates as binary AIGER numbers and writes them, for gates of every kind.
class AndGates {
  public:
    /// @param shared  a gate that is there already is not made again
    explicit AndGates(std::size_t inputs, bool shared = false);

    /// @param gate  not an input
    Literal make(Gate gate, Literal x, Literal y, Literal z);
    std::size_t count() const;
    /// All gates, as a file has them.
    const std::string& bytes() const { return bytes_; }

  private:
    Literal make_and(Literal x, Literal y);
    Literal make_or(Literal x, Literal y);
    void put(Literal x);

    std::size_t inputs_;
    Literal next_;
    bool shared_;
    std::string bytes_;
    std::map<std::pair<Literal, Literal>, Literal> made_; ///< if shared
};

/// With the inputs' names (a0[3] is bit 3 of a's first element) and one output, `different`.
std::string to_aiger(const Miter& miter, const Unit& unit);

} // namespace discern::certificate
