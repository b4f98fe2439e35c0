// What a claim rests on: of everything that has to be trusted for it, the part that is most likely to be wrong.
//
// Answers such as "equivalent" or "proved" have reasons of very different strength. A reader who does not trust the
// encoder wants to know which answers rest on it alone, and one who does not trust an argument on paper, which rest on
// that. So each answer carries its ground; an answer that needs several (the units of a class, the claims of a
// property) carries the weakest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace discern {

struct Ground {
    enum class Kind : std::uint8_t { // from the strongest to the weakest
        none,                        ///< nothing is claimed, or a vector shows it, which is replayed
        structure,                   ///< both are written as one tree, or are one kernel
        certificate,                 ///< one was made, and the separate checker accepted it
        terms,                       ///< both are one term: the encoder and its rules for folding
        solver,                      ///< an unsat of a solver for such terms, whose proof was not checked
        theorem,                     ///< an argument on paper about trees of some kind, which may need terms beside it
        argument, ///< the same about numbers: a bound that is added up from what the steps of a tree can do
    };

    Kind kind = Kind::none;
    std::string_view name = {}; ///< of the theorem or the bound; lives as long as the program
    bool alone = false;         ///< the argument needs neither terms nor a solver

    bool operator==(const Ground&) const = default;
};

inline constexpr Ground by_structure{Ground::Kind::structure}, by_certificate{Ground::Kind::certificate},
    by_terms{Ground::Kind::terms}, by_a_solver{Ground::Kind::solver};

/// As JSON and stores have it: "terms", "theorem rounded-once"; "" of none. A bound's name stands beside it.
std::string text_of(const Ground& ground);

/// The other way round, of grounds without a name. Nothing: it is no such text.
std::optional<Ground> ground_from(std::string_view text);

/// What a claim rests on that needs both.
Ground weakest(const Ground& one, const Ground& other);

} // namespace discern
