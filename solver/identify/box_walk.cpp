// The walk over a parametric tree (docs/notation.md, "What a tree computes"), in which a parameter is asked for only
// where its values change the intermediate result.
#include "box_walk.hpp"

#include "chooser.hpp"

#include "models/format.hpp"
#include "models/machine.hpp"
#include "models/terms.hpp"

#include <algorithm>
#include <map>
#include <span>

namespace discern::identify {

namespace {

using integer::flushed;
using integer::is_subnormal;
using integer::SpecialSum;
using integer::Term;
using integer::ZeroSigns;

/// An exact sum does not fit the integers.
struct TooNarrow {};

constexpr int nobody = INT_MIN / 2; ///< the exponent of no term

/// The vector's operands, decoded once.
struct Operands {
    std::vector<Decoded> a, b, sa, sb; ///< in the order of elements; scales one for each element
    Decoded c;
};

template <typename Int>
int lowest_bit(const Int& magnitude) {
    if constexpr (sizeof(Int) <= 16) {
        const auto low = static_cast<std::uint64_t>(magnitude);
        return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(magnitude >> 64));
    } else {
        int n = 0;
        for (const std::uint64_t limb : magnitude.limb) {
            if (limb != 0) return n + std::countr_zero(limb);
            n += 64;
        }
        return n;
    }
}

template <typename Int>
Int shifted(const Int& x, int n) {
    if (n > 0 && !wide::is_zero(x) && wide::bit_length(wide::magnitude(x)) + n >= static_cast<int>(8 * sizeof(Int)) - 1)
        throw TooNarrow{};
    return wide::is_zero(x) ? x : wide::shift_left(x, n);
}

template <typename Int>
class Walk {
  public:
    Walk(const Structure& structure, const Operands& operands, Chooser& chooser)
        : s_(structure), operands_(operands), chooser_(chooser), a_(format(structure.frame.a)),
          b_(format(structure.frame.b)), d_(format(structure.frame.d)),
          scale_(structure.frame.scale ? &format(structure.frame.scale->format) : nullptr) {}

    std::uint64_t run() {
        const Unit& u = s_.frame;
        const bool last = u.place == AccumulatorPlace::last;
        c_ = Decoded{};
        c_.exponent = d_.emin();
        c_format_ = &d_;
        if (u.c && !last) {
            c_ = operands_.c;
            c_format_ = &format(*u.c);
        }
        for (block_ = 0; block_ < u.blocks(); ++block_) {
            const auto [rounded, f] = round(s_.tree);
            c_ = rounded;
            const int widen = d_.mantissa_bits - f->mantissa_bits;
            c_.significand <<= widen;
            c_.payload <<= widen;
            c_format_ = &d_;
        }
        if (last && u.c) c_ = add_last(c_, operands_.c);
        if (c_.number_class == NumberClass::nan) return quiet_nan(d_);
        return pack(d_, c_);
    }

  private:
    int value(Slot slot) const { return s_.variables[slot].values[chooser_.possible(slot).first()]; }
    int value_at(Slot slot, std::size_t index) const { return s_.variables[slot].values[index]; }
    template <typename KeyOf>
    int ask(Slot slot, KeyOf key_of) {
        return value_at(slot, chooser_.ask(slot, [&](std::size_t i) { return key_of(value_at(slot, i)); }));
    }
    int ask_itself(Slot slot) {
        return ask(slot, [](int v) { return v; });
    }
    template <typename Visit>
    void for_possible(Slot slot, Visit visit) const {
        chooser_.possible(slot).for_each([&](std::size_t i) { visit(value_at(slot, i)); });
    }

    /// Whether the numbers in a table are all one, or the answer for all is.
    template <typename Predicate>
    bool any_possible(Slot slot, Predicate predicate) const {
        bool any = false;
        for_possible(slot, [&](int v) { any = any || predicate(v); });
        return any;
    }

    // ---------------------------------------------------------------------------------------------- leaves

    std::size_t element(int l) const { return static_cast<std::size_t>(s_.frame.element(block_, l)); }

    Decoded operand(const Format& f, const Decoded& x, Slot flush) {
        if (!is_subnormal(f, x)) return x;
        const int rule = ask_itself(flush);
        return rule == 0 ? x : flushed(x, rule == 1);
    }

