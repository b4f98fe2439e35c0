// A handshake in a simulator: what is at the ports at every edge, and whether the results are the unit's.
#pragma once

#include "designs/clocked/simulate.hpp"
#include "handshake.hpp"

#include "designs/read/sources.hpp"

#include <functional>
#include <string>
#include <vector>

namespace discern::rtl {

/// A run from the reset on.
struct HandshakeRun {
    Offers offers;
    std::vector<Vector> operands; ///< on the ports at each edge, whether they are valid or not
    std::size_t waits = 0;        ///< at so many of the last edges some operands have to be taken; 0: it is not asked
};

struct Replayed {
    std::string by;                 ///< the simulator; empty: none takes the design
    std::string undefined;          ///< a port that is x, and where
    std::vector<std::size_t> taken; ///< edges at which operands were taken
    std::optional<Fault> fault;     ///< the first
    std::size_t operation = 0;      ///< of which: an index of `taken`
    std::size_t edge = 0;           ///< at which it shows
    std::optional<std::uint64_t> d; ///< that is wrong
};

/// What the outputs of a run, as simulate_offers() gives them, come to.
Replayed judge(const DesignQuestion& question, const HandshakeRun& run, const Simulated& outputs);

/// The outputs at each edge, by a simulator; as simulate_offers().
std::optional<Simulated> simulate_run(const DesignQuestion& question, const Sources& sources, const HandshakeRun& run,
                                      const std::function<bool()>& must_stop, std::string& why_not);

/// @param why_not  what the last simulator said that did not take it
Replayed replay(const DesignQuestion& question, const Sources& sources, const HandshakeRun& run,
                const std::function<bool()>& must_stop, std::string& why_not);

} // namespace discern::rtl
