// The catalogue's evidence as one page, which script/evidence divides into docs/evidence.md and its parts.
#pragma once

#include "models/catalogue.hpp"

#include <string>
#include <vector>

namespace discern::cli {

/// In Markdown: units that have the same values from the same sources side by side, and what would settle what is open.
std::string evidence_page(const std::vector<const CatalogueEntry*>& entries);

} // namespace discern::cli
