// mfma, wmma and dot products: which element of a matrix each lane holds, from AMD's ISA documents.
//
// mfma, of blocks of M × N: lane l has row (column) l mod M of A (B), and of its registers' elements i the k
// i + items · (l / M / blocks), in block l / M mod blocks. D: j is the lane modulo N; four rows of i follow each other
// in registers, then come lanes, then registers again. wmma: of a wave of 32 lanes as the two generations have it.
#include "elements.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/matrix/tile.hpp"

#include <charconv>

namespace discern::programs::amd {

namespace {

using llir::Instruction;

/// Formats as intrinsics write them, and as the catalogue's names of units do.
struct ElementName {
    std::string_view intrinsic, unit;
    unsigned bytes;
};
constexpr ElementName element_names[] = {
    {"f16", "f16", 2},         {"bf16", "bf16", 2},      {"bf16.1k", "bf16", 2},    {"f32", "f32", 4},
    {"xf32", "xf32", 4},       {"f64", "f64", 8},        {"fp8.fp8", "fp8_fp8", 1}, {"fp8.bf8", "fp8_bf8", 1},
    {"bf8.fp8", "bf8_fp8", 1}, {"bf8.bf8", "bf8_bf8", 1}};

/// A product of matrices in the registers of a wave. numbers: m, n, k, blocks, bytes of an element of A and B, of C and
/// D, and the layout.
enum class Layout : std::uint8_t { mfma, mfma_f64, runs_of_16, wmma_twice, wmma };
struct Product {
    unsigned m, n, k, blocks, element, sum;
    Layout layout;
    explicit Product(const Step& step)
        : m(step.numbers[0]), n(step.numbers[1]), k(step.numbers[2]), blocks(step.numbers[3]), element(step.numbers[4]),
          sum(step.numbers[5]), layout(static_cast<Layout>(step.numbers[6])) {}
    unsigned lanes() const { return layout == Layout::wmma || layout == Layout::wmma_twice ? 32 : 64; }
    /// Elements of A in a lane, and of D.
    unsigned items() const { return layout == Layout::wmma_twice ? k : m * k * blocks / lanes(); }
    unsigned results() const { return m * n * blocks / lanes(); }

    struct Place {
        unsigned block, row, column;
    };
    /// Row, or column of B, and k of element i of a lane.
    Place operand(unsigned lane, unsigned i) const {
        const unsigned across = lane / m;
        switch (layout) {
        case Layout::wmma_twice: return {0, lane % m, i};
        case Layout::runs_of_16: return {0, lane % m, 16 * across + i % 16 + i / 16 * (k / 2)};
        case Layout::wmma:
        case Layout::mfma:
        case Layout::mfma_f64: break;
        }
        return {across % blocks, lane % m, across / blocks * items() + i};
    }
    Place result(unsigned lane, unsigned i) const {
        if (layout == Layout::wmma_twice) return {0, 2 * i + lane / 16, lane % 16};
        if (layout == Layout::wmma) return {0, i + lane / 16 * 8, lane % 16};
        if (layout == Layout::mfma_f64) return {lane / n % blocks, n == 4 ? lane / 16 : 4 * i + lane / 16, lane % n};
        if (n == 4) return {lane / 4, i, lane % 4};
        const unsigned across = lanes() / n, in_block = m * n / lanes();
        return {i / in_block, i % in_block / 4 * 4 * across + lane / n * 4 + i % 4, lane % n};
    }
};

void gather(Workgroup& group, const Step& step, const Product& product, unsigned first, std::size_t operand,
            std::vector<Tile>& tiles) {
    constexpr NodeId missing = ~NodeId(0);
    for (Tile& tile : tiles)
        std::fill((operand == 0 ? tile.a : tile.b).begin(), (operand == 0 ? tile.a : tile.b).end(), missing);
    for (unsigned lane = 0; lane < product.lanes(); ++lane) {
        const auto codes = group.codes(step.operands[operand], first + lane);
        for (unsigned i = 0; i < product.items(); ++i) {
            const NodeId node =
                group.graph().of_codes(codes.subspan(std::size_t(i) * product.element, product.element));
            const auto at = product.operand(lane, i);
            Tile& tile = tiles[at.block];
            NodeId& into = (operand == 0 ? tile.a : tile.b)[at.row * product.k + at.column];
            if (into != missing && into != node) throw Error("lanes that must hold the same elements do not");
            into = node;
        }
    }
}

void multiply_matrices(Workgroup& group, const Step& step) {
    const Product product(step);
    if (group.wave() != product.lanes()) throw Error(sentence("waves of ", group.wave(), " lanes are not read here"));
    std::vector<Code>& room = group.room(step.result);
    const std::size_t all = group.bytes(step.result);
    std::vector<Tile> tiles(product.blocks, Tile(product.m, product.n, product.k));
    for (unsigned wave = 0; wave < group.waves(); ++wave) {
        if (!group.whole_wave(wave)) continue;
        const unsigned first = wave * group.wave();
        gather(group, step, product, first, 0, tiles);
        gather(group, step, product, first, 1, tiles);
        for (const bool reads : {true, false}) {
            for (unsigned lane = 0; lane < product.lanes(); ++lane)
                for (unsigned i = 0; i < product.results(); ++i) {
                    const auto at = product.result(lane, i);
                    const std::size_t place = at.row * product.n + at.column, byte = std::size_t(i) * product.sum;
                    if (reads)
                        tiles[at.block].c[place] = group.graph().of_codes(
                            group.codes(step.operands[2], first + lane).subspan(byte, product.sum));
                    else
                        group.graph().to_codes(tiles[at.block].d[place],
                                               std::span(room).subspan((first + lane) * all + byte, product.sum));
                }
            if (reads)
                for (Tile& tile : tiles)
                    multiply(group.graph(), step.operations[0], step.operations[1], product.sum, tile);
        }
    }
    group.put(step.result);
}

OpId unit_operation(Decoder& decoder, std::string_view name) {
    const std::string whole = sentence(decoder.architecture(), "/", name);
    if (find_entry(whole) == nullptr) throw Error(sentence("the catalogue has no unit ", whole));
    return decoder.operation(whole, Kind::unit);
}

void require_bytes(const Instruction& at, std::size_t operand, unsigned bytes) {
    if (at.operands[operand].type->size != bytes)
        throw Error(sentence("its operand ", operand + 1, " (from 1) has ", at.operands[operand].type->size, " bytes; ",
                             bytes, " are right"));
}

void finish(Decoder& decoder, const Instruction& at, Step& step, std::string_view unit) {
    const Product product(step);
    for (const std::size_t operand : {0, 1}) require_bytes(at, operand, product.items() * product.element);
    require_bytes(at, 2, product.results() * product.sum);
    if (at.type->size != at.operands[2].type->size) throw Error("its result has another size than its accumulator");
    step.operands.resize(3);
    step.operations = {unit_operation(decoder, unit), decoder.operation("row", Kind::row)};
    step.run = multiply_matrices;
}

/// 32x32x8 at the beginning of a text, which loses it.
std::array<unsigned, 3> shape_of(std::string_view& text) {
    std::array<unsigned, 3> shape{};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), shape[i]);
        if (error != std::errc() || shape[i] == 0 || shape[i] > 128) throw Error("its shape is missing");
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (i < 2 && !text.starts_with("x")) throw Error("its shape is missing");
        if (i < 2) text.remove_prefix(1);
    }
    return shape;
}

