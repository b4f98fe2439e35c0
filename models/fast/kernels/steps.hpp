// The kernel for trees of any shape: the steps of recipe/steps.hpp, each for the 64 columns of a row at once, with the
// results of steps side by side in the first-level cache.
#pragma once

#include "special_lane.hpp"

namespace discern::fast::DISCERN_ISA {

static_assert(lowest == lowest_exponent);

/// To an integer, to odd: an inexact one ends in a one. For |x| < 2^51.
inline Doubles jammed(Doubles x) {
    const Doubles t = truncated(x), half = t * 0.5;
    const Doubles away = with_sign(Doubles{} + 1.0, x);
    return t + (((x != t) & (truncated(half) == half)) ? away : Doubles{});
}

/// To the nearest integer, for |x| < 2^51.
inline Doubles nearest_integer(Doubles x) {
    const Doubles m = (magnitude(x) + 0x1p52) - 0x1p52;
    return with_sign(m, x);
}

template <class V>
inline V chosen(V mask, V yes, V no) {
    return (mask & yes) | (~mask & no);
}
inline Doubles chosen(Longs mask, Doubles yes, Doubles no) {
    return bits_of<Doubles>(chosen(mask, bits_of<Longs>(yes), bits_of<Longs>(no)));
}

/// One row of a tile.
template <bool Pairs>
struct StepRow {
    /// Its results are not yet anything.
    explicit StepRow(const Tile& of) : tile(of), steps(of.recipe->steps) {}

    const Tile& tile;
    const Steps& steps;
    const double* a = nullptr;
    const std::int16_t* a_codes = nullptr;
    const double* b = static_cast<const double*>(tile.b.values);
    const std::int16_t* b_codes = static_cast<const std::int16_t*>(tile.b.exponents);
    struct Result {
        alignas(64) double value[panel];
        alignas(64) std::int32_t exponent[panel];
    };
    Result results[most_steps];
    alignas(64) double c[panel];
    alignas(64) std::int32_t c_bits[panel]; ///< as they are read
    bool limited = false;                   ///< some product reached the limit

    void read_accumulators(const float* acc) {
        const Ints least = Ints{} + ((tile.c_emin + 127) << 23);
        for (int j = 0; j < row_of_tile; j += floats) {
            Ints bits = load<Ints>(acc + j);
            if (steps.flushes_c) {
                const Ints m = bits & 0x7fffffff;
                const Ints zero = steps.flushed_c_keeps_sign ? bits & INT32_MIN : m == 0 ? bits : Ints{};
                bits = m < least ? zero : bits;
            }
            store(c_bits + j, bits);
        }
        for (int j = 0; j < row_of_tile; j += doubles) store(c + j, to_doubles(load<HalfFloats>(c_bits + j)));
    }

    Doubles product(int k, int j) const {
        return left_of<Pairs, Doubles>(a, k, j) * load<Doubles>(b + k * row_of_tile + j);
    }
    Doubles value(const StepTerm& term, int j) const {
        switch (term.kind) {
        case StepTerm::Kind::product: return product(term.index, j);
        case StepTerm::Kind::accumulator: return load<Doubles>(c + j);
        case StepTerm::Kind::step: break;
        }
        return load<Doubles>(results[term.index].value + j);
    }

    /// The largest exponents of the products among the terms, less what they take part with.
    void product_exponents(const Step& step, std::int32_t* out) const {
        int less = -1;
        const StepTerm* const terms = steps.term + step.first;
        for (int j = 0; j < row_of_tile; j += shorts) {
            Shorts e = Shorts{} + static_cast<std::int16_t>(2 * no_exponent);
            for (int i = 0; i < step.count; ++i) {
                if (terms[i].kind != StepTerm::Kind::product) continue;
                const int k = terms[i].index;
                less = terms[i].less;
                const Shorts right = load<Shorts>(b_codes + k * row_of_tile + j);
                e = max_of(e, left_of<Pairs, Shorts>(a_codes, k, j) + right);
            }
            e -= static_cast<std::int16_t>(less > 0 ? less : 0);
            store(out + j, to_ints(low_half(e)));
            store(out + j + floats, to_ints(high_half(e)));
        }
    }
    Ints exponents_of(const StepTerm& term, int j) const {
        if (term.kind == StepTerm::Kind::accumulator)
            return accumulator_exponents(load<Ints>(c_bits + j), tile.c_emin, term.zero);
        return load<Ints>(results[term.index].exponent + j);
    }

