// Text within HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace discern::cli {

inline std::string escaped(std::string_view text) {
    std::string html;
    for (const char c : text) html += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    return html;
}

} // namespace discern::cli
