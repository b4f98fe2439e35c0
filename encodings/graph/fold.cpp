// The operations that build terms, each with the identities it folds. A rule is written above the code that does it:
// what it matches => what it gives. Every rule keeps the value for all inputs; tests/encodings/term_test.cpp compares
// folded terms with the plain meaning of the operations on random graphs.
#include "term.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace discern {

void Terms::same_width(Term a, Term b, const char* operation) const {
    if (width(a) != width(b))
        throw std::logic_error(std::string("Terms: ") + operation + " of operands of " + std::to_string(width(a)) +
                               " and " + std::to_string(width(b)) + " bits");
}

// Whether t is the constant of that value.
bool Terms::known(Term t, std::uint64_t wanted) const {
    return is_constant(t) && value(t).low() == wanted && value(t).top() < 64;
}

bool Terms::complementary(Term a, Term b) const {
    return (op(a) == Op::bvnot && args(a)[0] == b) || (op(b) == Op::bvnot && args(b)[0] == a);
}

// Constants last, otherwise the older term first.
void Terms::in_order(Term& a, Term& b) const {
    const bool swap = is_constant(a) != is_constant(b) ? is_constant(a) : b < a;
    if (swap && (order_ == Order::canonical || is_constant(a))) std::swap(a, b);
}

Term Terms::bvnot(Term a) {
    if (is_constant(a)) return constant(discern::bvnot(value(a)));
    if (op(a) == Op::bvnot) return args(a)[0]; // ~~x => x
    return node(Op::bvnot, width(a), {a});
}

Term Terms::bvand(Term a, Term b) {
    same_width(a, b, "bvand");
    in_order(a, b);
    if (is_constant(b)) {
        if (is_constant(a)) return constant(discern::bvand(value(a), value(b)));
        if (value(b).is_zero()) return b; // x & 0 => 0
        if (value(b).is_ones()) return a; // x & 1…1 => x
    }
    if (a == b) return a;                                           // x & x => x
    if (complementary(a, b)) return constant(width(a), 0);          // x & ~x => 0
    for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) { // x & (x & y) => x & y;  x & (~x & y) => 0
        if (op(y) != Op::bvand) continue;
        if (args(y)[0] == x || args(y)[1] == x) return y;
        if (complementary(args(y)[0], x) || complementary(args(y)[1], x)) return constant(width(a), 0);
    }
    return node(Op::bvand, width(a), {a, b});
}

Term Terms::bvor(Term a, Term b) {
    same_width(a, b, "bvor");
    return bvnot(bvand(bvnot(a), bvnot(b))); // one kind for both: x | y => ~(~x & ~y)
}

Term Terms::bvxor(Term a, Term b) {
    same_width(a, b, "bvxor");
    in_order(a, b);
    if (is_constant(b)) {
        if (is_constant(a)) return constant(discern::bvxor(value(a), value(b)));
        if (value(b).is_zero()) return a;        // x ^ 0 => x
        if (value(b).is_ones()) return bvnot(a); // x ^ 1…1 => ~x
    }
    if (a == b) return constant(width(a), 0);                       // x ^ x => 0
    if (complementary(a, b)) return constant(Bits::ones(width(a))); // x ^ ~x => 1…1
    if (op(a) == Op::bvnot) return bvnot(bvxor(args(a)[0], b));     // ~x ^ y => ~(x ^ y)
    if (op(b) == Op::bvnot) return bvnot(bvxor(a, args(b)[0]));
    return node(Op::bvxor, width(a), {a, b});
}

Term Terms::bvneg(Term a) {
    if (width(a) == 1) return a; // −x = x modulo 2
    if (is_constant(a)) return constant(discern::bvneg(value(a)));
    if (op(a) == Op::bvneg) return args(a)[0]; // −−x => x
    return node(Op::bvneg, width(a), {a});
}

Term Terms::bvadd(Term a, Term b) {
    const Term both[] = {a, b};
    return bvadd(both);
}