/// amdgcn.mfma.f32.32x32x8f16, amdgcn.mfma.f32.16x16x32.fp8.fp8
void decode_mfma(Decoder& decoder, const Instruction& at, Step& step) {
    require_operands(at, 6);
    std::string_view text = at.what.substr(std::string_view("llvm.amdgcn.mfma.").size());
    const std::string_view sum = text.substr(0, text.find('.'));
    text.remove_prefix(std::min(sum.size() + 1, text.size()));
    const auto [m, n, k] = shape_of(text);
    if (text.starts_with(".")) text.remove_prefix(1);
    const auto element = std::find_if(std::begin(element_names), std::end(element_names),
                                      [&](const ElementName& e) { return e.intrinsic == text; });
    if ((sum != "f32" && sum != "f64") || element == std::end(element_names))
        throw Error("this matrix instruction is not read");
    for (std::size_t i = 3; i < 6; ++i)
        if (constant(at, i) != 0) throw Error("cbsz, abid and blgp that are not 0 are not read");
    const unsigned items = static_cast<unsigned>(at.operands[0].type->size) / element->bytes,
                   blocks = items * 64 / (m * k);
    if (m != n || (m != 4 && m != 16 && m != 32) || blocks == 0 || blocks > 16)
        throw Error("this matrix instruction is not read");
    step.numbers = {m,
                    n,
                    k,
                    blocks,
                    element->bytes,
                    sum == "f64" ? 8u : 4u,
                    static_cast<std::uint32_t>(sum == "f64" ? Layout::mfma_f64 : Layout::mfma)};
    // Until CDNA2 the assembler's names are those of the intrinsics.
    std::string unit = sentence("v_mfma_", sum, "_", m, "x", n, "x", k);
    if (decoder.architecture() == "cdna1" || decoder.architecture() == "cdna2")
        unit += element->intrinsic == "bf16.1k" ? "bf16_1k" : std::string(element->unit);
    else
        unit += (blocks > 1 ? sentence("_", blocks, "b_") : "_") + std::string(element->unit);
    finish(decoder, at, step, unit);
}

/// The formats of f8f6f4 by their number.
constexpr std::string_view small_formats[] = {"fp8", "bf8"};

