// The names of grounds as a table, and their order from the strongest to the weakest.
#include "ground.hpp"

#include <cstddef>

namespace discern {

namespace {

constexpr std::string_view words[] = {"",       "structure", "certificate", "terms",
                                      "solver", "theorem",   "argument"}; // in the order of Kind

} // namespace

std::string text_of(const Ground& ground) {
    std::string text(words[static_cast<std::size_t>(ground.kind)]);
    if (ground.kind == Ground::Kind::theorem) text += " " + std::string(ground.name);
    return text;
}

std::optional<Ground> ground_from(std::string_view text) {
    for (const Ground& ground : {Ground{}, by_structure, by_certificate, by_terms, by_a_solver})
        if (text == words[static_cast<std::size_t>(ground.kind)]) return ground;
    return std::nullopt;
}

Ground weakest(const Ground& one, const Ground& other) {
    Ground ground = one.kind < other.kind ? other : one;
    const Ground& beside = one.kind < other.kind ? one : other;
    ground.alone = ground.alone && (beside.kind == Ground::Kind::none || beside.alone);
    return ground;
}

} // namespace discern
