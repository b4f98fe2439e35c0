// The walk over a parametric tree (docs/notation.md, "What a tree computes"), in which a parameter is asked for only
// where its values change the intermediate result.
#include "box_walk.hpp"

#include "align_together.hpp"
#include "asking.hpp"
#include "operands.hpp"
#include "round_together.hpp"

#include "models/format.hpp"
#include "models/machine.hpp"
#include "models/terms.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace discern::identify {

namespace {

using integer::flushed;
using integer::is_subnormal;
using integer::SpecialSum;
using integer::Term;
using integer::ZeroSigns;

constexpr int nobody = INT_MIN / 2; ///< the exponent of no term

/// One block, for all members that are still possible.
template <typename Int>
class Walk {
  public:
    /// @param c  what comes into the block, a number of c_format
    Walk(Asking& asking, const Operands& operands, int block, const Decoded& c, const Format& c_format)
        : asking_(asking), frame_(asking.structure().frame), operands_(operands), block_(block), c_(c),
          c_format_(c_format) {}

    Rounded run() { return round(asking_.structure().tree); }

  private:
    // ---------------------------------------------------------------------------------------------- leaves

    std::size_t element(int l) const { return static_cast<std::size_t>(frame_.element(block_, l)); }

    Decoded operand(const Format& f, const Decoded& x, Slot flush) {
        if (!is_subnormal(f, x)) return x;
        const int rule = asking_.ask_itself(flush);
        return rule == 0 ? x : flushed(x, rule == 1);
    }

    /// A term on its way into a sum.
    struct Item {
        Term<Int> term;
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

    void group(const ParametricNode& node, int index, Term<Int>& term) const {
        wide::i128 sum = 0;
        ZeroSigns signs;
        SpecialSum specials;
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
        const int lsb = fa.emin() - fa.mantissa_bits + fb.emin() - fb.mantissa_bits + scales.lsb;
        term = integer::finite_term<Int>(sum < 0, sum < 0 ? -sum : sum, lsb, scales.exponent);
        if (sum == 0) term.zero_sign = signs.of_zero_sum();
    }

