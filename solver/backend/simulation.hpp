// Gates on many patterns at once, 64 a machine word: which of them look equal.
#pragma once

#include "encodings/graph/gates.hpp"

#include <cstdint>
#include <vector>

namespace discern {

class Simulation {
  public:
    /// @param gates  may grow; what was added is simulated by update()
    explicit Simulation(const Gates& gates) : gates_(gates) {}

    /// Adds 64 patterns. @param inputs  a word for each gate of kind input, by gate; others are ignored
    void add(const std::vector<std::uint64_t>& inputs);
    /// Simulates the gates that came since, on all patterns.
    void update();
    std::size_t words() const { return values_.size(); }
    std::uint64_t word(std::size_t w, Literal literal) const {
        return values_[w][literal / 2] ^ ((literal & 1) != 0 ? ~0ull : 0);
    }
    /// Patterns of a word that do not count are 0 in it.
    std::uint64_t valid(std::size_t w) const { return valid_[w]; }
    /// From now on patterns count only where this is 1.
    void require(Literal condition);

  private:
    std::uint64_t evaluate(const std::vector<std::uint64_t>& values, std::size_t gate) const;

    const Gates& gates_;
    std::vector<std::vector<std::uint64_t>> values_; ///< by word, by gate
    std::vector<std::uint64_t> valid_;
    Literal required_ = Gates::yes;
};

} // namespace discern
