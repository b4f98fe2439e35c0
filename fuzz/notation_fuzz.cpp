// Any text is either a unit or an Error; a unit reads back from its own notation as the same unit.

#include "models/error.hpp"
#include "models/notation.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace {

std::optional<discern::Unit> parse(std::string_view text) {
    try {
        return discern::parse_unit(text);
    } catch (const discern::Error&) {
        return std::nullopt;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::optional<discern::Unit> unit = parse({reinterpret_cast<const char*>(data), size});
    if (!unit) return 0;
    const std::string text = discern::to_string(*unit);
    const std::optional<discern::Unit> again = parse(text);
    if (!again || *again != *unit || discern::to_string(*again) != text) {
        std::fprintf(stderr, "does not read back as the same unit: %s\n", text.c_str());
        std::abort();
    }
    return 0;
}
