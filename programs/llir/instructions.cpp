#include "instructions.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <span>

namespace discern::programs::llir {

namespace {

using Kind = Type::Kind;

constexpr std::size_t most_numbers = 4096;

void skip_words(Line& line, std::span<const std::string_view> words) {
    while (std::find(words.begin(), words.end(), line.peek()) != words.end()) line.next();
}

constexpr std::string_view integer_flags[] = {"nuw",  "nsw",      "exact",    "disjoint",
                                              "nneg", "samesign", "inbounds", "nusw"};

struct FastMath {
    std::string_view word;
    std::uint8_t flags;
};
/// What is undefined for NaN or infinity says nothing about other numbers; the rest lets the compiler choose.
constexpr FastMath fast_math[] = {
    {"contract", may_contract}, {"nnan", 0},       {"ninf", 0},           {"nsz", is_loose},
    {"arcp", is_loose},         {"afn", is_loose}, {"reassoc", is_loose}, {"fast", is_loose | may_contract}};

void read_flags(Reading& r) {
    for (;;) {
        const auto found = std::find_if(std::begin(fast_math), std::end(fast_math),
                                        [&](const FastMath& f) { return f.word == r.line.peek(); });
        if (found == std::end(fast_math)) return;
        r.made.flags |= found->flags;
        r.line.next();
    }
}

void add(Reading& r, Operand operand) {
    if (r.made.operands.size() >= most_numbers) throw Error("it has more than 4,096 operands");
    r.made.operands.push_back(std::move(operand));
}

/// So many operands, each with its type.
void typed(Reading& r, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if (i != 0) r.line.expect(",");
        add(r, r.operands.typed(r.line));
    }
}

void label(Reading& r) {
    r.line.expect("label");
    r.made.numbers.push_back(r.block(r.line.next()));
}

void two(Reading& r) {
    skip_words(r.line, integer_flags);
    read_flags(r);
    r.made.type = r.types.read(r.line);
    add(r, r.operands.read(r.line, r.made.type));
    r.line.expect(",");
    add(r, r.operands.read(r.line, r.made.type));
}

void one(Reading& r) {
    read_flags(r);
    typed(r, 1);
    r.made.type = r.made.operands[0].type;
}

void comparison(Reading& r) {
    skip_words(r.line, integer_flags);
    read_flags(r);
    r.made.what = r.line.next();
    two(r);
    const Type* bit = r.types.integer(1);
    r.made.type = r.made.type->is(Kind::vector) ? r.types.vector(r.made.type->count, bit) : bit;
}

void select(Reading& r) {
    read_flags(r);
    typed(r, 3);
    r.made.type = r.made.operands[1].type;
    if (r.made.operands[2].type != r.made.type || !r.made.operands[0].type->element().is_predicate())
        throw Error("the types of its operands do not fit");
}

void cast(Reading& r) {
    skip_words(r.line, integer_flags);
    read_flags(r);
    add(r, r.operands.typed(r.line));
    r.line.expect("to");
    r.made.type = r.types.read(r.line);
}

void phi(Reading& r) {
    read_flags(r);
    r.made.type = r.types.read(r.line);
    do {
        r.line.expect("[");
        add(r, r.operands.read(r.line, r.made.type));
        r.line.expect(",");
        r.made.numbers.push_back(r.block(r.line.next()));
        r.line.expect("]");
    } while (r.line.peek() == "," && r.line.peek(1) == "[" && r.line.take(","));
}

void branch(Reading& r) {
    if (r.line.peek() == "label") return label(r);
    add(r, r.operands.typed(r.line));
    if (!r.made.operands[0].type->is_predicate()) throw Error("its condition is no i1");
    for (int i = 0; i < 2; ++i) {
        r.line.expect(",");
        label(r);
    }
}

/// The default, then a number and a label for each case.
void switch_to(Reading& r) {
    add(r, r.operands.typed(r.line));
    r.line.expect(",");
    label(r);
    r.line.expect("[");
    while (!r.line.take("]")) {
        add(r, r.operands.typed(r.line));
        r.line.expect(",");
        label(r);
    }
}

void nothing(Reading& r) {
    if (r.made.name == "ret" && !r.line.take("void")) throw Error("a kernel returns nothing");
}

void fence(Reading& r) {
    while (!r.line.at_end() && r.line.peek() != ",") r.line.next();
}

constexpr std::string_view memory_words[] = {"volatile"};

/// syncscope("agent") monotonic, align 4
void ordering(Reading& r) {
    while (!r.line.at_end() && r.line.peek() != ",") {
        if (r.line.next() == "syncscope") r.line.skip_parentheses();
    }
}

void load(Reading& r) {
    const bool is_atomic = r.line.take("atomic");
    skip_words(r.line, memory_words);
    r.made.type = r.types.read(r.line);
    r.line.expect(",");
    add(r, r.operands.typed(r.line));
    if (is_atomic) ordering(r);
    r.made.numbers = {is_atomic};
}

void store(Reading& r) {
    const bool is_atomic = r.line.take("atomic");
    skip_words(r.line, memory_words);
    typed(r, 2);
    if (is_atomic) ordering(r);
}

void atomic(Reading& r) {
    skip_words(r.line, memory_words);
    if (r.made.name == "atomicrmw") r.made.what = r.line.next();
    typed(r, r.made.name == "atomicrmw" ? 2 : 3);
    r.made.type = r.made.operands[1].type;
    ordering(r);
}

void address(Reading& r) {
    skip_words(r.line, integer_flags);
    r.made.from = r.types.read(r.line);
    do {
        r.line.expect(",");
        while (r.line.take("inrange")) r.line.skip_parentheses();
        add(r, r.operands.typed(r.line));
    } while (r.line.peek() == "," && !r.line.peek(1).starts_with("!"));
    r.made.type = r.made.operands[0].type;
    if (!r.made.type->is(Kind::pointer)) throw Error("vectors of addresses are not read");
}

void element_of(Reading& r) {
    const bool inserts = r.made.name == "insertelement";
    typed(r, inserts ? 3 : 2);
    const Type* vector = r.made.operands[0].type;
    if (!vector->is(Kind::vector) || (inserts && r.made.operands[1].type != vector->parts[0]))
        throw Error("the types of its operands do not fit");
    r.made.type = inserts ? vector : vector->parts[0];
}

void shuffle(Reading& r) {
    typed(r, 3);
    const Operand mask = r.made.operands[2];
    const Type* vector = r.made.operands[0].type;
    if (!vector->is(Kind::vector) || r.made.operands[1].type != vector || mask.kind != Operand::Kind::constant ||
        !mask.type->is(Kind::vector) || mask.type->parts[0]->size != 4)
        throw Error("the types of its operands do not fit");
    for (std::size_t i = 0; i < mask.codes.size(); i += 4) {
        std::uint64_t index = 0;
        const bool is_poison = !to_word(std::span(mask.codes).subspan(i, 4), index);
        if (!is_poison && index >= 2 * vector->count) throw Error("its mask names an element that is not there");
        r.made.numbers.push_back(is_poison ? no_element : static_cast<std::uint32_t>(index));
    }
    r.made.operands.pop_back();
    r.made.type = r.types.vector(mask.type->count, vector->parts[0]);
}

/// Numbers: the first byte of the part in a value, and bytes of it.
void part_of(Reading& r) {
    const bool inserts = r.made.name == "insertvalue";
    typed(r, inserts ? 2 : 1);
    const Type* at = r.made.operands[0].type;
    std::uint64_t first = 0;
    while (r.line.peek() == "," && !r.line.peek(1).starts_with("!")) {
        r.line.expect(",");
        const std::uint64_t index = r.line.natural("an index", most_numbers);
        const bool is_structure = at->is(Kind::structure);
        if ((!is_structure && !at->is(Kind::array)) || index >= (is_structure ? at->parts.size() : at->count))
            throw Error("there is no such part");
        for (std::uint64_t i = 0; i < index; ++i) first += at->parts[is_structure ? i : 0]->size;
        at = at->parts[is_structure ? index : 0];
    }
    r.made.type = inserts ? r.made.operands[0].type : at;
    if (inserts && r.made.operands[1].type != at) throw Error("the types of its operands do not fit");
    r.made.numbers = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(at->size)};
}

