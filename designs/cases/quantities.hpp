// What questions about a unit and a design, and proofs about two units, are split by: of each number that the unit adds
// (a product, or c) whether it is zero, its exponent relative to that of the first one that is not, and its sign
// relative to it. With the differences of the exponents known the shifts that align the numbers are known too, which is
// what makes multiply-add units provable (Jacobi et al., "Automatic formal verification of fused-multiply-add FPUs",
// DATE 2005). Of each factor, also the leading zeros of its significand: a design that normalises subnormal factors
// multiplies other numbers than one that does not, and has the same rows of partial products, shifted, once they are
// known.
//
// No proof rests on what a quantity means: a question is split at a number, into what lies below and above it. A wrong
// quantity would only be of no help.
#pragma once

#include "encodings/encode.hpp"
#include "models/families.hpp"
#include "models/random.hpp"

#include <string>
#include <vector>

namespace discern::rtl {

/// A whole number that the inputs determine.
struct Quantity {
    enum class Kind : std::uint8_t {
        special,  ///< 1 if some input is infinite or NaN
        zero,     ///< 1 if a number is zero
        distance, ///< a number's exponent less that of another, before it
        opposed,  ///< 1 if a number has another sign than another, before it
        leading,  ///< how many leading zeros the significand of a factor has: 0 unless it is subnormal
    };
    Kind kind;
    /// The number, and the other one: a product by its index, c after them. Of a factor of a product, `from` is 0 for
    /// a and 1 for b.
    std::size_t of = 0, from = 0;
    int low = 0, high = 1;   ///< what it can be
    std::string name;        ///< "exponent of c less that of a[0]*b[0]"
    std::vector<int> starts; ///< of the parts into which it is split at most, the first one `low`, in order
};

/// The quantities of a unit, in the order in which questions are split: none for units that add more than three
/// numbers, or have scales.
std::vector<Quantity> quantities_of(const Unit& unit);

/// low ≤ a quantity ≤ high
struct Bound {
    std::size_t quantity; ///< index
    int low, high;
};
/// Inputs of which all bounds hold.
using Case = std::vector<Bound>;

/// Whether inputs are of the case, as a term of one bit.
Term is_of(Terms& t, const Unit& unit, const InputTerms& inputs, const std::vector<Quantity>& quantities,
           const Case& one);

/// "exponent of c less that of a[0]*b[0]: -3..5, …"
std::string text(const std::vector<Quantity>& quantities, const Case& one);

/// Changes inputs so that they are probably of a case, and else like what they were.
class Steering {
  public:
    Steering(const Unit& unit, const std::vector<Quantity>& quantities, const Case& one, std::uint64_t seed);
    void operator()(InputBuffer& inputs);

  private:
    struct Range {
        int low, high;
    };
    /// What exponents a number can have that is not zero.
    Range range(std::size_t number) const;
    /// The same of a factor of a product: a is 0, b is 1.
    Range range_of_factor(std::size_t product, std::size_t factor) const;
    int exponent(const InputBuffer& inputs, std::size_t number) const;
    bool is_c(std::size_t number) const { return number == static_cast<std::size_t>(unit_.K); }
    int between(int low, int high) { return low + random_.below(high - low + 1); }
    void make_finite(InputBuffer& inputs);
    void make_special(InputBuffer& inputs);
    void set_exponent(InputBuffer& inputs, std::size_t number, int exponent);
    std::uint64_t with_exponent(const Format& f, std::uint64_t pattern, int exponent);
    /// What is known of a number relative to one before it, or of a factor.
    struct Relation {
        std::size_t of, from;
        int low, high;
    };
    void set_leading(InputBuffer& inputs, const Relation& leading);

    const Unit& unit_;
    Random random_;
    std::size_t numbers_;
    bool special_ = false;
    std::vector<std::optional<bool>> zero_;
    std::vector<Relation> distances_, opposed_, leading_;
};

} // namespace discern::rtl
