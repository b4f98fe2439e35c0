// Questions about units of different shapes (models/common_form.hpp): the sides are written for common inputs, and
// neither how that is done nor what is answered is taken for granted.
//
// Each side in the common form is compared with the side itself, on its own operands, by vectors that aim at
// differences (challenge.hpp), before anything is asked. Each witness is computed once more by the sides themselves.
#pragma once

#include "models/common_form.hpp"
#include "models/vectors.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace discern {

/// The common form, in which each side gives its own results on some thousand vectors.
/// @throws Error as common_form does
/// @throws std::logic_error that names a report in `reports` if one does not
CommonForm checked_common_form(std::vector<NamedKernel> sides, const std::optional<Conversion>& d,
                               const std::filesystem::path& reports = ".");

/// The same of units.
struct CommonUnits {
    CommonForm form;
    std::vector<Unit> units; ///< in the common form
};
CommonUnits common_units(const std::vector<std::pair<std::string, Unit>>& sides, const std::optional<Conversion>& d,
                         const std::filesystem::path& reports = ".");

/// Has a side compute inputs of the common form on its own operands, in machine integers and exactly.
/// @throws std::logic_error if it does not give this result
void require_own_result(const CommonForm& form, std::size_t side, const Vector& inputs, std::uint64_t d);

/// The same of all sides, whose results the vector has.
void require_own_results(const CommonForm& form, const Vector& vector);

} // namespace discern
