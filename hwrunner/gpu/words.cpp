// Each operation of bit-vectors on numbers in registers, and on conditions.
#include "words.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern::gpu {

namespace {

const Number zero{{"0"}, {0, 0}}, minus_one{{gpu::constant(~0u)}, {-1, -1}};

} // namespace

// ---- terms

Number Words::print(Term root) {
    readers_.resize(std::max<std::size_t>(readers_.size(), root.id + 1));
    std::vector<bool> wanted(root.id + 1, false); // operands are older than what is made of them
    wanted[root.id] = true;
    for (std::uint32_t id = root.id + 1; id-- > 0;) {
        if (!wanted[id] || words_.contains(id)) continue;
        for (const Term arg : t_.args({id})) {
            wanted[arg.id] = true;
            ++readers_[arg.id];
        }
        if (const auto found = definitions_.find(id); found != definitions_.end()) wanted[found->second.of.id] = true;
    }
    disjoint_.resize(wanted.size());
    for (std::uint32_t id = 0; id <= root.id; ++id)
        if (wanted[id] && !words_.contains(id)) {
            if (t_.op({id}) == Op::bvand)
                disjoint_[id] = is_complement(t_.args({id})[0]) && is_complement(t_.args({id})[1]);
            Word made = operation({id});
            words_[id] = std::move(made);
        }
    return number(root);
}

const Words::Word& Words::word(Term x) { return words_.at(x.id); }

/// The one of the two numbers modulo 2^width that is nearer to 0.
Words::Word Words::constant(Term x) const {
    const int width = t_.width(x);
    const auto& words = t_.value(x).words();
    Number y;
    for (std::size_t i = 0; i < Numbers::parts_of(width); ++i)
        y.parts.push_back(gpu::constant(i / 2 < words.size() ? words[i / 2] >> (32 * (i % 2)) : 0));
    auto top = static_cast<std::int64_t>(std::stoull(y.parts.back()));
    if (t_.value(x).bit(width - 1)) top -= std::int64_t{1} << (width - 32 * static_cast<int>(y.parts.size() - 1));
    y.parts.back() = gpu::constant(static_cast<std::uint64_t>(top));
    while (y.parts.size() > 1 && (top == 0 || top == -1)) { // as few parts as say it
        const auto below = static_cast<std::int64_t>(std::stoull(y.parts[y.parts.size() - 2]));
        const std::int64_t both = below + (top << 32);
        if (!fits({both, both})) break;
        y.parts.pop_back();
        top = both;
    }
    y.top = {top, top};
    return {y, {}};
}

Words::Word Words::operation(Term x) {
    const auto args = t_.args(x);
    const int width = t_.width(x);
    switch (t_.op(x)) {
    case Op::constant: return constant(x);
    case Op::variable: return defined(definitions_.at(x.id));
    case Op::bvnot: return complement(args[0]);
    case Op::bvand:
        if (is_complement(x)) return inverted(complement(x), width);
        return connected("and", word(args[0]), word(args[1]), width);
    case Op::bvxor: return exclusive(args[0], args[1]);
    case Op::bvneg: return {numbers_.sum(zero, number(args[0]), width, true), {}};
    case Op::bvadd: return {sum(x), {}};
    case Op::bvumax: {
        std::vector<Number> level;
        for (const Term arg : args) level.push_back(without_sign(arg));
        for (; level.size() > 1; level.resize((level.size() + 1) / 2)) // by pairs
            for (std::size_t i = 0; i < level.size(); i += 2)
                level[i / 2] = i + 1 < level.size() ? numbers_.extreme("max", level[i], level[i + 1], width) : level[i];
        return {level.front(), {}};
    }
    case Op::bvmul: return {numbers_.product(without_sign(args[0]), without_sign(args[1]), width), {}};
    case Op::bvshl: return {numbers_.shifted_left(number(args[0]), amount(args[1]), width), {}};
    case Op::bvlshr: return {numbers_.shifted_right(without_sign(args[0]), amount(args[1])), {}};
    case Op::bvult: return {{}, numbers_.less(without_sign(args[0]), without_sign(args[1]))};
    case Op::eq: return {{}, numbers_.equal(without_sign(args[0]), without_sign(args[1]))};
    case Op::ite: return chosen(x);
    case Op::concat: return {joined(x), {}};
    case Op::extract: return {extracted(x), {}};
    case Op::zero_extend: return {without_sign(args[0]), {}};
    case Op::sign_extend: return {with_sign(args[0]), {}};
    default: throw std::logic_error("a circuit has an operation that PTX is not written for");
    }
}

Words::Word Words::defined(const Definition& definition) {
    const Numbers::Normalised normal = numbers_.normalised(without_sign(definition.of), t_.width(definition.of));
    return {definition.is_count ? normal.zeros : normal.word, {}};
}

// ---- conditions

Number Words::number_of(const Word& x) {
    return x.is_predicate() ? numbers_.chosen(x.predicate, minus_one, zero, 1) : x.number;
}

Number Words::without_sign(Term x) {
    if (word(x).is_predicate()) return numbers_.chosen(word(x).predicate, Numbers::constant(1), zero, 1);
    return numbers_.without_sign(number(x), t_.width(x));
}

