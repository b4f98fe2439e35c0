// The argument for floors. Let p be the lowest place that any term can have, and F the smallest number of fraction bits
// in the tree. A floor f ≤ p + F changes E only where E < f; there every cut, at E − F or at f − F, is at or below p,
// so no term loses anything with the floor or without. The sum's value is the same; its exponent may be f instead of a
// smaller one, which changes cuts further up only in the same harmless way. Constants of zeros are the same argument.
// It needs that nothing else reads the exponents: no `drop`, and no register of finite width.
#include "by_range.hpp"

#include "models/format.hpp"
#include "models/tree_shape.hpp"

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

/// The lowest place of a product, group or accumulator.
int lowest_place(const Unit& unit) {
    int products = lowest_place(format(unit.a)) + lowest_place(format(unit.b));
    if (unit.scale) products += 2 * lowest_place(format(unit.scale->format));
    int place = std::min(products, lowest_place(format(unit.d)));
    if (unit.c) place = std::min(place, lowest_place(format(*unit.c)));
    return place;
}

/// |product| < 2^n.
int product_bound(const Unit& unit) {
    int bound = format(unit.a).emax() + format(unit.b).emax() + 2;
    if (unit.scale) bound += 2 * (format(unit.scale->format).emax() + 1);
    return bound;
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

/// A register of 2 integer and w carry bits holds n terms below 2^(E + 2), each perhaps rounded up to it.
bool holds_every_sum(int carry, const Terms& terms) {
    return terms.small && carry >= static_cast<int>(std::bit_width(static_cast<unsigned>(terms.count)));
}

} // namespace

Unit at_rest(Unit unit) {
    int smallest_F = INT_MAX;
    bool reads_exponents = false;
    for_each_node(unit.tree, [&](Node& node) {
        if (auto* product = std::get_if<Product>(&node.kind)) {
            if (product->limit && *product->limit >= product_bound(unit)) product->limit.reset();
            if (!product->limit) product->limit_yields = true;
            if (!product->flush) product->flush_keeps_sign = true;
        }
        if (auto* c = std::get_if<Accumulator>(&node.kind))
            if (!c->flush) c->flush_keeps_sign = true;
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
    if (reads_exponents) return unit;
    const bool all_exact = smallest_F == INT_MAX;
    const int harmless = all_exact ? INT_MAX : lowest_place(unit) + smallest_F;
    for_each_node(unit.tree, [&](Node& node) {
        if (auto* product = std::get_if<Product>(&node.kind); product != nullptr && all_exact)
            product->normalisation = Normalisation::raw;
        if (auto* c = std::get_if<Accumulator>(&node.kind); c != nullptr && all_exact) c->as.reset();
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
    });
    return unit;
}

} // namespace discern::identify
