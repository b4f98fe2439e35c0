#include "vector_errors.hpp"

#include <utility>

namespace discern::measure {

VectorErrors::VectorErrors(const Shape& shape, std::string name, std::size_t subjects)
    : d_(shape.d), exact_(shape),
      counter_(format(shape.d)), measured_{std::move(name), std::vector<Errors>(subjects), {}} {}

void VectorErrors::add(const Inputs& inputs, std::span<const std::uint64_t> results) {
    const ExactSum exact = exact_(inputs);
    for (std::size_t i = 0; i < results.size(); ++i) counter_.add(measured_.units[i], results[i], exact);
    if (results.size() > 1) measured_.nearer.count(format(d_), results[0], results[1], exact);
}

} // namespace discern::measure
