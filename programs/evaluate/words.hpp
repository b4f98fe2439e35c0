// Patterns of one format in the words in which products of the models take them.
#pragma once

#include "models/format.hpp"
#include "models/gemm.hpp"

#include <cstdint>
#include <vector>

namespace discern::programs {

/// Patterns in the words that products take.
class Words {
  public:
    explicit Words(FormatId id) : word_(word_bytes(id)) {}
    void add(std::uint64_t bits) {
        for (std::size_t i = 0; i < word_; ++i) bytes_.push_back(static_cast<std::uint8_t>(bits >> (8 * i)));
    }
    void resize(std::size_t count) { bytes_.resize(count * word_); }
    std::uint64_t at(std::size_t index) const {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < word_; ++i) bits |= std::uint64_t(bytes_[index * word_ + i]) << (8 * i);
        return bits;
    }
    Patterns patterns() const { return {bytes_.data(), bytes_.size() / word_, word_}; }
    MutablePatterns writable() { return {bytes_.data(), bytes_.size() / word_, word_}; }

  private:
    std::size_t word_;
    std::vector<std::uint8_t> bytes_;
};

} // namespace discern::programs
