// A design as yosys writes it: ports, cells of words, and the nets between them.
//
// yosys reads the language and takes modules and processes apart; what a cell means is not asked of it but written
// down in cells.cpp, and whatever has no meaning there is refused here or there, with the line that it comes from. So
// no verdict is about a design of which something was passed over.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace discern::rtl {

/// A bit of a net by its number, from 2, or a constant.
using Net = int;
namespace net {
inline constexpr Net zero = 0, one = 1, x = -1, z = -2;
constexpr bool is_constant(Net bit) { return bit < 2; }
} // namespace net

struct Port {
    std::string name;
    bool is_input = true;
    std::vector<Net> bits; ///< lowest first
};

struct Cell {
    std::string name, type; ///< "$add"
    std::string source;     ///< "file.sv:12.3-12.20", or empty
    std::map<std::string, std::vector<Net>> pins;
    std::map<std::string, std::string> parameters; ///< binary digits or text, as yosys writes them

    const std::vector<Net>& pin(const std::string& pin_name) const { return pins.at(pin_name); }
    bool has(const std::string& pin_name) const { return pins.contains(pin_name); }
    /// Whether a parameter is there and not zero.
    bool is_set(const std::string& parameter) const;
    /// "at file.sv:12", or the cell's name where yosys gives no line.
    std::string at() const;
};

struct Design {
    std::string top;
    std::vector<Port> ports;
    std::vector<Cell> cells;

    /// What drives a net.
    struct Driver {
        std::size_t cell = 0; ///< or, of an input, the port
        bool is_port = false;
        std::string pin; ///< of the cell
        std::size_t place = 0;
    };
    std::map<Net, Driver> drivers;
    std::map<Net, std::string> names;              ///< "total[3]", where a net has a name of the source
    std::map<std::string, std::vector<Net>> words; ///< by those names, of modules within as "unit.total"

    /// @return nullptr if there is none
    const Port* find(std::string_view port) const;
    /// The name of a net for messages.
    std::string name_of(Net bit) const;
};

/// The one module of a netlist in yosys' JSON that is marked as top.
/// @throws Error for what is no closed netlist of known kinds: several drivers of a net, inout ports, modules that are
/// not there, memories and latches
Design read_design(std::string_view json);

} // namespace discern::rtl
