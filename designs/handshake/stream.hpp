// A design with a handshake as a target that is never left in peace: operations back to back, operands that are offered
// or not, results that are taken or not, at random. A bug that only a stall shows is not seen by operations that come
// one after the other, however many.
//
// The results of a batch are those of its vectors in the order in which their operands were taken; a result that is
// lost, comes twice or for no operands ends the run.
#pragma once

#include "faulty.hpp"
#include "stepper.hpp"

#include "hwrunner/target.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace discern::rtl {

/// A fault of the handshake: no vector's result, but a run in which something is wrong.
class HandshakeFault : public Error {
  public:
    using Error::Error;
};

class StreamTarget final : public Target {
  public:
    /// @param question  with a handshake; it must outlive the object
    StreamTarget(const DesignQuestion& question, const Sources& sources, std::uint64_t seed,
                 std::function<bool()> must_stop);

    const Shape& shape() const override { return shape_; }
    Identity identity() const override { return {{"vendor", "design"}, {"model", question_.design.top}}; }
    /// @throws HandshakeFault, and Error if a simulator says something else than the netlist of some of the first runs
    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override;

    /// The run from the reset to the result of a vector, one of the last batch among all …
    HandshakeRun run_to(std::uint64_t vector) const;
    /// … and the one that ended in a fault.
    const std::optional<HandshakeRun>& faulty() const { return faulty_; }

    /// A run in which something is wrong as an answer: as short as it can be, replayed by a simulator.
    /// @throws Error if a simulator says that nothing is wrong, or that a result is x
    Answer shown(HandshakeRun run, const Limit& limit) const;

  private:
    struct Lane {
        std::vector<std::size_t> pending; ///< of the batch, the next one last
        std::deque<std::size_t> on_way;
        Scoreboard board{0};
        int waits = 0; ///< edges at which operands could have been taken, since some were
    };
    struct Edge {
        std::vector<Lanes> operands;
        Lanes valid, ready;
    };

    void begin();
    void draw_offers();
    void edge(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers);
    void judge_lane(std::size_t i, std::vector<TargetAnswer>& answers);
    HandshakeRun run_of(std::size_t lane, std::size_t edges) const;
    void compare_with_simulator() const;

    const DesignQuestion& question_;
    const Sources& sources_;
    std::function<bool()> must_stop_;
    Shape shape_;
    Stepper stepper_;
    Random random_;
    std::vector<Lane> lanes_;
    std::vector<Edge> log_;            ///< from the reset on
    std::vector<std::size_t> edge_of_; ///< of the results of the last batch
    Lanes mostly_valid_ = 0, mostly_ready_ = 0, steady_ = 0, valid_ = 0, ready_ = 0;
    std::size_t lanes_used_ = 1;
    std::uint64_t before_ = 0; ///< vectors of earlier batches
    std::optional<HandshakeRun> faulty_;
    std::string fault_;
};

} // namespace discern::rtl
