// See known_same.hpp.
#include "known_same.hpp"

#include "models/notation.hpp"
#include "solver/theorems/at_rest.hpp"
#include "solver/theorems/written_out.hpp"

namespace discern::identify {

namespace {

Unit rest_of(const Unit& unit) {
    Unit rest = at_rest(unit);
    const std::optional<Unit> whole = written_out(rest);
    return whole ? at_rest(*whole) : rest;
}

} // namespace

std::string KnownSame::rest_text(const Unit& unit) { return canonical_text(rest_of(unit)); }

Unit KnownSame::replaced(const Unit& unit) const {
    Unit rest = rest_of(unit);
    if (same_as_.empty()) return rest;
    const Unit whole = rest;
    replace_parts(whole, rest.tree);
    return rest;
}

std::string KnownSame::text(const Unit& unit) const { return canonical_text(replaced(unit)); }

/// From the leaves to the root; parts of what has been replaced already are parts again.
void KnownSame::replace_parts(const Unit& unit, Node& node) const {
    if (auto* fuse = std::get_if<Fuse>(&node.kind))
        for (Child& child : fuse->children) replace_parts(unit, child.get());
    auto* round = std::get_if<Round>(&node.kind);
    if (round == nullptr) return;
    replace_parts(unit, round->get());
    for (;;) {
        const auto part = part_of(unit, node);
        if (!part) return;
        const auto same = same_as_.find(rest_text(*part));
        if (same == same_as_.end()) return;
        node = same->second;
    }
}

/// Neither text is replaced any further when one is made to stand for the other, so no text comes to stand for itself.
void KnownSame::learn(const Part& part) {
    Unit one = replaced(part.first);
    const std::string other = rest_text(replaced(part.second));
    if (rest_text(one) != other) same_as_.emplace(other, std::move(one.tree));
}

} // namespace discern::identify