    bool special_product(const Decoded& a, const Decoded& b, const Decoded* sa, const Decoded* sb,
                         Term<Int>& term) const {
        const Decoded* factors[] = {&a, &b, sa, sb};
        bool nan = false, infinite = false, zero = false;
        for (const Decoded* x : factors) {
            if (x == nullptr) continue;
            nan = nan || x->number_class == NumberClass::nan;
            infinite = infinite || x->number_class == NumberClass::infinite;
            zero = zero || x->is_zero();
        }
        if (!nan && !infinite) return false;
        term = integer::special_term<Int>(nan || zero ? integer::Special::invalid_nan
                                                      : integer::infinity_of(a.negative != b.negative));
        return true;
    }

    /// @param exponents  by normalisation
    void product(const ParametricNode& node, int l, Term<Int>& term, int (&exponents)[3]) {
        const std::size_t k = element(l);
        const Decoded a = operand(a_, operands_.a[k], node.flush), b = operand(b_, operands_.b[k], node.flush);
        const Decoded* sa = scale_ == nullptr ? nullptr : &operands_.sa[k];
        const Decoded* sb = scale_ == nullptr ? nullptr : &operands_.sb[k];
        if (special_product(a, b, sa, sb, term)) return;
        int exponent = a.exponent + b.exponent, fraction = a_.mantissa_bits + b_.mantissa_bits;
        auto significand = static_cast<wide::i128>(a.significand) * static_cast<wide::i128>(b.significand);
        if (scale_ != nullptr) {
            exponent += sa->exponent + sb->exponent;
            fraction += 2 * scale_->mantissa_bits;
            significand *= static_cast<wide::i128>(sa->significand * sb->significand);
        }
        const bool negative = a.negative != b.negative;
        term = integer::finite_term<Int>(negative, significand, exponent - fraction, exponent);
        exponents[0] = exponents[1] = exponents[2] = exponent;
        if (significand == 0) return;
        const int top = wide::bit_length(significand) - 1 + term.lsb;
        if (top > exponent) ++exponents[1];
        exponents[2] = top;
        const int limit = ask(node.limit, [&](int n) { return n != none && top >= n; });
        if (limit != none && top >= limit) {
            const bool yields = ask_itself(node.yields) != 0;
            using enum integer::Special;
            term = integer::special_term<Int>(yields ? (negative ? soft_minus : soft_plus)
                                                     : integer::infinity_of(negative));
        }
    }

    void group(const ParametricNode& node, int index, Term<Int>& term) const {
        wide::i128 sum = 0;
        ZeroSigns signs;
        SpecialSum specials;
        const int first = index * node.size;
        const Decoded* sa = scale_ == nullptr ? nullptr : &operands_.sa[element(first)];
        const Decoded* sb = scale_ == nullptr ? nullptr : &operands_.sb[element(first)];
        for (int l = first; l < first + node.size; ++l) {
            const Decoded &a = operands_.a[element(l)], &b = operands_.b[element(l)];
            Term<Int> special;
            if (special_product(a, b, sa, sb, special)) {
                specials.add(special);
                continue;
            }
            const bool negative = a.negative != b.negative;
            const wide::i128 fixed = static_cast<wide::i128>(a.significand * b.significand)
                                     << (a.exponent - a_.emin() + b.exponent - b_.emin());
            sum += negative ? -fixed : fixed;
            signs.add(negative);
            signs.aligned(fixed != 0);
        }
        if (specials.any()) {
            term = specials.template result<Int>();
            return;
        }
        int lsb = a_.emin() - a_.mantissa_bits + b_.emin() - b_.mantissa_bits, exponent = 0;
        if (sa != nullptr) {
            sum *= static_cast<wide::i128>(sa->significand * sb->significand);
            exponent = sa->exponent + sb->exponent;
            lsb += exponent - 2 * scale_->mantissa_bits;
        }
        term = integer::finite_term<Int>(sum < 0, sum < 0 ? -sum : sum, lsb, exponent);
        if (sum == 0) term.zero_sign = signs.of_zero_sum();
    }