/// Without scales: if both are 0, the instruction that is made has none.
void decode_scaled(Decoder& decoder, const Instruction& at, Step& step) {
    require_operands(at, 9);
    std::string_view text = at.what.substr(std::string_view("llvm.amdgcn.mfma.scale.f32.").size());
    const auto [m, n, k] = shape_of(text);
    const std::uint32_t a = constant(at, 3), b = constant(at, 4);
    if (!text.starts_with(".f8f6f4") || m != n || (m != 16 && m != 32) || a > 1 || b > 1)
        throw Error("this matrix instruction is not read; of f8f6f4 fp8 and bf8 are");
    for (std::size_t i = 5; i < 9; ++i)
        if (at.operands[i].kind != llir::Operand::Kind::constant || at.operands[i].number() != 0)
            throw Error("scales are not read: AMD's documents do not say which k a scale of fp8 belongs to");
    step.numbers = {m, n, k, 1, 1, 4, static_cast<std::uint32_t>(Layout::runs_of_16)};
    finish(decoder, at, step,
           sentence("v_mfma_f32_", m, "x", n, "x", k, "_f8f6f4.", small_formats[a], ".", small_formats[b]));
}

/// amdgcn.wmma.f32.16x16x16.f16.v8f32.v16f16
void decode_wmma(Decoder& decoder, const Instruction& at, Step& step) {
    require_operands(at, 3);
    std::string_view text = at.what.substr(std::string_view("llvm.amdgcn.wmma.").size());
    if (!text.starts_with("f32.16x16x16.")) throw Error("this matrix instruction is not read");
    text.remove_prefix(std::string_view("f32.16x16x16.").size());
    const ElementName* element = nullptr;
    for (const ElementName& name : element_names)
        if (text.starts_with(name.intrinsic) &&
            (text.size() == name.intrinsic.size() || text[name.intrinsic.size()] == '.'))
            element = &name;
    if (element == nullptr) throw Error("this matrix instruction is not read");
    const bool is_twice = at.operands[0].type->size == 16u * element->bytes;
    step.numbers = {
        16, 16, 16, 1, element->bytes, 4, static_cast<std::uint32_t>(is_twice ? Layout::wmma_twice : Layout::wmma)};
    const bool has_waves =
        decoder.architecture() == "rdna4" && element->bytes == 2; // k in another order for each length of waves
    finish(decoder, at, step,
           sentence("v_wmma_f32_16x16x16_", element->unit, has_waves ? sentence(".wave", decoder.wave()) : ""));
}

/// A sum of two or four products in each lane.
void dot(Workgroup& group, const Step& step) {
    const std::size_t element = step.numbers[0], count = 4 / element;
    each_lane(group, step, [&](unsigned lane, std::span<Code> into) {
        NodeId rows[2];
        for (std::size_t operand = 0; operand < 2; ++operand) {
            std::array<NodeId, 4> elements{};
            for (std::size_t i = 0; i < count; ++i)
                elements[i] =
                    group.graph().of_codes(group.codes(step.operands[operand], lane).subspan(i * element, element));
            rows[operand] = group.graph().node(step.operations[1], 0, {elements.data(), count});
        }
        const NodeId arguments[3] = {rows[0], rows[1], group.graph().of_codes(group.codes(step.operands[2], lane))};
        group.graph().to_codes(group.graph().node(step.operations[0], 4, arguments), into);
    });
}

struct DotRow {
    std::string_view intrinsic, unit;
    unsigned bytes;
};
constexpr DotRow dots[] = {{"amdgcn.fdot2", "v_dot2_f32_f16", 2},
                           {"amdgcn.fdot2.f32.bf16", "v_dot2_f32_bf16", 2},
                           {"amdgcn.dot4.f32.fp8.fp8", "v_dot4_f32_fp8_fp8", 1},
                           {"amdgcn.dot4.f32.fp8.bf8", "v_dot4_f32_fp8_bf8", 1},
                           {"amdgcn.dot4.f32.bf8.fp8", "v_dot4_f32_bf8_fp8", 1},
                           {"amdgcn.dot4.f32.bf8.bf8", "v_dot4_f32_bf8_bf8", 1}};

void decode_dot(Decoder& decoder, const Instruction& at, Step& step) {
    const auto row = std::find_if(std::begin(dots), std::end(dots),
                                  [&](const DotRow& d) { return d.intrinsic == at.what.substr(5); });
    if (row == std::end(dots)) throw Error("this intrinsic is not read");
    require_operands(at, 3);
    for (const std::size_t operand : {0, 1, 2}) require_bytes(at, operand, 4);
    if (at.operands.size() > 3 && constant(at, 3) != 0) throw Error("a sum that is clamped is not read");
    step.operands.resize(3);
    step.numbers = {row->bytes};
    step.operations = {unit_operation(decoder, row->unit), decoder.operation("row", Kind::row)};
    step.run = dot;
}

} // namespace

std::span<const Opcode> matrix_intrinsics() {
    static constexpr Opcode opcodes[] = {{"amdgcn.mfma", decode_mfma},
                                         {"amdgcn.mfma.scale", decode_scaled},
                                         {"amdgcn.wmma", decode_wmma},
                                         {"amdgcn.fdot2", decode_dot},
                                         {"amdgcn.dot4", decode_dot}};
    return opcodes;
}

} // namespace discern::programs::amd
