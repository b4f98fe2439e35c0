// Any text is either a unit or an Error; a unit reads back from its own notation as the same unit. Any text is either a
// space or an Error; a member of a space is the unit that its text says.

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/space.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace discern::fuzz::notation_fuzz {
namespace {

std::optional<Unit> parse(std::string_view text) {
    try {
        return parse_unit(text);
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::optional<Space> parse_space(std::string_view text) {
    try {
        return Space::parse(text);
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Only a member in the middle and the last one: a space may have any number.
void check_space(std::string_view text) {
    if (text.find("{") == text.npos || text.size() > 400) return; // a line without choices is a unit
    const std::optional<Space> space = parse_space(text);
    if (!space) return;
    for (const std::uint64_t n : {space->size() / 2, space->size() - 1}) {
        const auto picks = space->picks(n);
        const auto unit = space->member(picks);
        const auto alone = parse_space(space->member_text(picks));
        if (unit.has_value() != alone.has_value() || (alone && alone->member(alone->picks(0)) != unit)) {
            std::fprintf(stderr, "is not the unit that its text says: %s\n", space->member_text(picks).c_str());
            std::abort();
        }
    }
}

} // namespace

int run(const std::uint8_t* data, std::size_t size) {
    check_space({reinterpret_cast<const char*>(data), size});
    const std::optional<Unit> unit = parse({reinterpret_cast<const char*>(data), size});
    if (!unit) return 0;
    const std::string text = to_string(*unit);
    const std::optional<Unit> again = parse(text);
    if (!again || *again != *unit || to_string(*again) != text) {
        std::fprintf(stderr, "does not read back as the same unit: %s\n", text.c_str());
        std::abort();
    }
    return 0;
}

} // namespace discern::fuzz::notation_fuzz
