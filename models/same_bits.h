/* For compilers, in C: may one kernel take the place of another without a change of bits?
 *
 * A kernel is a text, UNIT@[SCHEDULE] (docs/notation.md, "Schedules"), for example
 *   "hopper/wgmma.m64n8k16.f32.f16.f16@[split=4 reduce=order:f32:rne]".
 * Safe from several threads at once; nothing is kept between calls. */
#ifndef DISCERN_SAME_BITS_H
#define DISCERN_SAME_BITS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum discern_answer {
    DISCERN_SAME,      /* for every input: the kernels have one normal form (docs/same-bits.md, "By structure") */
    DISCERN_DIFFERENT, /* a product was found on which they differ */
    DISCERN_UNKNOWN,   /* neither; `discern same-bits`, which has solvers, may know */
    DISCERN_ERROR      /* a text is no kernel, or the two cannot be compared */
};

/* Equal normal forms take some microseconds to a millisecond; otherwise up to `products` random ones are computed by
 * both.
 *
 * k: products of the kernels, if their texts do not say it; else 0.
 * products: how many to compare at most; 0: none, so that the answer is never DISCERN_DIFFERENT.
 * message, size: takes a sentence, cut at `size` and ended by 0: what is wrong, or on which product they differ. May be
 * NULL with size 0. */
enum discern_answer discern_same_bits(const char* one, const char* other, int k, int products, char* message,
                                      size_t size);

#ifdef __cplusplus
}
#endif

#endif
