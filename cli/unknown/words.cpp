#include "words.hpp"

#include <algorithm>
#include <array>

namespace discern::cli {

namespace {

struct Word {
    std::string_view feature, value, words; ///< without a value: the feature's own
};

constexpr auto words = std::to_array<Word>({
    {"ftz in", "", "subnormal a, b"},
    {"ftz in", "none", "kept"},
    {"ftz in", "keep", "flushed, sign kept"},
    {"ftz in", "pos", "flushed to +0"},
    {"ftz in", "plus", "flushed to +0, and so is -0"},
    {"ftz c", "", "subnormal c"},
    {"ftz c", "none", "kept"},
    {"ftz c", "keep", "flushed, sign kept"},
    {"ftz c", "pos", "flushed to +0"},
    {"ftz c", "plus", "flushed to +0, and so is -0"},
    {"ftz out", "", "subnormal result"},
    {"ftz out", "none", "kept"},
    {"ftz out", "result", "flushed, sign kept"},
    {"ftz out", "result:pos", "flushed to +0"},
    {"yields", "", "overflowed product"},
    {"yields", "yes", "gives way to infinite inputs"},
    {"yields", "no", "makes NaN with infinite inputs"},
    {"zsign", "", "sign of a zero sum"},
    {"zsign", "yes", "IEEE 754's"},
    {"zsign", "no", "+"},
    {"usign", "", "sign of underflow to 0"},
    {"usign", "yes", "kept"},
    {"usign", "no", "+"},
});

std::string_view find(std::string_view feature, std::string_view value) {
    const auto* const found = std::find_if(
        words.begin(), words.end(), [&](const Word& word) { return word.feature == feature && word.value == value; });
    return found == words.end() ? std::string_view() : found->words;
}

} // namespace

std::string feature_in_words(std::string_view feature) {
    const std::string_view said = find(feature, "");
    return std::string(said.empty() ? feature : said);
}

std::string value_in_words(std::string_view feature, const std::string& value) {
    const std::string_view said = value.empty() ? std::string_view() : find(feature, value);
    return said.empty() ? value : std::string(said);
}

} // namespace discern::cli
