// wmma: matrices of a warp in fragments, of which the ISA says neither where elements lie nor in which order products
// are added.
//
// Here a fragment has its elements row by row, each again and again until the registers are full, or it has them in
// another order (FragmentOrder), so that a kernel whose results depend on it is found. That
// wmma.mma of f16 and bf16 is mma.m16n8k16 for each eight columns, with k in order, is what ptxas 12.9 and 13.4 make of
// it for sm_80 to sm_120, where two HMMA.16816 stand for m16n16k16; a kernel that has it says so. Integers are exact
// anyhow.
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/functions/integer_unit.hpp"
#include "tile.hpp"

#include <algorithm>

namespace discern::programs {

namespace {

constexpr std::string_view assumption = "wmma.mma is taken to be mma.m16n8k16 with k in order, as ptxas 12.9 and 13.4 "
                                        "compile it; PTX leaves the order open";

struct FragmentType {
    std::string_view name;
    unsigned bytes;
};
constexpr FragmentType fragment_types[] = {{"f16", 2}, {"bf16", 2}, {"f32", 4}, {"s8", 1}, {"u8", 1}, {"s32", 4}};

unsigned bytes_of(std::string_view name) {
    const auto found = std::find_if(std::begin(fragment_types), std::end(fragment_types),
                                    [&](const auto& t) { return t.name == name; });
    if (found == std::end(fragment_types)) throw Error(sentence("fragments of ", excerpt(name), " are not read"));
    return found->bytes;
}

using Order = FragmentOrder::Order;

/// What tells fragments apart whose elements may lie in other places.
struct FragmentKind {
    unsigned matrix = 0; ///< 1 of a, 2 of b, 3 of c and d
    bool by_columns = false;
    unsigned bytes = 0, rows = 0, columns = 0;
    std::size_t elements() const { return std::size_t(rows) * columns; }
    std::uint32_t number() const {
        return matrix << 28 | std::uint32_t(by_columns) << 27 | bytes << 20 | rows << 10 | columns;
    }
};

/// Its elements: by rows, in a cycle of all, or with the first two exchanged. Every order is made of the last two.
class ElementsInPlaces {
  public:
    ElementsInPlaces(Machine& machine, const FragmentKind& kind)
        : elements_(kind.elements()),
          order_(machine.fragment_order.kind == kind.number() ? machine.fragment_order.order : Order::by_rows) {
        machine.fragments.insert(kind.number());
    }
    std::size_t elements() const { return elements_; }
    std::size_t element_at(std::size_t place) const {
        const std::size_t at = place % elements_;
        if (order_ == Order::cycle) return (at + 1) % elements_;
        return order_ == Order::exchange && at < 2 ? 1 - at : at;
    }
    std::size_t place_of(std::size_t element) const {
        return order_ == Order::cycle ? (element + elements_ - 1) % elements_ : element_at(element);
    }

  private:
    std::size_t elements_;
    Order order_;
};

/// A fragment that is read.
class Fragment {
  public:
    Fragment(Block& block, const Place& list, const FragmentKind& kind)
        : block_(block), list_(list), bytes_(kind.bytes), places_(block.machine(), kind) {}

    NodeId get(unsigned warp, std::size_t element) const {
        Code room[4];
        const std::size_t in_register = 4 / bytes_, of_lane = list_.registers.size() * in_register,
                          place = places_.place_of(element), within = place % of_lane;
        block_.codes(list_.registers[within / in_register],
                     warp * lanes_of_warp + static_cast<unsigned>(place / of_lane), room);
        return block_.graph().of_codes({room + within % in_register * bytes_, bytes_});
    }

  private:
    Block& block_;
    const Place& list_;
    unsigned bytes_;
    ElementsInPlaces places_;
};

/// Registers of a fragment of all warps, before they are written.
class NewFragment {
  public:
    NewFragment(Block& block, const Place& list, const FragmentKind& kind)
        : list_(list), element_(kind.bytes), in_register_(4 / kind.bytes), places_(block.machine(), kind),
          registers_(block, list) {}