void call(Reading& r) {
    read_flags(r);
    constexpr std::string_view conventions[] = {"fastcc", "ccc", "coldcc", "amdgpu_gfx"};
    skip_words(r.line, conventions);
    skip_attributes(r.line, r.types);
    r.made.type = r.types.read(r.line);
    if (r.line.peek() == "asm") throw Error("assembly within LLVM IR is not read");
    r.made.what = r.line.next();
    if (!r.made.what.starts_with("@")) throw Error("calls through pointers are not read");
    r.made.what.remove_prefix(1);
    r.line.expect("(");
    while (!r.line.take(")")) {
        if (!r.made.operands.empty()) r.line.expect(",");
        if (r.line.peek() == "metadata") { // of llvm.dbg and such, which do nothing
            while (r.line.peek() != ")") {
                if (r.line.peek() == "(")
                    r.line.skip_parentheses();
                else
                    r.line.next();
            }
            continue;
        }
        add(r, r.operands.argument(r.line));
    }
}

void allocate(Reading& r) {
    r.made.from = r.types.read(r.line);
    std::uint64_t count = 1, space = 0;
    while (r.line.peek() == "," && !r.line.peek(1).starts_with("!")) {
        r.line.expect(",");
        if (r.line.take("align")) {
            r.line.natural("an alignment", 1 << 16);
        } else if (r.line.take("addrspace")) {
            space = r.line.natural_in_parentheses("an address space", 8);
        } else {
            count = r.operands.typed(r.line).number();
        }
    }
    if (space != 5 || count > (1 << 20) || r.made.from->stored > (1 << 20)) throw Error("this variable is not read");
    r.made.numbers = {static_cast<std::uint32_t>(count * r.made.from->stored)};
    r.made.type = r.types.pointer(space);
}

