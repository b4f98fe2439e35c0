// Random units whose parameters lie at the thresholds of theorems about ranges, or one beside them, and inputs at the
// edges of formats. Where a theorem is wrong by one, these are the units and inputs on which it shows.
#pragma once

#include "models/families.hpp"
#include "models/random_tree.hpp"
#include "models/tree_shape.hpp"
#include "solver/theorems/ranges.hpp"

#include <bit>
#include <initializer_list>

namespace discern::tests {

class ThresholdUnits {
  public:
    explicit ThresholdUnits(std::uint64_t seed) : random_(seed), any_(seed ^ 0x5eedull) {}

    /// Only units of two products of the smallest formats, which solvers decide quickly.
    ThresholdUnits& small() {
        small_ = true;
        return *this;
    }

    Unit next() {
        return first_valid([&] {
            Unit unit = !small_ && random_.one_in(4) ? any_.next() : draw();
            turn(unit);
            return unit;
        });
    }

  private:
    template <typename T>
    T pick(std::initializer_list<T> list) {
        return list.begin()[random_.below(static_cast<int>(list.size()))];
    }
    bool one_in(int n) { return random_.one_in(n); }
    int near(int n) { return n + random_.between(-1, 1); }
    Rounding mode() { return static_cast<Rounding>(random_.below(static_cast<int>(rounding_names.size()))); }

    void draw_formats(Unit& unit) {
        using enum FormatId;
        struct Three {
            FormatId a, b, d;
        };
        // Products whose last place is, or nearly is, the smallest normal number of d, or a last place above that.
        const Three close = pick<Three>({{e2m1, e2m1, e4m3},
                                         {e4m3fnuz, e2m1, e5m2},
                                         {e2m3, e4m3, e5m2fnuz},
                                         {e2m1, e2m1, e5m2},
                                         {e3m2, e4m3fnuz, f16},
                                         {e3m2, e3m2, e4m3},
                                         {e2m1, e2m3, f16}});
        const FormatId a = pick({e2m1, e3m2, e2m3, e4m3, e5m2, f16, bf16, e4m3fnuz}),
                       b = one_in(2) ? a : pick({e2m1, e3m2, e5m2, f16, bf16, e5m2fnuz}),
                       d = pick({f32, f32, f16, f16, bf16, e5m2, e4m3, e5m2fnuz, tf32, f64});
        const Three three = one_in(3) ? close : Three{a, b, d};
        unit.a = three.a;
        unit.b = three.b;
        unit.d = three.d;
        if (small_) {
            unit.a = pick({e2m1, e3m2});
            unit.b = pick({e2m1, e3m2});
            unit.d = pick({e5m2, e4m3});
        }
        unit.c = unit.d;
        if (one_in(4)) unit.c = pick({f32, f16, e5m2, e5m2fnuz, e4m3});
        if (one_in(8)) unit.c.reset();
    }

    Unit draw() {
        Unit unit;
        draw_formats(unit);
        unit.L = small_ ? pick({1, 2}) : pick({1, 1, 2, 2, 3, 4});
        unit.K = small_ ? 2 : unit.L * (unit.c ? pick({1, 1, 2}) : 1);
        if (!unit.c) unit.L = unit.K;
        if (!small_ && one_in(8)) unit.scale = Scale{pick({FormatId::e8m0, FormatId::ue4m3}), pick({1, 2})};
        if (unit.c && one_in(8)) unit.place = AccumulatorPlace::last;
        if (unit.L == 2 && unit.K == 4 && one_in(4)) unit.interleave = 1;
        Round adder;
        adder.format = one_in(4) && unit.d == FormatId::f32 ? FormatId::e8m13 : unit.d;
        switch (random_.below(4)) {
        case 0: // one fused sum
            unit.tree = rounded(adder, sum(unit, {leaf({0, 1})}, true));
            break;
        case 1: // of products, then with c
            unit.tree = rounded(adder, sum(unit, {sum(unit, {leaf({0, 1})}, false)}, true));
            if (one_in(2)) // rounded in between
                unit.tree = rounded(adder, sum(unit, {rounded(adder, sum(unit, {leaf({0, 1})}, false))}, true));
            break;
        case 2: // each product rounded, added in pairs
            if (std::has_single_bit(static_cast<unsigned>(unit.L)))
                unit.tree = pairwise_tree(unit.L, adder, {}, unit.c.has_value(), {});
            if (std::has_single_bit(static_cast<unsigned>(unit.L))) break;
            [[fallthrough]];
        default: { // each product rounded, added at once
            std::vector<Node> terms;
            for (int l = 0; l < unit.L; ++l) terms.push_back(rounded(adder, leaf({l, 0})));
            unit.tree = rounded(adder, sum(unit, std::move(terms), true));
            break;
        }
        }
        return unit;
    }

