// The walk over a parametric tree for one block (docs/notation.md, "What a tree computes"), in which a parameter is
// asked for only where its values change the intermediate result. It is apart from box_walk.cpp so that the semantics
// of one block is read without the way in which the paths of many blocks are kept and joined.
#pragma once

#include "align_together.hpp"
#include "asking.hpp"
#include "operands.hpp"
#include "round_together.hpp"

#include "models/format.hpp"
#include "models/machine.hpp"
#include "models/terms.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <vector>

namespace discern::identify {

/// One block, for all members that are still possible.
template <typename Int>
class BlockWalk {
  public:
    /// @param c  what comes into the block, a number of c_format
    BlockWalk(Asking& asking, const Operands& operands, int block, const Decoded& c, const Format& c_format)
        : asking_(asking), frame_(asking.structure().frame), operands_(operands), block_(block), c_(c),
          c_format_(c_format) {}

    Rounded run() { return round(asking_.structure().tree); }

  private:
    using Term = integer::Term<Int>;

    static constexpr int nobody = INT_MIN / 2; ///< the exponent of no term

    // ---------------------------------------------------------------------------------------------- leaves

    std::size_t element(int l) const { return static_cast<std::size_t>(frame_.element(block_, l)); }

    Decoded operand(const Format& f, const Decoded& x, Slot flush) {
        if (!integer::is_subnormal(f, x)) return x;
        const int rule = asking_.ask_itself(flush);
        return rule == 0 ? x : integer::flushed(x, rule == 1);
    }

    /// A term on its way into a sum.
    struct Item {
        Term term;
        int exponents[3]; ///< by normalisation: raw, carry, full
        std::size_t edge;
        bool is_product;
    };

    void product(const ParametricNode& node, int l, Item& item) {
        const std::size_t k = element(l);
        if (!operands_.has_subnormal(k)) return product(node, operands_.product(k), item);
        const Decoded a = operand(operands_.a_format(), operands_.a(k), node.flush);
        const Decoded b = operand(operands_.b_format(), operands_.b(k), node.flush);
        product(node, operands_.product(k, a, b), item);
    }

    void product(const ParametricNode& node, const ExactProduct& p, Item& item) {
        using enum integer::Special;
        if (p.special != finite) {
            item.term = integer::special_term<Int>(p.special);
            return;
        }
        item.term = integer::finite_term<Int>(p.negative, p.significand, p.lsb, p.exponent);
        std::fill(std::begin(item.exponents), std::end(item.exponents), p.exponent);
        if (p.significand == 0) return;
        const int top = wide::bit_length(p.significand) - 1 + p.lsb;
        if (top > p.exponent) ++item.exponents[1];
        item.exponents[2] = top;
        const int limit = asking_.ask(node.limit, [&](int n) { return n != none && top >= n; });
        if (limit == none || top < limit) return;
        const bool yields = asking_.ask_itself(node.yields) != 0;
        item.term = integer::special_term<Int>(yields ? (p.negative ? soft_minus : soft_plus)
                                                      : integer::infinity_of(p.negative));
    }

    void group(const ParametricNode& node, int index, Term& term) const {
        wide::i128 sum = 0;
        integer::ZeroSigns signs;
        integer::SpecialSum specials;
        const int first = index * node.size;
        const Format &fa = operands_.a_format(), &fb = operands_.b_format();
        for (int l = first; l < first + node.size; ++l) {
            const std::size_t k = element(l);
            const ExactProduct& p = operands_.product(k);
            if (p.special != integer::Special::finite) {
                specials.add(integer::special_term<Int>(p.special));
                continue;
            }
            const Decoded &a = operands_.a(k), &b = operands_.b(k);
            const wide::i128 fixed = static_cast<wide::i128>(a.significand * b.significand)
                                     << (a.exponent - fa.emin() + b.exponent - fb.emin());
            sum += p.negative ? -fixed : fixed;
            signs.add(p.negative);
            signs.aligned(fixed != 0);
        }
        if (specials.any()) {
            term = specials.template result<Int>();
            return;
        }
        const ExactProduct scales = operands_.scales(element(first));
        sum *= scales.significand;
        const int lsb = fa.last_place() + fb.last_place() + scales.lsb;
        term = integer::finite_term<Int>(sum < 0, sum < 0 ? -sum : sum, lsb, scales.exponent);
        if (sum == 0) term.zero_sign = signs.of_zero_sum();
    }

    void accumulator(const ParametricNode& node, Term& term) {
        const Decoded c = operand(c_format_, c_, node.flush);
        term = integer::operand_term<Int>(c_format_, c);
        if (term.special != integer::Special::finite) return;
        const auto converted = [&](int as) {
            if (as == none) return term.exponent;
            const int emin = format(static_cast<FormatId>(as)).emin();
            const bool zero = wide::is_zero(term.value);
            return std::max(emin, zero ? emin : wide::bit_length(wide::magnitude(term.value)) - 1 + term.lsb);
        };
        term.exponent = converted(asking_.ask(node.as, converted));
    }

    // ------------------------------------------------------------------------------------------------ sums

    static bool is_fuse(const ParametricNode& node) { return node.kind == ParametricNode::Kind::fuse; }

