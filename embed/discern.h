/* discern for programs in any language that can call C: units from text, their dot products and matrix products bit for
 * bit, and the answers of all commands as JSON. docs/embed.md has examples in C, Python and Rust.
 *
 * Patterns. Operands are row-major arrays of bit patterns, each in the low bits of the smallest unsigned word (8, 16,
 * 32 or 64 bits) that holds its format: discern_unit_shape says how many bits a format has. Words of the machine's byte
 * order.
 *
 * Errors. A function that can fail takes `message` and `size`, for a sentence that says what is wrong, cut at `size`
 * and ended by 0; NULL and 0 if it is not wanted. No C++ exception leaves the library.
 *
 * Threads. Functions may be called from several threads at once, also with one unit; only discern_unit_free may not
 * while the unit is in use. There is no global state.
 *
 * Versions. This header follows semantic versions: until DISCERN_API changes, functions keep their meaning, structs
 * their layout and constants their numbers; new functions may be added. */
#ifndef DISCERN_H
#define DISCERN_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DISCERN_API 1

/* The version of the library, as "0.3.0". */
const char* discern_version(void);

/* A unit, or a kernel; it never changes. */
typedef struct discern_unit discern_unit;

/* The formats' bits, and counts. c_bits is 0 if there is no accumulator input; scale_bits, scale_block and scales are 0
 * without scales. */
struct discern_shape {
    int a_bits, b_bits, c_bits, d_bits, scale_bits;
    int K;           /* products of a dot product: patterns of a and of b */
    int scale_block; /* elements that share a scale */
    int scales;      /* of a dot product: patterns of sa and of sb */
};

/* A unit of a text: a name of the catalogue, a line of the notation (docs/notation.md), either with overrides in
 * braces; or a kernel, UNIT@[SCHEDULE]. NULL if the text is none. */
discern_unit* discern_unit_new(const char* text, char* message, size_t size);
void discern_unit_free(discern_unit* unit);
void discern_unit_shape(const discern_unit* unit, struct discern_shape* shape);

/* `count` independent dot products: a and b have count × K patterns, c and d count, sa and sb count × scales. What the
 * unit does not have is NULL. 0 if all is done, else -1. */
int discern_dots(const discern_unit* unit, size_t count, const void* a, const void* b, const void* c, const void* sa,
                 const void* sb, void* d, char* message, size_t size);

/* D = A·B + C: A is m × k, B k × n, C and D m × n; sa has m rows of ceil(k / scale_block), sb as many rows of n. A unit
 * takes K elements of k at a time, the result of one instruction the c of the next, and zeros where k is no multiple of
 * K; a kernel computes its own K alone. 0 if all is done, else -1. */
int discern_gemm(const discern_unit* unit, size_t m, size_t n, size_t k, const void* a, const void* b, const void* c,
                 const void* sa, const void* sb, void* d, char* message, size_t size);

/* Why the unit gives what it gives, of one dot product (operands as discern_dots takes them): what `discern explain
 * --json` prints (docs/schemas/explain.json), which discern_free takes back. NULL if there is none. */
char* discern_explain(const discern_unit* unit, const void* a, const void* b, const void* c, const void* sa,
                      const void* sb, char* message, size_t size);

/* Any command of the program, in this process: `words` are its command line without the program's name, such as
 * {"prove", "A100/f16", "H100/f16", "--json"}; what it prints comes as *output, which discern_free takes back. The
 * result is the exit status of the command: 0, 1 or 3 mean what they mean there; 2: the message says what is wrong, and
 * *output is NULL. */
int discern_command(const char* const* words, size_t count, char** output, char* message, size_t size);
void discern_free(char* text);

#ifdef __cplusplus
}
#endif

#endif
