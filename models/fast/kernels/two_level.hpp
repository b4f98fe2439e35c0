// TR- and GTR-FDPA in doubles: products are summed, the sum is truncated to F2 bits, and then c is added.
#pragma once

#include "wide.hpp"

#include <cmath>

namespace discern::fast::DISCERN_ISA {

/// Rounds down to a number of fraction bits below the leading bit, less than the 52 of doubles.
inline Doubles truncated(Doubles sum, int fraction_bits) {
    const Longs power = bits_of<Longs>(sum) & 0x7ff0000000000000;
    return floored_to(sum,
                      bits_of<Doubles>(power + ((std::int64_t{52 - fraction_bits} << 52) | (std::int64_t{1} << 51))));
}

/// Likewise, or down to a multiple of 2^least if that is larger.
inline Doubles truncated(Doubles sum, int fraction_bits, Exponents least) {
    const Doubles power = bits_of<Doubles>(bits_of<Longs>(sum) & 0x7ff0000000000000);
    const Doubles unit = max_of(power * std::ldexp(1.0, -fraction_bits), power_of_two(least));
    const Doubles inverse = bits_of<Doubles>((Longs{} + (std::int64_t{2046} << 52)) - bits_of<Longs>(unit));
    return floored(sum * inverse) * unit;
}

/// The last step of TR- and GTR-FDPA: T·2^(P−F), down to F2 bits, and c, down to F bits below E; to nearest in f32.
/// @param P          at least `lowest`
/// @param subnormal  whether a sum may be subnormal in the format to which it is truncated
inline HalfFloats with_accumulator(const Recipe& r, Doubles T, Exponents P, Doubles c, Exponents c_exponent,
                                   Exponents E, bool subnormal) {
    const Doubles product_part = floored(T * power_of_two(P - E + (r.F2 - r.F)));
    Doubles c_part = floored(c * power_of_two(r.F - E));
    if (r.drop > 0) c_part = to_longs((Exponents)(c_exponent < E - r.drop)) != 0 ? Doubles{} : c_part;
    // The sum is not −0, since T is not.
    Doubles sum = exact_multiply_add(c_part, Doubles{} + r.c_unit, product_part);
    if (r.kept > 0) sum = subnormal ? truncated(sum, r.kept, -126 - r.kept + r.F2 - E) : truncated(sum, r.kept);
    const HalfFloats nearest = to_floats(sum * power_of_two(E - r.F2));
    return r.result.keep_sign ? nearest : nearest + 0.0F;
}

/// TR-FDPA and GTR-FDPA.
template <bool Pairs, int Halves>
void two_level(const Tile& tile) {
    const Recipe& r = *tile.recipe;
    const auto* b = static_cast<const double*>(tile.b.values);
    const int count = tile.L / Halves;
    alignas(64) std::int32_t e[Halves][panel];
    for (int i = 0; i < tile.rows; ++i) {
        const auto row = row_of<Pairs>(tile, i);
        for (int h = 0; h < Halves; ++h)
            product_exponents<Pairs>(row.a_exponents, static_cast<const std::int16_t*>(tile.b.exponents), h * count,
                                     count, e[h]);
        alignas(64) std::int32_t top[panel], with_c[panel], c_exponent[panel];
        for (int j = 0; j < row_of_tile; j += floats) {
            Ints products = max_of(load<Ints>(e[0] + j), load<Ints>(e[Halves - 1] + j));
            products = max_of(products, Ints{} + lowest);
            for (int h = 0; h < Halves; ++h) store(e[h] + j, max_of(load<Ints>(e[h] + j), Ints{} + lowest));
            const Ints c = accumulator_exponents(load<Ints>(row.acc + j), tile.c_emin, r.c_zero);
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
            HalfFloats d = with_accumulator(r, T, P, c, at(c_exponent), E, true);
            if (row.special || beyond || any_special(c32)) d = with_specials<Pairs>(tile, row.a, j, c, d);
            store(row.acc + j, d);
        }
    }
}

} // namespace discern::fast::DISCERN_ISA
