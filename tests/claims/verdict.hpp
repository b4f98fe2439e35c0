// What `prove` and its relatives print as a verdict on two units, compared with all inputs.
#pragma once

#include "claim.hpp"
#include "inputs.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <string>
#include <vector>

namespace discern::claims {

/// Asks a command that prints {"verdict":"equivalent|same|different|unknown","vectors":[…]} and whose exit status says
/// the same, and compares: "equivalent" with all of the inputs, "different" with the vector that it shows.
/// @param passes  only inputs that it accepts count; empty: all
Compared compare_verdict(const std::vector<std::string>& words, const Unit& one, const Unit& other,
                         const AllInputs& inputs, const std::function<bool(const Inputs&)>& passes = {});

/// The inputs of a vector as JSON. @throws std::runtime_error if a pattern is none
InputBuffer inputs_of(const Unit& unit, const nlohmann::json& vector);

} // namespace discern::claims
