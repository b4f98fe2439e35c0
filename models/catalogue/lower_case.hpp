// Names as people write them, whatever the case.
#pragma once

#include <string>
#include <string_view>

namespace discern {

/// ASCII alone.
inline std::string in_lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower;
}

} // namespace discern
