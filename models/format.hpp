// Formats of numbers as one documented table, and the decoding of their bit patterns.
//
// A format is a record; everything that reads or writes bit patterns reads the record. Sources: IEEE 754-2019 (f64,
// f32, f16); the OCP 8-bit and Microscaling specifications (e5m2, e4m3, e3m2, e2m3, e2m1, e8m0); the FNUZ formats of
// AMD CDNA3; NVIDIA's PTX ISA (tf32, ue4m3); AMD's hipBLASLt (ue5m3); Xie et al., Table 2 (E8M13). Beside these, which
// have names of their own, there is every format that its fields describe, such as e8m31 and e5m7fn, and fixed point,
// such as fix8.6: the INT8 of the Microscaling specification.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace discern {

/// The formats with names of their own. A larger number is a format by its fields: an index into the table of all of
/// them.
enum class FormatId : std::uint16_t {
    f64,
    f32,
    tf32,
    bf16,
    f16,
    e5m2,
    e4m3,
    e5m2fnuz,
    e4m3fnuz,
    e3m2,
    e2m3,
    e2m1,
    e8m0,
    ue4m3,
    ue5m3,
    e8m13,
};

/// Which bit patterns are not finite numbers.
enum class Specials : std::uint8_t {
    ieee,     ///< exponent field all ones: mantissa 0 is infinity, any other NaN
    all_ones, ///< only S.11…1 is NaN; there is no infinity (OCP e4m3; e8m0, whose 0xff is NaN)
    fnuz,     ///< only the pattern of "minus zero" is NaN; no infinity and no minus zero
    inuz,     ///< fnuz, but the largest magnitude is infinite (the extended formats of P3109)
    none,     ///< every pattern is a finite number
    fixed,    ///< fixed point: two's complement, every pattern is a finite number, and there is no minus zero
};

struct Format {
    FormatId id;
    std::string_view name;
    std::string_view synonym; ///< also accepted when reading ("fp16"), or empty
    int width;                ///< bits of a stored pattern
    int exponent_bits;
    int mantissa_bits; ///< fraction bits that count
    int padding_bits;  ///< low bits of the pattern below the mantissa: ignored when read, zero when written (tf32: 13)
    int bias;
    Specials specials;
    bool is_signed; ///< false: a top bit, if the pattern has one, is ignored (ue4m3)
    bool has_zero;  ///< false: exponent field 0 is an ordinary power of two (e8m0)
    std::string_view source;

    /// Fixed point is kept as a format with one exponent bit, both of whose values stand for the same exponent: that of
    /// the bit below the sign. Only the smallest number has a significand that needs one bit more.
    constexpr bool is_fixed_point() const { return specials == Specials::fixed; }

    /// Exponent of the smallest normal number, and of every subnormal and zero.
    constexpr int emin() const { return has_zero ? 1 - bias : -bias; }
    /// Exponent of the smallest number beside zero, a multiple of which every number is.
    constexpr int lsb() const { return emin() - mantissa_bits; }
    /// Exponent of the largest finite number.
    constexpr int emax() const {
        const int top = (1 << exponent_bits) - 1 - bias;
        const bool top_is_special =
            specials == Specials::ieee || (specials == Specials::all_ones && mantissa_bits == 0);
        return top_is_special ? top - 1 : top;
    }
    /// Every finite number is of magnitude < 2^below(). The smallest fixed-point number is twice the power of two at
    /// emax().
    constexpr int below() const { return emax() + significand_bits() - mantissa_bits; }
    /// Hexadecimal digits of a pattern in files: width/4, rounded up.
    constexpr int digits() const { return (width + 3) / 4; }
    constexpr std::uint64_t mask() const { return width == 64 ? ~0ull : (1ull << width) - 1; }
    constexpr bool has_infinity() const { return specials == Specials::ieee || specials == Specials::inuz; }
    /// The fraction bits of an infinity, whose exponent bits are ones.
    constexpr std::uint64_t infinite_mantissa() const {
        return specials == Specials::inuz ? (1ull << mantissa_bits) - 1 : 0;
    }
    /// Whether the pattern of "minus zero" is the only NaN.
    constexpr bool has_nan_for_minus_zero() const { return specials == Specials::fnuz || specials == Specials::inuz; }
    constexpr bool has_nan() const { return specials != Specials::none && !is_fixed_point(); }
    constexpr bool has_minus_zero() const {
        return is_signed && has_zero && !has_nan_for_minus_zero() && !is_fixed_point();
    }
    /// Whether some numbers are subnormal: in fixed point all of them are as precise as the others.
    constexpr bool has_subnormals() const { return has_zero && !is_fixed_point(); }
    /// Bits of the largest significand.
    constexpr int significand_bits() const { return mantissa_bits + (is_fixed_point() ? 2 : 1); }
    /// Largest finite significand (with the hidden bit) at exponent emax(), of numbers of that sign.
    constexpr std::uint64_t max_significand(bool negative = false) const {
        const std::uint64_t all = (2ull << mantissa_bits) - 1;
        if (is_fixed_point() && negative) return all + 1;
        const bool ones_are_special = specials == Specials::all_ones || specials == Specials::inuz;
        return ones_are_special && mantissa_bits > 0 ? all - 1 : all;
    }
};

