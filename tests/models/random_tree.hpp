// Random valid units over all node kinds, parameters and formats, for tests that compare implementations.
//
// A tree is grown from the whole block downwards: a class of elements (first, first + step, …) becomes one leaf, or two
// classes of twice the step, or its elements one by one, each bare or inside nodes of its own. What validate() refuses
// is thrown away and drawn again, so the generator need not know every rule.
#pragma once

#include "models/error.hpp"
#include "models/random.hpp"
#include "models/unit.hpp"

#include "models/unit/tree_shape.hpp"
#include "scale_format.hpp"
#include "scaled_sums.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace discern::tests {

/// Draws until validate() accepts the unit.
template <typename Draw>
Unit first_valid(Draw draw) {
    for (;;) {
        Unit unit = draw();
        try {
            validate(unit);
            return unit;
        } catch (const Error&) {
            continue;
        }
    }
}

class UnitGenerator {
  public:
    /// @param rare  draw what few units have too
    /// @param small  formats of few bits alone
    explicit UnitGenerator(std::uint64_t seed, bool rare = false, bool small = false)
        : random_(seed), rare_(rare), small_(small) {}

    /// The next valid unit.
    Unit next() {
        return first_valid([&] { return draw(); });
    }

  private:
    template <std::size_t N, class T>
    const T& pick(const std::array<T, N>& list) {
        return list[static_cast<std::size_t>(random_.below(static_cast<int>(N)))];
    }
    bool one_in(int n) { return random_.one_in(n); }
    Rounding mode() { return static_cast<Rounding>(random_.below(static_cast<int>(rounding_names.size()))); }

    FormatId operand() {
        using enum FormatId;
        static constexpr std::array all = {f64, f32, tf32, bf16, f16, e5m2, e4m3, e5m2fnuz, e4m3fnuz, e3m2, e2m3, e2m1};
        static constexpr std::array usual = {bf16, f16, e4m3, e5m2};
        if (small_) return one_in(8) ? small_fixed_point() : small_by_fields(5);
        if (one_in(8)) return by_fields(one_in(2) ? Specials::ieee : static_cast<Specials>(random_.below(5)));
        if (one_in(12)) return fixed_point();
        return one_in(2) ? pick(usual) : pick(all);
    }
    FormatId result() {
        using enum FormatId;
        static constexpr std::array all = {f64, f32, tf32, bf16, f16, e5m2, e4m3, e5m2fnuz, e4m3fnuz};
        static constexpr std::array usual = {f32, f16};
        if (small_) return one_in(10) ? small_fixed_point() : small_by_fields(4);
        if (one_in(8)) return by_fields(one_in(2) ? Specials::ieee : static_cast<Specials>(random_.below(4)));
        if (one_in(12)) return fixed_point();
        return one_in(3) ? pick(all) : pick(usual);
    }
    /// A format that has no name of its own, mostly one of few bits.
    FormatId by_fields(Specials specials) {
        const bool any = one_in(3);
        const int e = any ? random_.between(2, 10) : random_.between(2, 5);
        const int m = any ? random_.between(1, 52) : random_.between(1, 6);
        return format_of_fields(e, m, specials).value();
    }
    /// One of the first so many kinds, IEEE more often than the others.
    FormatId small_by_fields(int kinds) {
        const int e = random_.between(2, 4), m = random_.between(1, 3);
        return format_of_fields(e, m, one_in(2) ? Specials::ieee : static_cast<Specials>(random_.below(kinds))).value();
    }
    FormatId small_fixed_point() {
        const int width = random_.between(2, 7);
        return discern::fixed_point(width, random_.between(0, width)).value();
    }
    /// A little wider than both, with or without infinities and −0.
    FormatId wider(const Format& x, const Format& y) {
        const int e = std::max(x.exponent_bits, y.exponent_bits) + random_.below(3);
        const int m = std::max(x.mantissa_bits, y.mantissa_bits) + random_.below(3);
        const auto specials = static_cast<Specials>(random_.below(5));
        return format_of_fields(std::clamp(e, 2, 11), std::clamp(m, 1, 52), specials).value_or(FormatId::f64);
    }
    /// Of few bits, mostly.
    FormatId fixed_point() {
        const int width = one_in(3) ? random_.between(2, 54) : random_.between(2, 9);
        return discern::fixed_point(width, random_.between(0, width)).value();
    }
    ZeroExponent zero_exponent() {
        ZeroExponent zero{static_cast<ZeroExponent::Kind>(random_.below(3)), 0};
        if (zero.kind == ZeroExponent::Kind::constant) zero.value = exponent();
        return zero;
    }

