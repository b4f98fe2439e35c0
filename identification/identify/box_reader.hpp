// How the walk over a tree (models/evaluate/machine.hpp) reads the parameters of an unknown unit: it splits the set of
// candidates by a parameter only where the possible values give different intermediate results.
//
// Most of this file avoids such splits. A reference exponent is needed only as far as it decides how a term is
// truncated, and values of F and modes are distinguished only by the sum that they give.
#pragma once

#include "align_together.hpp"
#include "chooser.hpp"
#include "round_together.hpp"

#include "models/evaluate/machine.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstddef>
#include <iterator>
#include <vector>

namespace discern::identify {

template <typename Int>
class BoxReader : public Chooser {
  public:
    using Node = ParametricNode;
    using Edge = ParametricNode::Edge;
    using Term = integer::Term<Int>;

    BoxReader(const Structure& structure, const Box& box, const integer::Block& block)
        : Chooser(structure, box), block_(block) {}

    static const Node& child(const Node& round) { return round.child.front(); }
    static const Node& child(const Edge& edge) { return edge.node.front(); }
    /// The children of a sum in the order in which they are read: c before the sum that it is added to, since c's
    /// exponent decides how much of that sum's exponent has to be known.
    struct Edges {
        struct Iterator {
            const std::vector<Edge>& all;
            std::ptrdiff_t at, step;
            const Edge& operator*() const { return all[static_cast<std::size_t>(at)]; }
            void operator++() { at += step; }
            bool operator!=(const Iterator& o) const { return at != o.at; }
        };
        Iterator begin() const { return {all, backwards() ? size() - 1 : 0, step()}; }
        Iterator end() const { return {all, backwards() ? -1 : size(), step()}; }
        bool backwards() const { return is_fuse(child(all.front())) && !is_fuse(child(all.back())); }
        std::ptrdiff_t step() const { return backwards() ? -1 : 1; }
        std::ptrdiff_t size() const { return std::ssize(all); }

        const std::vector<Edge>& all;
    };
    static Edges edges(const Node& sum) { return {sum.edges}; }
    std::size_t count(const Edge& edge) const {
        const Node& node = child(edge);
        return is_leaf(node) ? static_cast<std::size_t>(discern::count(node.which, leaves(node))) : 1;
    }
    static std::size_t element(const Edge& edge) {
        return static_cast<std::size_t>(parametric::first_element(child(edge)).value_or(0));
    }
    template <typename Visit>
    void each_leaf(const Node& node, Visit visit) const {
        for_each(node.which, leaves(node), [&](int l) { visit(static_cast<std::size_t>(l)); });
    }

    struct Context {
        int indifferent = INT_MAX; ///< reference exponents of the sum up to this one have the same effect
    };

    /// The exponents of a child's sum that make no difference to this sum: those up to an exponent that is already
    /// known; or those that truncate no term, if the consumer of this sum's exponent is indifferent to them, too.
    /// @param edge  the edge to the child; the terms of edges before it are known
    Context below(const Node& node, const Edge& edge, const Term* terms, Context context) const {
        if (!is_fuse(child(edge))) return {};
        int known = integer::no_exponent, least_lsb = INT_MAX;
        for (const Edge& before : edges(node)) {
            if (&before == &edge) break;
            for (std::size_t n = count(before); n > 0; --n, ++terms) {
                if (terms->special != integer::Special::finite || wide::is_zero(terms->value)) continue;
                known = integer::least_raised_by(*this, before, known, smallest_exponent(before, *terms));
                least_lsb = std::min(least_lsb, lsb_of(*terms));
            }
        }
        if (any(node.fuse.carry, [](int w) { return w != none; }) || counts_every_exponent(node)) return {known};
        int harmless = context.indifferent;
        for (const Edge& e : node.edges) {
            if (any(e.drop, [](int n) { return n != none; })) return {known};
            if (is_fuse(child(e))) least_lsb = std::min(least_lsb, lsb_below(child(e)));
        }
        for (const Edge& e : node.edges)
            for_possible(e.F, [&](int F) {
                if (F != exact && least_lsb != INT_MAX) harmless = std::min(harmless, least_lsb + F);
            });
        return {std::max(known, harmless)};
    }

    static void gathered(const Node&, const Term*) {}

    /// As multiplied: the normalisation is asked for when the largest exponent is.
    static int product_exponent(const Node&, const Term& product) { return product.exponent; }

