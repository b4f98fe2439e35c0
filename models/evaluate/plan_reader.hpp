// How the walk over a tree (machine.hpp) reads the parameters of one unit: they are numbers of its plan.
#pragma once

#include "machine.hpp"
#include "plan.hpp"

namespace discern::integer {

template <typename Int>
class PlanReader {
  public:
    using Node = PlanNode;
    using Term = integer::Term<Int>;

    explicit PlanReader(const Plan& plan) : plan_(plan) {}

    template <typename T, typename KeyOf>
    static T choose(T value, KeyOf) {
        return value;
    }
    template <typename T, typename Predicate>
    static bool any(T value, Predicate holds) {
        return holds(value);
    }

    struct Context {};
    static Context below(const PlanNode&, const PlanEdge&, const Term*, Context) { return {}; }

    const PlanNode& child(const PlanNode& round) const { return plan_.nodes[round.child]; }
    const PlanNode& child(const PlanEdge& edge) const { return plan_.nodes[edge.node]; }
    static const std::vector<PlanEdge>& edges(const PlanNode& sum) { return sum.edges; }
    static constexpr std::size_t count(const PlanEdge&) { return 1; }
    static std::size_t element(const PlanEdge& edge) { return edge.element; }
    template <typename Visit>
    static void each_leaf(const PlanNode& node, Visit visit) {
        visit(static_cast<std::size_t>(node.index));
    }

    static void gathered(const PlanNode&, const Term*) {}

    static int product_exponent(const PlanNode& node, const Term& product) {
        return normalised(static_cast<Normalisation>(node.product.normalisation), product);
    }

    static int exponent_for_drop(const PlanEdge&, const Term& term) { return term.exponent; }

    /// The largest reference exponent of the children that take part.
    int reference(const PlanNode& node, const Term* terms, Context) const {
        int E = std::max(no_exponent, node.fuse.floor);
        each_term(*this, node, terms, [&](const PlanEdge& edge, const Term& term) {
            E = raised_by(*this, edge, E, reference_exponent(term, edge.zero));
        });
        return raised(E, node.fuse.step, node.fuse.phase);
    }

    /// Adds 2^lsb to the sum, or subtracts it; lsb is at least the exponent of the sum's last bit.
    static void add_one(Term& sum, bool negative, int lsb) {
        Int one;
        wide::assign(one, negative ? -1 : 1);
        sum.value = wide::add(sum.value, wide::shift_left(one, lsb - sum.lsb));
    }

    /// Rounds a term to a multiple of 2^(E−F).
    static void align(const PlanNode& node, const PlanEdge& edge, int E, Term& term, ZeroSigns& signs, bool& lost) {
        if (node.fuse.sticky != 0) lost = lost || loses_bits(term.value, E - edge.F - term.lsb);
        if (edge.F != parametric::exact) align(term, E - edge.F, static_cast<Rounding>(edge.rounding));
        signs.aligned(!wide::is_zero(term.value));
    }

    /// The sum of aligned terms, with one bit more if it is sticky; false if it may not fit.
    static bool sum(const PlanNode& node, const Term* terms, int E, Term& sum, ZeroSigns&, bool) {
        if (node.exact) return exact_sum(terms, node.edges.size(), sum);
        sum = finite_term<Int>(false, 0, E - node.max_F - node.fuse.sticky, E);
        for (std::size_t i = 0; i < node.edges.size(); ++i) {
            if (wide::is_zero(terms[i].value)) continue;
            const int shift = terms[i].lsb - sum.lsb;
            sum.value = wide::add(sum.value, shift == 0 ? terms[i].value : wide::shift_left(terms[i].value, shift));
        }
        return true;
    }

    static void stick(const PlanNode& node, int, Term& sum) {
        if (node.fuse.sticky != 0) set_last_bit(sum);
    }

    template <typename Wrapped>
    static int carry(const PlanNode& node, const Term&, Wrapped) {
        return node.fuse.carry;
    }

    static Rounded round(const PlanNode& node, const Term& term) {
        return {round_term(node.round, *node.format, term), node.format};
    }

    /// The usual sum, without the bookkeeping of the general one. False: some operand is special or the sum is zero,
    /// whose sign needs that bookkeeping.
    bool plain_sum(const PlanNode& node, const Block& block, Term& sum) const {
        if (node.plain_products.empty()) return false;
        struct Aligned {
            wide::i64 value;
            int exponent, lsb;
        };
        Buffer<Aligned, 72> buffer(node.plain_products.size() + 1);
        Aligned* terms = buffer.data();
        std::size_t n = 0;
        int E = std::max(no_exponent, node.fuse.floor);
        const auto add = [&](bool negative, std::uint64_t significand, int exponent, int fraction) {
            if (significand == 0) return;
            const auto value = static_cast<wide::i64>(significand);
            terms[n++] = {negative ? -value : value, exponent, exponent - fraction};
            E = exponent > E ? exponent : E;
        };
        const int fraction = plan_.a->mantissa_bits + plan_.b->mantissa_bits;
        for (const std::size_t l : node.plain_products) {
            const Decoded &a = block.a[l], &b = block.b[l];
            if (a.number_class != NumberClass::finite || b.number_class != NumberClass::finite) return false;
            add(a.negative != b.negative, a.significand * b.significand, a.exponent + b.exponent, fraction);
        }
        if (node.plain_with_c) {
            const Decoded& c = block.c;
            if (c.number_class != NumberClass::finite) return false;
            add(c.negative, c.significand, c.exponent, block.c_format->mantissa_bits);
        }
        const int lsb = E - node.max_F;
        wide::i64 total = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const int shift = lsb - terms[i].lsb;
            total += shift > 0 ? truncate_shift(terms[i].value, shift) : wide::shift_left(terms[i].value, -shift);
        }
        if (total == 0) return false;
        sum = finite_term<wide::i64>(false, total, lsb, E);
        sum.zero_sign = ZeroSign::mixed;
        return true;
    }

  private:
    static void align(Term& term, int lsb, Rounding mode) {
        const int shift = lsb - term.lsb;
        term.lsb = lsb;
        if constexpr (sizeof(Int) == 8) {
            if (mode == Rounding::rz && shift > 0) {
                term.value = truncate_shift(term.value, shift);
                return;
            }
        }
        term.value = round_shift(term.value, shift, mode);
    }

    const Plan& plan_;
};

} // namespace discern::integer
