// mma.sync: fragments as the PTX ISA's figures of mma.m16n8k…, and of mma.m8n8k… with f64 and integers, have them.
//
// With g = lane / 4 and t = lane % 4, and E elements in a register: register r of A has row g + 8 (r mod 2) and columns
// t·E + e + (r div 2)·4E; of B rows t·E + e + r·4E and column g; elements i of C and D have row g + 8 (i div 2) and
// column 2t + i mod 2.
#include "tile.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/functions/integer_unit.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

/// How an element lies in a register of a fragment: bits from one to the next, and which of them are its own.
struct ElementType {
    std::string_view name;
    unsigned slot, shift, width;
    unsigned register_bytes() const { return slot == 64 ? 8 : 4; }
    unsigned in_register() const { return register_bytes() * 8 / slot; }
};
constexpr ElementType element_types[] = {
    {"s8", 8, 0, 8},     {"u8", 8, 0, 8},    {"s4", 4, 0, 4},    {"u4", 4, 0, 4},
    {"b1", 1, 0, 1},     {"s32", 32, 0, 32}, {"f16", 16, 0, 16}, {"bf16", 16, 0, 16},
    {"tf32", 32, 0, 32}, {"f32", 32, 0, 32}, {"f64", 64, 0, 64}, {"e4m3", 8, 0, 8},
    {"e5m2", 8, 0, 8},   {"e3m2", 8, 0, 6},  {"e2m3", 8, 0, 6},  {"e2m1", 8, 2, 4}};
/// Of kinds with 64 products, two in a byte.
constexpr ElementType packed_e2m1{"e2m1", 4, 0, 4};

const ElementType& element_type(std::string_view name, unsigned k) {
    if (name == "e2m1" && k == 64) return packed_e2m1;
    const auto found = std::find_if(std::begin(element_types), std::end(element_types),
                                    [&](const ElementType& t) { return t.name == name; });
    if (found == std::end(element_types)) throw Error(sentence("matrices of ", excerpt(name), " are not read"));
    return *found;
}

/// An element of a register.
NodeId element_of(Block& block, const ElementType& type, std::span<const Code> codes, unsigned e) {
    const unsigned bit = e * type.slot + type.shift;
    return element_at(block, &codes[bit / 8], bit % 8, type.width);
}

/// What an instruction multiplies. mode: m, n, k, scales of a row, bytes of an element of D, of C.
struct Mma {
    ShapeOfTile shape;
    unsigned scales, d, c;
    const ElementType *a, *b;
    explicit Mma(const Step& step)
        : shape{step.mode[0], step.mode[1], step.mode[2]}, scales(step.mode[3]), d(step.mode[4]), c(step.mode[5]),
          a(&element_types[0] + step.mode[6]), b(&element_types[0] + step.mode[7]) {
        if (shape.k == 64) a = b = &packed_e2m1;
    }
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
        const unsigned lane = warp * lanes_of_warp + l, g = l / 4, t = l % 4;
        const auto each = [&](const Place& place, const ElementType& type, const auto& put) {
            for (unsigned r = 0; r < place.registers.size(); ++r) {
                const std::span<Code> codes(room, type.register_bytes());
                block.codes(place.registers[r], lane, codes);
                for (unsigned e = 0; e < type.in_register(); ++e) put(r, e, element_of(block, type, codes, e));
            }
        };
        const unsigned count = mma.a->in_register();
        each(step.operands[1], *mma.a, [&](unsigned r, unsigned e, NodeId node) {
            const unsigned row = mma.shape.m == 16 ? g + 8 * (r % 2) : g, part = mma.shape.m == 16 ? r / 2 : r;
            tile.a[row * mma.shape.k + t * count + e + part * 4 * count] = node;
        });
        each(step.operands[2], *mma.b, [&](unsigned r, unsigned e, NodeId node) {
            tile.b[g * mma.shape.k + t * count + e + r * 4 * count] = node;
        });
        const Accumulator c{mma.c, mma.shape.m};
        const ElementType type{"", mma.c * 8, 0, mma.c * 8};
        each(step.operands[3], type, [&](unsigned r, unsigned e, NodeId node) {
            const auto [row, column] = c.place(l, r * c.in_register() + e);
            tile.c[row * mma.shape.n + column] = node;
        });
    }
}