    /// The largest reference exponent; or, if only alignment needs it, one that truncates the same bits.
    int reference(const Node& node, const Term* terms, Context context) {
        const int same = harmless(node, terms, context);
        int E = same;
        each_nonzero(node, terms, [&](const Edge& edge, const Term& term) {
            if (child(edge).kind != Node::Kind::product) E = integer::raised_by(*this, edge, E, term.exponent);
        });
        // Products that share a variable are asked for together: their normalisation matters only for the largest of
        // them.
        std::vector<Slot> asked;
        for (const Edge& one : node.edges) {
            if (child(one).kind != Node::Kind::product) continue;
            const Slot slot = child(one).product.normalisation;
            if (std::ranges::find(asked, slot) != asked.end()) continue;
            asked.push_back(slot);
            for (const Edge& edge : node.edges)
                if (child(edge).kind == Node::Kind::product) integer::settle_raise(*this, edge);
            const auto largest = [&](int normalisation) {
                int e = E;
                each_nonzero(node, terms, [&](const Edge& edge, const Term& term) {
                    if (child(edge).kind == Node::Kind::product && child(edge).product.normalisation == slot)
                        e = integer::raised_by(*this, edge, e,
                                               normalised(static_cast<Normalisation>(normalisation), term));
                });
                return e;
            };
            E = largest(choose(slot, largest));
        }
        for (const Edge& edge : node.edges) {
            int of_own = integer::no_exponent;
            bool any_zero = false;
            each_term(*this, node, terms, [&](const Edge& of, const Term& term) {
                if (&of != &edge || !wide::is_zero(term.value)) return;
                any_zero = true;
                of_own = std::max(of_own, reference_exponent(term, own));
            });
            if (!any_zero) continue;
            const auto of_zero = [&](int zero) { return zero == own ? of_own : zero; };
            const auto at_most = [&](int zero) { return integer::most_raised_by(*this, edge, E, of_zero(zero)); };
            E = integer::raised_by(*this, edge, E, of_zero(choose(edge.zero, at_most)));
        }
        const auto floored = [&](int floor) { return std::max(E, floor); };
        E = floored(choose(node.fuse.floor, floored));
        if (!any(node.fuse.step, [](int n) { return n != none; })) return E;
        const int step = choose(node.fuse.step, [](int n) { return n; });
        const auto stepped = [&](int phase) { return step == none ? E : integer::raised(E, step, phase % step); };
        return stepped(choose(node.fuse.phase, stepped));
    }

    /// The exponent that decides whether a term is dropped.
    int exponent_for_drop(const Edge& edge, const Term& term) {
        if (child(edge).kind != Node::Kind::product || !any(edge.drop, [](int d) { return d != none; }))
            return term.exponent;
        const auto of = [&](int normalisation) { return normalised(static_cast<Normalisation>(normalisation), term); };
        return of(choose(child(edge).product.normalisation, of));
    }

    /// Alignment is done by sum(), for all terms together.
    static void align(const Node&, const Edge&, int, const Term&, integer::ZeroSigns&, bool) {}

    bool sum(const Node& node, const Term* terms, int E, Term& sum, integer::ZeroSigns& signs, bool& lost) {
        std::vector<AlignTogether<Int>> classes;
        each_nonzero(node, terms, [&](const Edge& edge, const Term& term) {
            auto c =
                std::ranges::find_if(classes, [&](const auto& k) { return k.F == edge.F && k.mode == edge.rounding; });
            if (c == classes.end()) c = classes.insert(c, {edge.F, edge.rounding, {}, INT_MAX, may_stick(node)});
            c->terms.push_back(&term);
            c->lsb = std::min(c->lsb, lsb_of(term));
        });
        sum = integer::finite_term<Int>(false, 0, 0, E);
        for (const auto& c : classes) {
            const Partial<Int> p = c.sum(*this, E);
            lost = lost || p.lost;
            signs.aligned(p.cancelled || !wide::is_zero(p.value));
            if (wide::is_zero(p.value)) continue;
            const int low = wide::is_zero(sum.value) ? p.lsb : std::min(sum.lsb, p.lsb);
            sum.value = wide::add(moved_left(sum.value, sum.lsb - low), moved_left(p.value, p.lsb - low));
            sum.lsb = low;
        }
        return true;
    }

    /// Adds 2^least_lsb to the sum, or subtracts it.
    static void add_one(Term& sum, bool negative, int least_lsb) {
        Int one;
        wide::assign(one, negative ? -1 : 1);
        const int low = wide::is_zero(sum.value) ? least_lsb : std::min(sum.lsb, least_lsb);
        sum.value = wide::add(moved_left(sum.value, sum.lsb - low), moved_left(one, least_lsb - low));
        sum.lsb = low;
    }

    /// The sticky bit of a sum of which something was truncated.
    void stick(const Node& node, int E, Term& sum) {
        if (!may_stick(node) || choose(node.fuse.sticky, [](int v) { return v; }) == 0) return;
        // A register that wraps, and an exact sum, have no sticky bit.
        const auto wide = [](int w) { return w == none; };
        if (!wide(choose(node.fuse.carry, wide))) return;
        int max_F = 0;
        for (const Edge& edge : node.edges) {
            const auto larger = [&](int F) { return F == exact ? exact : std::max(max_F, F); };
            max_F = larger(choose(edge.F, larger));
            if (max_F == exact) return;
        }
        const int least_lsb = E - max_F - 1;
        sum.value = moved_left(sum.value, sum.lsb - least_lsb);
        sum.lsb = least_lsb;
        integer::set_last_bit(sum);
    }

