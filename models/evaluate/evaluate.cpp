// The machine-integer evaluator: runs a unit block by block in the narrowest integers that provably fit.
#include "models/evaluate.hpp"

#include "plan_reader.hpp"

#include <stdexcept>

namespace discern {

struct Evaluator::Impl : integer::Plan {
    using integer::Plan::Plan;
};

Evaluator::Evaluator(const Unit& unit) : impl_(std::make_unique<const Impl>(unit)) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

const Unit& Evaluator::unit() const { return impl_->unit; }

namespace {

using integer::Block;
using integer::Machine;
using integer::Plan;
using integer::PlanReader;
using integer::Rounded;
using integer::Width;

template <typename Int>
bool run_block(const Plan& plan, const Block& block, Rounded& d) {
    PlanReader<Int> reader(plan);
    return Machine<Int, PlanReader<Int>>(reader, block).round(plan.nodes.back(), d);
}

Rounded run_block(const Plan& plan, const Block& block) {
    Rounded d;
    if (plan.width == Width::i64 && run_block<wide::i64>(plan, block, d)) return d;
    if (plan.width == Width::i128 && run_block<wide::i128>(plan, block, d)) return d;
    if (plan.width != Width::big && run_block<wide::Medium>(plan, block, d)) return d;
    run_block<wide::Big>(plan, block, d);
    return d;
}

std::uint64_t result_bits(const Plan& plan, const Decoded& d) {
    if (d.number_class == NumberClass::nan) {
        switch (plan.unit.nan.kind) {
        case NanRule::Kind::pattern: return plan.unit.nan.bits;
        case NanRule::Kind::any: return quiet_nan(*plan.d);
        case NanRule::Kind::propagate: break;
        }
    }
    return pack(*plan.d, d);
}

} // namespace

std::uint64_t Evaluator::operator()(const Inputs& in) const {
    const Plan& plan = *impl_;
    const Unit& unit = plan.unit;
    const auto K = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales());
    if (in.a.size() != K || in.b.size() != K || in.sa.size() != scales || in.sb.size() != scales)
        throw std::logic_error("Evaluator: the inputs have the wrong sizes");

    integer::Buffer<Decoded, 256> room(4 * plan.L);
    Block block(plan, in, room.data());
    for (std::size_t first = 0; first < K; first += plan.L) {
        block.read(in, first);
        block.c = stored(plan, run_block(plan, block));
        block.c_format = plan.d;
    }
    if (unit.place == AccumulatorPlace::last) block.c = add_last(plan, block.c, decode(*plan.c, in.c));
    return result_bits(plan, block.c);
}

bool same_result(const Unit& unit, std::uint64_t d1, std::uint64_t d2) {
    if (d1 == d2) return true;
    const Format& d = format(unit.d);
    return unit.nan.kind == NanRule::Kind::any && decode(d, d1).number_class == NumberClass::nan &&
           decode(d, d2).number_class == NumberClass::nan;
}

} // namespace discern
