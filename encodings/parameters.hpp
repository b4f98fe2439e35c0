// The parameters of a space as terms: variables whose values pick a member.
//
// Each parameter that has several values is a variable, the index of its value; a condition says which combinations are
// members. A unit is a space of one member, and has no variables.
#pragma once

#include "encodings/graph/pick.hpp"
#include "encodings/graph/term.hpp"
#include "models/parametric/structure.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace discern {

class ParameterTerms {
  public:
    /// Those of one member.
    ParameterTerms(Terms& t, const parametric::Structure& structure, const parametric::Assignment& member);
    /// Those of all members of some boxes of the structure, at least one.
    /// @param prefix  of the names of the variables: another space of the same graph has another one
    ParameterTerms(Terms& t, const parametric::Structure& structure, std::span<const parametric::Box> boxes,
                   const std::string& prefix);

    /// The values of a parameter, as the structure's tables give them.
    const Pick<int>& at(parametric::Slot slot) const { return picks_[slot]; }
    /// Whether the variables are those of a member (1 bit).
    Term is_member() const { return is_member_; }
    /// The variable of each parameter, which is the index of its value; nothing for a parameter with a single value.
    std::span<const std::optional<Term>> variables() const { return variables_; }

  private:
    std::vector<Pick<int>> picks_;
    std::vector<std::optional<Term>> variables_;
    Term is_member_;
};

/// The format of the results of one rounding: the rounding's own, or one that contains all the possible ones.
/// @param formats  FormatIds
/// @param d        the unit's format of results, which is preferred
const Format& result_format(const Pick<int>& formats, FormatId d);

} // namespace discern
