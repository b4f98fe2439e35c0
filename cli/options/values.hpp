// A bit pattern as people read it.
#pragma once

#include "models/format.hpp"

#include <cstdint>
#include <string>

namespace discern::cli {

/// The value exactly, as a C hexadecimal float: "0x1.8p+0", "-inf", "nan".
std::string hexfloat(const Format& format, std::uint64_t bits);
/// The shortest decimal that is nearest to the value among binary64 numbers.
std::string decimal(const Format& format, std::uint64_t bits);
/// "3fc00000 (0x1.8p+0, 1.5)"
std::string described(const Format& format, std::uint64_t bits);

} // namespace discern::cli
