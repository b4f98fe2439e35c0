// See lost_bits.hpp.
#include "lost_bits.hpp"

#include "ranges.hpp"

#include "models/tree_shape.hpp"
#include "models/wide_int.hpp"

#include <algorithm>
#include <climits>
#include <optional>

namespace discern {

namespace {

constexpr int most_bits = 100;     ///< of a bound: leaves room for the number of elements
constexpr int most_exponents = 70; ///< of products: they then fit into 128 bits

/// factor · 2^exponent
struct Bound {
    wide::i128 factor;
    int exponent;
};

/// n times the smaller bound of an element, in units of 2^unit; nothing if that is too wide.
std::optional<wide::i128> together(int n, const Bound& one, const Bound& other, int unit) {
    std::optional<wide::i128> smaller;
    for (const Bound& bound : {one, other}) {
        if (wide::bit_length(bound.factor) + bound.exponent - unit > most_bits) continue;
        const wide::i128 value = bound.factor << (bound.exponent - unit);
        if (!smaller || value < *smaller) smaller = value;
    }
    if (smaller) *smaller *= n;
    return smaller;
}

/// The smallest F, if all terms of the sum but c are of that kind, and all are truncated or exact.
template <typename Term>
std::optional<int> least_F(const Fuse& fuse) {
    int F = INT_MAX;
    for (const Child& child : fuse.children) {
        const bool expected = std::holds_alternative<Term>(child.get().kind) || is_accumulator(child.get());
        if (!expected || child.drop || (child.F && child.rounding != Rounding::rz)) return std::nullopt;
        F = std::min(F, child.F.value_or(INT_MAX));
    }
    return F == INT_MAX ? std::nullopt : std::optional(F);
}

/// The largest magnitude of the format, in units of its last place.
wide::i128 largest(const Format& f) { return wide::i128{f.max_significand()} << (f.emax() - f.emin()); }

} // namespace

bool lost_bits_never_show(const Unit& unit, const Fuse& fuse, int f, int smallest) {
    const auto F_of_groups = least_F<Group>(fuse);
    const auto F = F_of_groups ? F_of_groups : least_F<Product>(fuse);
    if (!F || !unit.scale || format(unit.scale->format).mantissa_bits > 0 || unit.interleave != 0) return false;
    if (f > Ranges(unit).lowest_exponent(Node{Accumulator{}})) return false;
    // So many elements of a block, at least, share each pair of scales.
    const int block = unit.scale->block;
    if (block % unit.L != 0 && unit.L % block != 0) return false;
    const int sharing = std::min(block, unit.L);

    const Format &a = format(unit.a), &b = format(unit.b);
    if (a.emax() - a.emin() + b.emax() - b.emin() > most_exponents) return false;
    const int place = format(unit.a).last_place() + format(unit.b).last_place();
    const int of_losing = f - *F - 1 - place;           // the scales' exponents of an element that loses bits
    const wide::i128 product = largest(a) * largest(b), // in units of 2^place
        significand = ((wide::i128{2} << a.mantissa_bits) - 1) * ((wide::i128{2} << b.mantissa_bits) - 1);
    // By the reference exponent, which is that of the scales for a group.
    const Bound by_exponent =
        F_of_groups ? Bound{product, f - 1 + place} : Bound{significand, f - 1 - a.mantissa_bits - b.mantissa_bits};
    const Bound by_scales{product, of_losing + place};
    const int last = std::min({by_exponent.exponent, by_scales.exponent, smallest});
    const auto losing = together(sharing, by_scales, by_exponent, last);
    const auto others = together(unit.L - sharing, by_exponent, by_exponent, last);
    if (!losing || !others || smallest - last > most_bits) return false;
    return *losing + *others < (wide::i128{1} << (smallest - last));
}

} // namespace discern
