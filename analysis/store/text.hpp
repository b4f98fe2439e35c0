// The text of stored values: units by their hashes, limits of the inputs, vectors, lists of numbers.
#pragma once

#include "solver/question/input_limits.hpp"

#include "models/unit.hpp"
#include "models/vectors.hpp"

#include <span>
#include <string>
#include <vector>

namespace discern::store {

/// 16 hexadecimal digits of arithmetic_hash.
std::string hash_text(const Unit& unit);

std::string limits_text(const InputLimits& limits);
/// @throws Error if limits_text makes no such text
InputLimits limits_from(const std::string& text);

/// One vector a line, without results, as vector files have it.
std::string vectors_text(const Unit& unit, std::span<const Vector> vectors);
/// @throws Error with a sentence
std::vector<Vector> vectors_from(const Unit& unit, const std::string& text);

/// Lists of numbers, "0 3 5;1 2".
std::string lists_text(std::span<const std::vector<std::size_t>> lists);
/// @param below  numbers are less than this
/// @throws Error if the text is none of these
std::vector<std::vector<std::size_t>> lists_from(const std::string& text, std::size_t below);

} // namespace discern::store
