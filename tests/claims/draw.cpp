#include "draw.hpp"

#include "inputs.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/space.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <utility>

namespace discern::claims {

namespace {

using namespace parametric;

/// Exponents and numbers of bits at which a parameter begins or ceases to have an effect.
struct Thresholds {
    std::vector<int> exponents, lsbs;
    int precision = 0; ///< of d, in bits
};

Thresholds thresholds(const Unit& unit) {
    const Format &a = format(unit.a), &b = format(unit.b), &d = format(unit.d);
    Thresholds t{{a.emax() + b.emax(), a.emax() + b.emax() + 1, a.emin() + b.emin(), d.emin(), d.emax(), 0},
                 {a.lsb() + b.lsb(), d.lsb()},
                 d.mantissa_bits + 1};
    if (unit.c) {
        t.exponents.insert(t.exponents.end(), {format(*unit.c).emin(), format(*unit.c).emax()});
        t.lsbs.push_back(format(*unit.c).lsb());
    }
    return t;
}

int places(Random& random, const Thresholds& t) {
    const int top = any_of(random, t.exponents), last = any_of(random, t.lsbs);
    const int around = random.between(-1, 1);
    switch (random.below(4)) {
    case 0:
    case 1: return top - last + around;
    case 2: return t.precision + random.between(-2, 4);
    default: break;
    }
    if (random.one_in(2)) return random.below(10);
    const int other = any_of(random, t.exponents); // how far terms can be apart
    return top - other + around;
}

int exponent(Random& random, const Thresholds& t) {
    const int around = random.between(-1, 1);
    if (random.one_in(3)) return any_of(random, t.lsbs) + around;
    return any_of(random, t.exponents) + around;
}

Selection every(int first, int step) { return {first, step}; }

Node product(Selection which) {
    Product p;
    p.which = which;
    return {p};
}

Node sum(std::vector<Node> terms) {
    Fuse fuse;
    for (Node& term : terms) {
        fuse.children.emplace_back();
        fuse.children.back().node = {std::move(term)};
    }
    return {std::move(fuse)};
}

Node sum_of(Node node) {
    std::vector<Node> one;
    one.push_back(std::move(node));
    return sum(std::move(one));
}

Node rounded(FormatId id, Node node) {
    Round round;
    round.format = id;
    round.child = {std::move(node)};
    return {std::move(round)};
}

/// Formats that have infinities and NaN, or any; wide enough not to be met, or about as small as the operands.
FormatId inner_format(Random& random, const Unit& unit, const Size& size) {
    using enum FormatId;
    if (random.one_in(2)) return unit.d;
    if (random.one_in(3)) return any_of(random, std::vector{f32, f16, bf16, tf32});
    return draw_format(random, 9, size.fixed_point, size.special_values);
}

Node leaf(const Unit& unit, Selection which, int group) {
    if (group == 0) return product(which);
    Group g;
    g.which = which;
    g.size = group;
    (void)unit;
    return {g};
}

Node tree(Random& random, const Unit& unit, int group, const Size& size) {
    const int n = group == 0 ? unit.L : unit.L / group; // leaves
    std::vector<Node> terms;
    const FormatId inner = inner_format(random, unit, size);
    switch (random.below(n > 1 ? 7 : 4)) {
    case 0:
    case 1: terms.push_back(leaf(unit, every(0, 1), group)); break;                         // one fused sum
    case 2: terms.push_back(sum_of(leaf(unit, every(0, 1), group))); break;                 // a sum of a sum
    case 3: terms.push_back(rounded(inner, sum_of(leaf(unit, every(0, 1), group)))); break; // rounded in between
    case 4:                                                                                 // two sums
        terms.push_back(sum_of(leaf(unit, every(0, 2), group)));
        terms.push_back(sum_of(leaf(unit, every(1, 2), group)));
        break;
    case 5: // each rounded
        for (int i = 0; i < n; ++i) terms.push_back(rounded(inner, leaf(unit, every(i, 0), group)));
        break;
    default: { // one after the other
        Node node = leaf(unit, every(0, 0), group);
        for (int i = 1; i < n; ++i) {
            std::vector<Node> both;
            both.push_back(std::move(node));
            both.push_back(leaf(unit, every(i, 0), group));
            node = sum(std::move(both));
            if (random.one_in(2)) node = rounded(inner, std::move(node));
        }
        terms.push_back(std::move(node));
    }
    }
    if (unit.c) {
        Node c{Accumulator{}};
        if (random.one_in(6)) c = rounded(inner_format(random, unit, size), std::move(c));
        const bool first = random.one_in(4);
        terms.insert(first ? terms.begin() : terms.end(), std::move(c));
    }
    Node node = sum(std::move(terms));
    while (random.one_in(5)) node = rounded(inner_format(random, unit, size), std::move(node)); // and again
    return rounded(unit.d, std::move(node));
}

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

/// A parameter's value in one part, or in all parts of the kind; as before if that makes no unit.
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
    if (kind == 2) changed.nan.kind = NanRule::Kind::propagate;
    if (kind == 4) changed.nan.kind = NanRule::Kind::rdna;
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

} // namespace

std::string WrittenUnit::text() const { return to_string(unit) + suffix; }

bool is_valid(const Unit& unit) {
    try {
        validate(unit);
        return true;
    } catch (const Error&) {
        return false;
    }
}

Unit reread(const Unit& unit) { return parse_unit(to_string(unit)); }

std::vector<Owner> owners(Unit& unit) {
    std::vector<Owner> list;
    collect(unit.tree, list);
    return list;
}

FormatId draw_format(Random& random, int widest, bool fixed, bool special_values) {
    if (fixed && random.one_in(4)) {
        const int width = random.between(2, std::min(widest, 9));
        const int fraction = random.between(0, width);
        return fixed_point(width, fraction).value();
    }
    for (;;) {
        const int e = random.between(2, 5), m = random.between(1, 6);
        const auto specials = special_values ? Specials::ieee : static_cast<Specials>(random.below(4));
        if (1 + e + m > std::max(widest, 4)) continue;
        if (const auto id = format_of_fields(e, m, specials)) return *id;
    }
}

int draw_value(Random& random, const Parameter& p, const Unit& unit) {
    const Values& values = values_of(p.meaning);
    const auto words = p.words();
    const Thresholds t = thresholds(unit);
    if (values.formats) {
        if (!words.empty() && random.one_in(3)) return words.front().value;
        const FormatId small = draw_format(random, 10, true, false);
        const FormatId wide = any_of(random, std::vector{FormatId::f32, FormatId::f16, FormatId::f64});
        return static_cast<int>(random.one_in(2) ? small : wide);
    }
    if (!words.empty() && (!values.numbers || random.one_in(3)))
        return words[static_cast<std::size_t>(random.below(static_cast<int>(words.size())))].value;
    int number = 0;
    switch (p.meaning) {
    case Meaning::fraction:
    case Meaning::drop: number = places(random, t); break;
    case Meaning::carry: number = random.below(5); break;
    case Meaning::step: number = 1 << random.between(1, 4); break;
    case Meaning::number: number = random.below(8); break;
    default: number = exponent(random, t);
    }
    return std::clamp(number, values.low, values.high);
}

Unit draw_unit(Random& random, const Size& size) {
    using enum FormatId;
    for (;;) {
        Unit unit;
        unit.K = any_of(random, std::vector{1, 1, 2, 2, 2, 3, 4});
        const int widest = std::max(3, std::min(8, (size.most_bits + 2) / (2 * unit.K)));
        unit.a = draw_format(random, widest, size.fixed_point, size.special_values);
        unit.b = random.one_in(2) ? unit.a : draw_format(random, widest, size.fixed_point, size.special_values);
        const bool small = random.one_in(2);
        unit.d = small ? draw_format(random, 9, size.fixed_point, size.special_values)
                       : any_of(random, std::vector{f16, f32, e4m3, e5m2, bf16, e4m3fnuz});
        if (size.special_values && !format(unit.d).has_infinity()) unit.d = e5m2;
        unit.c = unit.d;
        if (!small || random.one_in(3)) unit.c = draw_format(random, 8, size.fixed_point, size.special_values);
        if (!size.needs_c && random.one_in(3)) unit.c.reset();
        const bool chained = size.chains && unit.c && random.one_in(3);
        unit.L = chained && unit.K % 2 == 0 ? unit.K / random.between(1, 2) : chained && random.one_in(2) ? 1 : unit.K;
        if (chained) unit.L = unit.L == unit.K ? 1 : unit.L;
        if (input_bits(unit) > size.most_bits) continue;
        int group = 0;
        if (size.scales && random.one_in(5)) {
            unit.scale = Scale{random.one_in(2) ? e8m0 : ue4m3, unit.K};
            if (unit.K % 2 == 0 && random.one_in(2)) unit.scale->block = unit.K / 2;
        }
        if (size.scales && random.one_in(6)) {
            group = unit.L % 2 == 0 && random.one_in(2) ? unit.L / 2 : unit.L;
            if (unit.scale && unit.scale->block % group != 0) group = unit.scale->block;
            if (unit.L % group != 0) continue;
        }
        unit.tree = tree(random, unit, group, size);
        if (unit.c && random.one_in(10)) unit.place = AccumulatorPlace::last;
        if (!is_valid(unit)) continue;
        if (unit.K > 2 * unit.L - 1 && random.one_in(4)) {
            Unit dealt = unit;
            dealt.interleave = random.between(1, 2);
            if (is_valid(dealt)) unit = std::move(dealt);
        }
        draw_nan(random, unit);
        // Sums have an ulp, mostly: much of what can be said needs one.
        if (!random.one_in(3)) align_all(random, unit);
        // Every parameter may be set; few of them are, so that most units say a few things.
        const int rarity = any_of(random, std::vector{2, 4, 8, 16});
        for (const Parameter& p : parameters()) {
            const bool is_format = p.owner == OwnerKind::round && p.meaning == Meaning::format;
            if (is_format || !random.one_in(rarity)) continue;
            set_one(random, unit, p, false);
        }
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

std::optional<std::string> draw_choices(Random& random, const Unit& unit) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : discern::parameters(unit)) keys.emplace_back(key);
    std::string braces;
    const int wanted = random.between(2, 5);
    std::vector<std::string> used;
    for (int tries = 0; tries < 30 && static_cast<int>(used.size()) < wanted; ++tries) {
        const auto table = parameters();
        const Parameter* drawn = nullptr;
        // What is said of products and sums meets more of the other choices than what is said of results.
        do drawn = &table[static_cast<std::size_t>(random.below(static_cast<int>(table.size())))];
        while ((drawn->owner == OwnerKind::round || drawn->owner == OwnerKind::accumulator) && random.one_in(2));
        const Parameter& p = *drawn;
        std::string key(p.key);
        std::vector<std::string> values;
        if (random.one_in(16)) {
            key = "c";
            values = {"early", "late"};
        } else {
            const int n = any_of(random, std::vector{2, 2, 2, 2, 3, 4});
            const int first = p.key.empty() ? 0 : draw_value(random, p, unit);
            for (int i = 0; i < n && !p.key.empty(); ++i) {
                const Values& range = values_of(p.meaning);
                const bool near = range.numbers && !random.one_in(3) && first > range.low && first + n < range.high;
                const int value = near ? first + i : draw_value(random, p, unit);
                const std::string text = p.value_text(value);
                if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(text);
            }
        }
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
        if (values.size() < 2 || std::find(used.begin(), used.end(), key) != used.end()) continue;
        std::string choice = key + "={";
        for (std::size_t i = 0; i < values.size(); ++i) choice += (i == 0 ? "" : "|") + values[i];
        choice += "}";
        const std::string longer = braces.empty() ? choice : braces + "," + choice;
        try {
            if (members(std::vector{Space::parse(to_string(unit) + "{" + longer + "}")}, 1000).size() < 2) continue;
        } catch (const Error&) {
            continue;
        }
        braces = longer;
        used.push_back(key);
    }
    if (used.empty()) return std::nullopt;
    return "{" + braces + "}";
}

} // namespace discern::claims
