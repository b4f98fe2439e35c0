// Bounds by interval arithmetic over the tree, in units of 2^e: a product is at most 4 and c at most 2, and truncation
// of a term changes it by less than one unit of the last bit that is kept. Each step rounds to the next larger double.
#include "errors.hpp"

#include "bounds.hpp"
#include "sizes.hpp"

#include "models/format.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace discern::property {

namespace {

Real part_of_ulp(Rounding mode) { return is_nearest(mode) ? Real{0.5} : Real{1}; }

/// Bounds on the result of a node, in units of 2^e.
struct Loss {
    Real most = 0; ///< no magnitude is above it
    Real off = 0;  ///< from what would be exact
    int above = 0; ///< how far above e its reference exponent may be
};

class Losses {
  public:
    explicit Losses(const Unit& unit)
        : unit_(unit), least_(format(unit.d).emin()),
          is_reached_(format(unit.a).is_fixed_point() && format(unit.b).is_fixed_point()) {
        if (!unit.scale || format(unit.scale->format).mantissa_bits == 0) return;
        product_ = 16;
        digits_ = 2 * format(unit.scale->format).mantissa_bits;
    }

    std::optional<Loss> of(const Node& node, const Loss& accumulator) const {
        if (const auto* p = std::get_if<Product>(&node.kind)) {
            const int above = p->normalisation == Normalisation::raw ? 0 : std::ilogb(product_) - (is_reached_ ? 0 : 1);
            return Loss{product_, p->ftz ? product_ / 2 : Real{0}, above};
        }
        if (const auto* g = std::get_if<Group>(&node.kind)) {
            int above = -(format(unit_.a).emin() + format(unit_.b).emin());
            if (g->empty.kind == ZeroExponent::Kind::own) return std::nullopt; // whatever its scales are
            if (g->empty.kind == ZeroExponent::Kind::constant) above = std::max(above, g->empty.value - least_);
            return Loss{product_ * static_cast<Real>(g->size), 0, above};
        }
        if (const auto* c = std::get_if<Accumulator>(&node.kind)) {
            Loss loss = accumulator;
            if (c->ftz) loss.off = sum(loss.off, power(std::max(0, accumulator_format_emin() - least_)));
            return loss;
        }
        if (const auto* fuse = std::get_if<Fuse>(&node.kind)) return of_fuse(*fuse, accumulator);
        const auto& round = std::get<Round>(node.kind);
        const auto loss = of(round.get(), accumulator);
        return loss ? rounded(round, *loss) : loss;
    }

    std::optional<Loss> rounded(const Round& round, Loss loss) const {
        const Format& f = format(round.format);
        if (f.is_fixed_point()) return std::nullopt;
        const int lowest = f.emin() - least_;
        if (loss.most == 0) return Loss{0, loss.off, lowest}; // a zero has the least exponent
        const Real off = part_of_ulp(round.mode) * power(std::max(std::ilogb(loss.most), lowest) - f.mantissa_bits);
        loss.most = sum(loss.most, off);
        loss.off = sum(loss.off, off);
        if (round.ftz != Flush::none) loss.off = sum(loss.off, power(lowest));
        loss.above = std::max(std::ilogb(loss.most), lowest);
        return loss;
    }

  private:
    int accumulator_format_emin() const {
        return std::max(format(unit_.d).emin(), format(unit_.c.value_or(unit_.d)).emin());
    }

    /// No leaf of exponent 0 is above it: that of a group is of its scales alone.
    Real most_at_exponent(const Node& leaf) const {
        if (is_accumulator(leaf)) return 2;
        const auto* g = std::get_if<Group>(&leaf.kind);
        if (g == nullptr) return product_;
        return product(product_ * static_cast<Real>(g->size), power(format(unit_.a).emax() + format(unit_.b).emax()));
    }

    /// How far above e the exponent of a child that is zero may be; nothing: arbitrarily far.
    std::optional<int> above_if_zero(const Child& child) const {
        if (child.zero.kind == ZeroExponent::Kind::constant) return child.zero.value - least_;
        if (child.zero.kind == ZeroExponent::Kind::ignore || !is_leaf(child.get())) return no_exponent;
        if (is_accumulator(child.get())) return accumulator_format_emin() - least_;
        if (std::holds_alternative<Group>(child.get().kind)) return no_exponent;
        return std::nullopt;
    }

