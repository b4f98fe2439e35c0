// A word of any width, as Verilog's memories and literals have them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace discern {

/// A word of any width, filled from its least significant bit on.
class PackedWord {
  public:
    void append(std::uint64_t bits, int width) {
        for (int i = 0; i < width; ++i, ++width_) {
            if (width_ % 4 == 0) digits_.push_back(0);
            digits_.back() = static_cast<unsigned char>(digits_.back() | (((bits >> i) & 1) << (width_ % 4)));
        }
    }
    std::string hex() const {
        std::string text;
        for (std::size_t i = digits_.size(); i > 0; --i) text += "0123456789abcdef"[digits_[i - 1]];
        return text;
    }

  private:
    int width_ = 0;
    std::vector<unsigned char> digits_; ///< least significant first
};

} // namespace discern
