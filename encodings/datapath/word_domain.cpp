#include "word_domain.hpp"

#include <algorithm>
#include <bit>

namespace discern::rtl {

Term WordDomain::bit_or(Term x, Term y) {
    // match: (x & y) | (x & ~y)
    // result: x
    if (t_.op(x) == Op::bvand && t_.op(y) == Op::bvand)
        for (const std::size_t i : {0u, 1u})
            for (const std::size_t j : {0u, 1u})
                if (t_.args(x)[i] == t_.args(y)[j] && t_.args(x)[1 - i] == t_.bvnot(t_.args(y)[1 - j]))
                    return t_.args(x)[i];
    return t_.bvor(x, y);
}

WordDomain::Word WordDomain::constant(std::uint64_t value, int width) {
    const std::uint64_t words[] = {value};
    return width == 0 ? Word{} : word(t_.constant(Bits::from_words(width, words)));
}

WordDomain::Word WordDomain::repeat(Term bit, int count) {
    return count == 0 ? Word{} : word(t_.sign_extend(bit, count));
}

WordDomain::Word WordDomain::slice(const Word& x, int lsb, int count) {
    const int begin = std::max(lsb, 0), end = std::min(lsb + count, x.width);
    if (begin >= end) return constant(0, std::max(count, 0));
    const Word known = word(t_.extract(x.term, begin, end - begin));
    return resize(concat(known, constant(0, begin - lsb)), count);
}

WordDomain::Word WordDomain::resize(const Word& x, int width) {
    if (width == 0) return {};
    return x.width == 0 ? constant(0, width) : word(t_.resize(x.term, width));
}

WordDomain::Word WordDomain::concat(const Word& high, const Word& low) {
    if (high.width == 0) return low;
    return low.width == 0 ? high : word(t_.concat(high.term, low.term));
}

Term WordDomain::any(const Word& x) {
    if (x.width == 0) return zero();
    return x.width == 1 ? x.term : t_.bvnot(t_.is_zero(x.term));
}

Term WordDomain::all(const Word& x) {
    if (x.width == 0) return one();
    return x.width == 1 ? x.term : t_.eq(x.term, t_.constant(Bits::ones(x.width)));
}

WordDomain::Word WordDomain::word_or(const Word& x, const Word& y) {
    return x.width == 0 ? x : word(t_.bvor(x.term, y.term));
}

WordDomain::Word WordDomain::mux(Term condition, const Word& then, const Word& otherwise) {
    return then.width == 0 ? then : word(t_.ite(condition, then.term, otherwise.term));
}

WordDomain::Word WordDomain::add(const Word& x, const Word& y) {
    return x.width == 0 ? x : word(t_.bvadd(x.term, y.term));
}

WordDomain::Word WordDomain::subtract(const Word& x, const Word& y) {
    return x.width == 0 ? x : word(t_.bvsub(x.term, y.term));
}

WordDomain::Word WordDomain::negate_if(Term condition, const Word& x) {
    return x.width == 0 ? x : word(t_.ite(condition, t_.bvneg(x.term), x.term));
}

WordDomain::Word WordDomain::multiply(const Word& x, const Word& y) {
    const int both = x.width + y.width;
    return both == 0 ? Word{} : word(t_.bvmul(resize(x, both).term, resize(y, both).term));
}

WordDomain::Word WordDomain::shift_left(const Word& x, const Word& amount) {
    const Word wide = resize(x, x.width + (1 << amount.width) - 1);
    return amount.width == 0 ? x : word(t_.bvshl(wide.term, amount.term));
}

WordDomain::Shifted WordDomain::shift_right(const Word& x, const Word& amount) {
    if (amount.width == 0 || x.width == 0) return {x, zero()};
    const Term kept = t_.bvshl(t_.constant(Bits::ones(x.width)), amount.term);
    return {word(t_.bvlshr(x.term, amount.term)), any(word(t_.bvand(x.term, t_.bvnot(kept))))};
}

WordDomain::Normalised WordDomain::normalise(const Word& x) {
    Normalised result{x, {}, {}};
    const int stages = x.width == 0 ? 0 : static_cast<int>(std::bit_width(static_cast<unsigned>(x.width - 1)));
    for (int stage = stages; stage-- > 0;) {
        const int by = 1 << stage;
        const Term shifts = bit_not(any(slice(result.word, x.width - by, by)));
        result.word = mux(shifts, slice(result.word, -by, x.width), result.word);
        result.leading_zeros = concat(result.leading_zeros, word(shifts));
        result.stages.push_back(result.word.term);
    }
    return result;
}

WordDomain::Maximum WordDomain::maximum(const std::vector<Word>& words, const std::vector<Term>& takes_part) {
    Maximum result;
    if (words.front().width == 0) return result;
    for (std::size_t i = 0; i < words.size(); ++i) result.ranks.push_back(mask(takes_part[i], words[i]).term);
    std::vector<Term> level = result.ranks;
    while (level.size() > 1) {
        std::vector<Term> next;
        for (std::size_t i = 0; i + 1 < level.size(); i += 2)
            next.push_back(t_.ite(t_.bvult(level[i], level[i + 1]), level[i + 1], level[i]));
        result.rounds.push_back(next);
        if (level.size() % 2 != 0) next.push_back(level.back());
        level = std::move(next);
    }
    result.word = word(level.front());
    return result;
}

void WordDomain::add_signed(Total& total, const Word& x, Term negative, int lsb) {
    const Word term = negate_if(negative, resize(x, x.width + 1));
    total.signed_terms.push_back(term.term);
    const Word shifted = concat(term, constant(0, lsb));
    total.terms.push_back(t_.sign_extend(shifted.term, total.width));
}

WordDomain::Word WordDomain::word(const Total& total) {
    return word(total.terms.size() == 1 ? total.terms.front() : t_.bvadd(total.terms));
}

circuit::Operands<WordDomain> operands(const WordDomain& domain, const InputTerms& inputs) {
    const auto words = [&](const std::vector<Term>& patterns) {
        std::vector<WordDomain::Word> list;
        for (const Term pattern : patterns) list.push_back(domain.word(pattern));
        return list;
    };
    return {words(inputs.a), words(inputs.b), words(inputs.sa), words(inputs.sb),
            inputs.c ? words({*inputs.c}) : std::vector<WordDomain::Word>{}};
}

} // namespace discern::rtl
