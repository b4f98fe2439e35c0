// The term graph: hash-consed, constant-folding terms of QF_BV.
//
// Every question about units becomes one graph of bit-vector terms. Terms are folded when they are built (constants,
// identities, absorbing elements, operand order), so that terms which are equal for such reasons are the same node;
// two units then share everything up to the point where they really differ, which decides how hard a question is.
// A boolean is a term of width 1. All state is in the Terms object; a Term is only a number within it.
#pragma once

#include "bits.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <initializer_list>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace discern {

/// The kinds of node. Operands have the width of the result unless said otherwise.
enum class Op : std::uint8_t {
    constant,
    variable,
    bvnot,
    bvand,
    bvor,
    bvxor,
    bvneg,
    bvadd, ///< two or more operands
    bvmul,
    bvumax, ///< the largest of two or more operands, unsigned
    bvshl,  ///< second operand: unsigned amount of no more bits than the first; the width and more give 0 …
    bvlshr, ///< likewise
    bvashr, ///< … or copies of the sign
    bvult,  ///< width 1; operands of any one width, unsigned
    eq,     ///< width 1; operands of any one width
    ite,    ///< first operand of width 1
    concat, ///< high, low
    extract,
    zero_extend,
    sign_extend,
};

struct Number;                     // encodings/number/number.hpp: what is built of terms
enum class Folding : std::uint8_t; // encodings/number/folding.hpp: what is left out on the way

struct Term {
    std::uint32_t id = 0;
    std::strong_ordering operator<=>(const Term&) const = default;
};

/// Thrown while terms are built, or made circuits, where the time for that is over (Terms::stop_when).
struct TimeIsOver : std::runtime_error {
    TimeIsOver() : std::runtime_error("the time to build terms is over") {}
};

class Terms {
  public:
    /// Whether commutative operands are put in one order, so that sums and products that differ only in the order of
    /// their operands are one node. Off is for testing that proofs do not depend on it.
    enum class Order : std::uint8_t { canonical, as_written };

    explicit Terms(Order order = Order::canonical);
    Terms(const Terms&) = delete;
    Terms& operator=(const Terms&) = delete;

    /// From now on `over` is asked now and then, and building ends with TimeIsOver once it says yes.
    void stop_when(std::function<bool()> over) { over_ = std::move(over); }
    /// @throws TimeIsOver if it says yes now
    void keep_to_time() const {
        if (over_ && over_()) throw TimeIsOver();
    }

    // ---- leaves -------------------------------------------------------------------------------------------------
    Term constant(int width, std::uint64_t value);
    Term constant(const Bits& value);
    Term truth(bool value) { return constant(1, value ? 1 : 0); }
    /// The variable of that name; the same name gives the same term. @throws std::logic_error for another width.
    Term variable(const std::string& name, int width);

    /// Calls `observer` with every number that is built from now on, to check what is claimed of it.
    void watch(std::function<void(const Number&)> observer) { observer_ = std::move(observer); }
    void show(const Number& number) const {
        if (observer_) observer_(number);
    }

    /// Notes a fact about numbers that folding made use of, and that the program knows by going through all of them.
    void rely_on(const std::string& fact) { facts_.insert(fact); }
    const std::set<std::string>& facts() const { return facts_; }

    /// From now on numbers are built as if there were no such rule, to see what is lost without it.
    void leave_unfolded(Folding rule) { unfolded_ |= bit_of(rule); }
    bool may_fold(Folding rule) const { return (unfolded_ & bit_of(rule)) == 0; }

    // ---- operations; operands of unequal widths are std::logic_errors -----------------------------------------------
    Term bvnot(Term a);
    Term bvand(Term a, Term b);
    Term bvor(Term a, Term b);
    Term bvxor(Term a, Term b);
    Term bvneg(Term a);
    Term bvadd(std::span<const Term> operands);
    Term bvadd(Term a, Term b);
    Term bvsub(Term a, Term b) { return bvadd(a, bvneg(b)); }
    Term bvmul(Term a, Term b);
    /// The largest of one or more operands, unsigned.
    Term bvumax(std::span<const Term> operands);
    /// Shifts take amounts of any width.
    Term bvshl(Term a, Term amount);
    Term bvlshr(Term a, Term amount);
    Term bvashr(Term a, Term amount);
    Term bvult(Term a, Term b);
    Term bvslt(Term a, Term b);
    Term eq(Term a, Term b);
    Term ite(Term condition, Term yes, Term no);
    Term concat(Term high, Term low);
    /// The lowest one first.
    Term concat(std::span<const Term> words);
    /// Bits `low` … `low + width − 1`.
    Term extract(Term a, int low, int width);
    Term zero_extend(Term a, int width);
    Term sign_extend(Term a, int width);

