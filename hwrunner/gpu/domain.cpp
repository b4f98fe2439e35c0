// What a machine has an instruction for, and conditions that one comparison answers.
#include "domain.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

namespace discern::gpu {

namespace {

/// Neighbouring bits of a term that are compared with a constant.
struct Compared {
    Term of;
    int low = 0;
    Bits value;
    int end() const { return low + value.width(); }
};

std::optional<Compared> compared(const Terms& t, Term condition) {
    if (t.op(condition) != Op::eq || !t.is_constant(t.args(condition)[1])) return std::nullopt;
    const Term bits = t.args(condition)[0];
    if (t.op(bits) != Op::extract) return std::nullopt;
    return Compared{t.args(bits)[0], t.low(bits), t.value(t.args(condition)[1])};
}

/// x, y of a disjunction x ∨ y.
std::optional<std::pair<Term, Term>> disjunction(Terms& t, Term condition) {
    if (t.op(condition) != Op::bvnot || t.op(t.args(condition)[0]) != Op::bvand) return std::nullopt;
    const Term both = t.args(condition)[0];
    const Term left = t.args(both)[0], right = t.args(both)[1];
    const Term x = t.bvnot(left);
    return std::pair(x, t.bvnot(right));
}

} // namespace

/// Fields of one pattern that are compared with constants: an infinity is one comparison, and a NaN too.
Term GpuDomain::bit_and(Term x, Term y) {
    for (const auto& [high, low] : {std::pair(x, y), std::pair(y, x)}) {
        const auto upper = compared(t_, high);
        if (!upper) continue;
        // match: x[m … n) = 1…1 ∧ ¬(x[l … m) = 0)
        // result: 1…10…0 < x[l … n)
        if (t_.op(low) == Op::bvnot)
            if (const auto lower = compared(t_, t_.args(low)[0]); lower && lower->of == upper->of &&
                                                                  lower->end() == upper->low &&
                                                                  upper->value.is_ones() && lower->value.is_zero()) {
                const Bits limit = discern::concat(upper->value, lower->value);
                return t_.bvult(t_.constant(limit), t_.extract(upper->of, lower->low, limit.width()));
            }
        // match: x[m … n) = c ∧ x[l … m) = d
        // result: x[l … n) = cd
        if (const auto lower = compared(t_, low); lower && lower->of == upper->of && lower->end() == upper->low) {
            const Bits both = discern::concat(upper->value, lower->value);
            return t_.eq(t_.extract(upper->of, lower->low, both.width()), t_.constant(both));
        }
    }
    // match: (n ∨ x) ∧ (n ∨ y)
    // result: n ∨ (x ∧ y)
    if (const auto left = disjunction(t_, x), right = disjunction(t_, y); left && right)
        for (const auto& [n, a] : {*left, std::pair(left->second, left->first)})
            for (const auto& [m, b] : {*right, std::pair(right->second, right->first)})
                if (n == m) return bit_or(n, bit_and(a, b));
    return t_.bvand(x, y);
}

/// match: ¬(x = 0) ∨ ¬(y = 0)
/// result: ¬(x | y = 0)
Term GpuDomain::bit_or(Term x, Term y) {
    const auto word = [&](Term condition) -> std::optional<Term> {
        if (t_.op(condition) != Op::bvnot) return std::nullopt;
        const Term zero = t_.args(condition)[0];
        if (t_.op(zero) != Op::eq || !t_.is_constant(t_.args(zero)[1]) || !t_.value(t_.args(zero)[1]).is_zero())
            return std::nullopt;
        return t_.args(zero)[0];
    };
    const std::optional<Term> a = word(x), b = word(y);
    if (!a || !b) return WordDomain::bit_or(x, y);
    const int width = std::max(t_.width(*a), t_.width(*b));
    return t_.bvnot(t_.is_zero(t_.bvor(t_.resize(*a, width), t_.resize(*b, width))));
}

Term GpuDomain::is_zero(Term x) {
    if (t_.op(x) != Op::concat) return t_.is_zero(x);
    return bit_and(is_zero(t_.args(x)[0]), is_zero(t_.args(x)[1]));
}

/// n ? x : y, and ¬n ? y : x; nothing of another term.
std::vector<std::array<Term, 3>> GpuDomain::choices(Term x) {
    if (t_.op(x) != Op::ite) return {};
    const Term n = t_.args(x)[0], yes = t_.args(x)[1], no = t_.args(x)[2];
    return {{n, yes, no}, {t_.bvnot(n), no, yes}};
}

/// match: any(n ? x : y), and some bit of x is always set
/// result: n ∨ any(y)
Term GpuDomain::any(const Word& x) {
    if (x.width <= 1) return WordDomain::any(x);
    for (const auto& [n, yes, no] : choices(x.term))
        if (is_zero(yes) == zero()) return bit_or(n, any(word(no)));
    return t_.bvnot(is_zero(x.term));
}

/// match: all(n ? x : y), and all bits of x are always set
/// result: n ∨ all(y)
Term GpuDomain::all(const Word& x) {
    if (x.width <= 1) return WordDomain::all(x);
    for (const auto& [n, yes, no] : choices(x.term))
        if (WordDomain::all(word(yes)) == one()) return bit_or(n, all(word(no)));
    return WordDomain::all(x);
}

/// What x is where a condition does not hold.
Term GpuDomain::otherwise(Term x, Term condition) {
    if (t_.op(x) == Op::concat) {
        const Term high = otherwise(t_.args(x)[0], condition);
        return t_.concat(high, otherwise(t_.args(x)[1], condition));
    }
    for (const auto& [n, yes, no] : choices(x))
        if (n == condition) return no;
    return x;
}

/// A NaN that is replaced by another one need not be made.
/// match: n ∨ m ? x : y
/// result: n ∨ m ? x : (y where n does not hold)
rtl::WordDomain::Word GpuDomain::mux(Term condition, const Word& then, const Word& otherwise) {
    if (otherwise.width == 0) return otherwise;
    Term y = otherwise.term;
    if (const auto some = disjunction(t_, condition))
        y = this->otherwise(this->otherwise(y, some->first), some->second);
    return word(t_.ite(condition, then.term, y));
}

/// match: x | (x = 0)
/// result: max(x, 1)
rtl::WordDomain::Word GpuDomain::word_or(const Word& x, const Word& y) {
    if (x.width > 1 && t_.op(y.term) == Op::zero_extend && t_.args(y.term)[0] == t_.is_zero(x.term)) {
        const Term both[] = {x.term, t_.constant(x.width, 1)};
        return word(t_.bvumax(both));
    }
    return WordDomain::word_or(x, y);
}

Term GpuDomain::defined(const char* what, Term of, int width) {
    const Term variable = t_.variable(what + std::to_string(of.id), width);
    definitions_[variable.id] = {of, what == std::string_view("zeros of ")};
    return variable;
}

rtl::WordDomain::Normalised GpuDomain::normalise(const Word& x) {
    if (x.width <= 1 || t_.is_constant(x.term)) return WordDomain::normalise(x);
    const int whole = (x.width + 31) / 32 * 32, bits = std::bit_width(static_cast<unsigned>(x.width - 1));
    const Term shifted = defined("normal of ", x.term, whole), zeros = defined("zeros of ", x.term, bits);
    return {word(t_.extract(shifted, whole - x.width, x.width)), word(zeros), {}};
}

rtl::WordDomain::Maximum GpuDomain::maximum(const std::vector<Word>& words, const std::vector<Term>& takes_part) {
    Maximum result;
    if (words.front().width == 0) return result;
    for (std::size_t i = 0; i < words.size(); ++i) result.ranks.push_back(mask(takes_part[i], words[i]).term);
    result.word = word(t_.bvumax(result.ranks));
    return result;
}

} // namespace discern::gpu