    /// Zeros keep the sign of x.
    static Doubles integer(Rounding mode, Doubles x) {
        switch (mode) {
        case Rounding::rd: return with_sign(magnitude(floored(x)), x);
        case Rounding::odd: return with_sign(magnitude(jammed(x)), x);
        case Rounding::rne: return nearest_integer(x);
        default: return truncated(x);
        }
    }

    void reference_exponents(const Step& step, std::int32_t* e) const {
        product_exponents(step, e);
        const StepTerm* const terms = steps.term + step.first;
        for (int j = 0; j < row_of_tile; j += floats) {
            Ints E = max_of(load<Ints>(e + j), Ints{} + step.floor);
            for (int i = 0; i < step.count; ++i)
                if (terms[i].kind != StepTerm::Kind::product) E = max_of(E, exponents_of(terms[i], j) - terms[i].less);
            if (step.raise_to > 0) E += (Ints)(E > lowest) & (step.phase - E) & (step.raise_to - 1);
            store(e + j, E);
        }
    }

    /// ±1 for products whose sign is not the frame's.
    Doubles inversion(const Step& step, Doubles p, Doubles t, Doubles frame, Exponents E) const {
        const Longs zero_frame = (Longs)(frame == 0.0);
        Longs sign = bits_of<Longs>(frame) & INT64_MIN;
        if (step.frame == SignFrame::c_or_plus) sign = sign & ~zero_frame;
        Longs inverted = (Longs)(((bits_of<Longs>(p) ^ sign) & INT64_MIN) != 0);
        if (step.frame == SignFrame::nonzero_c) inverted &= ~zero_frame;
        if (step.opposed != Opposed::all) inverted &= (Longs)((step.opposed == Opposed::nonzero ? p : t) != 0.0);
        inverted &= (Longs)(to_longs(E) > lowest);
        return bits_of<Doubles>(inverted & bits_of<Longs>(with_sign(Doubles{} + 1.0, p)));
    }

    void aligned(const Step& step, Result& out) {
        reference_exponents(step, out.exponent);
        const StepTerm* const terms = steps.term + step.first;
        alignas(64) std::int32_t dropped[most_dropped][panel]; // masks
        Longs reached{};
        for (int i = 0, n = 0; i < step.count; ++i) {
            if (terms[i].drop < 0) continue;
            for (int j = 0; j < row_of_tile; j += floats)
                store(dropped[n] + j, (Ints)(exponents_of(terms[i], j) < load<Ints>(out.exponent + j) - terms[i].drop));
            ++n;
        }
        for (int j = 0; j < row_of_tile; j += doubles) {
            const Exponents E = exponents(load<HalfInts>(out.exponent + j));
            int F = terms[0].F;
            Doubles scale = power_of_two(F - E), sum{};
            Longs lost{};
            for (int i = 0, n = 0; i < step.count; ++i) {
                const StepTerm& term = terms[i];
                if (term.F != F) scale = power_of_two((F = term.F) - E);
                Doubles v = value(term, j);
                if (term.kind == StepTerm::Kind::product && steps.limit != 0)
                    reached |= (Longs)(magnitude(v) >= steps.limit);
                if (term.drop >= 0) {
                    const Longs finite = (Longs)(magnitude(v) <= __DBL_MAX__);
                    const Longs gone = to_longs(load<HalfInts>(dropped[n++] + j)) & finite;
                    if (step.sticky) lost |= gone & (Longs)(v != 0.0);
                    v = chosen(gone, with_sign(Doubles{}, v), v);
                }
                const Doubles scaled = v * scale;
                Doubles t = integer(term.mode, scaled);
                if (step.sticky) lost |= (Longs)(t != scaled);
                if (step.frame != SignFrame::none && term.kind == StepTerm::Kind::product)
                    t += inversion(step, v, t, load<Doubles>(c + j), E);
                if (term.unit != 1) t *= term.unit;
                sum = i == 0 ? t : sum + t;
            }
            if (step.sticky) sum += bits_of<Doubles>(lost & bits_of<Longs>(with_sign(Doubles{} + 0.5, sum + 0.0)));
            if (step.plus) sum += 0.0;
            store(out.value + j, sum * power_of_two(E - step.F));
        }
        limited = limited || any(reached);
    }