Term Terms::bvadd(std::span<const Term> operands) {
    if (operands.empty()) throw std::logic_error("Terms: a sum of nothing has no width");
    const int w = width(operands[0]);
    Bits known_part(w);
    std::vector<Term> rest;
    for (const Term t : operands) {
        same_width(operands[0], t, "bvadd");
        const std::span<const Term> parts = op(t) == Op::bvadd ? args(t) : std::span(&t, 1);
        for (const Term part : parts) { // (x + y) + z => x + y + z; constants are added up
            if (is_constant(part))
                known_part = discern::bvadd(known_part, value(part));
            else
                rest.push_back(part);
        }
    }
    if (order_ == Order::canonical) std::sort(rest.begin(), rest.end());
    for (std::size_t i = 0; i < rest.size(); ++i) // x + −x => nothing
        if (op(rest[i]) == Op::bvneg) {
            const auto other = std::find(rest.begin(), rest.end(), args(rest[i])[0]);
            if (other == rest.end()) continue;
            const Term pair[] = {rest[i], *other};
            for (const Term t : pair) rest.erase(std::find(rest.begin(), rest.end(), t));
            i = static_cast<std::size_t>(-1);
        }
    if (!known_part.is_zero() || rest.empty()) rest.push_back(constant(known_part)); // x + 0 => x
    if (rest.size() == 1) return rest[0];
    if (w == 1) { // a sum of bits is their exclusive or
        Term parity = rest[0];
        for (std::size_t i = 1; i < rest.size(); ++i) parity = bvxor(parity, rest[i]);
        return parity;
    }
    return node(Op::bvadd, w, rest);
}

Term Terms::bvmul(Term a, Term b) {
    same_width(a, b, "bvmul");
    in_order(a, b);
    if (is_constant(b)) {
        if (is_constant(a)) return constant(discern::bvmul(value(a), value(b)));
        if (value(b).is_zero()) return b; // x · 0 => 0
        if (value(b).is_power_of_two())   // x · 2^n => x << n
            return bvshl(a, constant(32, static_cast<std::uint64_t>(value(b).top())));
    }
    return node(Op::bvmul, width(a), {a, b});
}

Term Terms::bvumax(std::span<const Term> operands) {
    if (operands.empty()) throw std::logic_error("Terms: a maximum of nothing has no width");
    const int w = width(operands[0]);
    Bits least(w); // the largest constant
    std::vector<Term> rest;
    for (const Term t : operands) {
        same_width(operands[0], t, "bvumax");
        const bool extended = op(t) == Op::zero_extend && op(args(t)[0]) == Op::bvumax; // 0max(x, y) => max(0x, 0y)
        const Term inner = extended ? args(t)[0] : t;
        std::vector<Term> parts = {t};
        if (op(inner) == Op::bvumax) {
            parts.assign(args(inner).begin(), args(inner).end());
            for (Term& part : parts) part = zero_extend(part, w);
        }
        for (const Term part : parts) { // max(max(x, y), z) => max(x, y, z); of constants the largest counts
            if (!is_constant(part))
                rest.push_back(part);
            else if (discern::bvult(least, value(part)))
                least = value(part);
        }
    }
    if (order_ == Order::canonical) { // max(x, x) => x
        std::sort(rest.begin(), rest.end());
        rest.erase(std::unique(rest.begin(), rest.end()), rest.end());
    }
    if (!least.is_zero() || rest.empty()) rest.push_back(constant(least)); // max(x, 0) => x
    if (rest.size() == 1) return rest[0];
    if (w == 1) return any_of(rest);
    return node(Op::bvumax, w, rest);
}

// A shift amount in no more bits than what is shifted: amounts that need more shift everything out.
Term Terms::fitted(Term amount, int w) {
    if (width(amount) <= w) return amount;
    const Term small = is_zero(extract(amount, w, width(amount) - w));
    return ite(small, extract(amount, 0, w), constant(Bits::ones(w)));
}

// Shifts by a constant are a matter of wires.
Term Terms::bvshl(Term a, Term amount) {
    if (!is_constant(amount)) return known(a, 0) ? a : node(Op::bvshl, width(a), {a, fitted(amount, width(a))});
    const Bits& by = value(amount);
    const int w = width(a);
    if (by.top() >= 31 || by.low() >= static_cast<std::uint64_t>(w)) return constant(w, 0);
    const int n = static_cast<int>(by.low());
    return n == 0 ? a : concat(extract(a, 0, w - n), constant(n, 0));
}

Term Terms::bvlshr(Term a, Term amount) {
    if (!is_constant(amount)) return known(a, 0) ? a : node(Op::bvlshr, width(a), {a, fitted(amount, width(a))});
    const Bits& by = value(amount);
    const int w = width(a);
    if (by.top() >= 31 || by.low() >= static_cast<std::uint64_t>(w)) return constant(w, 0);
    const int n = static_cast<int>(by.low());
    return zero_extend(extract(a, n, w - n), w);
}

Term Terms::bvashr(Term a, Term amount) {
    if (!is_constant(amount)) return known(a, 0) ? a : node(Op::bvashr, width(a), {a, fitted(amount, width(a))});
    const Bits& by = value(amount);
    const int w = width(a);
    const int n = by.top() >= 31 || by.low() >= static_cast<std::uint64_t>(w) ? w - 1 : static_cast<int>(by.low());
    return sign_extend(extract(a, n, w - n), w);
}

