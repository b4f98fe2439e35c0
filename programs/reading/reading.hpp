// A kernel that was read: of each result the schedule, or terms, and what cannot be known from the code alone.
#pragma once

#include "programs/fold/schedule.hpp"
#include "programs/fold/terms.hpp"
#include "programs/launch/run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace discern::programs {

struct ReadResult {
    FoldedResult folded;
    std::optional<ScheduledTerm> schedule;  ///< of all elements
    std::vector<std::string> uninterpreted; ///< functions that the ISA does not define to the last bit, by name
    /// Atomic sums, or what atomic operations found, are those of this run's order, which is not the kernel's: another
    /// order may give other bits.
    bool order_matters = false;
    std::uint64_t contractible = 0; ///< products without .rn that are added without .rn: one instruction, or two
    int contractible_line = 0;      ///< of the sum of one of them; 0: not known
};

struct KernelReading {
    RunKernel kernel;
    std::vector<ReadResult> results;
};

/// @param terms  shared with the readings that this is to be compared with @throws Error
KernelReading reading_of(RunKernel kernel, Terms& terms);
/// The same of a kernel in PTX.
KernelReading read_kernel(std::string ptx, const std::string& file, Launch launch, Terms& terms);

} // namespace discern::programs
