// Several copies of one target that answer a batch together: a program behind a pipe is often slower than all that
// discern does, and computes on one core.
#pragma once

#include "hwrunner/target.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace discern {

class SideBySide final : public Target {
  public:
    using Start = std::function<std::unique_ptr<Target>()>;

    /// @param start  starts one copy; the others are started when a batch is first worth them
    /// @param most   copies, at least one
    /// @throws Error if the first cannot be started
    SideBySide(Start start, std::size_t most);

    const Shape& shape() const override { return copies_.front()->shape(); }
    Identity identity() const override { return copies_.front()->identity(); }
    /// Each copy answers a part of the batch. If one fails, the answers before its failure are there, and its error is
    /// thrown.
    void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) override;

  private:
    static constexpr std::size_t least_for_a_copy = 16; ///< vectors

    Start start_;
    std::size_t most_;
    std::vector<std::unique_ptr<Target>> copies_;
};

} // namespace discern
