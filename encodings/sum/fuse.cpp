// The fused sum: every summand is aligned to the common exponent E and rounded to F fraction bits; then all are added
// exactly.
//
// If a summand may be truncated, the sum's last bit weighs 2^(E − F), which moves with E. If none may be, the last bit
// has a fixed weight, and E is not needed.
#include "encodings/number/nodes.hpp"

#include "align.hpp"
#include "encodings/graph/shift.hpp"
#include "encodings/number/special.hpp"
#include "exponents.hpp"
#include "extent.hpp"
#include "frame.hpp"
#include "less.hpp"
#include "unobservable.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <stdexcept>

namespace discern {

namespace {

bool none(const std::optional<int>& value) { return !value; }

class Fusion {
  public:
    Fusion(Terms& t, std::vector<Summand> summands, const FuseRule& rule, int indifferent, const Reader* reader)
        : t_(t), summands_(std::move(summands)), rule_(rule), indifferent_(indifferent), reader_(reader) {
        framed_ = rule.frame.any([](SignFrame frame) { return frame != SignFrame::none; });
        replace_less(t_, summands_, rule_, reader_ != nullptr);
        for (const Summand& s : summands_) t_.show(s.number);
        // What a frame adds, and steps of E, depend on every value of E.
        if (framed_ || is_stepped()) indifferent_ = everything_counts;
    }

    Fused run() {
        forget_wide_registers();
        // match: summands that share their scales, none of which is truncated whatever those are => exact summands
        if (t_.may_fold(Folding::exact_one_scale) && !wraps_ && !drops_ && !framed_ && !is_stepped() &&
            exact_beside_one_scale(summands_, rule_.floor))
            for (Summand& s : summands_) s.how.F = discern::fixed(t_, std::optional<int>());
        if (t_.may_fold(Folding::exponents_of_flushed) && reader_ != nullptr && !wraps_ && !drops_ && !is_stepped() &&
            !has_sticky_bit())
            drop_exponents_of_flushed(t_, summands_, rule_.floor, *reader_, framed_);
        if (t_.may_fold(Folding::unobservable_truncation) && reader_ != nullptr && !wraps_ && !framed_ && !is_stepped())
            drop_unobservable_truncations(t_, summands_, rule_.floor, *reader_, has_sticky_bit());
        exponents_ = find_exponents(t_, summands_, rule_.floor, indifferent_, wraps_, drops_, has_sticky_bit());
        if (is_stepped()) raise_to_steps(t_, exponents_, rule_.step, rule_.phase);
        largest_ = exponents_.largest;
        exact_at_own_exponents_ = !framed_ && !is_stepped() && exact_at_own_exponents(summands_);
        find_truncations();
        if (is_sum_of_one()) return sum_of_one();
        if (framed_) frame_ = find_frame(t_, summands_, rule_, exponents_.someone);
        const bool may_be_as_small = wraps_ || drops_ || framed_ || is_stepped() || has_sticky_bit() ||
                                     !exact_at_own_exponents_ || exponents_.constant != INT_MIN;
        const int least =
            may_be_as_small || !t_.may_fold(Folding::least_of_aligned) ? INT_MIN : least_of_aligned_sum(t_, summands_);
        open_exact_sums();
        Number sum = all_exact_ ? exact_sum() : fixed_ ? fixed_sum() : moving_sum();
        sum.exponent = largest_;
        sum.has_exponent = exponents_.someone;
        if (indifferent_ != everything_counts) sum.has_exponent = t_.truth(true);
        std::vector<Number> numbers;
        for (const Summand& s : summands_) numbers.push_back(s.number);
        made_.highest_E = largest_.high;
        made_.lowest = exponents_.lowest;
        made_.least =
            std::max(least, all_exact_ && t_.may_fold(Folding::least_of_exact) ? least_of_sum(t_, summands_) : INT_MIN);
        made_.most = most();
        sum.facts = Facts::of_sum(made_);
        // match: no summand is truncated where E is its own exponent, and no zero or floor brings another E => a
        // nonzero summand either does not become zero, or another nonzero summand remains
        const bool stay = t_.may_fold(Folding::stays) && exact_at_own_exponents_ && exponents_.constant == INT_MIN;
        zero_sign_of_sum(t_, sum, numbers, [&](std::size_t i) { return stay ? numbers[i].zero : vanished_[i]; });
        const Term plus = rule_.plus.when(t_, [](bool is) { return is; });
        sum.zero_negative = t_.bvand(sum.zero_negative, t_.bvnot(plus));
        sum.zero_mixed = t_.bvand(sum.zero_mixed, t_.bvnot(plus));
        if (all_exact_ && plus == t_.truth(false)) sum.summands = numbers;
        join_specials(t_, sum, numbers);
        t_.show(sum);
        // A step may raise an exponent that does not matter to one that does, where no term brings an exponent.
        const int harmless = all_exact_ ? exponents_.harmless : exponents_.indifferent;
        return {std::move(sum), is_stepped() ? everything_counts : harmless, all_exact_};
    }

