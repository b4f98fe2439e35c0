// The reference circuit as words for GPUs: what a machine of 32-bit registers has an instruction for stays one
// operation, where the words that hardware is printed from are made of gates.
#pragma once

#include "encodings/datapath/word_domain.hpp"

#include <array>
#include <unordered_map>
#include <vector>

namespace discern::gpu {

/// What terms have no operator for: a variable that stands for the leading zeros of a word, or for the word, in as many
/// whole registers as it needs, shifted to the left by as many bits.
struct Definition {
    Term of;
    bool is_count;
};
using Definitions = std::unordered_map<std::uint32_t, Definition>; ///< by the variable

class GpuDomain : public rtl::WordDomain {
  public:
    explicit GpuDomain(Terms& terms) : WordDomain(terms), t_(terms) {}

    Term bit_and(Term x, Term y);
    Term bit_or(Term x, Term y);
    Term mux(Term condition, Term then, Term otherwise) { return t_.ite(condition, then, otherwise); }
    Word mux(Term condition, const Word& then, const Word& otherwise);
    Term any(const Word& x);
    Term all(const Word& x);
    Word word_or(const Word& x, const Word& y);
    Normalised normalise(const Word& x);
    Maximum maximum(const std::vector<Word>& words, const std::vector<Term>& takes_part);

    const Definitions& definitions() const { return definitions_; }

  private:
    Term defined(const char* what, Term of, int width);
    Term is_zero(Term x);
    std::vector<std::array<Term, 3>> choices(Term x);
    Term otherwise(Term x, Term condition);

    Terms& t_;
    Definitions definitions_;
};

static_assert(circuit::Domain<GpuDomain>);

} // namespace discern::gpu