Number Words::with_sign(Term x) { return numbers_.with_sign(number(x), t_.width(x)); }

/// Instructions take amounts of 32 bits.
Number Words::amount(Term x) {
    if (t_.width(x) > 32) throw std::logic_error("a circuit shifts by an amount of more than 32 bits");
    return without_sign(x);
}

/// A bit that is 0 or −1.
bool Words::is_mask(Term x) {
    const Word& bit = word(x);
    return t_.width(x) == 1 && !bit.is_predicate() && bit.number.top.low >= -1 && bit.number.top.high <= 0;
}

std::string Words::predicate(Term condition) {
    const Word& x = word(condition);
    if (!x.predicate.empty()) return x.predicate;
    const Number bit = is_mask(condition) ? x.number : without_sign(condition);
    return code_.make(Code::Kind::predicate, "setp.ne.u32", {bit.parts[0], "0"});
}

/// Of two predicates a predicate. A predicate that is connected with a number is a number too.
Words::Word Words::connected(std::string_view operation, const Word& x, const Word& y, int width) {
    if (x.is_predicate() && y.is_predicate())
        return {{}, code_.make(Code::Kind::predicate, std::string(operation) + ".pred", {x.predicate, y.predicate})};
    return {numbers_.bitwise(operation, number_of(x), number_of(y), width), {}};
}

/// Whether a term is the complement of what it is computed from: ¬x, and ¬x ∧ ¬y, which is ¬(x ∨ y).
bool Words::is_complement(Term x) const {
    return t_.op(x) == Op::bvnot || (x.id < disjoint_.size() && disjoint_[x.id]);
}

/// Of one bit each of two words, if nothing else asks for these bits, the bit of one word.
Words::Word Words::exclusive(Term x, Term y) {
    const int width = t_.width(x);
    if (t_.op(x) != Op::extract || t_.op(y) != Op::extract || t_.low(x) != t_.low(y) || readers_[x.id] > 1 ||
        readers_[y.id] > 1 || width > 1)
        return connected("xor", word(x), word(y), width);
    const Term a = t_.args(x)[0], b = t_.args(y)[0];
    const int both = std::max(t_.width(a), t_.width(b));
    return {numbers_.slice(numbers_.bitwise("xor", number(a), number(b), both), t_.low(x), 1), {}};
}

/// So that each conjunction and disjunction is computed once, whether it is asked for or its complement is.
const Words::Word& Words::complement(Term x) {
    if (t_.op(x) == Op::bvnot) return word(t_.args(x)[0]);
    if (const auto found = complements_.find(x.id); found != complements_.end()) return found->second;
    const Word made = is_complement(x)
                          ? connected("or", complement(t_.args(x)[0]), complement(t_.args(x)[1]), t_.width(x))
                          : inverted(word(x), t_.width(x));
    return complements_[x.id] = made;
}

Words::Word Words::inverted(const Word& x, int width) {
    if (x.is_predicate()) return {{}, code_.make(Code::Kind::predicate, "not.pred", {x.predicate})};
    const bool is_bit = width == 1 && x.number.top.low >= 0 && x.number.top.high <= 1;
    return {numbers_.bitwise("xor", x.number, is_bit ? Numbers::constant(1) : minus_one, width), {}};
}

Words::Word Words::chosen(Term x) {
    const Term condition = t_.args(x)[0], yes = t_.args(x)[1], no = t_.args(x)[2];
    const int width = t_.width(x);
    const Word c = word(condition);
    if (is_mask(condition) && t_.op(yes) == Op::bvneg && t_.args(yes)[0] == no) { // with 0 or −1: −y = (y ^ −1) − −1
        const Number y = number(no);
        Number z = numbers_.sum(numbers_.bitwise("xor", y, c.number, width), c.number, width, true);
        const std::int64_t below = z.parts.size() > 1 ? 1 : 0; // what the lower parts take from the last one
        const Range top{std::min(y.top.low, -y.top.high - below), std::max(y.top.high, -y.top.low)};
        if (z.parts.size() == y.parts.size() && fits(top)) z.top = top;
        return {z, {}};
    }
    if (t_.op(condition) == Op::bvult) { // x < y ? x : y
        const Term left = t_.args(condition)[0], right = t_.args(condition)[1];
        const bool least = yes == left && no == right;
        if (least || (yes == right && no == left))
            return {numbers_.extreme(least ? "min" : "max", without_sign(left), without_sign(right), width), {}};
    }
    if (width == 1 && c.is_predicate() && word(yes).is_predicate() && word(no).is_predicate()) {
        const Word left = connected("and", c, word(yes), 1),
                   right = connected("and", complement(condition), word(no), 1);
        return connected("or", left, right, 1);
    }
    if (is_mask(condition)) return {numbers_.chosen_by_mask(c.number.parts[0], number(yes), number(no), width), {}};
    return {numbers_.chosen(predicate(condition), number(yes), number(no), width), {}};
}

// ---- arithmetic