/// Scales: operand 4 and 6 have them, 5 and 7 the byte and the thread of each group of four that counts. Of A two
/// threads count, the first with the scales of row g, the second with those of row g + 8.
void gather_scales(Block& block, const Step& step, const Mma& mma, unsigned warp, Tile& tile) {
    const unsigned base = warp * lanes_of_warp;
    const auto chosen = [&](std::size_t operand, std::size_t which) {
        return static_cast<unsigned>(
            block.values(step.operands[operand].registers[which], "the choice of scales")[base] & 0xffff);
    };
    const auto fill = [&](std::size_t operand, unsigned lane, std::vector<NodeId>& into, unsigned row) {
        Code room[4];
        block.codes(step.operands[operand].reg(), lane, room);
        const unsigned byte = chosen(operand + 1, 0);
        if (byte + mma.scales > 4) throw Error("its scales begin behind the end of their register");
        for (unsigned s = 0; s < mma.scales; ++s)
            into[row * mma.scales + s] = block.graph().of_codes(std::span<const Code>(room).subspan(byte + s, 1));
    };
    const unsigned thread_a = chosen(5, 1), thread_b = chosen(7, 1);
    if (thread_a > 1 || thread_b > 3) throw Error("there is no such thread with scales");
    tile.sa.resize(std::size_t(mma.shape.m) * mma.scales);
    tile.sb.resize(std::size_t(mma.shape.n) * mma.scales);
    for (unsigned g = 0; g < 8; ++g) {
        fill(4, base + 4 * g + 2 * thread_a, tile.sa, g);
        fill(4, base + 4 * g + 2 * thread_a + 1, tile.sa, g + 8);
        fill(6, base + 4 * g + thread_b, tile.sb, g);
    }
}

void multiply_warp(Block& block, const Step& step) {
    const Mma mma(step);
    const Accumulator d{mma.d, mma.shape.m};
    const auto registers = static_cast<unsigned>(step.operands[0].registers.size());
    NewRegisters result(block, step.operands[0], d.register_bytes());
    Tile tile(mma.shape.m, mma.shape.n, mma.shape.k);
    block.each_warp([&](unsigned warp) {
        gather(block, step, mma, warp, tile);
        if (mma.scales > 0) gather_scales(block, step, mma, warp, tile);
        multiply(block, step.operations[0], step.operations[1], mma.d, tile);
        for (unsigned l = 0; l < lanes_of_warp; ++l)
            for (unsigned i = 0; i < registers * d.in_register(); ++i) {
                const auto [row, column] = d.place(l, i);
                const std::span<Code> into = result.at(i / d.in_register(), warp * lanes_of_warp + l);
                block.graph().to_codes(tile.d[row * mma.shape.n + column],
                                       into.subspan(i % d.in_register() * mma.d, mma.d));
            }
    });
    result.write();
}

void require_registers(const Step& step, std::size_t operand, unsigned elements, unsigned in_register) {
    if (step.operands[operand].registers.size() * in_register * lanes_of_warp != elements)
        throw Error(sentence("its operand ", operand + 1, " has ", step.operands[operand].registers.size(),
                             " registers; ", elements / in_register / lanes_of_warp, " are right"));
}

/// The kinds with scales: of how many products one is.
struct ScaledKind {
    std::string_view kind, vector;
    unsigned k, scales;
};
constexpr ScaledKind scaled_kinds[] = {{"kind::mxf8f6f4", "scale_vec::1X", 32, 1},
                                       {"kind::mxf4", "scale_vec::2X", 64, 2},
                                       {"kind::mxf4nvf4", "scale_vec::2X", 64, 2},
                                       {"kind::mxf4nvf4", "scale_vec::4X", 64, 4}};

/// Scales of a row; 0 of a kind without.
unsigned scales_of(const Instruction& at, unsigned k) {
    if (!at.has_prefix("kind::") || at.has("kind::f8f6f4")) return 0;
    for (const ScaledKind& kind : scaled_kinds) {
        const bool is_default = !at.has_prefix("scale_vec::") && kind.kind != "kind::mxf4nvf4";
        if (at.has(kind.kind) && (at.has(kind.vector) || is_default) && k == kind.k) return kind.scales;
    }
    throw Error("this form of mma is not read");
}

void require_scales(const Step& step) {
    for (const std::size_t operand : {std::size_t(4), std::size_t(6)})
        if (step.operands[operand].registers.size() != 1 || step.operands[operand + 1].registers.size() != 2)
            throw Error("its scales are not read");
}

