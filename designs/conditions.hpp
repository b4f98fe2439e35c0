// Vectors that take every condition of a design both ways.
//
// Of random vectors few reach what a design does rarely: where it tests c for one value, none of 64 does. So the
// reading of a design is compared with a simulator on vectors that a solver makes: each net of one bit that a cell
// gives (a condition, a select, an enable, a comparison) is 1 once and 0 once, and so is each test of an index that was
// written out (read/indices.hpp). What the netlist has wrong shows in the simulator where it counts, whatever the
// construct is.
#pragma once

#include "designs/clocked/circuit.hpp"

#include "solver/backend/limit.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace discern::rtl {

struct ConditionVectors {
    std::vector<Vector> vectors;
    std::size_t conditions = 0; ///< values of bits: twice as many as bits
    std::size_t taken = 0;      ///< by one of the vectors
    std::size_t impossible = 0; ///< proved that none can

    /// "all of 84 values of 42 bits", "80 of 84 values of 42 bits, 3 cannot be, 1 not in time"
    std::string text() const;
};

/// How long a solver may look for them: seconds.
inline constexpr double longest_for_conditions = 2;

ConditionVectors vectors_for_conditions(const DesignQuestion& question, std::uint64_t seed, const Limit& limit);

} // namespace discern::rtl
