// How E is built: first what it cannot be below, then the exponent that stands for all that do not matter, then the
// maximum.
#include "exponents.hpp"

#include <algorithm>
#include <array>
#include <climits>

namespace discern {

namespace {

class Search {
  public:
    Search(Terms& t, std::span<const Summand> summands, const Pick<std::optional<int>>& floor, int indifferent,
           bool wraps, bool drops, bool sticky)
        : t_(t), summands_(summands), floor_(floor), indifferent_(indifferent), wraps_(wraps), drops_(drops),
          sticky_(sticky) {}

    Exponents run() {
        find_sure();
        find_base();
        find_exponents();
        // A summand that is a sum is dropped by its own exponent, so that exponent matters down to the lowest. The
        // exponents of leaves are not changed by what is returned here.
        const bool drops_sum = std::any_of(summands_.begin(), summands_.end(), [](const Summand& s) {
            return !s.how.drop.all([](const auto& bits) { return !bits; }) && s.number.facts->depth == INT_MAX;
        });
        found_.indifferent = drops_ ? std::min(base_, drops_sum ? lowest_ : base_of_drops_) : base_;
        found_.lowest = lowest_;
        return std::move(found_);
    }

  private:
    /// A lower bound of E for all inputs: the lowest exponent of any summand that always takes part.
    void find_sure() {
        using Kind = ZeroExponent::Kind;
        int by_zeros = INT_MIN;
        for (const auto& [n, how, is_c] : summands_) {
            const bool never_zero = n.zero == t_.truth(false), has = always_has_exponent(n);
            const int low = lowest_exponent(n);
            if (never_zero || (has && how.zero.all([](const ZeroExponent& z) { return z.kind == Kind::own; })))
                sure_ = std::max(sure_, low);
            else if (how.zero.is_fixed() && how.zero.first().kind == Kind::constant)
                by_zeros = std::max(by_zeros, std::min(low, how.zero.first().value));
        }
        // match: a zero that takes part with a constant exponent, and no summand has a lower one => a floor there
        floor_ = floor_.mapped(t_, [&](std::optional<int> f) {
            const int floor = std::max(f.value_or(INT_MIN), t_.may_fold(Folding::zero_as_floor) ? by_zeros : INT_MIN);
            // match: floor ≤ lower bound of E => no floor
            return floor == INT_MIN || (t_.may_fold(Folding::floor_below_sure) && floor <= sure_)
                       ? std::nullopt
                       : std::optional(floor);
        });
        int least_floor = INT_MAX;
        for (const auto& [f, condition] : floor_.options) least_floor = std::min(least_floor, f.value_or(INT_MIN));
        sure_ = std::max(sure_, least_floor);
    }

    bool always_has_exponent(const Number& n) const {
        return n.has_exponent == t_.truth(true) && (!n.empty || n.empty->takes.all([](const ZeroExponent& e) {
                   return e.kind != ZeroExponent::Kind::ignore;
               }));
    }

    /// Of all values, zeros included.
    static int lowest_exponent(const Number& n) {
        int lowest = n.exponent.low;
        if (n.empty)
            for (const auto& [e, condition] : n.empty->takes.options)
                if (e.kind == ZeroExponent::Kind::constant) lowest = std::min(lowest, e.value);
        return lowest;
    }

    // The base: the exponent that stands for all up to it, and for a summand that takes no part.
    void find_base() {
        int lowest = INT_MAX;
        for (const auto& [n, how, is_c] : summands_) {
            if (n.zero == t_.truth(true)) continue;
            lowest = std::min({lowest, n.exponent.low, n.facts->lowest});
            for (const auto& [F, condition] : how.F.options)
                if (F) found_.harmless = std::min(found_.harmless, n.facts->last + *F);
        }
        if (indifferent_ == everything_counts) {
            for (const auto& [n, how, is_c] : summands_) {
                lowest = std::min({lowest, lowest_exponent(n), n.facts->lowest});
                for (const auto& [zero, condition] : how.zero.options)
                    if (zero.kind == ZeroExponent::Kind::constant) lowest = std::min(lowest, zero.value);
            }
            for (const auto& [floor, condition] : floor_.options)
                if (floor) lowest = std::min(lowest, *floor);
            base_ = base_of_drops_ = lowest_ = lowest;
            return;
        }
        if (lowest == INT_MAX) lowest = std::min(indifferent_, 0);
        lowest_ = lowest;
        // match: E ≤ exponent + drop for every summand that may be dropped => none is dropped, whatever E is
        int droppable = INT_MAX;
        for (const auto& [n, how, is_c] : summands_)
            for (const auto& [bits, condition] : how.drop.options)
                if (bits) droppable = std::min(droppable, n.exponent.low + *bits);
        base_of_drops_ =
            std::min(indifferent_, t_.may_fold(Folding::base_of_drops) ? std::max(lowest, droppable) : lowest);
        const int undecided = std::min(indifferent_, lowest);
        // match: E at which no summand is truncated, and to which the consumer is indifferent => the largest such E
        base_ = !t_.may_fold(Folding::harmless_base) || wraps_ || found_.harmless == nothing_counts
                    ? undecided
                    : std::min(indifferent_, std::max(lowest, found_.harmless));
        // The weight of a sticky bit, which a dropped summand sets, depends on E.
        if (drops_ && sticky_) base_ = std::min(base_, base_of_drops_);
    }