    Unit draw() {
        Unit unit;
        unit.a = operand();
        unit.b = one_in(2) ? unit.a : operand();
        unit.d = result();
        unit.c = unit.d;
        if (one_in(4)) unit.c = operand();
        if (one_in(8)) unit.c.reset();
        unit.L = random_.between(1, one_in(4) ? 16 : 6);
        starts_from_zero_ = rare_ && !unit.c && one_in(2);
        unit.K = unit.L * (unit.c || starts_from_zero_ ? random_.between(1, 4) : 1);
        if (one_in(4)) unit.interleave = random_.between(1, 4);
        if (one_in(3)) {
            static constexpr std::array blocks = {1, 2, 3, 4, 8, 16};
            unit.scale = Scale{any_scale_format(random_), pick(blocks)};
        }
        if (unit.c && one_in(5)) unit.place = AccumulatorPlace::last;
        draw_nan(unit);
        group_size_ = 0;
        if (one_in(4)) group_size_ = random_.between(1, unit.L);
        grow(unit);
        // It draws nothing, so that other units stay as they are.
        if (rare_ && unit.scale && (unit.K + unit.L + unit.scale->block) % 3 == 0)
            scale_sums(unit, unit.L % 4 < 2 ? Scaled::both : unit.L % 4 == 2 ? Scaled::a : Scaled::b);
        // The notation does not say which NaN of a format with a single one carries what under nan=x86 or rdna.
        if (unit.nan.keeps_operands() && !ieee_rounds_only(unit.tree)) unit.nan = {};
        return unit;
    }

    static bool ieee_rounds_only(const Node& node) {
        if (const auto* round = std::get_if<Round>(&node.kind))
            return format(round->format).specials == Specials::ieee && ieee_rounds_only(round->get());
        if (const auto* fuse = std::get_if<Fuse>(&node.kind))
            return std::all_of(fuse->children.begin(), fuse->children.end(),
                               [](const Child& child) { return ieee_rounds_only(child.get()); });
        return true;
    }

    void draw_nan(Unit& unit) {
        const Format& d = format(unit.d);
        const int kind = random_.below(4);
        if (kind == 1 && d.has_nan()) {
            unit.nan = {NanRule::Kind::pattern, quiet_nan(d)};
            if (d.specials == Specials::ieee) unit.nan.bits |= random_.bits() & ((1ull << d.mantissa_bits) - 1);
        }
        if (kind == 2) unit.nan.kind = NanRule::Kind::propagate;
        if (kind == 3) unit.nan.kind = NanRule::Kind::rdna;
    }

    // ------------------------------------------------------------------------------------------------ the tree

    void grow(Unit& unit) {
        unit_ = &unit;
        count_ = group_size_ > 0 ? unit.L / group_size_ : unit.L;
        accumulator_is_due_ = unit.c.has_value() || starts_from_zero_;
        Round root = round();
        root.format = unit.d;
        if (unit.d == FormatId::f32 && one_in(4)) root.format = one_in(2) ? FormatId::e8m13 : FormatId::tf32;
        // The accumulator is put in at the root's fuse unless it found a place further down.
        Node sum = fuse({0, 1}, 0);
        root.child = {std::move(sum)};
        unit.tree = {std::move(root)};
    }

    Node leaf(Selection which) {
        if (group_size_ > 0) {
            Group group{.which = which, .size = group_size_};
            if (one_in(2)) group.empty = zero_exponent();
            return {group};
        }
        Product product;
        product.which = which;
        product.normalisation = static_cast<Normalisation>(one_in(2) ? 0 : random_.below(3));
        if (one_in(5)) product.limit = exponent();
        product.oinf_yields = !one_in(2);
        product.ftz = one_in(4);
        product.fsign_keep = !product.ftz || one_in(2);
        product.zin_keep = product.fsign_keep || one_in(2);
        if (!product.limit) product.oinf_yields = true;
        if (rare_) {
            product.infnan = one_in(6);
            product.nanzero = one_in(6);
            product.infzero = one_in(6);
            if (one_in(5)) product.as = wider(format(unit_->a), format(unit_->b));
        }
        return {product};
    }

    Node accumulator() {
        accumulator_is_due_ = false;
        Accumulator c;
        if (one_in(5)) {
            static constexpr std::array wide = {FormatId::f64, FormatId::f32, FormatId::f16};
            c.as = one_in(2) ? wider(format(unit_->c.value_or(unit_->d)), format(unit_->d)) : pick(wide);
        }
        c.ftz = one_in(4);
        c.fsign_keep = !c.ftz || one_in(2);
        c.zin_keep = c.fsign_keep || one_in(2);
        return {c};
    }

