#include "codec.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace discern::fast {

namespace {

/// A quiet NaN with the sign and the payload of the operand's.
double nan_of(const Format& format, const Decoded& x) {
    const std::uint64_t payload = format.mantissa_bits == 0 ? 0 : x.payload << (52 - format.mantissa_bits);
    return std::bit_cast<double>((x.negative ? 0xfff8000000000000u : 0x7ff8000000000000u) | payload);
}

} // namespace

Operand operand(const Format& format, std::uint64_t bits, Flushed ftz, OperandExponents exponents) {
    const Decoded x = decode(format, bits);
    const double sign = x.negative ? -1.0 : 1.0;
    switch (x.number_class) {
    case NumberClass::nan: return {nan_of(format, x), 0};
    case NumberClass::infinite: return {sign * std::numeric_limits<double>::infinity(), 0};
    case NumberClass::finite: break;
    }
    if (x.significand == 0) return {ftz == Flushed::subnormals_and_zeros ? 0.0 : sign * 0.0, no_exponent};
    if (ftz != Flushed::none && format.has_subnormals() && (x.significand >> format.mantissa_bits) == 0)
        return {ftz == Flushed::subnormals_keep_signs ? sign * 0.0 : 0.0, no_exponent};
    const double magnitude = std::ldexp(static_cast<double>(x.significand), x.exponent - format.mantissa_bits);
    const int emin = exponents.emin(format); // normal numbers have the exponents that they have in any format
    return {sign * magnitude, emin < x.exponent ? std::max(std::ilogb(magnitude), emin) : x.exponent};
}

Storage storage_of(const Recipe& recipe) {
    switch (recipe.form) {
    case Form::fused:
    case Form::two_level: return recipe.narrow ? Storage::narrow : recipe.gap ? Storage::gap : Storage::wide;
    case Form::exact:
    case Form::steps: return Storage::wide;
    case Form::grouped:
    case Form::fma32:
    case Form::pairwise: return Storage::floats;
    case Form::fma64: return Storage::doubles;
    }
    return Storage::wide;
}

Codec::Codec(const Format& format, Storage storage, Flushed ftz, OperandExponents exponents)
    : format_(&format), storage_(storage), flush_(ftz), exponents_(exponents) {
    if (format.width > 16) return;
    const std::size_t patterns = std::size_t{1} << format.width;
    values_.reserve(patterns);
    codes_.reserve(patterns);
    for (std::size_t bits = 0; bits < patterns; ++bits) {
        const Operand x = operand(format, bits, ftz, exponents);
        values_.push_back(static_cast<float>(x.value));
        codes_.push_back(static_cast<std::int16_t>(code(x)));
    }
}

int Codec::code(const Operand& x) const {
    if (storage_ != Storage::narrow) return x.exponent;
    return x.exponent == no_exponent ? 0 : 64 + (std::isfinite(x.value) ? x.exponent - emin() : 0);
}

Operand Codec::decoded(std::uint64_t bits) const {
    if (storage_ == Storage::doubles && format_->id == FormatId::f64) return {std::bit_cast<double>(bits), 0};
    if (format_->width != 32 || flush_ != Flushed::none || emin() != format_->emin())
        return operand(*format_, bits, flush_, exponents_);
    // f32, and tf32 with its padding
    const auto word = static_cast<std::uint32_t>(bits) & ~((std::uint32_t{1} << format_->padding_bits) - 1);
    const int field = static_cast<int>((word >> 23) & 255);
    const bool zero = (word << 1) == 0;
    const auto value = static_cast<double>(std::bit_cast<float>(word));
    // A NaN of padding bits alone is an infinity to the format, as it is here.
    return {value, zero ? no_exponent : field == 0 ? -126 : field == 255 ? 0 : field - 127};
}

} // namespace discern::fast
