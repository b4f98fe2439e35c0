// Any text is a netlist as yosys writes it, or an Error.

#include "designs/read/design.hpp"
#include "models/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace discern::fuzz::netlist_fuzz {
int run(const std::uint8_t* data, std::size_t size) {
    try {
        const rtl::Design design = rtl::read_design(std::string_view(reinterpret_cast<const char*>(data), size));
        for (const auto& port : design.ports) static_cast<void>(design.find(port.name));
    } catch (const Error&) { // one sentence
    }
    return 0;
}

} // namespace discern::fuzz::netlist_fuzz
