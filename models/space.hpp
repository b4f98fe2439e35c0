// Spaces: units with choices instead of parameters. A space is the set of hypotheses for an unknown unit.
//
// A space is written like a unit with overrides, except that a value may be a choice in braces of its own:
// `hopper/wgmma.m64n8k16.f32.f16.f16{F={22..26},round={f32:rz|f32:rne},c={early|late}}`. Its members are the units that
// picking one value of every choice gives, and are read as any other unit with overrides. Grammar: docs/notation.md.
#pragma once

#include "unit.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern {

/// A key of an override, and the values to pick from: at least one, all different, ranges spelled out.
struct Choice {
    std::string key;
    std::vector<std::string> values;
};

class Space {
  public:
    /// Reads a space; a plain unit, with or without overrides, is a space of one member.
    /// @throws Error for a wrong unit, key, range or form; for a space whose first values, also with any one
    /// of them replaced, make no unit; and for a value that makes none together with the first values of the others,
    /// also with any one of these replaced
    static Space parse(std::string_view text);

    /// The text before the braces.
    const std::string& base() const { return base_; }
    /// All settings, in the order of writing; those with one value are no real choice.
    const std::vector<Choice>& choices() const { return choices_; }
    /// How many combinations there are, members or not; 2^64 − 1 if there are more than that.
    std::uint64_t size() const;

    /// The pick of each choice that is the n-th combination (0 ≤ n < size()); the last choice changes fastest.
    std::vector<std::size_t> picks(std::uint64_t n) const;
    /// The unit, validated; nothing where the combination is not a unit (L does not divide K, carry with exact).
    /// @param picks  an index into the values of each choice. @throws std::logic_error if there is no such
    std::optional<Unit> member(std::span<const std::size_t> picks) const;
    /// The member as a person writes it: the base with overrides in braces, all settings in the order of writing.
    std::string member_text(std::span<const std::size_t> picks) const;

  private:
    Unit resolve(std::span<const std::size_t> picks) const;
    std::string braces(std::span<const std::size_t> picks) const;
    bool repair(std::vector<std::size_t>& picks, std::size_t fixed) const;
    void require_useful_values() const;

    std::string base_;
    std::optional<Unit> written_out_; ///< the base, read, if it is a whole-unit line
    std::vector<Choice> choices_;
};

/// The spaces that an argument of a program means: the space itself, or with `@FILE` all those in a file, one a line;
/// empty lines and everything from a '#' on are comments.
/// @throws Error that names file and line
std::vector<Space> read_spaces(std::string_view argument);

/// A unit of a space, and how it is written.
struct Member {
    std::string text;
    Unit unit;
};

/// All members of all spaces, space by space, in the order of picks().
/// @param most  the largest number of combinations that is acceptable. @throws Error if there are more
std::vector<Member> members(std::span<const Space> spaces, std::uint64_t most = 1'000'000);

/// The unit, and the units that differ from it in one parameter, which has a value next to the unit's: a number one
/// less and one more (a length half and twice as large), each other word. Those that are the same tree are left out.
/// @throws Error if there is no such unit
std::vector<Member> members_around(const std::string& unit);

/// Whether a unit is written with a choice in the place of a value, as {F={22..26}}: then it is a space.
bool has_choices(std::string_view text);

} // namespace discern
