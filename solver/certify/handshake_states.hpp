// The states of a design with a handshake, by following all choices at its ports from the reset on.
//
// Registers hold gates over the operands of the operations on their way. From each state an edge leads to others: for
// operands offered or not, results taken or not. There the operations are named by their places anew, so that states
// meet again, and what depends on anything else, as on operands whose result was taken, is not said any more. Of gates
// that are computed from what is open, simulation says whether they depend on it: if not, it is 0 in them. Nothing of
// this is trusted: the checker proves that the states which are found here are all.
#pragma once

#include "solver/certify/write.hpp"

#include "certificate/handshake.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace discern::certificate {

struct FoundStates {
    Handshake handshake;
    AndCircuit circuit; ///< of the states, over the operands of operations on their way
};

/// 64 operations, a word for each bit.
using OperationWords = std::vector<std::uint64_t>;

/// @param operations  bits of operations for simulation, 64 in a word; each has as many words as an operation bits
/// @param reset_edges  for so many the reset is held
/// @param must_stop  looked at between states
/// @param why_not    nothing: in words why; empty: it was stopped
std::optional<FoundStates> find_states(const std::vector<OperationWords>& operations, const ClockedCircuit& design,
                                       const CertifiedHandshake& asked, int reset_edges,
                                       const std::function<bool()>& must_stop, std::string& why_not);

} // namespace discern::certificate