    /// The sum of up to three, rounded to odd; `plain` is their sum as the CPU rounds it.
    static Doubles odd_sum(const Doubles* x, int count, Doubles plain) {
        if (count == 1) return x[0];
        Doubles sum;
        if (count == 2) {
            sum = sum_to_odd(x[0], x[1]);
        } else {
            const Sum inner = two_sum(x[1], x[2]), outer = two_sum(x[0], inner.sum);
            sum = sum_to_odd(outer.sum, sum_to_odd(outer.error, inner.error));
        }
        // A zero is −0 where all terms are, and so is the plain sum then, and only then.
        const Longs minus_zero = (Longs)(bits_of<Longs>(plain) == INT64_MIN);
        sum = chosen((Longs)(sum == 0.0), bits_of<Doubles>(minus_zero & INT64_MIN), sum);
        return chosen((Longs)(magnitude(plain) <= __DBL_MAX__), sum, plain);
    }

    void exact(const Step& step, Result& out) {
        const StepTerm* const terms = steps.term + step.first;
        alignas(64) std::int32_t e[panel];
        if (step.split > 0) product_exponents(step, e);
        Longs reached{};
        for (int j = 0; j < row_of_tile; j += doubles) {
            Doubles x[3], plain{};
            int count = 0;
            if (step.split == 0) {
                for (int i = 0; i < step.count; ++i) {
                    const Doubles v = value(terms[i], j);
                    if (terms[i].kind == StepTerm::Kind::product && steps.limit != 0)
                        reached |= (Longs)(magnitude(v) >= steps.limit);
                    plain = i == 0 ? v : plain + v;
                    x[count++] = v;
                }
            } else {
                const Exponents E = exponents(load<HalfInts>(e + j));
                const Exponents least = E > lowest ? E : Exponents{} + lowest;
                const Doubles splitter = power_of_two(least + (52 - step.split)) * 1.5;
                Doubles high{}, low{};
                count = 2;
                for (int i = 0; i < step.count; ++i) {
                    const Doubles v = value(terms[i], j);
                    plain = i == 0 ? v : plain + v;
                    if (terms[i].kind != StepTerm::Kind::product) {
                        x[count++] = v;
                        continue;
                    }
                    if (steps.limit != 0) reached |= (Longs)(magnitude(v) >= steps.limit);
                    const Doubles rough = (v + splitter) - splitter;
                    high += rough;
                    low += v - rough;
                }
                x[0] = high;
                x[1] = low;
            }
            store(out.value + j, odd_sum(x, count, plain));
        }
        limited = limited || any(reached);
    }

    static Doubles rounded_magnitude(const Step& step, Doubles v) {
        const Doubles least = Doubles{} + step.to.least;
        const Doubles power = bits_of<Doubles>(bits_of<Longs>(max_of(magnitude(v), least)) & 0x7ff0000000000000);
        if (step.mode == Rounding::rne) {
            const Doubles constant = power * step.to.nearest;
            return (magnitude(v) + constant) - constant;
        }
        const Doubles inverse = bits_of<Doubles>((Longs{} + (std::int64_t{2046} << 52)) - bits_of<Longs>(power));
        return magnitude(integer(step.mode, v * (inverse * step.to.up)) * (power * step.to.down));
    }

