// The border between the driver, which is compiled for any CPU, and the kernels, which are compiled once for each
// instruction set: plain structures and function pointers, and nothing from the standard library that a linker could
// merge across instruction sets.
#pragma once

#include "models/fast/recipe/recipe.hpp"

#include <cstddef>
#include <cstdint>

namespace discern::fast {

constexpr std::size_t panel = 64; ///< columns (or independent vectors) of one tile

/// One operand of a tile, packed.
struct TileOperand {
    const void *values, *exponents;
    /// grouped, scaled: the scales of each group (of the block), as doubles and exponents, laid out like elements.
    const double* scales;
    const std::int16_t* scale_exponents;
    /// gap: the operands as they are (values: scaled), and the exponents by which lines were scaled: of each line.
    const float* raw;
    const std::int32_t* tops;
    std::size_t stride, scale_stride; ///< from a row of A to the next
    const std::uint8_t* special;      ///< of each line: some operand of the block is infinite or NaN
    bool any_special;                 ///< of some line
};

/// One block of a tile: `rows` rows times 64 columns, all of whose operands are packed.
///
/// The wide kernels take values as doubles (fma32, pairwise, grouped: floats) and exponents as int16; the narrow ones
/// floats and uint8 codes: 0 for a zero operand, else 64 + exponent − emin; those for gaps floats scaled by 2^−top,
/// where top is the largest exponent of the line's elements in this block, and the distance to it as code: at most 127,
/// and 255 for a zero operand. Columns of B: element k of column j is at [k·64 + j]. Rows of A: element k of row i at
/// [i·stride + k], and narrow codes repeated in the four bytes of a word; in the form for independent vectors A is
/// packed like B and there is one row.
struct Tile {
    const Recipe* recipe;
    int L; ///< elements of the block; of a chain of multiply-adds as many as there are
    TileOperand a, b;
    void* acc; ///< rows of 64 floats (fma64: doubles): c, replaced by d
    std::size_t acc_stride;
    int rows;
    int c_emin; ///< reference exponent of a subnormal accumulator
};

using TileKernel = void (*)(const Tile&);

/// Operands of 64 independent vectors, to be decoded into a panel.
struct Unpack {
    const void* rows; ///< 64 rows of K words of 1, 2 or 4 bytes; a row has an even number of bytes, at most 512
    /// Or nullptr, and K rows of 64 words, so many bytes apart: element k of all.
    const void* across;
    std::size_t across_stride;
    std::size_t K;
    int word;
    const std::size_t* order; ///< position in the panel → element of the row
    int width, mantissa_bits, emin;
    int below_emin;             ///< so far below that is the least exponent that a number may have
    int leading_zeros;          ///< the most that lower the exponent of a subnormal number, each by one
    std::uint32_t magnitudes;   ///< the bits of a magnitude
    std::uint32_t special_from; ///< magnitudes from here on are infinite or NaN
    int special_bits;           ///< a pattern of at most 16 bits that is NaN, or −1
    std::uint32_t special;      ///< what f32 has for a special magnitude, besides the mantissa
    int to_f32;                 ///< how far left the mantissa of f32 is
    std::int32_t rebias;        ///< (127 − bias)·2^23, which is not negative
    int to_half;          ///< how far left the mantissa of f16 is; −1: numbers that are not special may be there
    float half_scale;     ///< 2^(15 − bias)
    const float* sixteen; ///< of a format of at most 4 bits: the values of 16 words, or nullptr; none is special
    Flushed ftz;          ///< words of 2 bytes only
    /// Of each `scale_block` elements, 64 scales and their exponents (no_exponent: zero) side by side, or nullptr.
    const double* scales;
    const std::int16_t* scale_exponents;
    std::size_t scale_block;
    // Where results go; nullptr if they are not wanted. Codes are of words of 1 or 2 bytes only.
    float* floats;
    double* doubles;
    std::uint8_t* narrow_codes;
    std::int16_t* wide_codes;
};

/// A panel's values, to be scaled to the largest exponent of each column: the form for gaps.
struct ScaleColumns {
    const float* raw; ///< L rows of 64 columns
    std::size_t L;
    float* values;
    std::uint8_t* codes;
    std::int32_t* tops;
};

/// The kernels of one instruction set.
struct KernelSet {
    const char* name;
    /// The kernel for a recipe, or nullptr. @param pairs  the form for independent vectors
    TileKernel (*find)(const Recipe& recipe, bool pairs);
    /// Whether some operand is infinite or NaN.
    bool (*unpack)(const Unpack& request);
    void (*scale_columns)(const ScaleColumns& request);
    /// acc += c, rounded to nearest in the result's format: how a last c is added. Rows as in Tile.
    void (*add_last)(const Recipe& recipe, float* acc, const float* c, std::size_t count);
};

/// nullptr where the program was not compiled for that instruction set.
extern const KernelSet* const avx512fp16_kernels;
extern const KernelSet* const avx512_kernels;
extern const KernelSet* const avx2_kernels;
extern const KernelSet* const portable_kernels;

} // namespace discern::fast
