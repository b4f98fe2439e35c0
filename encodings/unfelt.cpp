// See unfelt.hpp.
#include "unfelt.hpp"

#include <algorithm>
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
/// @param y_place  y is a multiple of 2^(E − y_place)
bool stays_beside_ties(const DigitRuns& runs, const Pick<Rounding>& cut, int F, int y_place, int precision) {
    const int ties = std::max(precision, y_place);      // of sums from 2^E up are multiples of 2^(E − ties),
    const int below = std::max(precision + 1, y_place); // of sums below, where y is hardly more than 2^E, of this
    if (F - below <= runs.zeros) return false;
    if (cut.all([](Rounding m) { return m == Rounding::rz; })) return true;
    // Ones up to the place of the tie below 2^E, without any above: the tie and what is beside it give 2^E.
    return F - ties > runs.ones && F - below > runs.inner_ones;
}

enum class Unfelt : std::uint8_t { no, by_digits, always };

Unfelt unfelt(const Summand& x, const Summand& y, int F, const Pick<std::optional<int>>& floor, const Reader& reader) {
    const Number &n = x.number, &other = y.number;
    if (!n.gap || !other.gap || F < *n.gap) return Unfelt::no;        // cut at its own exponent
    if (!only_y_cuts(y, floor, n.bounds.last + F)) return Unfelt::no; // x is a multiple of 2^last
    if (other.bounds.normal_above > std::max(n.bounds.last + F, reader.emin)) return Unfelt::no;
    // |x| < 2^(E − 2), so that the sum is more than 2^(E − 1).
    if (F < *n.gap + std::ilogb(n.bounds.peak) + 2) return Unfelt::no;
    if (F <= std::max(reader.precision + 1, *other.gap)) return Unfelt::no;
    if (x.how.rounding.all([](Rounding m) { return m == Rounding::odd; })) return Unfelt::always;
    const bool gives_y =
        reader.nearest && *other.gap < reader.least_precision && other.bounds.last >= reader.last_place;
    if (!gives_y) return Unfelt::no;
    return stays_beside_ties(n.bounds.runs, x.how.rounding, F, *other.gap, reader.precision) ? Unfelt::by_digits
                                                                                             : Unfelt::no;
}

} // namespace

void forget_unfelt_cuts(Terms& t, std::span<Summand> summands, const Pick<std::optional<int>>& floor,
                        const Reader& reader) {
    if (summands.size() != 2) return;
    for (std::size_t i = 0; i < 2; ++i) {
        Summand& x = summands[i];
        const Summand& y = summands[1 - i];
        if (!y.how.F.all([](const auto& F) { return !F; })) continue;
        x.how.F = x.how.F.mapped(t, [&](std::optional<int> F) {
            const Unfelt answer = F ? unfelt(x, y, *F, floor, reader) : Unfelt::no;
            if (answer == Unfelt::by_digits) t.rely_on("digits of products");
            return answer == Unfelt::no ? F : std::nullopt;
        });
    }
}

} // namespace discern
