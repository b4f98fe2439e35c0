#include "models/unit.hpp"

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"
#include "nan_rule.hpp"
#include "parameters.hpp"
#include "sentence.hpp"
#include "tree_shape.hpp"

#include <algorithm>
#include <bit>

namespace discern {

namespace {

using parametric::OwnerKind;

constexpr int max_K = 1 << 20;
constexpr int max_L = 4096;

template <typename... Parts>
[[noreturn]] void fail(const Parts&... parts) {
    throw Error(sentence("unit: ", parts...));
}

void require_range(std::string_view what, int value, int low, int high) {
    if (value < low || value > high) fail(what, "=", value, " is out of range: ", low, " to ", high, " is right");
}

std::vector<int> selected(const Selection& which, int count) {
    std::vector<int> list;
    for_each(which, count, [&](int i) { list.push_back(i); });
    return list;
}

/// Marks the block's elements that a leaf uses; fails if one is missing from the block or used twice.
void mark(const Unit& unit, const Selection& which, int size, std::vector<bool>& used, const char* letter) {
    const int count = unit.L / size;
    if (which.first < 0 || which.step < 0 || which.first >= count)
        fail("the tree names ", letter, which.first, ", but a block of L=", unit.L, " has only ", letter, "0 to ",
             letter, count - 1);
    for (int index : selected(which, count))
        for (int l = index * size; l < (index + 1) * size; ++l) {
            if (used[static_cast<std::size_t>(l)])
                fail("element ", l, " of the block is in the tree twice; each must occur once");
            used[static_cast<std::size_t>(l)] = true;
        }
}

void validate_formats(const Unit& unit) {
    const auto operand = [](FormatId id, const char* which) {
        if (is_of_scales(id) || id == FormatId::e8m13)
            fail(which, " cannot be ", format(id).name, ", which is a format of ",
                 id == FormatId::e8m13 ? "results" : "scales");
    };
    operand(unit.a, "a");
    operand(unit.b, "b");
    operand(unit.d, "d");
    if (unit.c) operand(*unit.c, "c");
    if (unit.scale) {
        if (!is_of_scales(unit.scale->format))
            fail("scale format ", format(unit.scale->format).name, " is wrong: e8m0, ue4m3 or ue5m3 is right");
        require_range("scale block", unit.scale->block, 1, max_K);
    }
    if (unit.nan.kind == NanRule::Kind::pattern) {
        const Format& d = format(unit.d);
        if (!d.has_nan()) fail("nan: ", d.name, " has no NaN; 'any' is right");
        if (unit.nan.bits > d.mask() || decode(d, unit.nan.bits).number_class != NumberClass::nan)
            fail("nan: the pattern is not a NaN of ", d.name, "; for example ", to_hex(d, quiet_nan(d)), " is right");
    }
    if (unit.nan.keeps_operands() && format(unit.d).specials != Specials::ieee)
        fail("nan=", to_string(unit.nan, unit.d), " needs a d format with IEEE NaN");
}

/// Subnormal numbers are flushed where there are some.
void require_subnormals(bool flushes, const Format& f, const Format& or_f, const char* what) {
    if (!flushes || f.has_subnormals() || or_f.has_subnormals()) return;
    fail(what, " flushes subnormal numbers, and ", f.name, " is fixed point, which has none; without ftz is right");
}

/// What operands are read as has each number of two formats, and exponents that are at least as small.
void require_wider(std::string_view leaf, const Format& to, const Format& one, const Format& other) {
    const std::string as = sentence(leaf, "[as=", to.name, "]");
    if (to.is_fixed_point())
        fail(as, ": in fixed point all numbers have one exponent; a format with exponents is right");
    for (const Format* f : {&one, &other}) {
        const bool wider = to.mantissa_bits >= f->mantissa_bits && to.lsb() <= f->lsb() &&
                           to.emax() >= f->emax() + f->significand_bits() - f->mantissa_bits - 1 && to.has_zero &&
                           to.is_signed;
        if (!wider) fail(as, " does not hold every ", f->name);
    }
    for (const Format* f : {&one, &other})
        if (to.emin() > f->emin())
            fail(as, " does not reach down to the small numbers of ", f->name,
                 ": a format whose least exponent is no larger is right");
}

void validate_blocks(const Unit& unit) {
    require_range("K", unit.K, 1, max_K);
    require_range("L", unit.L, 1, max_L);
    if (unit.K % unit.L != 0) fail("L=", unit.L, " does not divide K=", unit.K, "; nothing is padded");
    if (unit.interleave != 0) {
        require_range("interleave", unit.interleave, 1, unit.L);
        if (unit.L % unit.interleave != 0) fail("interleave=", unit.interleave, " does not divide L=", unit.L);
        if (unit.blocks() % 2 != 0)
            fail("interleave deals elements to two blocks, but K=", unit.K, " with L=", unit.L, " makes ",
                 unit.blocks(), "; K must be a multiple of 2L");
    }
    if (unit.place == AccumulatorPlace::last && !unit.c) fail("c=last, but the unit has no c");
}

/// Every parameter that is a number is one of its range.
void require_ranges(OwnerKind kind, const parametric::ConstOwner& part) {
    for (const parametric::Parameter* p : parametric::parameters_of(kind))
        if (const auto number = parametric::number_in(*p, part)) {
            const auto& values = parametric::values_of(p->meaning);
            require_range(p->word, *number, values.low, values.high);
        }
}

/// Checks one node and what it uses of the block.
struct NodeCheck {
    const Unit& unit;
    std::vector<bool> used;
    int accumulators = 0;

