// The fused sum: align every summand at the largest reference exponent, cut it, and add exactly.
//
// Summands that are cut share a moving last place, 2^(E − F), and the sum keeps it. Where nothing is cut the sum has a
// fixed last place instead, and no exponent is looked at.
#include "encodings/nodes.hpp"

#include "align.hpp"
#include "encodings/graph/shift.hpp"
#include "encodings/special.hpp"
#include "exponents.hpp"
#include "extent.hpp"
#include "frame.hpp"
#include "unfelt.hpp"

#include <algorithm>
#include <array>
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
        // A place, or the step to it, is where the exponent says: all of them count.
        if (framed_ || is_stepped()) indifferent_ = everything_counts;
    }

    Fused run() {
        forget_wide_registers();
        if (reader_ != nullptr && !wraps_ && !framed_ && !is_stepped())
            forget_unfelt_cuts(t_, summands_, rule_.floor, *reader_, has_sticky_place());
        exponents_ = find_exponents(t_, summands_, rule_.floor, indifferent_, wraps_, drops_, has_sticky_place());
        if (is_stepped()) raise_to_steps(t_, exponents_, rule_.step, rule_.phase);
        largest_ = exponents_.largest;
        uncut_at_own_exponents_ = !framed_ && !is_stepped() && uncut_by_themselves(summands_);
        find_cuts();
        if (framed_) frame_ = find_frame(t_, summands_, rule_, exponents_.someone);
        open_exact_sums();
        Number sum = all_exact_ ? exact_sum() : fixed_ ? fixed_sum() : moving_sum();
        sum.exponent = largest_;
        sum.has_exponent = exponents_.someone;
        if (indifferent_ != everything_counts) sum.has_exponent = t_.truth(true);
        sum.bounds.zero_exponent = largest_.high;
        sum.bounds.lowest = exponents_.lowest;
        if (all_exact_) sum.bounds.least = least_of_sum(t_, summands_);
        if (all_exact_) sum.pattern = pattern_of_sum(t_, summands_);
        std::vector<Number> numbers;
        for (const Summand& s : summands_) numbers.push_back(s.number);
        sum.bounds.most = std::min(most(), std::ldexp(1.0, sum.bounds.below));
        zero_sign_of_sum(t_, sum, numbers, [&](std::size_t i) { return stays(i) ? numbers[i].zero : vanished_[i]; });
        const Term plus = rule_.zero_is_plus.when(t_, [](bool is) { return is; });
        sum.zero_negative = t_.bvand(sum.zero_negative, t_.bvnot(plus));
        sum.zero_mixed = t_.bvand(sum.zero_mixed, t_.bvnot(plus));
        if (all_exact_ && plus == t_.truth(false)) sum.summands = numbers;
        join_specials(t_, sum, numbers);
        return {std::move(sum), all_exact_ ? exponents_.harmless : exponents_.alike, all_exact_};
    }

  private:
    bool is_stepped() const { return !rule_.step.all(none); }

    /// The largest magnitude of the sum.
    double most() const {
        if (wraps_ || framed_) return HUGE_VAL;
        double sum = has_sticky_place() ? std::ldexp(1.0, largest_.high - most_) : 0;
        for (std::size_t i = 0; i < summands_.size(); ++i) {
            const Number& n = summands_[i].number;
            if (n.zero == t_.truth(true)) continue;
            sum = sum_above(sum, n.bounds.most);
            if (all_exact_ || modes_[i].all([](Rounding mode) { return mode == Rounding::rz; })) continue;
            int least = INT_MAX; // a cut away from zero adds less than a place
            for (const auto& [F, condition] : F_[i].options) least = std::min(least, F);
            if (least == INT_MAX) continue;
            const bool by_others = n.bounds.digits <= least && !is_stepped(); // not where E is its own exponent
            const int E = by_others ? std::min(largest_.high, beside_[i]) : largest_.high;
            if (E == INT_MIN) return HUGE_VAL; // nobody else is there
            sum = sum_above(sum, std::ldexp(1.0, E - least));
        }
        return sum;
    }

    // match: summands that are not cut at their own exponents, and E such a one, or one that does not cut this summand
    // => this one does not vanish, or another does not
    bool stays(std::size_t i) const {
        if (!uncut_at_own_exponents_ || exponents_.constant == INT_MIN) return uncut_at_own_exponents_;
        const Summand& s = summands_[i];
        return s.how.drop.all(none) && s.how.F.all([&](const auto& F) {
            return !F || static_cast<long>(s.number.bounds.last) + *F >= exponents_.constant;
        });
    }

    // match: a register that holds every sum => one that never wraps
    void forget_wide_registers() {
        peak_ = largest_sum(summands_, framed_);
        rule_.carry = rule_.carry.mapped(
            t_, [&](std::optional<int> w) { return w && peak_ < std::ldexp(1.0, *w + 2) ? std::nullopt : w; });
        wraps_ = !rule_.carry.all(none);
        forget_far_drops();
        drops_ = std::any_of(summands_.begin(), summands_.end(), [](const auto& s) { return !s.how.drop.all(none); });
    }

    // match: a drop so far below all others that nothing lies there => none
    void forget_far_drops() {
        if (is_stepped()) return; // E may be beyond all of them
        for (std::size_t i = 0; i < summands_.size(); ++i) {
            Summand& s = summands_[i];
            if (s.how.drop.all(none)) continue;
            const int highest = highest_beside(summands_, i, rule_.floor);
            const int lowest = s.number.exponent.low;
            s.how.drop = s.how.drop.mapped(
                t_, [&](std::optional<int> d) { return d && lowest + *d >= highest ? std::nullopt : d; });
        }
    }

    // ------------------------------------------------------------------------------------------------- alignment

    // For which F a summand is never cut.
    int enough(const Number& n) const { return std::max(0, largest_.high - n.bounds.last); }

    /// Sets of each summand the F by which it is aligned in a sum with a moving last place.
    void find_cuts() {
        int most = INT_MIN;     // of those that are cut
        bool was_exact = false; // of one that was written so
        for (const auto& [n, how, is_c] : summands_) {
            if (n.zero == t_.truth(true)) continue;
            was_exact = was_exact || how.F.any(none);
            for (const auto& [F, condition] : how.F.options)
                if (F && *F < enough(n)) most = std::max(most, *F);
        }
        // match: summands of which none is ever cut => exact ones
        all_exact_ = most == INT_MIN && !wraps_ && !drops_ && !framed_;
        if (all_exact_) return;
        if (wraps_ || has_sticky_place() || framed_ ||
            most == INT_MIN) // the register has as many places as the largest F says
            for (const auto& [n, how, is_c] : summands_)
                for (const auto& [F, condition] : how.F.options)
                    if (F) most = std::max(most, *F);
        most_ = std::max(most, 0);
        for (const auto& [n, how, is_c] : summands_) {
            // match: a summand that no F cuts => one with as many places as the others, or as it needs
            const int needed = n.zero == t_.truth(true) ? 0 : enough(n), uncut = std::max(most_, needed);
            F_.push_back(
                how.F.mapped(t_, [needed, uncut](std::optional<int> F) { return F && *F < needed ? *F : uncut; }));
            modes_.push_back(uncut_everywhere(F_.back(), n) ? discern::fixed(t_, Rounding::rz) : how.rounding);
            for (const auto& [F, condition] : F_.back().options) places_ = std::max(places_, F);
        }
        fixed_ = was_exact && !wraps_ && !has_sticky_place() && !framed_ && places_ > most_ + 64;
    }

    // match: an exact sum that is never cut => its summands
    void open_exact_sums() {
        std::vector<Summand> flat;
        std::vector<Pick<int>> F;
        std::vector<Pick<Rounding>> modes;
        for (std::size_t i = 0; i < summands_.size(); ++i) {
            const Summand& s = summands_[i];
            const int beside = highest_beside(summands_, i, rule_.floor);
            const bool opens = !s.number.summands.empty() && (all_exact_ || opens_at_moving_place(s, F_[i]));
            for (const Number& n : opens ? s.number.summands : std::vector<Number>{s.number}) {
                flat.push_back({n, s.how, s.is_c});
                if (all_exact_) continue;
                beside_.push_back(opens ? largest_.high : beside);
                F.push_back(opens ? discern::fixed(t_, std::max(most_, enough(n))) : F_[i]);
                modes.push_back(modes_[i]);
                places_ = std::max(places_, F.back().first());
            }
        }
        summands_ = std::move(flat);
        F_ = std::move(F);
        modes_ = std::move(modes);
    }

    /// Whether E is never below the exponents of the sum's own summands. It may be where these cancel and a zero is
    /// ignored.
    bool opens_at_moving_place(const Summand& sum, const Pick<int>& F) const {
        const bool takes_part = sum.how.zero.all([](ZeroExponent z) { return z.kind == ZeroExponent::Kind::own; }) ||
                                std::all_of(sum.number.summands.begin(), sum.number.summands.end(),
                                            [this](const Number& n) { return n.exponent.high <= largest_.low; });
        return takes_part && uncut_everywhere(F, sum.number) && sum.how.drop.all(none);
    }

    bool uncut_everywhere(const Pick<int>& F, const Number& n) const {
        return F.all([&](int f) { return f >= enough(n); });
    }

    // Whether a summand counts as zero since its exponent is too far below E.
    Term dropped(const Number& n, const Pick<std::optional<int>>& drop) {
        std::vector<Term> all;
        for (const auto& [n_places, condition] : drop.options)
            if (n_places)
                all.push_back(t_.bvand(condition, less(t_, n.exponent + *n_places, exponents_.largest_for_drops)));
        return t_.bvand(t_.bvnot(n.zero), t_.any_of(all));
    }

    Term unless_dropped(const Summand& s, Term value) {
        return t_.ite(dropped(s.number, s.how.drop), t_.constant(t_.width(value), 0), value);
    }

    // ------------------------------------------------------------------------------------------------------ sums

    /// @param value  in two's complement
    Number from_signed(Term value, const Ranged& place) {
        Number sum;
        const int width = t_.width(value);
        sum.sign = t_.bit(value, width - 1);
        sum.magnitude = t_.ite(sum.sign, t_.bvneg(value), value);
        sum.zero = t_.is_zero(value);
        sum.place = place;
        sum.bounds.units = std::ldexp(1.0, std::min(t_.width(sum.magnitude), 1000));
        sum.bounds.below = place.high + width;
        return sum;
    }

    Number from_wide_sum(std::span<const Term> values, const Ranged& place) {
        const int width = std::max(2, sum_bits(t_, values) + 1);
        Number sum = from_signed(sum_term(t_, values, width), place);
        sum.magnitude = t_.extract(sum.magnitude, 0, width - 1); // −2^(width − 1) is no sum
        sum.bounds.below = place.high + width - 1;
        if (peak_ > 0) sum.bounds.below = std::min(sum.bounds.below, largest_.high + std::ilogb(peak_) + 1);
        return sum;
    }

    int last_of_sum() const {
        int last = INT_MAX;
        for (std::size_t i = 0; i < summands_.size(); ++i) {
            const Number& n = summands_[i].number;
            if (n.zero == t_.truth(true)) continue;
            int own = n.bounds.last, most = INT_MIN;
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
            if (has_sticky_place()) {
                lost.push_back(dropped(n, how.drop));
                if (!uncut_everywhere(F_[i], n))
                    lost.push_back(t_.bvand(t_.bvnot(n.zero), is_cut(t_, n, largest_, F_[i], places_)));
            }
            const Term value = unless_dropped(summands_[i], aligned_term(t_, n, largest_, F_[i], modes_[i], places_));
            values.push_back(value);
            vanished_.push_back(uncut_everywhere(F_[i], n) && how.drop.all(none) ? n.zero : t_.is_zero(value));
            if (!framed_ || is_c) continue;
            const Inversion inversion = find_inversion(t_, frame_, summands_[i], rule_.opposed, value, places_);
            values.push_back(inversion.adds);
            vanished_.back() = t_.bvand(vanished_.back(), t_.bvnot(inversion.happens));
        }
        if (values.empty()) values.push_back(t_.constant(2, 0)); // zero, all of them
        const Ranged place = largest_ - places_;
        Number sum = wraps_ ? wrapped_sum(values, place) : from_wide_sum(values, place);
        sum.gap = sum.bounds.digits = places_;
        sum.bounds.last = wraps_ || framed_ ? std::min(last_of_sum(), largest_.low - places_) : last_of_sum();
        sum.bounds.peak = wraps_ ? std::max(peak_, std::ldexp(1.0, t_.width(sum.magnitude) - places_)) : peak_;
        if (!wraps_ && peak_ > 0) sum.bounds.units = std::min(sum.bounds.units, std::ldexp(peak_, places_));
        return has_sticky_place() ? with_sticky_place(std::move(sum), t_.any_of(lost)) : sum;
    }

    bool has_sticky_place() const {
        return rule_.sticky.any([](bool sticky) { return sticky; });
    }

    // One place more than the largest F has, which says whether anything was lost.
    Number with_sticky_place(Number sum, Term lost) {
        const Term set = t_.bvand(lost, rule_.sticky.when(t_, [](bool sticky) { return sticky; }));
        sum.magnitude = t_.concat(sum.magnitude, t_.constant(1, 0));
        const int width = t_.width(sum.magnitude);
        for (const auto& [F, condition] : largest_F(t_, summands_).options) {
            const Term bit = t_.bvshl(t_.zero_extend(t_.bvand(set, condition), width),
                                      t_.constant(32, static_cast<std::uint64_t>(places_ - F)));
            sum.magnitude = t_.bvor(sum.magnitude, bit);
        }
        sum.zero = t_.bvand(sum.zero, t_.bvnot(set));
        sum.place = sum.place - 1;
        sum.gap = sum.bounds.digits = places_ + 1;
        sum.bounds.last = std::min(sum.bounds.last, largest_.low - places_ - 1);
        sum.bounds.units = 2 * sum.bounds.units + 1;
        sum.bounds.peak = sum_above(sum.bounds.peak, std::ldexp(1.0, -most_));
        sum.bounds.below = std::max(sum.bounds.below, largest_.high + std::ilogb(sum.bounds.peak) + 1);
        return sum;
    }

    // One sign, w carry, 2 integer and the fraction bits: the top bit weighs 2^(E + w + 2).
    Number wrapped_sum(std::span<const Term> values, const Ranged& place) {
        const int full = std::max(2, sum_bits(t_, values) + 1);
        const auto holds = [&](std::optional<int> w) { return !w || *w + 3 + places_ >= full; };
        if (rule_.carry.all(holds)) return from_wide_sum(values, place);
        const auto in_register = [&](std::optional<int> w) {
            const int width = w.value_or(0) + 3 + places_;
            return holds(w) ? sum_term(t_, values, full) : t_.sign_extend(sum_term(t_, values, width), full);
        };
        if (rule_.carry.is_fixed()) return from_signed(sum_term(t_, values, *rule_.carry.first() + 3 + places_), place);
        return from_signed(rule_.carry.choose(t_, in_register), place);
    }

    Number exact_sum() {
        std::vector<Term> values;
        std::vector<Ranged> places;
        for (const auto& [n, how, is_c] : summands_) {
            vanished_.push_back(n.zero);
            if (n.zero == t_.truth(true)) continue;
            values.push_back(signed_term(t_, n.magnitude, n.sign));
            places.push_back(n.place);
        }
        return at_fixed_place(values, places);
    }

    // Some are cut, and others are exact and far longer.
    Number fixed_sum() {
        std::vector<Term> values;
        std::vector<Ranged> places;
        for (std::size_t i = 0; i < summands_.size(); ++i) {
            const auto& [n, how, is_c] = summands_[i];
            if (n.zero == t_.truth(true)) {
                vanished_.push_back(t_.truth(true));
                continue;
            }
            const bool uncut = uncut_everywhere(F_[i], n);
            if (uncut) {
                values.push_back(unless_dropped(summands_[i], signed_term(t_, n.magnitude, n.sign)));
                places.push_back(n.place);
            } else {
                int most = 0;
                for (const auto& [F, condition] : F_[i].options) most = std::max(most, F);
                values.push_back(unless_dropped(summands_[i], aligned_term(t_, n, largest_, F_[i], modes_[i], most)));
                places.push_back(largest_ - most);
            }
            vanished_.push_back(uncut && how.drop.all(none) ? n.zero : t_.is_zero(values.back()));
        }
        return at_fixed_place(values, places);
    }

    Number at_fixed_place(std::span<const Term> values, std::span<const Ranged> places) {
        if (values.empty()) {
            Number zero = from_signed(t_.constant(2, 0), ranged_constant(t_, 0));
            zero.bounds = {};
            return zero;
        }
        int place = INT_MAX;
        for (const Ranged& p : places) place = std::min(place, p.low);
        std::vector<Term> shifted;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const int width = t_.width(values[i]) + std::max(places[i].high - place, 0);
            // A zero's place may lie outside the range, so its shift may be anything: it is zero all the same.
            shifted.push_back(t_.bvshl(t_.sign_extend(values[i], width), above(t_, places[i], place)));
        }
        Number sum = from_wide_sum(shifted, ranged_constant(t_, place));
        sum.bounds.last = last_of_sum();
        sum.bounds.peak = peak_;
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
    bool all_exact_ = false, fixed_ = false, uncut_at_own_exponents_ = false;
    int most_ = 0, places_ = 0; ///< the largest F of those that are cut; of all
    std::vector<Pick<int>> F_;
    std::vector<Pick<Rounding>> modes_;
    std::vector<int> beside_;    ///< what E is at most while it is not a summand's own exponent
    std::vector<Term> vanished_; ///< whether a summand was zero when it was added
};

} // namespace

Fused fuse_term(Terms& t, std::vector<Summand> summands, const FuseRule& rule, int indifferent, const Reader* reader) {
    if (summands.empty()) throw std::logic_error("fuse_term: a fuse must have children");
    return Fusion(t, std::move(summands), rule, indifferent, reader).run();
}

} // namespace discern