  private:
    bool is_stepped() const { return !rule_.step.all(none); }

    // match: a single summand, of which nothing is lost where E is its own exponent, and which has no other E => itself
    bool is_sum_of_one() const {
        if (!t_.may_fold(Folding::sum_of_one) || summands_.size() != 1 || wraps_ || drops_ || framed_ || is_stepped() ||
            has_sticky_bit())
            return false;
        const bool plus = rule_.plus.any([](bool is) { return is; });
        const bool other_E = !rule_.floor.all(none) || summands_[0].how.zero.any([](const ZeroExponent& zero) {
            return zero.kind == ZeroExponent::Kind::constant;
        });
        return !plus && !other_E && (all_exact_ || exact_at_own_exponents_);
    }

    Fused sum_of_one() {
        Number n = summands_[0].number;
        const Term own = summands_[0].how.zero.when(
            t_, [](const ZeroExponent& zero) { return zero.kind == ZeroExponent::Kind::own; });
        n.has_exponent = t_.bvor(t_.bvnot(n.zero), t_.bvand(own, n.has_exponent));
        if (n.empty) n.empty->takes = either(t_, t_.bvnot(own), ZeroExponent{}, std::move(n.empty->takes));
        return {std::move(n), indifferent_, true};
    }

    /// The largest magnitude of the sum without its sticky bit.
    double most() const {
        if (wraps_ || framed_) return HUGE_VAL;
        double sum = 0;
        for (std::size_t i = 0; i < summands_.size(); ++i) {
            const Number& n = summands_[i].number;
            if (n.zero == t_.truth(true)) continue;
            sum = sum_above(sum, n.facts->most);
            if (all_exact_ || modes_[i].all([](Rounding mode) { return mode == Rounding::rz; })) continue;
            int least = INT_MAX; // rounding away from zero adds less than 2^(E − F)
            for (const auto& [F, condition] : F_[i].options) least = std::min(least, F);
            if (least == INT_MAX) continue;
            const bool by_others = n.facts->digits <= least && !is_stepped(); // exact where E is its own exponent
            const int E = by_others ? std::min(largest_.high, beside_[i]) : largest_.high;
            if (E == INT_MIN) return HUGE_VAL; // no other summand bounds E
            sum = sum_above(sum, power_above(E - least));
        }
        return sum;
    }

    // match: peak < 2^(carry + 2), so that the register holds every sum => one that never wraps
    void forget_wide_registers() {
        peak_ = largest_sum(summands_, framed_);
        rule_.carry = rule_.carry.mapped(t_, [&](std::optional<int> w) {
            return t_.may_fold(Folding::wide_register) && w && peak_ < std::ldexp(1.0, *w + 2) ? std::nullopt : w;
        });
        wraps_ = !rule_.carry.all(none);
        drops_ = std::any_of(summands_.begin(), summands_.end(), [](const auto& s) { return !s.how.drop.all(none); });
    }

    // ------------------------------------------------------------------------------------------------- alignment

    // The least F with which a summand is never truncated.
    int enough(const Number& n) const { return std::max(0, largest_.high - n.facts->last); }

