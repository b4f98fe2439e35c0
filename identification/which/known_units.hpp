// The units that have names, for a shape: what `which` looks among, and by what `identify` calls what it finds.
//
// Those of the catalogue and the instructions of CPUs; besides, these at another K, and chained. A loop
// `s += a[k] * b[k]` is a fused multiply-add whose result is the next one's addend, and its inputs may be of a narrower
// format than the instruction's, whose numbers they are all the same.
#pragma once

#include "models/shape.hpp"
#include "models/space.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace discern {

struct KnownUnits {
    std::vector<Member> units;             ///< with texts that every command takes as a UNIT
    std::vector<std::string> names;        ///< of each, as people say it: "x86/fma.f32, chained"
    std::vector<std::string> assumed = {}; ///< what is said of the shape to make it theirs, a sentence each

    /// The text of the unit of that name; the name itself if it is none of ours.
    const std::string& text_of(const std::string& name) const;
};

/// Of these formats, scale blocks and K; those of the catalogue with that very shape first.
KnownUnits known_units(const Shape& shape);

/// Units of a wider d whose results are rounded to the shape's, to nearest even, and units with a c, which is +0: what
/// libraries compute that return the operands' type. For observations whose c, if they have one, is +0. Their texts are
/// those of kernels, `UNIT@[K=16 d=bf16:rne]`.
KnownUnits rounded_units(const Shape& shape);

/// The shapes of those units: another d, which holds all numbers of this one, or none and another c.
std::vector<Shape> wider_shapes(const Shape& shape);

/// What is then said of the shape. @param adds  c was +0 @param converts  d was rounded
std::vector<std::string> rounding_assumed(const Shape& shape, bool adds, bool converts);

/// The members of spaces that a user gives, as --space has them.
/// @param whose  the shape is, in errors: "the target"
/// @throws Error if a space cannot be read, has too many members, or one of another shape
std::vector<Member> members_of_spaces(const std::vector<std::string>& spaces, const Shape& shape,
                                      std::string_view whose);

} // namespace discern
