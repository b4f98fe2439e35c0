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

namespace {

void append_escaped(std::string& text, unsigned char byte) {
    static constexpr std::string_view digits = "0123456789abcdef";
    text += "\\x";
    text += digits[byte >> 4];
    text += digits[byte & 15];
}

} // namespace

std::string printable(std::string_view text) {
    std::string shown;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        // U+0080 to U+009F are control characters, too: two bytes of UTF-8.
        const bool is_second = i > 0 && text[i - 1] == '\xc2' && byte >= 0x80 && byte < 0xa0;
        if (byte < 0x20 || byte == 0x7f || is_second)
            append_escaped(shown, byte);
        else
            shown += text[i];
    }
    return shown;
}

std::string excerpt(std::string_view text, std::size_t most) {
    std::string shown = "'";
    for (const char character : text.substr(0, most)) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte >= 0x20 && byte < 0x7f) {
            shown += character;
        } else {
            append_escaped(shown, byte);
        }
    }
    return shown + (text.size() > most ? "…'" : "'");
}

} // namespace discern
