// The reference circuit as words: the domain of what is printed as hardware, as C or for GPUs, and is compared with
// designs. Its operations are operators of bit-vector terms where those have one.
#pragma once

#include "certificate/circuit/domain.hpp"
#include "certificate/circuit/number.hpp"
#include "encodings/encode.hpp"
#include "encodings/graph/term.hpp"

#include <vector>

namespace discern::rtl {

/// Operations as certificate/circuit/domain.hpp describes them, as terms of one graph. Bits are terms of width 1.
class WordDomain {
  public:
    using Bit = Term;
    /// A term, or a word without bits, which no term is.
    struct Word {
        Term term{};
        int width = 0;
    };
    struct Shifted {
        Word word;
        Term sticky;
    };
    struct Normalised {
        Word word, leading_zeros;
        std::vector<Term> stages; ///< after shifts by …, 4, 2, 1 bits
    };
    struct Maximum {
        Word word;
        std::vector<Term> ranks;               ///< the words, or 0 for those that take no part
        std::vector<std::vector<Term>> rounds; ///< the larger of two neighbours each, until one is left
    };
    struct Total {
        int width;
        std::vector<Term> terms;          ///< of the width
        std::vector<Term> signed_terms{}; ///< those with a sign, of the width they need
    };

    explicit WordDomain(Terms& terms) : t_(terms) {}

    Term zero() { return t_.truth(false); }
    Term one() { return t_.truth(true); }
    Term bit_not(Term x) { return t_.bvnot(x); }
    Term bit_and(Term x, Term y) { return t_.bvand(x, y); }
    Term bit_or(Term x, Term y);
    Term bit_xor(Term x, Term y) { return t_.bvxor(x, y); }
    Term mux(Term condition, Term then, Term otherwise) { return t_.ite(condition, then, otherwise); }

    Word word(Term x) const { return {x, t_.width(x)}; }
    static int width(const Word& x) { return x.width; }
    Word constant(std::uint64_t value, int width);
    Word repeat(Term bit, int count);
    Term bit(const Word& x, int i) { return t_.bit(x.term, i); }
    Word slice(const Word& x, int lsb, int count);
    Word resize(const Word& x, int width);
    Word concat(const Word& high, const Word& low);

    Term any(const Word& x);
    Term all(const Word& x);
    Word word_or(const Word& x, const Word& y);
    Word mux(Term condition, const Word& then, const Word& otherwise);
    Word mask(Term condition, const Word& x) { return mux(condition, x, constant(0, x.width)); }

    Word add(const Word& x, const Word& y);
    Word subtract(const Word& x, const Word& y);
    Word increment(const Word& x, Term one) { return add(x, resize(word(one), x.width)); }
    Word negate_if(Term condition, const Word& x);
    Term less(const Word& x, const Word& y) { return x.width == 0 ? zero() : t_.bvult(x.term, y.term); }

    Word multiply(const Word& x, const Word& y);
    Word shift_left(const Word& x, const Word& amount);
    Shifted shift_right(const Word& x, const Word& amount);
    Normalised normalise(const Word& x);
    /// By pairs.
    Maximum maximum(const std::vector<Word>& words, const std::vector<Term>& takes_part);

    static Total total(int width) { return {width, {}, {}}; }
    void add_signed(Total& total, const Word& x, Term negative, int lsb);
    static void add_word(Total& total, const Word& x) { total.terms.push_back(x.term); }
    Word word(const Total& total);

  private:
    Terms& t_;
};

static_assert(circuit::Domain<WordDomain>);

/// Terms of the inputs as the words that unit_circuit takes.
circuit::Operands<WordDomain> operands(const WordDomain& domain, const InputTerms& inputs);

} // namespace discern::rtl