    /// @param indifferent  whoever reads the sum's reference exponent treats all up to this one alike
    void fuse(const ParametricNode& node, int indifferent, Term& sum) {
        std::vector<Item> items;
        for (std::size_t e = 0; e < node.edges.size(); ++e)
            if (!is_fuse(node.edges[e].node.front())) collect(node.edges[e].node.front(), e, 0, items);
        const int below = indifferent_below(node, indifferent, items);
        for (std::size_t e = 0; e < node.edges.size(); ++e)
            if (is_fuse(node.edges[e].node.front())) collect(node.edges[e].node.front(), e, below, items);
        integer::SpecialSum specials;
        integer::ZeroSigns signs;
        for (const Item& item : items) {
            specials.add(item.term);
            signs.add(item.term);
        }
        if (specials.any()) {
            sum = specials.template result<Int>();
            return;
        }
        const int E = reference(node, items, indifferent);
        std::vector<AlignTogether<Int>> classes;
        for (Item& item : items) {
            if (wide::is_zero(item.term.value)) continue;
            const auto& edge = node.edges[item.edge];
            const int drop = asking_.ask(edge.drop, [&](int n) { return n != none && item.exponents[0] < E - n; });
            if (drop != none && item.exponents[0] < E - drop) continue;
            auto c = std::find_if(classes.begin(), classes.end(),
                                  [&](const auto& k) { return k.F == edge.F && k.mode == edge.mode; });
            if (c == classes.end()) c = classes.insert(c, {edge.F, edge.mode, {}});
            c->terms.push_back(&item.term);
            c->lsb = std::min(c->lsb, last_place(item.term));
        }
        bool any = false;
        Int total;
        wide::assign(total, 0);
        int lsb = 0;
        for (const auto& c : classes) {
            const Partial<Int> p = c.sum(asking_, E);
            any = any || p.cancelled || !wide::is_zero(p.value);
            if (wide::is_zero(p.value)) continue;
            const int low = wide::is_zero(total) ? p.lsb : std::min(lsb, p.lsb);
            total = wide::add(moved_left(total, lsb - low), moved_left(p.value, p.lsb - low));
            lsb = low;
        }
        signs.aligned(any);
        sum = integer::finite_term<Int>(false, 0, lsb, E == nobody ? 0 : E);
        sum.value = total;
        if (!wide::is_zero(total)) wrap(node, E, sum);
        sum.has_exponent = E != nobody;
        sum.zero_sign = signs.of_zero_sum();
    }

    void collect(const ParametricNode& node, std::size_t edge, int indifferent, std::vector<Item>& items) {
        const auto put = [&](bool is_product) -> Item& {
            items.push_back({});
            items.back().edge = edge;
            items.back().is_product = is_product;
            return items.back();
        };
        const auto own_exponent = [](Item& item) {
            const int e = item.term.has_exponent ? item.term.exponent : nobody;
            std::fill(std::begin(item.exponents), std::end(item.exponents), e);
        };
        using Kind = ParametricNode::Kind;
        if (node.kind == Kind::product || node.kind == Kind::group) {
            const int count = node.kind == Kind::product ? frame_.L : frame_.L / node.size;
            for (int l = node.which.first; l < count; l += node.which.step) {
                Item& item = put(node.kind == Kind::product);
                if (node.kind == Kind::product) {
                    product(node, l, item);
                    normalisation_ = node.normalisation;
                } else {
                    group(node, l, item.term);
                    own_exponent(item);
                }
                if (node.which.step == 0) break;
            }
            return;
        }
        Item& item = put(false);
        Term term;
        if (node.kind == Kind::accumulator)
            accumulator(node, term);
        else if (node.kind == Kind::fuse)
            fuse(node, indifferent, term);
        else {
            const Rounded rounded = round(node);
            term = integer::operand_term<Int>(*rounded.format, rounded.value);
        }
        item.term = term;
        own_exponent(item);
    }

    /// The lowest last place of the non-zero products below the node; INT_MAX if there are none.
    int last_place_below(const ParametricNode& node) const {
        int place = INT_MAX;
        for (const auto& edge : node.edges) place = std::min(place, last_place_below(edge.node.front()));
        if (node.kind != ParametricNode::Kind::product) return node.child.empty() ? place : nobody;
        for (int l = node.which.first; l < frame_.L; l += std::max(1, node.which.step)) {
            const ExactProduct& p = operands_.product(element(l));
            if (p.significand != 0) place = std::min(place, p.lsb + lowest_bit(p.significand));
            if (node.which.step == 0) break;
        }
        return place;
    }

