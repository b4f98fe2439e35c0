// Building an error's sentence: parts strung together, foreign text made short and printable.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace discern {

/// Appends text, or a number in decimal.
inline void append_part(std::string& text, std::string_view part) { text += part; }
template <std::integral Number>
void append_part(std::string& text, Number part) {
    text += std::to_string(part);
}

/// The parts, texts and integers, one after the other.
template <typename... Parts>
std::string sentence(const Parts&... parts) {
    std::string text;
    (append_part(text, parts), ...);
    return text;
}

/// A number in as few digits as read back: "0.1", "1e+300".
std::string shortest(double number);

/// "1 pattern", "4 patterns".
std::string counted(std::size_t count, std::string_view noun);

/// The text in single quotes; bytes that are not printable ASCII as \xNN, and everything after the first `most` bytes
/// as "…".
std::string excerpt(std::string_view text, std::size_t most = 40);

/// The text on one line, with control characters, which a terminal would obey, as \xNN.
std::string printable(std::string_view text);

} // namespace discern
