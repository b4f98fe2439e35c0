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

/// Likewise for all results that are added to: of an inner rounding, or of a block before the last one. Then an
/// infinity among the inputs never meets an infinity that is not.
bool never_overflows_within(const Unit& unit);

/// Whether no inner result that is added to, or is converted to d's format from a format of smaller numbers, is
/// saturated (the largest number instead of a larger one). Saturation by d's own rounding is harmless: it does not move
/// a sum further away from an exact result that is at most the largest number.
bool never_saturates_within(const Unit& unit);

/// Of one block that is one fused sum, all of whose terms are truncated toward zero: whether all that is truncated is
/// less than what lies between the largest number and where rounding gives infinity. Then d is infinite only if the
/// exact result is beyond the largest number.
bool loses_less_than_overflow(const Unit& unit);

/// Of one such block: d is at most that number from the exact result, since so many numbers fit into what is truncated,
/// even where they are closest. Nothing: it is another tree, or the bound is above `most`.
std::optional<std::int64_t> most_numbers_off(const Unit& unit, std::int64_t most);

} // namespace discern::property
