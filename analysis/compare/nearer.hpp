// Which of two results is nearer to the exact sum of all products and c: exactly, for numbers and for terms.
//
// With S the exact sum and d1 < d2, d1 is nearer if and only if S < d1/2 + d2/2: the sign of one exact sum, which is a
// unit that both evaluators compute. A result that is no number is farther than any number, where the exact sum is not
// itself beyond the largest number; there nothing is said.
#pragma once

#include "setting.hpp"

#include "analysis/property/claim.hpp"
#include "encodings/encode.hpp"
#include "models/evaluate.hpp"

#include <cstdint>
#include <optional>

namespace discern::compare {

enum class Nearer : std::int8_t { first = -1, neither = 0, second = 1 };

class Judge {
  public:
    /// @param shape  of the inputs, with the format of the results
    Judge(const Shape& shape, property::Models::Which which);

    /// @param inputs  finite
    Nearer operator()(const Inputs& inputs, std::uint64_t d1, std::uint64_t d2) const;

    /// |d − S| in units of the last bit that S has in the results' format, rounded; infinite if d is no number.
    double error_in_ulp(const Inputs& inputs, std::uint64_t d) const;

  private:
    /// The sign of the exact sum plus these two numbers times the weight, and its value, rounded to odd.
    double sum(const Inputs& inputs, double weight, double one, double other) const;
    bool is_beyond(const Inputs& inputs) const;

    Shape shape_;
    Unit exact_;
    std::optional<Evaluator> evaluator_; ///< nothing: the oracle
};

/// Whether the second result is nearer (1 bit). Inputs are finite.
Term second_is_nearer(Terms& t, const Shape& shape, const InputTerms& inputs, Term d1, Term d2);

} // namespace discern::compare