Term Terms::bvult(Term a, Term b) {
    same_width(a, b, "bvult");
    if (is_constant(a) && is_constant(b)) return truth(discern::bvult(value(a), value(b)));
    if (a == b || known(b, 0)) return truth(false);                   // x < x, x < 0 => 0
    if (is_constant(a) && value(a).is_ones()) return truth(false);    // 1…1 < x => 0
    if (known(b, 1)) return is_zero(a);                               // x < 1 => x = 0
    if (known(a, 0)) return bvnot(is_zero(b));                        // 0 < x => x ≠ 0
    if (is_constant(b) && value(b).is_ones()) return bvnot(eq(a, b)); // x < 1…1 => x ≠ 1…1
    if (op(a) == Op::zero_extend && op(b) == Op::zero_extend) {       // 0x < 0y => x < y
        const int w = std::max(width(args(a)[0]), width(args(b)[0]));
        if (w < width(a)) return bvult(resize(a, w), resize(b, w));
    }
    for (const bool left :
         {true, false}) { // a constant beyond the reach of 0x decides, else 0x and the constant shrink
        const Term extended = left ? a : b, other = left ? b : a;
        if (op(extended) != Op::zero_extend || !is_constant(other)) continue;
        const int w = width(args(extended)[0]);
        if (value(other).top() >= w) return truth(left);
        return left ? bvult(args(a)[0], resize(b, w)) : bvult(resize(a, w), args(b)[0]);
    }
    return node(Op::bvult, 1, {a, b});
}

Term Terms::bvslt(Term a, Term b) {
    same_width(a, b, "bvslt");
    const Term sign_a = bit(a, width(a) - 1), sign_b = bit(b, width(b) - 1);
    return ite(bvxor(sign_a, sign_b), sign_a, bvult(a, b));
}

Term Terms::eq(Term a, Term b) {
    same_width(a, b, "eq");
    in_order(a, b);
    if (a == b) return truth(true);
    if (complementary(a, b)) return truth(false);
    if (is_constant(b)) {
        if (is_constant(a)) return truth(false); // different constants are different nodes
        if (width(a) == 1) return value(b).is_zero() ? bvnot(a) : a;
        if (op(a) == Op::zero_extend) { // 0x = constant => x = constant, or false
            const int w = width(args(a)[0]);
            return value(b).top() >= w ? truth(false) : eq(args(a)[0], resize(b, w));
        }
        if (op(a) == Op::concat) { // xy = constant => both parts are
            const Term high = args(a)[0], low_part = args(a)[1];
            const int w = width(low_part);
            return bvand(eq(high, extract(b, w, width(high))), eq(low_part, extract(b, 0, w)));
        }
    } else if (width(a) == 1) {
        return bvnot(bvxor(a, b));
    }
    return node(Op::eq, 1, {a, b});
}

Term Terms::ite(Term c, Term yes, Term no) {
    same_width(yes, no, "ite");
    if (width(c) != 1) throw std::logic_error("Terms: the condition of an ite must have one bit");
    if (is_constant(c)) return known(c, 1) ? yes : no;
    if (yes == no) return yes;
    if (op(c) == Op::bvnot) return ite(args(c)[0], no, yes);
    // The same condition again inside a branch is known there.
    if (op(yes) == Op::ite && args(yes)[0] == c) return ite(c, args(yes)[1], no);
    if (op(no) == Op::ite && args(no)[0] == c) return ite(c, yes, args(no)[2]);
    if (width(yes) == 1) {
        if (known(yes, 1)) return bvor(c, no);                   // c ? 1 : x => c | x
        if (known(yes, 0)) return bvand(bvnot(c), no);           // c ? 0 : x => ~c & x
        if (known(no, 0)) return bvand(c, yes);                  // c ? x : 0 => c & x
        if (known(no, 1)) return bvor(bvnot(c), yes);            // c ? x : 1 => ~c | x
        if (complementary(yes, no)) return bvnot(bvxor(c, yes)); // c ? x : ~x => ~(c ^ x)
        if (yes == c) return bvor(c, no);
        if (no == c) return bvand(c, yes);
    }
    return node(Op::ite, width(yes), {c, yes, no});
}

