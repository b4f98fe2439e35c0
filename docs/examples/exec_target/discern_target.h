/* A target for discern in C: the pipe protocol of docs/targets.md for a simulator or a model that can be called.
 *
 * It needs C99 and nothing else; copy it to where it is wanted. C++ has discern_target.hpp beside it.
 *
 *     static const char* unit(void* context, const discern_vector* v, uint64_t* d) {
 *         *d = my_dot_product(v->a, v->b, v->c);
 *         return NULL;                                  // or why this vector cannot be computed
 *     }
 *     int main(void) { return discern_serve("f16,f16,f32,f32", 4, unit, NULL); }
 *
 *     discern check exec:./unit volta/mma.m8n8k4.f32.f16.f16.f32
 */
#ifndef DISCERN_TARGET_H
#define DISCERN_TARGET_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bit patterns of one dot product, each in the low bits of its word. */
typedef struct discern_vector {
    int K;                   /* elements of a and b */
    int scales;              /* elements of sa and sb: 0 where there are none */
    const uint64_t *a, *b;   /* by k */
    const uint64_t *sa, *sb; /* by block of k */
    uint64_t c;              /* 0 where there is none */
} discern_vector;

/* Computes *d. Returns NULL, or a sentence that says why this vector cannot be computed. */
typedef const char* (*discern_compute)(void* context, const discern_vector* vector, uint64_t* d);

/* Patterns of `width` bits side by side in words of 32 bits, element 0 lowest: what wide ports are in DPI-C
 * (svBitVecVal) and in Verilator (VlWide). `words` must hold count * width bits. */
static inline void discern_pack(const uint64_t* patterns, int count, int width, uint32_t* words) {
    int at = 0, k, i;
    memset(words, 0, sizeof(uint32_t) * (size_t)(((long)count * width + 31) / 32));
    for (k = 0; k < count; ++k)
        for (i = 0; i < width; ++i, ++at) words[at / 32] |= (uint32_t)(patterns[k] >> i & 1) << at % 32;
}

/* ---- What follows is the protocol's own affair. */

enum { discern_operands = 5 }; /* a, b, sa, sb, c */

typedef struct discern_list {
    uint64_t* patterns;
    size_t count, room;
} discern_list;

/* Says what is wrong on standard error, which discern quotes. Returns 2, the exit status. */
static inline int discern_refuse(const char* what, ...) {
    va_list words;
    va_start(words, what);
    fputs("target: ", stderr);
    vfprintf(stderr, what, words);
    fputc('\n', stderr);
    va_end(words);
    return 2;
}

/* One line without its end, of any length. Returns NULL at the end of input. */
static inline char* discern_line(char** line, size_t* room) {
    size_t length = 0;
    int letter;
    while ((letter = getchar()) != EOF && letter != '\n') {
        if (length + 2 > *room) {
            *room = *room < 128 ? 256 : 2 * *room;
            *line = (char*)realloc(*line, *room);
            if (*line == NULL) abort();
        }
        (*line)[length++] = (char)letter;
    }
    if (letter == EOF && length == 0) return NULL;
    if (*room == 0) *line = (char*)calloc(*room = 1, 1);
    if (*line == NULL) abort();
    (*line)[length] = '\0';
    return *line;
}

static inline const char* discern_space(const char* at) {
    while (*at == ' ' || *at == '\t' || *at == '\r') ++at;
    return at;
}

/* Past one value of JSON. Returns NULL if there is none. */
static inline const char* discern_skip(const char* at) {
    int depth = 0, in_string = 0;
    for (; *at != '\0'; ++at) {
        if (in_string) {
            if (*at == '\\' && at[1] != '\0')
                ++at;
            else if (*at == '"')
                in_string = 0;
        } else if (*at == '"') {
            in_string = 1;
        } else if (*at == '[' || *at == '{') {
            ++depth;
        } else if (*at == ']' || *at == '}') {
            if (depth == 0) return at;
            --depth;
        } else if (*at == ',' && depth == 0) {
            return at;
        }
    }
    return NULL;
}

/* The value of a key in the object that a line is, or NULL. */
static inline const char* discern_value(const char* line, const char* key) {
    const size_t length = strlen(key);
    const char* at = discern_space(line);
    if (*at != '{') return NULL;
    do {
        const char* name = discern_space(at + 1);
        if (*name != '"') return NULL;
        at = strchr(name + 1, '"');
        if (at == NULL) return NULL;
        const int is_it = (size_t)(at - name - 1) == length && memcmp(name + 1, key, length) == 0;
        at = discern_space(at + 1);
        if (*at != ':') return NULL;
        if (is_it) return discern_space(at + 1);
        at = discern_skip(at + 1);
    } while (at != NULL && *at == ',');
    return NULL;
}

/* A pattern in its quotes. Returns what follows, or NULL. */
static inline const char* discern_pattern(const char* at, discern_list* list) {
    char* end;
    if (*at != '"') return NULL;
    if (list->count == list->room) {
        list->room = 2 * list->room + 16;
        list->patterns = (uint64_t*)realloc(list->patterns, list->room * sizeof *list->patterns);
        if (list->patterns == NULL) abort();
    }
    list->patterns[list->count++] = strtoull(at + 1, &end, 16);
    return end == at + 1 || *end != '"' ? NULL : discern_space(end + 1);
}

/* The patterns of an operand, one or a list of them. Returns whether they were read; an operand that is not there has
 * none. */
