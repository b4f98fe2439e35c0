// sgemm or dgemm of a BLAS that is on this machine, as a target:
//
//     discern identify 'matrices:build/examples/libraries/blas_target sgemm' --formats f32,f32,f32,f32 --K 4096
//     --kernel
//
// The library is opened when the program runs: OpenBLAS, or what a second argument names.
#include "matrices.hpp"

#include <dlfcn.h>

#include <cstring>

namespace {

constexpr int row_major = 101, no_transpose = 111;

template <class Number>
using Gemm = void (*)(int, int, int, int, int, int, Number, const Number*, int, const Number*, int, Number, Number*,
                      int);

template <class Number>
int run(void* library, const char* name) {
    const auto gemm = reinterpret_cast<Gemm<Number>>(dlsym(library, name));
    if (gemm == nullptr) {
        std::fprintf(stderr, "blas_target: the library has no %s\n", name);
        return 2;
    }
    return answer_products<Number, Number>([&](Product<Number, Number>& p) {
        const int m = static_cast<int>(p.m), n = static_cast<int>(p.n), k = static_cast<int>(p.k);
        gemm(row_major, no_transpose, no_transpose, m, n, k, 1, p.a.data(), k, p.b.data(), n, 1, p.c.data(), n);
    });
}

} // namespace

int main(int count, char** words) {
    if (count < 2 || (std::strcmp(words[1], "sgemm") != 0 && std::strcmp(words[1], "dgemm") != 0)) {
        std::fprintf(stderr, "usage: blas_target sgemm|dgemm [LIBRARY]\n");
        return 2;
    }
    const char* const name = count > 2 ? words[2] : "libopenblas.so.0";
    void* const library = dlopen(name, RTLD_NOW);
    if (library == nullptr) {
        std::fprintf(stderr, "blas_target: %s\n", dlerror());
        return 2;
    }
    return words[1][0] == 's' ? run<float>(library, "cblas_sgemm") : run<double>(library, "cblas_dgemm");
}
