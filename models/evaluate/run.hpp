// The loop over all blocks of a unit, which every walk over a plan shares.
#pragma once

#include "plan.hpp"

#include <stdexcept>

namespace discern::integer {

/// d as the unit gives it: NaN by its rule.
inline std::uint64_t result_bits(const Plan& plan, const Decoded& d) {
    if (d.number_class == NumberClass::nan) {
        switch (plan.unit.nan.kind) {
        case NanRule::Kind::pattern: return plan.unit.nan.bits;
        case NanRule::Kind::any: return quiet_nan(*plan.d);
        case NanRule::Kind::propagate:
        case NanRule::Kind::rdna: break;
        }
    }
    return pack(*plan.d, d);
}

/// @param run_block  gives the Rounded of a block; called with each, and the index of its first element in plan.order
template <typename RunBlock>
std::uint64_t run_blocks(const Plan& plan, const Inputs& in, RunBlock run_block) {
    const Unit& unit = plan.unit;
    const auto K = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales());
    if (in.a.size() != K || in.b.size() != K || in.sa.size() != scales || in.sb.size() != scales)
        throw std::logic_error("the inputs of a unit have the wrong sizes");
    Buffer<Decoded, 256> room(4 * plan.L);
    Block block(plan, in, room.data());
    for (std::size_t first = 0; first < K; first += plan.L) {
        block.read(in, first);
        block.c = stored(plan, run_block(block, first));
        block.c_format = plan.d;
    }
    if (unit.place == AccumulatorPlace::last) block.c = add_last(plan, block.c, decode(*plan.c, in.c));
    return result_bits(plan, block.c);
}

} // namespace discern::integer
