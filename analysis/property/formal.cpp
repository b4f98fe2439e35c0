// The side conditions of the theorems of formal/, one function for each.
#include "formal.hpp"

#include <variant>

namespace discern::property::formal {

namespace {

/// `fuse[…](p*, c)`, as sum_unit of Units.v has it: the sum, its child of products, and its child c.
struct Sum {
    const Fuse* fuse = nullptr;
    const Child *products = nullptr, *c = nullptr;
};

/// The sum under the root, if it is one of all products and then c, and nothing else.
Sum sum_under_root(const Unit& unit) {
    const auto* root = std::get_if<Round>(&unit.tree.kind);
    const auto* fuse = root == nullptr ? nullptr : std::get_if<Fuse>(&root->get().kind);
    if (fuse == nullptr || fuse->children.size() != 2) return {};
    const Child &first = fuse->children[0], &second = fuse->children[1];
    const auto* products = std::get_if<Product>(&first.get().kind);
    if (products == nullptr || products->which != Selection{} ||
        !std::holds_alternative<Accumulator>(second.get().kind))
        return {};
    return {fuse, &first, &second};
}

bool is_float(FormatId id) { return !format(id).is_fixed_point(); }

/// eEmM with IEEE's special values, as Patterns.v has it: M + 1 < 2^(E−1).
bool is_ieee(FormatId id) {
    const Format& f = format(id);
    return f.specials == Specials::ieee && f.padding_bits == 0 && f.is_signed && f.has_zero && f.mantissa_bits > 0 &&
           f.mantissa_bits + 1 < 1 << (f.exponent_bits - 1) && f.bias == (1 << (f.exponent_bits - 1)) - 1;
}

/// Flocq's modes, as `mode_of` of Exact.v has them.
bool is_of_ieee(Rounding mode) {
    return mode == Rounding::rne || mode == Rounding::rna || mode == Rounding::rz || mode == Rounding::rd ||
           mode == Rounding::ru;
}

bool is_one_block(const Unit& unit) {
    return unit.K == unit.L && unit.interleave == 0 && unit.c && unit.place == AccumulatorPlace::chained && !unit.scale;
}

} // namespace

bool has_enough_carry_bits(const Unit& unit) {
    const Sum sum = sum_under_root(unit);
    if (sum.fuse == nullptr || unit.scale || !is_float(unit.a) || !is_float(unit.b) || !is_float(unit.d) ||
        (unit.c && !is_float(*unit.c)))
        return false;
    for (const Child* child : {sum.products, sum.c})
        if (!child->F || *child->F < 0 || child->F != sum.c->F || child->drop || child->less != 0) return false;
    const Fuse& fuse = *sum.fuse;
    if (fuse.sticky || fuse.frame != SignFrame::none || (fuse.step && *fuse.step <= 0)) return false;
    constexpr int all_products = 30; // carry bits that are enough for every L
    return fuse.carry && *fuse.carry >= 0 &&
           (*fuse.carry > all_products || 2ll * unit.L + 1 <= 1ll << (*fuse.carry + 1));
}

bool is_sum_without_order(const Unit& unit) {
    const Sum sum = sum_under_root(unit);
    return sum.fuse != nullptr && sum.fuse->frame == SignFrame::none && is_one_block(unit) && is_float(unit.a) &&
           is_float(unit.b) && is_float(*unit.c) && !unit.nan.keeps_operands();
}

bool is_exact_dot_product(const Unit& unit) {
    const Sum sum = sum_under_root(unit);
    if (sum.fuse == nullptr || !is_one_block(unit) || !is_ieee(unit.a) || !is_ieee(unit.b) || !is_ieee(*unit.c) ||
        !is_ieee(unit.d))
        return false;
    // All attributes are the defaults, but for the mode, which is one of IEEE 754.
    const auto& root = std::get<Round>(unit.tree.kind);
    Round plain;
    plain.format = unit.d;
    plain.mode = root.mode;
    plain.child = root.child;
    if (root != plain || !is_of_ieee(root.mode)) return false;
    Fuse exact;
    exact.children = sum.fuse->children;
    if (*sum.fuse != exact || std::get<Product>(sum.products->get().kind) != Product{} ||
        std::get<Accumulator>(sum.c->get().kind) != Accumulator{})
        return false;
    for (const Child* child : {sum.products, sum.c}) {
        Child of_exact;
        of_exact.node = child->node;
        if (*child != of_exact) return false;
    }
    return true;
}

} // namespace discern::property::formal
