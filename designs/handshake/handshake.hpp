// All that a handshake can come to, from the reset on: operands offered or not, results taken or not, at every edge.
//
// The registers that say what is valid hold constants after a reset, and the same ones again and again; operands and
// what is computed of them are terms. So the states are walked through with constants and terms side by side: of each,
// what every choice at the ports leads to, until no new state comes. Terms that belong to no operation on its way are
// replaced by anything, and what stands for x is numbered anew, so that states meet again; a proof holds for more
// states than come, and what is found wrong is looked at again without that.
#pragma once

#include "scoreboard.hpp"

#include "designs/clocked/circuit.hpp"

#include "solver/backend/limit.hpp"

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace discern::rtl {

struct Explored {
    std::size_t states = 0;
    bool complete = false;      ///< no other state comes
    int edges = 0;              ///< from the reset on all choices were looked at for so many
    std::string missing;        ///< why there are no states: what is valid depends on what registers held
    std::optional<int> latency; ///< of the first operation, if nothing waits
    /// What is valid depends on operands, or they are not taken at the first edge: results differ in their latency, and
    /// each is one by itself, for the operands for which it comes so. What is wrong then may be so for no operands.
    bool is_split = false;
    struct Wrong {
        Fault fault;
        Offers offers;         ///< that lead to it
        std::size_t waits = 0; ///< of a fault `stuck`: at so many of the last ones all is offered and nothing taken
    };
    std::optional<Wrong> wrong; ///< the first that is wrong, whatever the operands; if nothing else is, a state from
                                ///< which operands are never taken again, though results are
    struct Result {
        Term d; ///< of `inputs`, and of open values
        Offers offers;
        std::vector<Term> when = {}; ///< it comes so; of `inputs`, all of them are 1
    };
    std::vector<Result> results; ///< all different terms that are results
    /// Variables that stand for x in the source. Each may be anything, as often as it is read.
    std::unordered_set<std::uint32_t> undefined;
};

/// @param inputs  variables of the operation whose result is looked at
/// @throws Error if a port of the handshake is x
Explored explore(Terms& t, const DesignQuestion& question, const InputTerms& inputs, const Limit& limit);

/// One way through the states, without anything replaced.
struct Followed {
    std::vector<InputTerms> operands; ///< at each edge
    std::vector<std::size_t> taken;   ///< edges at which operands were taken
    std::size_t result = 0;           ///< at the last edge the result of which of them is taken
    Term d;                           ///< at the last edge
};
Followed follow(Terms& t, const DesignQuestion& question, const InputTerms& like, const Offers& offers);

} // namespace discern::rtl
