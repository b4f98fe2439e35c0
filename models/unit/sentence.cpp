#include "sentence.hpp"

#include <array>
#include <charconv>

namespace discern {

std::string shortest(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

std::string counted(std::size_t count, std::string_view noun) {
    return sentence(count, " ", noun, count == 1 ? "" : "s");
}

std::string excerpt(std::string_view text, std::size_t most) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string shown = "'";
    for (const char character : text.substr(0, most)) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte >= 0x20 && byte < 0x7f) {
            shown += character;
        } else {
            shown += "\\x";
            shown += digits[byte >> 4];
            shown += digits[byte & 15];
        }
    }
    return shown + (text.size() > most ? "…'" : "'");
}

} // namespace discern
