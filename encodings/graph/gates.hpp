// Terms as gates, and gates as clauses: the native way to a SAT solver.
//
// Words are blasted into the gates of certificate/circuit/netlist.hpp, each of them in a normal form and made once, so
// that equal parts of two circuits are one part; and only the gates that a condition depends on become clauses.
#pragma once

#include "encodings/graph/term.hpp"

#include "certificate/circuit/netlist.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace discern {

using certificate::Gate;
using certificate::Literal;
using certificate::Netlist;

/// Makes gates of a netlist of its own in a normal form: inputs sorted, inverters moved to the output, a mux by an xor
/// as the majority that it is. Equal gates are made once.
class GateBuilder {
  public:
    static constexpr Literal no = certificate::no, yes = certificate::yes;
    static constexpr Literal invert(Literal x) { return certificate::invert(x); }

    const Netlist& netlist() const { return netlist_; }

    Literal input() { return netlist_.add_input(); }
    Literal make_and(Literal x, Literal y);
    Literal make_or(Literal x, Literal y) { return invert(make_and(invert(x), invert(y))); }
    Literal make_xor(Literal x, Literal y);
    Literal make_mux(Literal condition, Literal then, Literal otherwise);
    Literal make_majority(Literal x, Literal y, Literal z);
    /// A gate of that kind, with as many of the inputs as it has.
    Literal make(Gate gate, Literal x, Literal y, Literal z);

  private:
    /// As many as literals, and the variables of a solver, can name.
    static constexpr std::size_t most = std::size_t{1} << 30;

    Netlist netlist_{0, true, most};
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
    const Netlist& netlist() const { return gates_.netlist(); }

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
    GateBuilder gates_;
    std::unordered_map<std::uint32_t, Word> words_;
};

/// Writes the clauses of gates, each gate once, in the numbering of DIMACS: node n is variable n + 1, the constant
/// among them.
class ClauseWriter {
  public:
    /// @param clause  takes each clause
    ClauseWriter(const Netlist& netlist, std::function<void(std::initializer_list<int>)> clause)
        : netlist_(netlist), clause_(std::move(clause)) {}
    /// All clauses that define this literal, except those written before.
    void define(Literal literal);
    static int dimacs(Literal literal) {
        const int variable = static_cast<int>(certificate::node_of(literal)) + 1;
        return certificate::is_inverted(literal) ? -variable : variable;
    }

  private:
    const Netlist& netlist_;
    std::function<void(std::initializer_list<int>)> clause_;
    std::vector<bool> written_;
};

} // namespace discern
