// Which lines are plain text, one answer for the reader of vectors and for commands, which take other tables too.
#pragma once

#include <string_view>

namespace discern {

/// Whether the line has nothing but what a line of plain text can have: hexadecimal digits, and blanks between them.
inline bool can_be_plain_text(std::string_view line) {
    return line.find_first_not_of("0123456789abcdefABCDEF \t\r\n") == std::string_view::npos;
}

} // namespace discern
