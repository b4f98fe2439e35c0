// What is done with each element of a vector, in each lane.
#pragma once

#include "decode.hpp"

#include <algorithm>
#include <array>

namespace discern::programs::amd {

/// The elements of a type: how many, bytes of one, and its bits.
struct Elements {
    std::uint64_t count = 1, bytes = 0, bits = 0;
    explicit Elements(const llir::Type& type)
        : count(type.elements()), bytes(type.element().size), bits(type.element().count) {}
};

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
void each_element(Workgroup& group, const Step& step, const llir::Type& type, const Act& act) {
    const Elements made(type);
    const std::size_t count = std::min(step.operands.size(), most_operands);
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        for (std::uint64_t j = 0; j < made.count; ++j) {
            ElementOperands operands;
            for (std::size_t i = 0; i < count; ++i) {
                const std::span<const Code> codes = group.codes(step.operands[i], lane);
                const Elements given(*step.written->operands[i].type);
                operands[i] = codes.subspan((given.count == made.count ? j : 0) * given.bytes, given.bytes);
            }
            act(operands, into.subspan(j * made.bytes, made.bytes));
        }
    });
}

} // namespace discern::programs::amd