    void round(const Step& step, Result& out) {
        const StepTerm& term = steps.term[step.first];
        const bool may_reach = term.kind == StepTerm::Kind::product && steps.limit != 0;
        Longs reached{};
        for (int j = 0; j < row_of_tile; j += doubles) {
            const Doubles v = value(term, j), m = magnitude(v);
            if (may_reach) reached |= (Longs)(m >= steps.limit);
            Doubles d;
            if (step.native) {
                d = to_doubles(to_floats(v));
                if (!step.zero_sign) d += 0.0;
            } else {
                const Doubles r = rounded_magnitude(step, v);
                const Doubles beyond = Doubles{} + (step.to_largest ? step.to.max_finite : __builtin_inf());
                d = with_sign(chosen((Longs)(r > step.to.max_finite), beyond, r), v);
                const Longs zero = (Longs)(v == 0.0);
                if (!step.zero_sign) d = chosen(zero, Doubles{}, d);
                if (!step.to.keep_sign) d = chosen((Longs)(r == 0.0) & ~zero, Doubles{}, d);
                if (step.flushes_result) {
                    const Doubles flushed = step.flush_sign ? with_sign(Doubles{}, v) : Doubles{};
                    d = chosen((Longs)(r < step.to.least) & (Longs)(r != 0.0), flushed, d);
                }
                d = chosen((Longs)(m <= __DBL_MAX__), d, v);
            }
            if (step.flush_below > 0) {
                const Doubles flushed = step.flush_sign ? with_sign(Doubles{}, v) : Doubles{};
                d = chosen((Longs)(m < step.flush_below) & (Longs)(v != 0.0), flushed, d);
            }
            store(out.value + j, d);
            const HalfInts bits = bits_of<HalfInts>(to_floats(d));
            const HalfInts e = ((bits >> 23) & 255) - 127, least = HalfInts{} + step.to.emin;
            store(out.exponent + j, e > least ? e : least);
        }
        limited = limited || any(reached);
    }

    /// What lanes have whose NaN are told apart, or whose products may be tentatively infinite.
    void put_specials(float* acc) const {
        const Result& last = results[steps.count - 1];
        for (int j = 0; j < row_of_tile; ++j) {
            if (!limited && last.value[j] == last.value[j]) continue;
            const SpecialLane lane{steps,
                                   a + (Pairs ? j : 0),
                                   b + j,
                                   Pairs ? row_of_tile : 1,
                                   static_cast<std::uint32_t>(c_bits[j]),
                                   results[0].value + j,
                                   static_cast<std::ptrdiff_t>(sizeof(Result) / sizeof(double))};
            const Special special = lane();
            if (special.kind == Kind::finite) continue;
            const std::uint32_t bits = SpecialLane::bits(special);
            __builtin_memcpy(acc + j, &bits, sizeof bits);
        }
    }

    void run(const Row<Pairs>& row) {
        float* const acc = row.acc;
        a = row.a;
        a_codes = row.a_exponents;
        read_accumulators(acc);
        limited = false;
        for (int s = 0; s < steps.count; ++s) {
            const Step& step = steps.step[s];
            if (step.kind == Step::Kind::aligned)
                aligned(step, results[s]);
            else if (step.kind == Step::Kind::exact)
                exact(step, results[s]);
            else
                round(step, results[s]);
        }
        const double* const d = results[steps.count - 1].value;
        Longs nan{};
        for (int j = 0; j < row_of_tile; j += doubles) {
            const Doubles v = load<Doubles>(d + j);
            nan |= (Longs)(v != v);
            store(acc + j, to_floats(v));
        }
        if (limited || (steps.nan != NanBits::canonical && any(nan))) [[unlikely]]
            put_specials(acc);
    }
};

/// Trees of any shape.
template <bool Pairs>
void by_steps(const Tile& tile) {
    StepRow<Pairs> one(tile);
    for (int i = 0; i < tile.rows; ++i) one.run(row_of<Pairs>(tile, i));
}

} // namespace discern::fast::DISCERN_ISA