    /// Whether the term that has the largest exponent is never truncated.
    bool keeps_the_largest(const Fuse& fuse) const {
        if (fuse.step || fuse.sticky || fuse.frame != SignFrame::none || (fuse.floor && *fuse.floor >= least_))
            return false; // a floor takes at most half of that from each term
        int terms = 0;
        for (const Child& child : fuse.children) {
            int digits = digits_ + format(unit_.a).mantissa_bits + format(unit_.b).mantissa_bits;
            if (is_accumulator(child.get()))
                digits = std::max(format(unit_.d).mantissa_bits, format(unit_.c.value_or(unit_.d)).mantissa_bits);
            else if (const auto* p = std::get_if<Product>(&child.get().kind);
                     p == nullptr || p->normalisation != Normalisation::raw)
                return false;
            if (child.zero.kind != ZeroExponent::Kind::ignore || !child.F || *child.F < digits || child.drop)
                return false;
            terms += terms_of(child.get(), unit_.L);
        }
        return terms > 1;
    }

    std::optional<Loss> of_fuse(const Fuse& fuse, const Loss& accumulator) const {
        if (fuse.carry) return std::nullopt;
        std::vector<Loss> losses;
        Loss all{0, 0, fuse.floor ? *fuse.floor - least_ : no_exponent};
        for (const Child& child : fuse.children) {
            if (child.scaled != Scaled::no) return std::nullopt; // scales of any size
            const auto loss = of(child.get(), accumulator);
            const auto if_zero = above_if_zero(child);
            if (!loss || !if_zero) return std::nullopt;
            losses.push_back(*loss);
            all.above = std::max({all.above, loss->above, *if_zero});
        }
        if (fuse.step) all.above += *fuse.step - 1;
        Real least_loss = std::numeric_limits<Real>::max();
        const auto lose = [&](Real n, Real off) {
            all.off = sum(all.off, product(n, off));
            all.most = sum(all.most, product(n, off));
        };
        for (std::size_t i = 0; i < losses.size(); ++i) {
            const Child& child = fuse.children[i];
            const Real n = static_cast<Real>(terms_of(child.get(), unit_.L));
            all.most = sum(all.most, product(n, losses[i].most));
            all.off = sum(all.off, product(n, losses[i].off));
            if (child.drop && !is_leaf(child.get())) return std::nullopt;
            if (child.drop)
                lose(n, std::min(losses[i].most,
                                 product(power(all.above - *child.drop - 1), most_at_exponent(child.get()))));
            if (!child.F || losses[i].most == 0) continue;
            const Real ulp = power(all.above - *child.F);
            Real loss = product(part_of_ulp(child.rounding), ulp);
            if (child.rounding == Rounding::rz || is_nearest(child.rounding)) // no more than there is
                loss = std::min(loss, losses[i].most);
            least_loss = std::min(least_loss, loss);
            lose(n, loss);
            if (fuse.frame != SignFrame::none && !is_accumulator(child.get())) lose(n, ulp);
            if (fuse.sticky) lose(1, ulp / 2);
        }
        if (keeps_the_largest(fuse)) all.off = std::max(Real{0}, sum(all.off, -least_loss));
        return all;
    }

    const Unit& unit_;
    int least_;        ///< e is at least that
    Real product_ = 4; ///< no product is above it
    bool is_reached_;  ///< a product may be that: of two numbers that are the smallest of fixed point
    int digits_ = 0;   ///< fraction bits of the scales
};

} // namespace

std::optional<double> most_ulps_off(const Unit& unit) {
    const Format& d = format(unit.d);
    if (!d.has_infinity() || !never_saturates_within(unit)) return std::nullopt;
    const Losses losses(unit);
    const bool c_is_last = unit.c && unit.place == AccumulatorPlace::last;
    const Loss c{2, 0, 0};
    Loss result = unit.c && !c_is_last ? c : Loss{};
    for (int block = 0; block < unit.blocks(); ++block) {
        const auto next = losses.of(unit.tree, result);
        if (!next) return std::nullopt;
        result = *next;
    }
    if (c_is_last) {
        Round last;
        last.format = unit.d;
        result = *losses.rounded(last, {sum(result.most, c.most), result.off, 0});
    }
    const Real k = product(result.off, power(d.mantissa_bits));
    const Real thousandths = std::ceil(product(k, 1000)); // three decimals, if it has them
    const auto bound = static_cast<double>(thousandths / 1000);
    if (!std::isfinite(bound)) return std::nullopt;
    return bound >= k ? bound : std::nextafter(bound, std::numeric_limits<double>::infinity());
}

} // namespace discern::property
