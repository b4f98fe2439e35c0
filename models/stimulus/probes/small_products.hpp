// All products of two small formats, and sums of them that hit a number exactly, which show whether alignment loses the
// last bit of a sum. If even the largest products hardly reach a boundary of the result, random sums miss it.
#pragma once

#include "models/evaluate/wide_int.hpp"
#include "models/format.hpp"
#include "models/random.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace discern {

class SmallProducts {
  public:
    /// A product of two positive numbers, in units of 2^lsb().
    struct Product {
        wide::i128 value;
        int exponent; ///< sum of the factors' exponents, the smallest that gives this value
        std::uint64_t a, b;
    };

    /// Of no more than 8 bits each; there are no products of larger formats.
    SmallProducts(const Format& a, const Format& b);

    bool empty() const { return products_.empty(); }
    int lsb() const { return lsb_; }
    int lowest_exponent() const { return lowest_; }
    int highest_exponent() const { return highest_; }

    /// In the order of their values, each value once, of exponents up to that.
    std::vector<Product> up_to(int exponent) const;

    /// At most n of the products, ordered by value, that add up to the target: as many of the largest ones as fit, or
    /// some at random, and few others. Nothing if none are found soon.
    static std::optional<std::vector<Product>> sum(const std::vector<Product>& products, wide::i128 target,
                                                   std::size_t n, Random& random);

  private:
    std::vector<Product> products_; ///< by value, then by exponent
    int lsb_, lowest_, highest_;
};

} // namespace discern
