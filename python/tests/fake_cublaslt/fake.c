/* A cuBLASLt and a CUDA driver that have no GPU: what cublasLtMatmulAlgoGetHeuristic is told is checked, and the answer
   is made of it, so that a wrong word shows. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int alive = 0; /* objects that were made and not destroyed */

int fake_alive(void) { return alive; }
int cuInit(unsigned flags) { return flags != 0; }
int cuDeviceGet(int* device, int n) { return *device = n, n != 0; }
int cuDeviceGetAttribute(int* value, int attribute, int device) {
    *value = attribute == 75 ? 9 : attribute == 76 ? 0 : attribute == 16 ? 114 : -1;
    return device != 0 || *value < 0;
}
size_t cublasLtGetVersion(void) { return FAKE_VERSION; }

struct product {
    int compute, scale, transpose[2], fast, scales;
};
struct layout {
    int type;
    uint64_t rows, columns;
    int64_t stride;
};

static int made(void** to, size_t bytes) {
    *to = calloc(1, bytes);
    ++alive;
    return *to == NULL;
}
static int gone(void* object) {
    free(object);
    --alive;
    return 0;
}

int cublasLtCreate(void** handle) { return made(handle, 1); }
int cublasLtDestroy(void* handle) { return gone(handle); }
int cublasLtMatmulDescCreate(void** to, int compute, int scale) {
    int failed = made(to, sizeof(struct product));
    struct product* p = *to;
    p->compute = compute;
    p->scale = scale;
    return failed;
}
int cublasLtMatmulDescDestroy(void* p) { return gone(p); }
int cublasLtMatmulDescSetAttribute(struct product* p, int attribute, const void* from, size_t bytes) {
    if (attribute == 3 || attribute == 4) return memcpy(&p->transpose[attribute - 3], from, 4), bytes != 4;
    if (attribute == 17 || attribute == 18 || attribute == 20) {
        void* address;
        memcpy(&address, from, sizeof address);
        p->scales |= 1 << (attribute - 17);
        return bytes != sizeof address || (uintptr_t)address % 256 != 0 || address == NULL;
    }
    if (attribute == 25) return p->fast = *(const int8_t*)from, bytes != 1;
    return 7;
}
int cublasLtMatrixLayoutCreate(void** to, int type, uint64_t rows, uint64_t columns, int64_t stride) {
    int failed = made(to, sizeof(struct layout));
    struct layout l = {type, rows, columns, stride};
    memcpy(*to, &l, sizeof l);
    return failed;
}
int cublasLtMatrixLayoutDestroy(void* l) { return gone(l); }
int cublasLtMatmulPreferenceCreate(void** to) { return made(to, sizeof(uint64_t)); }
int cublasLtMatmulPreferenceDestroy(void* p) { return gone(p); }
int cublasLtMatmulPreferenceSetAttribute(uint64_t* p, int attribute, const void* from, size_t bytes) {
    return memcpy(p, from, sizeof *p), attribute != 1 || bytes != sizeof *p;
}

struct result {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

/* parts: the least of k / 512 and the workspace in MiB · 4; nothing for results in e5m2 of two e4m3. */
int cublasLtMatmulAlgoGetHeuristic(void* handle, const struct product* p, const struct layout* a, const struct layout* b,
                                   const struct layout* c, const struct layout* d, const uint64_t* workspace, int wanted,
                                   struct result* results, int* found) {
    const int narrow = d->type == 28 || d->type == 29;
    const uint64_t K = a->rows, N = a->columns, M = b->columns;
    *found = 0;
    if (handle == NULL || wanted != 1 || p->compute != 68 || p->scale != 0 || p->transpose[0] != 1 || p->transpose[1] != 0) return 7;
    if (p->scales != (narrow ? 11 : 3) || b->rows != K || c->rows != N || c->columns != M || d->rows != N || d->columns != M) return 7;
    if (a->stride != (int64_t)K || b->stride != (int64_t)K || c->stride != (int64_t)N || d->stride != (int64_t)N) return 7;
    if (c->type != (narrow ? 2 : d->type)) return 7;
    if (d->type == 29 && a->type == 28 && b->type == 28) return 15;
    memset(results, 0, sizeof *results);
    uint64_t parts = K / 512, most = *workspace >> 18;
    results->algorithm[2] = p->fast ? 1 : parts < most ? parts : most;
    results->algorithm[5] = a->type == 29 ? 9 : 1;
    results->workspace = (size_t)(results->algorithm[2] * M * N * 4);
    *found = 1;
    return 0;
}
int cublasLtMatmulAlgoConfigGetAttribute(const uint64_t* algorithm, int attribute, void* to, size_t bytes, size_t* written) {
    const int32_t value = (int32_t)algorithm[attribute];
    memcpy(to, &value, sizeof value);
    *written = sizeof value;
    return bytes != sizeof value;
}
