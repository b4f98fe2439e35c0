#include "functions.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace discern::programs {

namespace {

using Words = const std::uint64_t*;

constexpr std::uint32_t canonical_nan = 0x7fffffff;

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }
float f32(std::uint64_t bits, bool flushes = false) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    return flushes ? flushed(x) : x;
}
std::uint64_t of(float x, bool flushes = false) {
    return std::isnan(x) ? canonical_nan : std::bit_cast<std::uint32_t>(flushes ? flushed(x) : x);
}
std::int32_t s32(std::uint64_t bits) { return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)); }
double f64(std::uint64_t bits) { return std::bit_cast<double>(bits); }
std::uint64_t of(double x) { return std::isnan(x) ? 0x7fffffffffffffff : std::bit_cast<std::uint64_t>(x); }

template <FormatId Id, std::uint64_t Nan>
std::uint64_t narrow(Words x, bool flushes) {
    return narrowed(f32(x[0], flushes), Id, Nan);
}
/// With .satfinite: the largest number in the place of what is larger.
template <FormatId Id, std::uint64_t Nan>
std::uint64_t narrow_to_finite(Words x, bool) {
    const double value = f32(x[0]),
                 most = to_double(format(Id), pack(format(Id), {.significand = format(Id).max_significand(),
                                                                .exponent = format(Id).emax()}));
    if (std::isnan(value)) return Nan;
    return narrowed(std::clamp(value, -most, most), Id, Nan);
}
template <FormatId Id>
std::uint64_t widen(Words x, bool) {
    return of(static_cast<float>(to_double(format(Id), x[0])));
}
template <FormatId Id>
std::uint64_t widen_to_f16(Words x, bool) {
    return narrowed(to_double(format(Id), x[0]), FormatId::f16, 0x7fff);
}

/// Rounded to odd: an even number gives way to its neighbour on the side of the exact sum, so that a rounding to fewer
/// digits sees on which side of its borders that is.
double sum_to_odd(double x, double y) {
    const double sum = x + y, back = sum - x, error = (x - (sum - back)) + (y - back);
    const bool keeps = error == 0 || !std::isfinite(sum) || (std::bit_cast<std::uint64_t>(sum) & 1) != 0;
    return keeps ? sum : std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}

enum class Arithmetic { add, sub, mul, fma };
/// In f16 and bf16: exact in double but for a sum of far exponents, whose rounding to odd keeps what is below.
template <FormatId Id, Arithmetic What>
std::uint64_t small(Words x, bool) {
    const double a = to_double(format(Id), x[0]), b = to_double(format(Id), x[1]);
    const bool is_sum = What == Arithmetic::add || What == Arithmetic::sub;
    const double product = is_sum ? a : a * b;
    if (What == Arithmetic::mul) return narrowed(product, Id, 0x7fff);
    const double c = What == Arithmetic::add ? b : What == Arithmetic::sub ? -b : to_double(format(Id), x[2]);
    return narrowed(sum_to_odd(product, c), Id, 0x7fff);
}

enum class Towards { zero, down, up };
/// In f32 with a directed rounding. The sum of a product and c in double, rounded to odd, keeps on which side of every
/// number of f32 the exact one is.
template <Arithmetic What, Towards Where>
std::uint64_t directed(Words x, bool z) {
    const double a = f32(x[0], z), b = f32(x[1], z);
    const bool is_sum = What == Arithmetic::add || What == Arithmetic::sub;
    const double product = is_sum ? a : a * b; // exact
    double sum = product;
    if (What != Arithmetic::mul) {
        const double c = What == Arithmetic::add ? b : What == Arithmetic::sub ? -b : double(f32(x[2], z));
        sum = sum_to_odd(product, c);
        // Of opposite numbers −0, where it is the lower one.
        if (sum == 0 && std::signbit(product) != std::signbit(c)) sum = Where == Towards::down ? -0.0 : 0.0;
    }
    auto nearest = static_cast<float>(sum);
    const bool goes_down = Where == Towards::down || (Where == Towards::zero && sum > 0);
    if (std::isfinite(sum) && nearest != sum && (nearest > sum) == goes_down)
        nearest = std::nextafterf(nearest, goes_down ? -HUGE_VALF : HUGE_VALF);
    return of(nearest, z);
}

/// Between 0 and 1; NaN is +0.
std::uint64_t saturated(Words x, bool z) {
    const float value = f32(x[0], z);
    return value > 0 ? of(std::min(value, 1.0f)) : 0;
}

