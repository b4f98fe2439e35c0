// What a design is read from: files, folders of what they include, macros and parameters.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace discern::rtl {

/// The files of a design, and which module of it is meant.
struct Sources {
    std::vector<std::string> files;
    std::string top;                                              ///< empty: the one that no other has in it
    std::vector<std::pair<std::string, std::string>> parameters;  ///< of top: name and value
    std::vector<std::string> folders = {};                        ///< of included files, before those of the files
    std::vector<std::pair<std::string, std::string>> macros = {}; ///< name and text, which may be empty
    std::string reader = {}; ///< which program reads it (reader.hpp); empty: the first that can
};

/// "rtl:FILE[,FILE…]" names a design where a unit could stand.
inline constexpr std::string_view rtl_prefix = "rtl:";
/// The files. @throws Error if one cannot be opened, or has a name that yosys would not take
std::vector<std::string> files_of(std::string_view text);
/// @throws Error as files_of() does
void require_file(const std::string& file);

/// The folders in which included files are looked for, each once: those that were named, then those of the files.
std::vector<std::string> folders_of(const Sources& sources);

/// The files, and what they include, as far as it is found.
std::vector<std::string> with_included(const Sources& sources);

/// The files with those that have packages before those that use them, for programs that want it so; else in their
/// order.
std::vector<std::string> packages_first(const Sources& sources);

/// @throws Error if top, a parameter or a macro is none
void require_names(const Sources& sources);

/// The options of a simulator for folders and macros; Icarus Verilog's and Verilator's are the same.
std::string simulator_options(const Sources& sources);

/// The parts of a text between separators; some may be empty.
std::vector<std::string> split(std::string_view text, char by);

/// The word in single quotes for /bin/sh.
std::string shell_word(std::string_view text);

} // namespace discern::rtl
