// How backends.cpp reaches the back-ends that were compiled in.
#pragma once

#include "backend.hpp"

namespace discern {

std::unique_ptr<Backend> make_cadical(const Terms& terms, std::uint64_t seed);
std::string cadical_version();

std::unique_ptr<Backend> make_z3(const Terms& terms, std::uint64_t seed);
std::string z3_version();

} // namespace discern
