// A handshake under Icarus Verilog, edge by edge, and a scoreboard that reads docs/rtl.md and shares nothing with the
// program's: which operands were taken and which results, whether each is right, in order, and in time.
#pragma once

#include "shell.hpp"

#include "models/evaluate.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace discern::claims {

/// What is at the ports at an edge.
struct OfferedEdge {
    bool reset = false, valid = false, ready = false;
    bool in_order = false; ///< the ports hold the next operands of the list, those not taken yet; none left: these
    std::string operands;  ///< in binary
};

/// What a simulator shows just before an edge.
struct SeenEdge {
    char ready_in = 'x', valid_out = 'x';
    std::string d, operands;
};

/// @param design  the file with module `unit`
/// @param in_order  operands from each reset on; nothing is returned if the simulator does not take the design
std::vector<SeenEdge> seen_at(const Unit& unit, const Shell& shell, const std::vector<OfferedEdge>& offered,
                              const std::vector<std::string>& in_order, const std::string& design);

enum class Trouble { no_operands, late, wrong, stuck, undefined };
const char* in_words(Trouble trouble);

constexpr int longest_wait = 64; ///< more than any right shell needs before it takes operands

/// Follows edges from a reset on.
class EdgeJudge {
  public:
    /// @param longest  edges at which all is offered and nothing taken: it never is again
    EdgeJudge(const Unit& unit, int cycles, int longest = longest_wait)
        : unit_(unit), cycles_(cycles), longest_(longest) {}

    /// The first thing that is wrong; afterwards no more is said until there is a reset.
    std::optional<Trouble> edge(const OfferedEdge& offered, const SeenEdge& seen);
    /// Of results so far, the most edges one needed beside one for each operation before it.
    int latency() const { return latency_; }
    /// For so many edges up to now all was offered, and nothing taken.
    int waited() const { return waited_; }
    std::size_t results() const { return results_; } ///< since the reset

  private:
    std::uint64_t result_of(const std::string& operands);

    struct Operation {
        std::string operands;
        int before; ///< operations on their way when it came
        int edges;  ///< since then at which a result could be taken
    };
    const Unit& unit_;
    int cycles_, longest_, latency_ = 0, waited_ = 0;
    bool is_over_ = false;
    std::size_t results_ = 0;
    std::vector<Operation> on_their_way_; ///< the oldest first
    std::unordered_map<std::string, std::uint64_t> results_of_;
};

/// Edges of many resets, with stalls of many kinds; each ends with edges at which all is offered.
std::vector<OfferedEdge> draw_edges(Random& random, const Unit& unit, bool is_taken);
std::string draw_operands(Random& random, const Unit& unit);

constexpr int edges_of_reset = 24; ///< more than any shell's latency

/// So many edges of a reset.
void add_reset(std::vector<OfferedEdge>& edges, const std::string& operands);

} // namespace discern::claims
