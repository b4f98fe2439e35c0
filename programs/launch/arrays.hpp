// The arrays of a launch in memory: what they hold before it, as leaves of the graph, and what the kernel wrote.
#pragma once

#include "programs/machine/memory.hpp"
#include "run.hpp"

#include <string_view>

namespace discern::programs {

class LaunchMemory {
  public:
    /// Of a kernel whose file and launch are known.
    explicit LaunchMemory(RunKernel& kernel) : kernel_(kernel), launch_(kernel.launch) {}

    Memory memory;

    /// Puts all arrays into the memory, first of all. @throws Error
    void make_arrays();
    /// The bytes that are passed for an argument; of a tensor map none.
    std::vector<std::uint8_t> bytes_of(const ArgumentSpec& argument);
    /// The address of zeros. @param zeros  how many bytes
    std::uint64_t scratch(std::uint64_t zeros);
    /// @throws Error if so many bytes cannot be passed for the i-th argument, whose parameter has `size`
    void require_size(std::size_t i, std::size_t bytes, std::uint64_t size) const;
    /// Takes what each result holds into the kernel. @throws Error if the kernel does not write one
    void collect();

  private:
    [[noreturn]] void fail(std::string_view why) const;
    std::vector<std::uint8_t> structure_of(const ArgumentSpec& argument);
    std::size_t operand(const ArraySpec& result) const;
    Result result_of(std::size_t number);

    RunKernel& kernel_;
    const Launch& launch_;
};

} // namespace discern::programs