    /// Whether and how the register of the sum wraps.
    template <typename Wrapped>
    int carry(const Node& node, const Term& sum, Wrapped wrapped) {
        const auto value = [&](int w) { return w == none ? sum.value : wrapped(w); };
        if (!any(node.fuse.carry, [&](int w) { return !(value(w) == sum.value); })) return none;
        // An exact sum has no register.
        for (const Edge& edge : node.edges)
            if (choose(edge.F, [](int F) { return F == exact; }) == exact) return none;
        return choose(node.fuse.carry, value);
    }

    integer::Rounded round(const Node& node, const Term& term) { return RoundTogether<Int>(*this, node, term).run(); }

  private:
    static bool is_fuse(const Node& node) { return node.kind == Node::Kind::fuse; }
    /// Whether every value of E may give another sum: E is raised in steps, or inverted terms add units of 2^(E − F).
    bool counts_every_exponent(const Node& sum) const {
        return any(sum.fuse.frame, [](int frame) { return frame != 0; }) ||
               any(sum.fuse.step, [](int n) { return n != none; });
    }
    bool may_stick(const Node& sum) const {
        return any(sum.fuse.sticky, [](int v) { return v != 0; });
    }
    static bool is_leaf(const Node& node) { return node.kind == Node::Kind::product || node.kind == Node::Kind::group; }
    int leaves(const Node& node) const {
        const auto L = static_cast<int>(block_.frame.L);
        return node.kind == Node::Kind::group ? L / node.size : L;
    }

    template <typename Visit>
    void each_nonzero(const Node& node, const Term* terms, Visit visit) const {
        each_term(*this, node, terms, [&](const Edge& edge, const Term& term) {
            if (!wide::is_zero(term.value)) visit(edge, term);
        });
    }

    static int exponent(const Edge& edge, const Term& term, Normalisation normalisation) {
        return child(edge).kind == Node::Kind::product ? normalised(normalisation, term) : term.exponent;
    }
    /// A lower bound of the exponent, for every possible normalisation.
    static int smallest_exponent(const Edge& edge, const Term& term) {
        return std::min(term.exponent, exponent(edge, term, Normalisation::full));
    }

    /// The exponent up to which all E have the same effect: no term is truncated, nothing wraps, and the consumers of E
    /// are indifferent.
    int harmless(const Node& node, const Term* terms, Context context) const {
        int lsb = INT_MAX, top = integer::no_exponent, E = integer::no_exponent;
        std::size_t n = 0;
        each_term(*this, node, terms, [&](const Edge& edge, const Term& term) {
            ++n;
            if (wide::is_zero(term.value)) return;
            lsb = std::min(lsb, lsb_of(term));
            top = std::max(top, integer::top_of(term) + 1);
            E = integer::least_raised_by(*this, edge, E, smallest_exponent(edge, term));
        });
        if (counts_every_exponent(node)) return integer::no_exponent;
        int same = context.indifferent;
        if (top == integer::no_exponent) return same == INT_MAX ? 0 : same;
        for (const Edge& edge : node.edges) {
            for_possible(edge.F, [&](int F) {
                if (F != exact) same = std::min(same, lsb + F);
            });
            if (any(edge.drop, [](int d) { return d != none; })) return integer::no_exponent;
        }
        // Whether even the smallest E leaves room for the sum.
        const int sum_bits = top + static_cast<int>(std::bit_width(n));
        if (any(node.fuse.carry, [&](int w) { return w != none && E + w + 2 < sum_bits; })) return integer::no_exponent;
        return same == INT_MAX ? top : same; // nothing is ever truncated
    }

    /// The lowest exponent of a last bit among the nonzero products below the node, INT_MAX if there are none. Below
    /// every exponent if another kind of node is there, of which nothing is known.
    int lsb_below(const Node& node) const {
        int least_lsb = INT_MAX;
        for (const Edge& edge : node.edges) least_lsb = std::min(least_lsb, lsb_below(child(edge)));
        if (is_fuse(node) && !may_stick(node)) return least_lsb;
        if (node.kind != Node::Kind::product) return integer::no_exponent;
        const integer::Frame& frame = block_.frame;
        each_leaf(node, [&](std::size_t l) {
            int product = 0;
            for (const auto& [f, x] : {std::pair{frame.a, block_.a},
                                       {frame.b, block_.b},
                                       {frame.scale, block_.sa},
                                       {frame.scale, block_.sb}}) {
                if (f == nullptr) continue;
                if (x[l].number_class != NumberClass::finite || x[l].significand == 0) return;
                product += x[l].exponent - f->mantissa_bits + std::countr_zero(x[l].significand);
            }
            least_lsb = std::min(least_lsb, product);
        });
        return least_lsb;
    }

    const integer::Block& block_;
};

} // namespace discern::identify