enum class Extreme { max, min };
template <Extreme What, bool KeepsNan>
std::uint64_t extreme(Words x, bool flushes) {
    const float a = f32(x[0], flushes), b = f32(x[1], flushes);
    if (std::isnan(a) || std::isnan(b))
        return KeepsNan || (std::isnan(a) && std::isnan(b)) ? canonical_nan : std::isnan(a) ? of(b) : of(a);
    const bool second = a == b ? std::signbit(a) == (What == Extreme::max) : (a < b) == (What == Extreme::max);
    return of(second ? b : a);
}

/// In f16 and bf16, whose canonical NaN is 7fff.
template <FormatId Id, Extreme What, bool KeepsNan>
std::uint64_t small_extreme(Words x, bool flushes) {
    const auto read = [&](std::uint64_t bits) {
        const bool is_tiny = (bits & 0x7fff) >> format(Id).mantissa_bits == 0;
        return flushes && is_tiny ? bits & 0x8000 : bits & 0xffff;
    };
    const std::uint64_t one = read(x[0]), other = read(x[1]);
    const double a = to_double(format(Id), one), b = to_double(format(Id), other);
    if (std::isnan(a) || std::isnan(b))
        return KeepsNan || (std::isnan(a) && std::isnan(b)) ? 0x7fff : std::isnan(a) ? other : one;
    const bool second = a == b ? std::signbit(a) == (What == Extreme::max) : (a < b) == (What == Extreme::max);
    return second ? other : one;
}

std::uint64_t nearest_away_tf32(Words x, bool) {
    const std::uint64_t bits = x[0];
    if ((bits & 0x7f800000) == 0x7f800000) return (bits & 0x7fffff) != 0 ? canonical_nan : bits;
    return (bits + 0x1000) & 0xffffe000;
}

struct FunctionRow {
    std::string_view name; ///< without .ftz, .rn where it is the default, .sync, .satfinite of rows that have it
    Function::Compute compute;
    bool is_exact = true;
};

using FormatId::bf16;
using FormatId::e4m3;
using FormatId::e5m2;
using FormatId::f16;

