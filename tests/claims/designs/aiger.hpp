// The circuit of a certificate, read as the format says (ASCII AIGER): not by the program's reader.
#pragma once

#include "models/evaluate.hpp"
#include "models/random.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace discern::claims {

class AigerCircuit {
  public:
    /// @throws std::runtime_error
    explicit AigerCircuit(const std::string& text);

    /// d for these inputs. @param open  the value of each input that is no operand
    std::uint64_t operator()(const Inputs& inputs, bool open) const;

    /// With another gate: an input negated or taken from another place, or an output negated.
    AigerCircuit changed(Random& random) const;
    std::string text() const;
    /// What was changed, in words.
    const std::string& what() const { return what_; }

  private:
    struct Input {
        std::string operand; ///< a, b, sa, sb, c; empty: open
        std::size_t element = 0;
        int bit = 0;
    };
    std::vector<Input> inputs_;
    std::vector<std::array<std::uint32_t, 3>> gates_; ///< and-gates: output, and the two that it reads
    std::vector<std::uint32_t> outputs_;              ///< d, its lowest bit first
    std::string symbols_, what_;
};

} // namespace discern::claims
