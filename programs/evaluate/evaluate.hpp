// A graph with numbers: matrix instructions by the models, in batches, and everything else by the functions of PTX.
#pragma once

#include "programs/graph/graph.hpp"

#include <memory>
#include <span>
#include <vector>

namespace discern::programs {

/// The values of some nodes, for many assignments of their leaves. What is common to all assignments is planned once.
class Evaluation {
  public:
    /// @param roots  whose values are wanted @throws Error if a function of them has no value
    Evaluation(const Graph& graph, std::span<const NodeId> roots, unsigned threads = 1);
    ~Evaluation();
    Evaluation(Evaluation&&) noexcept;
    Evaluation& operator=(Evaluation&&) noexcept;

    /// The leaves on which the roots depend, in ascending order.
    const std::vector<NodeId>& leaves() const;
    /// Functions that are computed by a stand-in, by name.
    const std::vector<std::string>& stand_ins() const;

    /// @param given  a pattern of each leaf, for each assignment: those of the first leaf first
    /// @return the same of the roots
    std::vector<std::uint64_t> operator()(std::span<const std::uint64_t> given, std::size_t assignments = 1) const;

  private:
    struct Plan;
    std::unique_ptr<const Plan> plan_;
};

} // namespace discern::programs
