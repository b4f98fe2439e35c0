// The machine-integer evaluator: runs a unit block by block in the narrowest integers that provably fit.
#include "models/evaluate.hpp"

#include "plan_reader.hpp"
#include "run.hpp"

namespace discern {

struct Evaluator::Impl : integer::Plan {
    using integer::Plan::Plan;
};

Evaluator::Evaluator(const Unit& unit) : impl_(std::make_shared<const Impl>(unit)) {}

const Unit& Evaluator::unit() const { return impl_->unit; }

namespace {

using integer::Machine;
using integer::PlanReader;

template <typename Int>
bool run_block(const integer::Plan& plan, const integer::Block& block, integer::Rounded& d) {
    PlanReader<Int> reader(plan);
    return Machine<Int, PlanReader<Int>>(reader, block).round(plan.nodes.back(), d);
}

integer::Rounded run_block(const integer::Plan& plan, const integer::Block& block) {
    using integer::Width;
    integer::Rounded d;
    if (plan.width == Width::i64 && run_block<wide::i64>(plan, block, d)) return d;
    if (plan.width == Width::i128 && run_block<wide::i128>(plan, block, d)) return d;
    if (plan.width != Width::big && run_block<wide::Medium>(plan, block, d)) return d;
    run_block<wide::Big>(plan, block, d);
    return d;
}

} // namespace

std::uint64_t Evaluator::operator()(const Inputs& in) const {
    return run_blocks(*impl_, in, [&](const integer::Block& block, std::size_t) { return run_block(*impl_, block); });
}

bool same_result(const Unit& unit, std::uint64_t d1, std::uint64_t d2) {
    if (d1 == d2) return true;
    const Format& d = format(unit.d);
    return unit.nan.kind == NanRule::Kind::any && decode(d, d1).number_class == NumberClass::nan &&
           decode(d, d2).number_class == NumberClass::nan;
}

} // namespace discern
