// Text taken apart and put together: what readers of names, notations, tables and options share.
#pragma once

#include "sentence.hpp"
#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace discern::texts {

/// Without the blanks at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view blanks = " \t\r\n") {
    const std::size_t begin = text.find_first_not_of(blanks);
    return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(blanks) + 1 - begin);
}

/// Names as people write them, whatever the case: letters of ASCII alone.
inline std::string in_lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

/// The parts between separators: one more than there are of these.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// The words between characters of `separators`.
inline std::vector<std::string_view> words(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> found;
    for (std::size_t at = 0; (at = text.find_first_not_of(separators, at)) != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        found.push_back(text.substr(at, end - at));
        at = end;
    }
    return found;
}

/// Texts or integers, one after the other, and something between them.
template <typename List>
std::string joined(const List& list, std::string_view between) {
    std::string text;
    for (const auto& part : list) text += sentence(text.empty() ? "" : between, part);
    return text;
}

/// The integer that all of the text is.
template <typename Int = int>
std::optional<Int> whole_number(std::string_view text) {
    Int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

} // namespace discern::texts
