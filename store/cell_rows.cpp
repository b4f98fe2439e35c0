// See cell_rows.hpp.
#include "cell_rows.hpp"

#include "models/error.hpp"
#include "models/evaluate.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace discern::store {

namespace {

/// In which any NaN counts as one where the unit says so.
std::vector<std::uint64_t> results(const Unit& unit, std::span<const Vector> vectors) {
    const Evaluator evaluate(unit);
    const Format& d = format(unit.d);
    std::vector<std::uint64_t> row;
    for (const Vector& v : vectors) {
        row.push_back(evaluate(v.inputs()));
        if (d.has_nan() && same_result(unit, row.back(), quiet_nan(d))) row.back() = quiet_nan(d);
    }
    return row;
}

} // namespace

void require_rows(std::span<const Unit* const> units, const InputLimits& limits, const CellAnswer& answer) {
    for (const Vector& v : answer.vectors)
        if (!limits.none() && !allows(limits, *units.front(), v.inputs())) throw Error("a vector is beyond the limits");
    std::vector<bool> seen(units.size(), false);
    std::set<std::vector<std::uint64_t>> classes; // their results
    for (const auto& one : answer.classes) {
        std::optional<std::vector<std::uint64_t>> first;
        for (const std::size_t position : one) {
            if (seen.at(position)) throw Error("a unit is in two classes");
            seen[position] = true;
            const std::vector<std::uint64_t> row = results(*units[position], answer.vectors);
            if (!first) first = row;
            if (row != *first) throw Error("its vectors tell units of one class apart");
        }
        if (!first || !classes.insert(*first).second) throw Error("its vectors do not tell all classes apart");
    }
    if (std::find(seen.begin(), seen.end(), false) != seen.end()) throw Error("a unit is in no class");
}

} // namespace discern::store
