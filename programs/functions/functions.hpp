// What PTX's instructions on numbers compute, on bit patterns: those that the ISA defines to the last bit, and
// stand-ins for those that it leaves to the machine.
#pragma once

#include "models/format.hpp"

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

/// To nearest, ties to even: a number of f32 or f64 as a pattern of a narrower format. Every f16, bf16, e4m3 and e5m2
/// has fewer digits than half of those of a double, so the double's own rounding does no harm to sums of two.
/// @param nan  the pattern of NaN
std::uint64_t narrowed(double x, FormatId id, std::uint64_t nan);

/// The function of an instruction by its name, such as add.rn.ftz.f32; none if it is not known.
/// The sizes of arguments are those of the instruction; predicates are 0 or 1.
Function function_of(std::string_view name);

} // namespace discern::programs