/// What is computed with integers.
OpId integer_operation(Decoder& decoder, const Instruction& at, const ShapeOfTile& shape, std::string_view a,
                       std::string_view b) {
    const bool of_bits = a == "b1" || b == "b1";
    const std::string_view modifier = at.has("satfinite")        ? "satfinite"
                                      : of_bits && at.has("xor") ? "xor"
                                      : of_bits && at.has("and") ? "and"
                                                                 : "";
    const unsigned row_bits = shape.k * static_cast<unsigned>(a[1] - '0');
    if ((of_bits ? a != b || (modifier != "xor" && modifier != "and") : a[1] != b[1]) ||
        (row_bits != 128 && (row_bits != 256 || shape.m != 16)))
        throw Error("this form of mma is not read");
    return decoder.graph().operation(integer_unit_name(shape.k, a, b, modifier), Kind::unit);
}

void decode_mma(Decoder& decoder, const Instruction& at, Step& step) {
    const ShapeOfTile shape = shape_of_tile(at);
    const unsigned scales = scales_of(at, shape.k);
    // The types are the last modifiers; behind those of b1 stands .xor.popc or .and.popc.
    const std::size_t parts = at.parts.size() - (at.parts.back() == "popc" ? 2 : 0), types = scales == 0 ? 4 : 5;
    if (at.has_prefix("sp") || (at.has("block_scale") && scales == 0) || parts < types + 5 ||
        step.operands.size() != (scales == 0 ? 4u : 8u))
        throw Error("this form of mma is not read");
    const std::string_view d = at.parts[parts - types], a = at.parts[parts - types + 1],
                           b = at.parts[parts - types + 2], c = at.parts[parts - types + 3];
    std::string_view rounding; // other than to nearest
    for (const std::string_view other : {"rz", "rm", "rp"})
        if (at.has(other)) rounding = other;
    if (!rounding.empty() && a != "f64") throw Error("only products of f64 are rounded in another way");
    if (is_of_quad_pairs(shape, a)) return decode_quad_pairs(decoder, at, step);
    const ElementType &type_a = element_type(a, shape.k), &type_b = element_type(b, shape.k),
                      &type_c = element_type(c, 0), &type_d = element_type(d, 0);
    const auto is_integer = [](std::string_view type) { return type == "b1" || type[0] == 's' || type[0] == 'u'; };
    if (is_integer(a) != (d == "s32") || is_integer(b) != (d == "s32") || is_integer(c) != (d == "s32"))
        throw Error(sentence("matrices of ", excerpt(a), " with accumulators of ", excerpt(c), " are not read"));
    const bool may_be_small = a == "f64" || d == "s32";
    if (shape.n != 8 || (shape.m != 16 && !(shape.m == 8 && may_be_small)) || type_a.slot != type_b.slot ||
        !at.has("row") || !at.has("col"))
        throw Error("this form of mma is not read");
    const auto number = [](const ElementType& type) {
        return &type == &packed_e2m1 ? 0u : static_cast<std::uint32_t>(&type - &element_types[0]);
    };
    step.mode = {shape.m, shape.n, shape.k, scales, type_d.slot / 8, type_c.slot / 8, number(type_a), number(type_b)};
    require_registers(step, 0, shape.m * shape.n, Accumulator{type_d.slot / 8, shape.m}.in_register());
    require_registers(step, 1, shape.m * shape.k, type_a.in_register());
    require_registers(step, 2, shape.n * shape.k, type_b.in_register());
    require_registers(step, 3, shape.m * shape.n, Accumulator{type_c.slot / 8, shape.m}.in_register());
    if (d == "s32") {
        step.operations = {integer_operation(decoder, at, shape, a, b), row_operation(decoder)};
        step.run = multiply_warp;
        return;
    }
    std::string name = sentence("mma.m", shape.m, "n", shape.n, "k", shape.k);
    if (!rounding.empty()) name += sentence(".", rounding);
    if (scales > 0) name += sentence(".block", shape.k / scales);
    name += sentence(".", d, ".", a, ".", b);
    if (shape.k != 64 || scales == 0) name += sentence(".", c); // the catalogue names that of fp4 without c
    if (scales > 0) {
        require_scales(step);
        name += sentence(".", at.parts[parts - 1]);
    }
    step.operations = {unit_operation(decoder, name), row_operation(decoder)};
    step.run = multiply_warp;
}

} // namespace

std::span<const Opcode> mma_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"mma", decode_mma,
         "sync aligned m8n8k* m16n8k* row col rn rz rm rp satfinite kind::* block_scale scale_vec::* "
         "xor and popc b1 s4 u4 e2m1 e2m3 e3m2 ue8m0 ue4m3"},
    };
    return opcodes;
}

} // namespace discern::programs
