// What the fast kernels need to know about a unit: a tree of a known shape, reduced to numbers.
//
// The shapes are those of instructions (Xie et al., "Bit-Accurate Modeling of GPU Matrix Multiply-Accumulate Units",
// Algorithms 1-11). A tree of any other shape has no recipe and is left to the general evaluator.
#pragma once

#include "steps.hpp"

#include "models/unit.hpp"

#include <cstdint>
#include <optional>

namespace discern::fast {

/// The shape of one block's tree.
enum class Form {
    fused,     ///< round(fuse[F rz](p*, c)): T-FDPA and, with scales of single elements, ST-FDPA
    two_level, ///< round(fuse(fuse[F rz](p*) @[F2 rd], c @[F rd])): TR-FDPA, and GTR-FDPA with even and odd sums;
               ///< perhaps round(round[e8mN rd](…))
    grouped,   ///< round(fuse[F rz](g*, c)): GST-FDPA
    exact,     ///< round[f32 rne](fuse[exact](p*, c)): E-FDPA
    fma32,     ///< a chain of fused multiply-adds in f32
    fma64,     ///< the same in f64
    pairwise,  ///< FTZ-AddMul: rounded products summed in pairs, in f32 with flush to zero
    steps,     ///< any other tree, operation by operation
};

constexpr int most_groups = 16; ///< of a block
constexpr int most_halves = 64; ///< half products of a block

struct Recipe {
    Form form = Form::fused;
    int L = 16;
    int F = 0, F2 = 0;
    int floor = no_exponent;  ///< lower bound of the reference exponent
    double c_unit = 0;        ///< two_level: 2^(F2 − F)
    int halves = 1;           ///< two_level: 2 if even and odd products have sums of their own
    int drop = 0;             ///< two_level: c counts as zero below E − drop; 0: never
    bool limited = false;     ///< products of magnitude ≥ 2^128 become infinite and can occur
    bool yields = true;       ///< … and such infinities give way to those of the inputs
    int c_zero = no_exponent; ///< reference exponent of a zero accumulator; own_exponent: that of its fields
    int kept = 0; ///< two_level: fraction bits to which the sum with c is truncated, normalised; 0: it is not
    std::optional<int> empty;    ///< grouped: reference exponent of a group of zeros; nothing: that of its scales
    int group = 16;              ///< grouped: elements of a group
    int digits = 0;              ///< grouped: a scaled group is a multiple of 2^(its exponent − digits)
    Flushed ftz = Flushed::none; ///< of a, b and c
    OperandExponents exponents;  ///< of a and b
    int first_emin = -126;       ///< reference exponent of a subnormal c: in the first block,
    int emin = -126;             ///< … and in those after it
    Result result;
    Result last;       ///< how a last or late c is added: in d's format
    bool late = false; ///< c is added after each block, which begins with +0

    /// Operands are so narrow that products are computed in fp32 and exponents in 8 bits: F, L and the formats fit.
    bool narrow = false;
    /// Operands have the exponents of f32 but few bits: fp32 after scaling, and distances to the largest exponent in 8
    /// bits.
    bool gap = false;
    /// narrow: each block has one scale, a power of two, in each line; values and exponents are without it.
    bool scaled = false;
    /// narrow: the code of the smallest product exponent is 128, so this one minus 128 is the exponent of code 0.
    int narrow_bias = 0;
    /// narrow: 32 bits may not hold the sum of all products.
    bool split = false;
    /// narrow: nor may they hold that of all products and c.
    bool may_overflow = true;
    /// narrow: suitably scaled products are numbers of f16, and each fits 16 bits when it is aligned.
    bool half_products = false;
    /// narrow: a subnormal accumulator has a reference exponent above some product's, or there is a floor.
    bool careful_c = false;
    /// exact: products are multiples of 2^low and their sums below 2^high; 0: at most two products of any exponents.
    int low = 0, high = 0;
    int room =
        0; ///< exact: f64 holds the sum if the exponents of a and those of b spread by no more than this together
    double splitter = 0; ///< adding and subtracting it rounds to a multiple of 2^middle

    Steps steps; ///< of the form `steps`
};

/// The recipe of a unit, or nothing if its tree or its formats have none.
std::optional<Recipe> recipe_of(const Unit& unit);

} // namespace discern::fast
