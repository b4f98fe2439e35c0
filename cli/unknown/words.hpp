// Values of parameters in words, for people: `ftz in keep` is a flush that keeps the sign.
#pragma once

#include <string>
#include <string_view>

namespace discern::cli {

/// What a feature of `identify` is called, and its value, in words where the keys of the notation are none. JSON has
/// the keys.
std::string feature_in_words(std::string_view feature);
std::string value_in_words(std::string_view feature, const std::string& value);

/// A set of units, "sums of 4 {ftz in=keep|pos, usign=yes|no}", with its braces in words.
std::string box_in_words(const std::string& box);

} // namespace discern::cli
