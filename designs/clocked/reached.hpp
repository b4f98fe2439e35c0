// What registers can hold in any cycle after a reset, proved by induction.
//
// A proof about a design with registers is one for whatever they hold when operands come. That is enough for a
// pipeline, from which what it held has gone when the result is there, and too much for one that counts, or marks what
// is valid: there states that never come make wrong results. Two things are found of such registers. Those that count
// on by themselves, whatever the operands are, go through a known course from the reset, and when it comes back to
// where it was it is complete. Of the others, bits that are constants, or always equal or opposite to another one:
// guessed from a simulation, and proved, all together: they hold after the reset, and where they hold they hold an edge
// later.
#pragma once

#include "machine.hpp"

#include "solver/backend/limit.hpp"

#include "models/unit.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace discern::rtl {

struct Reached {
    std::vector<std::size_t> timed;          ///< registers (indices of cells) that go through a course
    std::vector<std::vector<Bits>> course;   ///< what they hold together, each state once, in the order of `timed`
    using Bit = std::pair<std::size_t, int>; ///< of a register
    struct Tie {
        bool is_constant = false;
        Bit to = {};           ///< if it is none
        bool inverted = false; ///< the value of a constant
    };
    std::map<Bit, Tie> ties;
};

/// The machine's registers hold anything that is not excluded.
struct Start {
    std::optional<Term> selector;                       ///< which state of the course
    std::map<std::size_t, std::vector<Term>> variables; ///< of a register that has no course: 64 bits each
};
Start start(Terms& t, Machine& machine, const Reached& reached);

/// Nothing is known without a reset, and of what is not proved within the limit. With Connection::hold only those
/// states count at which an operation begins: the first does so after the reset, and each holds its operands until its
/// result is there, when the next one begins.
Reached find_reached(const Design& design, const Connection& connection, const Unit& unit, std::uint64_t seed,
                     const Limit& limit);

} // namespace discern::rtl
