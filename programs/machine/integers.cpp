// Instructions on integers and bits. Known operands are computed; of others only bytes that stay whole are followed,
// and anything else is a node by the instruction's name.
#include "block.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "opcodes.hpp"
#include "programs/graph/bytes.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace discern::programs {

namespace {

/// Operands of one lane, as wide as the type, with their sign where it has one.
struct IntegerOperands {
    std::uint64_t a = 0, b = 0, c = 0, d = 0;
    unsigned bits = 32;
    std::int64_t sa() const { return static_cast<std::int64_t>(a); }
    std::int64_t sb() const { return static_cast<std::int64_t>(b); }
};
using Integer = std::uint64_t (*)(const IntegerOperands&);

struct IntegerInstruction {
    std::string_view name; ///< root, and the modifier that chooses: mul.wide
    std::size_t operands;  ///< behind the result
    Integer of, of_signed = nullptr;
    Bytes bytes = Bytes::none;
};

std::uint64_t shifted_left(std::uint64_t x, std::uint64_t by) { return by > 63 ? 0 : x << by; }
std::uint64_t low_bits(std::uint64_t count) { return count > 63 ? ~std::uint64_t(0) : (std::uint64_t(1) << count) - 1; }

std::uint64_t high_of_product(const IntegerOperands& x) {
    if (x.bits < 64) return x.a * x.b >> x.bits;
    const std::uint64_t al = x.a & 0xffffffff, ah = x.a >> 32, bl = x.b & 0xffffffff, bh = x.b >> 32;
    const std::uint64_t middle = ah * bl + (al * bl >> 32), other = al * bh + (middle & 0xffffffff);
    return ah * bh + (middle >> 32) + (other >> 32);
}
std::uint64_t signed_high_of_product(const IntegerOperands& x) {
    if (x.bits < 64) return static_cast<std::uint64_t>(x.sa() * x.sb() >> x.bits);
    return high_of_product(x) - (x.sa() < 0 ? x.b : 0) - (x.sb() < 0 ? x.a : 0);
}
std::uint64_t extracted(const IntegerOperands& x) {
    const std::uint64_t at = x.b & 255, length = x.c & 255;
    return at > 63 ? 0 : x.a >> at & low_bits(length);
}
/// What is beyond the top of the word is its sign.
std::uint64_t signed_extracted(const IntegerOperands& x) {
    const std::uint64_t at = x.b & 255, length = x.c & 255;
    if (length == 0) return 0;
    const std::uint64_t sign_at = std::min<std::uint64_t>(at + length - 1, x.bits - 1);
    const std::uint64_t field = (at > 63 ? 0 : x.a >> at) & low_bits(length);
    const bool negative = (x.a >> sign_at & 1) != 0;
    const std::uint64_t in_word = at >= x.bits ? 0 : std::min<std::uint64_t>(length, x.bits - at);
    return negative ? field | ~low_bits(in_word) : field & low_bits(in_word);
}
std::uint64_t inserted(const IntegerOperands& x) {
    const std::uint64_t at = x.c & 255, mask = shifted_left(low_bits(x.d & 255), at);
    return (x.b & ~mask) | (shifted_left(x.a, at) & mask);
}
std::uint64_t reversed(const IntegerOperands& x) {
    std::uint64_t result = 0;
    for (unsigned i = 0; i < x.bits; ++i) result |= (x.a >> i & 1) << (x.bits - 1 - i);
    return result;
}
std::uint64_t leading_zeros(const IntegerOperands& x) {
    return static_cast<std::uint64_t>(std::countl_zero(x.a)) - (64 - x.bits);
}
/// The place of the highest bit that is not the sign; all ones if there is none.
std::uint64_t highest_bit(const IntegerOperands& x) {
    return x.a == 0 ? ~std::uint64_t(0) : static_cast<std::uint64_t>(std::bit_width(x.a)) - 1;
}
std::uint64_t signed_highest_bit(const IntegerOperands& x) { return highest_bit({.a = x.sa() < 0 ? ~x.a : x.a}); }
/// How far that place is from the top.
std::uint64_t from_top(const IntegerOperands& x, std::uint64_t place) {
    return place == ~std::uint64_t(0) ? place : x.bits - 1 - place;
}
std::uint64_t shift_to_top(const IntegerOperands& x) { return from_top(x, highest_bit(x)); }
std::uint64_t signed_shift_to_top(const IntegerOperands& x) { return from_top(x, signed_highest_bit(x)); }
std::uint64_t looked_up(const IntegerOperands& x) {
    std::uint64_t result = 0;
    for (unsigned k = 0; k < 8; ++k)
        if ((x.d >> k & 1) != 0)
            result |= ((k & 4) != 0 ? x.a : ~x.a) & ((k & 2) != 0 ? x.b : ~x.b) & ((k & 1) != 0 ? x.c : ~x.c);
    return result;
}
std::uint64_t funnel(const IntegerOperands& x) { return x.b << 32 | (x.a & 0xffffffff); }

#define DISCERN_WORDS(expression) [](const IntegerOperands& x) { return static_cast<std::uint64_t>(expression); }

constexpr IntegerInstruction integer_instructions[] = {
    {"add", 2, DISCERN_WORDS(x.a + x.b)},
    {"sub", 2, DISCERN_WORDS(x.a - x.b)},
    {"mul", 2, DISCERN_WORDS(x.a* x.b)}, // .lo and .wide
    {"mul.hi", 2, high_of_product, signed_high_of_product},
    {"mul24", 2, DISCERN_WORDS((x.a & 0xffffff) * (x.b & 0xffffff))},
    {"mad", 3, DISCERN_WORDS(x.a* x.b + x.c)},
    {"mad.hi", 3, DISCERN_WORDS(high_of_product(x) + x.c), DISCERN_WORDS(signed_high_of_product(x) + x.c)},
    {"div", 2, DISCERN_WORDS(x.b == 0 ? ~std::uint64_t(0) : x.a / x.b),
     DISCERN_WORDS(x.b == 0       ? -1
                   : x.sb() == -1 ? std::int64_t(0 - x.a)
                                  : x.sa() / x.sb())},
    {"rem", 2, DISCERN_WORDS(x.b == 0 ? x.a : x.a % x.b),
     DISCERN_WORDS(x.b == 0       ? x.sa()
                   : x.sb() == -1 ? 0
                                  : x.sa() % x.sb())},
    {"min", 2, DISCERN_WORDS(std::min(x.a, x.b)), DISCERN_WORDS(std::min(x.sa(), x.sb()))},
    {"max", 2, DISCERN_WORDS(std::max(x.a, x.b)), DISCERN_WORDS(std::max(x.sa(), x.sb()))},
    {"abs", 1, DISCERN_WORDS(x.sa() < 0 ? 0 - x.a : x.a), DISCERN_WORDS(x.sa() < 0 ? 0 - x.a : x.a)},
    {"neg", 1, DISCERN_WORDS(0 - x.a)},
    {"and", 2, DISCERN_WORDS(x.a& x.b), nullptr, Bytes::conjunction},
    {"or", 2, DISCERN_WORDS(x.a | x.b), nullptr, Bytes::disjunction},
    {"xor", 2, DISCERN_WORDS(x.a ^ x.b), nullptr, Bytes::difference},
    {"not", 1, DISCERN_WORDS(~x.a)},
    {"cnot", 1, DISCERN_WORDS(x.a == 0)},
    {"lop3", 4, looked_up},
    {"shl", 2, DISCERN_WORDS(shifted_left(x.a, x.b & 0xffffffff)), nullptr, Bytes::left},
    {"shr", 2, DISCERN_WORDS((x.b & 0xffffffff) > 63 ? 0 : x.a >> (x.b & 0xffffffff)),
     DISCERN_WORDS(x.sa() >> std::min<std::uint64_t>(x.b & 0xffffffff, 63)), Bytes::right},
    {"shf.l.wrap", 3, DISCERN_WORDS(funnel(x) << (x.c & 31) >> 32)},
    {"shf.r.wrap", 3, DISCERN_WORDS(funnel(x) >> (x.c & 31))},
    {"shf.l.clamp", 3, DISCERN_WORDS(funnel(x) << std::min<std::uint64_t>(x.c & 0xffffffff, 32) >> 32)},
    {"shf.r.clamp", 3, DISCERN_WORDS(funnel(x) >> std::min<std::uint64_t>(x.c & 0xffffffff, 32))},
    {"bfe", 3, extracted, signed_extracted},
    {"bfi", 4, inserted},
    {"brev", 1, reversed},
    {"clz", 1, leading_zeros},
    {"popc", 1, DISCERN_WORDS(std::popcount(x.a))},
    {"bfind", 1, highest_bit, signed_highest_bit},
    {"bfind.shiftamt", 1, shift_to_top, signed_shift_to_top},
};
#undef DISCERN_WORDS

std::uint64_t normal(std::uint64_t word, unsigned bytes, bool is_signed) {
    if (bytes >= 8) return word;
    word &= (std::uint64_t(1) << (8 * bytes)) - 1;
    const std::uint64_t sign = std::uint64_t(1) << (8 * bytes - 1);
    return is_signed ? (word ^ sign) - sign : word;
}

/// Bytes of an operand of a step: mode[i]. mode[4]: bytes of the result. mode[5]: parts of a word, each computed alone.
std::uint64_t computed(const Step& step, const std::uint64_t* values) {
    const bool is_signed = step.type.letter == 's';
    const IntegerInstruction& row = *static_cast<const IntegerInstruction*>(step.rule);
    std::uint64_t result = 0;
    for (unsigned part = step.mode[5]; part-- > 0;) {
        IntegerOperands words;
        words.bits = step.type.bytes * 8 / step.mode[5];
        std::uint64_t* const into[] = {&words.a, &words.b, &words.c, &words.d};
        for (std::size_t i = 0; i < row.operands; ++i)
            *into[i] = normal(values[i] >> (part * words.bits), step.mode[i] / step.mode[5], is_signed);
        const std::uint64_t one = (is_signed && row.of_signed != nullptr ? row.of_signed : row.of)(words);
        result = step.mode[5] == 1 ? one : result << words.bits | normal(one, words.bits / 8, false);
    }
    return result;
}

/// Single bytes of a result, where each is one of an operand or known. @return whether all are
bool by_bytes(const Step& step, const Code (&operands)[4][16], Code* result) {
    const Bytes what = static_cast<const IntegerInstruction*>(step.rule)->bytes;
    const unsigned size = step.mode[4];
    if (!is_shift(what)) return connected_bytes(what, {operands[0], size}, {operands[1], size}, {result, size});
    std::uint64_t by = 0;
    return (what == Bytes::left || step.type.letter != 's') && to_word({operands[1], 4}, by) &&
           shifted_bytes(what, {operands[0], size}, by, {result, size});
}

void run_integer_with_data(Block& block, const Step& step) {
    const unsigned size = step.mode[4];
    const std::size_t count = step.operands.size() - 1;
    block.make_each(step.operands[0].reg(), size, [&](unsigned lane, std::span<Code> into) {
        Code operands[4][16];
        std::uint64_t values[4] = {};
        bool all_known = true;
        for (std::size_t i = 0; i < count; ++i) {
            block.codes(step.operands[i + 1].reg(), lane, {operands[i], step.mode[i]});
            all_known &= to_word({operands[i], step.mode[i]}, values[i]);
        }
        if (all_known) {
            from_word(computed(step, values), into);
        } else if (!by_bytes(step, operands, into.data())) {
            NodeId arguments[4];
            for (std::size_t i = 0; i < count; ++i) arguments[i] = block.graph().of_codes({operands[i], step.mode[i]});
            block.graph().to_codes(block.graph().node(step.operations[0], size, {arguments, count}), into);
        }
    });
}

void run_integer(Block& block, const Step& step) {
    const std::uint64_t* given[4] = {};
    const std::size_t count = step.operands.size() - 1;
    for (std::size_t i = 0; i < count; ++i) {
        given[i] = block.known(step.operands[i + 1].reg());
        if (given[i] == nullptr) return run_integer_with_data(block, step);
    }
    block.put_each(step.operands[0].reg(), [&](unsigned lane) {
        std::uint64_t values[4] = {};
        for (std::size_t i = 0; i < count; ++i) values[i] = given[i][lane];
        return computed(step, values);
    });
}

/// add, addc, sub, subc with .cc, or with the carry of the one before: x − y is x + ~y + 1, and a borrow is a carry
/// that did not come. mode[0]: it subtracts; mode[1]: it reads the carry; mode[2]: it sets it.
void run_with_carry(Block& block, const Step& step) {
    const std::uint64_t* x = block.values(step.operands[1].reg(), "a number with a carry");
    const std::uint64_t* y = block.values(step.operands[2].reg(), "a number with a carry");
    const bool subtracts = step.mode[0] != 0;
    block.put_each(step.operands[0].reg(), [&](unsigned lane) {
        const std::uint64_t a = normal(x[lane], step.type.bytes, false),
                            b = normal(subtracts ? ~y[lane] : y[lane], step.type.bytes, false);
        const std::uint64_t in = step.mode[1] != 0 ? (block.carry[lane] != 0) != subtracts : subtracts;
        const std::uint64_t result = normal(a + b + in, step.type.bytes, false);
        // The sum is smaller than an operand if, and only if, it did not fit.
        const bool out = result < a || (in != 0 && result == a);
        if (step.mode[2] != 0) block.carry[lane] = out != subtracts;
        return result;
    });
}

void decode_with_carry(Decoder& decoder, const Instruction& at, Step& step) {
    step.type = decoder.type(at, 0);
    if (step.operands.size() != 3 || (step.type.bytes != 4 && step.type.bytes != 8) || step.type.letter == 'f')
        throw Error("this form of a sum with a carry is not read");
    require_plain_operands(step);
    for (std::size_t i = 0; i < 3; ++i) decoder.require_size(step, i, step.type.bytes);
    step.mode = {at.parts[0].starts_with("sub"), at.parts[0].ends_with("c"), at.has("cc")};
    step.run = run_with_carry;
}

void decode_integer(Decoder& decoder, const Instruction& at, Step& step) {
    if (at.has("cc") && (at.parts[0] == "add" || at.parts[0] == "sub")) return decode_with_carry(decoder, at, step);
    step.type = decoder.type(at, 0);
    if (step.type.letter == 'f') return decode_number(decoder, at, step);
    if (step.type.bytes == 0 || step.type.bytes > 8) throw Error("this instruction is not read");
    Decoder::require_modifiers(at, "lo hi wide l r wrap clamp shiftamt"); // where numbers have others
    std::string name(at.parts[0]);
    if (at.has("hi")) name += ".hi";
    if (at.has("shiftamt")) name += ".shiftamt";
    if (name == "shf") name += (at.has("l") ? ".l" : ".r") + std::string(at.has("wrap") ? ".wrap" : ".clamp");
    const auto row = std::find_if(std::begin(integer_instructions), std::end(integer_instructions),
                                  [&](const IntegerInstruction& r) { return r.name == name; });
    if (row == std::end(integer_instructions) || step.operands.size() != row->operands + 1)
        throw Error(sentence("it has ", step.operands.size(), " operands"));
    require_plain_operands(step);
    step.rule = &*row;
    step.mode[5] = step.type.name.ends_with("x2") ? 2 : 1;
    if (step.mode[5] == 2 && name != "add" && name != "min" && name != "max")
        throw Error("this instruction is not read");
    const bool is_wide = at.has("wide"), counts = name == "popc" || name == "clz" || name.starts_with("bfind");
    for (unsigned i = 0; i < 4; ++i) step.mode[i] = step.type.bytes;
    step.mode[4] = counts ? 4 : static_cast<std::uint32_t>(step.type.bytes * (is_wide ? 2 : 1));
    if (is_wide) step.mode[2] = step.mode[4];
    if (name == "shl" || name == "shr") step.mode[1] = 4;
    if (name == "bfe") step.mode[1] = step.mode[2] = 4;
    if (name == "bfi") step.mode[2] = step.mode[3] = 4;
    if (name == "lop3") step.mode[3] = 4;
    decoder.require_size(step, 0, step.mode[4]);
    for (std::size_t i = 0; i < row->operands; ++i) decoder.require_size(step, i + 1, step.mode[i]);
    step.operations = {decoder.graph().operation(at.opcode)};
    step.run = run_integer;
}

/// Of predicates too.
void decode_logic(Decoder& decoder, const Instruction& at, Step& step);

/// and, or, xor, not of predicates: 0, 1, or a node.
void run_logic(Block& block, const Step& step) {
    const auto what = static_cast<const IntegerInstruction*>(step.rule)->bytes;
    const std::size_t count = step.operands.size() - 1;
    block.make_each(step.operands[0].reg(), 1, [&](unsigned lane, std::span<Code> made) {
        Code x = 0, y = 0;
        block.codes(step.operands[1].reg(), lane, {&x, 1});
        if (count > 1) block.codes(step.operands[2].reg(), lane, {&y, 1});
        if (is_known(x)) x = x != 0;
        if (is_known(y)) y = y != 0;
        if (count > 1 && is_known(x)) std::swap(x, y);
        Code& into = made[0];
        if (count == 1 && is_known(x)) {
            into = x ^ 1;
        } else if (count > 1 && is_known(x)) {
            into = what == Bytes::conjunction ? x & y : what == Bytes::disjunction ? x | y : x ^ y;
        } else if (count == 1 || !is_known(y) || !connected_predicates(what, x, y, into)) {
            const NodeId arguments[2] = {block.graph().of_codes({&x, 1}), block.graph().of_codes({&y, 1})};
            into = code_of(block.graph().node(step.operations[0], 1, {arguments, count}), 0);
        }
    });
}

void decode_logic(Decoder& decoder, const Instruction& at, Step& step) {
    if (at.parts.back() != "pred") return decode_integer(decoder, at, step);
    const auto row = std::find_if(std::begin(integer_instructions), std::end(integer_instructions),
                                  [&](const IntegerInstruction& r) { return r.name == at.parts[0]; });
    if (step.operands.size() != row->operands + 1) throw Error(sentence("it has ", step.operands.size(), " operands"));
    step.rule = &*row;
    step.operations = {decoder.graph().operation(at.opcode)};
    step.run = run_logic;
}

} // namespace

std::span<const Opcode> integer_opcodes() {
    static constexpr Opcode opcodes[] = {
        {"add", decode_integer, "*"},
        {"sub", decode_integer, "*"},
        {"mul", decode_integer, "*"},
        {"mul24", decode_integer, "lo"},
        {"mad", decode_integer, "*"},
        {"div", decode_integer, "*"},
        {"rem", decode_integer},
        {"min", decode_integer, "*"},
        {"max", decode_integer, "*"},
        {"abs", decode_integer, "*"},
        {"neg", decode_integer, "*"},
        {"and", decode_logic},
        {"or", decode_logic},
        {"xor", decode_logic},
        {"not", decode_logic},
        {"cnot", decode_integer},
        {"lop3", decode_integer},
        {"shl", decode_integer},
        {"shr", decode_integer},
        {"shf", decode_integer, "l r wrap clamp"},
        {"bfe", decode_integer},
        {"bfi", decode_integer},
        {"brev", decode_integer},
        {"clz", decode_integer},
        {"popc", decode_integer},
        {"bfind", decode_integer, "shiftamt"},
        {"addc", decode_with_carry, "cc"},
        {"subc", decode_with_carry, "cc"},
    };
    return opcodes;
}

} // namespace discern::programs
