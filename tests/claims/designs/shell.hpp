// Shells with a handshake at random: a small unit between parts each of which takes operands or results when they are
// valid, and can make them wait. About half of the shells have a mistake that seldom shows.
//
// A part is a module of the table in shell.cpp. All parts have the same ports, so any of them may stand before the
// unit, where operands pass, or behind it, where results do.
#pragma once

#include "claims/claim.hpp"

#include <string>
#include <vector>

namespace discern::claims {

struct ShellPart {
    std::string kind;    ///< of the table; `unit` for the unit itself
    std::string mistake; ///< one of those in the text of its kind; empty: none
    std::string when;    ///< a condition in Verilog on which the mistake shows
    std::string edges;   ///< an expression: how many edges it waits beside those that it always needs
};

struct Shell {
    std::vector<ShellPart> parts; ///< in the order in which operations pass them
    bool low = false;             ///< the reset is active low,
    bool at_once = false;         ///< and asynchronous
    bool is_taken = false;        ///< results are always taken: there is no port for ready of results

    /// A line for each part, and one for the rest; of() reads it. @throws std::runtime_error
    std::string text() const;
    static Shell of(const std::string& text);

    /// What `prove` is told of clock, reset and handshake.
    std::vector<std::string> options(int cycles) const;
    /// The modules of the parts and a module `unit` with ports clk, rst, iv, ir, the operands, ov, orr and d.
    std::string verilog(const Unit& unit) const;
    Shell without_mistake() const;
};

Shell draw_shell(Random& random, const Unit& unit);

} // namespace discern::claims
