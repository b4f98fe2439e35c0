// The check of a proof that a formula is unsatisfiable, step by step and forward.
//
// The text is that of LRAT with one kind of line more, and with numbers that leave no gaps. The clauses of the formula
// are 1 … n; every line begins with a number:
//
//     ID LITERALS 0 HINTS 0          a clause that follows by unit propagation: with all of its literals false, each
//                                    clause that a hint names has one literal left, which then is true, or none, which
//                                    ends it
//     ID e GATE VARIABLE INPUTS 0    the definition of a new variable: GATE is and, xor, ite or maj. Its clauses are
//                                    those of add_gate_clauses and get the numbers from ID
//     ID d IDS 0                     clauses that no later line names
//
// ID is the first number not yet used (before d: any), a new variable the first one not yet used. The last line derives
// the empty clause. Nothing is searched for, so the time is that of reading what the hints name, and the memory is
// proportional to formula and proof.
#pragma once

#include "miter.hpp"

#include <string_view>

namespace discern::certificate {

/// @throws Error with a sentence that names the line unless the text is a proof
void check_proof(Formula formula, std::string_view proof);

} // namespace discern::certificate
