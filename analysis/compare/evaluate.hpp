// A program on one vector of numbers, by the integer evaluator or by the exact oracle; and as a term.
#pragma once

#include "setting.hpp"

#include "analysis/property/claim.hpp"
#include "encodings/encode.hpp"
#include "models/evaluate.hpp"

#include <cstdint>
#include <functional>

namespace discern::compare {

/// The result, as a pattern of result_of(), of inputs in the formats of the setting. Safe to use from one thread at a
/// time.
using ProgramEvaluator = std::function<std::uint64_t(const Inputs&)>;
/// @throws Error as result_of()
ProgramEvaluator evaluator_of(Program program, const Setting& setting, property::Models::Which which);

/// The result as a term.
Term encode(Terms& t, const Program& program, const Setting& setting, const InputTerms& inputs);

} // namespace discern::compare
