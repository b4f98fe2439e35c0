// Errors of results that were observed, or of units on the same inputs: a vector at a time.
#pragma once

#include "exact_sum.hpp"
#include "measure.hpp"

#include <cstdint>
#include <span>
#include <utility>

namespace discern::measure {

class VectorErrors {
  public:
    /// @param name      of the vectors, in the place of a family's
    /// @param subjects  results of each vector
    /// @throws Error if a double is no finer than results of the shape's d
    VectorErrors(const Shape& shape, std::string name, std::size_t subjects)
        : d_(shape.d), exact_(shape),
          counter_(format(shape.d)), measured_{std::move(name), std::vector<Errors>(subjects), {}} {}
    /// @param results  of the subjects, as patterns of d
    void add(const Inputs& inputs, std::span<const std::uint64_t> results) {
        const ExactSum exact = exact_(inputs);
        for (std::size_t i = 0; i < results.size(); ++i) counter_.add(measured_.units[i], results[i], exact);
        if (results.size() > 1) measured_.nearer.count(format(d_), results[0], results[1], exact);
    }
    const Measured& measured() const { return measured_; }

  private:
    FormatId d_;
    ExactSums exact_;
    ErrorCounter counter_;
    Measured measured_;
};

} // namespace discern::measure
