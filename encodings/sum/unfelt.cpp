// See unfelt.hpp.
#include "unfelt.hpp"

#include <algorithm>
#include <climits>
#include <cmath>

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
              const Reader& reader) {
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
    if (same_way && F >= ties) return Unfelt::always;
    if (F <= below) return Unfelt::no;
    if (cut == Rounding::odd) return Unfelt::always;
    const bool gives_y = reader.nearest && other.digits + std::ilogb(other.peak) < reader.least_precision &&
                         other.last >= reader.last_place;
    const bool evenly = reader.even && other.digits + std::ilogb(other.peak) + 3 <= reader.least_precision;
    return gives_y && stays_beside_ties(n.runs, cut, F, ties, below, evenly) ? Unfelt::by_digits : Unfelt::no;
}

} // namespace

void forget_unfelt_cuts(Terms& t, std::span<Summand> summands, const Pick<std::optional<int>>& floor,
                        const Reader& reader) {
    if (summands.size() != 2) return;
    for (std::size_t i = 0; i < 2; ++i) {
        Summand& x = summands[i];
        const Summand& y = summands[1 - i];
        // y is there where x is cut, however far below x it may be dropped.
        if (!x.how.drop.all([](const auto& drop) { return !drop; })) continue;
        // y is not cut where its exponent is E, which is where x may be.
        if (!y.how.F.all([&](const auto& F) { return !F || *F >= y.number.bounds.digits; })) continue;
        Pick<std::optional<int>> left;
        std::vector<Term> uncut;
        for (const auto& [F, condition] : x.how.F.options) {
            const Term never = x.how.rounding.when(t, [&, n = F](Rounding cut) {
                const Unfelt answer = n ? unfelt(x, y, *n, cut, floor, reader) : Unfelt::always;
                if (answer == Unfelt::by_digits) t.rely_on("digits of products");
                return answer != Unfelt::no;
            });
            uncut.push_back(t.bvand(condition, never));
            const Term felt = t.bvand(condition, t.bvnot(never));
            if (felt != t.truth(false)) left.options.emplace_back(F, felt);
        }
        if (const Term none = t.any_of(uncut); none != t.truth(false)) left.options.emplace_back(std::nullopt, none);
        x.how.F = std::move(left);
    }
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
