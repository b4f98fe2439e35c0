// What a handshake owes: operands that were taken, and the results that have to come for them.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace discern::rtl {

/// What is at the ports at an edge.
struct Offer {
    bool valid = false, ready = false;
};
using Offers = std::vector<Offer>; ///< one edge after the other, from the reset on

/// What can be wrong about a result.
enum class Fault { no_operands, late, wrong, stuck };
const char* what(Fault fault); ///< in words

/// At so many edges at which all is offered and results are taken, operands have to be taken: an operation that is on
/// its way has come by then.
constexpr int edges_until_stuck(int cycles, int least = 256) { return std::max(least, 4 * cycles); }

/// Operations on their way: taken, and their results not.
class Scoreboard {
  public:
    explicit Scoreboard(int cycles) : cycles_(cycles) {}
    Scoreboard(int cycles, std::vector<int> left) : cycles_(cycles), left_(std::move(left)) {}

    /// One edge. @return what is wrong, wrong values aside
    std::optional<Fault> edge(Offer offer, bool ready_in, bool valid_out);
    /// At the last edge: operands were taken, a result was.
    bool took_operands() const { return took_operands_; }
    bool took_result() const { return took_result_; }
    /// Edges at which a result is taken that each may still need, the oldest first. It may need `cycles`, and one more
    /// for each operation that is before it when it comes.
    const std::vector<int>& left() const { return left_; }

  private:
    int cycles_;
    std::vector<int> left_;
    bool took_operands_ = false, took_result_ = false;
};

} // namespace discern::rtl
