// What a kernel's elements are, up to the names of their rows and columns: terms, in a graph that several kernels
// share.
//
// An element's index of an axis of the result becomes the axis's letter: A[3,17] in D[3,5] is A[m,17]. Sums and
// products lose the order of their two operands, maxima and minima all order. So equal terms are the same computation,
// and two elements, or two kernels, that have one term compute the same bits from the same operands.
#pragma once

#include "programs/graph/graph.hpp"
#include "programs/launch/run.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace discern::programs {

/// In the arguments of a leaf: the index is that of the result's element.
inline constexpr std::uint32_t own_index = ~0u;

/// The graph of terms. Its leaves are operations named "A:km", of an array and its letters in alphabetical order; their
/// arguments are the indices.
struct Terms {
    Graph graph;
    std::map<std::string, std::string, std::less<>>
        axes{};                      ///< of an array, as the first launch that has it orders them
    bool merges_equal_units = false; ///< units of one arithmetic have the name of the catalogue's first

    /// The operation of an array's elements.
    OpId leaf_operation(const ArraySpec& array);
    /// The name of a unit's operation.
    std::string unit_name(const std::string& name) const;
    static std::string_view array_name(std::string_view operation) { return operation.substr(0, operation.rfind(':')); }
    static std::string_view letters(std::string_view operation) { return operation.substr(operation.rfind(':') + 1); }
};

/// The terms of the elements of one result.
struct FoldedResult {
    struct Class {
        NodeId term = 0;
        std::uint64_t first = 0, count = 0; ///< elements
    };
    std::string name;
    std::vector<std::uint32_t> shape;
    std::string axes;
    std::vector<NodeId> elements; ///< the term of each
    std::vector<Class> classes;   ///< different terms, in the order of their first elements
};

/// @throws Error if an element depends on bytes that nothing has written
FoldedResult fold(const RunKernel& kernel, const Result& result, Terms& terms);

} // namespace discern::programs
