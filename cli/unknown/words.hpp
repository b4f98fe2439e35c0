// Values of parameters in words, for people: `ftz in keep` is a flush that keeps the sign.
#pragma once

#include <string>
#include <string_view>

namespace discern::cli {

/// What a feature of `identify` is called, and its value, in words where the keys of the notation are none. JSON has
/// the keys.
std::string feature_in_words(std::string_view feature);
std::string value_in_words(std::string_view feature, const std::string& value);

} // namespace discern::cli
