/* A target for discern in C: the multiply-add of this machine's C library, through discern_target.h.
 *
 *     cc -O2 -o fma docs/examples/exec_target/fma.c -lm
 *     discern check exec:./fma x86/fma.f32 --nan any
 *
 * Where this calls fmaf(), a model of a unit calls itself. */
#include "discern_target.h"

#include <math.h>

static float number(uint64_t pattern) {
    const uint32_t bits = (uint32_t)pattern;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static const char* unit(void* context, const discern_vector* v, uint64_t* d) {
    const float x = fmaf(number(v->a[0]), number(v->b[0]), number(v->c));
    uint32_t bits;
    (void)context;
    memcpy(&bits, &x, sizeof bits);
    *d = bits;
    return NULL;
}

int main(void) { return discern_serve("f32,f32,f32,f32", 1, unit, NULL); }
