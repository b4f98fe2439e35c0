// Terms put where they show something: products of a given size, of which the exponents are dealt to the factors, and
// numbers that just miss a power of two. What claims propose to the search is made of these.
#pragma once

#include "models/random.hpp"
#include "models/unit.hpp"
#include "models/vectors.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace discern::property {

/// How the bits below the leading one are chosen.
enum class Fraction : std::uint8_t {
    zeros, ///< a power of two
    ones,  ///< the largest of that exponent
    last,  ///< a power of two and its last bit
    twice, ///< a power of two and twice its last bit
    any,
};

/// ±significand · 2^lsb if the format has that number, else 0.
std::uint64_t number_at(const Format& f, bool negative, std::uint64_t significand, int lsb);

/// The block that has the element.
int block_of(const Unit& unit, std::size_t k);

class Placing {
  public:
    /// Begins with a vector of zeros; scales are ones.
    Placing(const Unit& unit, Vector& x, Random& random);

    /// Products of exponents up to that one become possible, where scales can do that; all scales are equal.
    void scale_to(int exponent);

    int lowest() const { return low_ + scales_; }   ///< exponent of normal products
    int highest() const { return high_ + scales_; } ///< the same

    /// ±2^exponent · (fraction of each factor), the nearest exponent that there is.
    void product(std::size_t k, std::optional<bool> sign, int exponent, Fraction a, Fraction b);
    void product(std::size_t k, std::optional<bool> sign, int exponent, Fraction both = Fraction::zeros) {
        product(k, sign, exponent, both, both);
    }
    void c(std::optional<bool> sign, int exponent, Fraction fraction = Fraction::zeros);

    /// Elements in random order: of all blocks, or of one.
    std::vector<std::size_t> elements(int block = -1);
    /// One of the F in the tree, or nearly.
    int some_F();
    /// Exponent of the last bit that some sum's floor keeps of the smallest terms; nothing without a floor.
    std::optional<int> some_lsb_of_floor();

  private:
    std::uint64_t number(const Format& f, bool negative, int exponent, Fraction fraction);

    const Unit& unit_;
    Vector& x_;
    Random& random_;
    int low_, high_, scales_ = 0;
};

} // namespace discern::property
