#include "values.hpp"

#include "models/hex.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace discern::cli {

namespace {

/// Every format is one whose finite numbers binary64 holds exactly.
double value(const Format& format, std::uint64_t bits) {
    const Decoded decoded = decode(format, bits);
    double magnitude = std::ldexp(static_cast<double>(decoded.significand), decoded.exponent - format.mantissa_bits);
    if (decoded.number_class == NumberClass::infinite) magnitude = std::numeric_limits<double>::infinity();
    if (decoded.number_class == NumberClass::nan) magnitude = std::numeric_limits<double>::quiet_NaN();
    return decoded.negative ? -magnitude : magnitude;
}

} // namespace

std::string hexfloat(const Format& format, std::uint64_t bits) { return fmt::format("{:a}", value(format, bits)); }

std::string decimal(const Format& format, std::uint64_t bits) { return fmt::format("{}", value(format, bits)); }

std::string described(const Format& format, std::uint64_t bits) {
    return fmt::format("{} ({}, {})", to_hex(format, bits), hexfloat(format, bits), decimal(format, bits));
}

} // namespace discern::cli
