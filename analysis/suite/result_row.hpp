// The results of all classes on one vector, in few bytes.
//
// A suite of 10^5 classes is chosen from thousands of vectors, and few of the results on one vector are different. So
// each result is kept once, and of each class which of them it gives, in one byte, two or four.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

namespace discern {

class ResultRow {
  public:
    ResultRow() = default;
    ResultRow(const std::vector<std::uint64_t>& results) {
        for (const std::uint64_t result : results) push_back(result);
    }
    ResultRow(std::initializer_list<std::uint64_t> results) : ResultRow(std::vector(results)) {}

    void push_back(std::uint64_t result) {
        const auto at =
            std::lower_bound(order_.begin(), order_.end(), result,
                             [this](std::uint32_t number, std::uint64_t r) { return results_[number] < r; });
        std::uint32_t number = 0;
        if (at != order_.end() && results_[*at] == result) {
            number = *at;
        } else {
            number = static_cast<std::uint32_t>(results_.size());
            order_.insert(at, number);
            results_.push_back(result);
            if (width_ < 4 && number >> (8 * width_) != 0) widen();
        }
        bytes_.resize(bytes_.size() + width_);
        put(size() - 1, number);
    }

    std::size_t size() const { return bytes_.size() / width_; }
    std::uint64_t operator[](std::size_t c) const { return results_[number(c)]; }
    /// Which of the different results class c gives, in the order in which they came up.
    std::size_t number(std::size_t c) const {
        const std::uint8_t* const at = bytes_.data() + c * width_;
        if (width_ == 1) return *at;
        if (width_ == 2) return load<std::uint16_t>(at);
        return load<std::uint32_t>(at);
    }
    /// How many are different.
    std::size_t different() const { return results_.size(); }

  private:
    template <typename Word>
    static Word load(const std::uint8_t* at) {
        Word word;
        std::memcpy(&word, at, sizeof word);
        return word;
    }

    void put(std::size_t c, std::uint32_t number) {
        std::uint8_t* const at = bytes_.data() + c * width_;
        const auto one = static_cast<std::uint8_t>(number);
        const auto two = static_cast<std::uint16_t>(number);
        if (width_ == 1) std::memcpy(at, &one, sizeof one);
        if (width_ == 2) std::memcpy(at, &two, sizeof two);
        if (width_ == 4) std::memcpy(at, &number, sizeof number);
    }

    void widen() {
        std::vector<std::uint32_t> numbers;
        for (std::size_t c = 0; c < size(); ++c) numbers.push_back(static_cast<std::uint32_t>(number(c)));
        width_ *= 2;
        bytes_.assign(numbers.size() * width_, 0);
        for (std::size_t c = 0; c < numbers.size(); ++c) put(c, numbers[c]);
    }

    std::size_t width_ = 1;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint64_t> results_; ///< different ones
    std::vector<std::uint32_t> order_;   ///< their numbers, by their size
};

} // namespace discern
