// On what a proof of a property rests: in words, and of which kind that is.
#pragma once

#include "solver/question/ground.hpp"

#include <string>

namespace discern::property {

struct Basis {
    std::string by; ///< what answered: "terms", "cadical, one block", "the tree: …"; empty: nothing did
    Ground ground;
};

/// A theorem or a bound, as tables name it.
struct Argument {
    const char* by;
    Ground ground;
    operator Basis() const { return {by, ground}; } // NOLINT: a proof that rests on it
};

/// A theorem that follows from the tree alone.
constexpr Ground of_tree(std::string_view name) { return {Ground::Kind::theorem, name, true}; }
/// A law that is proved in Rocq, of which the tree is an instance (formal.hpp): no argument on paper.
constexpr Ground of_formal(std::string_view name) { return {Ground::Kind::theorem, name, false}; }
/// An argument that follows once the unit is known to be one term with such a tree.
constexpr Ground of_terms(std::string_view name) { return {Ground::Kind::theorem, name, false}; }
/// A bound that is added up from what the steps of the tree can do.
constexpr Ground bound(std::string_view name) { return {Ground::Kind::argument, name, true}; }

} // namespace discern::property