    explicit NodeCheck(const Unit& u) : unit(u), used(static_cast<std::size_t>(u.L)) {}

    void operator()(const Node& node) {
        std::visit([this](const auto& n) { check(n); }, node.kind);
    }

    void check(const Product& p) {
        mark(unit, p.which, 1, used, "p");
        const Format &a = format(unit.a), &b = format(unit.b);
        require_subnormals(p.ftz, a, b, "p[ftz]");
        if (p.as && (a.is_fixed_point() || b.is_fixed_point()))
            fail("p[as=", format(*p.as).name, "] says how subnormal numbers are read, and ",
                 (a.is_fixed_point() ? a : b).name, " is fixed point, which has none; without as is right");
        if (p.as) require_wider("p", format(*p.as), a, b);
        require_ranges(OwnerKind::product, &p);
    }
    /// Significands are multiplied in 64 bits, and scaled sums of products are of 128.
    bool fits_group(const Format& a, const Format& b, int size) const {
        const auto bits = [](const Format& f) { return f.significand_bits() + f.emax() - f.emin(); };
        const int scales = unit.scale ? 2 * format(unit.scale->format).significand_bits() : 0;
        return a.exponent_bits <= 5 && b.exponent_bits <= 5 && a.significand_bits() + b.significand_bits() <= 64 &&
               bits(a) + bits(b) + scales + std::bit_width(static_cast<unsigned>(size)) <= 126;
    }
    void check(const Group& g) {
        require_range("G", g.size, 1, unit.L);
        require_ranges(OwnerKind::group, &g);
        if (unit.L % g.size != 0) fail("G=", g.size, " does not divide L=", unit.L);
        if (unit.scale && unit.scale->block % g.size != 0)
            fail("G=", g.size, " does not divide the scale block of ", unit.scale->block,
                 "; all elements of a group share their scales");
        if (unit.interleave != 0) fail("groups and interleave do not go together");
        if (const Format& a = format(unit.a), &b = format(unit.b); !fits_group(a, b, g.size))
            fail("groups are fixed-point sums and need narrow operands; ", a.name, " times ", b.name, " is too wide");
        mark(unit, g.which, g.size, used, "g");
    }
    void check(const Accumulator& c) {
        ++accumulators;
        // If c is added last, the blocks do not read it, but +0 of d's format.
        const bool reads_c = unit.c && unit.place == AccumulatorPlace::chained;
        const Format &from = format(reads_c ? *unit.c : unit.d), &d = format(unit.d);
        require_subnormals(c.ftz, from, unit.blocks() > 1 ? d : from, "c[ftz]");
        if (c.as) require_wider("c", format(*c.as), from, unit.blocks() > 1 ? d : from);
    }
    void check(const Fuse& fuse) {
        if (fuse.children.empty()) fail("fuse has no children");
        for (const Child& child : fuse.children) {
            if (child.node.size() != 1) fail("a child of fuse must be one node");
            require_ranges(OwnerKind::child, &child);
        }
        require_ranges(OwnerKind::fuse, &fuse);
        if (fuse.carry && !all_aligned(fuse))
            fail("carry needs every child of the fuse aligned to some F; an exact sum has no register width");
        if (fuse.sticky && !all_aligned(fuse))
            fail("sticky needs every child of the fuse aligned to some F; an exact sum has no last bit");
        if (fuse.sticky && fuse.carry)
            fail("sticky and carry do not go together: a register that wraps has no place below its last");
        if (fuse.frame != SignFrame::none && !can_have_frame(fuse))
            fail(
                "frame needs c and products as children of the fuse, each aligned to some F and none with drop, and no "
                "sticky");
        if (fuse.opposed != Opposed::all && fuse.frame == SignFrame::none)
            fail("opposed says which terms a frame inverts; frame=c is missing");
        if (fuse.step && (*fuse.step & (*fuse.step - 1)) != 0) fail("step=", *fuse.step, " is no power of two");
        if (fuse.phase >= fuse.step.value_or(1))
            fail("phase=", fuse.phase, " is not below the step",
                 fuse.step ? sentence(" of ", *fuse.step) : ", which is missing");
    }
    void check(const Round& round) {
        if (round.child.size() != 1) fail("round must have one child");
        if (const Format& f = format(round.format); f.is_fixed_point()) {
            require_subnormals(round.ftz != Flush::none, f, f, "round[ftz]");
        } else if (!f.is_signed || !f.has_nan())
            fail("round cannot be to ", f.name, ", which has no ", f.is_signed ? "NaN" : "sign");
        if (unit.nan.keeps_operands() && format(round.format).specials != Specials::ieee)
            fail("nan=", to_string(unit.nan, unit.d), " carries payloads, and ", format(round.format).name,
                 " has only one NaN; IEEE formats are right");
    }
};

Node with_index(const Node& leaf, int index) {
    Node one = leaf;
    if (auto* p = std::get_if<Product>(&one.kind)) p->which = {index, 0};
    if (auto* g = std::get_if<Group>(&one.kind)) g->which = {index, 0};
    return one;
}

Node expand_node(const Node& node, int L) {
    Node copy = node;
    if (auto* round = std::get_if<Round>(&copy.kind)) {
        round->child = {expand_node(round->get(), L)};
    } else if (auto* fuse = std::get_if<Fuse>(&copy.kind)) {
        std::vector<Child> children;
        for (const Child& child : fuse->children) {
            std::vector<int> indices = {0};
            if (const auto* p = std::get_if<Product>(&child.get().kind)) indices = selected(p->which, L);
            if (const auto* g = std::get_if<Group>(&child.get().kind)) indices = selected(g->which, L / g->size);
            for (int index : indices) {
                children.push_back(child);
                children.back().node = {is_leaf(child.get()) ? with_index(child.get(), index)
                                                             : expand_node(child.get(), L)};
            }
        }
        fuse->children = std::move(children);
    } else {
        int index = 0; // a leaf outside of a fuse stands for its first element
        if (const auto* p = std::get_if<Product>(&copy.kind)) index = p->which.first;
        if (const auto* g = std::get_if<Group>(&copy.kind)) index = g->which.first;
        copy = with_index(copy, index);
    }
    return copy;
}

/// The elements below a node, in the order of the tree.
std::vector<int> elements_below(const Node& node, int L) {
    std::vector<int> elements;
    for_each_node(node, [&](const Node& n) {
        const auto* p = std::get_if<Product>(&n.kind);
        const auto* g = std::get_if<Group>(&n.kind);
        if (p == nullptr && g == nullptr) return;
        const int size = g == nullptr ? 1 : g->size;
        for (const int index : selected(g == nullptr ? p->which : g->which, L / size))
            for (int l = index * size; l < (index + 1) * size; ++l) elements.push_back(l);
    });
    return elements;
}

/// Where scales multiply rounded sums, each product is multiplied once by each of its two scales, and all products of
/// one sum share them.
void require_scaled_sums(const Unit& unit) {
    if (!has_scaled_sums(unit.tree)) return;
    if (!unit.scale) fail("scaled multiplies by scales, and the unit has none; scale=FORMAT/n is missing");
    if (unit.nan.kind == NanRule::Kind::rdna)
        fail("nan=rdna does not say which NaN a scale makes of a rounded sum; another nan= is right beside scaled");
    std::vector<int> by_a(static_cast<std::size_t>(unit.L)), by_b = by_a; // how often the scale multiplies an element
    for_each_node(unit.tree, [&](const Node& node, const Child* edge) {
        if (edge == nullptr || edge->scaled == Scaled::no) return;
        if (!std::holds_alternative<Round>(node.kind))
            fail("scaled multiplies what was rounded; a child that is a round is right, as in round[f32 "
                 "rne](…)@[scaled]");
        if (has_accumulator(node)) fail("c is below scaled; scales are those of products, and c is right beside them");
        const std::vector<int> elements = elements_below(node, unit.L);
        for (int block = 0; block < unit.blocks(); ++block)
            for (const int l : elements)
                if (unit.element(block, l) / unit.scale->block !=
                    unit.element(block, elements.front()) / unit.scale->block)
                    fail("elements ", unit.element(block, elements.front()), " and ", unit.element(block, l),
                         " are in one sum that is scaled, and have different scales; one scale for all of them is "
                         "right");
        for (const int l : elements) {
            by_a[static_cast<std::size_t>(l)] += multiplies(edge->scaled, Scaled::a) ? 1 : 0;
            by_b[static_cast<std::size_t>(l)] += multiplies(edge->scaled, Scaled::b) ? 1 : 0;
        }
    });
    const auto any = [](const std::vector<int>& counts, auto wrong) {
        return std::any_of(counts.begin(), counts.end(), wrong);
    };
    const auto twice = [](int n) { return n > 1; };
    const auto never = [](int n) { return n == 0; };
    if (any(by_a, twice) || any(by_b, twice))
        fail("scaled is within scaled; a product can be multiplied once by each of its scales");
    if (by_a != by_b)
        fail("products are below scaled=a and not below scaled=b, or the reverse; below both, one within the other, is "
             "right");
    if (any(by_a, never)) fail("some products are below scaled and others are not; all of them is right");
}

/// A leaf that is not a child of a fuse can only stand for one element.
void require_single_leaves(const Node& node, int L) {
    for_each_node(node, [L](const Node& n) {
        const auto* round = std::get_if<Round>(&n.kind);
        if (round == nullptr) return;
        std::size_t count = 1;
        if (const auto* p = std::get_if<Product>(&round->get().kind)) count = selected(p->which, L).size();
        if (const auto* g = std::get_if<Group>(&round->get().kind)) count = selected(g->which, L / g->size).size();
        if (count != 1) fail("round takes one child; sum several products with fuse first");
    });
}

} // namespace

void validate(const Unit& unit) {
    validate_formats(unit);
    validate_blocks(unit);
    const auto* root = std::get_if<Round>(&unit.tree.kind);
    if (root == nullptr) fail("the root of the tree must be a round, which gives d its format");
    if (depth(unit.tree) > max_depth) fail("the tree is deeper than ", max_depth, " levels");
    NodeCheck check(unit);
    for_each_node(unit.tree, check);
    require_single_leaves(unit.tree, unit.L);
    require_scaled_sums(unit);
    if (!holds(format(unit.d), format(root->format)))
        fail("the tree ends in ", format(root->format).name, ", which is not stored in d's format ",
             format(unit.d).name);
    if (const auto missing = std::find(check.used.begin(), check.used.end(), false); missing != check.used.end())
        fail("element ", missing - check.used.begin(), " of the block is nowhere in the tree; each of the L=", unit.L,
             " must occur once");
    if (check.accumulators > 1) fail("c is in the tree twice; once is right");
    if (unit.c && check.accumulators == 0) fail("the formats have c, but the tree does not");
    if (unit.blocks() > 1 && check.accumulators == 0)
        fail(
            "blocks are chained through c, but the tree has none; L must be K, or c be in the tree, which is +0 in the "
            "first block where the formats have none");
}

Node expand(const Unit& unit) { return expand_node(unit.tree, unit.L); }

std::uint64_t arithmetic_hash(const Unit& unit) {
    std::uint64_t hash = 0xcbf29ce484222325ull; // FNV-1a, 64 bits
    for (const char letter : canonical_text(unit))
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ull;
    return hash;
}

} // namespace discern
