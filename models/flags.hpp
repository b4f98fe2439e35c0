// The status flags of IEEE 754-2019, §7, that a dot product raises.
//
// A multiply-add, an addition and a product of IEEE 754 raise them, and a unit that is made of such operations raises
// what any of them does, as a status register keeps it. For sums of more terms IEEE 754 says nothing; of these RISC-V's
// bulk-normalised dot product has flags here, by its specification.
#pragma once

#include "evaluate.hpp"
#include "unit.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace discern {

/// A set of flags, by the bits of TestFloat and of RISC-V's fflags.
using StatusFlags = std::uint8_t;

enum class StatusFlag : std::uint8_t {
    inexact = 1,
    underflow = 2, ///< tiny and inexact: the default handling of IEEE 754, §7.5
    overflow = 4,
    divide_by_zero = 8, ///< which no dot product raises
    invalid = 16,
};

constexpr StatusFlags bits_of(StatusFlag flag) { return static_cast<StatusFlags>(flag); }
inline constexpr StatusFlags all_status_flags = 0x1f;

struct StatusFlagName {
    StatusFlag flag;
    std::string_view name;
};
/// From the highest bit down.
inline constexpr std::array<StatusFlagName, 5> status_flag_names = {{{StatusFlag::invalid, "invalid"},
                                                                     {StatusFlag::divide_by_zero, "divide-by-zero"},
                                                                     {StatusFlag::overflow, "overflow"},
                                                                     {StatusFlag::underflow, "underflow"},
                                                                     {StatusFlag::inexact, "inexact"}}};

/// Two hexadecimal digits.
std::string flag_digits(StatusFlags flags);
/// The flags of one or two hexadecimal digits, or nothing.
std::optional<StatusFlags> flags_of_digits(std::string_view digits);
/// What those must be, for messages.
inline constexpr std::string_view right_flags =
    "they must be two hexadecimal digits, the sum of 10 (invalid), 04 (overflow), 02 (underflow) and 01 (inexact)";
/// The names of the flags with commas, or "none".
std::string names_of_flags(StatusFlags flags);

/// When a result is tiny (IEEE 754, §7.5): the standard leaves it to the implementation.
enum class Tininess : std::uint8_t {
    after,  ///< if it is below the smallest normal number when rounded with unbounded exponent: x86, RISC-V
    before, ///< if the exact number is: Arm
};
inline constexpr std::array<std::string_view, 2> tininess_names = {"after", "before"};
/// The one of that name, or nothing.
std::optional<Tininess> tininess_from_name(std::string_view text);

/// Which flags a unit can raise.
struct DefinedFlags {
    StatusFlags raised = 0; ///< those that can be
    std::string why_not;    ///< why they are not defined, as the end of a sentence; empty: they are
};
DefinedFlags defined_flags(const Unit& unit);

/// The flags of one dot product, in unbounded integers. @throws Error if they are not defined
StatusFlags flags_exactly(const Unit& unit, const Inputs& inputs, Tininess tininess);

} // namespace discern
