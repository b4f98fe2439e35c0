// Text within HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace discern::cli {

inline std::string escaped(std::string_view text) {
    std::string html;
    for (const char letter : text) {
        if (letter == '&')
            html += "&amp;";
        else if (letter == '<')
            html += "&lt;";
        else if (letter == '>')
            html += "&gt;";
        else
            html += letter;
    }
    return html;
}

} // namespace discern::cli
