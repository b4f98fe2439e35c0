// wmma: matrices of a warp in fragments, of which the ISA says neither where elements lie nor in which order products
// are added.
//
// Here a fragment has its elements row by row, each again and again until the registers are full. What is computed does
// not depend on that, since nothing but wmma and whole moves may touch a fragment (require_whole_fragments). That
// wmma.mma of f16 and bf16 is mma.m16n8k16 for each eight columns, with k in order, is what ptxas 12.9 and 13.4 make of
// it for sm_80 to sm_120, where two HMMA.16816 stand for m16n16k16; a kernel that has it says so. Integers are exact
// anyhow.
#include "wmma.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/functions/integer_unit.hpp"
#include "tile.hpp"

#include <algorithm>
#include <set>

namespace discern::programs {

namespace {

constexpr std::string_view assumption = "wmma.mma is taken to be mma.m16n8k16 with k in order, as ptxas 12.9 and 13.4 "
                                        "compile it; PTX leaves the order open";

struct FragmentType {
    std::string_view name;
    unsigned bytes;
};
constexpr FragmentType types[] = {{"f16", 2}, {"bf16", 2}, {"f32", 4}, {"s8", 1}, {"u8", 1}, {"s32", 4}};

unsigned bytes_of(std::string_view name) {
    const auto found = std::find_if(std::begin(types), std::end(types), [&](const auto& t) { return t.name == name; });
    if (found == std::end(types)) throw Error(sentence("fragments of ", excerpt(name), " are not read"));
    return found->bytes;
}

/// Where an element of a fragment is: each place that holds it.
class Fragment {
  public:
    Fragment(const Place& list, unsigned element) : list_(list), element_(element) {}
    std::size_t places() const { return list_.registers.size() * in_register() * lanes_of_warp; }
    unsigned in_register() const { return 4 / element_; }

    NodeId get(Block& block, unsigned warp, std::size_t element) const {
        Code room[4];
        const std::size_t of_lane = list_.registers.size() * in_register(), within = element % of_lane;
        block.codes(list_.registers[within / in_register()],
                    warp * lanes_of_warp + static_cast<unsigned>(element / of_lane), room);
        return block.graph().of_codes({room + within % in_register() * element_, element_});
    }

  private:
    const Place& list_;
    unsigned element_;
};

/// Registers of a fragment of all warps, before they are written.
class NewFragment {
  public:
    NewFragment(Block& block, const Place& list, unsigned element)
        : block_(block), list_(list), element_(element), in_register_(4 / element),
          codes_(list.registers.size() * block.lanes() * 4, 0) {}

    /// @param code_of  fills in the bytes of an element
    template <typename CodeOf>
    void fill(unsigned warp, std::size_t elements, const CodeOf& code_of) {
        const std::size_t of_lane = list_.registers.size() * in_register_;
        for (std::size_t place = 0; place < of_lane * lanes_of_warp; ++place) {
            const std::size_t lane = warp * lanes_of_warp + place / of_lane, within = place % of_lane;
            code_of(place % elements, std::span(codes_).subspan((within / in_register_ * block_.lanes() + lane) * 4 +
                                                                    within % in_register_ * element_,
                                                                element_));
        }
    }
    void write() {
        for (std::size_t r = 0; r < list_.registers.size(); ++r)
            block_.put_codes(list_.registers[r], std::span(codes_).subspan(r * block_.lanes() * 4, block_.lanes() * 4u),
                             4);
    }

