// Whether what the encoder claims of numbers (encodings/number/facts.hpp) holds on concrete inputs.
//
// A false fact mostly changes no result: the rule that rests on it has to meet it at its threshold, and the inputs the
// bits that are then lost. So facts are compared as such: all numbers that are built for a unit, or a space of units,
// are kept, their terms evaluated on inputs, and each claim held against the value that is there, in exact integers.
#pragma once

#include "space_circuit.hpp"

#include "encodings/number/number.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include <optional>
#include <string>
#include <vector>

namespace discern::tests {

/// A number on concrete inputs: magnitude · 2^lsb, its digits from `bottom` to `top` (of the magnitude; of none, if
/// zero).
struct SeenNumber {
    const Number& number;
    const Bounds& b;
    bool zero, has_exponent;
    boost::multiprecision::cpp_int magnitude;
    int lsb, exponent;
    int top = 0, bottom = 0;     ///< exponents of its highest and lowest digit that is 1
    int scales = 0;              ///< the sum of the scales' exponents, if it is multiplied by scales
    std::optional<int> as_empty; ///< the exponent by which it takes part as an empty group
    std::optional<double> by_pattern, by_summands;
    double value = 0; ///< its magnitude with the sign, if a double holds it
    bool exact_value = false;
};

/// A claim, by the name of the field that makes it.
struct FactClaim {
    const char* field;
    bool (*holds)(const SeenNumber&);
};

/// All that there are: one row for each field of Bounds, and those of Number that bound a term.
std::span<const FactClaim> fact_claims();

class FactWalker {
  public:
    /// @param family  kept by the caller
    explicit FactWalker(const Members& family);

    /// The first claim that is false for that member on those inputs, in words.
    std::optional<std::string> operator()(std::size_t member, const Inputs& inputs);
    /// How many numbers were built, and how many claims were compared with one that is not special.
    std::size_t numbers() const { return numbers_.size(); }
    std::uint64_t compared() const { return compared_; }

  private:
    std::optional<SeenNumber> see(const Number& number) const;
    int value_of(const Ranged& r) const { return r.base + static_cast<int>(evaluator_->low(r.bits)); }
    bool is(Term t) const { return evaluator_->low(t) != 0; }

    const Members& family_;
    Terms terms_;
    std::unique_ptr<ParameterTerms> parameters_;
    InputTerms inputs_;
    std::vector<Number> numbers_;
    std::unique_ptr<TermEvaluator> evaluator_;
    std::uint64_t compared_ = 0;
};

} // namespace discern::tests
