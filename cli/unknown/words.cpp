#include "words.hpp"

#include <algorithm>
#include <array>
#include <vector>

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
    {"ftz out", "before", "flushed if subnormal before rounding, sign kept"},
    {"ftz out", "before:pos", "flushed to +0 if subnormal before rounding"},
    {"ftz out", "after", "flushed if subnormal after rounding without emin, sign kept"},
    {"ftz out", "after:pos", "flushed to +0 if subnormal after rounding without emin"},
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

std::string box_in_words(const std::string& box) {
    const std::size_t open = box.find(" {"), close = box.rfind('}');
    if (open == std::string::npos || close != box.size() - 1) return box;
    const auto parts_of = [](std::string_view text, std::string_view separator) {
        std::vector<std::string> parts;
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find(separator, begin), text.size());
            parts.emplace_back(text.substr(begin, end - begin));
            begin = end + separator.size();
        }
        return parts;
    };
    std::string all;
    for (const std::string& item : parts_of(std::string_view(box).substr(open + 2, close - open - 2), ", ")) {
        const std::size_t equal = item.find('=');
        if (equal == std::string::npos) return box;
        const std::string feature = item.substr(0, equal);
        std::string values;
        for (const std::string& value : parts_of(std::string_view(item).substr(equal + 1), "|"))
            values += (values.empty() ? "" : " or ") + value_in_words(feature, value);
        all += (all.empty() ? "" : "; ") + feature_in_words(feature) + ": " + values;
    }
    return box.substr(0, open) + " (" + all + ")";
}

} // namespace discern::cli
