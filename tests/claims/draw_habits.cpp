#include "draw_habits.hpp"

#include "models/unit/tree_shape.hpp"

#include "scale_format.hpp"
#include "scaled_sums.hpp"

#include <algorithm>
#include <cmath>

namespace discern::claims {

namespace {

using namespace parametric;

/// A result that flushes to +0 and rounds to nearest, mostly: then what is small does not matter, as exponents of zeros
/// that are about as small.
void flush_results(Random& random, Unit& unit, const Size&) {
    Unit changed = unit;
    Round& root = std::get<Round>(changed.tree.kind);
    root.mode = any_of(
        random, std::vector{Rounding::rne, Rounding::rna, Rounding::rnu, Rounding::rnd, Rounding::rnz, Rounding::rno});
    root.ftz = any_of(random, std::vector{Flush::before, Flush::after, Flush::result});
    root.fsign_keep = root.zsign_ieee = false;
    const int exponent = format(unit.d).emin() + random.between(-3, 1);
    if (random.one_in(2))
        for (const Owner& part : owners(changed))
            if (auto* const* child = std::get_if<Child*>(&part))
                (*child)->zero = {ZeroExponent::Kind::constant, exponent};
    if (is_valid(changed)) unit = std::move(changed);
}

/// Inner roundings to a few bits more than the result has, which then is rounded twice.
void round_twice(Random& random, Unit& unit, const Size&) {
    Unit changed = unit;
    const Format& d = format(unit.d);
    const auto inner = format_of_fields(std::min(d.exponent_bits + random.below(3), 11),
                                        d.mantissa_bits + random.between(1, 4), Specials::ieee);
    const auto mode =
        random.one_in(2) ? Rounding::odd : static_cast<Rounding>(random.below(static_cast<int>(rounding_names.size())));
    const std::vector<Round*> rounds = all_rounds(changed);
    for (Round* const round : rounds)
        if (round != &std::get<Round>(changed.tree.kind) && inner) {
            round->format = *inner;
            round->mode = mode;
        }
    if (is_valid(changed)) unit = std::move(changed);
}

/// An F for the terms of a register: few bits, about as many as the result has, or any.
int draw_register(Random& random, const Unit& unit) {
    const Parameter& F = parameter(OwnerKind::child, "F");
    const int kind = random.below(3);
    if (kind == 0) return random.below(5);
    if (kind == 1) return std::max(format(unit.d).mantissa_bits + random.between(-2, 1), 0);
    int value = exact;
    while (value == exact) value = draw_value(random, F, unit);
    return value;
}

/// A register: every term aligned to some F, mostly the same one, and one of what only such a sum can have.
void make_register(Random& random, Unit& unit, const Size&) {
    const bool same = !random.one_in(4);
    const int of_all = draw_register(random, unit);
    for (const Owner& part : owners(unit))
        if (auto* const* child = std::get_if<Child*>(&part)) {
            (*child)->F = same ? of_all : draw_register(random, unit);
            (*child)->drop.reset();
        }
    set_one(random, unit, parameter(OwnerKind::fuse, any_of(random, std::vector{"sticky", "frame", "frame", "carry"})),
            false);
}

/// Leaves c out of the sums that have other terms.
void leave_out_c(Unit& unit) {
    for (const Owner& part : owners(unit))
        if (auto* const* fuse = std::get_if<Fuse*>(&part); fuse != nullptr && (*fuse)->children.size() > 1)
            if (std::erase_if((*fuse)->children, [](Child& child) {
                    return std::holds_alternative<Accumulator>(child.get().kind);
                }) != 0) {
                unit.c.reset();
                return; // what follows may be below what is no longer there
            }
}

/// Exact sums of products with one scale for all of them, as a unit of microscaling formats has; some with a limit, and
/// some with a result that hardly holds them.
void add_exactly(Random& random, Unit& unit, const Size& size) {
    if (!size.scales) return;
    Unit changed = unit;
    if (!changed.scale) changed.scale = Scale{tests::any_scale_format(random), 1};
    changed.scale->block = changed.L;
    if (!size.needs_c && random.one_in(2) && changed.blocks() == 1) leave_out_c(changed);
    for (const Owner& part : owners(changed))
        if (auto* const* child = std::get_if<Child*>(&part)) (*child)->F.reset();
    for (const Owner& part : owners(changed)) clear_unused(part);
    if (random.one_in(2)) set_one(random, changed, parameter(OwnerKind::product, "limit"), false);
    if (const auto d = format_of_sums(random, changed); d && random.one_in(2)) {
        changed.d = *d;
        std::get<Round>(changed.tree.kind).format = *d;
        changed.nan = {};
    }
    if (is_valid(changed)) unit = std::move(changed);
}

/// A result that is rounded up, or down, to no more digits than c has, which is aligned in the same way to about as
/// many digits as it has: whether that is seen depends on how small the exponent of products can be beside E.
void direct_throughout(Random& random, Unit& unit, const Size&) {
    if (!unit.c || unit.blocks() != 1) return;
    Unit changed = unit;
    const Format& c = format(*unit.c);
    const auto mode = any_of(random, std::vector{Rounding::rd, Rounding::ru});
    Round& root = std::get<Round>(changed.tree.kind);
    root.mode = mode;
    const int bits = random.between(1, std::max(1, c.mantissa_bits));
    if (const auto d = format_of_fields(format(unit.d).exponent_bits, bits, Specials::ieee)) {
        changed.d = root.format = *d;
        changed.nan = {};
    }
    for (const Owner& part : owners(changed))
        if (auto* const* child = std::get_if<Child*>(&part)) {
            const bool is_c = std::holds_alternative<Accumulator>((*child)->get().kind);
            (*child)->rounding = mode;
            (*child)->F.reset();
            (*child)->drop.reset();
            if (is_c) (*child)->F = std::max(c.significand_bits() + random.between(0, 2), 0);
        }
    for (const Owner& part : owners(changed)) clear_unused(part);
    if (is_valid(changed)) unit = std::move(changed);
}

/// Products whose limit is about where the largest one is: of fixed-point numbers it is reached by a power of two.
void limit_products(Random& random, Unit& unit, const Size& size) {
    Unit changed = unit;
    if (size.fixed_point && random.one_in(2)) {
        for (FormatId* const operand : {&changed.a, &changed.b}) {
            const int bits = random.between(2, std::max(2, std::min(5, format(*operand).width)));
            if (const auto fixed = fixed_point(bits, random.between(0, bits))) *operand = *fixed;
        }
        changed.scale.reset();
    }
    const int largest = format(changed.a).below() + format(changed.b).below();
    for (Product* const product : products(changed)) {
        product->limit = largest + random.between(-2, 1);
        product->oinf_yields = random.one_in(2);
        product->as.reset();
    }
    if (is_valid(changed)) unit = std::move(changed);
}

/// Scales that multiply what is rounded, both at once or with a rounding between them.
void scale_what_is_rounded(Random& random, Unit& unit, const Size& size) {
    if (!size.scales) return;
    Unit changed = unit;
    if (!changed.scale) changed.scale = Scale{tests::any_scale_format(random), changed.L};
    tests::scale_sums(changed, any_of(random, std::vector{Scaled::both, Scaled::a, Scaled::b}));
    if (is_valid(changed)) unit = std::move(changed);
}

} // namespace

std::optional<FormatId> format_of_sums(Random& random, const Unit& unit) {
    double digits = std::log2(unit.K);
    for (const FormatId id : {unit.a, unit.b}) {
        const Format& f = format(id);
        digits += f.emax() - f.emin() + std::log2(f.max_significand(true));
    }
    if (unit.scale) digits += 2 * std::log2(format(unit.scale->format).max_significand() | 1);
    const int mantissa_bits = static_cast<int>(digits) + random.between(-2, 1);
    return format_of_fields(random.between(3, 8), mantissa_bits, Specials::ieee);
}

const std::vector<Habit>& habits() {
    static const std::vector<Habit> all = {flush_results,     round_twice,    make_register,        add_exactly,
                                           direct_throughout, limit_products, scale_what_is_rounded};
    return all;
}

} // namespace discern::claims
