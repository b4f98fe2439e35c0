// SHA-256 (FIPS 180-4), so that the checker needs no library for it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace discern::certificate {

/// The digest of bytes that come one part after the other.
class Sha256 {
  public:
    void add(std::string_view bytes);
    /// As 64 lower-case hexadecimal digits. Nothing can be added any more.
    std::string digest();

  private:
    /// The first bits of the fractional parts of the square roots of 8 primes.
    std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::string rest_; ///< less than a block
    std::uint64_t length_ = 0;
};

/// The digest of some bytes.
std::string sha256(std::string_view bytes);

} // namespace discern::certificate
