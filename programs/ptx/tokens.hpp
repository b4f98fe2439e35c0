// PTX as words, numbers among them, and single characters, each with the line on which it stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace discern::programs {

struct Token {
    std::string_view text;
    std::size_t at = 0; ///< its place in the text
    int line = 1;

    bool operator==(std::string_view other) const { return text == other; }
    /// Whether it is a name, a number, an opcode with its modifiers, or a directive.
    bool is_word() const;
};

/// The longest PTX that is read, in bytes.
inline constexpr std::size_t longest_ptx = std::size_t(64) << 20;

/// Comments are left out. The last token is empty, on the last line.
/// @throws Error that names the file and the line
std::vector<Token> tokens_of(std::string_view text, const std::string& file);

} // namespace discern::programs
