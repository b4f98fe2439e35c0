// Which units of the catalogue can be compared with which.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace discern {
struct CatalogueEntry;
}

namespace discern::bench {

/// Of units with the same arithmetic the first speaks for all.
std::vector<const CatalogueEntry*> distinct_units();

/// All pairs of units with distinct arithmetic and equal formats, scale blocks and K, by name.
std::vector<std::pair<std::string, std::string>> catalogue_pairs();

} // namespace discern::bench
