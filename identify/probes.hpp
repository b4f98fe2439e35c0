// Vectors made to show one feature each: what is asked of an unknown unit.
//
// The structure probes are those of Xie et al. (§3) and FPRev, with distinct powers of two instead of equal terms, so
// that one answer names the survivors of a swamp and not only their number. The rest is in the manner of Li et al.
// (FTTN) and Khattak and Mikaitis, generalised: each is drawn at random around what a still possible unit has (its
// blocks, F, floors), because the best of many is then chosen by what it tells apart.
#pragma once

#include "encodings/product_digits.hpp"
#include "small_products.hpp"

#include "models/families.hpp"
#include "models/random.hpp"
#include "models/shape.hpp"

#include <array>
#include <optional>
#include <utility>

namespace discern::identify {

enum class Probe : std::uint8_t {
    thin,       ///< one or two terms: what the output keeps
    swamp,      ///< +U and −U at two places, distinct powers of two elsewhere: who is added where
    ladder,     ///< U, −U and a pattern of bits that crosses the place of the cut
    rounding,   ///< a base, half a last place and dust
    ties,       ///< one term that is nearly, but not quite, a last place or half of it beside another
    wide,       ///< significands near the largest, and subnormal ones: normalisation of products
    two_levels, ///< c, a tie below it and dust among the products
    edges,      ///< subnormal operands and results, signs of zero
    overflow,   ///< around the largest numbers
    zeros,      ///< zero products and c whose fields have large exponents
    floors,     ///< terms that add up to a last place of d, down to a lowest bit
    boundary,   ///< products of small formats that add up to a last place of d exactly, and one far below
    carries,    ///< many of the largest products of one sign
    specials,   ///< infinities and NaN
    family,     ///< the validation families
};
inline constexpr std::size_t probe_kinds = 15;
std::string_view name(Probe probe);

class ProbeMaker {
  public:
    ProbeMaker(const Shape& shape, std::uint64_t seed);

    /// @param around  a unit that is still possible
    InputBuffer make(Probe probe, const Unit& around);

  private:
    struct Reach {
        int low, high;
        bool contains(int e) const { return low <= e && e <= high; }
    };
    /// How the bits below the leading one are chosen.
    enum class Bits { zeros, random, ones, last };

    static std::uint64_t ones(int n) { return n <= 0 ? 0 : (1ull << n) - 1; }
    InputBuffer blank();
    void scale(InputBuffer& v);
    void scale_together(InputBuffer& v, int together);
    void scale_around(InputBuffer& v, int e);
    Reach reach(const InputBuffer& v, std::size_t k) const;
    int scale_exponent(const InputBuffer& v, std::size_t k) const;
    std::uint64_t number(const Format& f, bool negative, int exponent, Bits bits);
    void product(InputBuffer& v, std::size_t k, bool negative, int exponent, Bits bits = Bits::zeros);
    bool nearest_product(InputBuffer& v, std::size_t k, bool negative, int last);
    void near_product(InputBuffer& v, std::size_t k, bool negative, int exponent, int last);
    void tiny_times_large(InputBuffer& v, std::size_t k, bool negative);
    int leading_place(const InputBuffer& v, std::size_t k) const;
    void accumulator(InputBuffer& v, bool negative, int exponent, Bits bits = Bits::zeros);
    std::vector<std::size_t> shuffled_elements(const Unit& around, int block);
    void keep_block(InputBuffer& v, int block);
    std::size_t any_element();
    /// U and −U at two of the elements. @return log2 U
    int swamp_pair(InputBuffer& v, std::size_t i, std::size_t j, Bits bits);
    int fraction();

    int below_a_power(InputBuffer& v, const std::vector<std::size_t>& elements, std::size_t& next, bool negative,
                      int q);

    void thin(InputBuffer& v);
    void swamp(InputBuffer& v);
    void ladder(InputBuffer& v, Bits bits);
    void rounding(InputBuffer& v);
    void ties(InputBuffer& v);
    void tie_before(InputBuffer& v, int block);
    void wide(InputBuffer& v);
    void two_levels(InputBuffer& v);
    void edges(InputBuffer& v);
    void overflow(InputBuffer& v);
    void zeros(InputBuffer& v);
    void floors(InputBuffer& v);
    void boundary(InputBuffer& v);
    void last_places(InputBuffer& v);
    struct Reaching {
        wide::i128 target; ///< a sum, in units of the last place of unscaled products
        int scales = 0;    ///< the sum of their exponents
        int top;           ///< exponents of the products, unscaled, are at most this
        std::vector<SmallProducts::Product> products;
    };
    std::optional<Reaching> reaching(std::size_t elements);
    std::vector<std::vector<std::size_t>> elements_by_scale();
    void scale_one(InputBuffer& v, std::size_t k, int together);
    void put(InputBuffer& v, std::size_t k, bool negative, const SmallProducts::Product& p) const;
    void carries(InputBuffer& v);
    void specials(InputBuffer& v);

    Shape shape_;
    Random random_;
    const Format &a_, &b_, &d_;
    const Format* c_;
    const Format* scale_;
    const Unit* around_ = nullptr;
    std::vector<int> fractions_; ///< all F of `around`
    int precision_ = 24;         ///< significand bits of its result
    SmallProducts small_;
    const ProductDigits* digits_; ///< nullptr if significands are too long
};

} // namespace discern::identify
