// One element of a product at a time, through Evaluator: for trees without a recipe.
#pragma once

#include "models/evaluate.hpp"
#include "operands/packing.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace discern::fast {

/// A scale of 1, by which missing elements are multiplied; 0 for a unit without scales.
std::uint64_t scale_of_one(const Unit& unit);

class Elements {
  public:
    explicit Elements(const Unit& unit);

    /// Whether an accumulator in d's format can be c: a c that is read as a smaller format may not hold it.
    bool chains() const { return rest_.has_value(); }

    /// The patterns of one instruction; each thread has its own.
    struct Scratch {
        explicit Scratch(const Unit& unit);
        std::vector<std::uint64_t> a, b, sa, sb;
    };

    /// The element of row i and column j, chained from c by all instructions. @param from_c  c is in c's format; false:
    /// it is an accumulator in d's
    std::uint64_t operator()(const Source& left, const Source& right, std::size_t i, std::size_t j, std::uint64_t c,
                             bool from_c, Scratch& scratch) const;

  private:
    Evaluator first_;
    std::optional<Evaluator> rest_; ///< its c is a result of the unit; none if the unit cannot read its results as c
    std::uint64_t one_;             ///< a scale of 1
};

} // namespace discern::fast
