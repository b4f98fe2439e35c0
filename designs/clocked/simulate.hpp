// The design itself, simulated by other people's programs: what a term of ours says of it is believed only if they say
// the same.
#pragma once

#include "connection.hpp"
#include "designs/read/sources.hpp"

#include "models/vectors.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace discern::rtl {

struct Simulated {
    std::string by; ///< "Icarus Verilog", …
    /// d of each vector in binary digits, x and z where they are not known.
    std::vector<std::string> d;
};

/// What happens in a simulator, kept in a file for people: everything that is in the design, and beside it the operands
/// by their names, d, and the result that stands beside it.
struct Wave {
    std::string file;         ///< .vcd or .fst
    std::size_t wrong = 0;    ///< the vector, or of a handshake the edge, that is marked
    std::string name = "";    ///< of the result that stands beside d of that vector; empty: none does
    std::uint64_t beside = 0; ///< that result
    std::uint64_t time = 0;   ///< becomes that of the mark
};

/// A signal that the bench of a wave has beside those of the design.
struct WaveSignal {
    std::string name;
    std::string value; ///< an expression
    int width = 1;
};
/// @param result  an expression: d
std::vector<WaveSignal> wave_signals(const Design& design, const Connection& connection, const std::string& result,
                                     const Wave& wave);

/// The number that the digits are, or nothing if one is none.
std::optional<std::uint64_t> known(const std::string& digits);

/// By Icarus Verilog, else by Verilator, else, a combinational design, by yosys itself: the first that is installed and
/// takes the design.
/// @param vectors     one, or several unless yosys is all there is
/// @param why_not     what the last one said that did not take it
/// @param only        the name of the one to ask, "Verilator"; empty: any
/// @param one_run     vectors are operations one after the other, and a state is what the one before left, not c
/// @param wave        to be written, too; yosys writes none
/// @return nothing if none does
std::optional<Simulated> simulate(const Sources& sources, const Design& design, const Connection& connection,
                                  const std::vector<Vector>& vectors, const std::function<bool()>& must_stop,
                                  std::string& why_not, const std::string& only = "", bool one_run = false,
                                  Wave* wave = nullptr);

/// A handshake from the reset on, by Icarus Verilog or Verilator.
/// @param offers    at each edge: whether operands are valid, and whether the result is taken
/// @param operands  on the ports at each edge
/// @return before each edge: ready of operands, valid of the result, and d
std::optional<Simulated> simulate_offers(const Sources& sources, const Design& design, const Connection& connection,
                                         const std::vector<std::pair<bool, bool>>& offers,
                                         const std::vector<Vector>& operands, const std::function<bool()>& must_stop,
                                         std::string& why_not, Wave* wave = nullptr);

/// The test bench: a module without ports that prints a line of digits for each vector.
/// @param file     with the vectors, as vector_lines() gives them
/// @param choice   of names by which a state is assigned; nothing: it is left as it is
std::string bench_for(const Sources& sources, const Design& design, const Connection& connection, std::size_t vectors,
                      const std::string& file, std::optional<std::size_t> choice, const Wave* wave = nullptr);
/// A line of binary digits for each vector, for $readmemb: c, if it is a state, and what is on the ports.
std::string vector_lines(const Design& design, const Connection& connection, const std::vector<Vector>& vectors);

} // namespace discern::rtl