/// What fits a register is added there, whatever the width of the sum: narrow terms first, as many as fit, and then
/// these sums.
Number Words::sum(Term x) {
    const int width = t_.width(x);
    struct Addend {
        Number number;
        bool minus;
    };
    std::vector<Addend> addends;
    for (Term arg : t_.args(x)) {
        const bool minus = t_.op(arg) == Op::bvneg;
        if (minus) arg = t_.args(arg)[0];
        const bool is_bit = t_.op(arg) == Op::zero_extend && is_mask(t_.args(arg)[0]); // 1 is −(−1)
        addends.push_back({number(is_bit ? t_.args(arg)[0] : arg), minus != is_bit});
    }
    std::stable_sort(addends.begin(), addends.end(), [](const Addend& a, const Addend& b) {
        return std::pair(a.number.parts.size(), a.minus) < std::pair(b.number.parts.size(), b.minus);
    });
    std::vector<Number> sums;
    for (const auto& [addend, minus] : addends) {
        const auto fitting = std::find_if(sums.begin(), sums.end(), [&, &y = addend, m = minus](const Number& already) {
            return Numbers::sum_fits(already, y, m);
        });
        if (fitting != sums.end())
            *fitting = numbers_.sum(*fitting, addend, width, minus);
        else if (minus && !sums.empty() && addend.parts.size() > 1)
            sums.back() = numbers_.sum(sums.back(), addend, width, true);
        else
            sums.push_back(minus ? numbers_.sum(zero, addend, width, true) : addend);
    }
    Number total = sums.front();
    for (std::size_t i = 1; i < sums.size(); ++i) total = numbers_.sum(total, sums[i], width);
    return total;
}

/// What lies just below a sign is of the number without it, which is there for other reasons too.
Number Words::extracted(Term x) {
    const Term from = t_.args(x)[0];
    const int low = t_.low(x), width = t_.width(x), rest = t_.width(from) - 1;
    // match: (y·2^k / 2^n)[low …), low ≤ k, where nothing else asks for the quotient
    // result: y·2^(k − low) / 2^n
    if (t_.op(from) == Op::bvlshr && readers_[from.id] == 1 && low > 0 && low + width == t_.width(from)) {
        const Term shifted = t_.args(from)[0];
        const Term zeros = t_.op(shifted) == Op::concat ? t_.args(shifted)[1] : shifted;
        if (t_.is_constant(zeros) && t_.value(zeros).is_zero() && low <= t_.width(zeros)) {
            const Term y = t_.args(shifted)[0];
            const Number left = numbers_.joined(without_sign(y), zero, t_.width(zeros) - low, width);
            return numbers_.shifted_right(left, amount(t_.args(from)[1]));
        }
    }
    const bool below_sign = low > 0 && low + width == rest && number(from).top.low < 0;
    return numbers_.slice(below_sign ? numbers_.without_sign(number(from), rest) : number(from), low, width);
}

/// A significand with its hidden bit, which is set if the exponent's field is not zero.
/// match: ¬(x[m … n) = 0), x[l … m) side by side
/// result: x[l … m) | min(x[l … n), 2^m)
std::optional<Number> Words::significand(Term high, Term low) {
    if (t_.op(high) != Op::bvnot || t_.op(low) != Op::extract) return std::nullopt;
    const Term absent = t_.args(high)[0], x = t_.args(low)[0];
    if (t_.op(absent) != Op::eq || !t_.is_constant(t_.args(absent)[1]) || !t_.value(t_.args(absent)[1]).is_zero())
        return std::nullopt;
    const Term field = t_.args(absent)[0];
    const int by = t_.width(low);
    if (t_.op(field) != Op::extract || t_.args(field)[0] != x || t_.low(field) != t_.low(low) + by || by > 30)
        return std::nullopt;
    const int both = by + t_.width(field);
    if (both > 32) return std::nullopt;
    const Number fields = numbers_.without_sign(numbers_.slice(number(x), t_.low(low), both), both);
    const Number hidden = numbers_.extreme("min", fields, Numbers::constant(std::uint64_t{1} << by), both);
    return numbers_.bitwise("or", without_sign(low), hidden, by + 1);
}

/// A bit above a word is put there by one instruction.
Number Words::joined(Term x) {
    const Term high = t_.args(x)[0], low = t_.args(x)[1];
    const int by = t_.width(low), width = t_.width(x);
    if (const auto whole = significand(high, low)) return *whole;
    const Word bit = word(high);
    const Number below = without_sign(low);
    if (t_.width(high) > 1 || by % 32 == 0) return numbers_.joined(number(high), below, by, width);
    const std::uint64_t place = std::uint64_t{1} << (by % 32);
    Number placed = Numbers::constant(place);
    if (bit.is_predicate())
        placed = numbers_.chosen(bit.predicate, placed, zero, 32);
    else if (is_mask(high))
        placed = numbers_.bitwise("and", bit.number, placed, 32);
    else
        return numbers_.joined(number(high), below, by, width);
    placed.parts.insert(placed.parts.begin(), static_cast<std::size_t>(by / 32), "0");
    return numbers_.bitwise("or", placed, below, width);
}

} // namespace discern::gpu
