#include "values.hpp"

#include "models/hex.hpp"

#include <fmt/format.h>

namespace discern::cli {

std::string hexfloat(const Format& format, std::uint64_t bits) { return fmt::format("{:a}", to_double(format, bits)); }

std::string decimal(const Format& format, std::uint64_t bits) { return fmt::format("{}", to_double(format, bits)); }

std::string described(const Format& format, std::uint64_t bits) {
    return fmt::format("{} ({}, {})", to_hex(format, bits), hexfloat(format, bits), decimal(format, bits));
}

} // namespace discern::cli
