// A vector on which two units differ, for people: the terms that matter, and which result is whose.
#pragma once

#include "cli/base/colour.hpp"
#include "models/vectors.hpp"

#include <array>
#include <functional>
#include <ostream>
#include <string>

namespace discern::cli {

/// One of the two.
struct NamedResult {
    std::string name;
    const Unit* unit;                                        ///< nullptr: a design, whose terms are not known
    std::function<std::uint64_t(const Inputs&)> result = {}; ///< of a design
};

/// @param shape  of both. Products that can be made +0 without a change of either result are left out; so is a c that
/// can.
/// @param number  of the vector, from 1; 0: it is the only one
void print_vector(std::ostream& out, const Shape& shape, const std::array<NamedResult, 2>& units, const Vector& vector,
                  std::size_t number, const Colours& colours);

} // namespace discern::cli
