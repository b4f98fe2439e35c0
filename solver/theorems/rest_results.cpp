// Each rule is a theorem about what the formats make possible, with its argument beside it. Below, p is the place that
// every number in the unit is a multiple of (Ranges::last_place_of_all), q the same of products alone.
#include "rest_results.hpp"

#include "rest_common.hpp"

#include "models/tree_shape.hpp"

#include <algorithm>
#include <bit>
#include <climits>

namespace discern {

namespace {

// ------------------------------------------------------------------------------------------------- large numbers

/// Whether every number of `inner` is at most the largest of `outer`, rounded to any precision that `outer` has.
bool is_no_larger(const Format& inner, const Format& outer) {
    if (inner.emax() != outer.emax()) return inner.emax() < outer.emax();
    const int more = outer.mantissa_bits - inner.mantissa_bits;
    return more >= 0 && inner.max_significand() << more <= outer.max_significand();
}

/// Whether everything below 2^(emax + 1) of `outer` is truncated to a number of `inner`.
bool reaches_as_far(FormatId inner, FormatId outer) {
    const Format& f = format(inner);
    return f.emax() == format(outer).emax() && f.max_significand() == (2ull << f.mantissa_bits) - 1;
}

/// Whether nothing in the tree makes the accumulator, or a sum with it, larger than products can. Every rounding is
/// toward zero or to nearest, to d's format (toward zero, any that reaches as far); alignment is toward zero,
/// or of a product to nearest, which makes it at most twice as large, or of c to nearest where it is not cut within its
/// own precision: E is above c's exponent by products alone, or by a floor that is no larger than d's numbers, and
/// rounding up gives 2^(that exponent) at most. A register that wraps makes no sum
/// larger.
bool grows_by_products_alone(const Node& node, const Unit& unit) {
    const auto is_mild = [](Rounding mode) { return mode == Rounding::rz || is_nearest(mode); };
    if (const auto* round = std::get_if<Round>(&node.kind))
        return is_mild(round->mode) &&
               (round->format == unit.d || (round->mode == Rounding::rz && reaches_as_far(round->format, unit.d))) &&
               grows_by_products_alone(round->get(), unit);
    const auto* fuse = std::get_if<Fuse>(&node.kind);
    if (fuse == nullptr) return true;
    const Format& d = format(unit.d);
    bool low = !fuse->floor || *fuse->floor <= d.emax();
    for (const Child& child : fuse->children)
        low = low && (child.zero.kind != ZeroExponent::Kind::constant || child.zero.value <= d.emax());
    return std::all_of(fuse->children.begin(), fuse->children.end(), [&](const Child& child) {
        const bool is_product = std::holds_alternative<Product>(child.get().kind);
        const bool is_wide = is_accumulator(child.get()) && child.F.value_or(0) >= d.mantissa_bits && low;
        const bool keeps = !child.F || child.rounding == Rounding::rz;
        return (keeps || (is_nearest(child.rounding) && (is_product || is_wide))) &&
               grows_by_products_alone(child.get(), unit);
    });
}

/// Whether no result overflows. All products of a block together are below a quarter of a last place of d's largest
/// number: each is below 2^bound, twice that if aligned to nearest, and L of them are below 2^terms times as much;
/// roundings on the way, not more than a tree is deep, add less than the 2^terms that are left. Then no c, nor a result
/// with it, is rounded to more than that largest number. With c last, all blocks begin with +0: the same of all K
/// products.
bool cannot_overflow(const Unit& unit) {
    const Format& d = format(unit.d);
    const bool last = unit.place == AccumulatorPlace::last;
    if (!last && unit.c && !is_no_larger(format(*unit.c), d)) return false;
    const int terms = static_cast<int>(std::bit_width(static_cast<unsigned>(last ? unit.K : unit.L)));
    return Ranges(unit).product_bound() + 2 * terms + 2 <= d.emax() - d.mantissa_bits - 2 &&
           grows_by_products_alone(unit.tree, unit);
}

// ------------------------------------------------------------------------------------------------- small numbers

/// Whether no result is subnormal but one that is c itself, because nothing is aligned and the products are large. A
/// sum s of products is a multiple of 2^q, and c, or a result with it, has m fraction bits. If s is zero the sum is c;
/// if |c| < |s|/2, it is at least 2^(q−1); and if not, c is a multiple of 2^(q−1−m), and so is the sum.
/// @param margin  by how many places 2^(q−1−m) has to be above the smallest normal number
bool only_c_is_subnormal(Unit& unit, int margin) {
    const std::vector<Round*> rounds = all_rounds(unit);
    for (const Round* round : rounds)
        if (round->format != unit.d || round->flush != rounds.front()->flush ||
            round->flush_keeps_sign != rounds.front()->flush_keeps_sign)
            return false; // the argument is for one adder that is used everywhere
    bool aligned = false;
    for_each_node(unit.tree, [&](Node& node) {
        if (const auto* fuse = std::get_if<Fuse>(&node.kind))
            for (const Child& child : fuse->children) aligned = aligned || child.F;
    });
    const Format& d = format(unit.d);
    return !aligned && unit.place == AccumulatorPlace::chained && (!unit.c || *unit.c == unit.d) &&
           Ranges(unit).last_place_of_products() - 1 - d.mantissa_bits >= d.emin() + margin;
}

/// Whether a subnormal c that is read as +0 gives what it gives as itself, but where the result is c. That is so if it
/// is added, rounded to nearest, to one number of d's format, where that is zero or at least 2^q: c is then below half
/// of a last place of all results, also of those just below a power of two. It would decide a tie beside several such
/// numbers, whose sum has more places, and could be dropped, or let others be.
bool small_c_decides_nothing(Unit& unit) {
    if (!only_c_is_subnormal(unit, 1)) return false;
    bool yes = true;
    for_each_node(unit.tree, [&](Node& node) {
        if (const auto* round = std::get_if<Round>(&node.kind)) yes = yes && is_nearest(round->mode);
        const auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr) return;
        bool has_c = false;
        for (const Child& child : fuse->children) {
            has_c = has_c || is_accumulator(child.get());
            yes = yes && !child.drop && (is_round(child.get()) || is_accumulator(child.get()));
        }
        yes = yes && (!has_c || fuse->children.size() <= 2);
    });
    return yes;
}

// ------------------------------------------------------------------------------------------------------- signs

/// Below a rounding whose zeros are all +0, no sign of a zero shows.
void signs_of_hidden_zeros(Node& node, bool hidden) {
    if (auto* product = std::get_if<Product>(&node.kind); product != nullptr && hidden)
        product->flush_keeps_sign = true;
    if (auto* c = std::get_if<Accumulator>(&node.kind); c != nullptr && hidden) c->flush_keeps_sign = true;
    if (auto* fuse = std::get_if<Fuse>(&node.kind))
        for (Child& child : fuse->children) signs_of_hidden_zeros(child.get(), hidden);
    auto* round = std::get_if<Round>(&node.kind);
    if (round == nullptr) return;
    signs_of_hidden_zeros(round->get(), !round->zero_sign_ieee);
    if (!hidden) return;
    round->zero_sign_ieee = false;
    round->underflow_keeps_sign = true;
    round->flush_keeps_sign = true;
}

/// A flush that is not there has no sign.
void signs_of_no_flush(Node& node) {
    const auto settle = [](auto* n, auto none) {
        if (n != nullptr && n->flush == none) n->flush_keeps_sign = true;
    };
    settle(std::get_if<Product>(&node.kind), false);
    settle(std::get_if<Accumulator>(&node.kind), false);
    settle(std::get_if<Round>(&node.kind), Flush::none);
}

} // namespace