    void accumulator(const ParametricNode& node, Term<Int>& term) {
        const Decoded c = operand(*c_format_, c_, node.flush);
        term = integer::operand_term<Int>(*c_format_, c);
        if (term.special != integer::Special::finite) return;
        const auto converted = [&](int as) {
            if (as == none) return term.exponent;
            const int emin = format(static_cast<FormatId>(as)).emin();
            const bool zero = wide::is_zero(term.value);
            return std::max(emin, zero ? emin : wide::bit_length(wide::magnitude(term.value)) - 1 + term.lsb);
        };
        term.exponent = converted(ask(node.as, converted));
    }

    // ------------------------------------------------------------------------------------------------ sums

    /// A sum of aligned terms, comparable.
    struct Partial {
        Int value; ///< in units of 2^lsb
        int lsb;
        bool cancelled; ///< the sum is zero, and some aligned term is not

        bool operator==(const Partial& o) const { return value == o.value && lsb == o.lsb && cancelled == o.cancelled; }
    };

    static Partial normalised(Int value, int lsb, bool any) {
        if (wide::is_zero(value)) return {value, 0, any};
        const int n = lowest_bit(wide::magnitude(value));
        const bool negative = wide::negative(value);
        Int magnitude = wide::shift_right(wide::magnitude(value), n);
        return {negative ? wide::negate(magnitude) : magnitude, lsb + n, false};
    }

    static Int add_at(const Int& x, int x_lsb, const Int& y, int y_lsb, int lsb) {
        const Int p = shifted(x, x_lsb - lsb), q = shifted(y, y_lsb - lsb);
        if constexpr (sizeof(Int) <= 16)
            if (wide::bit_length(wide::magnitude(p)) >= 126 || wide::bit_length(wide::magnitude(q)) >= 126)
                throw TooNarrow{};
        return wide::add(p, q);
    }

    /// The terms of one F and one mode.
    struct Class {
        Slot F, mode;
        std::vector<const Term<Int>*> terms; ///< not zero
        int lsb = INT_MAX;                   ///< the lowest of all
    };

    /// @param cut  place that is kept last; INT_MIN: exact
    static Partial partial_sum(const Class& c, int cut, Rounding mode) {
        const int unit = std::max(c.lsb, cut);
        Int sum;
        wide::assign(sum, 0);
        bool any = false;
        for (const Term<Int>* term : c.terms) {
            Int aligned = term->value;
            if (term->lsb < unit)
                aligned = integer::round_shift(aligned, unit - term->lsb, mode);
            else
                aligned = shifted(aligned, term->lsb - unit);
            any = any || !wide::is_zero(aligned);
            sum = add_at(sum, 0, aligned, 0, 0);
        }
        return normalised(sum, unit, any);
    }