    void accumulator(const ParametricNode& node, Term<Int>& term) {
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
    void fuse(const ParametricNode& node, int indifferent, Term<Int>& sum) {
        std::vector<Item> items;
        for (std::size_t e = 0; e < node.edges.size(); ++e)
            if (!is_fuse(node.edges[e].node.front())) collect(node.edges[e].node.front(), e, 0, items);
        const int below = indifferent_below(node, indifferent, items);
        for (std::size_t e = 0; e < node.edges.size(); ++e)
            if (is_fuse(node.edges[e].node.front())) collect(node.edges[e].node.front(), e, below, items);
        SpecialSum specials;
        ZeroSigns signs;
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
        Term<Int> term;
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
    void wrap(const ParametricNode& node, int E, Term<Int>& sum) {
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
        Term<Int> term;
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

/// One IEEE addition, RNE, in d's format.
template <typename Int>
Decoded add_last(const Unit& frame, const Decoded& d, const Decoded& c) {
    const Format& f = format(frame.d);
    const Term<Int> terms[] = {integer::operand_term<Int>(f, d), integer::operand_term<Int>(format(*frame.c), c)};
    SpecialSum specials;
    ZeroSigns signs;
    int lsb = INT_MAX;
    for (const auto& term : terms) {
        specials.add(term);
        signs.add(term);
        signs.aligned(!wide::is_zero(term.value));
        if (!wide::is_zero(term.value)) lsb = std::min(lsb, term.lsb);
    }
    Term<Int> sum = integer::finite_term<Int>(false, 0, lsb == INT_MAX ? 0 : lsb, 0);
    if (specials.any()) {
        sum = specials.template result<Int>();
    } else {
        for (const auto& term : terms) sum.value = wide::add(sum.value, moved_left(term.value, term.lsb - sum.lsb));
        sum.zero_sign = signs.of_zero_sum();
    }
    Round ieee;
    ieee.format = f.id;
    return integer::round_term(ieee, f, sum);
}

/// What goes from a block to the next, and the members for which it does.
struct State {
    Decoded c;
    std::vector<ValueSet> sets;
};

/// Joins the members that give the same c, where they make a box.
void join(std::size_t structure, std::vector<State>& states) {
    if (states.size() < 2) return;
    std::map<std::tuple<NumberClass, bool, int, std::uint64_t>, std::vector<Box>> by_c;
    for (State& s : states) {
        const bool is_nan = s.c.number_class == NumberClass::nan;
        const bool finite = s.c.number_class == NumberClass::finite;
        by_c[{s.c.number_class, !is_nan && s.c.negative, finite ? s.c.exponent : 0, finite ? s.c.significand : 0}]
            .push_back({structure, std::move(s.sets)});
    }
    states.clear();
    for (auto& [key, boxes] : by_c) {
        merge(boxes);
        const auto [number_class, negative, exponent, significand] = key;
        for (Box& box : boxes)
            states.push_back({{.number_class = number_class,
                               .negative = negative,
                               .significand = significand,
                               .exponent = exponent,
                               .payload = 0},
                              std::move(box.sets)});
    }
}

template <typename Int>
std::optional<std::vector<Leaf>> walk(const Structure& structure, const Box& box, const Operands& operands,
                                      std::size_t most) {
    const Unit& u = structure.frame;
    const Format& d = format(u.d);
    const bool last = u.place == AccumulatorPlace::last;
    const bool first_is_c = u.c && !last;
    Decoded start;
    start.exponent = d.emin();
    std::vector<State> states = {{first_is_c ? operands.c() : start, box.sets}};
    const Format* c_format = first_is_c ? &format(*u.c) : &d;
    // As much work as for so many evaluations of all blocks.
    std::size_t steps = most * static_cast<std::size_t>(u.blocks());
    for (int block = 0; block < u.blocks(); ++block) {
        std::vector<State> next;
        for (const State& state : states) {
            const Box here{box.structure, state.sets};
            Chooser chooser(here);
            Asking asking(structure, chooser);
            do {
                if (steps-- == 0) return std::nullopt;
                Rounded r = Walk<Int>(asking, operands, block, state.c, *c_format).run();
                // e8m13 and tf32 are stored in fp32: the same number with more fraction bits.
                r.value.significand <<= d.mantissa_bits - r.format->mantissa_bits;
                next.push_back({r.value, chooser.sets()});
            } while (chooser.next());
        }
        join(box.structure, next);
        if (next.size() > most) return std::nullopt;
        states = std::move(next);
        c_format = &d;
    }
    std::vector<Leaf> leaves;
    for (State& state : states) {
        const Decoded c = last && u.c ? add_last<Int>(u, state.c, operands.c()) : state.c;
        const bool is_nan = c.number_class == NumberClass::nan;
        leaves.push_back({is_nan ? quiet_nan(d) : pack(d, c), {box.structure, std::move(state.sets)}});
    }
    return leaves;
}

} // namespace

std::optional<std::vector<Leaf>> evaluate(const Structure& structure, const Box& box, const Inputs& inputs,
                                          std::size_t most) {
    const Operands operands(structure.frame, inputs);
    try {
        return walk<wide::i128>(structure, box, operands, most);
    } catch (const TooNarrow&) {
    }
    try {
        return walk<wide::Medium>(structure, box, operands, most);
    } catch (const TooNarrow&) {
    }
    return walk<wide::Big>(structure, box, operands, most);
}

std::uint64_t without_nan_bits(FormatId d, std::uint64_t bits) {
    const Format& f = format(d);
    return decode(f, bits).number_class == NumberClass::nan ? quiet_nan(f) : bits;
}

} // namespace discern::identify