    // ---- conveniences -----------------------------------------------------------------------------------------------
    Term bit(Term a, int i) { return extract(a, i, 1); }
    /// The low `width` bits of an unsigned number, or the number with zeros in front.
    Term resize(Term a, int width);
    Term is_zero(Term a) { return eq(a, constant(width(a), 0)); }
    Term all_of(std::span<const Term> conditions);
    Term any_of(std::span<const Term> conditions);

    // ---- operations that widen, so that nothing can overflow --------------------------------------------------------
    /// Unsigned sum, one bit wider than the wider operand.
    Term add_wide(Term a, Term b);
    /// Unsigned product, as wide as both operands together.
    Term mul_wide(Term a, Term b);

    // ---- reading ----------------------------------------------------------------------------------------------------
    Order order() const { return order_; }
    /// For terms that are built from now on.
    void set_order(Order order) { order_ = order; }
    std::size_t size() const { return nodes_.size(); }
    Op op(Term t) const { return nodes_[t.id].op; }
    int width(Term t) const { return nodes_[t.id].width; }
    std::span<const Term> args(Term t) const { return nodes_[t.id].args; }
    /// The lowest bit of an extract.
    int low(Term t) const { return nodes_[t.id].low; }
    bool is_constant(Term t) const { return op(t) == Op::constant; }
    /// The value of a constant. @throws std::logic_error for another term
    const Bits& value(Term t) const;
    /// The name of a variable. @throws std::logic_error for another term
    const std::string& name(Term t) const;
    /// All variables, in the order in which they were made.
    std::span<const Term> variables() const { return variables_; }
    /// `roots` and all that they are made of, operands first, each once.
    std::vector<Term> cone(std::span<const Term> roots) const;
    /// A copy of `root` in which every term of `with` (by id) is replaced by its partner of the same width, folded
    /// again on the way up.
    Term substitute(Term root, const std::unordered_map<std::uint32_t, Term>& with);
    /// The node of that kind with these operands, built by the operation above (`low`: of an extract).
    Term rebuild(Op op, int width, std::span<const Term> args, int low);

  private:
    struct Node {
        Op op;
        int width;
        int low; ///< extract: lowest bit; constant, variable: index into constants_, names_
        std::uint32_t hash;
        std::span<const Term> args; ///< in operands_
    };
    /// Operands of nodes, in blocks that are never moved: who reads those of a term may build others.
    class Operands {
      public:
        std::span<const Term> kept(std::span<const Term> args);

      private:
        std::vector<std::vector<Term>> blocks_;
    };

    static std::uint64_t bit_of(Folding rule) { return 1ull << static_cast<unsigned>(rule); }
    Term node(Op op, int width, std::span<const Term> args, int low = 0);
    Term node(Op op, int width, std::initializer_list<Term> args, int low = 0) {
        return node(op, width, std::span(args.begin(), args.size()), low);
    }
    std::uint32_t hash_of(const Node& n) const;
    bool are_equal(const Node& x, const Node& y) const;
    /// Where the table has a node equal to this one, or has a free place for it.
    std::size_t place_of(const Node& wanted) const;
    void same_width(Term a, Term b, const char* operation) const;
    bool known(Term t, std::uint64_t value) const;
    bool complementary(Term a, Term b) const;
    Term junction(Op op, std::span<const Term> conditions);
    Term fitted(Term amount, int width);
    void in_order(Term& a, Term& b) const;

    Order order_;
    std::function<bool()> over_;
    std::function<void(const Number&)> observer_;
    unsigned until_asked_ = 0;
    std::uint64_t unfolded_ = 0; ///< by Folding: no rule but in tests
    std::vector<Node> nodes_;
    Operands operands_;
    std::deque<Bits> constants_;
    std::deque<std::string> names_;
    std::vector<Term> variables_;
    std::set<std::string> facts_;
    std::unordered_map<std::string, Term> by_name_;
    std::vector<std::uint32_t> table_; ///< by hash: 1 + the id of a node, or 0; at most half of it is taken
};

/// What an operation gives for constant operands: the meaning of every Op but constant and variable.
/// @param width  of the result
/// @param low    of an extract
Bits apply(Op op, int width, std::span<const Bits* const> args, int low);

} // namespace discern
