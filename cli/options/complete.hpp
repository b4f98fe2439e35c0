// What can be the next word of a command line, for the shells, which ask the program: `discern --complete WORDS`.
#pragma once

#include <string>
#include <vector>

namespace discern::cli {

struct Completion {
    std::vector<std::string> words; ///< that begin as the last word does, whatever the case
    bool files = false;             ///< names of files are right, too
};

/// @param words  those behind "discern" up to the cursor; the last one is being typed and may be empty
Completion complete(const std::vector<std::string>& words);

} // namespace discern::cli
