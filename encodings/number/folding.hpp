// The rules by which the encoder leaves out what cannot happen, by name. Each stands where it is applied, as
// `match: … => …`.
//
// A rule without a use is only a way to be wrong. So each can be left out (Terms::leave_unfolded), and
// tests/encodings/customers.hpp has a pair of units of each that is one term by it, and two without it.
#pragma once

#include <cstdint>

namespace discern {

enum class Folding : std::uint8_t {
    // leaves
    operand_never_subnormal, ///< an operand that is never subnormal: nothing to flush
    infinite_sign,           ///< no zero factor beside an infinite one: one sign for both
    zero_pattern,            ///< a pattern that is always zero: the smallest exponent
    // roundings
    same_pattern,        ///< rounded again to the same format
    no_underflow,        ///< multiples of the least number do not round to zero
    all_flushed,         ///< what rounds to zero has been flushed
    no_overflow,         ///< none is too large
    never_flushes,       ///< none is below 2^emin
    zeros_positive,      ///< no result is −0
    exact_round,         ///< nothing is rounded
    exact_round_flushed, ///< nothing but what is flushed is rounded
    flush_of_mantissa,   ///< before and after rounding, the same are flushed
    double_rounding,     ///< the first of two roundings is innocuous
    exact_rounding,      ///< an inner rounding without effect: the operand
    // the walk over the tree
    zero_sign_unseen,        ///< signs of zeros have no effect
    zero_sign_inner_block,   ///< … nor have those of blocks but the last
    limit_of_overflow,       ///< what a limit makes infinite overflows anyway
    align_as_outer,          ///< rounded down twice: once
    most_bounds_exponent,    ///< the largest result bounds the exponent
    subnormals_unobservable, ///< subnormal numbers beside much larger ones
    plus_zero_last,          ///< a sum with +0 that is zero is +0
    // truncations that cannot be observed
    unobservable_truncation,  ///< all those of truncations beside one other summand:
    lost_nothing,             ///< there is nothing to lose, or the sum is infinite
    lost_nothing_nearest,     ///< … or becomes infinite to nearest
    same_way,                 ///< rounded down twice, here and by the consumer
    same_way_anywhere,        ///< … where E is no exponent of a summand, too
    odd_always,               ///< to odd
    rna_one_bit,              ///< a single bit, to nearest away
    beside_ties,              ///< digits of products keep them away from ties
    beside_ties_evenly,       ///< … and ties go to even
    unobservable_at_constant, ///< where E is a constant
    exponents_of_flushed,     ///< exponents that count only where the sum is flushed
    // sums
    exact_one_scale,   ///< products that share their scales
    sum_of_one,        ///< a sum of one
    stays,             ///< no summand but zero becomes zero
    wide_register,     ///< a register that never wraps
    all_exact,         ///< nothing is truncated
    open_sums,         ///< the summands of an exact sum in an exact sum
    span_of_two,       ///< bounds of a sum of two,
    span_of_one_scale, ///< of products that share their scales,
    least_of_aligned,  ///< of the least magnitude of what is aligned,
    least_of_exact,    ///< and of an exact sum
    move_less,         ///< `less` of one of two: more bits of the other
    // E, the common exponent
    zero_as_floor,    ///< the constant exponent of a zero: a floor
    floor_below_sure, ///< a floor that E is never below
    base_of_drops,    ///< exponents that drop nothing
    harmless_base,    ///< exponents that truncate nothing
    zero_below_sure,  ///< a zero that E is never below
    harmless_zero,    ///< a zero that truncates nothing
    count,            ///< how many there are
};

} // namespace discern
