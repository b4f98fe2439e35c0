// A list of exclusions: parameters and formats that no kernel implements.
#include "fits.hpp"

#include "models/format.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace discern::fast {

namespace {

using enum parametric::OwnerKind;

constexpr std::pair<parametric::OwnerKind, std::string_view> rare[] = {
    {fuse, "sticky"},    {fuse, "plus"},       {fuse, "frame"},      {fuse, "step"},
    {product, "infnan"}, {product, "nanzero"}, {product, "infzero"}, {child, "less"}};

bool holds_accumulator(const Unit& unit) {
    const auto fits = [](FormatId id) { return id != FormatId::f64 && format(id).is_signed; };
    return (fits(*unit.c) && fits(unit.d)) || (*unit.c == FormatId::f64 && unit.d == FormatId::f64);
}

} // namespace

bool is_usual(const Unit& unit) {
    if (!unit.c || unit.nan.keeps_operands() || !holds_accumulator(unit)) return false;
    if (is_by_fields(unit.a) || is_by_fields(unit.b) || is_by_fields(unit.d) || is_by_fields(*unit.c)) return false;
    return std::none_of(std::begin(rare), std::end(rare),
                        [&](const auto& one) { return has_unusual(unit.tree, one.first, one.second); });
}

} // namespace discern::fast
