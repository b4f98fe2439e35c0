// Each operation of bit-vectors on words of one 32-bit register or several 64-bit registers.
#include "words.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace discern::gpu {

namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

bool is_number(const std::string& part) { return part.front() != '%'; }

std::uint64_t ones(int width) { return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1; }

std::size_t parts_of(int width) { return width <= 32 ? 1 : static_cast<std::size_t>(width + 63) / 64; }

/// "add" and 32: "add.u32".
std::string typed(std::string_view operation, char kind, int bits) {
    return std::string(operation) + "." + kind + std::to_string(bits);
}

} // namespace

// ---- statements

void Words::statement(const std::string& text) {
    text_ += "    " + text + ";\n";
    ++statements_;
}

std::string Words::make(int bits, std::string_view operation, std::initializer_list<std::string_view> operands) {
    const std::string to = next_register(bits);
    std::string line = std::string(operation) + " " + to;
    for (const std::string_view operand : operands) line += ", " + std::string(operand);
    statement(line);
    return to;
}

std::string Words::next_register(int bits) {
    return "%" + prefix_ + (bits == 32 ? "r" + std::to_string(narrow_++) : "w" + std::to_string(wide_++));
}

std::string Words::declarations() const {
    const auto declared = [this](const char* type, const char* name, int count) {
        return count == 0
                   ? ""
                   : std::string("    .reg .") + type + " %" + prefix_ + name + "<" + std::to_string(count) + ">;\n";
    };
    return declared("b32", "r", narrow_) + declared("b64", "w", wide_) + declared("pred", "p", conditions_);
}

// ---- terms

Word Words::print(Term root) {
    const std::array roots{root};
    for (const Term x : t_.cone(roots)) {
        if (t_.is_constant(x) || words_.contains(x.id)) continue;
        Word made = operation(x); // which may put other words where it will stand
        words_[x.id] = std::move(made);
    }
    return word(root);
}

Word Words::word(Term x) const {
    if (!t_.is_constant(x)) return words_.at(x.id);
    Word constant{.width = t_.width(x), .parts = {}};
    const auto& words = t_.value(x).words();
    for (std::size_t i = 0; i < parts_of(constant.width); ++i)
        constant.parts.push_back(number(i < words.size() ? words[i] : 0));
    return constant;
}

Word Words::operation(Term x) {
    const auto args = t_.args(x);
    const int width = t_.width(x);
    const auto folded = [&](const auto& two) {
        Word y = word(args[0]);
        for (const Term arg : args.subspan(1)) y = two(y, word(arg));
        return y;
    };
    switch (t_.op(x)) {
    case Op::bvnot: {
        Word y = word(args[0]);
        const int bits = register_bits(width);
        for (std::size_t i = 0; i < y.parts.size(); ++i)
            y.parts[i] = make(bits, typed("xor", 'b', bits),
                              {y.parts[i], number(ones(std::min(bits, width - 64 * static_cast<int>(i))))});
        return y;
    }
    case Op::bvand: return each("and", x);
    case Op::bvor: return each("or", x);
    case Op::bvxor: return each("xor", x);
    case Op::bvneg: return negated(word(args[0]));
    case Op::bvadd: return folded([&](const Word& a, const Word& b) { return sum(a, b); });
    case Op::bvmul: return folded([&](const Word& a, const Word& b) { return times(a, b); });
    case Op::bvshl: return shifted_left(word(args[0]), args[1]);
    case Op::bvlshr: return shifted_right(word(args[0]), args[1]);
    case Op::bvashr: return shifted_with_sign(word(args[0]), args[1]);
    case Op::bvult: return less(x);
    case Op::eq: return equal(x);
    case Op::ite: return chosen(predicate(args[0]), word(args[1]), word(args[2]));
    case Op::concat: return joined(word(args[0]), word(args[1]), width);
    case Op::extract: return taken(word(args[0]), t_.low(x), width);
    case Op::zero_extend: return widened(word(args[0]), width);
    case Op::sign_extend: return extended(word(args[0]), width);
    default: throw std::logic_error("a datapath has an operation that PTX is not written for");
    }
}

// ---- conditions

