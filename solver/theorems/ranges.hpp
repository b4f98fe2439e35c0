// How small and how large the numbers inside a unit can be, by its formats alone: what the theorems of normal_form.cpp,
// rest_exponents.cpp and rest_results.cpp rest on.
#pragma once

#include "models/unit.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace discern {

/// Bounds that hold for all finite inputs of a unit. The unit must outlive this; of its tree only what is passed
/// counts.
class Ranges {
  public:
    explicit Ranges(const Unit& unit)
        : unit_(unit), c_(unit.place == AccumulatorPlace::chained ? unit.c : std::nullopt) {}

    /// Exponent of the last place of the subnormal numbers of a format.

    /// Every product is a multiple of 2 to this power.
    int last_place_of_products() const;
    /// So is everything in the tree: products, c, what alignment and rounding leave of them, and therefore the results
    /// that chain blocks. A number that is not zero has at least this exponent.
    int last_place_of_all() const;
    /// The values of a node are multiples of 2 to this power, if that is known: nothing of a fuse, whose terms may be
    /// cut at any place above.
    std::optional<int> last_place(const Node& node) const;
    /// The same of all terms of a sum, before they are aligned; of everything in the tree where that is not known.
    int last_place_of_terms(const Node& node) const;

    /// No value of the node that is not zero has a smaller reference exponent.
    int lowest_exponent(const Node& node) const;
    int lowest_exponent(const Fuse& fuse) const;

    /// The reference exponent of a sum that is not zero is at least this: some terms take part when they are zero, too.
    int lowest_reference(const Fuse& fuse) const;

    /// The same of an accumulator that is read as the leaf says, by the places of results too.
    int lowest_exponent_of_results(const Accumulator& c) const;

    /// The reference exponent of the node is at most this, if that is known.
    std::optional<int> highest_exponent(const Node& node) const;
    std::optional<int> highest_exponent(const Fuse& fuse) const;

    /// The largest exponent with which a child that is zero takes part, if that is known and it does.
    std::optional<int> zero_exponent(const Child& child) const;
    /// The same, or a bound where it varies: a factor that is zero has the smallest exponent of its format.
    std::optional<int> zero_exponent_at_most(const Child& child) const;
    /// The smallest exponent with which a child takes part, zero or not, if it always does.
    std::optional<int> least_exponent(const Child& child) const;

    /// The leaf is a multiple of 2^(its exponent − that): a product of two significands is below 4, and one of four
    /// below 16, so that its exponent may be normalised to be so much larger.
    int fraction_bits(const Node& leaf) const;
    /// Bits of the significand of a product.
    int significand_bits() const;
    /// A sum under a rounding is a multiple of 2 to this power, by its own alignment too.
    int last_place_of_sum(const Node& node) const;

    /// |product| < 2 to this power.
    int product_bound() const;

    /// All elements that the leaf stands for, together: a magnitude of at most so much times 2^(the largest of their
    /// exponents), aligned or not. 0: unknown.
    std::int64_t significand_bound(const Node& node) const;
    /// The same of all children; 0 if one is unknown.
    std::int64_t significand_bound(const Fuse& fuse) const;
    /// Whether products and c add up to less than 2^(E + n) in magnitude, however they are aligned: a sharper bound,
    /// since no significand reaches a power of two.
    /// @param raised  how far above E, the largest exponent of a term that is not zero, the reference is at most
    bool sum_is_below(const Fuse& fuse, int n, int raised = 0) const;

  private:
    std::pair<int, int> emins_of(const Accumulator& c) const;

    const Unit& unit_;
    std::optional<FormatId> c_; ///< of what comes into the tree; a last c does not, and results begin with +0
};

} // namespace discern
