// Stubs for models/unit/override*.cpp and models/unit/suggest.cpp where the checker is built alone. The units of a
// certificate are written out, so the checker needs neither overrides nor suggestions for misspelt names, and its
// reader has six files fewer to read.
#include "models/error.hpp"
#include "models/overrides.hpp"
#include "models/suggest.hpp"

namespace discern {

Unit with_overrides(const Unit&, std::string_view) { throw Error("the units of a certificate have no overrides"); }

std::string did_you_mean(std::string_view, const std::vector<std::string>&) { return ""; }

} // namespace discern