std::string Words::predicate(Term condition) {
    std::string& known = predicates_[condition.id];
    if (known.empty()) {
        known = next_predicate();
        statement("setp.ne.u32 " + known + ", " + word(condition).parts[0] + ", 0");
    }
    return known;
}

/// A comparison that was just made is a predicate, and a word for those that compute with it.
Word Words::truth(Term x, const std::string& predicate) {
    predicates_[x.id] = predicate;
    return {.width = 1, .parts = {make(32, "selp.b32", {"1", "0", predicate})}};
}

Word Words::chosen(const std::string& predicate, const Word& x, const Word& y) {
    const int bits = register_bits(x.width);
    Word z = x;
    for (std::size_t i = 0; i < z.parts.size(); ++i)
        if (x.parts[i] != y.parts[i])
            z.parts[i] = make(bits, typed("selp", 'b', bits), {x.parts[i], y.parts[i], predicate});
    return z;
}

Word Words::less(Term x) {
    const Word a = word(t_.args(x)[0]), b = word(t_.args(x)[1]);
    const std::string answer = next_predicate();
    if (a.parts.size() == 1) {
        statement(typed("setp.lt", 'u', register_bits(a.width)) + " " + answer + ", " + a.parts[0] + ", " + b.parts[0]);
        return truth(x, answer);
    }
    for (std::size_t i = 0; i < a.parts.size(); ++i)
        make(64, i == 0 ? "sub.cc.u64" : "subc.cc.u64", {a.parts[i], b.parts[i]});
    const std::string borrowed = make(64, "subc.u64", {"0", "0"});
    statement("setp.ne.u64 " + answer + ", " + borrowed + ", 0");
    return truth(x, answer);
}

Word Words::equal(Term x) {
    const Word a = word(t_.args(x)[0]), b = word(t_.args(x)[1]);
    const int bits = register_bits(a.width);
    std::string left = a.parts[0], right = b.parts[0];
    if (a.parts.size() > 1) {
        std::string differing = "0";
        for (std::size_t i = 0; i < a.parts.size(); ++i)
            differing = either(differing, make(64, "xor.b64", {a.parts[i], b.parts[i]}), 64);
        left = differing;
        right = "0";
    }
    const std::string answer = next_predicate();
    statement(typed("setp.eq", 'u', bits) + " " + answer + ", " + left + ", " + right);
    return truth(x, answer);
}

// ---- arithmetic

/// Only the low bits of a register.
std::string Words::truncated(std::string part, int bits, int width) {
    if (width >= bits) return part;
    return make(bits, typed("and", 'b', bits), {part, number(ones(width))});
}

/// The last register may have bits above the width.
Word Words::truncated(Word word) {
    const int bits = register_bits(word.width);
    word.parts.back() = truncated(word.parts.back(), bits, word.width - bits * static_cast<int>(word.parts.size() - 1));
    return word;
}

Word Words::each(std::string_view operation, Term x) {
    const int bits = register_bits(t_.width(x));
    Word y = word(t_.args(x)[0]);
    for (const Term arg : t_.args(x).subspan(1)) {
        const Word other = word(arg);
        for (std::size_t i = 0; i < y.parts.size(); ++i)
            y.parts[i] = make(bits, typed(operation, 'b', bits), {y.parts[i], other.parts[i]});
    }
    return y;
}

Word Words::sum(const Word& x, const Word& y) {
    Word z{.width = x.width, .parts = {}};
    const int bits = register_bits(x.width);
    const std::size_t n = x.parts.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::string carries = std::string(i == 0 ? "add" : "addc") + (i + 1 < n ? ".cc" : "");
        z.parts.push_back(make(bits, typed(carries, 'u', bits), {x.parts[i], y.parts[i]}));
    }
    return truncated(z);
}

Word Words::negated(const Word& x) {
    Word z{.width = x.width, .parts = {}};
    const int bits = register_bits(x.width);
    const std::size_t n = x.parts.size();
    for (std::size_t i = 0; i < n; ++i) {
        const std::string borrows = std::string(i == 0 ? "sub" : "subc") + (i + 1 < n ? ".cc" : "");
        z.parts.push_back(make(bits, typed(borrows, 'u', bits), {"0", x.parts[i]}));
    }
    return truncated(z);
}

