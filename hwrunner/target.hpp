// A target: something that computes dot products and is not ours to look into. Bits in, bits out, in batches.
#pragma once

#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/flags.hpp"
#include "models/shape.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace discern {

/// A target was asked to stop while answers were due.
class Stopped : public Error {
  public:
    using Error::Error;
};

/// What a target gave for one vector: d, or the reason why it gave none.
struct TargetAnswer {
    std::uint64_t d = 0;
    std::string error = {};                ///< not empty: the target could not compute this vector, in its own words
    std::optional<StatusFlags> flags = {}; ///< raised on the way to d, if it says so

    bool ok() const { return error.empty(); }
    bool operator==(const TargetAnswer&) const = default;
};

/// What is known of a target besides its name (vendor, model, …), in order, for the header of observations.
using Identity = std::vector<std::pair<std::string, std::string>>;

class Target {
  public:
    Target() = default;
    virtual ~Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    /// Formats, scale blocks and K of every vector.
    virtual const Shape& shape() const = 0;
    virtual Identity identity() const = 0;

    /// Runs the batch, whose vectors have the target's shape, and appends an answer each, in order.
    /// @throws Error if the target fails, Stopped if it was to stop (TargetOptions::stop) and answers were due. The
    /// answers that it gave before are in `answers`; it cannot be used again.
    virtual void run(std::span<const Inputs> batch, std::vector<TargetAnswer>& answers) = 0;
};

/// The rule for targets that cannot answer single vectors: ten in a row, batches notwithstanding, end the run.
class FailureStreak {
  public:
    static constexpr int most = 10;

    explicit FailureStreak(std::string target) : target_(std::move(target)) {}
    /// Takes note of an answer. @throws Error if it is the tenth failure in a row
    void count(const TargetAnswer& answer);

  private:
    std::string target_;
    int failures_ = 0;
};

} // namespace discern
