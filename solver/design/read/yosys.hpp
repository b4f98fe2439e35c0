// Verilog and SystemVerilog read by yosys, which is asked to take modules and processes apart and to change nothing
// else: above all it may not choose values for what the design leaves open.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace discern::rtl {

/// The files of a design, and which module of it is meant.
struct Sources {
    std::vector<std::string> files;
    std::string top;                                             ///< empty: the one that no other has in it
    std::vector<std::pair<std::string, std::string>> parameters; ///< of top: name and value
};

/// "rtl:FILE[,FILE…]" names a design where a unit could stand.
inline constexpr std::string_view rtl_prefix = "rtl:";
/// The files. @throws Error if one cannot be opened, or has a name that yosys would not take
std::vector<std::string> files_of(std::string_view text);

/// The folders of the files, each once: what a file includes is looked for in the folders of all of them.
std::set<std::string> folders_of(const Sources& sources);

/// Commands of yosys that read the design and find its top.
std::string reading_script(const Sources& sources);

/// The flat netlist as JSON (design.hpp).
struct Netlists {
    std::string synthesised; ///< of the text that tools for synthesis read
    std::string simulated;   ///< of the text that a simulator reads (text.hpp); empty without Icarus Verilog
    /// A message about the simulated text, with positions in the design's files.
    std::function<std::string(const std::string& what)> with_places;
};
/// @param must_stop  as run_process() takes it
/// @throws Error if yosys is not installed, with what it says of the design, and for constructs on which simulation and
/// synthesis part (hazards.hpp), with their position
Netlists netlists(const Sources& sources, const std::function<bool()>& must_stop);

/// The word in single quotes for /bin/sh.
std::string shell_word(std::string_view text);

} // namespace discern::rtl
