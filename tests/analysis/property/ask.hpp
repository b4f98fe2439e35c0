// One property of one unit, as tests ask for it.
#pragma once

#include "analysis/property/property.hpp"
#include "solver/backend/backend.hpp"

namespace discern::property {

inline bool can_prove() { return !backends().empty(); }

inline Finding ask(const Unit& unit, std::string_view name, std::uint64_t tries = 20000, double timeout = 600) {
    const Property& p = require_property(name);
    Options options;
    options.timeout = timeout;
    options.tries = tries;
    return p.ask(p, unit, options);
}

} // namespace discern::property
