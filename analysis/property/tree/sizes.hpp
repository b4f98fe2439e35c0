// How large the results of finite inputs can become on their way through a tree, and how much they can lose: bounds
// that hold for all inputs, from the largest numbers of the formats alone.
#pragma once

#include "models/unit.hpp"

#include <cstdint>
#include <optional>

namespace discern::property {

/// Whether no rounding of finite inputs gives infinity, or NaN in a format without one, in any block: each bound is
/// below what rounds to that.
bool never_overflows(const Unit& unit);

/// The same of all results that something is added to: of an inner rounding, or of a block before the last one. An
/// infinity among the inputs then meets none that is not.
bool never_overflows_within(const Unit& unit);

/// Whether no result that something is added to is the largest number of a format in place of one beyond it; nor one
/// that is converted to d's format from one of smaller numbers. What d's own rounding makes of a sum that is beyond the
/// largest number is no farther from an exact result that is not.
bool never_saturates_within(const Unit& unit);

/// Of one block that is one fused sum, all of whose terms are cut toward zero: whether all that is cut is less than
/// what lies between the largest number and where rounding gives infinity. Then d is infinite only if the exact result
/// is beyond the largest number.
bool cuts_less_than_overflow_takes(const Unit& unit);

/// Of one such block: d is at most that number from the exact result, since so many numbers fit into what is cut, even
/// where they are closest. Nothing: it is another tree, or the bound is above `most`.
std::optional<std::int64_t> most_numbers_off(const Unit& unit, std::int64_t most);

} // namespace discern::property