Word Words::times(const Word& x, const Word& y) {
    const int bits = register_bits(x.width);
    const std::size_t n = x.parts.size();
    Word z{.width = x.width, .parts = {}};
    if (n == 1) {
        z.parts = {make(bits, typed("mul.lo", 'u', bits), {x.parts[0], y.parts[0]})};
        return truncated(z);
    }
    z.parts.assign(n, "0");
    const auto add = [&](std::size_t at, const std::string& part) { // with its carry, to the end
        for (std::size_t i = at; i < n; ++i) {
            const std::string carries = std::string(i == at ? "add" : "addc") + (i + 1 < n ? ".cc" : "");
            z.parts[i] = make(64, typed(carries, 'u', 64), {z.parts[i], i == at ? part : "0"});
        }
    };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; i + j < n; ++j) {
            if (x.parts[i] == "0" || y.parts[j] == "0") continue;
            add(i + j, make(64, "mul.lo.u64", {x.parts[i], y.parts[j]}));
            if (i + j + 1 < n) add(i + j + 1, make(64, "mul.hi.u64", {x.parts[i], y.parts[j]}));
        }
    return truncated(z);
}

// ---- other widths

std::string Words::either(const std::string& x, const std::string& y, int bits) {
    if (x == "0") return y;
    if (y == "0") return x;
    return make(bits, typed("or", 'b', bits), {x, y});
}

/// The i-th 64 bits.
std::string Words::part64(const Word& x, std::size_t i) {
    if (i >= x.parts.size()) return "0";
    if (x.width > 32 || is_number(x.parts[i])) return x.parts[i];
    return make(64, "cvt.u64.u32", {x.parts[i]});
}

/// 64 bits from `first` on, which may be below 0; zeros where the word has none.
std::string Words::bits64(const Word& x, int first) {
    if (first <= -64 || first >= x.width) return "0";
    if (first < 0) return make(64, "shl.b64", {part64(x, 0), number(static_cast<std::uint64_t>(-first))});
    const auto i = static_cast<std::size_t>(first / 64);
    const auto count = static_cast<std::uint64_t>(first % 64);
    if (count == 0) return part64(x, i);
    const std::string low = make(64, "shr.u64", {part64(x, i), number(count)}), above = part64(x, i + 1);
    return above == "0" ? low : either(low, make(64, "shl.b64", {above, number(64 - count)}), 64);
}

Word Words::joined(const Word& high, const Word& low, int width) {
    if (width <= 32) {
        const std::string moved =
            make(32, "shl.b32", {high.parts[0], number(static_cast<std::uint64_t>(width - high.width))});
        return {.width = width, .parts = {either(moved, low.parts[0], 32)}};
    }
    Word z{.width = width, .parts = {}};
    for (int i = 0; i < static_cast<int>(parts_of(width)); ++i)
        z.parts.push_back(either(bits64(low, 64 * i), bits64(high, 64 * i - low.width), 64));
    return z;
}

Word Words::taken(const Word& x, int low, int width) {
    const bool to_the_top = low + width == x.width;
    Word z{.width = width, .parts = {}};
    if (x.width <= 32) {
        z.parts = {low == 0 ? x.parts[0] : make(32, "shr.u32", {x.parts[0], number(static_cast<std::uint64_t>(low))})};
    } else if (width <= 32) {
        const std::string bits = bits64(x, low);
        z.parts = {bits == "0" ? bits : make(32, "cvt.u32.u64", {bits})};
    } else {
        for (int i = 0; i < static_cast<int>(parts_of(width)); ++i) z.parts.push_back(bits64(x, low + 64 * i));
    }
    return to_the_top ? z : truncated(z);
}

Word Words::widened(const Word& x, int width) {
    Word z{.width = width, .parts = x.parts};
    if (x.width <= 32 && width > 32) z.parts = {part64(x, 0)};
    z.parts.resize(parts_of(width), "0");
    return z;
}

Word Words::extended(const Word& x, int width) {
    const int bits = register_bits(width);
    Word z = widened(x, width);
    const std::size_t top = static_cast<std::size_t>(x.width - 1) / static_cast<std::size_t>(bits);
    const int used = x.width - bits * static_cast<int>(top);
    const std::string count = number(static_cast<std::uint64_t>(bits - used));
    if (used < bits)
        z.parts[top] =
            make(bits, typed("shr", 's', bits), {make(bits, typed("shl", 'b', bits), {z.parts[top], count}), count});
    if (top + 1 < z.parts.size()) {
        const std::string sign = make(64, "shr.s64", {z.parts[top], "63"});
        std::fill(z.parts.begin() + static_cast<std::ptrdiff_t>(top) + 1, z.parts.end(), sign);
    }
    return truncated(z);
}

