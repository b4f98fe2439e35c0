// Bounds by interval arithmetic over the tree; every step rounds up.
#include "sizes.hpp"

#include "bounds.hpp"

#include "models/format.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace discern::property {

namespace {

Real largest_number(const Format& f) {
    return std::ldexp(static_cast<Real>(f.max_significand()), f.emax() - f.mantissa_bits);
}
/// The largest magnitude of either sign: in fixed point the smallest number has a larger one than the largest.
Real largest_magnitude(const Format& f) {
    return std::ldexp(static_cast<Real>(f.max_significand(f.is_signed)), f.emax() - f.mantissa_bits);
}

/// Bounds on the result of a node.
struct Size {
    Real most = 0;    ///< no magnitude is above it
    int exponent = 0; ///< no reference exponent is above it, those of zeros included
};

int exponent_of(Real x, const Format& f) { return x == 0 ? f.emin() : std::max(f.emin(), std::ilogb(x)); }

/// Whether a number of at most that magnitude may be rounded to one above the largest: what Round::overflow is about.
bool may_go_beyond(const Round& round, Real most) {
    const Format& f = format(round.format);
    const Real largest = largest_number(f), ulp = power(f.emax() - f.mantissa_bits);
    if (is_nearest(round.mode)) return most >= largest + ulp / 2;
    // Toward zero the next multiple of an ulp is the first one beyond. To odd it is reached from below, too,
    // where the largest number is even: the pattern above it, all ones, is a NaN then.
    const bool next_is_reached =
        round.mode == Rounding::rz || (round.mode == Rounding::odd && f.max_significand() % 2 == 1);
    return next_is_reached ? most >= largest + ulp : most > largest;
}

/// Whether what is beyond the largest number becomes infinite, or NaN, be it of one sign only.
bool gives_infinity(const Round& round) {
    if (format(round.format).is_fixed_point()) return false;
    if (round.overflow != Overflow::ieee) return round.overflow == Overflow::infinity;
    return round.mode != Rounding::rz && round.mode != Rounding::odd;
}

/// Whether it becomes the largest number, be it of one sign only.
bool gives_largest(const Round& round) {
    if (format(round.format).is_fixed_point()) return true;
    return round.overflow == Overflow::largest ||
           (round.overflow == Overflow::ieee && round.mode != Rounding::ra && !is_nearest(round.mode));
}

/// The result for a number beyond the largest: infinite or NaN, or the largest number.
enum class Beyond : std::uint8_t { infinite, largest };

class Sizes {
  public:
    explicit Sizes(const Unit& unit, Beyond beyond = Beyond::infinite) : unit_(unit), beyond_(beyond) {}

    /// Whether the rounding of a number of at most that magnitude may do what matters.
    bool matters(const Round& round, Real most) const {
        return (beyond_ == Beyond::infinite ? gives_infinity : gives_largest)(round) && may_go_beyond(round, most);
    }

    /// @param accumulator  what the block adds to
    std::optional<Size> of(const Node& node, const Size& accumulator) const {
        if (std::holds_alternative<Accumulator>(node.kind)) return accumulator;
        if (const auto* p = std::get_if<Product>(&node.kind)) return of_product(*p);
        if (const auto* g = std::get_if<Group>(&node.kind)) return of_group(*g);
        if (const auto* fuse = std::get_if<Fuse>(&node.kind)) return of_fuse(*fuse, accumulator);
        const auto& round = std::get<Round>(node.kind);
        const auto size = of(round.get(), accumulator);
        const Format& f = format(round.format);
        if (!size || matters(round, size->most)) return std::nullopt;
        const int ulp = (f.is_fixed_point() ? f.emin() : exponent_of(size->most, f)) - f.mantissa_bits;
        const Real next = sum(size->most, power(ulp));
        const Real most = std::min(size->most == 0 ? Real{0} : next, largest_magnitude(f));
        return Size{most, f.is_fixed_point() ? f.emin() : exponent_of(most, f)};
    }

