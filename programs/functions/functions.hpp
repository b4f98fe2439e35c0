// What PTX's instructions on numbers compute, on bit patterns: those that the ISA defines to the last bit, and
// stand-ins for those that it leaves to the machine.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace discern::programs {

struct Function {
    using Compute = std::uint64_t (*)(const std::uint64_t* arguments, bool flushes);
    Compute compute = nullptr;
    bool flushes = false;  ///< .ftz: subnormal operands and results are zero
    bool is_exact = false; ///< false: a stand-in, near to what the instruction gives
    explicit operator bool() const { return compute != nullptr; }
    std::uint64_t operator()(const std::uint64_t* arguments) const { return compute(arguments, flushes); }
};

/// The function of an instruction by its name, such as add.rn.ftz.f32; none if it is not known.
/// The sizes of arguments are those of the instruction; predicates are 0 or 1.
Function function_of(std::string_view name);

} // namespace discern::programs
