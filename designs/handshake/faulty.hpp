// A run of a handshake in which something is wrong: made short on the netlist, and shown with its operations.
#pragma once

#include "replay.hpp"

#include "solver/backend/limit.hpp"
#include "solver/question/question.hpp"

#include <span>
#include <vector>

namespace discern::rtl {

/// The outputs in runs from the reset on, by the netlist: x where they depend on what the design leaves open.
std::vector<Simulated> simulate_netlist(const DesignQuestion& question, std::span<const HandshakeRun> runs);

/// The run with as many edges, and then operations, left out as it can do without: the netlist says that something is
/// wrong in what stays. A run in which the netlist sees nothing wrong stays as it is.
HandshakeRun shortened(const DesignQuestion& question, HandshakeRun run, const Limit& limit);

/// Sets the answer's verdict, vectors and stalls to those of a run.
/// @param replayed  what is wrong in it
/// @param by        what found it
void show(Answer& answer, const DesignQuestion& question, HandshakeRun run, const Replayed& replayed,
          const std::string& by);

/// Each offer as a digit.
std::string digits(const Offers& offers, bool Offer::*which);
/// "with operands offered 1101 and results taken 1011 at the edges from the reset on"
std::string in_words(const Offers& offers);

} // namespace discern::rtl
