// From the PTX ISA's sections on matrix descriptors and canonical layouts: bits 0-13 are the start address, 16-29 the
// leading and 32-45 the stride byte offset, each divided by 16; the swizzle mode is in bits 62-63, of tcgen05 in 61-63.
// A swizzle atom is 8 rows of 16, 32, 64 or 128 bytes, in which address bits 4-6 are exchanged by bits 7-9. Kinds whose
// other formats are bytes take a contiguous set of 16 elements of 4 or 6 bits, followed by 8 or 4 bytes of padding.
#include "descriptor.hpp"

#include "tile.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::programs {

namespace {

/// Bytes of a row of an atom, by the mode of tcgen05, which has twice wgmma's numbers in other order.
unsigned span_of(std::uint64_t descriptor, bool is_blackwell) {
    constexpr unsigned of_hopper[] = {16, 128, 64, 32};
    constexpr unsigned of_blackwell[] = {16, 0, 128, 0, 64, 0, 32, 0};
    const unsigned span = is_blackwell ? of_blackwell[descriptor >> 61 & 7] : of_hopper[descriptor >> 62 & 3];
    if (span == 0)
        throw Error(sentence("its descriptor has swizzle mode ", descriptor >> 61 & 7, ", which is not read"));
    return span;
}

} // namespace

void read_shared(Block& block, const SharedOperand& operand, std::vector<NodeId>& into) {
    const std::uint64_t d = operand.descriptor;
    const auto field = [&](unsigned at) { return (d >> at & 0x3fff) << 4; };
    const std::uint64_t start = field(0), leading = field(16), stride = field(32);
    // Bits 46-48 are the constant 1 of tcgen05.
    if ((d >> 14 & 3) != 0 || (d >> 30 & 3) != 0 || (operand.is_blackwell && (d >> 46 & 7) != 1))
        throw Error("its descriptor has bits that the ISA leaves to itself");
    if ((d >> 49 & 7) != 0) throw Error("a descriptor with a base offset is not read");
    if (operand.rows_are_near && operand.bits % 8 != 0) throw Error("transposed elements of 4 or 6 bits are not read");
    const unsigned span = span_of(d, operand.is_blackwell);
    const std::uint64_t mask = span / 16 - 1;
    for (unsigned row = 0; row < operand.rows; ++row)
        for (unsigned k = 0; k < operand.k; ++k) {
            // The place along the direction in which elements lie side by side, in bytes, and the other one.
            const std::uint64_t index = operand.rows_are_near ? row : k;
            const std::uint64_t near_bits =
                operand.is_padded ? index / 16 * 128 + index % 16 * operand.bits : index * operand.bits;
            const std::uint64_t near = near_bits / 8;
            const std::uint64_t far = operand.rows_are_near ? k : row;
            const std::uint64_t across = operand.rows_are_near == (span == 16) ? stride : leading;
            const std::uint64_t along = operand.rows_are_near == (span == 16) ? leading : stride;
            const std::uint64_t offset = operand.rows_are_near || span == 16
                                             ? near % span + near / span * across + far % 8 * span + far / 8 * along
                                             : near + far % 8 * span + far / 8 * stride;
            std::uint64_t address = with_rank(start + offset, operand.lane / block.threads());
            address ^= (address >> 7 & mask) << 4;
            const Code* bytes = block.shared(address, (near_bits % 8 + operand.bits + 7) / 8, operand.lane,
                                             operand.is_blackwell ? Access::tensor_read : Access::product_read);
            into[row * operand.k + k] = element_at(block, bytes, near_bits % 8, operand.bits);
        }
}

} // namespace discern::programs
