// The rule of unobservable.hpp in terms of what is known of the two summands for all inputs (Bounds, DigitRuns).
#include "unobservable.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <vector>

namespace discern {

namespace {

/// Whether E truncates x only where E is y's exponent: floors and the exponents of zeros are at most exact_up_to.
bool only_y_truncates(const Summand& y, const Pick<std::optional<int>>& floor, int exact_up_to) {
    using Kind = ZeroExponent::Kind;
    return floor.all([&](std::optional<int> f) {
        return !f || *f <= exact_up_to;
    }) && y.how.zero.all([&](const ZeroExponent& z) {
        return z.kind == Kind::ignore || (z.kind == Kind::own ? y.number.bounds.zero_exponent : z.value) <= exact_up_to;
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
    if (F - below <= runs.zeros) return false;
    // A run of ones up to the tie just below 2^E, with no one above it: the tie and its neighbours all give 2^E.
    return mode == Rounding::rz || (F - ties > runs.ones && F - below > runs.inner_ones);
}

enum class Unobservable : std::uint8_t { no, by_digits, always };

Unobservable unobservable(const Summand& x, const Summand& y, int F, Rounding mode,
                          const Pick<std::optional<int>>& floor, const Reader& reader, bool sticky) {
    const Bounds &n = x.number.bounds, &other = y.number.bounds;
    if (n.digits == INT_MAX || other.digits == INT_MAX || other.depth == INT_MAX) return Unobservable::no;
    if (reader.flushed_below > std::min(n.last, other.last))
        return Unobservable::no; // sums are multiples of that, truncated or not
    // Both modes rd, or both ru: a truncation that keeps every bit of a result is unobservable too, if y has no finer
    // bits.
    const int least_lsb = reader.emin - reader.precision + 1;
    const bool same_way = reader.way == mode;
    const int exact_up_to =
        (same_way && reader.zeros_indistinguishable && other.last >= least_lsb ? std::max(n.last, least_lsb) : n.last) +
        F;
    if (F < n.digits || !only_y_truncates(y, floor, exact_up_to))
        return Unobservable::no; // x is truncated where E is not y's exponent
    // y ≥ 2^(E − depth): the header's E is E − depth here.
    const int depth = depth_above(other, std::max(n.last + F, reader.emin));
    if (F < n.digits + std::ilogb(n.peak) + 2 + depth) return Unobservable::no; // x < 2^(E − depth − 2)
    const int ties = std::max(reader.precision + depth, other.digits);
    const int below = std::max(reader.precision + depth + 1, other.digits);
    if (same_way && !sticky && F >= ties) return Unobservable::always;
    if (F <= below) return Unobservable::no;
    if (mode == Rounding::odd) return Unobservable::always;
    if (sticky) return Unobservable::no;
    const bool gives_y =
        reader.nearest && other.digits + std::ilogb(other.peak) < reader.least_precision && other.last >= reader.lsb;
    const bool evenly = reader.even && other.digits + std::ilogb(other.peak) + 3 <= reader.least_precision;
    return gives_y && stays_beside_ties(n.runs, mode, F, ties, below, evenly) ? Unobservable::by_digits
                                                                              : Unobservable::no;
}

} // namespace

namespace {

/// Of each F of x: whether truncating there is unobservable (1 bit).
std::vector<Term> unobservable_truncations(Terms& t, const Summand& x, const Summand& y,
                                           const Pick<std::optional<int>>& floor, const Reader& reader, bool sticky) {
    // y is not dropped where x is truncated, however small its exponent; and y is not truncated where E is its
    // exponent.
    const bool may_be = x.how.drop.all([](const auto& drop) { return !drop; }) &&
                        y.how.F.all([&](const auto& F) { return !F || *F >= y.number.bounds.digits; });
    std::vector<Term> result;
    for (const auto& [F, condition] : x.how.F.options) {
        const auto is_unobservable = [&, n = F](Rounding mode) {
            if (!n || !may_be) return !n;
            const Unobservable answer = unobservable(x, y, *n, mode, floor, reader, sticky);
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

Term unobservable_anywhere(Terms& t, const Summand& x, std::span<const Term> unobservable) {
    std::vector<Term> all;
    for (std::size_t n = 0; n < unobservable.size(); ++n)
        all.push_back(t.bvand(x.how.F.options[n].second, unobservable[n]));
    return t.any_of(all);
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
    const Term both = t.bvand(unobservable_anywhere(t, x, of_x), unobservable_anywhere(t, y, of_y));
    forget(t, x, of_x, both);
    forget(t, y, of_y, both);
}

Term subnormals_unobservable(Terms& t, const Format& c, const Number& x, const Reader& reader) {
    const Term no = t.truth(false);
    // Beside a zero x: a subnormal c by itself is the result, and is subnormal.
    if (!reader.flushes_to_plus || !reader.nearest || c.emin() > reader.emin || c.lsb() < reader.lsb) return no;
    // x is a result; adding less than a quarter of an ulp to it does not change the rounded result.
    const bool is_result = x.bounds.units <= std::ldexp(1.0, reader.least_precision) && x.bounds.last >= reader.lsb;
    if (!is_result || least_magnitude(x.bounds) - reader.precision - 1 < c.emin()) return no;
    return *reader.flushes_to_plus;
}

} // namespace discern
