// A unit as a kernel: every thread computes one element of a product, or one vector, as a chain of the unit's
// instructions, in integers.
//
// What an instruction computes are the wires of its datapath (words.hpp), in line. Around them are the loop over k and
// the addresses; an accumulator stays in a register. Nothing of it depends on the machine: it is the text for sm_70,
// which the driver translates for any later one.
#pragma once

#include "models/unit.hpp"

#include <cstdint>
#include <string>

namespace discern::gpu {

inline constexpr unsigned threads_per_block = 128;

/// What a launch says: numbers of 64 bits in this order, one parameter. Offsets and steps are bytes, and addresses
/// those of device memory.
struct Arguments {
    std::uint64_t count = 0;   ///< elements of this launch
    std::uint64_t first = 0;   ///< the first of them, counted row by row
    std::uint64_t columns = 0; ///< elements of a row
    std::uint64_t steps = 0;   ///< instructions of a chain
    std::uint64_t from_c = 0;  ///< 1: chains begin with C, whose patterns are in c's format; 0: with +0
    std::uint64_t a = 0, a_row = 0;
    std::uint64_t b = 0, b_row = 0, b_column = 0;
    std::uint64_t b_k = 0; ///< from an element of k to the next; those of A are side by side
    std::uint64_t c = 0, d = 0;
    std::uint64_t sa = 0, sa_row = 0;
    std::uint64_t sb = 0, sb_row = 0, sb_column = 0, sb_k = 0;
};

/// The text of the kernel, called as those of hwrunner/nvidia/ptx.hpp, with one parameter, Arguments. All of K, scales
/// included, must be there for each instruction.
/// @throws Error if the unit is wrong, or takes more statements than a kernel may have
std::string kernel_text(const Unit& unit);

} // namespace discern::gpu
