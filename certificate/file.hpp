// Files from sources that are not trusted. What is read is a plain file of a size that a certificate's may have:
// reading a FIFO or a device might never end, and a file can be larger than all memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace discern::certificate {

/// Bytes of a claim, and of any other file; the largest known are a hundredth, and a sixth, of that.
inline constexpr std::uintmax_t most_of_claim = std::uintmax_t{1} << 24, most_of_file = std::uintmax_t{1} << 30;

/// How many bytes a file has.
/// @throws Error, as all of these, if it is no plain file, has more than `most` bytes, or cannot be read
std::uintmax_t size_of(const std::filesystem::path& file, std::uintmax_t most);

std::string contents(const std::filesystem::path& file, std::uintmax_t most);

/// Its SHA-256, without holding all of it.
std::string digest_of(const std::filesystem::path& file, std::uintmax_t most);

} // namespace discern::certificate
