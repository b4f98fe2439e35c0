// A unit as words and named wires: what every form of a unit as hardware or C is printed from.
//
// The wires are those that an engineer would draw: significands, exponents, shifts, aligned terms, the sum. They follow
// docs/notation.md as the plain circuit of certificate/ does, in the same order and in words in the place of gates, so
// that a proof about what was printed finds wire after wire in the circuit of the unit.
#pragma once

#include "encodings/encode.hpp"
#include "encodings/graph/term.hpp"

#include "models/unit.hpp"

#include <string>
#include <vector>

namespace discern::rtl {

class Sheet {
  public:
    /// A wire, or, without a name, a heading above those that follow.
    struct Line {
        std::string name, text;
        Term term;
        bool begins_stage = false; ///< where a pipeline has registers, they stand before it
    };

    Terms t{Terms::Order::as_written};
    bool keeps_nan = false; ///< the unit's NaN are those of its operands (nan=x86)

    /// From now on wires are called PREFIX and their name.
    void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
    const std::string& prefix() const { return prefix_; }
    void heading(const std::string& text) { lines_.push_back({"", text, {}, false}); }
    /// Gives a term a name, for those who read. @return the term
    Term wire(const std::string& name, Term term, const std::string& comment = "");
    /// The last wire begins a stage.
    void begin_stage() { lines_.back().begins_stage = true; }
    const std::vector<Line>& lines() const { return lines_; }

    // ---- words; a word has at least one bit

    Term no() { return t.truth(false); }
    Term yes() { return t.truth(true); }
    Term constant(std::uint64_t value, int width);
    /// Zeros above, or bits cut off above.
    Term resized(Term x, int width);
    /// The bits from `first`, `count` of them; places that the word does not have are zeros.
    Term part(Term x, int first, int count);
    Term any(Term x);
    Term all(Term x);
    Term both(Term x, Term y) { return t.bvand(x, y); }
    Term either(Term x, Term y) { return t.bvor(x, y); }
    Term opposite(Term x) { return t.bvnot(x); }
    Term choose(Term condition, Term then, Term otherwise) { return t.ite(condition, then, otherwise); }
    /// The word if the condition holds, else zero.
    Term only_if(Term condition, Term x);
    /// Every bit reversed if the condition holds.
    Term reversed_if(Term condition, Term x);
    /// x + y + carry modulo 2^width.
    Term add(Term x, Term y, Term carry);
    Term add(Term x, Term y) { return t.bvadd(x, y); }
    Term increment(Term x, Term one);
    /// As wide as needed for the largest amount.
    Term shift_left(Term x, Term amount);
    struct Shifted {
        Term word, lost;
    };
    /// x shifted right, and whether a bit that was set left the word.
    Shifted shift_right(Term x, Term amount);
    struct Normalised {
        Term word, count;
    };
    /// x shifted left until its highest bit is set, and by how many places. Of a zero: anything.
    Normalised normalise(const std::string& name, Term x);

    /// A whole number between two bounds: low + bits.
    struct Integer {
        Term bits;
        int low = 0, high = 0;
    };
    Integer integer(int value) { return {no(), value, value}; }
    static Integer integer(const Terms& terms, Term bits, int offset);
    static Integer moved(Integer x, int by);
    Integer sum(const Integer& x, const Integer& y);
    Integer plus(const Integer& x, Term one);
    /// x − y, of which it is known that it lies between the bounds.
    Integer difference(const Integer& x, const Integer& y, int low, int high);
    Term less(const Integer& x, const Integer& y);
    Integer choose(Term condition, const Integer& then, const Integer& otherwise);
    Integer larger(const Integer& x, const Integer& y) { return choose(less(x, y), y, x); }
    /// The largest of those numbers that take part; if none does, the lowest that one of them can be.
    Integer largest(const std::vector<Integer>& numbers, const std::vector<Term>& take_part);

  private:
    Term rebased(const Integer& x, int low, int high);

    std::string prefix_;
    std::vector<Line> lines_;
};

/// The sheet of a unit.
struct UnitSheet {
    Sheet sheet;
    InputTerms inputs; ///< variables a0, …, c
    Term d;
};

/// @throws Error if the unit is wrong
void draw(UnitSheet& to, const Unit& unit);

} // namespace discern::rtl