constexpr FunctionRow function_rows[] = {
    {"add.f32", [](Words x, bool z) { return of(f32(x[0], z) + f32(x[1], z), z); }},
    {"atom.add.f32", [](Words x, bool z) { return of(f32(x[0], z) + f32(x[1], z), z); }},
    {"atom.add.f16", small<f16, Arithmetic::add>},
    {"atom.add.bf16", small<bf16, Arithmetic::add>},
    {"sub.f32", [](Words x, bool z) { return of(f32(x[0], z) - f32(x[1], z), z); }},
    {"mul.f32", [](Words x, bool z) { return of(f32(x[0], z) * f32(x[1], z), z); }},
    {"fma.f32", [](Words x, bool z) { return of(std::fma(f32(x[0], z), f32(x[1], z), f32(x[2], z)), z); }},
    {"div.f32", [](Words x, bool z) { return of(f32(x[0], z) / f32(x[1], z), z); }},
    {"sqrt.f32", [](Words x, bool z) { return of(std::sqrt(f32(x[0], z)), z); }},
    {"rcp.f32", [](Words x, bool z) { return of(1.0f / f32(x[0], z), z); }},
    {"div.full.f32", [](Words x, bool z) { return of(f32(x[0], z) / f32(x[1], z), z); }, false},
    {"div.approx.f32", [](Words x, bool z) { return of(f32(x[0], z) / f32(x[1], z), z); }, false},
    {"sqrt.approx.f32", [](Words x, bool z) { return of(std::sqrt(f32(x[0], z)), z); }, false},
    {"rcp.approx.f32", [](Words x, bool z) { return of(1.0f / f32(x[0], z), z); }, false},
    {"rsqrt.approx.f32", [](Words x, bool z) { return of(1.0f / std::sqrt(f32(x[0], z)), z); }, false},
    {"ex2.approx.f32", [](Words x, bool z) { return of(std::exp2(f32(x[0], z)), z); }, false},
    {"lg2.approx.f32", [](Words x, bool z) { return of(std::log2(f32(x[0], z)), z); }, false},
    {"sin.approx.f32", [](Words x, bool z) { return of(std::sin(f32(x[0], z)), z); }, false},
    {"cos.approx.f32", [](Words x, bool z) { return of(std::cos(f32(x[0], z)), z); }, false},
    {"tanh.approx.f32", [](Words x, bool z) { return of(std::tanh(f32(x[0], z)), z); }, false},
    {"neg.f32", [](Words x, bool z) { return of(-f32(x[0], z), z); }},
    {"abs.f32", [](Words x, bool z) { return of(std::fabs(f32(x[0], z)), z); }},
    {"max.f32", extreme<Extreme::max, false>},
    {"min.f32", extreme<Extreme::min, false>},
    {"max.NaN.f32", extreme<Extreme::max, true>},
    {"min.NaN.f32", extreme<Extreme::min, true>},
    {"max.f16", small_extreme<f16, Extreme::max, false>},
    {"min.f16", small_extreme<f16, Extreme::min, false>},
    {"max.NaN.f16", small_extreme<f16, Extreme::max, true>},
    {"min.NaN.f16", small_extreme<f16, Extreme::min, true>},
    {"max.bf16", small_extreme<bf16, Extreme::max, false>},
    {"min.bf16", small_extreme<bf16, Extreme::min, false>},
    {"max.NaN.bf16", small_extreme<bf16, Extreme::max, true>},
    {"min.NaN.bf16", small_extreme<bf16, Extreme::min, true>},
    {"add.f64", [](Words x, bool) { return of(f64(x[0]) + f64(x[1])); }},
    {"sub.f64", [](Words x, bool) { return of(f64(x[0]) - f64(x[1])); }},
    {"mul.f64", [](Words x, bool) { return of(f64(x[0]) * f64(x[1])); }},
    {"fma.f64", [](Words x, bool) { return of(std::fma(f64(x[0]), f64(x[1]), f64(x[2]))); }},
    {"add.f16", small<f16, Arithmetic::add>},
    {"sub.f16", small<f16, Arithmetic::sub>},
    {"mul.f16", small<f16, Arithmetic::mul>},
    {"fma.f16", small<f16, Arithmetic::fma>},
    {"add.bf16", small<bf16, Arithmetic::add>},
    {"sub.bf16", small<bf16, Arithmetic::sub>},
    {"mul.bf16", small<bf16, Arithmetic::mul>},
    {"fma.bf16", small<bf16, Arithmetic::fma>},
    {"add.rz.f32", directed<Arithmetic::add, Towards::zero>},
    {"add.rm.f32", directed<Arithmetic::add, Towards::down>},
    {"add.rp.f32", directed<Arithmetic::add, Towards::up>},
    {"sub.rz.f32", directed<Arithmetic::sub, Towards::zero>},
    {"sub.rm.f32", directed<Arithmetic::sub, Towards::down>},
    {"sub.rp.f32", directed<Arithmetic::sub, Towards::up>},
    {"mul.rz.f32", directed<Arithmetic::mul, Towards::zero>},
    {"mul.rm.f32", directed<Arithmetic::mul, Towards::down>},
    {"mul.rp.f32", directed<Arithmetic::mul, Towards::up>},
    {"fma.rz.f32", directed<Arithmetic::fma, Towards::zero>},
    {"fma.rm.f32", directed<Arithmetic::fma, Towards::down>},
    {"fma.rp.f32", directed<Arithmetic::fma, Towards::up>},
    {"cvt.sat.f32.f32", saturated},
    {"cvt.f16.f64", [](Words x, bool) { return narrowed(f64(x[0]), f16, 0x7fff); }},
    {"cvt.f16.s32", [](Words x, bool) { return narrowed(s32(x[0]), f16, 0x7fff); }},
    {"cvt.f16.u32", [](Words x, bool) { return narrowed(double(std::uint32_t(x[0])), f16, 0x7fff); }},
    {"cvt.bf16.f16", [](Words x, bool) { return narrowed(to_double(format(f16), x[0]), bf16, 0x7fff); }},
    {"cvt.f16.f32", narrow<f16, 0x7fff>},
    {"cvt.bf16.f32", narrow<bf16, 0x7fff>},
    {"cvt.satfinite.e4m3.f32", narrow_to_finite<e4m3, 0x7f>},
    {"cvt.satfinite.e5m2.f32", narrow_to_finite<e5m2, 0x7f>},
    {"cvt.f32.f16", widen<f16>},
    {"cvt.f32.bf16", widen<bf16>},
    {"cvt.f16.e4m3", widen_to_f16<e4m3>},
    {"cvt.f16.e5m2", widen_to_f16<e5m2>},
    {"cvt.rna.tf32.f32", nearest_away_tf32},
    {"cvt.f64.f32", [](Words x, bool) { return of(double(f32(x[0]))); }},
    {"cvt.f32.f64", [](Words x, bool z) { return of(static_cast<float>(f64(x[0])), z); }},
    {"cvt.f32.s32", [](Words x, bool) { return of(static_cast<float>(static_cast<std::int32_t>(x[0]))); }},
    {"cvt.f32.u32", [](Words x, bool) { return of(static_cast<float>(static_cast<std::uint32_t>(x[0]))); }},
    {"cvt.f32.u64", [](Words x, bool) { return of(static_cast<float>(x[0])); }},
    {"cvt.f32.s16", [](Words x, bool) { return of(static_cast<float>(static_cast<std::int16_t>(x[0]))); }},
    {"cvt.f32.u16", [](Words x, bool) { return of(static_cast<float>(static_cast<std::uint16_t>(x[0]))); }},
    {"cvt.f32.s8", [](Words x, bool) { return of(static_cast<float>(static_cast<std::int8_t>(x[0]))); }},
    {"cvt.f32.u8", [](Words x, bool) { return of(static_cast<float>(static_cast<std::uint8_t>(x[0]))); }},
    {"cvt.s32.s16", [](Words x, bool) { return std::uint64_t(std::uint32_t(std::int16_t(x[0]))); }},
    {"cvt.s32.s8", [](Words x, bool) { return std::uint64_t(std::uint32_t(std::int8_t(x[0]))); }},
    {"cvt.s16.s8", [](Words x, bool) { return std::uint64_t(std::uint16_t(std::int8_t(x[0]))); }},
    {"cvt.s64.s32", [](Words x, bool) { return std::uint64_t(std::int64_t(std::int32_t(x[0]))); }},
    {"neg.f16", [](Words x, bool) { return x[0] ^ 0x8000; }},
    {"neg.bf16", [](Words x, bool) { return x[0] ^ 0x8000; }},
    {"abs.f16", [](Words x, bool) { return x[0] & 0x7fff; }},
    {"abs.bf16", [](Words x, bool) { return x[0] & 0x7fff; }},
    {"cvt.f32.s64", [](Words x, bool) { return of(static_cast<float>(static_cast<std::int64_t>(x[0]))); }},
    {"not.b32", [](Words x, bool) { return ~x[0] & 0xffffffff; }},
    {"add.u32", [](Words x, bool) { return (x[0] + x[1]) & 0xffffffff; }},
    {"sub.u32", [](Words x, bool) { return (x[0] - x[1]) & 0xffffffff; }},
    {"neg.s32", [](Words x, bool) { return (0 - x[0]) & 0xffffffff; }},
    {"mul.lo.u32", [](Words x, bool) { return x[0] * x[1] & 0xffffffff; }},
    {"mad.lo.s32", [](Words x, bool) { return (x[0] * x[1] + x[2]) & 0xffffffff; }},
    {"setp.eq.b32", [](Words x, bool) { return std::uint64_t(x[0] == x[1]); }},
    {"setp.ne.b32", [](Words x, bool) { return std::uint64_t(x[0] != x[1]); }},
    {"bits", [](Words x, bool) { return x[0] >> x[1] & ((std::uint64_t(1) << x[2]) - 1); }}, // of an element in a byte
    {"selp", [](Words x, bool) { return x[0] != 0 ? x[1] : x[2]; }},
    {"and.pred", [](Words x, bool) { return x[0] & x[1]; }},
    {"or.pred", [](Words x, bool) { return x[0] | x[1]; }},
    {"xor.pred", [](Words x, bool) { return x[0] ^ x[1]; }},
    {"not.pred", [](Words x, bool) { return x[0] ^ 1; }},
    {"setp.eq.f32", [](Words x, bool z) { return std::uint64_t(f32(x[0], z) == f32(x[1], z)); }},
    {"setp.ne.f32",
     [](Words x, bool z) { return std::uint64_t(f32(x[0], z) < f32(x[1], z) || f32(x[0], z) > f32(x[1], z)); }},
    {"setp.lt.f32", [](Words x, bool z) { return std::uint64_t(f32(x[0], z) < f32(x[1], z)); }},
    {"setp.le.f32", [](Words x, bool z) { return std::uint64_t(f32(x[0], z) <= f32(x[1], z)); }},
    {"setp.gt.f32", [](Words x, bool z) { return std::uint64_t(f32(x[0], z) > f32(x[1], z)); }},
    {"setp.ge.f32", [](Words x, bool z) { return std::uint64_t(f32(x[0], z) >= f32(x[1], z)); }},
    {"setp.equ.f32",
     [](Words x, bool z) { return std::uint64_t(!(f32(x[0], z) < f32(x[1], z) || f32(x[0], z) > f32(x[1], z))); }},
    {"setp.neu.f32", [](Words x, bool z) { return std::uint64_t(!(f32(x[0], z) == f32(x[1], z))); }},
    {"setp.ltu.f32", [](Words x, bool z) { return std::uint64_t(!(f32(x[0], z) >= f32(x[1], z))); }},
    {"setp.leu.f32", [](Words x, bool z) { return std::uint64_t(!(f32(x[0], z) > f32(x[1], z))); }},
    {"setp.gtu.f32", [](Words x, bool z) { return std::uint64_t(!(f32(x[0], z) <= f32(x[1], z))); }},
    {"setp.geu.f32", [](Words x, bool z) { return std::uint64_t(!(f32(x[0], z) < f32(x[1], z))); }},
    {"setp.num.f32", [](Words x, bool) { return std::uint64_t(!std::isnan(f32(x[0])) && !std::isnan(f32(x[1]))); }},
    {"setp.nan.f32", [](Words x, bool) { return std::uint64_t(std::isnan(f32(x[0])) || std::isnan(f32(x[1]))); }},
};