    std::optional<Size> of_product(const Product& p) const {
        const Format &a = format(unit_.a), &b = format(unit_.b);
        Size size{product(largest_magnitude(a), largest_magnitude(b)), a.emax() + b.emax()};
        for (int i = 0; unit_.scale && i < 2; ++i) {
            const Format& s = format(unit_.scale->format);
            size = {product(size.most, largest_number(s)), size.exponent + s.emax()};
        }
        if (p.limit && size.most >= power(*p.limit)) {
            if (beyond_ == Beyond::infinite) return std::nullopt;
            size.most = power(*p.limit); // of those that are numbers
        }
        if (p.normalisation != Normalisation::raw) size.exponent = std::max(size.exponent, std::ilogb(size.most));
        return size;
    }

    std::optional<Size> of_group(const Group& g) const {
        auto size = of_product({});
        size->most = product(size->most, static_cast<Real>(g.size));
        size->exponent = unit_.scale ? 2 * format(unit_.scale->format).emax() : 0;
        if (g.empty.kind == ZeroExponent::Kind::constant) size->exponent = std::max(size->exponent, g.empty.value);
        return size;
    }

    std::optional<Size> of_fuse(const Fuse& fuse, const Size& accumulator) const {
        if (fuse.carry) return std::nullopt;
        std::vector<Size> sizes;
        int E = fuse.floor.value_or(no_exponent);
        for (const Child& child : fuse.children) {
            const auto size = of(child.get(), accumulator);
            if (!size || child.scaled != Scaled::no) return std::nullopt;
            sizes.push_back(*size);
            E = std::max(E, size->exponent);
            if (child.zero.kind == ZeroExponent::Kind::constant) E = std::max(E, child.zero.value);
        }
        if (fuse.step) E += *fuse.step - 1;
        Real total = 0, ulp = 0;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const Child& child = fuse.children[i];
            const Real n = static_cast<Real>(terms_of(child.get(), unit_.L));
            total = sum(total, product(n, aligned(child, sizes[i].most, E)));
            if (!child.F) continue;
            ulp = ulp == 0 ? power(E - *child.F) : std::min(ulp, power(E - *child.F));
            if (fuse.frame != SignFrame::none)
                total = sum(total, product(n, power(E - *child.F))); // inverted, not negated
        }
        if (fuse.sticky) total = sum(total, ulp);
        return Size{total, E};
    }

  private:
    /// The largest magnitude of a term when it is truncated.
    Real aligned(const Child& child, Real most, int E) const {
        if (!child.F || child.rounding == Rounding::rz || most == 0) return most;
        // A number of that format is kept whole at its own exponent, and at a higher one is no more than a power.
        if (std::holds_alternative<Accumulator>(child.get().kind) && *child.F >= format(unit_.d).mantissa_bits &&
            *child.F >= format(unit_.c.value_or(unit_.d)).mantissa_bits)
            return std::max(most, power(E));
        return sum(most, power(E - *child.F));
    }

    const Unit& unit_;
    Beyond beyond_;
};

Size size_of(const Format& f) { return {largest_magnitude(f), f.emax()}; }

/// @param with_last  whether the last result counts, too
bool stays_within(const Unit& unit, bool with_last, Beyond beyond) {
    const Sizes sizes(unit, beyond);
    const Format &d = format(unit.d), &c = format(unit.c.value_or(unit.d));
    const bool c_is_last = unit.c && unit.place == AccumulatorPlace::last;
    Size accumulator = unit.c && !c_is_last ? size_of(c) : Size{0, d.emin()};
    for (int block = 0; block < unit.blocks(); ++block) {
        const Node* node = &unit.tree;
        if (!with_last && block + 1 == unit.blocks() && !c_is_last) // nothing is added to what these roundings give
            for (const auto* round = std::get_if<Round>(&node->kind);
                 round != nullptr && (beyond == Beyond::infinite || format(round->format).emax() >= d.emax());
                 round = std::get_if<Round>(&node->kind))
                node = &round->get();
        const auto size = sizes.of(*node, accumulator);
        if (!size) return false;
        accumulator = *size;
    }
    if (!c_is_last || !with_last) return true;
    Round last;
    last.format = unit.d;
    return !sizes.matters(last, sum(accumulator.most, largest_magnitude(c)));
}

