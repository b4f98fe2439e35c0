// The rule of unobservable.hpp in terms of what is known of the two summands for all inputs (Bounds, DigitRuns).
#include "unobservable.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <vector>

namespace discern {

namespace {

/// Whether a property holds of every E above `exact_up_to` that may be no term's exponent: of floors, and of the
/// exponent of a zero y. If these may be any up to some number, of that one, for which the property is hardest.
template <typename Property>
bool holds_of_constants(const Summand& y, const Pick<std::optional<int>>& floor, int exact_up_to, Property holds) {
    using Kind = ZeroExponent::Kind;
    const auto is_exact_or_holds = [&](int E, bool y_is_zero) { return E <= exact_up_to || holds(E, y_is_zero); };
    return floor.all([&](std::optional<int> f) { return !f || is_exact_or_holds(*f, false); }) &&
           y.how.zero.all([&](const ZeroExponent& z) {
               return z.kind == Kind::ignore ||
                      is_exact_or_holds(z.kind == Kind::own ? y.number.facts->zero_exponent : z.value, true);
           });
}

/// Whether aligning x at 2^(E − F) moves it neither onto, nor off, nor across a multiple of the weight of a tie.
/// @param ties   ties of sums of at least 2^E are multiples of 2^(E − ties)
/// @param below  ties of smaller sums, which occur where y is hardly more than 2^E, are multiples of 2^(E − below)
/// @param evenly  ties go to the even neighbour, and y is one of those even numbers of which every other one is: it is
///                a tie from below that changes 01 in x, and one from above that changes 10
bool stays_beside_ties(const DigitRuns& runs, Rounding mode, int F, int ties, int below, bool evenly) {
    const bool nearest = mode == Rounding::rne || mode == Rounding::rna;
    if (evenly && nearest && F - below + 1 > std::max(runs.odd_zeros, runs.odd_ones) &&
        (mode == Rounding::rna || F - below > runs.lone_odd_zeros))
        return true;
    if (evenly && !nearest && F - below > runs.odd_zeros && (mode == Rounding::rz || F - below > runs.odd_ones))
        return true;
    if (F - below <= runs.zeros) return false;
    // A run of ones up to the tie just below 2^E, with no one above it: the tie and its neighbours all give 2^E.
    return mode == Rounding::rz || (F - ties > runs.ones && F - below > runs.inner_ones);
}

enum class Unobservable : std::uint8_t { no, by_digits, always };

/// Whether the truncation of x in one mode at 2^(E − F) is unobservable beside y.
class Truncation {
  public:
    Truncation(const Terms& t, const Summand& x, const Summand& y, int F, Rounding mode, const Reader& reader,
               bool sticky)
        : t_(t), n_(*x.number.facts), other_(*y.number.facts), y_(y), F_(F), mode_(mode), reader_(reader),
          sticky_(sticky) {}

    Unobservable beside(const Pick<std::optional<int>>& floor) const {
        if (n_.digits == INT_MAX || other_.digits == INT_MAX || other_.depth == INT_MAX) return Unobservable::no;
        if (F_ < n_.digits) return Unobservable::no; // x is truncated where E is its own exponent
        const bool flushes = reader_.flushed_below > std::min(n_.last, other_.last);
        // Both modes rd, or both ru: a truncation that keeps every bit of a result is unobservable too, if y has no
        // finer bits.
        const bool exact_enough = t_.may_fold(Folding::same_way_anywhere) && same_way() &&
                                  reader_.zeros_indistinguishable && other_.last >= least_lsb();
        const int exact_up_to = (exact_enough ? std::max(n_.last, least_lsb()) : n_.last) + F_;
        Unobservable answer = at_exponent_of_y(flushes);
        const bool at_constants = holds_of_constants(y_, floor, exact_up_to, [&](int E, bool y_is_zero) {
            const Unobservable here = flushes ? Unobservable::no : at_constant(E, y_is_zero);
            answer = std::min(answer, here);
            return here != Unobservable::no;
        });
        return at_constants ? answer : Unobservable::no;
    }

  private:
    bool same_way() const { return reader_.way == mode_; }
    int least_lsb() const { return reader_.emin - reader_.precision + 1; }
    /// x < 2 to that, beside 2^exponent.
    int above_exponent() const { return std::ilogb(n_.peak) + 1; }
    /// Whether y is a result, to which what is hardly larger or smaller is rounded.
    bool gives_y() const {
        return reader_.nearest && other_.digits + std::ilogb(other_.peak) < reader_.least_precision &&
               other_.last >= reader_.lsb;
    }