    /// A term on its way into a sum.
    struct Item {
        Term<Int> term;
        int exponents[3]; ///< by normalisation: raw, carry, full
        std::size_t edge;
        bool is_product;
    };

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
        std::vector<Class> classes;
        for (Item& item : items) {
            if (wide::is_zero(item.term.value)) continue;
            const auto& edge = node.edges[item.edge];
            const int drop = ask(edge.drop, [&](int n) { return n != none && item.exponents[0] < E - n; });
            if (drop != none && item.exponents[0] < E - drop) continue;
            auto c = std::find_if(classes.begin(), classes.end(),
                                  [&](const Class& k) { return k.F == edge.F && k.mode == edge.mode; });
            if (c == classes.end()) c = classes.insert(c, Class{edge.F, edge.mode, {}});
            c->terms.push_back(&item.term);
            c->lsb = std::min(c->lsb, last_place(item.term));
        }
        bool any = false;
        Int total;
        wide::assign(total, 0);
        int lsb = 0;
        for (const Class& c : classes) {
            const Partial p = aligned_sum(c, E);
            any = any || p.cancelled || !wide::is_zero(p.value);
            if (wide::is_zero(p.value)) continue;
            if (wide::is_zero(total)) {
                total = p.value;
                lsb = p.lsb;
                continue;
            }
            const int low = std::min(lsb, p.lsb);
            total = add_at(total, lsb, p.value, p.lsb, low);
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
            const int count = node.kind == Kind::product ? s_.frame.L : s_.frame.L / node.size;
            for (int l = node.which.first; l < count; l += node.which.step) {
                Item& item = put(node.kind == Kind::product);
                if (node.kind == Kind::product) {
                    product(node, l, item.term, item.exponents);
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
            const auto [rounded, f] = round(node);
            term = integer::operand_term<Int>(*f, rounded);
        }
        item.term = term;
        own_exponent(item);
    }

    static int last_place(const Term<Int>& term) { return term.lsb + lowest_bit(wide::magnitude(term.value)); }

    /// The lowest last place of the non-zero products below the node; INT_MAX if there are none.
    int last_place_below(const ParametricNode& node) const {
        int place = INT_MAX;
        for (const auto& edge : node.edges) place = std::min(place, last_place_below(edge.node.front()));
        if (node.kind != ParametricNode::Kind::product) return node.child.empty() ? place : nobody;
        for (int l = node.which.first; l < s_.frame.L; l += std::max(1, node.which.step)) {
            const std::size_t k = element(l);
            const Decoded &a = operands_.a[k], &b = operands_.b[k];
            int of_product = a.exponent + b.exponent - a_.mantissa_bits - b_.mantissa_bits;
            std::uint64_t significands[] = {a.significand, b.significand, 1, 1};
            if (scale_ != nullptr) {
                of_product += operands_.sa[k].exponent + operands_.sb[k].exponent - 2 * scale_->mantissa_bits;
                significands[2] = operands_.sa[k].significand;
                significands[3] = operands_.sb[k].significand;
            }
            bool zero = false;
            for (const std::uint64_t significand : significands) {
                zero = zero || significand == 0;
                of_product += zero ? 0 : std::countr_zero(significand);
            }
            if (!zero) place = std::min(place, of_product);
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
        if (any_possible(node.carry, [](int w) { return w != none; })) return known;
        int harmless = indifferent;
        for (const auto& edge : node.edges) {
            if (any_possible(edge.drop, [](int n) { return n != none; })) return known;
            if (is_fuse(edge.node.front())) place = std::min(place, last_place_below(edge.node.front()));
        }
        for (const auto& edge : node.edges)
            for_possible(edge.F, [&](int F) {
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
                for_possible(edge.F, [&](int F) {
                    if (F != exact) lower(lsb + F);
                });
                if (any_possible(edge.drop, [](int n) { return n != none; })) lower(nobody);
            }
            // Whether even the smallest E leaves room for the sum.
            int E = nobody;
            for (const Item& item : items)
                if (!wide::is_zero(item.term.value))
                    E = std::max(E, *std::min_element(std::begin(item.exponents), std::end(item.exponents)));
            const int sum_bits = top + static_cast<int>(std::bit_width(items.size()));
            for_possible(node.carry, [&](int w) {
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
            const int n = ask(normalisation_, [&](int v) { return largest(static_cast<std::size_t>(v)); });
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
            E = with_zeros(ask(node.edges[e].zero, with_zeros));
        }
        const auto floored = [&](int floor) { return floor == none ? E : std::max(E, floor); };
        return floored(ask(node.floor, floored));
    }

    Partial aligned_sum(const Class& c, int E) {
        int lowest = exact_place;
        for_possible(c.F, [&](int F) {
            if (F != exact) lowest = std::max(lowest, E - F);
        });
        if (lowest <= c.lsb) return partial_sum(c, INT_MIN, Rounding::rz);
        std::map<std::pair<int, int>, Partial> sums; // by cut and mode
        const auto sum_of = [&](int F, int mode) -> const Partial& {
            const bool cuts = F != exact && E - F > c.lsb;
            const std::pair<int, int> key{cuts ? E - F : INT_MIN, cuts ? mode : 0};
            auto at = sums.find(key);
            if (at == sums.end()) at = sums.emplace(key, partial_sum(c, key.first, static_cast<Rounding>(mode))).first;
            return at->second;
        };
        const int F = ask(c.F, [&](int f) {
            std::vector<Partial> of_modes;
            for_possible(c.mode, [&](int mode) { of_modes.push_back(sum_of(f, mode)); });
            return of_modes;
        });
        const int mode = ask(c.mode, [&](int m) { return sum_of(F, m); });
        return sum_of(F, mode);
    }
    static constexpr int exact_place = INT_MIN / 4;

    /// The register of the sum holds multiples below 2^(E + carry + 2), and wraps.
    void wrap(const ParametricNode& node, int E, Term<Int>& sum) {
        const auto is_wrapped = [&](int w) {
            return w != none && wide::bit_length(wide::magnitude(sum.value)) + sum.lsb > E + w + 2;
        };
        if (!any_possible(node.carry, is_wrapped)) return;
        // An exact sum has no register.
        bool is_exact = false;
        for (const auto& edge : node.edges)
            is_exact = ask(edge.F, [](int F) { return F == exact; }) == exact || is_exact;
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
        sum.value = wrapped(ask(node.carry, wrapped));
    }

    // ------------------------------------------------------------------------------------------------ rounding

    struct Rounded {
        Decoded value;
        const Format* f;
    };
    struct Key {
        NumberClass number_class;
        bool negative;
        std::uint64_t significand;
        int exponent;
        bool operator==(const Key&) const = default;
    };

    Key key_of(const Round& rule, const Term<Int>& term) const {
        const Format& f = format(rule.format);
        const Decoded d = integer::round_term(rule, f, term);
        if (d.number_class == NumberClass::nan) return {d.number_class, false, 0, 0};
        if (d.number_class == NumberClass::infinite) return {d.number_class, d.negative, 0, 0};
        return {d.number_class, d.negative, d.significand << (53 - f.mantissa_bits), d.exponent};
    }

    /// The slots of a round in the order in which they are asked; a rule is set from their values.
    static void set(Round& rule, std::size_t which, int v) {
        switch (which) {
        case 0: rule.format = static_cast<FormatId>(v); break;
        case 1: rule.mode = static_cast<Rounding>(v); break;
        case 2: rule.overflow = static_cast<Overflow>(v); break;
        case 3:
            rule.flush = static_cast<Flush>((v + 1) / 2);
            rule.flush_keeps_sign = v % 2 != 0;
            break;
        case 4: rule.zero_sign_ieee = v != 0; break;
        case 5: rule.underflow_keeps_sign = v != 0; break;
        default: break;
        }
    }

    Rounded round(const ParametricNode& node) {
        Term<Int> term;
        const ParametricNode& child = node.child.front();
        if (child.kind == ParametricNode::Kind::fuse) {
            fuse(child, INT_MAX, term);
        } else {
            std::vector<Item> items;
            collect(child, 0, INT_MAX, items);
            term = items.front().term;
        }
        const Slot slots[] = {node.format, node.mode, node.overflow, node.flush, node.zero_sign, node.underflow};
        Round rule;
        for (std::size_t i = 0; i < 6; ++i) set(rule, i, value(slots[i]));
        std::vector<std::size_t> relevant;
        if (term.special == integer::Special::finite) {
            if (wide::is_zero(term.value)) {
                relevant = {1, 4};
            } else {
                relevant = {0, 1};
                const int top = wide::bit_length(wide::magnitude(term.value)) - 1 + term.lsb;
                int emin = INT_MIN, emax = INT_MAX;
                for_possible(node.format, [&](int f) {
                    emin = std::max(emin, format(static_cast<FormatId>(f)).emin());
                    emax = std::min(emax, format(static_cast<FormatId>(f)).emax());
                });
                if (top >= emax) relevant.push_back(2);
                if (top < emin) relevant.insert(relevant.end(), {3, 5});
            }
        } else {
            relevant = {0};
        }
        decide(slots, relevant, 0, rule, term);
        const Format& f = format(rule.format);
        return {integer::round_term(rule, f, term), &f};
    }

    /// The results of all rules that differ from this one in the slots from `at` on.
    void results(const Slot (&slots)[6], const std::vector<std::size_t>& relevant, std::size_t at, Round& rule,
                 const Term<Int>& term, std::vector<Key>& keys) const {
        if (at == relevant.size()) {
            keys.push_back(key_of(rule, term));
            return;
        }
        const Round before = rule;
        for_possible(slots[relevant[at]], [&](int v) {
            set(rule, relevant[at], v);
            results(slots, relevant, at + 1, rule, term, keys);
        });
        rule = before;
    }

    void decide(const Slot (&slots)[6], const std::vector<std::size_t>& relevant, std::size_t at, Round& rule,
                const Term<Int>& term) {
        for (; at < relevant.size(); ++at) {
            const int v = ask(slots[relevant[at]], [&](int candidate) {
                Round with = rule;
                set(with, relevant[at], candidate);
                std::vector<Key> keys;
                results(slots, relevant, at + 1, with, term, keys);
                return keys;
            });
            set(rule, relevant[at], v);
        }
    }

    /// One IEEE addition, RNE, in d's format.
    Decoded add_last(const Decoded& d, const Decoded& c) const {
        const Term<Int> terms[] = {integer::operand_term<Int>(d_, d),
                                   integer::operand_term<Int>(format(*s_.frame.c), c)};
        SpecialSum specials;
        ZeroSigns signs;
        Term<Int> sum = integer::finite_term<Int>(false, 0, std::min(terms[0].lsb, terms[1].lsb), 0);
        for (const auto& term : terms) {
            specials.add(term);
            signs.add(term);
            signs.aligned(!wide::is_zero(term.value));
        }
        if (specials.any()) {
            sum = specials.template result<Int>();
        } else {
            int lsb = INT_MAX;
            for (const auto& term : terms)
                if (!wide::is_zero(term.value)) lsb = std::min(lsb, term.lsb);
            if (lsb != INT_MAX) {
                sum.lsb = lsb;
                for (const auto& term : terms)
                    if (!wide::is_zero(term.value)) sum.value = add_at(sum.value, lsb, term.value, term.lsb, lsb);
            }
            sum.zero_sign = signs.of_zero_sum();
        }
        Round ieee;
        ieee.format = d_.id;
        return integer::round_term(ieee, d_, sum);
    }

    const Structure& s_;
    const Operands& operands_;
    Chooser& chooser_;
    const Format &a_, &b_, &d_;
    const Format* scale_;
    int block_ = 0;
    Decoded c_;
    const Format* c_format_ = nullptr;
    Slot normalisation_ = 0; ///< of the products
};

Operands decoded(const Structure& structure, const Inputs& in) {
    const Unit& u = structure.frame;
    Operands operands;
    for (std::size_t k = 0; k < in.a.size(); ++k) {
        operands.a.push_back(decode(format(u.a), in.a[k]));
        operands.b.push_back(decode(format(u.b), in.b[k]));
        if (!u.scale) continue;
        const std::size_t s = k / static_cast<std::size_t>(u.scale->block);
        operands.sa.push_back(decode(format(u.scale->format), in.sa[s]));
        operands.sb.push_back(decode(format(u.scale->format), in.sb[s]));
    }
    if (u.c) operands.c = decode(format(*u.c), in.c);
    return operands;
}

template <typename Int>
bool walk(const Structure& structure, const Box& box, const Operands& operands, std::size_t most,
          std::vector<Leaf>& leaves) {
    Chooser chooser(box);
    do {
        if (leaves.size() == most) return false;
        const std::uint64_t d = Walk<Int>(structure, operands, chooser).run();
        leaves.push_back({d, {box.structure, chooser.sets()}});
    } while (chooser.next());
    return true;
}

} // namespace

std::optional<std::vector<Leaf>> evaluate(const Structure& structure, const Box& box, const Inputs& inputs,
                                          std::size_t most) {
    const Operands operands = decoded(structure, inputs);
    std::vector<Leaf> leaves;
    try {
        if (!walk<wide::i128>(structure, box, operands, most, leaves)) return std::nullopt;
    } catch (const TooNarrow&) {
        leaves.clear();
        if (!walk<wide::Big>(structure, box, operands, most, leaves)) return std::nullopt;
    }
    return leaves;
}

std::uint64_t without_nan_bits(FormatId d, std::uint64_t bits) {
    const Format& f = format(d);
    return decode(f, bits).number_class == NumberClass::nan ? quiet_nan(f) : bits;
}

} // namespace discern::identify
