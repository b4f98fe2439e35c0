// Sums in one circuit that are those of another, or their negatives.
//
// A SAT solver finds it hard that −Σ xᵢ is Σ −xᵢ, and easy that one of the terms is the other's negative. So sums of
// the second circuit are looked up among those of the first by their values on some vectors, their operands are matched
// and asked about one by one, and a sum whose operands all are the others', or all their negatives, is replaced. What
// remains to be asked is what becomes of a sum.
#pragma once

#include "search.hpp"

#include "solver/decide/sweep/gate_sweep.hpp"

namespace discern::property {

struct LemmaQuestion {
    Term first, second; ///< results, whose sums are compared
    Term assume;        ///< 1 bit, a condition on the variables
    /// Makes values of the variables, to begin with.
    std::function<Valuation()> pattern;
    std::uint64_t seed = 0;
    const BackendKind* second_solver = nullptr;
};

/// @param root   made of `second`, or of anything
/// @param count  how many sums were replaced
/// @return the root with sums replaced
Term with_equal_sums(Terms& t, const LemmaQuestion& question, Term root, const Limit& limit, std::size_t& count);

} // namespace discern::property
