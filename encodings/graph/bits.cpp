// Bit vectors of any width: schoolbook arithmetic on words. See bits.hpp.
#include "bits.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <stdexcept>

namespace discern {

namespace {

std::size_t words_for(int width) { return (static_cast<std::size_t>(width) + 63) / 64; }

// The shift amount as a number, or `limit` if it is at least that.
int clamped(const Bits& amount, int limit) {
    if (amount.top() >= 31) return limit;
    return static_cast<int>(std::min<std::uint64_t>(amount.low(), static_cast<std::uint64_t>(limit)));
}

} // namespace

template <typename F>
Bits wordwise(const Bits& a, const Bits& b, F f) {
    Bits result(a.width_);
    for (std::size_t i = 0; i < a.words_.size(); ++i) result.words_[i] = f(a.words_[i], b.words_[i]);
    return result;
}

Bits::Bits(int width, std::uint64_t low) : width_(width) {
    if (width < 1) throw std::logic_error("Bits: a width must be at least 1");
    words_.resize(words_for(width));
    words_[0] = low;
    trim();
}

Bits Bits::ones(int width) { return bvnot(Bits(width)); }

Bits Bits::from_words(int width, std::span<const std::uint64_t> words) {
    Bits result(width);
    std::copy_n(words.begin(), std::min(words.size(), result.words_.size()), result.words_.begin());
    result.trim();
    return result;
}

void Bits::trim() {
    if (width_ % 64 != 0) words_[words_.size() - 1] &= (1ull << (width_ % 64)) - 1;
}

void Bits::set(int i) { words_[static_cast<std::size_t>(i) / 64] |= 1ull << (i % 64); }

bool Bits::is_zero() const {
    return std::all_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w == 0; });
}

bool Bits::is_ones() const { return bvnot(*this).is_zero(); }

int Bits::top() const {
    for (std::size_t i = words_.size(); i-- > 0;)
        if (words_[i] != 0) return static_cast<int>(i) * 64 + 63 - std::countl_zero(words_[i]);
    return -1;
}

bool Bits::is_power_of_two() const {
    int count = 0;
    for (const std::uint64_t w : words_) count += std::popcount(w);
    return count == 1;
}

std::string Bits::hex() const {
    std::string text;
    for (int i = (width_ + 3) / 4; i-- > 0;) {
        const auto digit = (words_[static_cast<std::size_t>(i) / 16] >> (i % 16 * 4)) & 15;
        text += "0123456789abcdef"[digit];
    }
    return text;
}

// In 64 bits, also where a size_t has fewer.
std::size_t Bits::hash() const {
    std::uint64_t h = static_cast<std::uint64_t>(width_);
    for (const std::uint64_t w : words_) h = (h ^ w) * 0x9e3779b97f4a7c15ull + (h >> 29);
    return static_cast<std::size_t>(h);
}

Bits bvnot(const Bits& a) {
    Bits result(a.width_);
    for (std::size_t i = 0; i < a.words_.size(); ++i) result.words_[i] = ~a.words_[i];
    result.trim();
    return result;
}

Bits bvand(const Bits& a, const Bits& b) { return wordwise(a, b, std::bit_and<>()); }
Bits bvor(const Bits& a, const Bits& b) { return wordwise(a, b, std::bit_or<>()); }
Bits bvxor(const Bits& a, const Bits& b) { return wordwise(a, b, std::bit_xor<>()); }
Bits bvneg(const Bits& a) { return bvadd(bvnot(a), Bits(a.width(), 1)); }

Bits bvadd(const Bits& a, const Bits& b) {
    Bits result(a.width_);
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < a.words_.size(); ++i) {
        const std::uint64_t partial = a.words_[i] + carry;
        carry = partial < carry ? 1 : 0;
        result.words_[i] = partial + b.words_[i];
        carry |= result.words_[i] < partial ? 1 : 0;
    }
    result.trim();
    return result;
}

Bits bvmul(const Bits& a, const Bits& b) {
    __extension__ using u128 = unsigned __int128;
    Bits result(a.width_);
    const std::size_t n = a.words_.size();
    for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; i + j < n; ++j) {
            const u128 t = static_cast<u128>(a.words_[i]) * b.words_[j] + result.words_[i + j] + carry;
            result.words_[i + j] = static_cast<std::uint64_t>(t);
            carry = static_cast<std::uint64_t>(t >> 64);
        }
    }
    result.trim();
    return result;
}

Bits bvshl(const Bits& a, const Bits& amount) {
    const int by = clamped(amount, a.width_);
    Bits result(a.width_);
    if (by >= a.width_) return result;
    const auto whole = static_cast<std::size_t>(by) / 64;
    const int rest = by % 64;
    for (std::size_t i = whole; i < a.words_.size(); ++i) {
        result.words_[i] = a.words_[i - whole] << rest;
        if (rest != 0 && i > whole) result.words_[i] |= a.words_[i - whole - 1] >> (64 - rest);
    }
    result.trim();
    return result;
}

Bits bvlshr(const Bits& a, const Bits& amount) {
    const int by = clamped(amount, a.width_);
    Bits result(a.width_);
    if (by >= a.width_) return result;
    const auto whole = static_cast<std::size_t>(by) / 64;
    const int rest = by % 64;
    for (std::size_t i = whole; i < a.words_.size(); ++i) {
        result.words_[i - whole] = a.words_[i] >> rest;
        if (rest != 0 && i + 1 < a.words_.size()) result.words_[i - whole] |= a.words_[i + 1] << (64 - rest);
    }
    return result;
}

Bits bvashr(const Bits& a, const Bits& amount) {
    return a.bit(a.width() - 1) ? bvnot(bvlshr(bvnot(a), amount)) : bvlshr(a, amount);
}

bool bvult(const Bits& a, const Bits& b) {
    const auto x = a.words(), y = b.words();
    return std::lexicographical_compare(x.rbegin(), x.rend(), y.rbegin(), y.rend());
}

Bits concat(const Bits& high, const Bits& low) {
    const int width = high.width() + low.width();
    return bvor(bvshl(zero_extend(high, width), Bits(32, static_cast<std::uint64_t>(low.width()))),
                zero_extend(low, width));
}

Bits extract(const Bits& a, int low, int width) {
    const Bits shifted = bvlshr(a, Bits(32, static_cast<std::uint64_t>(low)));
    return Bits::from_words(width, shifted.words());
}

Bits zero_extend(const Bits& a, int width) { return Bits::from_words(width, a.words()); }

Bits sign_extend(const Bits& a, int width) {
    return a.bit(a.width() - 1) ? bvnot(zero_extend(bvnot(a), width)) : zero_extend(a, width);
}

} // namespace discern
