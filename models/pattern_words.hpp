// Patterns of a format in words that are one's own, as whole products read and write them.
#pragma once

#include "gemm.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace discern {

/// Words of word_bytes(), one after the other, in the byte order of the machine; +0 at first.
class PatternWords {
  public:
    PatternWords(FormatId id, std::size_t size) : word_(word_bytes(id)), size_(size), bytes_(size * word_) {}
    void set(std::size_t i, std::uint64_t bits) { std::memcpy(bytes_.data() + i * word_, &bits, word_); }
    std::uint64_t at(std::size_t i) const {
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes_.data() + i * word_, word_);
        return bits;
    }
    Patterns patterns() const { return {bytes_.data(), size_, word_}; }
    MutablePatterns out() { return {bytes_.data(), size_, word_}; }

  private:
    std::size_t word_, size_;
    std::vector<std::byte> bytes_;
};

} // namespace discern
