// The argument for floors. Let p be the lowest place that any term can have, and F the smallest number of fraction bits
// in the tree. A floor f ≤ p + F changes E only where E < f; there every cut, at E − F or at f − F, is at or below p,
// so no term loses anything with the floor or without. The sum's value is the same; its exponent may be f instead of a
// smaller one, which changes cuts further up only in the same harmless way. Constants of zeros are the same argument.
// It needs that nothing else reads the exponents: no `drop`, and no register of finite width.
//
// Results that cannot underflow to zero, or overflow, have arguments of the same kind beside them.
#include "by_range.hpp"

#include "models/format.hpp"
#include "models/tree_shape.hpp"
#include "solver/normal_form.hpp"

#include <algorithm>
#include <bit>
#include <climits>

namespace discern::identify {

namespace {

template <typename Visit>
void for_each_node(Node& node, Visit visit) {
    visit(node);
    if (auto* round = std::get_if<Round>(&node.kind)) for_each_node(round->get(), visit);
    if (auto* fuse = std::get_if<Fuse>(&node.kind))
        for (Child& child : fuse->children) for_each_node(child.get(), visit);
}

int lowest_place(const Format& f) { return f.emin() - f.mantissa_bits; }

/// The lowest place of any term: of a product or of c. A result that becomes the accumulator is a multiple of it again.
int lowest_place(const Unit& unit) {
    int place = lowest_place(format(unit.a)) + lowest_place(format(unit.b));
    if (unit.scale) place += 2 * lowest_place(format(unit.scale->format));
    if (unit.c) place = std::min(place, lowest_place(format(*unit.c)));
    return place;
}

/// The smallest exponent of an accumulator that is not zero.
int smallest_accumulator(const Unit& unit) {
    const int of_result = std::max(format(unit.d).emin(), lowest_place(unit));
    return unit.c ? std::min(format(*unit.c).emin(), of_result) : of_result;
}

/// |product| < 2^n.
int product_bound(const Unit& unit) {
    int bound = format(unit.a).emax() + format(unit.b).emax() + 2;
    if (unit.scale) bound += 2 * (format(unit.scale->format).emax() + 1);
    return bound;
}

bool rounds_small_to_zero(Rounding mode) {
    return mode == Rounding::rz || mode == Rounding::rne || mode == Rounding::rna;
}

/// Whether nothing in the tree makes the accumulator, or a sum with it, larger than products can: every rounding is
/// toward zero or to nearest, and c is not cut within its own precision.
bool grows_by_products_alone(const Node& node, const Unit& unit) {
    if (const auto* round = std::get_if<Round>(&node.kind))
        return rounds_small_to_zero(round->mode) && round->format == unit.d &&
               grows_by_products_alone(round->get(), unit);
    if (const auto* fuse = std::get_if<Fuse>(&node.kind))
        return !fuse->carry && std::all_of(fuse->children.begin(), fuse->children.end(), [&](const Child& child) {
            const bool keeps = !child.F || child.rounding == Rounding::rz;
            const bool small =
                std::holds_alternative<Product>(child.get().kind) && rounds_small_to_zero(child.rounding);
            const bool wide = child.F && *child.F >= format(unit.d).mantissa_bits && is_accumulator(child.get()) &&
                              rounds_small_to_zero(child.rounding);
            return (keeps || small || wide) && grows_by_products_alone(child.get(), unit);
        });
    return !std::holds_alternative<Group>(node.kind);
}

/// Whether all products of a block together are below a quarter of a last place of the largest number, aligned and
/// rounded or not (to nearest, at most twice as large each time), so that no c becomes too large by them.
bool cannot_overflow(const Unit& unit) {
    const Format& d = format(unit.d);
    if (unit.place == AccumulatorPlace::last || (unit.c && format(*unit.c).emax() > d.emax())) return false;
    const int terms = static_cast<int>(std::bit_width(static_cast<unsigned>(unit.L)));
    return product_bound(unit) + 2 * terms + 2 <= d.emax() - d.mantissa_bits - 2 &&
           grows_by_products_alone(unit.tree, unit);
}

/// Whether no result is subnormal but one that is c itself, because nothing is aligned and the products are large. A
/// sum s of products is a multiple of 2^q, and c has m fraction bits. If s is zero the sum is c; if |c| < |s|/2, it is
/// at least 2^(q−1); and if not, c is a multiple of 2^(q−1−m), and so is the sum.
bool only_c_is_subnormal(const Unit& unit) {
    bool aligned = false;
    Unit copy = unit;
    for_each_node(copy.tree, [&](Node& node) {
        if (const auto* fuse = std::get_if<Fuse>(&node.kind))
            for (const Child& child : fuse->children) aligned = aligned || child.F;
    });
    const std::vector<Round*> rounds = all_rounds(copy);
    for (const Round* round : rounds)
        if (round->format != unit.d || round->flush != rounds.front()->flush ||
            round->flush_keeps_sign != rounds.front()->flush_keeps_sign)
            return false; // the argument is for one adder that is used everywhere
    Unit products = unit;
    products.c.reset();
    const int fraction = std::max(format(unit.d).mantissa_bits, unit.c ? format(*unit.c).mantissa_bits : 0);
    return !aligned && unit.place == AccumulatorPlace::chained && (!unit.c || *unit.c == unit.d) &&
           lowest_place(products) - 1 - fraction >= format(unit.d).emin();
}

/// Whether every sum is of c and results, rounded to nearest: a subnormal c beside a much larger result then changes
/// nothing, while with another rounding, or beside an exact sum, it would decide the last place.
bool adds_rounded_numbers_to_nearest(const Unit& unit) {
    Unit copy = unit;
    bool yes = true;
    for_each_node(copy.tree, [&](Node& node) {
        if (const auto* round = std::get_if<Round>(&node.kind))
            yes = yes && (round->mode == Rounding::rne || round->mode == Rounding::rna);
        if (const auto* fuse = std::get_if<Fuse>(&node.kind))
            for (const Child& child : fuse->children)
                yes = yes && (is_round(child.get()) || is_accumulator(child.get()));
    });
    return yes;
}

/// Terms of a sum, and whether each is below 2^(E + 2): products without scales' significands, and c.
struct Terms {
    int count = 0;
    bool small = true;
};
Terms terms_of(const Fuse& fuse, const Unit& unit) {
    Terms terms;
    for (const Child& child : fuse.children) {
        const auto* product = std::get_if<Product>(&child.get().kind);
        if (product != nullptr) {
            const int step = product->which.step;
            terms.count += step == 0 ? 1 : (unit.L - product->which.first + step - 1) / step;
            terms.small = terms.small && (!unit.scale || format(unit.scale->format).mantissa_bits == 0);
        } else {
            ++terms.count;
            terms.small = terms.small && is_accumulator(child.get());
        }
    }
    return terms;
}

/// A zero with a constant exponent at or below the floor adds nothing to it. One of c that is not above any exponent of
/// a non-zero c is a floor: it acts where c is zero, and where c is not, E is no smaller anyway.
void zeros_as_floor(Fuse& fuse, const Unit& unit) {
    for (Child& child : fuse.children)
        if (child.zero.kind == ZeroExponent::Kind::constant && is_accumulator(child.get()) && unit.c &&
            child.zero.value <= smallest_accumulator(unit)) {
            fuse.floor = std::max(fuse.floor.value_or(child.zero.value), child.zero.value);
            child.zero = ZeroExponent{};
        }
    for (Child& child : fuse.children)
        if (child.zero.kind == ZeroExponent::Kind::constant && fuse.floor && child.zero.value <= *fuse.floor)
            child.zero = ZeroExponent{};
}

/// An exact sum of exact sums is one exact sum.
void flatten(Fuse& fuse) {
    std::vector<Child> children;
    for (Child& child : fuse.children) {
        auto* below = std::get_if<Fuse>(&child.get().kind);
        if (below == nullptr) {
            children.push_back(std::move(child));
            continue;
        }
        flatten(*below);
        for (Child& inner : below->children) children.push_back(std::move(inner));
    }
    fuse.children = std::move(children);
}

/// A register of 2 integer and w carry bits holds n terms below 2^(E + 2), each perhaps rounded up to it.
bool holds_every_sum(int carry, const Terms& terms) {
    return terms.small && carry >= static_cast<int>(std::bit_width(static_cast<unsigned>(terms.count)));
}

} // namespace

Unit at_rest(const Unit& original) {
    Unit unit = normal_form(original);
    const int place = lowest_place(unit);
    const bool bounded = cannot_overflow(unit);
    Accumulator* const alone = only_c_is_subnormal(unit) ? accumulator(unit) : nullptr;
    const bool movable = adds_rounded_numbers_to_nearest(unit);
    bool flush_c = false;
    for_each_node(unit.tree, [&](Node& node) {
        auto* round = std::get_if<Round>(&node.kind);
        if (round == nullptr) return;
        // A sum of multiples of the last place of all subnormal numbers is no smaller than one.
        if (place >= lowest_place(format(round->format))) round->underflow_keeps_sign = true;
        if (place >= format(round->format).emin()) {
            round->flush = Flush::none; // nor subnormal
            round->flush_keeps_sign = true;
        }
        const bool nearest = round->mode == Rounding::rne || round->mode == Rounding::rna;
        const bool to_zero = round->mode == Rounding::rz || round->mode == Rounding::odd;
        if (round->overflow == Overflow::ieee && nearest) round->overflow = Overflow::infinity;
        if (round->overflow == Overflow::ieee && to_zero) round->overflow = Overflow::largest;
        if (round->flush == Flush::before || round->flush == Flush::after) round->underflow_keeps_sign = true;
        if (alone != nullptr) {
            round->underflow_keeps_sign = true;
            // A flush of results to +0 acts as one of c does, which then leaves nothing to flush.
            if (movable && round->flush != Flush::none && !round->flush_keeps_sign && !alone->flush) flush_c = true;
            if (round->flush != Flush::none) round->flush = Flush::result;
            if (alone->flush || flush_c) {
                round->flush = Flush::none;
                round->flush_keeps_sign = true;
            }
        }
        if (bounded) round->overflow = Overflow::ieee;
        // A product that is too large becomes infinite at once or when it is rounded.
        auto* product = std::get_if<Product>(&round->get().kind);
        if (product != nullptr && product->limit && *product->limit > format(round->format).emax() && nearest &&
            round->overflow == Overflow::infinity && format(round->format).has_infinity())
            product->limit.reset();
    });
    if (flush_c) {
        alone->flush = true;
        alone->flush_keeps_sign = false;
    }
    int smallest_F = INT_MAX;
    bool reads_exponents = false;
    for_each_node(unit.tree, [&](Node& node) {
        if (auto* product = std::get_if<Product>(&node.kind)) {
            if (product->limit && *product->limit >= product_bound(unit)) product->limit.reset();
            if (!product->limit) product->limit_yields = true;
            if (!product->flush) product->flush_keeps_sign = true;
        }
        if (auto* leaf = std::get_if<Accumulator>(&node.kind))
            if (!leaf->flush) leaf->flush_keeps_sign = true;
        if (auto* round = std::get_if<Round>(&node.kind))
            if (round->flush == Flush::none) round->flush_keeps_sign = true;
        auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr) return;
        if (fuse->carry && holds_every_sum(*fuse->carry, terms_of(*fuse, unit))) fuse->carry.reset();
        reads_exponents = reads_exponents || fuse->carry;
        for (const Child& child : fuse->children) {
            reads_exponents = reads_exponents || child.drop;
            smallest_F = std::min(smallest_F, child.F.value_or(INT_MAX));
        }
    });
    for_each_node(unit.tree, [&](Node& node) {
        if (auto* fuse = std::get_if<Fuse>(&node.kind)) zeros_as_floor(*fuse, unit);
    });
    if (reads_exponents) return unit;
    const bool all_exact = smallest_F == INT_MAX;
    const int harmless = all_exact ? INT_MAX : place + smallest_F;
    for_each_node(unit.tree, [&](Node& node) {
        if (auto* product = std::get_if<Product>(&node.kind); product != nullptr && all_exact)
            product->normalisation = Normalisation::raw;
        if (auto* leaf = std::get_if<Accumulator>(&node.kind); leaf != nullptr && all_exact) leaf->as.reset();
        auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr) return;
        if (fuse->floor && *fuse->floor <= harmless) fuse->floor.reset();
        for (Child& child : fuse->children) {
            if (child.zero.kind == ZeroExponent::Kind::constant && child.zero.value <= harmless)
                child.zero = ZeroExponent{};
            if (child.zero.kind == ZeroExponent::Kind::own && is_accumulator(child.get())) {
                int emin = format(unit.d).emin();
                if (unit.c) emin = std::max(emin, format(*unit.c).emin());
                if (emin <= harmless) child.zero = ZeroExponent{};
            }
            if (all_exact && is_leaf(child.get())) child.zero = ZeroExponent{};
        }
        if (all_exact) flatten(*fuse);
    });
    return unit;
}

} // namespace discern::identify
