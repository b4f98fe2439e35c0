// See unfelt.hpp.
#include "unfelt.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <vector>

namespace discern {

namespace {

/// Exponents that others than y bring into E: none of them lets x be cut if they are at most that.
bool only_y_cuts(const Summand& y, const Pick<std::optional<int>>& floor, int uncut_up_to) {
    using Kind = ZeroExponent::Kind;
    return floor.all([&](std::optional<int> f) {
        return !f || *f <= uncut_up_to;
    }) && y.how.zero.all([&](const ZeroExponent& z) {
        return z.kind == Kind::ignore || (z.kind == Kind::own ? y.number.bounds.zero_exponent : z.value) <= uncut_up_to;
    });
}

/// Whether no cut of x at 2^(E − F) takes it to another multiple of a tie's place, or from one.
/// @param ties   ties of sums from 2^E up are multiples of 2^(E − ties)
/// @param below  those of sums below, where y is hardly more than 2^E, of 2^(E − below)
/// @param evenly  ties go to the even neighbour, and y is one of those even numbers of which every other one is: it is
///                a tie from below that changes 01 in x, and one from above that changes 10
bool stays_beside_ties(const DigitRuns& runs, Rounding cut, int F, int ties, int below, bool evenly) {
    const bool nearest = cut == Rounding::rne || cut == Rounding::rna;
    if (evenly && nearest && F - below + 1 > std::max(runs.odd_zeros, runs.odd_ones) &&
        (cut == Rounding::rna || F - below > runs.lone_odd_zeros))
        return true;
    if (F - below <= runs.zeros) return false;
    // Ones up to the place of the tie below 2^E, without any above: the tie and what is beside it give 2^E.
    return cut == Rounding::rz || (F - ties > runs.ones && F - below > runs.inner_ones);
}

enum class Unfelt : std::uint8_t { no, by_digits, always };

Unfelt unfelt(const Summand& x, const Summand& y, int F, Rounding cut, const Pick<std::optional<int>>& floor,
              const Reader& reader, bool sticky) {
    const Bounds &n = x.number.bounds, &other = y.number.bounds;
    if (n.digits == INT_MAX || other.digits == INT_MAX || other.depth == INT_MAX) return Unfelt::no;
    if (reader.flushed_below > std::min(n.last, other.last))
        return Unfelt::no; // of which sums are multiples, cut or not
    // The same way: nor is a cut above the last places of all results felt, if y is a multiple of these.
    const int least_place = reader.emin - reader.precision + 1;
    const bool same_way = reader.way == cut;
    const int uncut_up_to =
        (same_way && reader.zeros_alike && other.last >= least_place ? std::max(n.last, least_place) : n.last) + F;
    if (F < n.digits || !only_y_cuts(y, floor, uncut_up_to)) return Unfelt::no; // x is cut where E is not y's exponent
    // y ≥ 2^(E − depth), in whose place E stands in what the header says.
    const int depth = depth_above(other, std::max(n.last + F, reader.emin));
    if (F < n.digits + std::ilogb(n.peak) + 2 + depth) return Unfelt::no; // x < 2^(E − depth − 2)
    const int ties = std::max(reader.precision + depth, other.digits);
    const int below = std::max(reader.precision + depth + 1, other.digits);
    if (same_way && !sticky && F >= ties) return Unfelt::always;
    if (F <= below) return Unfelt::no;
    if (cut == Rounding::odd) return Unfelt::always;
    if (sticky) return Unfelt::no;
    const bool gives_y = reader.nearest && other.digits + std::ilogb(other.peak) < reader.least_precision &&
                         other.last >= reader.last_place;
    const bool evenly = reader.even && other.digits + std::ilogb(other.peak) + 3 <= reader.least_precision;
    return gives_y && stays_beside_ties(n.runs, cut, F, ties, below, evenly) ? Unfelt::by_digits : Unfelt::no;
}

} // namespace

namespace {

/// Of each F of x, whether no cut there is felt (1 bit).
std::vector<Term> unfelt_cuts(Terms& t, const Summand& x, const Summand& y, const Pick<std::optional<int>>& floor,
                              const Reader& reader, bool sticky) {
    // y is there where x is cut, however far below x it may be dropped; nor is it cut where its exponent is E, which is
    // where x may be.
    const bool may_be = x.how.drop.all([](const auto& drop) { return !drop; }) &&
                        y.how.F.all([&](const auto& F) { return !F || *F >= y.number.bounds.digits; });
    std::vector<Term> result;
    for (const auto& [F, condition] : x.how.F.options) {
        const auto is_unfelt = [&, n = F](Rounding cut) {
            if (!n || !may_be) return !n;
            const Unfelt answer = unfelt(x, y, *n, cut, floor, reader, sticky);
            if (answer == Unfelt::by_digits) t.rely_on("digits of products");
            return answer != Unfelt::no;
        };
        result.push_back(x.how.rounding.when(t, is_unfelt));
    }
    return result;
}

/// Leaves the cuts that are felt. @param where  1 bit: 0 where all of them stay
void forget(Terms& t, Summand& x, std::span<const Term> unfelt, Term where) {
    Pick<std::optional<int>> left;
    std::vector<Term> uncut;
    for (std::size_t n = 0; n < unfelt.size(); ++n) {
        const auto& [F, condition] = x.how.F.options[n];
        const Term never = F ? t.bvand(unfelt[n], where) : t.truth(true);
        uncut.push_back(t.bvand(condition, never));
        const Term felt = t.bvand(condition, t.bvnot(never));
        if (felt != t.truth(false)) left.options.emplace_back(F, felt);
    }
    if (const Term none = t.any_of(uncut); none != t.truth(false)) left.options.emplace_back(std::nullopt, none);
    x.how.F = std::move(left);
}

Term unfelt_anywhere(Terms& t, const Summand& x, std::span<const Term> unfelt) {
    std::vector<Term> all;
    for (std::size_t n = 0; n < unfelt.size(); ++n) all.push_back(t.bvand(x.how.F.options[n].second, unfelt[n]));
    return t.any_of(all);
}

} // namespace

void forget_unfelt_cuts(Terms& t, std::span<Summand> summands, const Pick<std::optional<int>>& floor,
                        const Reader& reader, bool sticky) {
    if (summands.size() != 2) return;
    Summand &x = summands[0], &y = summands[1];
    const std::vector<Term> of_x = unfelt_cuts(t, x, y, floor, reader, sticky);
    if (!sticky) {
        forget(t, x, of_x, t.truth(true));
        forget(t, y, unfelt_cuts(t, y, x, floor, reader, sticky), t.truth(true));
        return;
    }
    const std::vector<Term> of_y = unfelt_cuts(t, y, x, floor, reader, sticky);
    const Term both = t.bvand(unfelt_anywhere(t, x, of_x), unfelt_anywhere(t, y, of_y));
    forget(t, x, of_x, both);
    forget(t, y, of_y, both);
}

Term subnormals_unfelt(Terms& t, const Format& c, const Number& x, const Reader& reader) {
    const Term no = t.truth(false);
    // A subnormal number by itself is a result, and subnormal.
    if (!reader.flushes_to_plus || !reader.nearest || c.emin() > reader.emin || c.last_place() < reader.last_place)
        return no;
    // x is a result, and what is below a quarter of the places around it does not change it.
    const bool is_result =
        x.bounds.units <= std::ldexp(1.0, reader.least_precision) && x.bounds.last >= reader.last_place;
    if (!is_result || least_magnitude(x.bounds) - reader.precision - 1 < c.emin()) return no;
    return *reader.flushes_to_plus;
}

} // namespace discern
