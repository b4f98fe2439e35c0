// The loop of the kernels for T-FDPA in floats and 32-bit integers: several vectors of columns at once, and two rows of
// A where there are few registers for columns, so that what is loaded serves several sums.
//
// A kernel is made from a tile and has
//   split                             whether the sums of the first and second half of the products stay apart
//   exponents(a, b, L, out)           of the products, a byte for each of 64 columns; whether `quick` does for them
//   begin(codes, c, i, j)             for row i and the vector of columns from j: what is known before the sums, among
//                                     it the `scale` of the products, 2^(F−E)
//   quick(known, c, sum, more, odd)   the results, where no lane of `odd` is negative
//   careful(codes, known, c, i, j, special, sum, more)   the results in the general case
#pragma once

#include "wide.hpp"

namespace discern::fast::DISCERN_ISA {

template <int I>
struct Index {
    constexpr operator int() const { return I; }
};
/// work(0) … work(N−1), for an N of at most 4: a loop that is unrolled whatever its size, so that vectors stay in
/// registers.
template <int N, class Work>
inline void each(const Work& work) {
    static_assert(N <= 4);
    work(Index<0>{});
    if constexpr (N > 1) work(Index<1>{});
    if constexpr (N > 2) work(Index<2>{});
    if constexpr (N > 3) work(Index<3>{});
}

#if DISCERN_VECTOR_BYTES == 64
constexpr int rows_at_once = 1, vectors_at_once = 4;
#else
constexpr int rows_at_once = 2, vectors_at_once = 2;
#endif

/// The codes of element k of a row of A, bytes, for the columns from j on. A row repeats them in the bytes of a word.
template <bool Pairs>
inline Bytes codes_of(const void* a, int k, int j) {
    if constexpr (Pairs)
        return load<Bytes>(static_cast<const std::uint8_t*>(a) + k * row_of_tile + j);
    else
        return bits_of<Bytes>(Ints{} + static_cast<const std::int32_t*>(a)[k]);
}

/// Σ trunc(scale·a·b) over the products from … to−1: `Rows` rows, `vectors_at_once` vectors of columns.
template <bool Pairs, int Rows>
inline void integer_sums(const float* const (&a)[Rows], const float* b, int from, int to, int j,
                         const Floats (&scales)[Rows][vectors_at_once], Ints (&sums)[Rows][vectors_at_once]) {
    Ints t[Rows][vectors_at_once]{};
    const float* right = b + from * row_of_tile + j;
    for (int k = from; k < to; ++k, right += row_of_tile) {
        Floats columns[vectors_at_once];
        for (int n = 0; n < vectors_at_once; ++n) columns[n] = load<Floats>(right + n * floats);
        for (int row = 0; row < Rows; ++row)
            for (int n = 0; n < vectors_at_once; ++n) {
                if constexpr (Pairs)
                    t[row][n] +=
                        to_ints(load<Floats>(a[row] + k * row_of_tile + j + n * floats) * scales[row][n] * columns[n]);
                else
                    t[row][n] += to_ints(scales[row][n] * a[row][k] * columns[n]);
            }
    }
    for (int row = 0; row < Rows; ++row)
        for (int n = 0; n < vectors_at_once; ++n) sums[row][n] = t[row][n];
}

/// The sum of all products, of both parts if they were kept apart. @param odd  negative where it overflows
template <bool Split>
inline Ints all_products(Ints sum, Ints more, Ints& odd) {
    if constexpr (!Split) return sum;
    const Ints total = sum + more;
    odd |= overflow_of(sum, more, total);
    return total;
}

template <class Kernel, bool Pairs, int Rows>
inline void fused_rows(const Tile& tile, const Kernel& of, int i) {
    constexpr int V = vectors_at_once;
    const auto* b = static_cast<const float*>(tile.b.values);
    const int L = tile.L;
    alignas(64) std::uint8_t codes[Rows][panel];
    const float* a[Rows];
    float* acc[Rows];
    bool special[Rows], usual[Rows];
    each<Rows>([&](auto row) {
        const std::size_t skip = static_cast<std::size_t>(i + row) * tile.a.stride;
        a[row] = static_cast<const float*>(tile.a.values) + skip;
        acc[row] = static_cast<float*>(tile.acc) + static_cast<std::size_t>(i + row) * tile.acc_stride;
        special[row] = tile.b.any_special || tile.a.special[i + row] != 0;
        const void* a_codes = Pairs ? tile.a.exponents : static_cast<const std::int32_t*>(tile.a.exponents) + skip;
        usual[row] =
            of.exponents(a_codes, static_cast<const std::uint8_t*>(tile.b.exponents), L, codes[row]) && !special[row];
    });
    for (int j = 0; j < row_of_tile; j += V * floats) {
        typename Kernel::Known known[Rows][V];
        Floats scales[Rows][V];
        Ints sums[Rows][V], more[Rows][V]{};
        each<Rows>([&](auto row) {
            each<V>([&](auto n) {
                const int at = j + n * floats;
                known[row][n] = of.begin(codes[row] + at, load<Floats>(acc[row] + at), i + row, at);
                scales[row][n] = known[row][n].scale;
            });
        });
        integer_sums<Pairs, Rows>(a, b, 0, Kernel::split ? L / 2 : L, j, scales, sums);
        if constexpr (Kernel::split) integer_sums<Pairs, Rows>(a, b, L / 2, L, j, scales, more);
        each<Rows>([&](auto row) {
            Floats c[V], d[V];
            Ints odd{};
            each<V>([&](auto n) {
                c[n] = load<Floats>(acc[row] + j + n * floats);
                Ints own{};
                d[n] = of.quick(known[row][n], c[n], sums[row][n], more[row][n], own);
                odd |= own;
            });
            if (!usual[row] || any_negative(odd)) [[unlikely]]
                each<V>([&](auto n) {
                    const int at = j + n * floats;
                    d[n] = of.careful(codes[row] + at, known[row][n], c[n], i + row, at, special[row], sums[row][n],
                                      more[row][n]);
                });
            each<V>([&](auto n) { store(acc[row] + j + n * floats, d[n]); });
        });
    }
}

template <class Kernel, bool Pairs>
void fused_in_floats(const Tile& tile) {
    const Kernel of{tile};
    int i = 0;
    if constexpr (!Pairs && rows_at_once == 2)
        for (; i + 2 <= tile.rows; i += 2) fused_rows<Kernel, Pairs, 2>(tile, of, i);
    for (; i < tile.rows; ++i) fused_rows<Kernel, Pairs, 1>(tile, of, i);
}

} // namespace discern::fast::DISCERN_ISA
