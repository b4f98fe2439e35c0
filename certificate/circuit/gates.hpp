// The reference circuit as gates: the domain of which certificates speak. The plainest circuits for words: ripple
// carry, one row for each bit of a multiplier, one stage for each bit of a shift amount.
#pragma once

#include "domain.hpp"
#include "netlist.hpp"

namespace discern::certificate {

/// Operations as circuit/domain.hpp describes them, each appended to a netlist. Operands of unequal widths, where one
/// width is needed, are std::logic_errors.
class GateDomain {
  public:
    using Bit = Literal;
    using Word = Bits;
    struct Shifted {
        Bits word;
        Literal sticky;
    };
    struct Normalised {
        Bits word, leading_zeros;
    };
    struct Maximum {
        Bits word;
    };
    struct Total {
        Bits word;
    };

    explicit GateDomain(Netlist& netlist) : n_(netlist) {}

    static Literal zero() { return no; }
    static Literal one() { return yes; }
    static Literal bit_not(Literal x) { return invert(x); }
    Literal bit_and(Literal x, Literal y) { return n_.make_and(x, y); }
    Literal bit_or(Literal x, Literal y) { return n_.make_or(x, y); }
    Literal bit_xor(Literal x, Literal y) { return n_.make_xor(x, y); }
    Literal mux(Literal condition, Literal then, Literal otherwise) { return n_.make_mux(condition, then, otherwise); }

    static int width(const Bits& x) { return static_cast<int>(x.size()); }
    static Bits constant(std::uint64_t value, int width);
    static Bits repeat(Literal bit, int count) { return Bits(static_cast<std::size_t>(count), bit); }
    static Literal bit(const Bits& x, int i) { return x[static_cast<std::size_t>(i)]; }
    static Bits slice(const Bits& x, int lsb, int count);
    static Bits resize(Bits x, int width);
    static Bits concat(const Bits& high, Bits low);

    Literal any(const Bits& x);
    Literal all(const Bits& x);
    Bits word_or(Bits x, const Bits& y);
    Bits mux(Literal condition, const Bits& then, const Bits& otherwise);
    Bits mask(Literal condition, const Bits& x);

    Bits add(const Bits& x, const Bits& y) { return add(x, y, no); }
    Bits subtract(const Bits& x, const Bits& y) { return add(x, invert_if(yes, y), yes); }
    Bits increment(const Bits& x, Literal one) { return add(x, constant(0, width(x)), one); }
    Bits negate_if(Literal condition, const Bits& x) { return increment(invert_if(condition, x), condition); }
    Literal less(const Bits& x, const Bits& y);

    Bits multiply(const Bits& x, const Bits& y);
    Bits shift_left(const Bits& x, const Bits& amount);
    Shifted shift_right(const Bits& x, const Bits& amount);
    Normalised normalise(const Bits& x);
    /// By elimination, from the highest bit on.
    Maximum maximum(const std::vector<Bits>& words, Bits takes_part);

    static Total total(int width) { return {constant(0, width)}; }
    void add_signed(Total& total, const Bits& x, Literal negative, int lsb);
    void add_word(Total& total, const Bits& x) { total.word = add(total.word, x); }
    static Bits word(const Total& total) { return total.word; }

  private:
    Bits add(const Bits& x, const Bits& y, Literal carry);
    Bits invert_if(Literal condition, Bits x);

    Netlist& n_;
};

static_assert(circuit::Domain<GateDomain>);

} // namespace discern::certificate
