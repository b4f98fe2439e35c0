// The kernels: PTX text that feeds one instruction with images and stores what it gives.
//
// A kernel is `discern(in, out, count)`: count images of ImageLayout::in_bytes at `in`, as many results of out_bytes at
// `out`. Its blocks take the images in turn, so that any number of blocks does all of them.
#pragma once

#include "cuda_instruction.hpp"

#include <string>

namespace discern {

inline constexpr std::string_view kernel_name = "discern";

/// Threads of a block: a warp for mma.sync, four for the others.
int threads_per_block(const CudaInstruction& instruction);

/// The kernel without its frame: declarations and statements for the inside of braces.
/// @param arguments  statements that put the kernel's arguments into %all_in, %all_out (b64) and %count (b32)
std::string ptx_body(const CudaInstruction& instruction, std::string_view arguments);

/// The whole text of a module. Its first line is a comment with the unit's name.
std::string ptx_module(const CudaInstruction& instruction);

namespace ptx {

/// What a kernel of one form adds to the frame that all share. Registers of the frame: %in, %out (images of this
/// round), %thread, %true.
struct Body {
    std::string declarations; ///< registers and shared memory
    std::string before;       ///< once, before the first image
    std::string each;         ///< for each image
    std::string after;        ///< once, after the last
};

Body mma_body(const CudaInstruction& instruction);     // ptx_mma.cpp
Body wgmma_body(const CudaInstruction& instruction);   // ptx_wgmma.cpp
Body tcgen05_body(const CudaInstruction& instruction); // ptx_tcgen05.cpp

/// "{%a0, %a1}": count registers of that prefix.
std::string registers(std::string_view prefix, int count, int first = 0);

/// Copies A and B of an image to `shared`, 16 bytes a thread and round.
std::string copy_to_shared(const CudaInstruction& instruction);
/// Declares `shared` and the registers that copy_to_shared and descriptors() use.
std::string shared_declarations(const CudaInstruction& instruction);
/// The descriptors of A and B into %descriptor_a and %descriptor_b.
std::string descriptors(const CudaInstruction& instruction);

} // namespace ptx

} // namespace discern