    bool counts_all() const { return indifferent_ == everything_counts; }

    /// The largest exponent of a zero that truncates and drops none of the others and does not matter to the consumer.
    int harmless_of_zero(const Summand& zero, int base) const {
        if (wraps_) return base;
        int harmless = indifferent_;
        for (const Summand& other : summands_) {
            const Number& n = other.number;
            if (&other == &zero || n.zero == t_.truth(true)) continue;
            for (const auto& [F, condition] : other.how.F.options)
                if (F) harmless = std::min(harmless, n.facts->last + *F);
            for (const auto& [bits, condition] : other.how.drop.options)
                if (bits) harmless = std::min(harmless, n.exponent.low + *bits);
        }
        return std::max(base, harmless);
    }

    /// The exponent by which an empty group takes part.
    /// @param own  that of its fields
    Ranged exponent_of_empty(const EmptyGroup& empty, const Ranged& own, int base) {
        using Kind = ZeroExponent::Kind;
        return choose_ranged(t_, empty.takes, [&](const ZeroExponent& e) {
            if (e.kind == Kind::own) return own;
            if (e.kind == Kind::ignore) return ranged_constant(t_, base);
            return ranged_constant(t_, counts_all() ? e.value : std::max(e.value, base));
        });
    }

    Ranged own_exponent(const Summand& summand, int base) {
        using Kind = ZeroExponent::Kind;
        const Number& n = summand.number;
        const Ranged of_value = counts_all() ? n.exponent : maximum(t_, n.exponent, base);
        if (n.zero == t_.truth(false)) return of_value;
        // match: a zero whose exponent is at most the base, or the lower bound of E, or truncates none of the others =>
        // a zero that takes no part
        const int harmless = harmless_of_zero(summand, base);
        const auto rule = summand.how.zero.mapped(t_, [&](ZeroExponent z) {
            if (t_.may_fold(Folding::zero_below_sure) && z.kind == Kind::constant && z.value <= sure_)
                return ZeroExponent{};
            if (counts_all() || !t_.may_fold(Folding::harmless_zero)) return z;
            if (z.kind == Kind::own && n.facts->zero_exponent <= harmless) return ZeroExponent{};
            if (z.kind == Kind::constant && z.value <= harmless) return ZeroExponent{};
            return z;
        });
        for (const auto& [zero, condition] : rule.options)
            if (zero.kind != Kind::ignore)
                found_.constant = std::max(found_.constant, zero.kind == Kind::constant ? zero.value : INT_MAX);
        const bool as_fields =
            rule.all([](const ZeroExponent& z) { return z.kind == Kind::own; }) ||
            (!counts_all() && rule.is_fixed() && rule.first().kind == Kind::ignore && n.facts->zero_exponent <= base);
        if (as_fields) {
            const bool has = n.has_exponent == t_.truth(true);
            const Ranged own =
                has ? of_value
                    : ite(t_, t_.bvor(t_.bvnot(n.zero), n.has_exponent), of_value, ranged_constant(t_, base));
            return n.empty ? ite(t_, n.empty->here, exponent_of_empty(*n.empty, own, base), own) : own;
        }
        const Ranged of_zero = choose_ranged(t_, rule, [&](const ZeroExponent& z) {
            if (z.kind == Kind::constant) return ranged_constant(t_, z.value);
            if (z.kind == Kind::ignore) return ranged_constant(t_, base);
            const Ranged own = ite(t_, n.has_exponent, of_value, ranged_constant(t_, base));
            return n.empty ? ite(t_, n.empty->here, exponent_of_empty(*n.empty, own, base), own) : own;
        });
        if (n.zero == t_.truth(true)) return of_zero;
        return ite(t_, n.zero, of_zero, of_value);
    }