// --------------------------------------------------------------------------------------------------- the rules

RestResults::RestResults(Unit& unit, const Ranges& ranges)
    : unit_(unit), ranges_(ranges), magnitudes_(unit, ranges), p_(ranges.last_place_of_all()),
      bounded_(cannot_overflow(unit)) {}

/// Where no result is subnormal but c itself, all three ways of flushing results act on c alone, and not at all if
/// c is flushed when it is read. A flush of results to +0 is then one of c, if c decides nothing else.
void RestResults::flush_c_or_results() const {
    if (!only_c_is_subnormal(unit_, 0)) return;
    Accumulator* const c = accumulator(unit_);
    if (c == nullptr) return;
    const std::vector<Round*> rounds = all_rounds(unit_);
    const Round first = *rounds.front(); // they all flush in the same way
    if (first.flush != Flush::none && !first.flush_keeps_sign && !c->flush && small_c_decides_nothing(unit_)) {
        c->flush = true;
        c->flush_keeps_sign = false;
    }
    for (Round* round : rounds) {
        round->underflow_keeps_sign = true;
        if (round->flush != Flush::none) round->flush = c->flush ? Flush::none : Flush::result;
    }
}

void RestResults::small_results(Round& round) const {
    // What is not zero is at least 2^p: if p is not below the smallest subnormal's place, no rounding gives zero;
    const int place = place_of_sum(round.get());
    if (place >= format(round.format).last_place()) round.underflow_keeps_sign = true;
    // … and if it is not below the smallest normal number, nothing is subnormal.
    if (place >= format(round.format).emin()) round.flush = Flush::none;
    // What would be rounded to zero is flushed before.
    if (round.flush != Flush::before && round.flush != Flush::after) return;
    round.underflow_keeps_sign = true;
    // Where nothing below the smallest normal number is rounded up to it, it does not matter when that is looked
    // at.
    const auto* product = std::get_if<Product>(&round.get().kind);
    const bool short_product = product != nullptr && ranges_.significand_bits() <= format(round.format).mantissa_bits;
    if (!short_product && place < format(round.format).last_place()) return;
    round.flush = Flush::result;
    if (place < format(round.format).last_place()) round.underflow_keeps_sign = round.flush_keeps_sign;
}

