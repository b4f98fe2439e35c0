// See magnitudes.hpp.
#include "magnitudes.hpp"

#include "models/tree_shape.hpp"

#include <algorithm>
#include <bit>
#include <climits>

namespace discern {

namespace {

constexpr int nothing = INT_MIN / 2; ///< of a number that is zero

int ceil_log2(int n) { return static_cast<int>(std::bit_width(static_cast<unsigned>(std::max(n, 1) - 1))); }

int terms(const Node& node, int L) {
    if (const auto* product = std::get_if<Product>(&node.kind)) return count(product->which, L);
    if (const auto* group = std::get_if<Group>(&node.kind)) return count(group->which, L / group->size);
    return 1;
}

} // namespace

/// With c, any number of its format or of the result's may come in. Else zero does, and then each block's result.
Magnitudes::Magnitudes(const Unit& unit, const Ranges& ranges) : unit_(unit), ranges_(ranges), accumulator_(nothing) {
    const int most = format(unit.d).emax() + 1;
    if (unit.c && unit.place == AccumulatorPlace::chained) {
        accumulator_ = std::max(format(*unit.c).emax() + 1, most);
        return;
    }
    for (int block = 1; block < unit.blocks() && accumulator_ < most; ++block) accumulator_ = bound(unit.tree);
}

Magnitudes::Bound Magnitudes::of(const Node& node) const {
    const int scales = unit_.scale ? 2 * format(unit_.scale->format).emax() + 2 : 0;
    if (std::holds_alternative<Product>(node.kind)) return {ranges_.product_bound(), ranges_.product_bound()};
    if (const auto* group = std::get_if<Group>(&node.kind)) {
        const int value = ranges_.product_bound() + ceil_log2(group->size);
        return {value, std::max(value, scales)};
    }
    if (const auto* c = std::get_if<Accumulator>(&node.kind)) {
        int exponent = std::max(accumulator_, format(unit_.d).emin()); // of subnormal numbers and zero
        if (unit_.c) exponent = std::max(exponent, format(*unit_.c).emin());
        if (c->as) exponent = std::max(exponent, format(*c->as).emin());
        return {accumulator_, exponent};
    }
    if (const auto* round = std::get_if<Round>(&node.kind)) {
        // A power of two within the format's range is not exceeded by rounding what is no larger.
        const Format& f = format(round->format);
        const int value = std::clamp(bound(round->get()), format(round->format).last_place(), f.emax() + 1);
        return {value, std::max(value, f.emin())};
    }
    return of(std::get<Fuse>(node.kind));
}

/// An aligned term is a multiple of a power of two below 2^E, or less than that away from it: it is no larger than the
/// next power of two that is at least 2^E. A register that wraps makes no sum larger.
Magnitudes::Bound Magnitudes::of(const Fuse& fuse) const {
    int largest = fuse.floor.value_or(nothing), together = 0;
    for (const Child& child : fuse.children) {
        const Bound b = of(child.get());
        largest = std::max({largest, b.value, b.exponent, ranges_.zero_exponent_at_most(child).value_or(nothing)});
        together += terms(child.get(), unit_.L);
    }
    return {largest + ceil_log2(together), largest};
}

bool Magnitudes::cannot_overflow(const Round& round) const { return bound(round.get()) <= format(round.format).emax(); }

/// Between its first and last places there is room for all its digits: the last place is the one of all sums, or that
/// of the alignment, below which nothing is left. Of a product there are only as many as both significands have.
bool Magnitudes::is_exact(const Round& round, int place) const {
    const Format& f = format(round.format);
    if (place < format(round.format).last_place()) return false;
    if (bound(round.get()) - place <= f.mantissa_bits + 1) return true;
    if (std::holds_alternative<Product>(round.get().kind)) return ranges_.significand_bits() <= f.mantissa_bits + 1;
    const auto* fuse = std::get_if<Fuse>(&round.get().kind);
    if (fuse == nullptr) return false;
    int F = 0;
    for (const Child& child : fuse->children) {
        if (!child.F) return false;
        F = std::max(F, *child.F);
    }
    return F <= f.mantissa_bits && ranges_.sum_is_below(*fuse, f.mantissa_bits + 1 - F);
}

} // namespace discern
