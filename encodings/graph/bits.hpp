// Bit vectors of any fixed width, with the meaning that SMT-LIB gives to the operations of QF_BV.
//
// They are the values of terms: constants in the graph, and what a term evaluates to. Exact accumulators of fp64 need
// a few thousand bits, so a value is as many 64-bit words as its width asks for. Bits above the width are kept zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace discern {

class Bits {
  public:
    /// The value `low` of `width` ≥ 1 bits; bits of `low` above the width are dropped.
    explicit Bits(int width, std::uint64_t low = 0);
    static Bits ones(int width);
    /// A value of `width` bits from words, least significant first; missing words are zero.
    static Bits from_words(int width, std::span<const std::uint64_t> words);

    int width() const { return width_; }
    bool bit(int i) const { return ((words_[static_cast<std::size_t>(i) / 64] >> (i % 64)) & 1) != 0; }
    void set(int i);
    /// The least significant 64 bits.
    std::uint64_t low() const { return words_[0]; }
    std::span<const std::uint64_t> words() const { return {words_.begin(), words_.size()}; }
    bool is_zero() const;
    bool is_ones() const;
    /// Position of the highest set bit, or −1.
    int top() const;
    bool is_power_of_two() const;
    /// Hexadecimal digits, width/4 rounded up.
    std::string hex() const;
    std::size_t hash() const;
    bool operator==(const Bits&) const = default;

  private:
    friend Bits bvnot(const Bits&);
    friend Bits bvadd(const Bits&, const Bits&);
    friend Bits bvmul(const Bits&, const Bits&);
    friend Bits bvlshr(const Bits&, const Bits&);
    friend Bits bvshl(const Bits&, const Bits&);
    template <typename F>
    friend Bits wordwise(const Bits&, const Bits&, F);

    /// One word in place, since most values have no more; or several in memory of their own.
    class Words {
      public:
        void resize(std::size_t count) {
            if (count > 1) several_.resize(count);
        }
        std::size_t size() const { return several_.empty() ? 1 : several_.size(); }
        std::uint64_t* begin() { return several_.empty() ? &one_ : several_.data(); }
        std::uint64_t* end() { return begin() + size(); }
        const std::uint64_t* begin() const { return several_.empty() ? &one_ : several_.data(); }
        const std::uint64_t* end() const { return begin() + size(); }
        std::uint64_t& operator[](std::size_t i) { return begin()[i]; }
        std::uint64_t operator[](std::size_t i) const { return begin()[i]; }
        bool operator==(const Words&) const = default;

      private:
        std::uint64_t one_ = 0;
        std::vector<std::uint64_t> several_;
    };

    void trim();

    int width_;
    Words words_;
};

Bits bvnot(const Bits& a);
Bits bvneg(const Bits& a);
Bits bvand(const Bits& a, const Bits& b);
Bits bvor(const Bits& a, const Bits& b);
Bits bvxor(const Bits& a, const Bits& b);
Bits bvadd(const Bits& a, const Bits& b);
Bits bvmul(const Bits& a, const Bits& b);
/// Shifts: the amount is unsigned and may have any width; shifting by the width or more leaves zero (or the sign).
Bits bvshl(const Bits& a, const Bits& amount);
Bits bvlshr(const Bits& a, const Bits& amount);
Bits bvashr(const Bits& a, const Bits& amount);
bool bvult(const Bits& a, const Bits& b);
Bits concat(const Bits& high, const Bits& low);
/// Bits `low` … `low + width − 1`.
Bits extract(const Bits& a, int low, int width);
Bits zero_extend(const Bits& a, int width);
Bits sign_extend(const Bits& a, int width);

} // namespace discern