  private:
    Block& block_;
    const Place& list_;
    unsigned element_, in_register_;
    std::vector<Code> codes_;
};

/// mode of loads and stores: rows, columns, bytes of an element, whether columns lie side by side, space.
constexpr std::string_view spaces[] = {"", "global", "shared"};

Code* element_in_memory(Block& block, const Step& step, unsigned warp, std::size_t element, Access what) {
    const bool loads = what == Access::read;
    const unsigned lane = warp * lanes_of_warp, columns = step.mode[1];
    const std::uint64_t row = element / columns, column = element % columns;
    const std::size_t stride_at = 2;
    const std::uint64_t stride = step.operands.size() > stride_at
                                     ? block.values(step.operands[stride_at].reg(), "the stride")[lane] & 0xffffffff
                                     : (step.mode[3] != 0 ? step.mode[0] : columns);
    const std::uint64_t offset = (step.mode[3] != 0 ? column * stride + row : row * stride + column) * step.mode[2];
    return block.at(spaces[step.mode[4]], block.addresses(step.operands[loads ? 1 : 0])[lane] + offset, step.mode[2],
                    lane, what);
}

void load(Block& block, const Step& step) {
    NewFragment fragment(block, step.operands[0], step.mode[2]);
    for (unsigned warp = 0; warp < block.warps(); ++warp)
        if (block.whole_group(warp, lanes_of_warp))
            fragment.fill(
                warp, std::size_t(step.mode[0]) * step.mode[1], [&](std::size_t element, std::span<Code> into) {
                    std::copy_n(element_in_memory(block, step, warp, element, Access::read), into.size(), into.begin());
                });
    fragment.write();
}

void store(Block& block, const Step& step) {
    const Fragment fragment(step.operands[1], step.mode[2]);
    for (unsigned warp = 0; warp < block.warps(); ++warp)
        for (std::size_t element = 0; block.whole_group(warp, lanes_of_warp) && element < step.mode[0] * step.mode[1];
             ++element)
            block.graph().to_codes(fragment.get(block, warp, element),
                                   {element_in_memory(block, step, warp, element, Access::write), step.mode[2]});
}

/// mode: m, n, k, bytes of an element of A and B, of D, of C.
void multiply_fragments(Block& block, const Step& step) {
    const auto [m, n, k] = std::tuple(step.mode[0], step.mode[1], step.mode[2]);
    const Fragment a(step.operands[1], step.mode[3]), b(step.operands[2], step.mode[3]),
        c(step.operands[3], step.mode[5]);
    NewFragment d(block, step.operands[0], step.mode[4]);
    Tile tile(m, n, k);
    for (unsigned warp = 0; warp < block.warps(); ++warp) {
        if (!block.whole_group(warp, lanes_of_warp)) continue;
        for (unsigned i = 0; i < m * k; ++i) tile.a[i] = a.get(block, warp, i);
        for (unsigned i = 0; i < n * k; ++i) tile.b[i % n * k + i / n] = b.get(block, warp, i);
        for (unsigned i = 0; i < m * n; ++i) tile.c[i] = c.get(block, warp, i);
        multiply(block, step.operations[0], step.operations[1], step.mode[4], tile);
        d.fill(warp, std::size_t(m) * n,
               [&](std::size_t element, std::span<Code> into) { block.graph().to_codes(tile.d[element], into); });
    }
    d.write();
    if (step.mode[6] != 0) block.machine().assumptions.insert(std::string(assumption));
}

void require_places(const Step& step, std::size_t operand, std::size_t elements, unsigned bytes) {
    const std::size_t places = Fragment(step.operands[operand], bytes).places();
    if (!step.operands[operand].is_list || places < elements || places % elements != 0)
        throw Error(
            sentence("its fragment of ", step.operands[operand].registers.size(), " registers does not fit its shape"));
}

void decode_move(const Instruction& at, Step& step) {
    const bool loads = at.parts[1] == "load";
    const ShapeOfTile shape = shape_of_tile(at);
    const char matrix = at.parts.size() > 2 && at.parts[2].size() == 1 ? at.parts[2][0] : ' ';
    if (std::string_view("abcd").find(matrix) == std::string_view::npos || (!at.has("row") && !at.has("col")))
        throw Error("this form of wmma is not read");
    const unsigned rows = matrix == 'b' ? shape.k : shape.m, columns = matrix == 'a' ? shape.k : shape.n;
    step.mode = {rows, columns, bytes_of(at.parts.back()), at.has("col"),
                 at.has_prefix("shared") ? 2u
                 : at.has("global")      ? 1u
                                         : 0u};
    if (step.operands.size() < 2 || !step.operands[loads ? 1 : 0].is_address) throw Error("its operands are not read");
    require_places(step, loads ? 0 : 1, std::size_t(rows) * columns, step.mode[2]);
    step.run = loads ? load : store;
}

void decode(Decoder& decoder, const Instruction& at, Step& step) {
    const std::string_view what = at.parts.size() > 1 ? at.parts[1] : "";
    if (what == "load" || what == "store") return decode_move(at, step);
    const ShapeOfTile shape = shape_of_tile(at);
    const std::size_t end = at.parts.size() - at.has("satfinite");
    const bool is_short = end > 2 && at.parts[end - 3].starts_with("m"); // of f16, whose type is not said
    if (what != "mma" || end < 8 || step.operands.size() != 4 || shape.m * shape.n != 256 || shape.k != 16)
        throw Error("this form of wmma is not read");
    const std::string_view d = at.parts[end - (is_short ? 2 : 4)], a = is_short ? "f16" : at.parts[end - 3],
                           b = is_short ? "f16" : at.parts[end - 2], c = at.parts[end - 1];
    step.mode = {shape.m, shape.n, shape.k, bytes_of(a), bytes_of(d), bytes_of(c)};
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
    static constexpr Opcode opcodes[] = {{"wmma", decode}};
    return opcodes;
}

void require_whole_fragments(DecodedProgram& code, const Program& program) {
    std::set<std::uint32_t> fragments;
    const auto is_wmma = [](const Step& step) { return step.written->parts[0] == "wmma"; };
    const auto is_register = [&](std::uint32_t reg) { return reg < program.registers.size(); };
    for (const Step& step : code.steps)
        for (const Place& place : step.operands)
            if (is_wmma(step) && place.is_list) fragments.insert(place.registers.begin(), place.registers.end());
    if (fragments.empty()) return;
    const auto touches = [&](const Step& step) {
        return std::any_of(step.operands.begin(), step.operands.end(), [&](const Place& place) {
            return std::any_of(place.registers.begin(), place.registers.end(),
                               [&](std::uint32_t reg) { return fragments.contains(reg); });
        });
    };
    // What is moved to or from a fragment's register is one.
    for (std::size_t before = 0; before != fragments.size();) {
        before = fragments.size();
        for (const Step& step : code.steps)
            if (step.written->parts[0] == "mov" && touches(step))
                for (const Place& place : step.operands)
                    for (const std::uint32_t reg : place.registers)
                        if (is_register(reg)) fragments.insert(reg);
    }
    for (Step& step : code.steps) {
        if (is_wmma(step) || !touches(step)) continue;
        const bool moves = step.written->parts[0] == "mov" && step.operands.size() == 2 && !step.operands[0].is_list &&
                           !step.operands[1].is_list && step.guard == no_register;
        const bool from_thread =
            moves && !is_register(step.operands[1].reg()) &&
            code.fixed[step.operands[1].reg() - program.registers.size()].kind != FixedRegister::Kind::value;
        if (!moves || from_thread)
            throw Error(refusal(program, *step.written,
                                "it uses an element of a fragment of wmma, and the ISA does not say which one it is"));
        step.needs_whole_warps = true;
    }
}

} // namespace discern::programs
