// Whether the table is true: is there a unit of which it would be the table, and which gives all that was observed?
//
// A probe sees what it looks at. A sum of pairs and one of halves lose the same terms in some probes, and
// an accumulator of twice the precision shows only in sums that a probe of one addition does not make. So the units
// that the table describes are built, and held against every answer that the target gave and against fresh vectors of
// all families. If none is left, the table is withdrawn.
#pragma once

#include "session.hpp"
#include "structure.hpp"

#include "solver/backend/limit.hpp"

#include <optional>

namespace discern::probe {

struct Explanation {
    enum class Kind : std::uint8_t {
        nothing_told, ///< the table says nothing about the sum
        fits,         ///< a unit of that table gives all
        only_sums,    ///< a unit of that structure does, but none with these precisions and roundings
        wider,        ///< one does that keeps its sums in f64 and rounds them to d at the end
        refuted,      ///< none
        undecided,    ///< the time was over
    };
    Kind kind = Kind::nothing_told;
    std::optional<Unit> unit; ///< that gives all
    std::size_t fresh = 0;    ///< vectors that were asked for this
};

/// Looks for a unit among identify's space and the loops of programs.
/// @param report  the reported features, and all vectors that were asked
Explanation explain(const Shape& shape, const Structure& structure, const ProbeReport& report, const AskTarget& ask,
                    const Limit& limit);

/// Takes back what no unit explains.
void take_back(ProbeReport& report, const Explanation& explanation);

} // namespace discern::probe
