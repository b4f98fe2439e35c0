// Asking a target the questions that are open about it: what was answered before a failure is kept.
#pragma once

#include "cli/files/target.hpp"
#include "told.hpp"

#include <map>

namespace discern::cli {

class TellSession {
  public:
    /// @param command  for the headers of observations
    TellSession(std::string command, std::stop_token stop, const Streams& io)
        : command_(std::move(command)), stop_(std::move(stop)), io_(io) {}

    /// The target runs on from one question to the next, and is started again after a failure.
    Told ask(const TargetChoice& choice, const OpenPoint& point);

    /// Random vectors for the target that was asked last, which the unit of the point should give as the target does.
    /// Nothing if the target has failed, was stopped, or can only repeat what it was asked once.
    std::optional<Control> control(const TargetChoice& choice, const OpenPoint& point);

    /// Why a target failed, the last time; empty if none did.
    const std::string& trouble() const { return trouble_; }

  private:
    /// Runs the target, which is started if it does not run. @return why not all is answered, or empty
    std::string run(const TargetChoice& choice, const Shape& shape, std::span<const Inputs> inputs,
                    std::vector<TargetAnswer>& answers);

    std::string command_;
    std::stop_token stop_;
    const Streams& io_;
    std::unique_ptr<Target> target_;
    std::string running_; ///< the target that was started last
    Header header_;       ///< of its observations
    std::string trouble_;
    std::map<std::string, std::string> unavailable_; ///< targets that could not be started, and why
};

} // namespace discern::cli