    /// An exponent that the unit's numbers can have: near a limit of its formats, or near 0.
    int exponent() {
        const Format &d = format(unit_->d), &a = format(unit_->a), &b = format(unit_->b);
        const std::array around = {d.emin(), d.emax(), a.emin() + b.emin(), a.emax() + b.emax(), 0, 0};
        return pick(around) + random_.between(-12, 12);
    }

    Child child(Node node) {
        Child result;
        result.node = {std::move(node)};
        if (!one_in(5)) result.F = one_in(6) ? random_.below(65) : random_.between(0, 30);
        result.rounding = one_in(2) ? Rounding::rz : mode();
        if (!result.F) result.rounding = Rounding::rz;
        result.zero = zero_exponent();
        if (one_in(6)) result.drop = random_.below(40);
        if (one_in(6)) result.less = random_.below(one_in(4) ? 64 : 5);
        return result;
    }

    Round round() {
        Round r;
        r.format = result();
        if (one_in(10)) r.format = FormatId::e8m13;
        if (one_in(8)) r.format = format_of_fields(8, random_.between(1, 40), Specials::ieee).value(); // as F2 does
        r.mode = mode();
        r.overflow = static_cast<Overflow>(random_.below(3));
        if (one_in(2)) r.ftz = static_cast<Flush>(random_.below(4));
        r.fsign_keep = r.ftz == Flush::none || one_in(2);
        r.zsign_ieee = one_in(2);
        r.usign_keep = one_in(2);
        return r;
    }

    Node rounded(Node node) {
        Round r = round();
        r.child = {std::move(node)};
        return {std::move(r)};
    }

    /// A fuse of a class of elements, and of the accumulator if it happens to come here; at depth 0 it must.
    Node fuse(Selection which, int depth) {
        Fuse result;
        const bool last_chance = depth == 0;
        const bool before = accumulator_is_due_ && one_in(last_chance ? 3 : 6);
        if (before) result.children.push_back(child(accumulator()));
        add_children(result, which, depth);
        if (accumulator_is_due_ && (last_chance || one_in(6))) {
            Node c = accumulator();
            if (one_in(6)) c = rounded(std::move(c));
            result.children.push_back(child(std::move(c)));
        }
        if (one_in(3)) result.floor = exponent();
        const bool all_aligned = std::all_of(result.children.begin(), result.children.end(),
                                             [](const Child& one) { return one.F.has_value(); });
        if (all_aligned && one_in(3)) result.carry = random_.below(6);
        if (rare_) draw_rare(result, all_aligned);
        return {std::move(result)};
    }

    void draw_rare(Fuse& fuse, bool all_aligned) {
        if (all_aligned && !fuse.carry) fuse.sticky = one_in(3);
        fuse.plus = one_in(6);
        if (one_in(5)) fuse.step = 1 << random_.between(1, 5);
        if (fuse.step) fuse.phase = random_.below(*fuse.step);
        if (!can_have_frame(fuse)) return;
        fuse.frame = static_cast<SignFrame>(random_.below(4));
        if (fuse.frame != SignFrame::none) fuse.opposed = static_cast<Opposed>(random_.below(3));
    }

    void add_children(Fuse& parent, Selection which, int depth) {
        const bool single = which.step == 0 || which.first + which.step >= count_;
        const int choice = depth >= 4 ? 0 : random_.below(4);
        if (single || choice <= 1) {
            if (single && one_in(2)) which.step = 0;
            Node node = leaf(which);
            if (single && one_in(3)) node = rounded(std::move(node)); // a round takes one child
            if (one_in(6)) {
                Fuse around;
                around.children.push_back(child(std::move(node)));
                node = {std::move(around)};
            }
            parent.children.push_back(child(std::move(node)));
        } else if (choice == 2) { // two classes of twice the step, in either order
            std::array<Selection, 2> halves = {Selection{which.first, 2 * which.step},
                                               Selection{which.first + which.step, 2 * which.step}};
            if (one_in(4)) std::swap(halves[0], halves[1]);
            for (const Selection& half : halves) add_class(parent, half, depth + 1);
        } else { // one by one
            for (int i = which.first; i < count_; i += which.step) add_class(parent, {i, 0}, depth + 1);
        }
    }

    void add_class(Fuse& parent, Selection which, int depth) {
        if (one_in(2)) return add_children(parent, which, depth);
        Node sum = fuse(which, depth);
        if (one_in(2)) sum = rounded(std::move(sum));
        parent.children.push_back(child(std::move(sum)));
    }

    Random random_;
    bool rare_, small_, starts_from_zero_ = false; ///< the last: c is in the tree, though not in the formats
    Unit* unit_ = nullptr;
    int group_size_ = 0; ///< 0: the leaves are products
    int count_ = 0;      ///< elements, or groups, of the block
    bool accumulator_is_due_ = false;
};

} // namespace discern::tests
