// Random inputs of all families at once, for one unit or for several that are compared: what most searches run through
// before they think.
#pragma once

#include "models/families.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace discern {

/// An endless stream of inputs: of all families for the first unit, of all for the second, …, and from the start again.
/// So the i-th of one unit, from 0, is of families[i % families.size()]. Units and seed determine it.
class InputMixture {
  public:
    InputMixture(const Unit& unit, std::uint64_t seed);
    /// @param units  of one shape, at least one
    InputMixture(std::span<const Unit* const> units, std::uint64_t seed);

    /// Replaces the buffer's contents by the next vector.
    void next(InputBuffer& buffer);
    /// As many of the next as there are buffers. @param threads  that make them; they are the same
    void next(std::span<InputBuffer> buffers, unsigned threads);
    /// The next n; valid until the next call, and while the mixture lives: so not of a temporary one.
    std::vector<Inputs> batch(std::size_t n, unsigned threads = 1) &;

  private:
    std::vector<InputGenerator> generators_;
    std::size_t turn_ = 0;
    std::vector<InputBuffer> buffers_;
};

} // namespace discern
