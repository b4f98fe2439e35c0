// Writes the text of the kernel: loads, the loop over k, the wires of one instruction, and stores.
#include "kernel.hpp"

#include "words.hpp"

#include "certificate/circuit/unit.hpp"
#include "encodings/datapath/word_domain.hpp"
#include "encodings/encode.hpp"
#include "hwrunner/nvidia/ptx.hpp"
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/gemm.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"

#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace discern::gpu {

namespace {

/// The driver takes a second to compile ten thousand; more than that many would take minutes.
constexpr std::size_t most_statements = 200'000;

constexpr std::array<std::string_view, sizeof(Arguments) / 8> names = {
    "count", "first", "columns", "steps", "from_c", "a",  "a_row",  "b",         "b_row", "b_column",
    "b_k",   "c",     "d",       "sa",    "sa_row", "sb", "sb_row", "sb_column", "sb_k"};

std::string argument(std::size_t i) { return sentence("    ld.param.u64 %", names[i], ", [arguments+", 8 * i, "];\n"); }

/// "global.u16" for the words of a format.
std::string memory(FormatId id) { return sentence("global.u", 8 * word_bytes(id)); }

bool is_long(const Format& f) { return f.width > 32; }

/// A pattern in a register, its sign above it where it has one.
Number with_sign(Numbers& numbers, const Format& f, Number pattern) {
    return f.is_signed ? numbers.with_sign(pattern, f.width) : pattern;
}

/// The loads of an instruction's operands, from where the pointers say, which are moved on.
class Operands {
  public:
    Operands(const Unit& unit, Words& words, Code& code, const InputTerms& in) : words_(words), code_(code) {
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
        for (std::size_t i = 0; i < patterns.size(); ++i) {
            words_.bind(patterns[i],
                        loaded(f, id, spread ? sentence("[%", name, "]") : sentence("[%", name, "+", bytes * i, "]")));
            if (spread) code_.statement(sentence("add.u64 %", name, ", %", name, ", %", name, "_k"));
        }
        if (!spread) code_.statement(sentence("add.u64 %", name, ", %", name, ", ", bytes * patterns.size()));
    }

    /// What is above a pattern that does not fill its bytes does not matter.
    Number loaded(const Format& f, FormatId id, const std::string& at) {
        if (is_long(f)) {
            const auto [low, high] = code_.unpack(code_.load(Code::Kind::wide, "ld." + memory(id), at));
            Numbers numbers(code_);
            return with_sign(numbers, f, {{low, high}, Numbers::whole(high).top});
        }
        const int bits = static_cast<int>(8 * word_bytes(id));
        const bool has_sign = f.is_signed && f.width == bits;
        const std::int64_t half = std::int64_t{1} << (bits - 1);
        const std::string type = has_sign && bits < 32 ? sentence("ld.global.s", bits) : "ld." + memory(id);
        return {{code_.load(Code::Kind::narrow, type, at)}, has_sign ? Range{-half, half - 1} : Range{0, 2 * half - 1}};
    }

    Words& words_;
    Code& code_;
};

/// An instruction as text, which leaves its result in %chain.
struct Step {
    Step(const Unit& unit, std::string prefix) {
        Terms terms{Terms::Order::as_written};
        const InputTerms inputs = input_variables(terms, unit);
        GpuDomain domain(terms);
        const auto [a, b, sa, sb, c] = rtl::operands(domain, inputs);
        circuit::NoObserver<GpuDomain> observer;
        const Term d =
            circuit::unit_circuit(domain, unit, circuit::Operands<GpuDomain>{a, b, sa, sb, c}, observer).term;

        Code code(std::move(prefix));
        Numbers numbers(code);
        Words words(terms, domain.definitions(), code);
        const Operands operands(unit, words, code, inputs);
        if (unit.c) words.bind(*inputs.c, accumulator_number(code, numbers, format(*unit.c)));
        const Format& f = format(unit.d);
        Number result = words.print(d);
        if (static_cast<std::size_t>(f.width) < 8 * word_bytes(unit.d)) result = numbers.without_sign(result, f.width);
        code.statement(
            is_long(f) ? sentence("mov.b64 %long_chain, {", numbers.part(result, 0), ",", numbers.part(result, 1), "}")
                       : sentence("mov.b32 %chain, ", result.parts[0]));
        if (code.statements() > most_statements)
            throw Error(sentence("an instruction of K=", unit.K, " takes ", code.statements(),
                                 " statements on a GPU, and at most ", most_statements,
                                 " are right; a smaller K, or the kernels of the CPU, will do"));
        text = code.text();
        declarations = code.declarations();
    }

    /// Where the accumulator is, and d.
    static std::string accumulator(const Format& f) { return is_long(f) ? "%long_chain" : "%chain"; }

    static Number accumulator_number(Code& code, Numbers& numbers, const Format& f) {
        if (!is_long(f)) return with_sign(numbers, f, Numbers::whole(accumulator(f)));
        const auto [low, high] = code.unpack(accumulator(f));
        return with_sign(numbers, f, {{low, high}, Numbers::whole(high).top});
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
