// The vectors with which a sweep simulates gates: given ones, counterexamples, and vectors near these. Where the
// question has a condition on the inputs, only vectors that satisfy it count.
#pragma once

#include "signatures.hpp"

#include "models/random.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace discern::certificate {

class SweepVectors {
  public:
    /// 64 vectors: a word for each input; bit v is its value in vector v.
    using Words = std::vector<std::uint64_t>;
    /// Which of 64 vectors satisfy the condition.
    using Condition = std::function<std::uint64_t(std::span<const std::uint64_t>)>;
    /// The value of an input in a solution; nothing if it may have either.
    using ValueFound = std::function<std::optional<bool>(std::size_t)>;

    /// @param differ  what makes a vector one that settles the question
    SweepVectors(Signatures& signatures, Literal differ, Condition allowed, std::uint64_t seed)
        : signatures_(signatures), differ_(differ), allowed_(std::move(allowed)), random_(seed) {}

    void add(Words words);
    /// A solution, and 63 vectors near it. @param value  of each input
    void add_near(const ValueFound& value);
    /// Vectors by a random walk from a solution that stays within the condition, which few vectors may satisfy.
    /// @return whether the first one satisfies it
    bool walk_from(const ValueFound& value);

    /// A vector on which `differ` holds, if there is one among them: a bit for each input. Else empty.
    const std::vector<std::uint64_t>& telling() const { return telling_; }

  private:
    Signatures& signatures_;
    Literal differ_;
    Condition allowed_;
    Random random_;
    std::vector<std::uint64_t> telling_;
};

} // namespace discern::certificate
