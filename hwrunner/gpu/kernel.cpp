// Writes the text of the kernel: loads, the loop over k, the wires of one instruction, and stores.
#include "kernel.hpp"

#include "words.hpp"

#include "encodings/datapath/datapath.hpp"
#include "hwrunner/nvidia/ptx.hpp"
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/gemm.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace discern::gpu {

namespace {

/// The driver takes a second to compile ten thousand; more than that many would take minutes.
constexpr std::size_t most_statements = 200'000;

constexpr std::array<std::string_view, std::tuple_size_v<Arguments>> names = {
    "count", "first", "columns", "steps", "from_c", "a",  "a_row",  "b",         "b_row", "b_column",
    "b_k",   "c",     "d",       "sa",    "sa_row", "sb", "sb_row", "sb_column", "sb_k"};

std::string argument(std::size_t i) { return sentence("    ld.param.u64 %", names[i], ", [arguments+", 8 * i, "];\n"); }

/// "global.u16" for the words of a format.
std::string memory(FormatId id) { return sentence("global.u", 8 * word_bytes(id)); }

/// The loads of an instruction's operands, from where the pointers say, which are moved on.
class Operands {
  public:
    Operands(const Unit& unit, Words& words, const rtl::Datapath& datapath) : words_(words) {
        const InputTerms& in = datapath.inputs;
        read(in.a, unit.a, "a", false);
        read(in.b, unit.b, "b", true);
        if (!unit.scale) return;
        read(in.sa, unit.scale->format, "sa", false);
        read(in.sb, unit.scale->format, "sb", true);
    }

  private:
    /// @param spread  elements lie apart, as far as NAME_k says
    void read(const std::vector<Term>& patterns, FormatId id, const std::string& name, bool spread) {
        const Format& f = format(id);
        const std::size_t bytes = word_bytes(id);
        const int bits = Words::register_bits(f.width);
        const bool has_room = static_cast<std::size_t>(f.width) < 8 * bytes;
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            const std::string at = spread ? sentence("[%", name, "]") : sentence("[%", name, "+", bytes * i, "]");
            std::string part = words_.make(bits, "ld." + memory(id), {at});
            if (has_room)
                part = words_.make(bits, bits == 32 ? "and.b32" : "and.b64", {part, std::to_string(f.mask())});
            words_.bind(patterns[i], {.width = f.width, .parts = {part}});
            if (spread) words_.statement(sentence("add.u64 %", name, ", %", name, ", %", name, "_k"));
        }
        if (!spread) words_.statement(sentence("add.u64 %", name, ", %", name, ", ", bytes * patterns.size()));
    }

    Words& words_;
};

/// An instruction as text, which leaves its result in %chain.
struct Step {
    Step(const Unit& unit, std::string prefix) {
        const rtl::Datapath datapath(unit);
        Words words(datapath.terms, std::move(prefix));
        const Operands operands(unit, words, datapath);
        if (unit.c) {
            const Format& c = format(*unit.c);
            words.bind(*datapath.inputs.c, {.width = c.width, .parts = {accumulator(c)}});
        }
        const Format& d = format(unit.d);
        const Word result = words.print(datapath.d);
        words.statement(sentence("mov.b", Words::register_bits(d.width), " ", accumulator(d), ", ", result.parts[0]));
        if (words.statements() > most_statements)
            throw Error(sentence("an instruction of K=", unit.K, " takes ", words.statements(),
                                 " statements on a GPU, and at most ", most_statements,
                                 " are right; a smaller K, or the kernels of the CPU, will do"));
        text = words.text();
        declarations = words.declarations();
    }

    /// Where the accumulator is, and d.
    static std::string accumulator(const Format& f) {
        return Words::register_bits(f.width) == 32 ? "%chain" : "%long_chain";
    }

    std::string text, declarations;
};

/// The unit whose accumulator is a result of the unit. @return nothing if that is no unit
std::optional<Unit> chained(Unit unit) {
    if (unit.c) unit.c = unit.d;
    try {
        validate(unit);
    } catch (const Error&) {
        return std::nullopt;
    }
    return unit;
}

/// Reads C, or sets +0, into the accumulator.
std::string begin_chain(const Unit& unit) {
    std::string text = "    mov.b32 %chain, 0;\n    mov.b64 %long_chain, 0;\n";
    if (!unit.c) return text;
    const Format& c = format(*unit.c);
    const std::string at = Step::accumulator(c);
    text += sentence("    @%from_c ld.", memory(*unit.c), " ", at, ", [%c];\n");
    if (static_cast<std::size_t>(c.width) < 8 * word_bytes(*unit.c))
        text += sentence("    and.b", Words::register_bits(c.width), " ", at, ", ", at, ", ", c.mask(), ";\n");
    return text;
}

} // namespace