/// Integers of 8, 16, 32 and 64 bits: the name is followed by the number of bits.
struct IntegerRow {
    std::string_view name;
    std::array<Function::Compute, 4> of;
};
#define DISCERN_INTEGER(type, expression)                                                                              \
    [](Words x, bool) {                                                                                                \
        const auto a = static_cast<type>(x[0]), b = static_cast<type>(x[1]);                                           \
        constexpr unsigned bits = 8 * sizeof(type);                                                                    \
        static_cast<void>(bits);                                                                                       \
        return std::uint64_t(static_cast<std::make_unsigned_t<type>>(expression));                                     \
    }
#define DISCERN_INTEGERS(name, prefix, expression)                                                                     \
    {                                                                                                                  \
        name, {                                                                                                        \
            DISCERN_INTEGER(prefix##8_t, expression), DISCERN_INTEGER(prefix##16_t, expression),                       \
                DISCERN_INTEGER(prefix##32_t, expression), DISCERN_INTEGER(prefix##64_t, expression)                   \
        }                                                                                                              \
    }
constexpr IntegerRow integer_rows[] = {
    DISCERN_INTEGERS("add.s", std::uint, std::uint64_t(a) + b),
    DISCERN_INTEGERS("sub.s", std::uint, std::uint64_t(a) - b),
    DISCERN_INTEGERS("mul.lo.s", std::uint, std::uint64_t(a) * b),
    DISCERN_INTEGERS("and.b", std::uint, a& b),
    DISCERN_INTEGERS("or.b", std::uint, a | b),
    DISCERN_INTEGERS("xor.b", std::uint, a ^ b),
    DISCERN_INTEGERS("shl.b", std::uint, b >= bits ? 0 : std::uint64_t(a) << b),
    DISCERN_INTEGERS("shr.u", std::uint, b >= bits ? 0 : std::uint64_t(a) >> b),
    DISCERN_INTEGERS("shr.s", std::int, std::int64_t(a) >> std::min<std::uint64_t>(std::uint64_t(b), bits - 1)),
    DISCERN_INTEGERS("max.s", std::int, std::max(a, b)),
    DISCERN_INTEGERS("min.s", std::int, std::min(a, b)),
    DISCERN_INTEGERS("max.u", std::uint, std::max(a, b)),
    DISCERN_INTEGERS("min.u", std::uint, std::min(a, b)),
    DISCERN_INTEGERS("setp.eq.s", std::int, a == b),
    DISCERN_INTEGERS("setp.ne.s", std::int, a != b),
    DISCERN_INTEGERS("setp.lt.s", std::int, a < b),
    DISCERN_INTEGERS("setp.le.s", std::int, a <= b),
    DISCERN_INTEGERS("setp.gt.s", std::int, a > b),
    DISCERN_INTEGERS("setp.ge.s", std::int, a >= b),
    DISCERN_INTEGERS("setp.lt.u", std::uint, a < b),
    DISCERN_INTEGERS("setp.le.u", std::uint, a <= b),
    DISCERN_INTEGERS("setp.gt.u", std::uint, a > b),
    DISCERN_INTEGERS("setp.ge.u", std::uint, a >= b),
};
#undef DISCERN_INTEGERS
#undef DISCERN_INTEGER

Function::Compute integer_function(std::string_view name) {
    constexpr std::array<std::string_view, 4> widths = {"8", "16", "32", "64"};
    for (const IntegerRow& row : integer_rows)
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (name.starts_with(row.name) && name.substr(row.name.size()) == widths[i]) return row.of[i];
    return nullptr;
}

/// Functions of a machine's own, which have its architecture as the last part of their names: near to what it gives.
constexpr std::string_view machines[] = {"cdna", "rdna"};
constexpr FunctionRow own_rows[] = {
    {"v_exp_f32", [](Words x, bool z) { return of(std::exp2(f32(x[0], z)), z); }},
    {"v_log_f32", [](Words x, bool z) { return of(std::log2(f32(x[0], z)), z); }},
    {"v_rcp_f32", [](Words x, bool z) { return of(1.0f / f32(x[0], z), z); }},
    {"v_rsq_f32", [](Words x, bool z) { return of(1.0f / std::sqrt(f32(x[0], z)), z); }},
    {"v_sqrt_f32", [](Words x, bool z) { return of(std::sqrt(f32(x[0], z)), z); }},
    {"sqrt.f32", [](Words x, bool z) { return of(std::sqrt(f32(x[0], z)), z); }},
    {"exp2.f32", [](Words x, bool z) { return of(std::exp2(f32(x[0], z)), z); }},
    {"exp.f32", [](Words x, bool z) { return of(std::exp(f32(x[0], z)), z); }},
    {"log2.f32", [](Words x, bool z) { return of(std::log2(f32(x[0], z)), z); }},
    {"log.f32", [](Words x, bool z) { return of(std::log(f32(x[0], z)), z); }},
    {"sin.f32", [](Words x, bool z) { return of(std::sin(f32(x[0], z)), z); }},
    {"cos.f32", [](Words x, bool z) { return of(std::cos(f32(x[0], z)), z); }},
    {"fdiv.f32", [](Words x, bool z) { return of(f32(x[0], z) / f32(x[1], z), z); }},
    {"atom.add.f32", [](Words x, bool z) { return of(f32(x[0], z) + f32(x[1], z), z); }},
    {"atom.add.f16", small<f16, Arithmetic::add>},
    {"atom.add.bf16", small<bf16, Arithmetic::add>},
};

} // namespace

std::uint64_t narrowed(double x, FormatId id, std::uint64_t nan) {
    const Format& to = format(id);
    if (std::isnan(x)) return nan;
    const std::uint64_t sign = std::signbit(x) ? std::uint64_t(1) << (to.width - 1) : 0;
    const double magnitude = std::fabs(x);
    if (magnitude == 0) return sign;
    const std::uint64_t infinity = ((std::uint64_t(1) << to.exponent_bits) - 1) << to.mantissa_bits;
    if (std::isinf(x)) return sign | infinity;
    const int exponent = std::max(std::ilogb(magnitude), to.emin());
    const double scaled = std::ldexp(magnitude, to.mantissa_bits - exponent); // exact
    const auto significand = static_cast<std::uint64_t>(std::nearbyint(scaled));
    // A carry out of the significand is one in the exponent field.
    const std::uint64_t field = significand < (std::uint64_t(1) << to.mantissa_bits)
                                    ? 0
                                    : static_cast<std::uint64_t>(exponent + to.bias - 1) << to.mantissa_bits;
    return sign | (to.has_infinity() ? std::min(field + significand, infinity) : field + significand);
}

Function function_of(std::string_view name) {
    std::string plain;
    bool flushes = false;
    if (const std::string_view last = name.substr(name.rfind('.') + 1); std::any_of(
            std::begin(machines), std::end(machines), [&](auto machine) { return last.starts_with(machine); })) {
        for (const FunctionRow& row : own_rows)
            if (row.name == name.substr(0, name.rfind('.'))) return {row.compute, false, false};
        return {};
    }
    for (std::size_t from = 0; from <= name.size();) {
        const std::size_t end = std::min(name.find('.', from), name.size());
        const std::string_view part = name.substr(from, end - from);
        flushes |= part == "ftz";
        if (part != "ftz" && part != "rn") plain += (plain.empty() ? "" : ".") + std::string(part);
        from = end + 1;
    }
    for (const FunctionRow& row : function_rows)
        if (row.name == plain) return {row.compute, flushes, row.is_exact};
    if (const Function::Compute compute = integer_function(plain)) return {compute, false, true};
    return {};
}

} // namespace discern::programs
