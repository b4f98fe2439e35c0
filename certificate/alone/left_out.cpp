// Stubs for models/unit/override*.cpp, models/unit/suggest.cpp and models/catalogue/format_names.cpp where the checker
// is built alone. The units of a certificate are written out as they are printed, so the checker needs neither
// overrides, nor suggestions for misspelt names, nor other names of formats, and its reader has files fewer to read.
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/overrides.hpp"
#include "models/suggest.hpp"

namespace discern {

Unit with_overrides(const Unit&, std::string_view) { throw Error("the units of a certificate have no overrides"); }

std::string did_you_mean(std::string_view, const std::vector<std::string>&) { return ""; }

std::optional<FormatId> everyday_format(std::string_view name) { return format_from_name(name); }

std::string why_not_one_format(std::string_view) { return ""; }

} // namespace discern
