// Terms as SMT-LIB 2, so that any other solver can answer the same question.
#pragma once

#include "term.hpp"

#include <iosfwd>
#include <span>
#include <string>

namespace discern {

/// Writes a complete QF_BV script: declarations of all variables that the conditions depend on, the assertion that
/// every condition (1 bit) is 1, and (check-sat), then (get-value …) of the variables if `get_values`. Only commands
/// are used that z3, cvc5 and boolector all accept.
/// @param comment  lines to put in front, each after a semicolon
void write_smtlib(std::ostream& out, const Terms& terms, std::span<const Term> conditions, const std::string& comment,
                  bool get_values);

} // namespace discern
