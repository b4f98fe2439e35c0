// Builds the smaller unit, and says for which pairs an answer about it carries over.
#include "part.hpp"

#include "models/shape.hpp"
#include "models/unit/tree_shape.hpp"

namespace discern {

namespace {

using Nodes = std::pair<const Node*, const Node*>;

std::optional<Nodes> smallest_rounds(const Node& x, const Node& y);

/// The only pair of children that differ, if everything else is equal.
std::optional<Nodes> only_children_that_differ(const Node& x, const Node& y) {
    if (const auto* one = std::get_if<Round>(&x.kind), *two = std::get_if<Round>(&y.kind);
        one != nullptr && two != nullptr) {
        Round same = *two;
        same.child = one->child;
        if (same == *one) return Nodes{&one->get(), &two->get()};
    }
    const auto *one = std::get_if<Fuse>(&x.kind), *two = std::get_if<Fuse>(&y.kind);
    if (one == nullptr || two == nullptr || one->children.size() != two->children.size()) return std::nullopt;
    for (std::size_t i = 0; i < one->children.size(); ++i) {
        Fuse same = *two;
        same.children[i].node = one->children[i].node;
        if (same == *one) return Nodes{&one->children[i].get(), &two->children[i].get()};
    }
    return std::nullopt;
}

/// The smallest pair of corresponding subtrees, each a rounding, outside of which the two trees are equal.
std::optional<Nodes> smallest_rounds(const Node& x, const Node& y) {
    if (const auto children = only_children_that_differ(x, y))
        if (const auto below = smallest_rounds(*children->first, *children->second)) return below;
    if (std::holds_alternative<Round>(x.kind) && std::holds_alternative<Round>(y.kind)) return Nodes{&x, &y};
    return std::nullopt;
}

/// The format in which results of the rounding are stored: e8m13 is none that results can have.
FormatId stored(FormatId rounded, FormatId d) {
    if (holds(format(d), format(rounded))) return d;
    return rounded == FormatId::e8m13 ? FormatId::f32 : rounded;
}

std::uint64_t one_of(const Format& f) { return pack(f, {.significand = 1ull << f.mantissa_bits, .exponent = 0}); }

bool blocks_tell_all(const Unit& unit) {
    if (unit.nan.keeps_operands()) return false;
    if (unit.c && unit.place == AccumulatorPlace::chained && *unit.c != unit.d && unit.blocks() > 1) return false;
    if (!unit.scale || unit.blocks() == 1) return true;
    const int block = unit.scale->block;
    return unit.interleave == 0 && (block % unit.L == 0 || unit.L % block == 0);
}

/// How many elements of a block the leaves stand for.
int elements_of(const Node& node, int L) {
    int sum = 0;
    for_each_node(node, [&](const Node& n) {
        if (const auto* product = std::get_if<Product>(&n.kind)) sum += count(product->which, L);
        if (const auto* group = std::get_if<Group>(&n.kind)) sum += group->size * count(group->which, L / group->size);
    });
    return sum;
}

} // namespace

std::optional<Unit> part_of(const Unit& unit, const Node& tree) {
    const bool inner = tree != unit.tree;
    const FormatId result = stored(std::get<Round>(tree.kind).format, unit.d);
    if (inner && has_scaled_sums(unit.tree)) return std::nullopt; // its products would have scales
    // In the part the accumulator is of the unit's result format, and so is a result that comes back.
    if (!blocks_tell_all(unit) || (inner && elements_of(tree, unit.L) != unit.L) ||
        (has_accumulator(tree) && result != unit.d))
        return std::nullopt;
    const bool only_zero = unit.blocks() == 1 && (!unit.c || unit.place == AccumulatorPlace::last);
    Unit part = unit;
    part.K = unit.L;
    part.interleave = 0;
    part.place = AccumulatorPlace::chained;
    part.c = std::nullopt;
    if (has_accumulator(tree) && !only_zero) part.c = unit.blocks() == 1 ? unit.c : unit.d;
    if (inner && part.nan.kind == NanRule::Kind::pattern) part.nan = {};
    part.d = result;
    part.tree = tree;
    return part;
}

std::optional<std::pair<parametric::UnitSpace, parametric::UnitSpace>> one_block(const parametric::UnitSpace& first,
                                                                                 const parametric::UnitSpace& second) {
    const Unit &x = first.frame(), &y = second.frame();
    if (x.blocks() == 1 || x.L != y.L || x.interleave != y.interleave || x.place != y.place || x.nan != y.nan)
        return std::nullopt;
    const auto block_of = [](const parametric::UnitSpace& space) -> std::optional<parametric::UnitSpace> {
        Unit unit = space.frame();
        unit.tree = space.structure.member(parametric::Structure::first_of(space.boxes.front())).tree;
        const auto part = part_of(unit, unit.tree);
        if (!part) return std::nullopt;
        parametric::UnitSpace block = space;
        block.structure.frame = *part;
        return block;
    };
    auto one = block_of(first), two = block_of(second);
    if (!one || !two || shape_of(one->frame()) != shape_of(two->frame())) return std::nullopt;
    return std::pair(std::move(*one), std::move(*two));
}

std::optional<Part> smallest_part(const Unit& first, const Unit& second) {
    const bool comparable = shape_of(first) == shape_of(second) && first.L == second.L &&
                            first.interleave == second.interleave && first.place == second.place &&
                            first.nan == second.nan;
    if (!comparable) return std::nullopt;
    const auto rounds = smallest_rounds(first.tree, second.tree);
    if (!rounds) return std::nullopt;
    const auto x = part_of(first, *rounds->first), y = part_of(second, *rounds->second);
    if (!x || !y || shape_of(*x) != shape_of(*y)) return std::nullopt;
    return Part{*x, *y, first.blocks() > 1 || *rounds->first != first.tree};
}

void visit_in_unit(const Unit& unit, const Unit& part, const Vector& vector,
                   const std::function<bool(const Vector&)>& visit) {
    Vector whole;
    for (int block = unit.blocks() - 1; block >= 0; --block) {
        whole.a.assign(static_cast<std::size_t>(unit.K), 0);
        whole.b = whole.a;
        const std::uint64_t one = unit.scale ? one_of(format(unit.scale->format)) : 0;
        whole.sa.assign(static_cast<std::size_t>(unit.scales()), one);
        whole.sb = whole.sa;
        if (unit.c) whole.c = 0;
        for (int l = 0; l < unit.L; ++l) {
            const auto k = static_cast<std::size_t>(unit.element(block, l)), of_part = static_cast<std::size_t>(l);
            whole.a[k] = vector.a[of_part];
            whole.b[k] = vector.b[of_part];
            if (!unit.scale) continue;
            const auto size = static_cast<std::size_t>(unit.scale->block);
            whole.sa[k / size] = vector.sa[of_part / size];
            whole.sb[k / size] = vector.sb[of_part / size];
        }
        if (unit.c && part.c) whole.c = vector.c; // reaches the block as it is, if zeros add nothing
        if (!visit(whole)) return;
    }
}

} // namespace discern
