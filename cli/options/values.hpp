// A bit pattern as people read it.
#pragma once

#include "models/format.hpp"
#include "models/hex.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace discern::cli {

/// The value exactly, as a C hexadecimal float: "0x1.8p+0", "-inf", "nan".
inline std::string hexfloat(const Format& format, std::uint64_t bits) {
    return fmt::format("{:a}", to_double(format, bits));
}
/// The shortest decimal that is nearest to the value among binary64 numbers.
inline std::string decimal(const Format& format, std::uint64_t bits) {
    return fmt::format("{}", to_double(format, bits));
}
/// "3fc00000 (0x1.8p+0, 1.5)"
inline std::string described(const Format& format, std::uint64_t bits) {
    return fmt::format("{} ({}, {})", to_hex(format, bits), hexfloat(format, bits), decimal(format, bits));
}

} // namespace discern::cli
