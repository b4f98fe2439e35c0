// A unit as a kernel: every thread computes one element of a product, or one vector, as a chain of the unit's
// instructions, in integers.
//
// What an instruction computes are the wires of its datapath (words.hpp), in line. Around them are the loop over k and
// the addresses; an accumulator stays in a register. Nothing of it depends on the machine: it is the text for sm_70,
// which the driver translates for any later one.
#pragma once

#include "models/unit.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace discern::gpu {

inline constexpr unsigned threads_per_block = 128;

/// What a launch says: numbers of 64 bits in this order, one parameter. Offsets and steps are bytes, and addresses
/// those of device memory.
enum class Argument : std::uint8_t {
    count,   ///< elements of this launch
    first,   ///< the first of them, counted row by row
    columns, ///< elements of a row
    steps,   ///< instructions of a chain
    from_c,  ///< 1: chains begin with C, whose patterns are in c's format; 0: with +0
    a,
    a_row,
    b,
    b_row,
    b_column,
    b_k, ///< from an element of k to the next; those of A are side by side
    c,
    d,
    sa,
    sa_row,
    sb,
    sb_row,
    sb_column,
    sb_k,
};
using Arguments = std::array<std::uint64_t, 19>;

/// The text of the kernel, called as those of hwrunner/nvidia/ptx.hpp, with one parameter, Arguments. All of K, scales
/// included, must be there for each instruction.
/// @throws Error if the unit is wrong, or takes more statements than a kernel may have
std::string kernel_text(const Unit& unit);

} // namespace discern::gpu
