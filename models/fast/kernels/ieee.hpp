// Kernels of IEEE 754 operations alone: chains of fused multiply-adds, FTZ-AddMul, and the addition of a last c.
#pragma once

#include "wide.hpp"

namespace discern::fast::DISCERN_ISA {

/// A chain of fused multiply-adds, in floats or doubles: `Rows` rows by four vectors in registers.
template <bool Pairs, class V, class T, int Rows>
inline void multiply_add_rows(const Tile& tile, int row) {
    constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(T));
    constexpr int across = 4;
    const auto* b = static_cast<const T*>(tile.b.values);
    const T* a = static_cast<const T*>(tile.a.values) + static_cast<std::size_t>(row) * tile.a.stride;
    T* acc = static_cast<T*>(tile.acc) + static_cast<std::size_t>(row) * tile.acc_stride;
    for (int j = 0; j < row_of_tile; j += across * lanes) {
        V sums[Rows][across];
        for (int i = 0; i < Rows; ++i)
            for (int n = 0; n < across; ++n)
                sums[i][n] = load<V>(acc + static_cast<std::size_t>(i) * tile.acc_stride + j + n * lanes);
        for (int k = 0; k < tile.L; ++k) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(k) * row_of_tile + j;
            V right[across];
            for (int n = 0; n < across; ++n) right[n] = load<V>(b + at + n * lanes);
            for (int i = 0; i < Rows; ++i)
                for (int n = 0; n < across; ++n) {
                    const V left =
                        Pairs ? load<V>(a + at + n * lanes)
                              : splat<V>(a[static_cast<std::size_t>(i) * tile.a.stride + static_cast<std::size_t>(k)]);
                    sums[i][n] = fused_multiply_add(left, right[n], sums[i][n]);
                }
        }
        for (int i = 0; i < Rows; ++i)
            for (int n = 0; n < across; ++n)
                store(acc + static_cast<std::size_t>(i) * tile.acc_stride + j + n * lanes, sums[i][n]);
    }
}

template <bool Pairs, class V, class T>
void multiply_add(const Tile& tile) {
    constexpr int together = bytes == 64 ? 4 : 2; // so many sums fit in the registers
    int i = 0;
    if constexpr (!Pairs)
        for (; i + together <= tile.rows; i += together) multiply_add_rows<Pairs, V, T, together>(tile, i);
    for (; i < tile.rows; ++i) multiply_add_rows<Pairs, V, T, 1>(tile, i);
}

/// Subnormal results become zero and keep their sign.
inline Floats flushed(Floats x) {
    const Ints bits = bits_of<Ints>(x);
    return bits_of<Floats>((bits & 0x7f800000) == 0 ? bits & INT32_MIN : bits);
}

/// FTZ-AddMul. Operands were flushed when they were packed.
template <bool Pairs>
void pairwise(const Tile& tile) {
    const auto* b = static_cast<const float*>(tile.b.values);
    const bool zeros = tile.recipe->ftz == Flushed::subnormals_and_zeros;
    for (int i = 0; i < tile.rows; ++i) {
        const float* a = static_cast<const float*>(tile.a.values) + static_cast<std::size_t>(i) * tile.a.stride;
        float* acc = static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride;
        for (int j = 0; j < row_of_tile; j += floats) {
            const auto product = [&](int k) {
                return flushed(left_of<Pairs, Floats>(a, k, j) * load<Floats>(b + k * row_of_tile + j));
            };
            Floats sum = flushed(product(0) + product(1));
            if (tile.L == 4) sum = flushed(sum + flushed(product(2) + product(3)));
            const Ints bits = load<Ints>(acc + j);
            const Ints kept = zeros ? Ints{} : (Ints)((bits & 0x7fffff) == 0);
            const Floats c = bits_of<Floats>((((bits & 0x7f800000) == 0) & ~kept) ? Ints{} : bits);
            store(acc + j, flushed(c + sum));
        }
    }
}

/// One IEEE addition to nearest in the result's format. Of formats of at most 11 bits, doubles round the sum once more
/// without harm; f32 adds in itself.
inline void add_last(const Recipe& recipe, float* acc, const float* c, std::size_t count) {
    Result nearest = recipe.last;
    nearest.to_nearest = nearest.keep_sign = true;
    for (std::size_t i = 0; i < count; i += static_cast<std::size_t>(doubles)) {
        const HalfFloats x = load<HalfFloats>(acc + i), y = load<HalfFloats>(c + i);
        HalfFloats d = x + y;
        if (nearest.mantissa_bits != 23) {
            const Doubles sum = to_doubles(x) + to_doubles(y);
            const HalfFloats finite = rounded(nearest, sum);
            // An exact zero and an infinity already follow IEEE 754.
            const HalfInts as_is = (d == HalfFloats{}) | ((bits_of<HalfInts>(d) & 0x7f800000) == 0x7f800000);
            d = as_is ? d : finite;
        }
        store(acc + i, d);
    }
}

} // namespace discern::fast::DISCERN_ISA
