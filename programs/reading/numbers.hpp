// A launch with numbers in its matrices: the graph that was read, evaluated by the models.
#pragma once

#include "programs/evaluate/evaluate.hpp"
#include "programs/launch/run.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace discern::programs {

/// Patterns of the elements of each array of the launch, row by row; those of results are not read.
using Arrays = std::vector<std::vector<std::uint64_t>>;

class KernelNumbers {
  public:
    /// @throws Error if a value of it is not known
    explicit KernelNumbers(const RunKernel& kernel, unsigned threads = 1);

    /// The results, in the order of RunKernel::results. @param arrays  one for each of the launch
    Arrays operator()(const Arrays& arrays) const;
    /// Functions that are computed by a stand-in, by name.
    const std::vector<std::string>& stand_ins() const { return evaluation_.stand_ins(); }

  private:
    const RunKernel& kernel_;
    Evaluation evaluation_;
};

} // namespace discern::programs