    Unobservable at_exponent_of_y(bool flushes) const {
        // y ≥ 2^(E − depth): the header's E is E − depth here.
        const int depth = depth_above(other_, std::max(n_.last + F_, reader_.emin));
        if (F_ < n_.digits + above_exponent() + depth) return Unobservable::no; // x ≤ 2^(E − depth − 1)
        // match: x is not truncated, or the sum is so large that it becomes infinite => no truncation
        const int lost = std::min(y_.number.exponent.high, largest_finite(depth)) - F_ - n_.last; // bits of x, at most
        if (t_.may_fold(Folding::lost_nothing) && lost <= 0) return Unobservable::always;
        if (flushes) return Unobservable::no; // sums are multiples of flushed_below, truncated or not
        const int ties = std::max(reader_.precision + depth, other_.digits);
        const int below = std::max(reader_.precision + depth + 1, other_.digits);
        // Where results are subnormal, y may be smaller, and a sum that is zero after aligning need not be it before.
        const bool may_be_zero = F_ < n_.digits + above_exponent() + depth_above(other_, n_.last + F_);
        if (t_.may_fold(Folding::same_way) && same_way() && !sticky_ && F_ >= ties &&
            (reader_.zeros_indistinguishable || !may_be_zero))
            return Unobservable::always;
        if (t_.may_fold(Folding::odd_always) && mode_ == Rounding::odd &&
            F_ > std::max(below - (reader_.directed ? 1 : 0), other_.digits))
            return Unobservable::always;
        if (F_ <= below) return Unobservable::no;
        // match: x loses a single bit, which is rounded away from zero, and is small beside a last bit of y => none
        if (t_.may_fold(Folding::rna_one_bit) && mode_ == Rounding::rna && lost == 1 &&
            F_ >= below + n_.digits + above_exponent() + 1)
            return Unobservable::always;
        // A sticky bit may go the other way than a tie.
        const bool evenly = t_.may_fold(Folding::beside_ties_evenly) && reader_.even && !sticky_ &&
                            other_.digits + std::ilogb(other_.peak) + 3 <= reader_.least_precision;
        return t_.may_fold(Folding::beside_ties) && gives_y() &&
                       stays_beside_ties(n_.runs, mode_, F_, ties, below, evenly)
                   ? Unobservable::by_digits
                   : Unobservable::no;
    }

    /// Where E is larger, the sum is 2^infinite_from at least; or, to nearest, less than it by less than half of the
    /// distance of its neighbours below.
    int largest_finite(int depth) const {
        if (!reader_.infinite_from) return INT_MAX;
        const bool rounds_up = t_.may_fold(Folding::lost_nothing_nearest) && reader_.nearest &&
                               F_ >= n_.digits + above_exponent() + depth + reader_.precision + 1;
        return *reader_.infinite_from + depth - (rounds_up ? 1 : 0);
    }

    /// Where E is a constant, or the exponent of a zero y. Results and ties are multiples of half of the smallest
    /// number, and so is y.
    Unobservable at_constant(int E, bool y_is_zero) const {
        const int half = least_lsb() - 1, below = E - half;
        const bool y_is_exact = y_.how.F.all([&](const auto& F) { return !F || E - *F <= other_.last; });
        if (!t_.may_fold(Folding::unobservable_at_constant) || other_.last < half || !y_is_exact || F_ <= below)
            return Unobservable::no;
        if (mode_ == Rounding::odd) return Unobservable::always; // for directed roundings, with a bit to spare
        // Beside a zero y, an x that is aligned to zero gives a zero sum. Rounded down, that is a positive x; half of
        // the last bit that is kept is rounded away from zero.
        const bool gives_zero = mode_ == Rounding::rd || reader_.zeros_indistinguishable ||
                                (mode_ == Rounding::rna && n_.last + F_ + 1 >= E);
        return t_.may_fold(Folding::beside_ties) && gives_y() && gives_zero &&
                       stays_beside_ties(n_.runs, mode_, F_, below, below,
                                         t_.may_fold(Folding::beside_ties_evenly) && y_is_zero && reader_.even &&
                                             !sticky_)
                   ? Unobservable::by_digits
                   : Unobservable::no;
    }

