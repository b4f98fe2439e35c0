// The steps of a proof as they are found, each with the clauses that show it; what the end does not need is left out
// when the proof is written.
#pragma once

#include "certificate/miter.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace discern::certificate {

/// The number of a clause: those of the formula are 1 … n.
using ClauseId = std::uint32_t;

class ProofLog {
  public:
    explicit ProofLog(std::size_t formula_clauses) : first_(static_cast<ClauseId>(formula_clauses + 1)) {}

    /// A clause that follows by unit propagation over the hints, in their order.
    ClauseId add(std::span<const std::int32_t> clause, std::span<const ClauseId> hints) {
        steps_.push_back({values_.size(), static_cast<std::uint32_t>(clause.size())});
        values_.insert(values_.end(), clause.begin(), clause.end());
        for (const ClauseId hint : hints) values_.push_back(static_cast<std::int32_t>(hint));
        return first_ + static_cast<ClauseId>(steps_.size() - 1);
    }
    std::size_t size() const { return steps_.size(); }

    /// The proof (proof.hpp) whose last step is that one, which is the empty clause.
    std::string text(ClauseId last) const;

  private:
    struct Step {
        std::size_t begin;
        std::uint32_t literals;
    };
    std::span<const std::int32_t> literals(std::size_t step) const {
        return {values_.data() + steps_[step].begin, steps_[step].literals};
    }
    std::span<const std::int32_t> hints(std::size_t step) const {
        const std::size_t begin = steps_[step].begin + steps_[step].literals;
        return {values_.data() + begin, (step + 1 < steps_.size() ? steps_[step + 1].begin : values_.size()) - begin};
    }

    ClauseId first_;
    std::vector<Step> steps_;
    std::vector<std::int32_t> values_; ///< of each step its literals, then its hints
};

} // namespace discern::certificate
