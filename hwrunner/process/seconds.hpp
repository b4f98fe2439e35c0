// How long others may take, as people say it.
#pragma once

#include <string>

namespace discern {

inline constexpr double longest_timeout = 365.0 * 86400; ///< seconds; beyond it, the same

/// A number of seconds as people write it.
inline std::string in_seconds(double seconds) {
    std::string text = std::to_string(seconds);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

} // namespace discern