    /// Finds of each summand the F with which it is aligned in a sum whose last bit moves with E.
    void find_truncations() {
        int most = INT_MIN;     // the largest F that truncates a summand
        bool was_exact = false; // some summand has no F
        for (const auto& [n, how, is_c] : summands_) {
            if (n.zero == t_.truth(true)) continue;
            was_exact = was_exact || how.F.any(none);
            for (const auto& [F, condition] : how.F.options)
                if (F && *F < enough(n)) most = std::max(most, *F);
        }
        // match: F ≥ E − last bit for every summand, so that none is truncated => an exact sum
        all_exact_ = t_.may_fold(Folding::all_exact) && most == INT_MIN && !wraps_ && !drops_ && !framed_;
        if (all_exact_) return;
        if (wraps_ || has_sticky_bit() || framed_ ||
            most == INT_MIN) // the register has as many bits as the largest F says
            for (const auto& [n, how, is_c] : summands_)
                for (const auto& [F, condition] : how.F.options)
                    if (F) most = std::max(most, *F);
        most_ = std::max(most, 0);
        for (std::size_t i = 0; i < summands_.size(); ++i) {
            const auto& [n, how, is_c] = summands_[i];
            beside_.push_back(highest_beside(summands_, i, rule_.floor));
            // What has no F is not truncated: the largest F of the others, or as many bits as it has.
            const int exact = std::max(most_, n.zero == t_.truth(true) ? 0 : enough(n));
            F_.push_back(how.F.mapped(t_, [exact](std::optional<int> F) { return F.value_or(exact); }));
            modes_.push_back(never_truncated(F_.back(), n) ? discern::fixed(t_, Rounding::rz) : how.rounding);
            for (const auto& [F, condition] : F_.back().options) fraction_bits_ = std::max(fraction_bits_, F);
        }
        fixed_ = was_exact && !wraps_ && !has_sticky_bit() && !framed_ && fraction_bits_ > most_ + 64;
    }

    // match: a summand of an exact sum is an exact sum => its own summands
    void open_exact_sums() {
        if (!all_exact_ || !t_.may_fold(Folding::open_sums)) return;
        std::vector<Summand> flat;
        for (const Summand& s : summands_) {
            if (s.number.summands.empty()) flat.push_back(s);
            for (const Number& n : s.number.summands) flat.push_back({n, s.how, s.is_c});
        }
        summands_ = std::move(flat);
    }

    bool never_truncated(const Pick<int>& F, const Number& n) const {
        return F.all([&](int f) { return f >= enough(n); });
    }

    // Whether a summand counts as zero since its exponent is too far below E.
    Term dropped(const Number& n, const Pick<std::optional<int>>& drop) {
        std::vector<Term> all;
        for (const auto& [below_E, condition] : drop.options)
            if (below_E)
                all.push_back(t_.bvand(condition, less(t_, n.exponent + *below_E, exponents_.largest_for_drops)));
        return t_.bvand(t_.bvnot(n.zero), t_.any_of(all));
    }

    Term unless_dropped(const Summand& s, Term value) {
        return t_.ite(dropped(s.number, s.how.drop), t_.constant(t_.width(value), 0), value);
    }

    // ------------------------------------------------------------------------------------------------------ sums

    /// @param value  in two's complement
    Number from_signed(Term value, const Ranged& lsb) {
        Number sum;
        const int width = t_.width(value);
        sum.sign = t_.bit(value, width - 1);
        sum.magnitude = t_.ite(sum.sign, t_.bvneg(value), value);
        sum.zero = t_.is_zero(value);
        sum.lsb = lsb;
        made_.width = width;
        made_.highest_lsb = lsb.high;
        return sum;
    }

    Number from_wide_sum(std::span<const Term> values, const Ranged& lsb) {
        const int width = std::max(2, sum_bits(t_, values) + 1);
        Number sum = from_signed(sum_term(t_, values, width), lsb);
        sum.magnitude = t_.extract(sum.magnitude, 0, width - 1); // −2^(width − 1) is no sum
        made_.width = width - 1;
        return sum;
    }

    int last_of_sum() const {
        int last = INT_MAX;
        for (std::size_t i = 0; i < summands_.size(); ++i) {
            const Number& n = summands_[i].number;
            if (n.zero == t_.truth(true)) continue;
            int own = n.facts->last, most = INT_MIN;
            if (!all_exact_) {
                for (const auto& [F, condition] : F_[i].options) most = std::max(most, F);
                if (!F_[i].any([&](int f) { return f >= enough(n); })) own = std::max(own, largest_.low - most);
            }
            last = std::min(last, own);
        }
        return last == INT_MAX ? 0 : last;
    }

