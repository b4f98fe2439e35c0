// Units of different shapes as one question: what each of them computes on inputs that all of them can be given.
//
// A compiler that replaces one instruction by another asks about two units whose operands are not the same: one has
// scales, one has wider operands, one has twice the K. There is an input for both all the same: scales are 1 where one
// side has none, an operand has the narrowest of the formats and is converted to the others, which hold all its
// numbers, and K is the least common multiple, over which each side is chained. The common form writes every side as
// a unit of these inputs, so that whatever asks about units of one shape asks about these too. What had to be assumed
// is said in sentences; where nothing exact is possible there is no common form, and the sentence says why.
#pragma once

#include "families.hpp"
#include "kernel.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace discern {

/// One side of a question, as a person named it.
struct NamedKernel {
    std::string name;
    Kernel kernel;
};

struct CommonForm {
    Shape shape;                           ///< of the inputs, and of d
    std::vector<Kernel> kernels = {};      ///< the sides as kernels of that shape
    std::vector<Kernel> own = {};          ///< the sides with their own operands, chained over the same K
    std::vector<std::string> assumed = {}; ///< a sentence each; empty: the sides are of one shape as they are
};

/// @param d  what all results are rounded to, if their formats are not this one; nothing: they must be of one format
/// @throws Error with a sentence that says what cannot be made common, and what would be right
CommonForm common_form(std::vector<NamedKernel> sides, const std::optional<Conversion>& d = std::nullopt);

/// The inputs of a side's own operands that inputs of the common form stand for.
InputBuffer own_inputs(const CommonForm& form, std::size_t side, const Inputs& common);

/// Whether every number of `inner`, its infinities, NaN and zeros are ones of `outer` too. Fixed point is only in
/// itself.
bool embeds(const Format& outer, const Format& inner);
/// The same number as a pattern of a format in which `inner` embeds. A NaN is quiet and keeps its sign.
std::uint64_t embedded(const Format& outer, const Format& inner, std::uint64_t pattern);

} // namespace discern
