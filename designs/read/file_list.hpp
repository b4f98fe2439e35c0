// Lists of files, as simulators take them with -f: names, folders of included files, macros, further lists.
#pragma once

#include "sources.hpp"

namespace discern::rtl {

/// Adds what a list says. Names are relative to the current folder, or else to the list's.
/// @throws Error for a file that is not there and for words that only some simulators know
void add_file_list(const std::string& list, Sources& sources);

/// @param from  where it was said, for messages. @throws Error if there is no such folder
void add_folder(const std::string& folder, const std::string& from, Sources& sources);

/// @param text  "NAME" or "NAME=VALUE"
void add_macro(const std::string& text, Sources& sources);

} // namespace discern::rtl
