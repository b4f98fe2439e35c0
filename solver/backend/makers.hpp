// How backends.cpp reaches the back-ends that were compiled in.
#pragma once

#include "backend.hpp"
#include "clauses.hpp"

namespace discern {

std::unique_ptr<Backend> make_cadical(const Terms& terms, std::uint64_t seed);
std::unique_ptr<ClauseSolver> make_cadical_clauses(std::uint64_t seed, bool incremental);
std::string cadical_version();

std::unique_ptr<Backend> make_z3(const Terms& terms, std::uint64_t seed);
std::string z3_version();

std::unique_ptr<Backend> make_cvc5(const Terms& terms, std::uint64_t seed);
std::string cvc5_version();

/// Any program that reads SMT-LIB 2 on its standard input; there is no seed.
std::unique_ptr<Backend> make_smtlib(const Terms& terms, const std::string& command);

} // namespace discern