    const Terms& t_;
    const Bounds &n_, &other_;
    const Summand& y_;
    int F_;
    Rounding mode_;
    const Reader& reader_;
    bool sticky_;
};

} // namespace

namespace {

/// Of each F of x: whether truncating there is unobservable (1 bit).
std::vector<Term> unobservable_truncations(Terms& t, const Summand& x, const Summand& y,
                                           const Pick<std::optional<int>>& floor, const Reader& reader, bool sticky) {
    // y is not dropped where x is truncated, however small its exponent; and y is not truncated where E is its
    // exponent.
    const bool may_be = x.how.drop.all([](const auto& drop) { return !drop; }) &&
                        y.how.F.all([&](const auto& F) { return !F || *F >= y.number.facts->digits; });
    std::vector<Term> result;
    for (const auto& [F, condition] : x.how.F.options) {
        const auto is_unobservable = [&, n = F](Rounding mode) {
            if (!n || !may_be) return !n;
            const Unobservable answer = Truncation(t, x, y, *n, mode, reader, sticky).beside(floor);
            if (answer == Unobservable::by_digits) t.rely_on("digits of products");
            return answer != Unobservable::no;
        };
        result.push_back(x.how.rounding.when(t, is_unobservable));
    }
    return result;
}

/// Removes the unobservable truncations. @param where  1 bit: where it is 0, all of them stay
void forget(Terms& t, Summand& x, std::span<const Term> unobservable, Term where) {
    Pick<std::optional<int>> left;
    std::vector<Term> exact;
    for (std::size_t n = 0; n < unobservable.size(); ++n) {
        const auto& [F, condition] = x.how.F.options[n];
        const Term never = F ? t.bvand(unobservable[n], where) : t.truth(true);
        exact.push_back(t.bvand(condition, never));
        const Term observable = t.bvand(condition, t.bvnot(never));
        if (observable != t.truth(false)) left.options.emplace_back(F, observable);
    }
    if (const Term none = t.any_of(exact); none != t.truth(false)) left.options.emplace_back(std::nullopt, none);
    x.how.F = std::move(left);
}

Term is_unobservable(Terms& t, const Summand& x, std::span<const Term> unobservable) {
    std::vector<Term> observable; // of the F that it may have
    for (std::size_t n = 0; n < unobservable.size(); ++n)
        observable.push_back(t.bvand(x.how.F.options[n].second, t.bvnot(unobservable[n])));
    return t.bvnot(t.any_of(observable));
}

} // namespace

void drop_unobservable_truncations(Terms& t, std::span<Summand> summands, const Pick<std::optional<int>>& floor,
                                   const Reader& reader, bool sticky) {
    if (summands.size() != 2) return;
    Summand &x = summands[0], &y = summands[1];
    const std::vector<Term> of_x = unobservable_truncations(t, x, y, floor, reader, sticky);
    if (!sticky) {
        forget(t, x, of_x, t.truth(true));
        forget(t, y, unobservable_truncations(t, y, x, floor, reader, sticky), t.truth(true));
        return;
    }
    const std::vector<Term> of_y = unobservable_truncations(t, y, x, floor, reader, sticky);
    const Term both = t.bvand(is_unobservable(t, x, of_x), is_unobservable(t, y, of_y));
    forget(t, x, of_x, both);
    forget(t, y, of_y, both);
}

void drop_exponents_of_flushed(Terms& t, std::span<Summand> summands, Pick<std::optional<int>>& floor,
                               const Reader& reader, bool framed) {
    if (!reader.plus_below) return;
    // With every exponent below E: each term, and what alignment and a frame add to it. A zero is not aligned, but
    // inverted like the others.
    const auto is_flushed = [&](int E, const Summand* zero) {
        double most = 0;
        for (const Summand& s : summands) {
            const bool is_zero = &s == zero || s.number.exponent.low >= E;
            int least = INT_MAX;
            for (const auto& [F, condition] : s.how.F.options) least = std::min(least, F.value_or(INT_MAX));
            if (!is_zero) most = sum_above(most, product_above(s.number.facts->peak, power_above(E - 1)));
            const int units = (is_zero ? 0 : 1) + (framed ? 1 : 0);
            if (least != INT_MAX) most = sum_above(most, product_above(units, power_above(E - least)));
        }
        return most <= *reader.plus_below;
    };
    for (Summand& s : summands)
        s.how.zero = s.how.zero.mapped(t, [&](ZeroExponent zero) {
            using Kind = ZeroExponent::Kind;
            if (zero.kind == Kind::ignore) return zero;
            const int E = zero.kind == Kind::own ? s.number.facts->zero_exponent : zero.value;
            return is_flushed(E, &s) ? ZeroExponent{} : zero;
        });
    floor = floor.mapped(t, [&](std::optional<int> f) { return f && is_flushed(*f, nullptr) ? std::nullopt : f; });
}

Term subnormals_unobservable(Terms& t, const Format& c, const Number& x, const Reader& reader) {
    const Term no = t.truth(false);
    // Beside a zero x: a subnormal c by itself is the result, and is subnormal.
    if (!reader.flushes_to_plus || !reader.nearest || c.emin() > reader.emin || c.lsb() < reader.lsb) return no;
    // x is a result; adding less than a quarter of an ulp to it does not change the rounded result.
    const bool is_result = x.facts->units <= std::ldexp(1.0, reader.least_precision) && x.facts->last >= reader.lsb;
    if (!is_result || least_magnitude(*x.facts) - reader.precision - 1 < c.emin()) return no;
    return *reader.flushes_to_plus;
}

} // namespace discern