/// The fuse of a tree that adds leaves, aligned toward zero, and is rounded once; nullptr: another tree.
const Fuse* only_sum(const Unit& unit) {
    const auto& round = std::get<Round>(unit.tree.kind);
    const auto* fuse = std::get_if<Fuse>(&round.get().kind);
    const bool chained = unit.place == AccumulatorPlace::chained || !unit.c;
    if (fuse == nullptr || unit.blocks() != 1 || !chained || fuse->carry || fuse->sticky || fuse->step ||
        fuse->frame != SignFrame::none || round.format != unit.d || !format(unit.d).has_infinity())
        return nullptr;
    for (const Child& child : fuse->children) {
        if (!is_leaf(child.get()) || child.drop || (child.F && child.rounding != Rounding::rz)) return nullptr;
        if (const auto* p = std::get_if<Product>(&child.get().kind))
            if (p->ftz || p->limit) return nullptr;
        if (const auto* c = std::get_if<Accumulator>(&child.get().kind))
            if (c->ftz) return nullptr;
    }
    return fuse;
}

/// Less than that is truncated from all terms together.
Real most_loss(const Unit& unit, const Fuse& fuse) {
    const Sizes sizes(unit);
    const Format& c = format(unit.c.value_or(unit.d));
    const Size accumulator = unit.c ? size_of(c) : Size{0, c.emin()};
    const auto size = sizes.of_fuse(fuse, accumulator);
    int products_E = fuse.floor.value_or(no_exponent);
    for (const Child& child : fuse.children) {
        if (is_accumulator(child.get())) continue;
        products_E = std::max(products_E, sizes.of(child.get(), accumulator)->exponent);
        if (child.zero.kind == ZeroExponent::Kind::constant) products_E = std::max(products_E, child.zero.value);
    }
    Real loss = 0;
    for (const Child& child : fuse.children) {
        if (!child.F) continue;
        int E = size->exponent, lsb = c.lsb();
        if (is_accumulator(child.get())) {
            if (!unit.c) continue;
            if (*child.F >= c.mantissa_bits && fuse.children.size() > 1) // truncated only if another term is larger
                E = child.zero.kind == ZeroExponent::Kind::constant ? std::max(products_E, child.zero.value)
                                                                    : products_E;
        } else {
            lsb = format(unit.a).lsb() + format(unit.b).lsb();
            if (unit.scale) lsb += 2 * format(unit.scale->format).lsb();
        }
        if (lsb < E - *child.F)
            loss = sum(loss, product(static_cast<Real>(terms_of(child.get(), unit.L)), power(E - *child.F)));
    }
    return loss;
}

} // namespace

bool never_overflows(const Unit& unit) { return stays_within(unit, true, Beyond::infinite); }
bool never_overflows_within(const Unit& unit) { return stays_within(unit, false, Beyond::infinite); }
bool never_saturates_within(const Unit& unit) { return stays_within(unit, false, Beyond::largest); }

bool loses_less_than_overflow(const Unit& unit) {
    const Fuse* fuse = only_sum(unit);
    const auto& round = std::get<Round>(unit.tree.kind);
    const Format& d = format(unit.d);
    // Whether every exact result beyond the largest number overflows, however little it exceeds it. Rounded to odd,
    // that is so where the largest number is even: the odd one above it would be chosen, and is infinite.
    const bool least_excess_overflows = round.mode == Rounding::rd || round.mode == Rounding::ru ||
                                        round.mode == Rounding::ra ||
                                        (round.mode == Rounding::odd && d.max_significand() % 2 == 0);
    if (fuse == nullptr || least_excess_overflows) return false;
    return most_loss(unit, *fuse) < power(d.emax() - d.mantissa_bits - (is_nearest(round.mode) ? 1 : 0));
}

std::optional<std::int64_t> most_numbers_off(const Unit& unit, std::int64_t most) {
    const auto& round = std::get<Round>(unit.tree.kind);
    if (!loses_less_than_overflow(unit) || round.ftz != Flush::none) return std::nullopt;
    // The sum differs from the exact one by less than `loss` ulps, so that at most `loss` numbers lie between the two;
    // d is a neighbour of the sum, which adds one.
    const Real loss = std::ceil(most_loss(unit, *only_sum(unit)) / power(format(unit.d).lsb()));
    if (loss == 0 || loss + 1 > static_cast<Real>(most)) return std::nullopt;
    return static_cast<std::int64_t>(loss) + 1;
}

} // namespace discern::property
