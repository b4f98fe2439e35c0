// What the campaign of claims is made of.
//
// The program claims something: that two units give the same results on all inputs, that a unit never overflows to
// infinity, that these are all the units which explain some vectors. A claim of a small unit can be compared with all
// of its inputs, by evaluators that share nothing with whatever made the claim. The campaign draws small units, asks
// the program as a person would, and compares, for every kind of claim there is (kinds.cpp has the table of them).
#pragma once

#include "models/random.hpp"
#include "models/unit.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern::claims {

/// A unit as it stands on a command line.
struct WrittenUnit {
    Unit unit;          ///< in the notation,
    std::string suffix; ///< and what follows it: overrides, choices, a schedule

    std::string text() const;
};

/// A question, in parts that can be left out or made simpler as long as the answer is wrong.
struct Case {
    std::vector<WrittenUnit> units;
    /// Options that the question does not need: each is one or more words, separated by single spaces.
    std::vector<std::string> options;
    /// Whatever else a kind needs: other texts, by a name of its own for each.
    std::map<std::string, std::string> texts;
};

/// What came of comparing the answer.
struct Compared {
    int claims = 0;       ///< how many claims the answer made that were compared; 0 if it was "unknown"
    std::string wrong;    ///< empty if they are right; else what was claimed, and the inputs on which it is false
    std::string command;  ///< the command line that shows it
    bool stopped = false; ///< it is wrong for an exception that it threw
};

/// A kind of claim.
struct Kind {
    std::string_view name;
    std::string_view claims; ///< what is claimed, and with what it is compared, in a sentence
    Case (*draw)(Random& random);
    /// Asks, and compares. What it throws is a wrong answer too. It depends on nothing but the case.
    Compared (*compare)(const Case& asked);
    /// Simpler cases beside those of shrink.hpp, the simplest first; nullptr if there are none.
    std::vector<Case> (*simpler)(const Case& asked) = nullptr;
    /// Why the kind cannot be asked here (a program that it needs is not installed); empty if it can. nullptr: it can.
    std::string (*missing)() = nullptr;
};

/// What the kind says of the case, with what it throws as a wrong answer.
Compared compare(const Kind& kind, const Case& asked);

/// The table of all kinds.
std::span<const Kind> kinds();

} // namespace discern::claims
