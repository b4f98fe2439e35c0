// SHA-256 (FIPS 180-4), so that the checker needs no library for it.
#pragma once

#include <string>
#include <string_view>

namespace discern::certificate {

/// The digest of some bytes as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

} // namespace discern::certificate
