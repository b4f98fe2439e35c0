#include "draw.hpp"

#include "draw_habits.hpp"
#include "draw_tree.hpp"
#include "inputs.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/unit/tree_shape.hpp"

#include "scale_format.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace discern::claims {

namespace {

using namespace parametric;

void collect(Node& node, std::vector<Owner>& list) {
    if (auto* p = std::get_if<Product>(&node.kind)) list.emplace_back(p);
    if (auto* c = std::get_if<Accumulator>(&node.kind)) list.emplace_back(c);
    if (auto* g = std::get_if<Group>(&node.kind)) list.emplace_back(g);
    if (auto* f = std::get_if<Fuse>(&node.kind)) {
        list.emplace_back(f);
        for (Child& child : f->children) {
            list.emplace_back(&child);
            collect(child.get(), list);
        }
    }
    if (auto* r = std::get_if<Round>(&node.kind)) {
        list.emplace_back(r);
        collect(r->get(), list);
    }
}

bool is_format_of_round(const Parameter& p) { return p.owner == OwnerKind::round && p.meaning == Meaning::format; }

/// An F for every child, the same one or one for each.
void align_all(Random& random, Unit& unit) {
    const Parameter& F = parameter(OwnerKind::child, "F");
    Unit changed = unit;
    const bool same = !random.one_in(4);
    int value = draw_value(random, F, unit);
    for (const Owner& part : owners(changed)) {
        if (part.index() != static_cast<std::size_t>(OwnerKind::child)) continue;
        if (!same) value = draw_value(random, F, unit);
        F.set(part, value);
        clear_unused(part);
    }
    if (is_valid(changed)) unit = std::move(changed);
}

void draw_nan(Random& random, Unit& unit) {
    Unit changed = unit;
    const Format& d = format(unit.d);
    const int kind = random.below(5);
    if (kind == 1 && d.has_nan()) {
        changed.nan = {NanRule::Kind::pattern, quiet_nan(d)};
        if (d.specials == Specials::ieee && random.one_in(2)) changed.nan.bits |= 1ull << d.padding_bits;
    }
    if (kind == 2) changed.nan = {NanRule::Kind::propagate};
    if (kind == 4) changed.nan = {NanRule::Kind::rdna};
    if (is_valid(changed)) unit = std::move(changed);
}

/// Children of a fuse in another order.
bool reorder(Random& random, Unit& unit) {
    std::vector<Fuse*> fuses;
    for (const Owner& part : owners(unit))
        if (auto* const* fuse = std::get_if<Fuse*>(&part); fuse != nullptr && (*fuse)->children.size() > 1)
            fuses.push_back(*fuse);
    if (fuses.empty()) return false;
    std::vector<Child>& children = any_of(random, fuses)->children;
    std::swap(children.front(), children.back());
    return true;
}

/// A number of random inputs on which the two agree, of so many.
bool look_alike(const Unit& one, const Unit& other) {
    const Evaluator first(one), second(other);
    return AllInputs(one, 8).for_each([&](const Inputs& x) {
        const std::uint64_t d1 = first(x);
        const std::uint64_t d2 = second(x);
        return same_result(one, d1, d2);
    });
}

/// Any two parameters together, so that each meets each.
void set_two(Random& random, Unit& unit) {
    for (int i = 0; i < 2; ++i)
        for (int tries = 0; tries < 4; ++tries) {
            const Parameter& p = parameters()[static_cast<std::size_t>(random.below(int(parameters().size())))];
            if (!is_format_of_round(p) && set_one(random, unit, p, false)) break;
        }
}

std::vector<int> divisors(int n) {
    std::vector<int> all;
    for (int i = 1; i <= n; ++i)
        if (n % i == 0) all.push_back(i);
    return all;
}

/// The formats that units have, of which those with wide exponents are drawn for few elements only.
FormatId draw_operand(Random& random, const Size& size, int widest, int K) {
    using enum FormatId;
    if (!size.large || !random.one_in(3)) return draw_format(random, widest, size.fixed_point, size.special_values);
    if (K <= 2 && random.one_in(4)) return any_of(random, std::vector{f32, bf16, tf32});
    return any_of(random, std::vector{f16, e4m3, e5m2, e4m3fnuz, e5m2fnuz, e3m2, e2m3, e2m1, e2m1});
}

FormatId draw_result(Random& random, const Size& size, bool small) {
    using enum FormatId;
    FormatId id = small ? draw_format(random, 9, size.fixed_point, size.special_values)
                        : any_of(random, std::vector{f16, f32, e4m3, e5m2, bf16, e4m3fnuz});
    if (size.large && random.one_in(2))
        id = *format_of_fields(random.between(3, 8), random.between(1, 16), Specials::ieee);
    return size.special_values && !format(id).has_infinity() ? e5m2 : id;
}

/// Formats, and how many elements, without a tree.
Unit draw_frame(Random& random, const Size& size) {
    Unit unit;
    unit.K = any_of(random, size.large ? std::vector{1, 1, 1, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
                                       : std::vector{1, 1, 2, 2, 2, 3, 4});
    const int widest = size.large ? 8 : std::max(3, std::min(8, (size.most_bits + 2) / (2 * unit.K)));
    unit.a = draw_operand(random, size, widest, unit.K);
    unit.b = random.one_in(2) ? unit.a : draw_operand(random, size, widest, unit.K);
    const bool small = random.one_in(2);
    unit.d = draw_result(random, size, small);
    if (size.large && random.one_in(3)) unit.d = format_of_sums(random, unit).value_or(unit.d);
    unit.c = unit.d;
    if (!small || random.one_in(3)) unit.c = draw_format(random, 8, size.fixed_point, size.special_values);
    if (size.large && random.one_in(unit.K == 1 ? 2 : 3)) unit.c = random.one_in(2) ? unit.a : FormatId::f16;
    if (!size.needs_c && random.one_in(3)) unit.c.reset();
    const bool chained = size.chains && (unit.c || size.large) && random.one_in(3);
    unit.L = chained && unit.K % 2 == 0 ? unit.K / random.between(1, 2) : chained && random.one_in(2) ? 1 : unit.K;
    if (chained) unit.L = unit.L == unit.K ? 1 : unit.L;
    return unit;
}

/// A unit of the catalogue with few elements, and some of its parameters changed.
Unit draw_unit_of_catalogue(Random& random) {
    for (;;) {
        Unit unit = any_of(random, catalogue()).unit;
        const int blocks = random.between(1, std::min(2, unit.blocks())), most = random.between(1, 12);
        if (unit.L > most) unit.L = most;
        unit.K = blocks * unit.L;
        if (unit.scale && unit.scale->block > unit.K) unit.scale->block = unit.K;
        for (const Owner& part : owners(unit))
            if (auto* const* group = std::get_if<Group*>(&part); group != nullptr && (*group)->size > unit.L)
                (*group)->size = unit.L;
        if (!is_valid(unit)) continue;
        if (random.one_in(3)) draw_nan(random, unit);
        if (random.one_in(6)) any_of(random, habits())(random, unit, {});
        for (int changes = random.between(0, 2); changes > 0; --changes) set_two(random, unit);
        return reread(unit);
    }
}

} // namespace

bool set_one(Random& random, Unit& unit, const Parameter& p, bool next_to_it) {
    std::vector<std::size_t> at;
    const std::vector<Owner> before = owners(unit);
    for (std::size_t i = 0; i < before.size(); ++i)
        if (before[i].index() == static_cast<std::size_t>(p.owner)) at.push_back(i);
    if (at.empty()) return false;
    if (!random.one_in(3)) at = {any_of(random, at)};
    Unit changed = unit;
    const std::vector<Owner> parts = owners(changed);
    const ConstOwner first = std::visit([](auto* part) { return ConstOwner(part); }, before[at.front()]);
    const std::optional<int> now = number_in(p, first);
    int value = draw_value(random, p, unit);
    if (next_to_it && now && !random.one_in(3)) value = *now + (random.one_in(2) ? 1 : -1);
    if (values_of(p.meaning).numbers && p.words().empty())
        value = std::clamp(value, values_of(p.meaning).low, values_of(p.meaning).high);
    for (const std::size_t i : at) p.set(parts[i], value);
    for (const Owner& part : parts) clear_unused(part);
    if (changed == unit || !is_valid(changed)) return false;
    unit = std::move(changed);
    return true;
}

std::string WrittenUnit::text() const { return to_string(unit) + suffix; }

bool is_valid(const Unit& unit) {
    try {
        validate(unit);
        return true;
    } catch (const Error&) {
        return false;
    }
}

Unit reread(const Unit& unit) {
    Unit again = parse_unit(to_string(unit));
    if (again != unit) throw std::runtime_error("this line is read as another unit: " + to_string(unit));
    return again;
}

std::vector<Owner> owners(Unit& unit) {
    std::vector<Owner> list;
    collect(unit.tree, list);
    return list;
}

Unit draw_unit(Random& random, const Size& size) {
    if (size.large && random.one_in(5)) return draw_unit_of_catalogue(random);
    for (;;) {
        Unit unit = draw_frame(random, size);
        if (!size.large && input_bits(unit) > size.most_bits) continue;
        int group = 0;
        if (size.scales && random.one_in(size.large ? 3 : 5)) {
            unit.scale = Scale{tests::any_scale_format(random), unit.K};
            if (unit.K % 2 == 0 && random.one_in(2)) unit.scale->block = unit.K / 2;
        }
        if (size.scales && random.one_in(6)) {
            group = any_of(random, divisors(unit.L));
            if (unit.scale && unit.scale->block % group != 0) group = unit.scale->block;
            if (unit.L % group != 0) continue;
        }
        unit.tree = draw_tree(random, unit, group, size);
        if (unit.c && random.one_in(10)) unit.place = AccumulatorPlace::last;
        if (!is_valid(unit)) continue;
        if (unit.K > 2 * unit.L - 1 && random.one_in(4)) {
            Unit dealt = unit;
            dealt.interleave = any_of(random, divisors(unit.L));
            if (is_valid(dealt)) unit = std::move(dealt);
        }
        draw_nan(random, unit);
        // Sums have an ulp, mostly: much of what can be said needs one.
        if (!random.one_in(3)) align_all(random, unit);
        for (const Habit habit : habits())
            if (random.one_in(size.large ? 4 : 10)) habit(random, unit, size);
        // Every parameter may be set; few of them are, so that most units say a few things.
        const int rarity = any_of(random, std::vector{2, 4, 8, 16});
        for (const Parameter& p : parameters())
            if (!is_format_of_round(p) && random.one_in(rarity)) set_one(random, unit, p, false);
        if (random.one_in(3)) set_two(random, unit);
        return reread(unit);
    }
}

Unit draw_variant(Random& random, const Unit& unit) {
    std::optional<Unit> last;
    for (int tries = 0; tries < 40; ++tries) {
        Unit variant = unit;
        const int changes = random.between(1, 3);
        for (int i = 0; i < changes; ++i) {
            if (random.one_in(12)) reorder(random, variant);
            const auto table = parameters();
            set_one(random, variant, table[static_cast<std::size_t>(random.below(static_cast<int>(table.size())))],
                    true);
        }
        if (!is_valid(variant) || to_string(variant) == to_string(unit)) continue;
        if (random.one_in(8) || look_alike(unit, variant)) return reread(variant);
        if (!last) last = reread(variant);
    }
    if (last) return *last;
    Unit other = unit;
    for (Round* round : all_rounds(other)) round->mode = round->mode == Rounding::rne ? Rounding::rz : Rounding::rne;
    return reread(other);
}

} // namespace discern::claims
