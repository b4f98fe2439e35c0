// Terms as gates, and gates as clauses: the native way to a SAT solver.
//
// Words are blasted into AND, XOR, ITE and MAJ gates with structural hashing, so that equal parts of two circuits are
// one part, and only the gates that a condition depends on become clauses (Tseitin, both directions).
#pragma once

#include "encodings/graph/term.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace discern {

/// A gate's output or its negation: 2·gate + negated.
using Literal = std::uint32_t;

class Gates {
  public:
    static constexpr Literal no = 0, yes = 1;
    static Literal negate(Literal a) { return a ^ 1; }

    enum class Kind : std::uint8_t { constant, input, conjunction, exclusive_or, choice, majority };
    struct Gate {
        Kind kind;
        std::array<Literal, 3> in;
        bool operator==(const Gate&) const = default;
    };

    Gates();
    Literal input();
    Literal conjunction(Literal a, Literal b);
    Literal disjunction(Literal a, Literal b) { return negate(conjunction(negate(a), negate(b))); }
    Literal exclusive_or(Literal a, Literal b);
    Literal choice(Literal condition, Literal yes_value, Literal no_value);
    Literal majority(Literal a, Literal b, Literal c);

    const Gate& gate(std::uint32_t index) const { return gates_[index]; }
    std::size_t size() const { return gates_.size(); }

  private:
    struct Hash {
        std::size_t operator()(const Gate& g) const;
    };
    Literal make(Kind kind, Literal a, Literal b, Literal c);

    std::vector<Gate> gates_;
    std::unordered_map<Gate, std::uint32_t, Hash> table_;
};

/// How sums of several operands and products become gates.
enum class Layout : std::uint8_t {
    balanced, ///< sums as trees, products by rows of the shorter factor
    /// As certificate/circuit/gates.hpp does: one operand after the other, what is negated under a condition as its
    /// bits reversed and a carry, a row for each bit of the second factor.
    chained,
};

/// Blasts terms; each term once.
class Blaster {
  public:
    explicit Blaster(const Terms& terms, Layout layout = Layout::balanced) : terms_(terms), layout_(layout) {}
    /// The literals of a term's bits, least significant first.
    const std::vector<Literal>& bits(Term t);
    const Gates& gates() const { return gates_; }

  private:
    using Word = std::vector<Literal>;
    Word make(Term t);
    /// x, or −x if the condition holds.
    struct Negated {
        Literal condition;
        Word word;
    };
    /// A term that is one of the two by its form.
    std::optional<Negated> negated(Term t) const;
    Word reversed_if(Literal condition, Word word);
    Word chained_sum(std::span<const Term> operands);
    Word balanced_sum(std::vector<Word> words);
    Word maximum(std::vector<Word> words);
    Literal less(const Word& a, const Word& b);
    Word add(const Word& a, const Word& b, Literal carry);
    Word product(const Word& a, const Word& b);
    Word shifted(Op op, Word a, const Word& amount);

    const Terms& terms_;
    Layout layout_;
    Gates gates_;
    std::unordered_map<std::uint32_t, Word> words_;
};

/// Writes the clauses of gates, each gate once, in the numbering of DIMACS: gate g is variable g.
class ClauseWriter {
  public:
    /// @param clause  takes each clause
    ClauseWriter(const Gates& gates, std::function<void(std::initializer_list<int>)> clause)
        : gates_(gates), clause_(std::move(clause)) {}
    /// All clauses that define this literal, except those written before.
    void define(Literal literal);
    static int dimacs(Literal literal) {
        const int variable = static_cast<int>(literal / 2) + 1;
        return (literal & 1) != 0 ? -variable : variable;
    }

  private:
    const Gates& gates_;
    std::function<void(std::initializer_list<int>)> clause_;
    std::vector<bool> written_;
};

} // namespace discern
