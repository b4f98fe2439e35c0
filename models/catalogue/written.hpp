// Units that are no rows of a paper's tables: each is written out in the notation, with where its parameters are from.
#pragma once

#include "tables.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern::tables {

/// What is said of some parameters of a unit, other than of the rest.
struct Said {
    std::string_view keys; ///< with a space around each
    Evidence evidence;
    std::string_view source;
};

struct WrittenUnit {
    Arch arch;
    std::string_view instruction;
    std::string_view notation;
    std::string_view what; ///< in a few words: the family
    Evidence evidence;     ///< of what nothing else is said of
    std::string_view source;
    std::span<const Said> but = {}; ///< the first row with a key decides
    std::string_view remark = "";
};

/// Those of this file, of RDNA (rdna.cpp), and of hypotheses (hypotheses.cpp).
const std::vector<WrittenUnit>& written_units();
std::span<const WrittenUnit> rdna_units();
std::span<const WrittenUnit> hypothetical_units();

} // namespace discern::tables