    Number moving_sum() {
        std::vector<Term> values, lost;
        for (std::size_t i = 0; i < summands_.size(); ++i) {
            const auto& [n, how, is_c] = summands_[i];
            if (n.zero == t_.truth(true) && !framed_) {
                vanished_.push_back(t_.truth(true));
                continue;
            }
            if (has_sticky_bit()) {
                lost.push_back(dropped(n, how.drop));
                if (!never_truncated(F_[i], n))
                    lost.push_back(t_.bvand(t_.bvnot(n.zero), loses_bits(t_, n, largest_, F_[i], fraction_bits_)));
            }
            const Term value =
                unless_dropped(summands_[i], aligned_term(t_, n, largest_, F_[i], modes_[i], fraction_bits_));
            values.push_back(value);
            vanished_.push_back(never_truncated(F_[i], n) && how.drop.all(none) ? n.zero : t_.is_zero(value));
            if (!framed_ || is_c) continue;
            const Inversion inversion = find_inversion(t_, frame_, summands_[i], rule_.opposed, value, fraction_bits_);
            values.push_back(inversion.adds);
            vanished_.back() = t_.bvand(vanished_.back(), t_.bvnot(inversion.happens));
        }
        if (values.empty()) values.push_back(t_.constant(2, 0)); // every summand is zero
        const Ranged lsb = largest_ - fraction_bits_;
        Number sum = wraps_ ? wrapped_sum(values, lsb) : from_wide_sum(values, lsb);
        made_.fraction_bits = fraction_bits_;
        made_.wraps = wraps_;
        made_.peak = peak_;
        made_.last = wraps_ || framed_ ? std::min(last_of_sum(), largest_.low - fraction_bits_) : last_of_sum();
        if (summands_.size() == 2 && !wraps_ && !framed_ && rule_.floor.all(none))
            made_.span = t_.may_fold(Folding::span_of_two) ? span_of_two() : HUGE_VAL;
        return has_sticky_bit() ? with_sticky_bit(std::move(sum), t_.any_of(lost)) : sum;
    }

    // The largest quotient of the sum and its last bit, for each distance of the two exponents.
    double span_of_two() const {
        double most = 0;
        for (const std::size_t i : {0u, 1u}) { // E is the exponent of y
            const Bounds &x = *summands_[i].number.facts, &y = *summands_[1 - i].number.facts;
            if (x.digits == INT_MAX || y.digits == INT_MAX) return HUGE_VAL;
            const double largest_y = aligned_peak(summands_[1 - i]);
            int F = 0;
            for (const auto& [f, condition] : F_[i].options) F = std::max(F, f);
            for (int k = 0; k <= std::max(0, F - x.digits) + 1; ++k) {
                const bool is_truncated = x.digits + k > F;
                const double aligned = is_truncated ? std::ldexp(1.0, -F) : 0;
                const double sum = sum_above(sum_above(largest_y, std::ldexp(x.peak, -k)), aligned);
                most = std::max(most, std::ldexp(sum, std::max(y.digits, std::min(x.digits + k, F))));
            }
        }
        return most;
    }

    bool has_sticky_bit() const {
        return rule_.sticky.any([](bool sticky) { return sticky; });
    }

    // A sticky bit weighs half of the last bit of the largest F of all summands, of which this is the least.
    int least_of_largest_F() {
        int least = most_;
        for (const auto& [F, condition] : largest_F(t_, summands_).options)
            if (condition != t_.truth(false)) least = std::min(least, F);
        return least;
    }

    // One bit below the largest F, set if anything was truncated or dropped.
    Number with_sticky_bit(Number sum, Term lost) {
        const Term set = t_.bvand(lost, rule_.sticky.when(t_, [](bool sticky) { return sticky; }));
        sum.magnitude = t_.concat(sum.magnitude, t_.constant(1, 0));
        const int width = t_.width(sum.magnitude);
        for (const auto& [F, condition] : largest_F(t_, summands_).options) {
            const Term bit = t_.bvshl(t_.zero_extend(t_.bvand(set, condition), width),
                                      t_.constant(32, static_cast<std::uint64_t>(fraction_bits_ - F)));
            sum.magnitude = t_.bvor(sum.magnitude, bit);
        }
        sum.zero = t_.bvand(sum.zero, t_.bvnot(set));
        sum.lsb = sum.lsb - 1;
        made_.sticky = Facts::Sticky{.least_F = least_of_largest_F(), .lowest_E = largest_.low};
        return sum;
    }

    // One sign, w carry, 2 integer and the fraction bits: the top bit weighs 2^(E + w + 2).
    Number wrapped_sum(std::span<const Term> values, const Ranged& lsb) {
        const int full = std::max(2, sum_bits(t_, values) + 1);
        const auto holds = [&](std::optional<int> w) { return !w || *w + 3 + fraction_bits_ >= full; };
        if (rule_.carry.all(holds)) return from_wide_sum(values, lsb);
        const auto in_register = [&](std::optional<int> w) {
            const int width = w.value_or(0) + 3 + fraction_bits_;
            return holds(w) ? sum_term(t_, values, full) : t_.sign_extend(sum_term(t_, values, width), full);
        };
        if (rule_.carry.is_fixed())
            return from_signed(sum_term(t_, values, *rule_.carry.first() + 3 + fraction_bits_), lsb);
        return from_signed(rule_.carry.choose(t_, in_register), lsb);
    }