    /// Exponents of sums among the children up to which this sum is the same: they are not above one that is known; or
    /// they cut nothing, and whoever reads the exponent of this one is indifferent too.
    int indifferent_below(const ParametricNode& node, int indifferent, const std::vector<Item>& items) const {
        int known = nobody, place = INT_MAX;
        for (const Item& item : items)
            if (item.term.special == integer::Special::finite && !wide::is_zero(item.term.value)) {
                known = std::max(known, *std::min_element(std::begin(item.exponents), std::end(item.exponents)));
                place = std::min(place, last_place(item.term));
            }
        if (asking_.any_possible(node.carry, [](int w) { return w != none; })) return known;
        int harmless = indifferent;
        for (const auto& edge : node.edges) {
            if (asking_.any_possible(edge.drop, [](int n) { return n != none; })) return known;
            if (is_fuse(edge.node.front())) place = std::min(place, last_place_below(edge.node.front()));
        }
        for (const auto& edge : node.edges)
            asking_.for_possible(edge.F, [&](int F) {
                if (F != exact && place != INT_MAX) harmless = std::min(harmless, place + F);
            });
        return std::max(known, harmless);
    }

    /// The largest reference exponent; or, if nobody else reads it, one that cuts the same.
    int reference(const ParametricNode& node, const std::vector<Item>& items, int indifferent) {
        int lsb = INT_MAX, top = nobody;
        bool has_product = false;
        for (const Item& item : items) {
            if (wide::is_zero(item.term.value)) continue;
            lsb = std::min(lsb, last_place(item.term));
            top = std::max(top, wide::bit_length(wide::magnitude(item.term.value)) + item.term.lsb);
            has_product = has_product || item.is_product;
        }
        // Up to `same`, every E gives the same sum: it cuts nothing and nothing wraps.
        int same = INT_MAX;
        const auto lower = [&](int bound) { same = std::min(same, bound); };
        if (top != nobody) {
            for (const auto& edge : node.edges) {
                asking_.for_possible(edge.F, [&](int F) {
                    if (F != exact) lower(lsb + F);
                });
                if (asking_.any_possible(edge.drop, [](int n) { return n != none; })) lower(nobody);
            }
            // Whether even the smallest E leaves room for the sum.
            int E = nobody;
            for (const Item& item : items)
                if (!wide::is_zero(item.term.value))
                    E = std::max(E, *std::min_element(std::begin(item.exponents), std::end(item.exponents)));
            const int sum_bits = top + static_cast<int>(std::bit_width(items.size()));
            asking_.for_possible(node.carry, [&](int w) {
                if (w != none && E + w + 2 < sum_bits) lower(nobody);
            });
        }
        lower(indifferent);
        if (same == INT_MAX) same = top == nobody ? 0 : top; // nothing is ever cut

        int E = nobody;
        const auto largest = [&](std::size_t n) {
            int e = nobody;
            for (const Item& item : items)
                if (!wide::is_zero(item.term.value)) e = std::max(e, item.exponents[item.is_product ? n : 0]);
            return std::max(e, same);
        };
        if (has_product) {
            const int n = asking_.ask(normalisation_, [&](int v) { return largest(static_cast<std::size_t>(v)); });
            E = largest(static_cast<std::size_t>(n));
        } else {
            E = largest(0);
        }
        for (std::size_t e = 0; e < node.edges.size(); ++e) {
            int of_own = nobody;
            bool any_zero = false;
            for (const Item& item : items)
                if (item.edge == e && wide::is_zero(item.term.value)) {
                    any_zero = true;
                    of_own = std::max(of_own, item.exponents[0]);
                }
            if (!any_zero) continue;
            const auto with_zeros = [&](int zero) {
                return std::max(E, zero == ignore ? nobody : zero == own ? of_own : zero);
            };
            E = with_zeros(asking_.ask(node.edges[e].zero, with_zeros));
        }
        const auto floored = [&](int floor) { return floor == none ? E : std::max(E, floor); };
        return floored(asking_.ask(node.floor, floored));
    }

    /// The register of the sum holds multiples below 2^(E + carry + 2), and wraps.
    void wrap(const ParametricNode& node, int E, Term& sum) {
        const auto is_wrapped = [&](int w) {
            return w != none && wide::bit_length(wide::magnitude(sum.value)) + sum.lsb > E + w + 2;
        };
        if (!asking_.any_possible(node.carry, is_wrapped)) return;
        // An exact sum has no register.
        bool is_exact = false;
        for (const auto& edge : node.edges)
            is_exact = asking_.ask(edge.F, [](int F) { return F == exact; }) == exact || is_exact;
        if (is_exact) return;
        const auto wrapped = [&](int w) {
            if (w == none) return sum.value;
            const int width = E + w + 3 - sum.lsb;
            Int value = sum.value;
            if (width <= 0)
                wide::assign(value, 0);
            else
                value = wide::wrap(value, width);
            return value;
        };
        sum.value = wrapped(asking_.ask(node.carry, wrapped));
    }

    // ------------------------------------------------------------------------------------------------ rounding

    Rounded round(const ParametricNode& node) {
        Term term;
        const ParametricNode& child = node.child.front();
        if (is_fuse(child)) {
            fuse(child, INT_MAX, term);
        } else {
            std::vector<Item> items;
            collect(child, 0, INT_MAX, items);
            term = items.front().term;
        }
        return RoundTogether<Int>(asking_, node, term).run();
    }

    Asking& asking_;
    const Unit& frame_;
    const Operands& operands_;
    const int block_;
    const Decoded& c_;
    const Format& c_format_;
    Slot normalisation_ = 0; ///< of the products
};

} // namespace discern::identify
