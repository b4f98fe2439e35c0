// Runs the units of a claim on one vector: on the fast evaluator, or on the exact oracle.
#include "claim.hpp"

namespace discern::property {

Models::Models(const std::vector<Unit>& units, Which which) : units_(units) {
    if (which == Which::evaluator)
        for (const Unit& unit : units_) evaluators_.emplace_back(unit);
}

std::uint64_t Models::operator()(std::size_t unit, const Vector& v) const {
    return evaluators_.empty() ? evaluate_exactly(units_[unit], v.inputs()) : evaluators_[unit](v.inputs());
}

} // namespace discern::property