/// Everything that is rounded there is a multiple of 2 to this power.
int RestResults::place_of_sum(const Node& node) const {
    return std::max({p_, ranges_.last_place_of_sum(node), ranges_.last_place_of_terms(node)});
}

void RestResults::overflows(Round& round) const {
    const bool to_zero = round.mode == Rounding::rz || round.mode == Rounding::odd;
    if (round.overflow == Overflow::ieee && is_nearest(round.mode)) round.overflow = Overflow::infinity;
    if (round.overflow == Overflow::ieee && to_zero) round.overflow = Overflow::largest;
    // A product that is too large becomes infinite at once or when it is rounded.
    auto* product = std::get_if<Product>(&round.get().kind);
    if (product != nullptr && product->limit && *product->limit > format(round.format).emax() &&
        round.overflow == Overflow::infinity)
        product->limit.reset();
    const bool bounded = bounded_ || magnitudes_.cannot_overflow(round);
    if (bounded) round.overflow = Overflow::ieee;
    // Where nothing is rounded, the mode decides what overflows give and the sign of a zero, if it does.
    if ((bounded || round.overflow != Overflow::ieee) && magnitudes_.is_exact(round, place_of_sum(round.get()))) {
        if (!round.zero_sign_ieee || round.mode != Rounding::rd) round.mode = Rounding::rz;
        if (round.flush != Flush::none) round.flush = Flush::result;
    }
}

void RestResults::limits(Product& product) const {
    if (product.limit && *product.limit >= ranges_.product_bound()) product.limit.reset();
    if (!product.limit) product.limit_yields = true;
}

/// A subnormal c that is always truncated to nothing, because E is never small, need not be flushed, where the sign
/// of a zero does not matter.
void RestResults::small_c_is_cut() const {
    auto& round = std::get<Round>(unit_.tree.kind);
    auto* const fuse = std::get_if<Fuse>(&round.get().kind);
    Accumulator* const c = accumulator(unit_);
    if (fuse == nullptr || c == nullptr || round.zero_sign_ieee) return;
    int smallest_normal = format(unit_.d).emin();
    if (unit_.c) smallest_normal = std::max(smallest_normal, format(*unit_.c).emin());
    if (c->as) smallest_normal = std::max(smallest_normal, format(*c->as).emin()); // its exponent, which may be E
    for (const Child& child : fuse->children)
        if (is_accumulator(child.get()) && child.F && child.rounding == Rounding::rz && !child.drop &&
            child.zero == ZeroExponent{} && ranges_.lowest_reference(*fuse) - *child.F >= smallest_normal)
            c->flush = false;
}

/// With c last, or none, what comes into a block is +0 or a result. It is subnormal only if results are. And a zero
/// result is +0 whatever the rule for its sign, if it is a sum with c of which the term with the largest exponent
/// is never cut, and if no −0 comes of an underflow: not all terms can be −0, and those that are not zero must have
/// cancelled.
void RestResults::begins_with_plus_zero() const {
    if (unit_.c && unit_.place == AccumulatorPlace::chained) return;
    if (p_ >= format(unit_.d).emin())
        if (Accumulator* const c = accumulator(unit_)) c->flush = false;
    auto& round = std::get<Round>(unit_.tree.kind);
    auto* const fuse = std::get_if<Fuse>(&round.get().kind);
    if (fuse == nullptr || fuse->floor || fuse->carry || round.flush != Flush::none || round.mode == Rounding::rd ||
        (round.underflow_keeps_sign && place_of_sum(round.get()) < format(round.format).last_place()))
        return;
    bool with_c = false;
    for (const Child& child : fuse->children) {
        const Node& leaf = child.get();
        const auto* c = std::get_if<Accumulator>(&leaf.kind);
        const auto* product = std::get_if<Product>(&leaf.kind);
        if ((c == nullptr && product == nullptr) || (c != nullptr && (c->flush || c->as)) || child.drop ||
            child.zero != ZeroExponent{})
            return;
        if (child.F.value_or(INT_MAX) < ranges_.fraction_bits(leaf)) return;
        with_c = with_c || c != nullptr;
    }
    if (with_c) round.zero_sign_ieee = false;
}

void RestResults::signs() const {
    signs_of_hidden_zeros(unit_.tree, false);
    for_each_node(unit_.tree, signs_of_no_flush);
}

} // namespace discern