    /// @param code_of  fills in the bytes of an element
    template <typename CodeOf>
    void fill(unsigned warp, const CodeOf& code_of) {
        const std::size_t of_lane = list_.registers.size() * in_register_;
        for (std::size_t place = 0; place < of_lane * lanes_of_warp; ++place) {
            const std::size_t lane = warp * lanes_of_warp + place / of_lane, within = place % of_lane;
            code_of(places_.element_at(place),
                    registers_.at(within / in_register_, lane).subspan(within % in_register_ * element_, element_));
        }
    }
    void write() { registers_.write(); }

  private:
    const Place& list_;
    unsigned element_, in_register_;
    ElementsInPlaces places_;
    NewRegisters registers_;
};

/// mode of loads and stores: rows, columns, bytes of an element, whether columns lie side by side, space, which matrix.
constexpr std::string_view fragment_spaces[] = {"", "global", "shared"};

Code* element_in_memory(Block& block, const Step& step, unsigned warp, std::size_t element, Access what) {
    const bool loads = what == Access::read;
    const unsigned lane = warp * lanes_of_warp, columns = step.mode[1];
    const std::uint64_t row = element / columns, column = element % columns;
    const std::size_t stride_at = 2;
    const std::uint64_t stride = step.operands.size() > stride_at
                                     ? block.values(step.operands[stride_at].reg(), "the stride")[lane] & 0xffffffff
                                     : (step.mode[3] != 0 ? step.mode[0] : columns);
    const std::uint64_t offset = (step.mode[3] != 0 ? column * stride + row : row * stride + column) * step.mode[2];
    return block.at(fragment_spaces[step.mode[4]], block.addresses(step.operands[loads ? 1 : 0])[lane] + offset,
                    step.mode[2], lane, what);
}

FragmentKind kind_of_move(const Step& step) {
    const unsigned matrix = step.mode[5]; // c and d may be stored and loaded in either layout
    return {matrix, matrix < 3 && step.mode[3] != 0, step.mode[2], step.mode[0], step.mode[1]};
}

void load_fragment(Block& block, const Step& step) {
    NewFragment fragment(block, step.operands[0], kind_of_move(step));
    block.each_warp([&](unsigned warp) {
        fragment.fill(warp, [&](std::size_t element, std::span<Code> into) {
            std::copy_n(element_in_memory(block, step, warp, element, Access::read), into.size(), into.begin());
        });
    });
    fragment.write();
}

void store_fragment(Block& block, const Step& step) {
    const FragmentKind kind = kind_of_move(step);
    const Fragment fragment(block, step.operands[1], kind);
    block.each_warp([&](unsigned warp) {
        for (std::size_t element = 0; element < kind.elements(); ++element)
            block.graph().to_codes(fragment.get(warp, element),
                                   {element_in_memory(block, step, warp, element, Access::write), step.mode[2]});
    });
}

/// mode: m, n, k, bytes of an element of A and B, of D, of C, what the product is, whether A (1) and B (2) are by
/// columns.
void multiply_fragments(Block& block, const Step& step) {
    const unsigned m = step.mode[0], n = step.mode[1], k = step.mode[2];
    const bool a_by_columns = (step.mode[7] & 1) != 0, b_by_columns = (step.mode[7] & 2) != 0;
    const Fragment a(block, step.operands[1], {1, a_by_columns, step.mode[3], m, k}),
        b(block, step.operands[2], {2, b_by_columns, step.mode[3], k, n}),
        c(block, step.operands[3], {3, false, step.mode[5], m, n});
    NewFragment d(block, step.operands[0], {3, false, step.mode[4], m, n});
    Tile tile(m, n, k);
    block.each_warp([&](unsigned warp) {
        for (unsigned i = 0; i < m * k; ++i) tile.a[i] = a.get(warp, i);
        for (unsigned i = 0; i < n * k; ++i) tile.b[i % n * k + i / n] = b.get(warp, i);
        for (unsigned i = 0; i < m * n; ++i) tile.c[i] = c.get(warp, i);
        multiply(block, step.operations[0], step.operations[1], step.mode[4], tile);
        d.fill(warp, [&](std::size_t element, std::span<Code> into) { block.graph().to_codes(tile.d[element], into); });
    });
    d.write();
    if (step.mode[6] != 0) block.machine().assumptions.insert(std::string(assumption));
}

void require_places(const Step& step, std::size_t operand, std::size_t elements, unsigned bytes) {
    const std::size_t places = step.operands[operand].registers.size() * (4 / bytes) * lanes_of_warp;
    if (!step.operands[operand].is_list || places < elements || places % elements != 0)
        throw Error(
            sentence("its fragment of ", step.operands[operand].registers.size(), " registers does not fit its shape"));
}

void decode_move_of_fragment(const Instruction& at, Step& step) {
    const bool loads = at.parts[1] == "load";
    const ShapeOfTile shape = shape_of_tile(at);
    const char matrix = at.parts.size() > 2 && at.parts[2].size() == 1 ? at.parts[2][0] : ' ';
    if (std::string_view("abcd").find(matrix) == std::string_view::npos || (!at.has("row") && !at.has("col")))
        throw Error("this form of wmma is not read");
    const unsigned rows = matrix == 'b' ? shape.k : shape.m, columns = matrix == 'a' ? shape.k : shape.n;
    step.mode = {rows,
                 columns,
                 bytes_of(at.parts.back()),
                 at.has("col"),
                 at.has_prefix("shared") ? 2u
                 : at.has("global")      ? 1u
                                         : 0u,
                 matrix == 'a'   ? 1u
                 : matrix == 'b' ? 2u
                                 : 3u};
    if (step.operands.size() < 2 || !step.operands[loads ? 1 : 0].is_address) throw Error("its operands are not read");
    require_places(step, loads ? 0 : 1, std::size_t(rows) * columns, step.mode[2]);
    step.run = loads ? load_fragment : store_fragment;
}

void decode_wmma(Decoder& decoder, const Instruction& at, Step& step) {
    const std::string_view what = at.parts.size() > 1 ? at.parts[1] : "";
    if (what == "load" || what == "store") return decode_move_of_fragment(at, step);
    const ShapeOfTile shape = shape_of_tile(at);
    const std::size_t end = at.parts.size() - at.has("satfinite");
    const bool is_short = end > 2 && at.parts[end - 3].starts_with("m"); // of f16, whose type is not said
    if (what != "mma" || end < 8 || step.operands.size() != 4 || shape.m * shape.n != 256 || shape.k != 16)
        throw Error("this form of wmma is not read");
    const std::string_view d = at.parts[end - (is_short ? 2 : 4)], a = is_short ? "f16" : at.parts[end - 3],
                           b = is_short ? "f16" : at.parts[end - 2], c = at.parts[end - 1];
    step.mode = {shape.m, shape.n, shape.k, bytes_of(a), bytes_of(d), bytes_of(c)};
    const auto layouts = std::find_if(at.parts.begin(), at.parts.end(),
                                      [](std::string_view part) { return part == "row" || part == "col"; });
    if (at.parts.end() - layouts < 2) throw Error("the layouts of its operands are missing");
    step.mode[7] = (layouts[0] == "col" ? 1u : 0u) | (layouts[1] == "col" ? 2u : 0u);
    require_places(step, 0, 256, step.mode[4]);
    require_places(step, 1, std::size_t(shape.m) * shape.k, step.mode[3]);
    require_places(step, 2, std::size_t(shape.n) * shape.k, step.mode[3]);
    require_places(step, 3, 256, step.mode[5]);
    const bool is_integer = d == "s32";
    if (is_integer ? step.mode[3] != 1 || bytes_of(b) != 1 || c != d
                   : step.mode[3] != 2 || a != b || decoder.program().sm < 80 || at.has("satfinite"))
        throw Error("this form of wmma is not read");
    const OpId unit =
        is_integer ? decoder.graph().operation(integer_unit_name(shape.k, a, b, at.has("satfinite") ? "satfinite" : ""),
                                               Kind::unit)
                   : unit_operation(decoder, sentence("mma.m16n8k16.", d, ".", a, ".", b, ".", c));
    step.operations = {unit, row_operation(decoder)};
    step.mode[6] = !is_integer;
    step.run = multiply_fragments;
}

} // namespace

std::span<const Opcode> wmma_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"wmma", decode_wmma, "load store mma sync aligned a b c d m* row col global shared* satfinite"},
    };
    return opcodes;
}

} // namespace discern::programs
