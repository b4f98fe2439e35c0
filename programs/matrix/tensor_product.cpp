// tcgen05.mma: products whose accumulators, and scales, lie in tensor memory.
//
// From the PTX ISA's sections on the instruction descriptor (its bits are named below), on the data paths, and on scale
// factors: with M = 128 row r of D is lane r; with M = 64 it is lane 32 (r div 16) + r mod 16. The scales of row r are
// bytes of lane r mod 32 and column r div 32, from the byte on that the descriptor names.
#include "descriptor.hpp"
#include "models/catalogue.hpp"
#include "tensor_memory.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

/// A format of operands, by its number in the descriptor, and its bits.
struct NumberedFormat {
    std::string_view name;
    unsigned bits = 0;
};
using Formats = std::array<NumberedFormat, 6>;
constexpr Formats half_formats = {{{"f16", 16}, {"bf16", 16}}}, word_formats = {{{}, {}, {"tf32", 32}}},
                  narrow_formats = {{{"e4m3", 8}, {"e5m2", 8}, {}, {"e2m3", 6}, {"e3m2", 6}, {"e2m1", 4}}},
                  packed_formats = {{{}, {"e2m1", 4}}};

/// A kind of product: bits from an element to the next, products, formats, and scales of a row.
struct ProductKind {
    std::string_view name, vector;
    unsigned slot, k;
    const Formats& formats;
    unsigned scales = 0;
};
constexpr ProductKind kinds[] = {{"kind::f16", "", 16, 16, half_formats},
                                 {"kind::tf32", "", 32, 8, word_formats},
                                 {"kind::f8f6f4", "", 8, 32, narrow_formats},
                                 {"kind::mxf8f6f4", "scale_vec::1X", 8, 32, narrow_formats, 1},
                                 {"kind::mxf4", "scale_vec::2X", 4, 64, packed_formats, 2},
                                 {"kind::mxf4nvf4", "scale_vec::2X", 4, 64, packed_formats, 2},
                                 {"kind::mxf4nvf4", "scale_vec::4X", 4, 64, packed_formats, 4}};

/// What the instruction descriptor says.
struct Described {
    NumberedFormat a, b;
    unsigned d = 4, m = 0, n = 0;
    bool a_transposed, b_transposed;
    std::string_view scale;            ///< its format
    unsigned scale_a = 0, scale_b = 0; ///< the first byte of scales
};

Described described(std::uint64_t bits, const ProductKind& kind) {
    const auto field = [&](unsigned at, unsigned width) {
        return static_cast<unsigned>(bits >> at & ((1u << width) - 1));
    };
    if (field(2, 1) != 0) throw Error("a sparse product is not read");
    if (field(13, 2) != 0) throw Error("negated operands are not read");
    const auto format = [&](unsigned at) {
        const unsigned number = field(at, 3);
        if (number >= kind.formats.size() || kind.formats[number].name.empty())
            throw Error(sentence("its descriptor has format ", number, ", which is not read"));
        return kind.formats[number];
    };
    Described what{.a = format(7),
                   .b = format(10),
                   .a_transposed = field(15, 1) != 0,
                   .b_transposed = field(16, 1) != 0,
                   .scale = ""};
    what.n = field(17, 6) * 8;
    if (kind.scales == 0) {
        if (field(4, 2) > 1)
            throw Error(sentence("its descriptor has accumulator format ", field(4, 2), ", which is not read"));
        what.d = field(4, 2) == 1 ? 4 : 2;
        what.m = field(24, 5) * 16;
    } else {
        what.m = field(27, 2) * 128;
        what.scale = field(23, 1) != 0 ? "ue8m0" : "ue4m3";
        what.scale_a = field(29, 2);
        what.scale_b = field(4, 2);
    }
    if ((what.m != 64 && what.m != 128) || what.n == 0 || what.n > 256)
        throw Error(sentence("a product of ", what.m, " by ", what.n, " is not read"));
    return what;
}

/// The unit. Which one is known only from the descriptor.
OpId operation_of(Block& block, const Described& what, const ProductKind& kind) {
    std::string name = sentence(architecture_of(block.machine().program.sm), "/tcgen05.mma.m", what.m, "n8k", kind.k);
    if (kind.scales != 0) name += sentence(".block", kind.k / kind.scales);
    name += sentence(what.d == 4 ? ".f32." : ".f16.", what.a.name, ".", what.b.name);
    if (kind.scales != 0) name += sentence(".", what.scale);
    if (find_entry(name) == nullptr) throw Error(sentence("the catalogue has no unit ", name));
    return block.graph().operation(name, Kind::unit);
}

/// Where a matrix begins in tensor memory, and which lane each row is.
struct TensorMatrix {
    std::uint64_t lane, column;
    unsigned m;
    TensorMatrix(std::uint64_t address, unsigned rows)
        : lane(address >> 16 & 0xffff), column(address & 0xffff), m(rows) {}
    Code* at(Block& block, unsigned row, std::uint64_t offset) const {
        return tensor_cell(block, lane + (m == 128 ? row : row / 16 * 32 + row % 16), column + offset);
    }
    /// The same, of what that thread's product reads.
    const Code* read(Block& block, unsigned row, std::uint64_t offset, unsigned thread) const {
        const Code* cell = at(block, row, offset);
        block.waits.read_cell(thread, cell_number(block, cell), true);
        return cell;
    }
};

