// Vectors made to show one feature each: what is asked of an unknown unit.
//
// The structure probes are those of Xie et al. (§3) and FPRev, with distinct powers of two instead of equal terms, so
// that one answer shows which terms were absorbed, and not only how many. The rest is in the manner of Li et al.
// (FTTN) and Khattak and Mikaitis, generalised: each is drawn at random around what a still possible unit has (its
// blocks, F, floors), and the best of many is then chosen: the one that distinguishes the most candidates.
#pragma once

#include "models/unit/product_digits.hpp"
#include "small_products.hpp"

#include "models/families.hpp"
#include "models/random.hpp"
#include "models/shape.hpp"

#include <array>
#include <optional>
#include <utility>

namespace discern {

enum class Probe : std::uint8_t {
    thin,       ///< one or two terms: what the output keeps
    swamp,      ///< +U and −U in two elements, distinct powers of two in the others: which terms are added to which
    ladder,     ///< U, −U and bits above and below the last one that alignment keeps
    rounding,   ///< a large term, half an ulp of it and much smaller terms
    ties,       ///< one term that is nearly, but not quite, an ulp or half of it beside another
    wide,       ///< significands near the largest, and subnormal ones: normalisation of products
    two_levels, ///< c, half an ulp of it and much smaller terms among the products
    edges,      ///< subnormal operands and results, signs of zero
    overflow,   ///< around the largest numbers
    zeros,      ///< zero products and c whose fields have large exponents
    floors,     ///< terms that add up to an ulp of d, down to a lowest bit
    boundary,   ///< products of small formats that add up to an ulp of d exactly, and one far below
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
    struct Row {
        std::string_view name;
        void (ProbeMaker::*make)();
    };
    static const std::array<Row, probe_kinds> rows;
    friend std::string_view name(Probe probe);

    struct Reach {
        int low, high;
        bool contains(int e) const { return low <= e && e <= high; }
    };
    /// How the bits below the leading one are chosen.
    enum class Bits { zeros, random, ones, last };
    using Elements = std::vector<std::size_t>;

    static std::uint64_t ones(int n) { return n <= 0 ? 0 : (1ull << n) - 1; }
    template <typename List>
    auto& any_of(const List& list) {
        return list[static_cast<std::size_t>(random_.below(static_cast<int>(list.size())))];
    }
    Elements shuffled(Elements elements);
    Elements shuffled_elements(int block);
    std::size_t any_element() { return static_cast<std::size_t>(random_.below(shape_.K)); }
    Bits some_bits() { return random_.one_in(2) ? Bits::zeros : Bits::random; }

    void blank();
    void scale_pair(std::size_t s, int together, bool with_bits);
    void scale_together(int together);
    void scale_around(int e);
    Reach reach(std::size_t k) const;
    int scale_exponent(std::size_t k) const;
    std::uint64_t number(const Format& f, std::optional<bool> sign, int exponent, Bits bits);
    std::uint64_t subnormal(const Format& f, bool negative, Bits bits);
    void product(std::size_t k, std::optional<bool> sign, int exponent, Bits bits = Bits::zeros);
    void factors(std::size_t k, const Decoded& a, const Decoded& b);
    void cancel(std::size_t k, std::size_t of);
    bool nearest_product(std::size_t k, bool negative, int last);
    bool product_of(std::size_t k, bool negative, std::array<std::uint64_t, 2> significands, int last);
    bool tie_product(std::size_t k, bool negative, int X);
    void near_product(std::size_t k, std::optional<bool> sign, int exponent, int last);
    void tiny_times_some(std::size_t k, bool negative);
    int leading_bit(std::size_t k) const;
    void accumulator(std::optional<bool> sign, int exponent, Bits bits = Bits::zeros);
    void keep_block(int block);
    /// U and −U at two of the elements. @return log2 U
    int swamp_pair(std::size_t i, std::size_t j, Bits bits);
    int fraction();
    /// An exponent near that of the last bit that F keeps beside a term of exponent `top`.
    int near_lsb(int top, int low, int high);
    int below_a_power(const Elements& elements, std::size_t& next, bool negative, int q);

    void thin();
    void swamp();
    void ladder() { ladder(Bits::zeros); }
    void ladder(Bits bits);
    void rounding();
    void ties();
    bool small_beside_tie(int block);
    void tie_before(int block);
    void tie_below_all(int block);
    void wide();
    void below_a_power();
    void two_levels();
    void tie_below_c();
    void edges();
    void overflow();
    void zeros();
    void floors();
    void boundary();
    void smallest_results();
    struct Reaching {
        wide::i128 target; ///< a sum, in units of the last bit of unscaled products
        int scales = 0;    ///< the sum of their exponents
        int top;           ///< exponents of the products, unscaled, are at most this
        std::vector<SmallProducts::Product> products;
    };
    std::optional<Reaching> reaching(std::size_t elements);
    std::vector<Elements> elements_by_scale();
    void put(std::size_t k, bool negative, const SmallProducts::Product& p);
    void carries();
    void specials();
    void family();

    Shape shape_;
    Random random_;
    const Format &a_, &b_, &d_;
    const Format* c_;
    const Format* scale_;
    const Unit* around_ = nullptr;
    InputBuffer v_;              ///< the vector that is being made
    std::vector<int> fractions_; ///< the F that `around` has
    int precision_ = 24;         ///< significand bits of its result
    SmallProducts small_;
    const ProductDigits* digits_; ///< nullptr if significands are too long
};

} // namespace discern
