// Do two kernels give the same bits: by their terms, or by numbers on which two terms differ.
//
// Equal terms are the same computation of the same operands, whatever functions are in it that PTX does not define to
// the last bit. Of terms that differ, vectors are computed: random ones, sparse ones of powers of two, and ones whose
// products cancel.
#pragma once

#include "models/format.hpp"
#include "programs/reading/reading.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace discern::programs {

/// The formats of leaves, by their operation.
using LeafFormats = std::map<OpId, FormatId>;

/// Those of a launch's matrices; integers have none.
/// @throws Error if an array has another format in `into`
void add_formats(const Launch& launch, Terms& terms, LeafFormats& into);

/// Two terms that stand at the same elements of two results, and the first of these elements in each.
struct TermPair {
    NodeId one = 0, other = 0;
    std::uint64_t first = 0, first_of_other = 0;
};

/// The different pairs of two results; equal terms too. Results of other sizes are compared if each has one term.
/// @throws Error if they cannot be compared
std::vector<TermPair> pairs_of(const FoldedResult& one, const FoldedResult& other);

/// Patterns of leaves.
using LeafValues = std::map<NodeId, std::uint64_t>;

struct Difference {
    LeafValues values;
    std::uint64_t d1 = 0, d2 = 0;
};

struct SearchLimits {
    std::uint64_t vectors = 10'000, seed = 1;
    std::function<bool()> stop;        ///< whether to end early; may be empty
    std::optional<FormatId> any_nan{}; ///< of results of this format all NaNs are one
};

/// Whether two results count as the same.
bool is_same(std::uint64_t one, std::uint64_t other, const SearchLimits& limits);

/// A vector on which two terms differ. @param tried  vectors, counted on
/// @throws Error if a function of them has no value
std::optional<Difference> find_difference(const Terms& terms, const LeafFormats& formats, NodeId one, NodeId other,
                                          const SearchLimits& limits, std::uint64_t& tried);

/// Vectors of the same kinds. @return a value for each of the leaves, and as many assignments
std::vector<std::uint64_t> random_values(const Terms& terms, const LeafFormats& formats,
                                         const std::vector<NodeId>& leaves, std::size_t assignments,
                                         std::uint64_t seed);

/// What the kernel's own graph gives in one element for such values; leaves without one are +0.
/// @param element  of the result, row by row
std::uint64_t replayed(const RunKernel& kernel, const Result& result, std::uint64_t element, Terms& terms,
                       const LeafValues& values);

/// "A[m,3]".
std::string leaf_name(const Terms& terms, NodeId leaf);

} // namespace discern::programs