    static Node leaf(Selection which) {
        Product product;
        product.which = which;
        return {product};
    }
    static Node rounded(Round round, Node node) {
        round.child = {std::move(node)};
        return {std::move(round)};
    }
    Node sum(const Unit& unit, std::vector<Node> terms, bool with_c) {
        if (with_c && unit.c) terms.push_back({Accumulator{}});
        Fuse fuse;
        const bool exact = one_in(3);
        for (Node& term : terms) {
            Child child;
            if (!exact) child.F = random_.below(12);
            child.node = {std::move(term)};
            fuse.children.push_back(std::move(child));
        }
        return {std::move(fuse)};
    }

    /// Turns about half of the unit's parameters to something else, near a threshold if there is one.
    void turn(Unit& unit) {
        const Ranges ranges(unit);
        const Format& d = format(unit.d);
        exponents_ = {d.emin(),
                      d.emax(),
                      format(unit.d).last_place(),
                      format(unit.a).emin() + format(unit.b).emin(),
                      ranges.last_place_of_products(),
                      ranges.last_place_of_all()};
        if (unit.c) exponents_.push_back(format(*unit.c).emin());
        if (unit.c) exponents_.push_back(format(*unit.c).last_place());
        const Round adder = turned(Round{.child = {}}); // in most units, the same everywhere
        turn(unit.tree, unit, one_in(3) ? nullptr : &adder);
    }

    Round turned(Round round) {
        round.mode = one_in(3) ? Rounding::rne : mode();
        round.overflow = static_cast<Overflow>(random_.below(3));
        round.flush = one_in(2) ? Flush::none : static_cast<Flush>(random_.below(4));
        round.flush_keeps_sign = round.flush == Flush::none || one_in(2);
        round.zero_sign_ieee = one_in(2);
        round.underflow_keeps_sign = one_in(2);
        return round;
    }

    void turn(Node& node, const Unit& unit, const Round* adder) {
        if (auto* round = std::get_if<Round>(&node.kind)) {
            Round other = adder != nullptr ? *adder : turned(*round);
            other.format = round->format;
            other.child = std::move(round->child);
            *round = std::move(other);
            turn(round->get(), unit, adder);
        }
        if (auto* product = std::get_if<Product>(&node.kind)) {
            product->normalisation = static_cast<Normalisation>(one_in(2) ? 0 : random_.below(3));
            if (one_in(4)) product->limit = near(one_in(2) ? Ranges(unit).product_bound() : format(unit.d).emax() + 1);
            product->limit_yields = !product->limit || one_in(2);
        }
        if (auto* c = std::get_if<Accumulator>(&node.kind)) {
            if (one_in(4)) c->as = pick({FormatId::f64, FormatId::f32, FormatId::f16});
            c->flush = one_in(4);
            c->flush_keeps_sign = !c->flush || one_in(2);
        }
        if (auto* fuse = std::get_if<Fuse>(&node.kind)) turn(*fuse, unit, adder);
    }