static inline int discern_operand(const char* line, const char* key, discern_list* list) {
    const char* at = discern_value(line, key);
    list->count = 0;
    if (at == NULL) return 1;
    if (*at != '[') return discern_pattern(at, list) != NULL;
    do {
        at = discern_pattern(discern_space(at + 1), list);
    } while (at != NULL && *at == ',');
    return at != NULL && *at == ']';
}

/* Hexadecimal digits of a format, by its name; 0 for an unknown one. */
static inline int discern_digits(const char* name) {
    static const struct {
        const char* name;
        int digits;
    } table[] = {{"f64", 16}, {"f32", 8},  {"tf32", 8}, {"e8m13", 8}, {"bf16", 4},  {"f16", 4},
                 {"e5m2", 2}, {"e4m3", 2}, {"e3m2", 2}, {"e2m3", 2},  {"ue4m3", 2}, {"e8m0", 2}};
    size_t i;
    int exponent = 0, mantissa = 0;
    for (i = 0; i < sizeof table / sizeof *table; ++i)
        if (strcmp(name, table[i].name) == 0) return table[i].digits;
    if (sscanf(name, "fix%d", &mantissa) == 1) return (mantissa + 3) / 4;
    if (sscanf(name, "e%dm%d", &exponent, &mantissa) == 2) return (1 + exponent + mantissa + 3) / 4;
    return 0;
}

/* The header: formats as they were asked for, and K. Returns 0, or 2 after saying what is wrong. */
static inline int discern_header(const char* line, const char* formats, int K, char d[16]) {
    const char *wanted = formats, *keys = "abcd";
    for (; *keys != '\0'; ++keys) {
        char key[2] = {*keys, '\0'}, found[16] = "-", expected[16];
        const size_t length = strcspn(wanted, ",");
        const char* value = discern_value(line, key);
        if (value != NULL && sscanf(value, "\"%15[^\"]\"", found) != 1)
            return discern_refuse("%s of the header is no name of a format", key);
        if (length >= sizeof expected)
            return discern_refuse("'%s' is no list of formats such as f16,f16,f32,f32", formats);
        memcpy(expected, wanted, length);
        expected[length] = '\0';
        if (strcmp(found, expected) != 0)
            return discern_refuse("%s is %s, but this target was made for %s (a, b, c, d; - for none)", key, found,
                                  formats);
        wanted += length + (wanted[length] == ',');
        if (*keys == 'd') strcpy(d, found);
    }
    if (K > 0) {
        const char* value = discern_value(line, "K");
        if (value == NULL || atoi(value) != K) return discern_refuse("K is %d, and not that of the header", K);
    }
    return 0;
}

static inline void discern_answer(const char* why_not, uint64_t d, int digits) {
    if (why_not == NULL) {
        printf("{\"d\":\"%0*" PRIx64 "\"}\n", digits, d);
    } else {
        fputs("{\"error\":\"", stdout);
        for (; *why_not != '\0'; ++why_not) {
            if (*why_not == '"' || *why_not == '\\') putchar('\\');
            putchar((unsigned char)*why_not < ' ' ? ' ' : *why_not);
        }
        fputs("\"}\n", stdout);
    }
    fflush(stdout); /* discern may wait for it */
}

/* Answers vectors until the end of input. Returns the exit status of the program: 0, or 2 after a sentence on standard
 * error. `formats` are those of a, b, c and d, with - for no c; K is that of the unit, or 0 if any will do. */
static inline int discern_serve(const char* formats, int K, discern_compute compute, void* context) {
    static const char* const keys[discern_operands] = {"a", "b", "sa", "sb", "c"};
    discern_list lists[discern_operands] = {{NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}, {NULL, 0, 0}};
    char *line = NULL, d_format[16] = "";
    size_t room = 0;
    int i, status = 0, digits = 0;
    if (discern_line(&line, &room) == NULL) return discern_refuse("there is no header line");
    status = discern_header(line, formats, K, d_format);
    if (status == 0 && (digits = discern_digits(d_format)) == 0)
        status = discern_refuse("%s is no format that is known here", d_format);
    while (status == 0 && discern_line(&line, &room) != NULL) {
        discern_vector v;
        uint64_t d = 0;
        const char* why_not;
        for (i = 0; i < discern_operands && status == 0; ++i)
            if (!discern_operand(line, keys[i], &lists[i]))
                status = discern_refuse("%s of a vector is neither a pattern nor a list of patterns", keys[i]);
        if (status == 0 && (lists[0].count == 0 || lists[0].count != lists[1].count ||
                            lists[2].count != lists[3].count || (K > 0 && lists[0].count != (size_t)K)))
            status =
                discern_refuse("a vector has %d patterns in a and %d in b", (int)lists[0].count, (int)lists[1].count);
        if (status != 0) break;
        v.K = (int)lists[0].count;
        v.scales = (int)lists[2].count;
        v.a = lists[0].patterns;
        v.b = lists[1].patterns;
        v.sa = lists[2].patterns;
        v.sb = lists[3].patterns;
        v.c = lists[4].count == 0 ? 0 : lists[4].patterns[0];
        why_not = compute(context, &v, &d);
        discern_answer(why_not, d, digits);
    }
    for (i = 0; i < discern_operands; ++i) free(lists[i].patterns);
    free(line);
    return status;
}

#endif
