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

/// What is wrong with what a claim is said to rest on, or "".
/// @param ground  as JSON: a text, or null
/// @param same    whether it is claimed that things are the same, or that something is proved
std::string wrong_ground(const nlohmann::json& ground, bool same);

/// The same where two units are said to be the same: "structure" only of one line.
std::string wrong_ground(const nlohmann::json& ground, const Unit& one, const Unit& other);

/// The inputs of a vector as JSON. @throws std::runtime_error if a pattern is none
InputBuffer inputs_of(const Unit& unit, const nlohmann::json& vector);

} // namespace discern::claims
