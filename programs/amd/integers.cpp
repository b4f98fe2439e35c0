// Instructions on integers. Known operands are computed; of others bytes that stay whole are followed, and anything
// else is a node, by the name that PTX has for the same function.
#include "elements.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "programs/graph/bytes.hpp"

#include <bit>

namespace discern::programs::amd {

namespace {

using llir::Instruction;

struct Words {
    std::uint64_t a = 0, b = 0, c = 0;
    unsigned bits = 32;
    std::int64_t sa() const { return with_sign(a, bits); }
    std::int64_t sb() const { return with_sign(b, bits); }
};
using Integer = std::uint64_t (*)(const Words&);

struct IntegerInstruction {
    std::string_view name, node; ///< of LLVM, and of PTX: add.s for add.s32
    Integer of;
    Bytes bytes = Bytes::none;
    bool divides = false;
};

#define DISCERN_WORDS(expression) [](const Words& x) { return static_cast<std::uint64_t>(expression); }

constexpr IntegerInstruction integer_instructions[] = {
    {"add", "add.s", DISCERN_WORDS(x.a + x.b), Bytes::sum},
    {"sub", "sub.s", DISCERN_WORDS(x.a - x.b)},
    {"mul", "mul.lo.s", DISCERN_WORDS(x.a* x.b)},
    {"sdiv", "div.s", DISCERN_WORDS(x.sb() == -1 ? std::int64_t(0 - x.a) : x.sa() / x.sb()), Bytes::none, true},
    {"udiv", "div.u", DISCERN_WORDS(x.a / x.b), Bytes::none, true},
    {"srem", "rem.s", DISCERN_WORDS(x.sb() == -1 ? 0 : x.sa() % x.sb()), Bytes::none, true},
    {"urem", "rem.u", DISCERN_WORDS(x.a % x.b), Bytes::none, true},
    {"and", "and.b", DISCERN_WORDS(x.a& x.b), Bytes::conjunction},
    {"or", "or.b", DISCERN_WORDS(x.a | x.b), Bytes::disjunction},
    {"xor", "xor.b", DISCERN_WORDS(x.a ^ x.b), Bytes::difference},
    {"shl", "shl.b", DISCERN_WORDS(x.b > 63 ? 0 : x.a << x.b), Bytes::left},
    {"lshr", "shr.u", DISCERN_WORDS(x.b > 63 ? 0 : x.a >> x.b), Bytes::right},
    {"ashr", "shr.s", DISCERN_WORDS(x.sa() >> std::min<std::uint64_t>(x.b, 63))},
    {"smax", "max.s", DISCERN_WORDS(std::max(x.sa(), x.sb()))},
    {"smin", "min.s", DISCERN_WORDS(std::min(x.sa(), x.sb()))},
    {"umax", "max.u", DISCERN_WORDS(std::max(x.a, x.b))},
    {"umin", "min.u", DISCERN_WORDS(std::min(x.a, x.b))},
    {"abs", "abs.s", DISCERN_WORDS(x.sa() < 0 ? 0 - x.a : x.a)},
    {"ctpop", "popc.b", DISCERN_WORDS(std::popcount(x.a))},
    {"ctlz", "clz.b", DISCERN_WORDS(std::uint64_t(std::countl_zero(x.a)) - (64 - x.bits))},
    {"cttz", "ctz.b", DISCERN_WORDS(x.a == 0 ? x.bits : std::uint64_t(std::countr_zero(x.a)))},
    {"fshl", "fshl.b", DISCERN_WORDS(x.c % x.bits == 0 ? x.a : x.a << x.c % x.bits | x.b >> (x.bits - x.c % x.bits))},
    {"fshr", "fshr.b", DISCERN_WORDS(x.c % x.bits == 0 ? x.b : x.b >> x.c % x.bits | x.a << (x.bits - x.c % x.bits))},
};

struct IntegerComparison {
    std::string_view name, node;
    bool (*of)(const Words&);
};
constexpr IntegerComparison integer_comparisons[] = {
    {"eq", "setp.eq.s", [](const Words& x) { return x.a == x.b; }},
    {"ne", "setp.ne.s", [](const Words& x) { return x.a != x.b; }},
    {"sgt", "setp.gt.s", [](const Words& x) { return x.sa() > x.sb(); }},
    {"sge", "setp.ge.s", [](const Words& x) { return x.sa() >= x.sb(); }},
    {"slt", "setp.lt.s", [](const Words& x) { return x.sa() < x.sb(); }},
    {"sle", "setp.le.s", [](const Words& x) { return x.sa() <= x.sb(); }},
    {"ugt", "setp.gt.u", [](const Words& x) { return x.a > x.b; }},
    {"uge", "setp.ge.u", [](const Words& x) { return x.a >= x.b; }},
    {"ult", "setp.lt.u", [](const Words& x) { return x.a < x.b; }},
    {"ule", "setp.le.u", [](const Words& x) { return x.a <= x.b; }},
};
#undef DISCERN_WORDS

/// Single bytes of a result, where each is one of an operand or known. @return whether all are
bool by_bytes(Bytes what, const ElementOperands& operands, std::span<Code> result) {
    if (!is_shift(what)) return connected_bytes(what, operands[0], operands[1], result);
    std::uint64_t by = 0;
    return to_word(operands[1], by) && by / 8 < result.size() && shifted_bytes(what, operands[0], by, result);
}

/// and, or, xor of an i1 that is not known with one that is.
bool by_predicate(Bytes what, const ElementOperands& operands, Code& result) {
    Code x = operands[0][0], y = operands[1][0];
    if (is_known(x)) std::swap(x, y);
    return is_known(y) && connected_predicates(what, x, y, result);
}

std::uint64_t computed(const IntegerInstruction& row, Words words) {
    if (row.divides && words.b == 0) throw Error("it divides by zero");
    const std::uint64_t value = row.of(words);
    return words.bits >= 64 ? value : value & ((std::uint64_t(1) << words.bits) - 1);
}

void run(Workgroup& group, const Step& step) {
    const IntegerInstruction& row = *static_cast<const IntegerInstruction*>(step.rule);
    const auto bits = static_cast<unsigned>(step.written->type->element().count);
    const std::size_t count = step.operands.size();
    each_element(group, step, [&](const ElementOperands& operands, std::span<Code> result) {
        Words words{.bits = bits};
        std::uint64_t* const into[] = {&words.a, &words.b, &words.c};
        bool all_known = bits <= 64;
        for (std::size_t i = 0; i < count && all_known; ++i) all_known = to_word(operands[i], *into[i]);
        if (all_known) return from_word(computed(row, words), result);
        if (bits == 1 ? by_predicate(row.bytes, operands, result[0]) : by_bytes(row.bytes, operands, result)) return;
        // x ^ true
        if (bits == 1 && row.bytes == Bytes::difference && (is_known(operands[0][0]) || is_known(operands[1][0]))) {
            const NodeId argument[1] = {group.graph().of_codes(is_known(operands[0][0]) ? operands[1] : operands[0])};
            return group.graph().to_codes(group.apply(step.operations[1], 1, argument), result);
        }
        apply(group, step.operations[0], operands, count, result);
    });
}

void decode_integer(Decoder& decoder, const Instruction& at, Step& step) {
    // An intrinsic is named by what it begins with: smax of llvm.smax.i32.
    const std::string_view name = at.name == "call" ? at.what.substr(5, at.what.find('.', 5) - 5) : at.name;
    const auto row = std::find_if(std::begin(integer_instructions), std::end(integer_instructions),
                                  [&](const IntegerInstruction& r) { return r.name == name; });
    const bool counts = name == "ctlz" || name == "cttz" || name == "abs", is_three = name.starts_with("fsh");
    const std::size_t operands = is_three ? 3 : name == "ctpop" || counts ? 1 : 2;
    require_operands(at, operands);
    step.operands.resize(operands);
    require_type(at, 0, operands);
    if (!at.type->element().is(llir::Type::Kind::integer)) throw Error("its operands are no integers");
    const std::uint64_t bits = at.type->element().count;
    step.rule = &*row;
    step.operations = {decoder.operation(bits == 1 ? sentence(row->node.substr(0, row->node.find('.')), ".pred")
                                                   : sentence(row->node, bits)),
                       decoder.operation("not.pred")};
    step.run = run;
}

void compare(Workgroup& group, const Step& step) {
    const IntegerComparison& row = *static_cast<const IntegerComparison*>(step.rule);
    const auto bits = static_cast<unsigned>(step.written->operands[0].type->element().is(llir::Type::Kind::pointer)
                                                ? step.written->operands[0].type->element().size * 8
                                                : step.written->operands[0].type->element().count);
    each_element(group, step, [&](const ElementOperands& operands, std::span<Code> result) {
        Words words{.bits = bits};
        if (to_word(operands[0], words.a) && to_word(operands[1], words.b))
            result[0] = row.of(words);
        else
            apply(group, step.operations[0], operands, 2, result);
    });
}

void decode_integer_comparison(Decoder& decoder, const Instruction& at, Step& step) {
    const auto row = std::find_if(std::begin(integer_comparisons), std::end(integer_comparisons),
                                  [&](const IntegerComparison& c) { return c.name == at.what; });
    if (row == std::end(integer_comparisons)) throw Error("this comparison is not read");
    const llir::Type& type = at.operands[0].type->element();
    if (type.size > 8 || type.is(llir::Type::Kind::floating))
        throw Error("its operands are no integers of up to 64 bits");
    step.rule = &*row;
    step.operations = {decoder.operation(sentence(row->node, 8 * type.size))};
    step.run = compare;
}

} // namespace

std::span<const Opcode> integer_opcodes() {
    static constexpr Opcode opcodes[] = {{"add", decode_integer},  {"sub", decode_integer},
                                         {"mul", decode_integer},  {"sdiv", decode_integer},
                                         {"udiv", decode_integer}, {"srem", decode_integer},
                                         {"urem", decode_integer}, {"and", decode_integer},
                                         {"or", decode_integer},   {"xor", decode_integer},
                                         {"shl", decode_integer},  {"lshr", decode_integer},
                                         {"ashr", decode_integer}, {"icmp", decode_integer_comparison}};
    return opcodes;
}

std::span<const Opcode> integer_intrinsics() {
    static constexpr Opcode opcodes[] = {{"smax", decode_integer}, {"smin", decode_integer}, {"umax", decode_integer},
                                         {"umin", decode_integer}, {"abs", decode_integer},  {"ctpop", decode_integer},
                                         {"ctlz", decode_integer}, {"cttz", decode_integer}, {"fshl", decode_integer},
                                         {"fshr", decode_integer}};
    return opcodes;
}

} // namespace discern::programs::amd