    Number exact_sum() {
        std::vector<Term> values;
        std::vector<Ranged> lsbs;
        for (const auto& [n, how, is_c] : summands_) {
            vanished_.push_back(n.zero);
            if (n.zero == t_.truth(true)) continue;
            values.push_back(signed_term(t_, n.magnitude, n.sign));
            lsbs.push_back(n.lsb);
        }
        return at_fixed_lsb(values, lsbs);
    }

    // Some summands are truncated; others are exact and reach so far down that the sum gets a fixed last bit.
    Number fixed_sum() {
        std::vector<Term> values;
        std::vector<Ranged> lsbs;
        for (std::size_t i = 0; i < summands_.size(); ++i) {
            const auto& [n, how, is_c] = summands_[i];
            if (n.zero == t_.truth(true)) {
                vanished_.push_back(t_.truth(true));
                continue;
            }
            const bool exact = never_truncated(F_[i], n);
            if (exact) {
                values.push_back(unless_dropped(summands_[i], signed_term(t_, n.magnitude, n.sign)));
                lsbs.push_back(n.lsb);
            } else {
                int most = 0;
                for (const auto& [F, condition] : F_[i].options) most = std::max(most, F);
                values.push_back(unless_dropped(summands_[i], aligned_term(t_, n, largest_, F_[i], modes_[i], most)));
                lsbs.push_back(largest_ - most);
            }
            vanished_.push_back(exact && how.drop.all(none) ? n.zero : t_.is_zero(values.back()));
        }
        return at_fixed_lsb(values, lsbs);
    }

    Number at_fixed_lsb(std::span<const Term> values, std::span<const Ranged> lsbs) {
        if (values.empty()) {
            Number zero = from_signed(t_.constant(2, 0), ranged_constant(t_, 0));
            made_.width = 0;
            return zero;
        }
        int lsb = INT_MAX;
        for (const Ranged& p : lsbs) lsb = std::min(lsb, p.low);
        std::vector<Term> shifted;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const int width = t_.width(values[i]) + std::max(lsbs[i].high - lsb, 0);
            // The lsb of a zero may lie outside of the range; its shift is then arbitrary, and the result still zero.
            shifted.push_back(t_.bvshl(t_.sign_extend(values[i], width), above(t_, lsbs[i], lsb)));
        }
        Number sum = from_wide_sum(shifted, ranged_constant(t_, lsb));
        made_.last = last_of_sum();
        made_.peak = peak_;
        // E is at least each summand's exponent, and the sum's lsb is the lowest of theirs.
        for (const Summand& s : summands_) made_.below_lsb = std::max(made_.below_lsb, most_below_lsb(*s.number.facts));
        if (all_exact_ && t_.may_fold(Folding::span_of_one_scale)) made_.span = span_of_one_scale(summands_);
        return sum;
    }

    Terms& t_;
    std::vector<Summand> summands_;
    FuseRule rule_;
    int indifferent_;
    const Reader* reader_;
    double peak_ = 0;
    bool wraps_ = false, drops_ = false, framed_ = false;
    Frame frame_ = {};
    Exponents exponents_;
    Ranged largest_; ///< E
    bool all_exact_ = false, fixed_ = false, exact_at_own_exponents_ = false;
    int most_ = 0, fraction_bits_ = 0; ///< the largest F that truncates; the largest of all
    std::vector<Pick<int>> F_;
    std::vector<Pick<Rounding>> modes_;
    std::vector<int> beside_;    ///< of each summand: an upper bound of E where E is not its own exponent
    Facts::Sum made_;            ///< what the facts of the sum follow from
    std::vector<Term> vanished_; ///< whether a summand was zero when it was added
};

} // namespace

Fused fuse_term(Terms& t, std::vector<Summand> summands, const FuseRule& rule, int indifferent, const Reader* reader) {
    if (summands.empty()) throw std::logic_error("fuse_term: a fuse must have children");
    return Fusion(t, std::move(summands), rule, indifferent, reader).run();
}

} // namespace discern
