// mma.sync: fragments as the PTX ISA's figures of mma.m16n8k… and mma.m8n8k4 with f64 have them.
//
// With g = lane / 4 and t = lane % 4, and E elements in a register: register r of A has row g + 8 (r mod 2) and columns
// t·E + e + (r div 2)·4E; of B rows t·E + e + r·4E and column g; elements i of C and D have row g + 8 (i div 2) and
// column 2t + i mod 2.
#include "tile.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

/// Bytes of an element, and of a register of a fragment.
struct ElementType {
    std::string_view name;
    unsigned bytes, register_bytes;
};
constexpr ElementType element_types[] = {{"f16", 2, 4}, {"bf16", 2, 4}, {"tf32", 4, 4}, {"f32", 4, 4},
                                         {"f64", 8, 8}, {"e4m3", 1, 4}, {"e5m2", 1, 4}};

const ElementType& element_type(std::string_view name) {
    const auto found = std::find_if(std::begin(element_types), std::end(element_types),
                                    [&](const ElementType& t) { return t.name == name; });
    if (found == std::end(element_types)) throw Error(sentence("matrices of ", excerpt(name), " are not read"));
    return *found;
}

/// mode: m, n, k, bytes of an element of A and B, of their registers, of an element of D, of C.
struct Mma {
    ShapeOfTile shape;
    unsigned element, register_bytes, d, c;
    explicit Mma(const Step& step)
        : shape{step.mode[0], step.mode[1], step.mode[2]}, element(step.mode[3]), register_bytes(step.mode[4]),
          d(step.mode[5]), c(step.mode[6]) {}
    unsigned in_register() const { return register_bytes / element; }
};

/// Elements of the accumulator that a register has, and where one is.
struct Accumulator {
    unsigned element, rows;
    unsigned register_bytes() const { return element == 8 ? 8 : 4; }
    unsigned in_register() const { return register_bytes() / element; }
    std::pair<unsigned, unsigned> place(unsigned lane, unsigned i) const {
        const unsigned g = lane / 4, t = lane % 4;
        return rows == 16 ? std::pair(g + 8 * (i / 2), 2 * t + i % 2) : std::pair(g, 2 * t + i);
    }
};

void gather(Block& block, const Step& step, const Mma& mma, unsigned warp, Tile& tile) {
    Code room[8];
    for (unsigned l = 0; l < lanes_of_warp; ++l) {
        const unsigned lane = warp * lanes_of_warp + l, g = l / 4, t = l % 4, e_count = mma.in_register();
        const auto each = [&](const Place& place, unsigned element, unsigned register_bytes, const auto& put) {
            for (unsigned r = 0; r < place.registers.size(); ++r) {
                block.codes(place.registers[r], lane, {room, register_bytes});
                for (unsigned e = 0; e < register_bytes / element; ++e)
                    put(r, e, block.graph().of_codes({room + e * element, element}));
            }
        };
        each(step.operands[1], mma.element, mma.register_bytes, [&](unsigned r, unsigned e, NodeId node) {
            const unsigned row = mma.shape.m == 16 ? g + 8 * (r % 2) : g, part = mma.shape.m == 16 ? r / 2 : r;
            tile.a[row * mma.shape.k + t * e_count + e + part * 4 * e_count] = node;
        });
        each(step.operands[2], mma.element, mma.register_bytes, [&](unsigned r, unsigned e, NodeId node) {
            tile.b[g * mma.shape.k + t * e_count + e + r * 4 * e_count] = node;
        });
        const Accumulator c{mma.c, mma.shape.m};
        each(step.operands[3], c.element, c.register_bytes(), [&](unsigned r, unsigned e, NodeId node) {
            const auto [row, column] = c.place(l, r * c.in_register() + e);
            tile.c[row * mma.shape.n + column] = node;
        });
    }
}

void run(Block& block, const Step& step) {
    const Mma mma(step);
    const Accumulator d{mma.d, mma.shape.m};
    const unsigned size = d.register_bytes(), registers = static_cast<unsigned>(step.operands[0].registers.size());
    std::vector<Code> result(std::size_t(block.lanes()) * size * registers, 0);
    Tile tile(mma.shape.m, mma.shape.n, mma.shape.k);
    for (unsigned warp = 0; warp < block.warps(); ++warp) {
        if (!block.whole_group(warp, lanes_of_warp)) continue;
        gather(block, step, mma, warp, tile);
        multiply(block.graph(), step.operations[0], step.operations[1], mma.d, tile);
        for (unsigned l = 0; l < lanes_of_warp; ++l)
            for (unsigned i = 0; i < registers * d.in_register(); ++i) {
                const auto [row, column] = d.place(l, i);
                const std::size_t lane = warp * lanes_of_warp + l, r = i / d.in_register(), e = i % d.in_register();
                block.graph().to_codes(tile.d[row * mma.shape.n + column],
                                       std::span(result).subspan((r * block.lanes() + lane) * size + e * mma.d, mma.d));
            }
    }
    for (unsigned r = 0; r < registers; ++r)
        block.put_codes(
            step.operands[0].registers[r],
            std::span(result).subspan(std::size_t(r) * block.lanes() * size, std::size_t(block.lanes()) * size), size);
}

void require_registers(const Step& step, std::size_t operand, unsigned elements, unsigned in_register) {
    if (step.operands[operand].registers.size() * in_register * lanes_of_warp != elements)
        throw Error(sentence("its operand ", operand + 1, " has ", step.operands[operand].registers.size(),
                             " registers; ", elements / in_register / lanes_of_warp, " are right"));
}

void decode(Decoder& decoder, const Instruction& at, Step& step) {
    const ShapeOfTile shape = shape_of_tile(at);
    const std::size_t parts = at.parts.size();
    const bool is_other_kind = at.has_prefix("kind::") && !at.has("kind::f8f6f4");
    if (at.has_prefix("sp") || at.has("block_scale") || is_other_kind || parts < 9 || step.operands.size() != 4)
        throw Error("this form of mma is not read");
    const std::string_view d = at.parts[parts - 4], a = at.parts[parts - 3], b = at.parts[parts - 2],
                           c = at.parts[parts - 1];
    const ElementType &type_a = element_type(a), &type_b = element_type(b), &type_c = element_type(c),
                      &type_d = element_type(d);
    if (is_of_quad_pairs(shape, a)) return decode_quad_pairs(decoder, at, step);
    const bool is_f64 = a == "f64";
    if (shape.n != 8 || (shape.m != 16 && !(shape.m == 8 && is_f64)) || type_a.bytes != type_b.bytes ||
        !at.has("row") || !at.has("col"))
        throw Error("this form of mma is not read");
    step.mode = {shape.m, shape.n, shape.k, type_a.bytes, type_a.register_bytes, type_d.bytes, type_c.bytes};
    const unsigned in_register = type_a.register_bytes / type_a.bytes;
    require_registers(step, 0, shape.m * shape.n, Accumulator{type_d.bytes, shape.m}.in_register());
    require_registers(step, 1, shape.m * shape.k, in_register);
    require_registers(step, 2, shape.n * shape.k, in_register);
    require_registers(step, 3, shape.m * shape.n, Accumulator{type_c.bytes, shape.m}.in_register());
    step.operations = {
        unit_operation(decoder, sentence("mma.m", shape.m, "n", shape.n, "k", shape.k, ".", d, ".", a, ".", b, ".", c)),
        row_operation(decoder)};
    step.run = run;
}

} // namespace

std::span<const Opcode> mma_opcodes() {
    static constexpr Opcode opcodes[] = {{"mma", decode}};
    return opcodes;
}

} // namespace discern::programs
