// Small designs in Verilog at random: units around which something stands that changes nothing, or seldom something, or
// of which synthesis and simulation make different things.
#pragma once

#include "claims/claim.hpp"
#include "claims/inputs.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace discern::claims {

struct PortWidth {
    std::string name;
    int width = 0;
};
/// The operands of a unit, as a design's ports: a, b, sa, sb, c.
std::vector<PortWidth> operand_ports(const Unit& unit);
int result_width(const Unit& unit);

/// How a design with registers is asked about.
struct Timing {
    int cycles = 0; ///< 0: it has no clock
    bool hold = false, has_reset = false, low = false;
    std::vector<std::string> options() const;
    /// As options() gives it. @throws std::runtime_error
    static Timing of(const std::string& options);
};

/// The value in binary.
std::string digits(std::uint64_t value, int width);

/// All operands in the order of operand_ports(), the first one highest.
std::string operands_in_binary(const Unit& unit, const Inputs& inputs);

/// The operands of such a text.
InputBuffer operands_from_binary(const Unit& unit, const std::string& text);

void replace_all(std::string& text, const std::string& what, const std::string& with);

/// Which of yosys and Icarus Verilog is not installed, in words; empty if both are.
std::string missing_tools();

/// What Icarus Verilog shows as d for each vector, in the order in which the design is fed; nothing if it does not take
/// the design.
/// @param design  the file of a module `unit` with the ports of operand_ports(), d and, if it is clocked, clk and rst
std::vector<std::string> simulated(const Unit& unit, const Timing& timing, const std::vector<InputBuffer>& vectors,
                                   const std::string& design);

/// A module `unit` around the module `discern_unit`.
struct Wrapped {
    std::string text;
    Timing timing;
};
/// @param trigger  a condition in Verilog on which what is seldom happens; empty: few of the inputs
Wrapped draw_wrapper(Random& random, const Unit& unit, const std::string& trigger = {});

/// The module `discern_unit` as a table of all inputs of the unit: most often right.
std::string draw_table(Random& random, const Unit& unit);

/// The text with one gate changed.
std::string with_mutant(Random& random, std::string text);

/// An expression in Verilog over these words, and one that is it, or almost.
std::pair<std::string, std::string> draw_expressions(Random& random, const std::vector<PortWidth>& words);

} // namespace discern::claims
