// Kinds of witnesses: two witnesses of one difference are of different kinds if other terms are nonzero, or signs or
// distances between exponents differ. Further witnesses of a known kind are not interesting.
//
// Terms of one block are a set, since the position of a term in its block hardly ever matters to a reader.
#pragma once

#include "models/evaluate.hpp"
#include "models/unit.hpp"

#include <compare>
#include <optional>
#include <vector>

namespace discern {

/// A product that is not zero, or c.
struct KindTerm {
    bool special = false;  ///< a factor is infinite or NaN; the other members then have no meaning
    bool negative = false; ///< its sign
    int gap = 0;           ///< by how much its exponent is below the largest one of all terms that are not zero
    std::strong_ordering operator<=>(const KindTerm&) const = default;
};

/// Terms that are zero are left out.
struct Kind {
    std::vector<std::vector<KindTerm>> blocks; ///< sorted
    std::optional<KindTerm> c;
    std::strong_ordering operator<=>(const Kind&) const = default;
};

/// The coarser half of a kind: how many terms of which sign there are, whatever their exponents.
struct Profile {
    struct Counts {
        int positive = 0, negative = 0, special = 0;
        std::strong_ordering operator<=>(const Counts&) const = default;
    };
    std::vector<Counts> blocks;
    Counts c; ///< one of them is 1, or c is zero
    std::strong_ordering operator<=>(const Profile&) const = default;
};

/// Each product of the vector, nothing where it is zero, and then c. The gaps are as in Kind.
std::vector<std::optional<KindTerm>> kind_terms(const Unit& unit, const Inputs& inputs);
Kind kind_of(const Unit& unit, const Inputs& inputs);
Profile profile_of(const Kind& kind);

} // namespace discern