// ---- shifts by amounts that vary

/// Instructions take amounts of 32 bits.
std::string Words::amount(Term x) const {
    if (t_.width(x) > 32) throw std::logic_error("a datapath shifts by an amount of more than 32 bits");
    return word(x).parts[0];
}

Words::Shift Words::shift(Term by) {
    const std::string count = make(32, "and.b32", {amount(by), "63"});
    return {
        .amount = amount(by), .count = count, .other = make(32, "sub.u32", {"64", count}), .most = ones(t_.width(by))};
}

std::string Words::moved(std::string_view operation, const std::string& part, const std::string& by) {
    return part == "0" ? part : make(64, operation, {part, by});
}

/// Moves whole registers: by the bits of the amount above the lowest six, one after the other.
std::vector<std::string> Words::by_registers(std::vector<std::string> parts, const Shift& by, bool left) {
    const std::size_t n = parts.size();
    std::uint64_t step = 1;
    for (; step < n && 64 * step <= by.most; step *= 2) {
        const std::string bit = make(32, "and.b32", {by.amount, number(64 * step)});
        const std::string moves = next_predicate();
        statement("setp.ne.u32 " + moves + ", " + bit + ", 0");
        std::vector<std::string> after(n);
        for (std::size_t i = 0; i < n; ++i) {
            const bool inside = left ? i >= step : i + step < n;
            const std::string from = inside ? parts[left ? i - step : i + step] : "0";
            after[i] = from == parts[i] ? from : make(64, "selp.b64", {from, parts[i], moves});
        }
        parts = std::move(after);
    }
    if (64 * step <= by.most) { // nothing is left of so many bits
        const std::string stays = next_predicate();
        statement("setp.lt.u32 " + stays + ", " + by.amount + ", " + number(64 * step));
        for (std::string& part : parts) part = make(64, "selp.b64", {part, "0", stays});
    }
    return parts;
}

Word Words::shifted_left(const Word& x, Term by) {
    const int bits = register_bits(x.width);
    if (x.parts.size() == 1)
        return truncated(
            Word{.width = x.width, .parts = {make(bits, typed("shl", 'b', bits), {x.parts[0], amount(by)})}});
    const Shift count = shift(by);
    const std::vector<std::string> from = by_registers(x.parts, count, true);
    Word z{.width = x.width, .parts = {}};
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::string here = moved("shl.b64", from[i], count.count);
        z.parts.push_back(i == 0 ? here : either(here, moved("shr.u64", from[i - 1], count.other), 64));
    }
    return truncated(z);
}

Word Words::shifted_right(const Word& x, Term by) {
    const int bits = register_bits(x.width);
    if (x.parts.size() == 1)
        return {.width = x.width, .parts = {make(bits, typed("shr", 'u', bits), {x.parts[0], amount(by)})}};
    const Shift count = shift(by);
    const std::vector<std::string> from = by_registers(x.parts, count, false);
    Word z{.width = x.width, .parts = {}};
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::string here = moved("shr.u64", from[i], count.count);
        z.parts.push_back(i + 1 == from.size() ? here : either(here, moved("shl.b64", from[i + 1], count.other), 64));
    }
    return z;
}

/// Of a negative number, what its complement becomes, complemented.
Word Words::shifted_with_sign(const Word& x, Term by) {
    const int bits = register_bits(x.width);
    const Word wide = extended(x, bits * static_cast<int>(x.parts.size()));
    const std::string sign =
        make(bits, typed("shr", 's', bits), {wide.parts.back(), number(static_cast<std::uint64_t>(bits) - 1)});
    const auto reversed = [&](Word y) {
        for (std::string& part : y.parts) part = make(bits, typed("xor", 'b', bits), {part, sign});
        return y;
    };
    Word z = reversed(shifted_right(reversed(wide), by));
    z.width = x.width;
    return truncated(z);
}

} // namespace discern::gpu