/// The formats with names of their own, in the order of FormatId.
std::span<const Format> formats();
const Format& format(FormatId id);
/// Whether it is a format of scales, which no other operand can have.
constexpr bool is_of_scales(FormatId id) { return id >= FormatId::e8m0 && id <= FormatId::ue5m3; }
/// Whether the format is one that only its fields describe.
constexpr bool is_by_fields(FormatId id) { return id > FormatId::e8m13; }

/// How the name of a format by its fields ends, in the order of Specials; nothing is `ieee` too, unless the fields are
/// the name of another format.
inline constexpr std::array<std::string_view, 5> special_suffixes = {"ieee", "fn", "fnuz", "inuz", "f"};
/// The fields that a format can have: eEmM with E exponent and M fraction bits.
inline constexpr std::string_view format_by_fields =
    "eEmM with E from 2 to 11 and M from 1 to 52, then nothing (IEEE), fn (only the pattern of ones is NaN), fnuz, "
    "inuz (fnuz with infinities) or f (all finite), with E=11 only IEEE; or fixW.F, fixed point of W bits from 2 to "
    "54, F of them a fraction";
/// The format of these fields, a named one if it is the same, or nothing.
std::optional<FormatId> format_of_fields(int exponent_bits, int mantissa_bits, Specials specials);
/// Fixed point of so many bits, with so many of them after the point: 2 to 54, and 0 to all; else nothing. With 54
/// every number is still one of binary64.
std::optional<FormatId> fixed_point(int width, int fraction_bits);
/// The format of that name or synonym, or nothing.
std::optional<FormatId> format_from_name(std::string_view text);
/// The same, or the format that programs and people call so, whatever the case: float16, half, float8_e4m3fn,
/// binary8p3sf, ….
std::optional<FormatId> everyday_format(std::string_view text);
/// Why a name that people use is not one format here, in a sentence: it stands for several, as fp8 does, or for one
/// that cannot be written; or "".
std::string why_not_one_format(std::string_view text);
/// The format that everyday_format finds, else an Error that names the nearest right one.
/// @param where  what was being read, for the error's sentence
FormatId require_format(std::string_view text, std::string_view where);

enum class NumberClass : std::uint8_t { finite, infinite, nan };

/// A decoded bit pattern. A finite number is (−1)^negative · significand · 2^(exponent − mantissa_bits); a subnormal
/// or zero has exponent emin() and no hidden bit. In fixed point all have exponent emin().
struct Decoded {
    NumberClass number_class = NumberClass::finite;
    bool negative = false;
    std::uint64_t significand = 0;
    int exponent = 0;
    std::uint64_t payload = 0; ///< of a NaN: the mantissa field

    constexpr bool is_zero() const { return number_class == NumberClass::finite && significand == 0; }
};

constexpr bool is_subnormal(const Format& f, const Decoded& x) {
    return x.number_class == NumberClass::finite && x.significand != 0 && (x.significand >> f.mantissa_bits) == 0 &&
           f.has_subnormals();
}

/// Decodes a pattern; bits above the format's width must be zero, padding bits are ignored.
Decoded decode(const Format& format, std::uint64_t bits);
/// The number of a pattern, with NaN and infinities: exact, for all finite numbers of all formats are of binary64.
double to_double(const Format& format, std::uint64_t bits);

/// Packs a number that the format holds exactly: finite with significand ≤ max_significand(negative) at an exponent the
/// format has, infinite (the format must have infinity), or NaN with a payload. @throws std::logic_error otherwise.
std::uint64_t pack(const Format& format, const Decoded& value);

/// The canonical quiet NaN (sign 0, top mantissa bit): 7fc00000, 7e00, 7f (e4m3), 80 (FNUZ). The format must have one.
std::uint64_t quiet_nan(const Format& format);

/// The pattern of 1, or of the largest power of two where all numbers are smaller.
std::uint64_t one(const Format& format);
/// The pattern of the number with the other sign: with its magnitude, or the largest there is. The format must be
/// signed; a zero that has no other sign, or a NaN in its place, stays.
std::uint64_t negated(const Format& format, std::uint64_t bits);
/// The position of a pattern in the order of the format's numbers, its padding left out: consecutive numbers have
/// consecutive positions, and zeros of both signs have 0. So has a NaN that has the pattern of −0.
std::int64_t place_of(const Format& format, std::uint64_t bits);
/// The pattern at that position; +0 at 0.
std::uint64_t pattern_at_place(const Format& format, std::int64_t place);

/// Whether every value of `inner` is a value of `outer` with the same exponent range, so that patterns of `inner` can
/// be stored in `outer` (e8m13 and tf32 in f32).
bool holds(const Format& outer, const Format& inner);

} // namespace discern
