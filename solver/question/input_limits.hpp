// Which inputs a question is about: all bit patterns, unless a person asks for less.
#pragma once

#include "encodings/encode.hpp"
#include "models/places.hpp"

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace discern {

enum class Operand : std::uint8_t { a, b, sa, sb, c };
inline constexpr std::array all_operands = {Operand::a, Operand::b, Operand::sa, Operand::sb, Operand::c};

/// Exponents that the non-zero patterns of one operand may have; a subnormal has emin. Infinities and NaN have none,
/// and are excluded with the rest.
struct ExponentRange {
    Operand operand = Operand::a;
    int low = 0, high = 0;
};

/// Numbers that one operand may have, both ends included; zeros of both signs are one number. Infinities and NaN are
/// excluded. Ends that the operand's format lacks are no trouble: every number of ours is a double, and so is a bound
/// that was rounded inwards to one.
struct NumberRange {
    Operand operand = Operand::a;
    double low = 0, high = 0;
};

struct InputLimits {
    bool finite = false; ///< no infinity or NaN in any input, scales included
    std::vector<ExponentRange> ranges = {};
    std::vector<NumberRange> numbers = {};
    bool no_subnormals = false; ///< in any input, scales included; zeros remain

    bool none() const { return !finite && !no_subnormals && ranges.empty() && numbers.empty(); }
};

/// Reads "a:-14..15,c:-30..30". @throws Error with a sentence
std::vector<ExponentRange> parse_ranges(std::string_view text);

inline constexpr std::array<std::string_view, 5> operand_names = {"a", "b", "sa", "sb", "c"}; // in the order of Operand
constexpr std::string_view name(Operand operand) { return operand_names[static_cast<std::size_t>(operand)]; }
/// Nothing: the unit has no such operand.
inline const Format* format_of(const Unit& unit, Operand operand) {
    switch (operand) {
    case Operand::a: return &format(unit.a);
    case Operand::b: return &format(unit.b);
    case Operand::sa:
    case Operand::sb: return unit.scale ? &format(unit.scale->format) : nullptr;
    case Operand::c: break;
    }
    return unit.c ? &format(*unit.c) : nullptr;
}
/// The patterns of an operand that is there: of Inputs, of a Vector, or terms.
template <typename T, typename All>
std::span<T> row_of(All& all, Operand operand) {
    switch (operand) {
    case Operand::a: return all.a;
    case Operand::b: return all.b;
    case Operand::sa: return all.sa;
    case Operand::sb: return all.sb;
    case Operand::c: break;
    }
    if constexpr (requires { *all.c; })
        return {&*all.c, 1};
    else
        return {&all.c, 1};
}
/// The operand of that name. Nothing if there is none
std::optional<Operand> operand_from_name(std::string_view text);

/// @throws Error if a range is of an operand that the unit does not have, or if no input is left, since no
/// pattern of some operand's format is within all limits. The sentence names a smallest set of limits that exclude each
/// other.
void require_operands(const InputLimits& limits, const Unit& unit);

/// What the limits leave of the numbers of one operand.
PlaceSet numbers_left(const InputLimits& limits, Operand operand, const Format& format);
/// Whether that is all they leave: no infinity and no NaN.
bool is_finite(const InputLimits& limits, Operand operand);

/// Whether these inputs are within the limits.
bool allows(const InputLimits& limits, const Unit& unit, const Inputs& inputs);

/// The same as a term (1 bit).
Term allowed(Terms& t, const InputLimits& limits, const Unit& unit, const InputTerms& inputs);

} // namespace discern
