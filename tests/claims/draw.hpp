// Small units, variants of them, and spaces, at random.
//
// What a unit can say is read from the table of parameters (models/unit/parameters.hpp), so that a new parameter is
// drawn without a change here. Numbers are drawn around those at which they begin or cease to matter: exponents of the
// formats, ulps, precisions.
#pragma once

#include "claim.hpp"

#include "models/unit/parameters.hpp"

#include <optional>
#include <string>
#include <vector>

namespace discern::claims {

/// What a unit may be.
struct Size {
    int most_bits = 16;          ///< of one vector of inputs, scales not counted
    bool scales = true;          ///< may it have scale factors, and groups
    bool fixed_point = true;     ///< may operands and results be fixed point
    bool chains = true;          ///< may it have more than one block
    bool needs_c = false;        ///< must it have an accumulator
    bool special_values = false; ///< must every format have infinities and NaN
    /// May it have up to twelve elements, formats that units have, results of up to 25 bits, or be one of the catalogue
    /// with other parameters; whatever most_bits says.
    bool large = false;
};

/// A valid unit whose operands have few bits. Of all kinds of formats, with all attributes.
Unit draw_unit(Random& random, const Size& size);

/// The unit with one to three parameters changed, or its terms in another order; valid, and another line than the
/// unit's. Most changes are by one, or to what is next.
Unit draw_variant(Random& random, const Unit& unit);

/// Choices for the unit, one to five of them, as in `{F={3|4|exact},carry={wide|1}}`; nothing if none was found. Every
/// choice has a value that makes a unit together with the first values of the others.
std::optional<std::string> draw_choices(Random& random, const Unit& unit);

/// A format of few bits. @param widest  in bits, at least 3
FormatId draw_format(Random& random, int widest, bool fixed_point, bool special_values);

/// A value for the parameter of such a part of this unit.
int draw_value(Random& random, const parametric::Parameter& parameter, const Unit& unit);

/// All parts of the tree that have parameters, parents first.
std::vector<parametric::Owner> owners(Unit& unit);

/// Whether the unit is one: validate() accepts it.
bool is_valid(const Unit& unit);

/// The unit as reading its line gives it.
/// @throws Error if the line cannot be read, std::runtime_error if it is read as another unit: mistakes in the notation
Unit reread(const Unit& unit);

/// One of a list.
template <typename T>
const T& any_of(Random& random, const std::vector<T>& list) {
    return list[static_cast<std::size_t>(random.below(static_cast<int>(list.size())))];
}

} // namespace discern::claims
