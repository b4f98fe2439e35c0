#include "accumulators.hpp"

#include "codec.hpp"

#include <bit>
#include <cmath>
#include <cstring>

namespace discern::fast {

namespace {

constexpr std::uint32_t infinity = 0x7f800000;

/// Formats of 16 bits with infinities, without branches: the bits of a magnitude, shifted to their position in f32, are
/// the number times 2^(bias − 127). Subnormal numbers are not multiplied, which takes some processors a hundred cycles.
void load_words(const Format& f, const std::uint16_t* from, std::size_t count, float* to) {
    const int left = 23 - f.mantissa_bits;
    const auto special = static_cast<std::uint32_t>(((1 << f.exponent_bits) - 1) << f.mantissa_bits);
    const auto rebias = static_cast<std::uint32_t>(127 - f.bias) << 23;
    const std::uint32_t one =
        rebias == 0 ? 0 : 1u << 23; // exponent field 1; a subnormal 0.m·2^emin is computed as 1.m·2^emin − 1·2^emin
    const float least_normal = rebias == 0 ? 0 : std::bit_cast<float>(rebias + one);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t m = from[i] & 0x7fffu, sign = (from[i] & 0x8000u) << 16, placed = (m << left) + rebias;
        const float subnormal = std::bit_cast<float>(placed + one) - least_normal;
        const std::uint32_t finite = m >> f.mantissa_bits == 0 ? std::bit_cast<std::uint32_t>(subnormal) : placed;
        to[i] = std::bit_cast<float>(sign | (m >= special ? infinity | (m << left) : finite));
    }
}

void store_words(const Format& f, std::optional<std::uint64_t> nan, const float* from, std::size_t count,
                 std::uint16_t* to) {
    const int right = 23 - f.mantissa_bits;
    const auto rebias = static_cast<std::uint32_t>((127 - f.bias) << f.mantissa_bits);
    const auto special = static_cast<std::uint32_t>(((1 << f.exponent_bits) - 1) << f.mantissa_bits);
    const bool as_f32 = f.bias == 127; // its subnormals are subnormal in f32, too
    const float least = as_f32 ? 0 : std::ldexp(1.0F, f.emin());
    const float to_integer = as_f32 ? 0 : std::ldexp(1.0F, f.mantissa_bits - f.emin());
    const std::uint32_t kept = nan ? 0 : ~0u, given = nan ? static_cast<std::uint32_t>(*nan) : special;
    for (std::size_t i = 0; i < count; ++i) {
        const auto word = std::bit_cast<std::uint32_t>(from[i]);
        const std::uint32_t m = word & 0x7fffffff;
        const auto x = std::bit_cast<float>(m);
        const auto subnormal = static_cast<std::uint32_t>(static_cast<std::int32_t>((x < least ? x : 0) * to_integer));
        std::uint32_t bits = x < least ? subnormal : (m >> right) - rebias;
        bits = m == infinity ? special : bits;
        bits |= (word >> 31) << 15;
        const std::uint32_t own = (word >> 31) << 15 | (word & 0x7fffff) >> right;
        to[i] = static_cast<std::uint16_t>(m > infinity ? given | (own & kept) : bits);
    }
}

bool is_word_with_infinity(const Format& f) {
    return f.width == 16 && f.padding_bits == 0 && f.is_signed && f.specials == Specials::ieee;
}

/// The pattern of a number of any format but f64.
std::uint64_t pattern_of(const Format& f, float value, std::uint64_t nan) {
    if (std::isnan(value)) return nan;
    Decoded x;
    x.negative = std::signbit(value);
    x.exponent = f.emin();
    if (std::isinf(value)) {
        x.number_class = NumberClass::infinite;
    } else if (value != 0) {
        x.exponent = std::max(std::ilogb(value), f.emin());
        x.significand =
            static_cast<std::uint64_t>(std::ldexp(std::fabs(static_cast<double>(value)), f.mantissa_bits - x.exponent));
    }
    return pack(f, x);
}

} // namespace

void put_pattern(void* data, std::size_t word, std::size_t index, std::uint64_t bits) {
    switch (word) {
    case 1: static_cast<std::uint8_t*>(data)[index] = static_cast<std::uint8_t>(bits); break;
    case 2: static_cast<std::uint16_t*>(data)[index] = static_cast<std::uint16_t>(bits); break;
    case 4: static_cast<std::uint32_t*>(data)[index] = static_cast<std::uint32_t>(bits); break;
    default: static_cast<std::uint64_t*>(data)[index] = bits; break;
    }
}

void load_accumulators(const Format& f, const Patterns& from, std::size_t index, std::size_t count, void* to) {
    if (f.padding_bits != 0 && f.width == 32) {
        const std::uint32_t read = ~((std::uint32_t{1} << f.padding_bits) - 1); // padding does not count
        for (std::size_t j = 0; j < count; ++j)
            static_cast<float*>(to)[j] =
                std::bit_cast<float>(static_cast<const std::uint32_t*>(from.data())[index + j] & read);
    } else if (f.width == 32 || f.width == 64) {
        std::memcpy(to, static_cast<const std::byte*>(from.data()) + index * from.word(), count * from.word());
    } else if (is_word_with_infinity(f)) {
        load_words(f, static_cast<const std::uint16_t*>(from.data()) + index, count, static_cast<float*>(to));
    } else {
        for (std::size_t j = 0; j < count; ++j)
            static_cast<float*>(to)[j] =
                static_cast<float>(operand(f, pattern_at(from.data(), from.word(), index + j), Flushed::none).value);
    }
}

void store_accumulators(const Format& f, std::optional<std::uint64_t> nan, const void* from, std::size_t index,
                        std::size_t count, const MutablePatterns& to) {
    if (f.width == 64) {
        const auto* sums = static_cast<const double*>(from);
        auto* patterns = static_cast<std::uint64_t*>(to.data()) + index;
        for (std::size_t j = 0; j < count; ++j)
            patterns[j] = std::isnan(sums[j]) && nan ? *nan : std::bit_cast<std::uint64_t>(sums[j]);
        return;
    }
    const auto* sums = static_cast<const float*>(from);
    if (f.width == 32) {
        auto* patterns = static_cast<std::uint32_t*>(to.data()) + index;
        for (std::size_t j = 0; j < count; ++j) {
            const auto bits = std::bit_cast<std::uint32_t>(sums[j]);
            patterns[j] = (bits & 0x7fffffff) > infinity && nan ? static_cast<std::uint32_t>(*nan) : bits;
        }
    } else if (is_word_with_infinity(f)) {
        store_words(f, nan, sums, count, static_cast<std::uint16_t*>(to.data()) + index);
    } else {
        for (std::size_t j = 0; j < count; ++j)
            put_pattern(to.data(), to.word(), index + j, pattern_of(f, sums[j], nan.value_or(quiet_nan(f))));
    }
}

} // namespace discern::fast
