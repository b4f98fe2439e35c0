// A tree of any shape as a list of operations on lanes of doubles, which the kernel of kernels/steps.hpp executes one
// after another.
//
// The other kernels know the shapes of trees that most instructions have. This one is for all the others: chains of
// IEEE operations with flushing, sums in a frame of signs, sums of sums with roundings between them. What it needs is
// that a double holds each intermediate number, or that an exact sum is rounded at once, for which rounding it to odd
// in a double first changes nothing (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").
#pragma once

#include "models/unit.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>

namespace discern::fast {

constexpr int no_exponent = -12000;  ///< the code of a zero operand where codes are 16 bits wide
constexpr int own_exponent = -12001; ///< stands for the exponent of a zero's fields
/// The exponent of a sum in which no term took part; every product's is larger, and 2 to it is a double.
constexpr int lowest_exponent = -600;

/// Operands that are read as zero before anything else.
enum class Flushed : std::uint8_t {
    none,
    subnormals,            ///< as +0
    subnormals_and_zeros,  ///< as +0, −0 too
    subnormals_keep_signs, ///< as zeros of their own sign
};

/// The reference exponents of subnormal a and b.
struct OperandExponents {
    int down_to = INT_MAX; ///< they are read in a format of this least exponent, if it is below their own one's

    int emin(const Format& f) const { return std::min(f.emin(), down_to); }
    bool operator==(const OperandExponents&) const = default;
};
/// Those that the products have.
inline OperandExponents exponents_of(const Product& p) {
    return p.as ? OperandExponents{format(*p.as).emin()} : OperandExponents{};
}

/// How an exact value becomes a number of a format: of a block, the next accumulator.
struct Result {
    int mantissa_bits = 23;
    int emin = -126;
    bool to_nearest = false; ///< ties to even; otherwise toward zero
    bool keep_sign = false;  ///< of a non-zero value that rounds to zero
    double max_finite = 0;   ///< above it: infinity
    /// For the kernels: 2^emin, 2^m, 2^−m, and what 2^e times makes adding it round to m bits, in f64 and in f32.
    double least = 0, up = 0, down = 0, nearest = 0;
    float nearest_in_f32 = 0;
};

/// @param nearest  else toward zero, or as a step says
Result result_in(const Format& f, bool nearest, bool keep_sign);

/// One operand of a step, and how a sum aligns it.
struct StepTerm {
    enum class Kind : std::uint8_t {
        product,     ///< element `index` of a times that of b
        accumulator, ///< c
        step,        ///< the result of step `index`
    };
    Kind kind = Kind::product;
    Rounding mode = Rounding::rz;
    std::int16_t index = 0;
    std::int16_t F = 0;
    std::int16_t drop = -1; ///< −1: never
    std::int16_t less = 0;
    std::int16_t zero = 0; ///< of c: the exponent of a zero, no_exponent or own_exponent
    double unit = 1;       ///< 2^(the sum's F − F): of the aligned integer
};

struct Step {
    enum class Kind : std::uint8_t {
        aligned, ///< a sum of terms that are aligned to E
        exact,   ///< an exact sum, rounded to odd in a double
        round,   ///< to a format
    };
    Kind kind = Kind::round;
    std::uint8_t first = 0, count = 0; ///< its terms

    // aligned
    bool plus = false, sticky = false;
    SignFrame frame = SignFrame::none;
    Opposed opposed = Opposed::all;
    int F = 0;        ///< the largest of its terms
    int floor = 0;    ///< lower bound of E; that of a sum in which no term takes part, if there is none
    int raise_to = 0; ///< E is raised to the next number that is `phase` modulo this; 0: it is not
    int phase = 0;

    // exact
    int split = 0; ///< products are split at 2^(E − split) into two parts, whose sums doubles hold; 0: they are not

    // round
    Rounding mode = Rounding::rne;
    bool native = false;         ///< f32 to nearest: the conversion of the CPU, but for what is flushed
    bool flushes_result = false; ///< subnormal results become zero
    bool flush_sign = true, zero_sign = true;
    bool to_largest = false; ///< what overflows
    bool kinds_stay = false; ///< NaN of this round's result are still told apart: another rounding follows
    double flush_below = 0;  ///< magnitudes below it become zero before they are rounded
    Result to{};
    std::uint32_t factor_nan = 0; ///< what NaN of a factor becomes, as f32 has its bits
};

/// How NaN are told apart.
enum class NanBits : std::uint8_t {
    canonical, ///< not at all
    operands,  ///< nan=x86
    ranked,    ///< nan=rdna
};

constexpr int most_steps = 40, most_terms = 80;
constexpr int most_dropped = 4; ///< terms of a sum that may be dropped

/// The steps of a block, each after those whose results it reads; the last one is the root.
struct Steps {
    int count = 0, terms = 0;
    Step step[most_steps];
    StepTerm term[most_terms];
    NanBits nan = NanBits::canonical;
    bool invalid_as_factor = false;   ///< an invalid operation gives the NaN of a factor
    Flushed operands = Flushed::none; ///< of a and b
    OperandExponents exponents;       ///< of the same
    std::optional<int> c_emin;        ///< the reference exponent of a subnormal c, if it is not that of its format
    bool flushes_c = false, flushed_c_keeps_sign = true;
    double limit = 0;         ///< products of this magnitude are infinite; 0: none is
    bool oinf_yields = false; ///< … and give way to infinities of the inputs
};

/// The steps of a unit's tree, or nothing if doubles may not hold what it computes, or if it has a parameter that the
/// kernel does not know.
std::optional<Steps> steps_of(const Unit& unit);

} // namespace discern::fast