/// How instructions are read; of each way their names, with blanks between.
struct Form {
    void (*read)(Reading&);
    std::string_view names;
};
constexpr Form forms[] = {
    {two, "add sub mul sdiv udiv srem urem and or xor shl lshr ashr fadd fsub fmul fdiv"},
    {one, "fneg freeze"},
    {comparison, "icmp fcmp"},
    {select, "select"},
    {cast, "zext sext trunc bitcast fpext fptrunc ptrtoint inttoptr addrspacecast sitofp uitofp fptosi fptoui"},
    {phi, "phi"},
    {branch, "br"},
    {switch_to, "switch"},
    {nothing, "ret unreachable"},
    {fence, "fence"},
    {load, "load"},
    {store, "store"},
    {atomic, "atomicrmw cmpxchg"},
    {address, "getelementptr"},
    {element_of, "extractelement insertelement"},
    {shuffle, "shufflevector"},
    {part_of, "extractvalue insertvalue"},
    {call, "call"},
    {allocate, "alloca"},
};

bool is_among(std::string_view names, std::string_view name) {
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = std::min(names.find(' ', at), names.size());
        if (names.substr(at, end - at) == name) return true;
        at = end + 1;
    }
    return false;
}

/// What stands behind an instruction: ", align 4", ", !dbg !12", "#3".
void read_end(Reading& r) {
    while (!r.line.at_end()) {
        if (r.line.take(",")) {
            if (r.line.take("align")) {
                r.line.natural("an alignment", std::uint64_t(1) << 32);
                continue;
            }
            const std::string_view word = r.line.next();
            if (!word.starts_with("!")) throw Error(sentence(excerpt(word), " stands behind its end"));
            if (word == "!fpmath") r.made.flags |= has_accuracy;
            if (r.line.take("!")) { // !{…}
                r.line.expect("{");
                while (r.line.next() != "}") {
                }
            } else {
                r.line.next();
            }
        } else if (!r.line.next().starts_with("#")) {
            throw Error("something stands behind its end");
        }
    }
}

} // namespace

void read_instruction(Reading& reading) {
    Line& line = reading.line;
    std::string_view result;
    if (line.peek(1) == "=") {
        result = line.next();
        line.next();
        if (!result.starts_with("%")) throw Error("its result has no name");
    }
    constexpr std::string_view tails[] = {"tail", "notail", "musttail"};
    skip_words(line, tails);
    reading.made.name = line.next();
    const auto* const form =
        std::ranges::find_if(forms, [&](const Form& f) { return is_among(f.names, reading.made.name); });
    if (form == std::end(forms)) throw Error("this instruction is not read");
    form->read(reading);
    read_end(reading);
    if (!result.empty()) {
        if (reading.made.type == nullptr) throw Error("it has no result");
        reading.made.result = reading.operands.define(result, reading.made.type);
    }
}

} // namespace discern::programs::llir
