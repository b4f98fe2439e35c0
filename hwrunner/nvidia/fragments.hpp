// Where each element of A, B, C and D lies when an instruction takes it: a table of bit offsets into one image.
//
// The kernels know nothing of matrices: they copy an image, word by word, to registers, shared memory or tensor memory,
// run the instruction, and copy what it gave back. What each word means is said here, from the figures and formulas of
// the PTX ISA ("Matrix Fragments for mma", "wgmma Shared Memory Layout", "tcgen05 Data Path Layout", "Scale Factor").
// Since it is a table, it can be read in both directions and checked without a GPU.
#pragma once

#include "cuda_instruction.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace discern {

struct ImageLayout {
    std::size_t in_bytes = 0, out_bytes = 0; ///< of one instruction

    /// Bit offsets of the lowest bit, tile after tile in the order of MatrixTile: of a, b and c into what goes in, of d
    /// into what comes out.
    std::vector<std::size_t> a, b, c, d;
    /// A scale is held by several lanes; all of them.
    std::vector<std::vector<std::size_t>> sa, sb;

    // Where the parts begin, in bytes; the kernels are written with these.
    std::size_t a_at = 0, b_at = 0, c_at = 0, sa_at = 0, sb_at = 0;
};

/// Registers of one thread that hold a part of mma.sync's operands: 32 bits each, or 64 for f64.
struct FragmentSizes {
    int register_bits = 32;
    int a = 0, b = 0, c = 0, d = 0;
};
FragmentSizes fragment_sizes(const CudaInstruction& instruction);

/// Threads of wgmma and tcgen05, each with one word of C for each register or column.
inline constexpr int warpgroup_threads = 128;
/// Words of C that a thread of wgmma has.
int wgmma_accumulators(const CudaInstruction& instruction);

/// Shared memory: core matrices of 8 rows × 16 bytes, those of one K step one after the other, then the next 8 rows.
inline constexpr int row_bytes = 32; ///< every instruction's K takes 32 bytes of a row
inline constexpr int core_bytes = 8 * 16;
inline constexpr int leading_offset = core_bytes;    ///< between core matrices that are neighbours along K
inline constexpr int stride_offset = 2 * core_bytes; ///< between core matrices that are neighbours along M or N
/// What a descriptor of such a matrix holds besides its address, which is in the low 14 bits in units of 16 bytes.
std::uint64_t shared_memory_descriptor(CudaForm form);
/// tcgen05's description of types and shape.
std::uint32_t instruction_descriptor(const CudaInstruction& instruction);

/// Words of tensor memory that hold the scales of one operand: columns × lanes, repeated for each warp.
inline constexpr int scale_columns = 4, scale_lanes = 32;

ImageLayout image_layout(const CudaInstruction& instruction);

/// Writes up to CudaInstruction::tiles tiles into an image of in_bytes zero bytes.
void pack_image(const ImageLayout& layout, const Shape& dot, std::span<const MatrixTile> tiles,
                std::span<std::uint8_t> image);
/// Appends D of the first tiles of what came out.
void unpack_results(const ImageLayout& layout, const MatrixShape& shape, std::size_t tiles,
                    std::span<const std::uint8_t> image, std::vector<std::uint64_t>& d);

} // namespace discern
