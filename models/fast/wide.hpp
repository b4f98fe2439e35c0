// The wide kernels: one block of a tile in doubles, whatever the exponents.
//
// A double holds every product of two operands exactly, and every sum of aligned terms. Scaled by 2^(F − E), rounding
// to an integer is the alignment; the sum of the integers is exact, and scaling back is too. So a fused sum is, for
// each product, two multiplications, a rounding and an addition on eight lanes. Reference exponents are the (max, +)
// product of 16-bit codes.
#pragma once

#include "simd.hpp"
#include "tile.hpp"

namespace discern::fast::DISCERN_ISA {

constexpr int row_of_tile = static_cast<int>(panel);
constexpr int lowest = -600;     ///< stands for the exponent of nobody; no product's is as low, and scales stay finite
constexpr double huge = 0x1p896; ///< multiplying by it makes magnitudes ≥ 2^128 infinite

inline Doubles load_doubles(const float* from) { return to_doubles(load<HalfFloats>(from)); }
inline Longs load_longs(const std::int32_t* from) { return to_longs(load<HalfInts>(from)); }

/// The reference exponents of the products first … first+count−1 of 64 columns.
template <bool Pairs>
inline void product_exponents(const std::int16_t* a, const std::int16_t* b, int first, int count, std::int32_t* out) {
    for (int j = 0; j < row_of_tile; j += shorts) {
        Shorts e = Shorts{} + static_cast<std::int16_t>(2 * no_exponent);
        for (int k = first; k < first + count; ++k) {
            const Shorts right = load<Shorts>(b + k * row_of_tile + j);
            if constexpr (Pairs)
                e = max_of(e, load<Shorts>(a + k * row_of_tile + j) + right);
            else
                e = max_of(e, right + a[k]);
        }
        store(out + j, to_ints(low_half(e)));
        store(out + j + floats, to_ints(high_half(e)));
    }
}

/// The reference exponents of an accumulator; that of zero is no_exponent.
inline Ints accumulator_exponents(Ints bits, int emin) {
    const Ints field = ((bits >> 23) & 255) - 127;
    const Ints e = max_of(field, Ints{} + emin);
    return (bits & 0x7fffffff) == 0 ? Ints{} + no_exponent : e;
}

/// Σ trunc(a·b·2^(F−E)) over the products first … first+count−1, for `doubles` lanes from column j.
template <bool Pairs>
inline Doubles aligned_sum(const double* a, const double* b, int first, int count, int j, Doubles scale) {
    Doubles even{}, odd{};
    int k = first;
    const auto term = [&](int i) {
        const double* right = b + i * row_of_tile + j;
        if constexpr (Pairs)
            return truncated(load<Doubles>(a + i * row_of_tile + j) * scale * load<Doubles>(right));
        else
            return truncated(scale * a[i] * load<Doubles>(right));
    };
    for (; k + 1 < first + count; k += 2) {
        even += term(k);
        odd += term(k + 1);
    }
    if (k < first + count) even += term(k);
    return even + odd;
}

/// v rounded as the recipe says; it has more than enough bits, so this is one rounding.
inline HalfFloats rounded(const Result& rule, Doubles v) {
    v += 0.0; // −0 becomes +0
    if (rule.to_nearest && rule.mantissa_bits == 23) {
        const HalfFloats nearest = to_floats(v);
        return rule.keep_sign ? nearest : nearest + 0.0F;
    }
    // The power of two of v, at least 2^emin.
    const Doubles least = Doubles{} + rule.least;
    const Doubles power = bits_of<Doubles>(bits_of<Longs>(max_of(magnitude(v), least)) & 0x7ff0000000000000);
    Doubles r;
    if (rule.to_nearest) {
        const Doubles constant = power * rule.nearest;
        r = magnitude((v + constant) - constant);
    } else {
        const Doubles inverse = bits_of<Doubles>((Longs{} + (std::int64_t{2046} << 52)) - bits_of<Longs>(power));
        r = magnitude(truncated(v * (inverse * rule.up)) * (power * rule.down));
    }
    r = r > rule.max_finite ? Doubles{} + __builtin_inf() : r;
    const Doubles signed_r = with_sign(r, v);
    return to_floats(rule.keep_sign ? signed_r : signed_r + 0.0);
}

/// What a block with infinite or NaN operands gives: the sum in doubles, which no finite operands can make infinite. A
/// lane whose sum is finite keeps `d`. With a limit, infinities that products of magnitude ≥ 2^128 become are summed
/// apart, and count where there are no others.
template <bool Pairs>
__attribute__((noinline)) HalfFloats with_specials(const Tile& tile, const double* a, int j, Doubles c, HalfFloats d) {
    const auto* b = static_cast<const double*>(tile.b);
    Doubles hard = c, soft{};
    for (int k = 0; k < tile.L; ++k) {
        const Doubles right = load<Doubles>(b + k * row_of_tile + j);
        const Doubles left = Pairs ? load<Doubles>(a + k * row_of_tile + j) : Doubles{} + a[k];
        const Doubles p = left * right;
        hard += p;
        soft += (p * huge) * (1 / huge);
    }
    const Doubles limit = Doubles{} + __DBL_MAX__;
    Doubles result = to_doubles(d);
    if (tile.recipe->limited) result = magnitude(soft) <= limit ? result : soft;
    return to_floats(magnitude(hard) <= limit ? result : hard);
}

/// Whether lanes of the accumulator are infinite or NaN.
inline bool any_special(HalfFloats c) {
    const HalfInts bits = bits_of<HalfInts>(c);
    const HalfInts special = (bits & 0x7f800000) == 0x7f800000;
    return any(to_longs(special));
}

template <bool Pairs>
struct Row {
    const double* a;
    const std::int16_t* a_exponents;
    float* acc;
    bool special;
};

template <bool Pairs>
inline Row<Pairs> row_of(const Tile& tile, int i) {
    const std::size_t skip = static_cast<std::size_t>(i) * tile.a_stride;
    return {static_cast<const double*>(tile.a) + skip, static_cast<const std::int16_t*>(tile.a_exponents) + skip,
            static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride,
            tile.b_special || tile.a_special[i] != 0};
}

/// T-FDPA and ST-FDPA.
template <bool Pairs>
void fused(const Tile& tile) {
    const Recipe& r = *tile.recipe;
    const auto* b = static_cast<const double*>(tile.b);
    alignas(64) std::int32_t e[panel];
    for (int i = 0; i < tile.rows; ++i) {
        const auto row = row_of<Pairs>(tile, i);
        product_exponents<Pairs>(row.a_exponents, static_cast<const std::int16_t*>(tile.b_exponents), 0, tile.L, e);
        for (int j = 0; j < row_of_tile; j += floats) {
            const Ints c = accumulator_exponents(load<Ints>(row.acc + j), tile.c_emin);
            store(e + j, max_of(max_of(load<Ints>(e + j), c), Ints{} + (r.floor > lowest ? r.floor : lowest)));
        }
        for (int j = 0; j < row_of_tile; j += doubles) {
            const HalfFloats c32 = load<HalfFloats>(row.acc + j);
            const Doubles c = to_doubles(c32);
            const Longs E = load_longs(e + j);
            const Doubles scale = power_of_two(r.F - E);
            const Doubles sum = aligned_sum<Pairs>(row.a, b, 0, tile.L, j, scale) + truncated(c * scale);
            HalfFloats d = rounded(r.result, sum * power_of_two(E - r.F));
            if (row.special || any_special(c32)) d = with_specials<Pairs>(tile, row.a, j, c, d);
            store(row.acc + j, d);
        }
    }
}

/// The last step of TR- and GTR-FDPA: T·2^(P−F), down to F2 bits, and c, down to F bits below E; to nearest in f32.
inline HalfFloats with_accumulator(const Recipe& r, Doubles T, Exponents P, Doubles c, Exponents c_exponent,
                                   Exponents E) {
    const Exponents below = P - E, down = below > -900 ? below : Exponents{} - 900;
    const Doubles product_part = floored(T * power_of_two(down + (r.F2 - r.F)));
    Doubles c_part = floored(c * power_of_two(r.F - E));
    if (r.drop > 0) c_part = to_longs((Exponents)(c_exponent < E - r.drop)) != 0 ? Doubles{} : c_part;
    // The sum is not −0, since T is not.
    const Doubles sum = exact_multiply_add(c_part, Doubles{} + r.c_unit, product_part);
    const HalfFloats nearest = to_floats(sum * power_of_two(E - r.F2));
    return r.result.keep_sign ? nearest : nearest + 0.0F;
}

/// TR-FDPA and GTR-FDPA.
template <bool Pairs, int Halves>
void two_level(const Tile& tile) {
    const Recipe& r = *tile.recipe;
    const auto* b = static_cast<const double*>(tile.b);
    const int count = tile.L / Halves;
    alignas(64) std::int32_t e[Halves][panel];
    for (int i = 0; i < tile.rows; ++i) {
        const auto row = row_of<Pairs>(tile, i);
        for (int h = 0; h < Halves; ++h)
            product_exponents<Pairs>(row.a_exponents, static_cast<const std::int16_t*>(tile.b_exponents), h * count,
                                     count, e[h]);
        alignas(64) std::int32_t top[panel], with_c[panel], c_exponent[panel];
        for (int j = 0; j < row_of_tile; j += floats) {
            Ints products = max_of(load<Ints>(e[0] + j), load<Ints>(e[Halves - 1] + j));
            products = max_of(products, Ints{} + lowest);
            for (int h = 0; h < Halves; ++h) store(e[h] + j, max_of(load<Ints>(e[h] + j), Ints{} + lowest));
            const Ints c = accumulator_exponents(load<Ints>(row.acc + j), tile.c_emin);
            store(top + j, products);
            store(with_c + j, max_of(products, c));
            store(c_exponent + j, c);
        }
        for (int j = 0; j < row_of_tile; j += doubles) {
            const HalfFloats c32 = load<HalfFloats>(row.acc + j);
            const Doubles c = to_doubles(c32);
            const auto at = [j](const std::int32_t* from) { return exponents(load<HalfInts>(from + j)); };
            const Exponents P = at(top), E = at(with_c);
            Doubles T{};
            bool beyond = false;
            for (int h = 0; h < Halves; ++h) {
                const Longs own = load_longs(e[h] + j);
                const Doubles S = aligned_sum<Pairs>(row.a, b, h * count, count, j, power_of_two(r.F - own));
                // Down to the larger of the two exponents; of a lone sum this changes nothing.
                T += Halves == 1 ? S : floored(S * power_of_two(max_of(own - to_longs(P), Longs{} - 1000)));
                beyond = beyond || (r.limited && any((Longs)(own >= 127)));
            }
            HalfFloats d = with_accumulator(r, T, P, c, at(c_exponent), E);
            if (row.special || beyond || any_special(c32)) d = with_specials<Pairs>(tile, row.a, j, c, d);
            store(row.acc + j, d);
        }
    }
}

/// By how much the exponents of the non-zero operands of one column spread, at most.
inline int widest_spread(const std::int16_t* codes, int L) {
    Shorts most = Shorts{} - std::int16_t{30000};
    for (int j = 0; j < row_of_tile; j += shorts) {
        Shorts high = Shorts{} + static_cast<std::int16_t>(no_exponent), low = -high;
        for (int k = 0; k < L; ++k) {
            const Shorts e = load<Shorts>(codes + k * row_of_tile + j);
            high = max_of(high, e);
            const Shorts bounded =
                e == static_cast<std::int16_t>(no_exponent) ? Shorts{} - static_cast<std::int16_t>(no_exponent) : e;
            low = bounded < low ? bounded : low;
        }
        most = max_of(most, high - low);
    }
    int widest = 0;
    for (int i = 0; i < shorts; ++i) widest = most[i] > widest ? most[i] : widest;
    return widest;
}

inline int spread_of_row(const std::int16_t* codes, int L) {
    int high = no_exponent, low = -no_exponent;
    for (int k = 0; k < L; ++k) {
        if (codes[k] == no_exponent) continue;
        high = codes[k] > high ? codes[k] : high;
        low = codes[k] < low ? codes[k] : low;
    }
    return high > low ? high - low : 0;
}

/// Products of one vector of columns.
template <bool Pairs>
struct Products {
    const double *a, *b;
    int j;
    Doubles right(int k) const { return load<Doubles>(b + k * row_of_tile + j); }
    Doubles left(int k) const {
        if constexpr (Pairs)
            return load<Doubles>(a + k * row_of_tile + j);
        else
            return splat<Doubles>(a[k]);
    }
    Doubles operator()(int k) const { return left(k) * right(k); }
    /// Their sum, where doubles hold every part of it.
    template <int L>
    Doubles sum() const {
        Doubles all = (*this)(0);
        for (int k = 1; k < L; ++k) all = exact_multiply_add(left(k), right(k), all);
        return all;
    }
    Doubles sum(int L) const {
        Doubles all = (*this)(0);
        for (int k = 1; k < L; ++k) all = exact_multiply_add(left(k), right(k), all);
        return all;
    }
};

/// E-FDPA whatever the operands are. Products of narrow formats are summed in two parts, multiples of 2^middle and the
/// rest, each of which a double holds; at most two products of wide formats are the two parts themselves. Then the sum
/// of three, rounded once. @param in_one  a double holds the sum of the products
template <bool Pairs>
__attribute__((noinline)) HalfFloats exact_in_parts(const Tile& tile, const double* a, int j, bool in_one,
                                                    HalfFloats c32, bool special) {
    const Recipe& r = *tile.recipe;
    const Products<Pairs> product{a, static_cast<const double*>(tile.b), j};
    const Doubles c = to_doubles(c32);
    Doubles high{}, low{};
    if (in_one) {
        high = product.sum(tile.L);
    } else if (r.high != r.low) {
        const double cut = r.cut;
        for (int k = 0; k < tile.L; ++k) {
            const Doubles p = product(k), rough = (p + cut) - cut;
            high += rough;
            low += p - rough;
        }
    } else {
        high = product(0);
        if (tile.L == 2) low = product(1);
    }
    // high + low + c, after Boldo and Melquiond: an exact sum of two, another, and what is left rounded to odd.
    const Sum inner = two_sum(low, c), outer = two_sum(high, inner.sum);
    const Doubles rest = sum_to_odd(outer.error, inner.error);
    const HalfFloats d = rounded(r.result, sum_to_odd(outer.sum, rest));
    return special || any_special(c32) ? with_specials<Pairs>(tile, a, j, c, d) : d;
}

/// One row of E-FDPA. Where exponents spread little, a double holds the sum of the products, and mostly with c too.
/// @tparam L  0: any
template <bool Pairs, int L>
inline void exact_row(const Tile& tile, const Row<Pairs>& row, bool in_one) {
    const Recipe& r = *tile.recipe;
    for (int j = 0; j < row_of_tile; j += doubles) {
        const HalfFloats c32 = load<HalfFloats>(row.acc + j);
        if (in_one) {
            const Products<Pairs> product{row.a, static_cast<const double*>(tile.b), j};
            const Doubles c = to_doubles(c32), p = L == 0 ? product.sum(tile.L) : product.template sum<L>();
            const Doubles sum = p + c;
            if (all_exact(sum, p, c)) [[likely]] {
                store(row.acc + j, rounded(r.result, sum));
                continue;
            }
        }
        store(row.acc + j, exact_in_parts<Pairs>(tile, row.a, j, in_one, c32, row.special));
    }
}

/// E-FDPA.
template <bool Pairs>
void exact(const Tile& tile) {
    const Recipe& r = *tile.recipe;
    const int b_spread = widest_spread(static_cast<const std::int16_t*>(tile.b_exponents), tile.L);
    for (int i = 0; i < tile.rows; ++i) {
        const auto row = row_of<Pairs>(tile, i);
        const int a_spread = Pairs ? widest_spread(row.a_exponents, tile.L) : spread_of_row(row.a_exponents, tile.L);
        const bool in_one = a_spread + b_spread <= r.room;
        if (tile.L == 2)
            exact_row<Pairs, 2>(tile, row, in_one);
        else if (tile.L == 4)
            exact_row<Pairs, 4>(tile, row, in_one);
        else
            exact_row<Pairs, 0>(tile, row, in_one);
    }
}

/// A chain of fused multiply-adds, in floats or doubles: `Rows` rows by four vectors in registers.
template <bool Pairs, class V, class T, int Rows>
inline void multiply_add_rows(const Tile& tile, int row) {
    constexpr int lanes = static_cast<int>(sizeof(V) / sizeof(T));
    constexpr int across = 4;
    const auto* b = static_cast<const T*>(tile.b);
    const T* a = static_cast<const T*>(tile.a) + static_cast<std::size_t>(row) * tile.a_stride;
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
                              : splat<V>(a[static_cast<std::size_t>(i) * tile.a_stride + static_cast<std::size_t>(k)]);
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
    const auto* b = static_cast<const float*>(tile.b);
    for (int i = 0; i < tile.rows; ++i) {
        const float* a = static_cast<const float*>(tile.a) + static_cast<std::size_t>(i) * tile.a_stride;
        float* acc = static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride;
        for (int j = 0; j < row_of_tile; j += floats) {
            const auto product = [&](int k) {
                const Floats right = load<Floats>(b + k * row_of_tile + j);
                return flushed(Pairs ? load<Floats>(a + k * row_of_tile + j) * right : right * splat<Floats>(a[k]));
            };
            Floats sum = flushed(product(0) + product(1));
            if (tile.L == 4) sum = flushed(sum + flushed(product(2) + product(3)));
            const Ints bits = load<Ints>(acc + j);
            const Floats c = bits_of<Floats>((((bits & 0x7f800000) == 0) & ((bits & 0x7fffff) != 0)) ? Ints{} : bits);
            store(acc + j, flushed(c + sum));
        }
    }
}

/// One row of GST-FDPA and two vectors of columns.
template <bool Pairs>
struct Grouped {
    const Tile& tile;
    const float* a;
    const double* a_scales;
    float* acc;
    const std::int32_t* e; ///< reference exponents
    bool special;

