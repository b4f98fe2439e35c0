// Terms as statements of PTX: straight-line integer code that every NVIDIA GPU computes with the same result.
//
// A unit's reference circuit is words and wires; here every wire becomes a number in registers (numbers.hpp). Nothing
// is left to floating point, so no rounding mode, flush or contraction of a machine can matter.
#pragma once

#include "domain.hpp"
#include "numbers.hpp"

#include "encodings/graph/term.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace discern::gpu {

/// Writes terms of one graph.
class Words {
  public:
    Words(const Terms& terms, const Definitions& definitions, Code& code)
        : t_(terms), definitions_(definitions), code_(code), numbers_(code) {}

    /// The variable is this number from now on, modulo 2 to its width.
    void bind(Term variable, Number number) { words_[variable.id] = {std::move(number), {}}; }
    /// Writes what `root` takes, and has not been written yet. @return it, modulo 2 to its width
    /// @throws std::logic_error of an operation that no circuit has
    Number print(Term root);

  private:
    /// A comparison is a predicate, and a number (a mask) once it is asked for as one.
    struct Word {
        Number number;
        std::string predicate;
        bool is_predicate() const { return number.parts.empty(); }
    };

    Word operation(Term x);
    Word defined(const Definition& definition);
    const Word& word(Term x);
    Word constant(Term x) const;
    Number number(Term x) { return number_of(word(x)); }
    Number number_of(const Word& x);
    Number without_sign(Term x);
    Number with_sign(Term x);
    Number amount(Term x);
    std::string predicate(Term condition);
    bool is_mask(Term x);

    Word connected(std::string_view operation, const Word& x, const Word& y, int width);
    Word exclusive(Term x, Term y);
    bool is_complement(Term x) const;
    const Word& complement(Term x);
    Word inverted(const Word& x, int width);
    Word chosen(Term x);
    Number sum(Term x);
    Number extracted(Term x);
    std::optional<Number> significand(Term high, Term low);
    Number joined(Term x);

    const Terms& t_;
    const Definitions& definitions_;
    Code& code_;
    Numbers numbers_;
    std::unordered_map<std::uint32_t, Word> words_, complements_;
    std::vector<bool> disjoint_;         ///< by term: ¬x ∧ ¬y
    std::vector<std::uint32_t> readers_; ///< by term: how many terms have it as an operand
};

} // namespace discern::gpu