Term Terms::concat(Term high, Term low_part) {
    if (is_constant(high) && is_constant(low_part)) return constant(discern::concat(value(high), value(low_part)));
    const int w = width(high) + width(low_part);
    if (known(high, 0)) return zero_extend(low_part, w); // 0x
    if (op(high) == Op::zero_extend)                     // (0x)y => 0(xy)
        return zero_extend(concat(args(high)[0], low_part), w);
    if (op(high) == Op::concat && is_constant(low_part) && is_constant(args(high)[1])) // (x 01) 10 => x 0110
        return concat(args(high)[0], concat(args(high)[1], low_part));
    if (op(high) == Op::extract && op(low_part) == Op::extract && args(high)[0] == args(low_part)[0] &&
        low(high) == low(low_part) + width(low_part)) // neighbouring slices of one term
        return extract(args(high)[0], low(low_part), w);
    return node(Op::concat, w, {high, low_part});
}

Term Terms::concat(std::span<const Term> words) {
    Term all = words.front();
    for (const Term word : words.subspan(1)) all = concat(word, all);
    return all;
}

Term Terms::extract(Term a, int low_bit, int w) {
    if (low_bit < 0 || w < 1 || low_bit + w > width(a))
        throw std::logic_error("Terms: extract of bits beyond the operand");
    if (w == width(a)) return a;
    if (is_constant(a)) return constant(discern::extract(value(a), low_bit, w));
    switch (op(a)) {
    case Op::extract: return extract(args(a)[0], low(a) + low_bit, w);
    case Op::concat: {
        const Term high = args(a)[0], low_part = args(a)[1];
        const int split = width(low_part);
        if (low_bit >= split) return extract(high, low_bit - split, w);
        if (low_bit + w <= split) return extract(low_part, low_bit, w);
        return concat(extract(high, 0, low_bit + w - split), extract(low_part, low_bit, split - low_bit));
    }
    case Op::zero_extend: {
        const int inner = width(args(a)[0]);
        if (low_bit >= inner) return constant(w, 0);
        if (low_bit + w <= inner) return extract(args(a)[0], low_bit, w);
        return zero_extend(extract(args(a)[0], low_bit, inner - low_bit), w);
    }
    case Op::sign_extend: {
        const int inner = width(args(a)[0]);
        if (low_bit + w <= inner) return extract(args(a)[0], low_bit, w);
        const int from = std::min(low_bit, inner - 1);
        return sign_extend(extract(args(a)[0], from, inner - from), w);
    }
    case Op::bvnot: return bvnot(extract(args(a)[0], low_bit, w));
    default: return node(Op::extract, w, {a}, low_bit);
    }
}

Term Terms::zero_extend(Term a, int w) {
    if (w < width(a)) throw std::logic_error("Terms: zero_extend to fewer bits");
    if (w == width(a)) return a;
    if (is_constant(a)) return constant(discern::zero_extend(value(a), w));
    if (op(a) == Op::zero_extend) return zero_extend(args(a)[0], w);
    return node(Op::zero_extend, w, {a});
}

Term Terms::sign_extend(Term a, int w) {
    if (w < width(a)) throw std::logic_error("Terms: sign_extend to fewer bits");
    if (w == width(a)) return a;
    if (is_constant(a)) return constant(discern::sign_extend(value(a), w));
    if (op(a) == Op::sign_extend) return sign_extend(args(a)[0], w);
    if (op(a) == Op::zero_extend) return zero_extend(a, w); // its sign is 0
    return node(Op::sign_extend, w, {a});
}

Term Terms::resize(Term a, int w) { return w <= width(a) ? extract(a, 0, w) : zero_extend(a, w); }

// A balanced tree over the sorted distinct conditions.
Term Terms::junction(Op kind, std::span<const Term> conditions) {
    if (conditions.empty()) return truth(kind == Op::bvand);
    std::vector<Term> level(conditions.begin(), conditions.end());
    if (order_ == Order::canonical) {
        std::sort(level.begin(), level.end());
        level.erase(std::unique(level.begin(), level.end()), level.end());
    }
    while (level.size() > 1) {
        std::vector<Term> next;
        for (std::size_t i = 0; i + 1 < level.size(); i += 2)
            next.push_back(kind == Op::bvand ? bvand(level[i], level[i + 1]) : bvor(level[i], level[i + 1]));
        if (level.size() % 2 != 0) next.push_back(level.back());
        level = std::move(next);
    }
    return level[0];
}

Term Terms::all_of(std::span<const Term> conditions) { return junction(Op::bvand, conditions); }
Term Terms::any_of(std::span<const Term> conditions) { return junction(Op::bvor, conditions); }

Term Terms::add_wide(Term a, Term b) {
    const int w = std::max(width(a), width(b)) + 1;
    return bvadd(resize(a, w), resize(b, w));
}

Term Terms::mul_wide(Term a, Term b) {
    const int w = width(a) + width(b);
    return bvmul(resize(a, w), resize(b, w));
}

} // namespace discern
