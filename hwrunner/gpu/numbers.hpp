// Whole numbers in registers of 32 bits, and what is known about their ranges.
//
// A bit-vector of a datapath needs only its value modulo 2^width. A register, though, holds a number of which bounds
// are known, and that need not be the smallest one: sums and products stay as they are, and are brought between 0 and
// 2^width − 1 only where an operation asks for that. Most of them are never masked, sums of narrow terms in a wide word
// stay in one register, and a bit that was made by copying a sign is a mask already.
//
// Source of what the instructions mean: PTX ISA 6.0, the oldest that has sm_70. It clamps amounts of shifts: 32 bits
// shifted by 32 or more are 0, or copies of the sign.
#pragma once

#include "code.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace discern::gpu {

struct Range {
    std::int64_t low = 0, high = 0;
};

/// Whether a register says which number of the range it holds.
constexpr bool fits(Range x) {
    constexpr std::int64_t sign = std::int64_t{1} << 31;
    return x.low >= 0 ? x.high < 2 * sign : x.low >= -sign && x.high < sign;
}

/// Σ parts[i] · 2^(32i). The last part counts as a number of that range: as one with a sign if the range has negative
/// numbers. Those before it have none.
struct Number {
    std::vector<Part> parts;
    Range top;
};

/// The operations, as statements. "Modulo 2^width": a number that differs from the result by a multiple of that.
class Numbers {
  public:
    explicit Numbers(Code& code) : code_(code) {}

    static Number constant(std::uint64_t value);
    /// A register of which nothing is known.
    static Number whole(const Part& part);
    /// Parts that a word of a width has.
    static std::size_t parts_of(int width) { return static_cast<std::size_t>(width + 31) / 32; }
    /// The i-th part, of a number that has no end on the left.
    Part part(const Number& x, std::size_t i);

    /// Between 0 and 2^width − 1, and between −2^(width−1) and 2^(width−1) − 1, modulo 2^width.
    Number without_sign(const Number& x, int width);
    Number with_sign(const Number& x, int width);

    /// Modulo 2^width.
    Number sum(const Number& x, const Number& y, int width, bool minus = false);
    /// Whether the sum of two numbers of one part is one, without any modulus.
    static bool sum_fits(const Number& x, const Number& y, bool minus);
    /// Of numbers without signs, modulo 2^width.
    Number product(const Number& x, const Number& y, int width);
    /// "max", or "min", of numbers without signs.
    Number extreme(std::string_view operation, const Number& x, const Number& y, int width);

    /// "and", "or", "xor"
    Number bitwise(std::string_view operation, const Number& x, const Number& y, int width);
    /// A predicate's choice, and that of a mask, which is 0 or −1.
    Number chosen(const std::string& predicate, const Number& x, const Number& y, int width);
    Number chosen_by_mask(const Part& mask, const Number& x, const Number& y, int width);
    /// Of numbers without signs, as predicates.
    std::string less(const Number& x, const Number& y);
    std::string equal(const Number& x, const Number& y);

    /// x · 2^by + low, where low is between 0 and 2^by − 1, modulo 2^width.
    Number joined(const Number& x, const Number& low, int by, int width);
    /// floor(x / 2^by), modulo 2^width
    Number slice(const Number& x, int by, int width);
    /// By amounts that vary, without a sign; the right shift is one of a number without a sign.
    Number shifted_left(const Number& x, const Number& by, int width);
    Number shifted_right(const Number& x, const Number& by);

    /// A number without a sign shifted to the left until the highest bit of its word is set, and by how much.
    struct Normalised {
        Number word;  ///< of as many whole parts as the width needs
        Number zeros; ///< that lead in a word of that width; of 0 any number that fits as many bits as width − 1
    };
    Normalised normalised(const Number& x, int width);

  private:
    static Number ranged(std::vector<Part> parts, Range top);
    /// The two registers of a result of 64 bits.
    std::vector<Part> wide(std::string_view operation, std::initializer_list<std::string_view> operands);
    template <typename Top>
    static std::size_t parts_for(std::size_t n, int width, const Top& top);
    template <typename Choice>
    Number either(const Number& x, const Number& y, int width, const Choice& choice);
    static Range range_of(const Number& x, std::size_t i);
    std::string has_bit(const Part& amount, std::size_t bit);
    void move_parts(std::vector<Part>& parts, const Number& by, bool left);
    Part zeros_of(const Part& x);

    Code& code_;
};

} // namespace discern::gpu
