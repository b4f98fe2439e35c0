// The reference circuit of a unit in words, with names for its wires: what every form of a unit as hardware or C
// is printed from, and where cut points of a proof lie.
//
// The names are those that an engineer would use: significands, exponents, shifts, aligned terms, the sum.
#pragma once

#include "encodings/encode.hpp"
#include "encodings/graph/term.hpp"

#include "models/flags.hpp"
#include "models/unit.hpp"

#include <optional>
#include <string>
#include <vector>

namespace discern::rtl {

struct Datapath {
    /// @param flags  not nothing: d is the unit's status flags (encodings/flags.hpp), and no wire has a name
    /// @throws Error if the unit is wrong, or such flags have no formula
    explicit Datapath(const Unit& unit, std::optional<Tininess> flags = std::nullopt);

    /// A wire, or, without a name, a heading above those that follow.
    struct Line {
        std::string name, text; ///< "f0_sum", and a comment or the heading
        Term term;
        bool begins_stage = false; ///< where a pipeline has registers, they stand before it
    };

    Terms terms{Terms::Order::as_written};
    InputTerms inputs; ///< variables a0, …, c
    Term d;
    std::vector<Line> lines;
};

} // namespace discern::rtl
