// Units that are no rows of a paper's tables: each is written out in the notation, with where its parameters are from.
#pragma once

#include "tables.hpp"

#include <span>
#include <string>
#include <string_view>

namespace discern::tables {

struct WrittenUnit {
    Arch arch;
    std::string_view instruction;
    std::string_view notation;
    std::string_view what; ///< in a few words: the family
    Evidence evidence;     ///< of what nothing else is said of
    std::string_view source;
    std::string_view open = ""; ///< keys of parameters that are open, with a space around each
    std::string_view remark = "";
};

std::span<const WrittenUnit> written_units();

} // namespace discern::tables