    /// The scales' product of group g.
    Doubles scale(int g, int at) const {
        const Doubles right = load<Doubles>(tile.b_scales + g * row_of_tile + at);
        return Pairs ? load<Doubles>(a_scales + g * row_of_tile + at) * right : right * a_scales[g];
    }
    Floats dot(int g, int j) const {
        const auto* b = static_cast<const float*>(tile.b);
        const int group = tile.recipe->group;
        Floats sum{};
        for (int k = g * group; k < (g + 1) * group; ++k) {
            const Floats left = Pairs ? load<Floats>(a + k * row_of_tile + j) : splat<Floats>(a[k]);
            sum = exact_multiply_add(left, load<Floats>(b + k * row_of_tile + j), sum);
        }
        return sum;
    }
    /// The sum of doubles, for infinite and NaN scales and accumulators.
    __attribute__((noinline)) HalfFloats with_specials(int groups, int at, HalfFloats c, HalfFloats d) const {
        Doubles sum = to_doubles(c);
        for (int g = 0; g < groups; ++g) {
            const Floats both = dot(g, at / floats * floats);
            sum += to_doubles(at % floats == 0 ? low_half(both) : high_half(both)) * scale(g, at);
        }
        return to_floats(magnitude(sum) <= Doubles{} + __DBL_MAX__ ? to_doubles(d) : sum);
    }
    void finish(int groups, int at, Doubles sum) const {
        const Recipe& r = *tile.recipe;
        const HalfFloats c = load<HalfFloats>(acc + at);
        const Longs E = load_longs(e + at);
        sum += truncated(to_doubles(c) * power_of_two(r.F - E));
        HalfFloats d = rounded(r.result, sum * power_of_two(E - r.F));
        if (special || any_special(c)) [[unlikely]]
            d = with_specials(groups, at, c, d);
        store(acc + at, d);
    }
    void columns(int groups, int j) const {
        const int F = tile.recipe->F;
        const Doubles to_low = power_of_two(F - load_longs(e + j));
        const Doubles to_high = power_of_two(F - load_longs(e + j + doubles));
        Doubles low{}, high{};
        for (int g = 0; g < groups; ++g) {
            const Floats both = dot(g, j);
            low += truncated(to_doubles(low_half(both)) * (scale(g, j) * to_low));
            high += truncated(to_doubles(high_half(both)) * (scale(g, j + doubles) * to_high));
        }
        finish(groups, j, low);
        finish(groups, j + doubles, high);
    }
};

/// GST-FDPA: the dot product of a group is exact in floats; groups are aligned by the exponents of their scales.
template <bool Pairs>
void grouped(const Tile& tile) {
    const Recipe& r = *tile.recipe;
    const int groups = tile.L / r.group;
    alignas(64) std::int32_t e[panel];
    for (int i = 0; i < tile.rows; ++i) {
        const std::size_t scale_row = static_cast<std::size_t>(i) * tile.a_scale_stride;
        const Grouped<Pairs> row{tile,
                                 static_cast<const float*>(tile.a) + static_cast<std::size_t>(i) * tile.a_stride,
                                 tile.a_scales + scale_row,
                                 static_cast<float*>(tile.acc) + static_cast<std::size_t>(i) * tile.acc_stride,
                                 e,
                                 tile.b_special || tile.a_special[i] != 0};
        product_exponents<Pairs>(tile.a_scale_exponents + scale_row, tile.b_scale_exponents, 0, groups, e);
        for (int j = 0; j < row_of_tile; j += floats) {
            const Ints c = accumulator_exponents(load<Ints>(row.acc + j), tile.c_emin);
            store(e + j, max_of(max_of(load<Ints>(e + j), c), Ints{} + (r.floor > lowest ? r.floor : lowest)));
        }
        for (int j = 0; j < row_of_tile; j += floats) row.columns(groups, j);
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
            // An exact zero and an infinity are as IEEE says already.
            const HalfInts as_is = (d == HalfFloats{}) | ((bits_of<HalfInts>(d) & 0x7f800000) == 0x7f800000);
            d = as_is ? d : finite;
        }
        store(acc + i, d);
    }
}

} // namespace discern::fast::DISCERN_ISA