    void turn(Fuse& fuse, const Unit& unit, const Round* adder) {
        const Ranges ranges(unit);
        const bool exact = !fuse.children.front().F || one_in(8);
        const int terms = std::bit_width(static_cast<unsigned>(4 * unit.L + 1));
        const int precision = format(unit.d).mantissa_bits + 1;
        const int to_last_place = ranges.lowest_exponent(fuse) - format(unit.d).last_place();
        const Node c{Accumulator{}};
        const int to_cut = ranges.highest_exponent(one_in(2) ? c : fuse.children.front().get()).value_or(0) -
                           ranges.last_place_of_products();
        const int F =
            pick({random_.below(4), near(precision - 1), near(precision - terms),
                  std::clamp(near(to_last_place), 0, 64), std::clamp(near(to_cut), 0, 64), random_.below(30)});
        const bool same_F = !one_in(4), drops = one_in(8);
        const Rounding align = one_in(2) ? Rounding::rz : mode();
        for (Child& child : fuse.children) {
            child.F.reset();
            child.rounding = Rounding::rz;
            if (!exact) {
                child.F = std::clamp(same_F ? F : near(F), 0, 64);
                child.rounding = align;
                exponents_.push_back(ranges.last_place_of_all() + *child.F);
                exponents_.push_back(ranges.last_place_of_products() + *child.F);
            }
            exponents_.push_back(ranges.lowest_exponent(child.get()));
            child.drop.reset();
            if (drops && one_in(2)) child.drop = random_.below(12);
            child.zero = {};
            child.zero.kind = static_cast<ZeroExponent::Kind>(one_in(2) ? 0 : random_.below(3));
            if (is_fuse(child.get()) && one_in(2)) child.zero.kind = ZeroExponent::Kind::own;
        }
        for (Child& child : fuse.children)
            if (child.zero.kind == ZeroExponent::Kind::constant) child.zero.value = exponent();
        fuse.floor.reset();
        if (one_in(2)) fuse.floor = exponent();
        fuse.carry.reset();
        if (!exact && one_in(3)) fuse.carry = random_.below(5);
        for (Child& child : fuse.children) turn(child.get(), unit, adder);
    }

    int exponent() {
        return near(exponents_[static_cast<std::size_t>(random_.below(static_cast<int>(exponents_.size())))]);
    }

    Random random_;
    UnitGenerator any_;
    bool small_ = false;
    std::vector<int> exponents_; ///< thresholds of the unit that is drawn
};

/// Inputs of the smallest and largest numbers: all of one kind, each of some kind, or few beside zeros.
class ExtremeInputs {
  public:
    ExtremeInputs(const Unit& unit, std::uint64_t seed) : unit_(unit), random_(seed) {}

    void next(InputBuffer& v) {
        const auto K = static_cast<std::size_t>(unit_.K), scales = static_cast<std::size_t>(unit_.scales());
        fill(v.a, K, unit_.a);
        fill(v.b, K, unit_.b);
        if (random_.one_in(3)) // few products beside zeros
            for (std::size_t k = 0; k < K; ++k)
                if (!random_.one_in(2)) (random_.one_in(2) ? v.a : v.b)[k] = 0;
        v.sa.clear();
        v.sb.clear();
        if (unit_.scale) {
            fill(v.sa, scales, unit_.scale->format);
            fill(v.sb, scales, unit_.scale->format);
        }
        v.c = unit_.c ? extreme(format(*unit_.c)) : 0;
    }

  private:
    void fill(std::vector<std::uint64_t>& patterns, std::size_t n, FormatId id) {
        const Format& f = format(id);
        const bool all_equal = random_.one_in(3);
        patterns.assign(n, extreme(f));
        for (std::uint64_t& one : patterns)
            if (!all_equal) one = extreme(f);
    }

    std::uint64_t extreme(const Format& f) {
        const std::uint64_t hidden = 1ull << f.mantissa_bits;
        Decoded x;
        x.negative = f.is_signed && random_.one_in(2);
        x.exponent = f.emin();
        switch (random_.below(f.has_zero ? 9 : 4)) {
        case 0: // the largest
            x.exponent = f.emax();
            x.significand = f.max_significand();
            break;
        case 1: x.exponent = f.emax(), x.significand = hidden; break;
        case 2: x.exponent = random_.between(f.emin(), f.emax()), x.significand = hidden; break; // a power of two
        case 3: // just below one, or just above
            x.exponent = random_.between(f.emin(), f.emax() - 1);
            x.significand = random_.one_in(2) ? 2 * hidden - 1 : std::min(hidden + 1, 2 * hidden - 1);
            break;
        case 4: x.significand = hidden; break;                                         // the smallest normal
        case 5: x.significand = std::min<std::uint64_t>(1, hidden - 1); break;         // the smallest
        case 6: x.significand = hidden - 1; break;                                     // the largest subnormal
        case 7: x.significand = hidden > 1 ? random_.bits() & (hidden - 1) : 0; break; // any
        default: x.negative = x.negative && f.specials != Specials::fnuz; break;       // zero
        }
        if (x.significand == 0 && f.specials == Specials::fnuz) x.negative = false;
        return pack(f, x);
    }

    const Unit unit_;
    Random random_;
};

} // namespace discern::tests