std::string kernel_text(const Unit& unit) {
    validate(unit);
    const std::optional<Unit> rest = chained(unit);
    const bool differ = unit.c && *unit.c != unit.d; // the first instruction reads c in another format
    std::optional<Step> first, next;
    if (differ || !rest) first.emplace(unit, "first_");
    if (rest) next.emplace(*rest, "");

    std::string declared, arguments, addresses;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const bool is_flag = names[i] == "from_c";
        declared += sentence(i == 0 ? "" : ", ", "%", is_flag ? "asks_c" : names[i]);
        arguments += is_flag ? sentence("    ld.param.u64 %asks_c, [arguments+", 8 * i, "];\n") : argument(i);
    }
    for (const char* name : {"a", "b", "c", "d", "sa", "sb"})
        addresses += sentence("    cvta.to.global.u64 %", name, ", %", name, ";\n");
    const auto moved = [](std::string_view pointer, std::string_view index, std::string_view by) {
        return sentence("    mad.lo.u64 %", pointer, ", %", index, ", ", by, ", %", pointer, ";\n");
    };
    addresses += moved("a", "row", "%a_row") + moved("b", "row", "%b_row") + moved("b", "column", "%b_column") +
                 moved("sa", "row", "%sa_row") + moved("sb", "row", "%sb_row") + moved("sb", "column", "%sb_column") +
                 moved("c", "index", std::to_string(unit.c ? word_bytes(*unit.c) : 0)) +
                 moved("d", "index", std::to_string(word_bytes(unit.d)));
    const std::string end_of_chain = "    setp.ge.u64 %done, %step, %steps;\n    @%done bra store;\n",
                      count = "    add.u64 %step, %step, 1;\n";
    std::string chain;
    if (first) chain += (rest ? "    @!%from_c bra next;\n" : "") + first->text + count;
    if (next)
        chain += sentence("    .pragma \"nounroll\";\nnext:\n", end_of_chain, next->text, count, "    bra next;\n");

    return sentence("// ", to_string(unit), "\n.version 6.0\n.target sm_70\n.address_size 64\n.visible .entry ",
                    kernel_name, "(.param .align 8 .b8 arguments[", 8 * names.size(), "])\n.maxntid ",
                    threads_per_block, "\n{\n    .reg .b64 ", declared,
                    ", %index, %row, %column, %step, %long_chain;\n"
                    "    .reg .b32 %thread, %block, %chain;\n    .reg .pred %done, %from_c;\n",
                    first ? first->declarations : "", next ? next->declarations : "", arguments,
                    "    mov.u32 %thread, %tid.x;\n"
                    "    mov.u32 %block, %ctaid.x;\n"
                    "    mul.wide.u32 %index, %block, ",
                    threads_per_block,
                    ";\n"
                    "    cvt.u64.u32 %row, %thread;\n"
                    "    add.u64 %index, %index, %row;\n"
                    "    setp.ge.u64 %done, %index, %count;\n"
                    "    @%done bra end;\n"
                    "    add.u64 %index, %index, %first;\n"
                    "    div.u64 %row, %index, %columns;\n"
                    "    rem.u64 %column, %index, %columns;\n"
                    "    setp.ne.u64 %from_c, %asks_c, 0;\n",
                    addresses, begin_chain(unit), "    mov.u64 %step, 0;\n", chain, "store:\n    st.", memory(unit.d),
                    " [%d], ", Step::accumulator(format(unit.d)), ";\nend:\n    ret;\n}\n");
}

} // namespace discern::gpu