    Term takes_part(const Number& n, const Pick<ZeroExponent>& zero) {
        const Term own = zero.when(t_, [](const auto& z) { return z.kind == ZeroExponent::Kind::own; });
        const Term constant = zero.when(t_, [](const auto& z) { return z.kind == ZeroExponent::Kind::constant; });
        Term has = n.has_exponent;
        if (n.empty)
            has = t_.ite(n.empty->here,
                         n.empty->takes.when(t_, [](const auto& e) { return e.kind != ZeroExponent::Kind::ignore; }),
                         has);
        return t_.bvor(t_.bvnot(n.zero), t_.bvor(constant, t_.bvand(own, has)));
    }

    /// The largest exponent, or `base` where that is larger.
    Ranged largest_above(int base) {
        std::vector<Ranged> own;
        for (const Summand& s : summands_) own.push_back(own_exponent(s, base));
        const Ranged largest = maximum(t_, own);
        // match: floor ≤ base => no floor
        const auto floor = floor_.mapped(t_, [&](std::optional<int> f) { return f && *f > base ? *f : base; });
        for (const auto& [f, condition] : floor.options)
            if (f != base) found_.constant = std::max(found_.constant, f);
        if (counts_all()) found_.constant = INT_MAX;
        if (floor.is_fixed()) return maximum(t_, largest, floor.first());
        const Ranged both[] = {largest, ranged_pick(t_, floor)};
        return maximum(t_, both);
    }

    void find_exponents() {
        found_.largest = largest_above(base_);
        found_.largest_for_drops = drops_ && base_ != base_of_drops_ ? largest_above(base_of_drops_) : found_.largest;
        std::vector<Term> parts;
        for (const auto& [n, how, is_c] : summands_) parts.push_back(takes_part(n, how.zero));
        parts.push_back(floor_.when(t_, [](const auto& f) { return f.has_value(); }));
        found_.someone = t_.any_of(parts);
    }

    Terms& t_;
    std::span<const Summand> summands_;
    Pick<std::optional<int>> floor_;
    int indifferent_;
    bool wraps_, drops_, sticky_;
    int base_ = 0, base_of_drops_ = 0; ///< exponents up to these do not affect the sum, and what is dropped
    int lowest_ = 0;                   ///< exponent of a summand that is not zero
    int sure_ = INT_MIN;               ///< lower bound of E
    Exponents found_;
};

} // namespace

Exponents find_exponents(Terms& t, std::span<const Summand> summands, const Pick<std::optional<int>>& floor,
                         int indifferent, bool wraps, bool drops, bool sticky) {
    return Search(t, summands, floor, indifferent, wraps, drops, sticky).run();
}

void raise_to_steps(Terms& t, Exponents& found, const Pick<std::optional<int>>& step, const Pick<int>& phase) {
    const auto raised = [&](const Ranged& E) {
        const auto by = step.mapped(t, [](std::optional<int> n) { return n.value_or(1); });
        return choose_ranged(t, by, [&](int n) {
            if (n == 1) return E;
            return choose_ranged(t, phase, [&](int rest) {
                // Counted from a number below the range that is `phase` modulo n: rounded up to a multiple of n, a
                // power of two, by adding n − 1 and clearing the low bits.
                const int first = E.low - ((E.low - rest) % n + n) % n;
                const int digits = bits_for(n) - 1;
                const int last = E.high + ((rest - E.high) % n + n) % n;
                const int width = bits_for(last - first + n) + 1;
                const Term sum = t.bvadd(std::array{t.resize(above(t, E, first), width),
                                                    t.constant(width, static_cast<std::uint64_t>(n - 1))});
                const Term kept = t.concat(t.extract(sum, digits, width - digits), t.constant(digits, 0));
                return Ranged{kept, first, E.low, last};
            });
        });
    };
    found.largest = raised(found.largest);
    found.largest_for_drops = raised(found.largest_for_drops);
    found.harmless = found.indifferent;
}

} // namespace discern
