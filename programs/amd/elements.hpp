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

/// The number that codes are, if they are known.
inline bool to_word(std::span<const Code> codes, std::uint64_t& word) {
    word = 0;
    for (std::size_t i = 0; i < codes.size(); ++i) {
        if (!is_known(codes[i])) return false;
        if (i < 8) word |= std::uint64_t(codes[i]) << (8 * i);
    }
    return true;
}
inline void from_word(std::uint64_t word, std::span<Code> codes) {
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = i < 8 ? (word >> (8 * i)) & 255 : 0;
}

constexpr std::size_t most_operands = 4;
using ElementOperands = std::array<std::span<const Code>, most_operands>;

/// Calls act(operands, result) for each element of the lanes that run. Operands of one element count for all.
template <typename Act>
void each_element(Workgroup& group, const Step& step, const llir::Type& type, const Act& act) {
    const Elements made(type);
    const std::size_t count = std::min(step.operands.size(), most_operands);
    std::vector<Code>& room = group.room(step.result);
    const std::uint64_t all = made.count * made.bytes;
    for (unsigned lane = 0; lane < group.lanes(); ++lane) {
        if (!group.is_active(lane)) continue;
        for (std::uint64_t j = 0; j < made.count; ++j) {
            ElementOperands operands;
            for (std::size_t i = 0; i < count; ++i) {
                const std::span<const Code> codes = group.codes(step.operands[i], lane);
                const Elements given(*step.written->operands[i].type);
                operands[i] = codes.subspan((given.count == made.count ? j : 0) * given.bytes, given.bytes);
            }
            act(operands, std::span(room).subspan(lane * all + j * made.bytes, made.bytes));
        }
    }
    group.put(step.result);
}

} // namespace discern::programs::amd