void read_a(Block& block, const Step& step, const ProductKind& kind, const Described& what, unsigned lane, Tile& tile) {
    const Place& operand = step.operands[1];
    if (!operand.is_address)
        return read_shared(block,
                           {block.values(operand.reg(), "the descriptor")[lane], what.m, kind.k, what.a.bits,
                            what.a.bits < kind.slot, what.a_transposed, true, lane},
                           tile.a);
    // The ISA shows where such an element lies in its byte only in a picture.
    if (what.a.bits < kind.slot) throw Error(sentence("A of ", what.a.name, " in tensor memory is not read"));
    const TensorMatrix place(block.addresses(operand)[lane], what.m);
    for (unsigned row = 0; row < what.m; ++row)
        for (unsigned i = 0; i < kind.k; ++i) {
            const unsigned bit = i * kind.slot;
            tile.a[row * kind.k + i] =
                element_at(block, place.read(block, row, bit / 32, lane) + bit / 8 % 4, bit % 8, what.a.bits);
        }
}

void read_scales(Block& block, const Place& operand, unsigned lane, unsigned rows, unsigned scales, unsigned first,
                 std::vector<NodeId>& into) {
    const std::uint64_t address = block.addresses(operand)[lane];
    if (first + scales > 4) throw Error("its scales begin behind the end of their column");
    into.resize(std::size_t(rows) * scales);
    for (unsigned row = 0; row < rows; ++row)
        for (unsigned s = 0; s < scales; ++s) {
            const Code* cell = tensor_cell(block, (address >> 16 & 0xffff) + row % 32, (address & 0xffff) + row / 32);
            block.waits.read_cell(lane, cell_number(block, cell), true);
            into[row * scales + s] = block.graph().of_codes({cell + first + s, 1});
        }
}

void multiply_tensors(Block& block, const Step& step) {
    const auto& kind = *static_cast<const ProductKind*>(step.rule);
    const unsigned lane = block.only_lane();
    const Place& enable = step.operands.back();
    const Described what = described(block.values(step.operands[3].reg(), "the descriptor")[lane], kind);
    const bool accumulates = (block.values(enable.reg(), "whether it accumulates")[lane] != 0) != enable.is_negated;
    Tile tile(what.m, what.n, kind.k);
    read_a(block, step, kind, what, lane, tile);
    read_shared(block,
                {block.values(step.operands[2].reg(), "the descriptor")[lane], what.n, kind.k, what.b.bits,
                 what.b.bits < kind.slot, what.b_transposed, true, lane},
                tile.b);
    if (kind.scales != 0) {
        read_scales(block, step.operands[4], lane, what.m, kind.scales, what.scale_a, tile.sa);
        read_scales(block, step.operands[5], lane, what.n, kind.scales, what.scale_b, tile.sb);
    }
    const TensorMatrix d(block.addresses(step.operands[0])[lane], what.m);
    const NodeId zero = block.graph().constant(0, what.d);
    for (unsigned row = 0; row < what.m; ++row)
        for (unsigned column = 0; column < what.n; ++column)
            tile.c[row * what.n + column] =
                accumulates ? block.graph().of_codes({d.read(block, row, column, lane), what.d}) : zero;
    multiply(block, operation_of(block, what, kind), step.operations[0], what.d, tile);
    for (unsigned row = 0; row < what.m; ++row)
        for (unsigned column = 0; column < what.n; ++column) {
            std::fill_n(d.at(block, row, column), 4, 0);
            block.waits.product_in_cell(lane, cell_number(block, d.at(block, row, column)));
            block.graph().to_codes(tile.d[row * what.n + column], {d.at(block, row, column), what.d});
        }
}

} // namespace

void decode_tensor_product(Decoder& decoder, const Instruction& at, Step& step) {
    const auto kind = std::find_if(std::begin(kinds), std::end(kinds), [&](const ProductKind& k) {
        const bool is_default = !at.has_prefix("scale_vec::") && k.name != "kind::mxf4nvf4";
        return at.has(k.name) && (k.scales == 0 || at.has(k.vector) || is_default);
    });
    if (kind == std::end(kinds) || !at.has("cta_group::1") || at.has("ws") || at.has("sp") ||
        at.has_prefix("block_scale") != (kind->scales != 0) || step.operands.size() != (kind->scales == 0 ? 5u : 7u) ||
        !step.operands[0].is_address)
        throw Error("this form of tcgen05.mma is not read");
    step.rule = &*kind;
    step.operations = {row_operation(decoder)};
    if (architecture_of(decoder.program().sm) != "blackwell")
        throw Error(sentence("sm_", decoder.program().sm, " has no tcgen05"));
    step.run = multiply_tensors;
}

} // namespace discern::programs
