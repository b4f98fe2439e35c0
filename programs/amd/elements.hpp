// What is done with each element of a vector, in each lane.
#pragma once

#include "decode.hpp"

#include <algorithm>
#include <array>

namespace discern::programs::amd {

/// Makes the result in each lane that runs: make(lane, bytes of the result).
template <typename Make>
void each_lane(Workgroup& group, const Step& step, const Make& make) {
    std::vector<Code>& room = group.room(step.result);
    const std::uint64_t size = group.bytes(step.result);
    for (unsigned lane = 0; lane < group.lanes(); ++lane)
        if (group.is_active(lane)) make(lane, std::span(room).subspan(lane * size, size));
    group.put(step.result);
}

constexpr std::size_t most_operands = 4;
using ElementOperands = std::array<std::span<const Code>, most_operands>;

/// Calls act(operands, result) for each element of the lanes that run. Operands of one element count for all.
template <typename Act>
void each_element(Workgroup& group, const Step& step, const Act& act) {
    const llir::Type& type = *step.written->type;
    const std::uint64_t bytes = type.element().size;
    const std::size_t count = std::min(step.operands.size(), most_operands);
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        for (std::uint64_t j = 0; j < type.elements(); ++j) {
            ElementOperands operands;
            for (std::size_t i = 0; i < count; ++i) {
                const std::span<const Code> codes = group.codes(step.operands[i], lane);
                const llir::Type& given = *step.written->operands[i].type;
                const std::uint64_t size = given.element().size;
                operands[i] = codes.subspan((given.elements() == type.elements() ? j : 0) * size, size);
            }
            act(operands, into.subspan(j * bytes, bytes));
        }
    });
}

/// A function of some operands, as a node or a constant.
inline void apply(Workgroup& group, OpId op, const ElementOperands& operands, std::size_t count,
                  std::span<Code> result) {
    NodeId arguments[most_operands];
    for (std::size_t i = 0; i < count; ++i) arguments[i] = group.graph().of_codes(operands[i]);
    group.graph().to_codes(group.apply(op, result.size(), {arguments, count}), result);
}

/// Of each element the function that is the first operation, of all operands.
inline void apply_each(Workgroup& group, const Step& step) {
    each_element(group, step, [&](const ElementOperands& operands, std::span<Code> result) {
        apply(group, step.operations[0], operands, step.operands.size(), result);
    });
}

} // namespace discern::programs::amd
