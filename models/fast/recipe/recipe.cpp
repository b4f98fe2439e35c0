#include "recipe.hpp"

#include "fits.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace discern::fast {

namespace {

template <class T>
const T* as(const Node& node) {
    return std::get_if<T>(&node.kind);
}

bool is_all(const Selection& which) { return which == Selection{}; }

/// A child aligned to F bits in a mode, which ignores zeros (a leaf) or takes them with their own exponent.
bool aligned(const Child& child, Rounding mode, ZeroExponent::Kind zero) {
    return child.F && child.rounding == mode && child.zero.kind == zero && !child.drop;
}

class Matcher {
  public:
    explicit Matcher(const Unit& unit) : unit_(unit), a_(format(unit.a)), b_(format(unit.b)), d_(format(unit.d)) {}

    std::optional<Recipe> match() {
        const auto* root = as<Round>(unit_.tree);
        if (root == nullptr || !is_usual(unit_)) return std::nullopt;
        recipe_.L = unit_.L;
        recipe_.emin = d_.emin();
        recipe_.first_emin = format(*unit_.c).emin();
        recipe_.last = result_in(d_, true, true);
        const bool adds = unit_.d == FormatId::f32 ||
                          (*unit_.c == unit_.d && d_.mantissa_bits <= 10 && d_.specials == Specials::ieee);
        if (unit_.place == AccumulatorPlace::last && !adds) return std::nullopt;
        if (const auto* truncated = as<Round>(root->get())) {
            const Fuse* sum = as<Fuse>(truncated->get());
            return sum != nullptr && truncates(*truncated) && two_level(*root, *sum) ? std::optional(recipe_)
                                                                                     : std::nullopt;
        }
        const Fuse* fuse = as<Fuse>(root->get());
        if (fuse == nullptr) return std::nullopt;
        if (fma(*root, *fuse) || exact(*root, *fuse) || fused(*root, *fuse) || two_level(*root, *fuse) ||
            pairwise(*fuse))
            return recipe_;
        return adds ? late(*root, *fuse) : std::nullopt;
    }

  private:
    bool accumulator(const Node& node) {
        const auto* c = as<Accumulator>(node);
        if (c == nullptr || c->ftz) return false;
        if (c->as && format(*c->as).emin() < -126) return false; // which no exponent of f32 is
        if (c->as) recipe_.first_emin = recipe_.emin = format(*c->as).emin();
        return true;
    }

    /// The conversions of FDPA units: to infinity on overflow, +0 for a zero sum.
    bool conversion(const Round& round) {
        const Format& f = format(round.format);
        const bool nearest = round.mode == Rounding::rne;
        if ((!nearest && round.mode != Rounding::rz) || round.ftz != Flush::none || round.zsign_ieee ||
            f.specials != Specials::ieee || f.mantissa_bits > 23)
            return false;
        if (round.overflow == Overflow::largest || (round.overflow == Overflow::ieee && !nearest)) return false;
        recipe_.result = result_in(f, nearest, round.usign_keep);
        return true;
    }

    /// Elements that doubles multiply exactly, with their scales.
    bool multiplies_exactly() const {
        const int scale = unit_.scale ? format(unit_.scale->format).mantissa_bits + 1 : 0;
        return a_.mantissa_bits + b_.mantissa_bits + 2 + 2 * scale <= 53;
    }

    bool product(const Product& p) { return is_all(p.which) && plain(p); }

    bool plain(const Product& p) {
        if (p.normalisation != Normalisation::raw || p.ftz) return false;
        const int scales = unit_.scale ? 2 * format(unit_.scale->format).emax() + 2 : 0;
        const bool reachable = p.limit && *p.limit < a_.below() + b_.below() + scales;
        if (reachable && (*p.limit != 128 || unit_.scale)) return false;
        if (reachable && recipe_.limited && recipe_.yields != p.oinf_yields) return false;
        if (exponents_of(p) != exponents_.value_or(exponents_of(p))) return false;
        recipe_.exponents = *(exponents_ = exponents_of(p));
        recipe_.limited = recipe_.limited || reachable;
        recipe_.yields = p.oinf_yields;
        return true;
    }

    /// How a zero accumulator takes part.
    bool zero_of_c(const Child& c) {
        using Kind = ZeroExponent::Kind;
        if (c.zero.kind == Kind::constant && (c.zero.value > 0 || c.zero.value < -500)) return false;
        recipe_.c_zero = c.zero.kind == Kind::ignore ? no_exponent
                         : c.zero.kind == Kind::own  ? own_exponent
                                                     : c.zero.value;
        return true;
    }

    bool fused(const Round& root, const Fuse& fuse) {
        if (fuse.children.size() != 2 || fuse.carry || unit_.d == FormatId::f64 || !multiplies_exactly()) return false;
        const Child &first = fuse.children[0], &second = fuse.children[1];
        const auto* p = as<Product>(first.get());
        const auto* g = as<Group>(first.get());
        if (!accumulator(second.get()) || !second.F || second.rounding != Rounding::rz || second.drop) return false;
        if (g == nullptr ? second.zero.kind != ZeroExponent::Kind::ignore : !zero_of_c(second)) return false;
        if (first.F != second.F || !conversion(root)) return false;
        recipe_.F = *first.F;
        recipe_.floor = fuse.floor.value_or(no_exponent);
        if (*first.F + 2 + static_cast<int>(std::bit_width(static_cast<unsigned>(unit_.L))) > 50) return false;
        if (p != nullptr) {
            if (!aligned(first, Rounding::rz, ZeroExponent::Kind::ignore) || !product(*p) || recipe_.limited)
                return false;
            recipe_.form = Form::fused;
            find_narrow(unit_, recipe_);
            recipe_.gap = fits_gap(unit_, recipe_) && keeps_accumulator(unit_, recipe_) && !recipe_.result.to_nearest &&
                          !recipe_.result.keep_sign && recipe_.result.emin == -126 &&
                          (!fuse.floor || *fuse.floor - recipe_.F <= -149);
            return true;
        }
        if (g == nullptr || !aligned(first, Rounding::rz, ZeroExponent::Kind::own) || !is_all(g->which)) return false;
        if (unit_.a != FormatId::e2m1 || unit_.b != FormatId::e2m1 || !unit_.scale || unit_.interleave != 0)
            return false;
        if (recipe_.F > 37) return false; // sums of scaled groups below 2^51
        recipe_.form = Form::grouped;
        recipe_.group = g->size;
        recipe_.digits = 2 * format(unit_.scale->format).mantissa_bits - a_.lsb() - b_.lsb();
        if (g->empty.kind == ZeroExponent::Kind::ignore || unit_.L > most_groups * g->size || g->size > 32 ||
            g->size % 16 != 0)
            return false;
        if (g->empty.kind == ZeroExponent::Kind::constant) recipe_.empty = g->empty.value;
        if (recipe_.empty && (*recipe_.empty > 0 || *recipe_.empty < -500)) return false;
        return true;
    }

    /// round[e8mN rd], which overflows to infinity: of what is to be rounded to f32 after it.
    bool truncates(const Round& round) {
        const Format& f = format(round.format);
        const Round want{
            .format = round.format, .mode = Rounding::rd, .overflow = Overflow::infinity, .child = round.child};
        if (round != want || f.exponent_bits != 8 || f.specials != Specials::ieee || f.mantissa_bits < 24) return false;
        recipe_.kept = f.mantissa_bits;
        return true;
    }

    bool two_level(const Round& root, const Fuse& fuse) {
        if (fuse.children.size() != 2 || fuse.carry || fuse.floor || unit_.scale || !multiplies_exactly()) return false;
        const Child &sum = fuse.children[0], &c = fuse.children[1];
        const Fuse* inner = as<Fuse>(sum.get());
        if (inner == nullptr || inner->carry || inner->floor || !aligned(sum, Rounding::rd, ZeroExponent::Kind::own))
            return false;
        if (!accumulator(c.get()) || !c.F || c.rounding != Rounding::rd || !zero_of_c(c)) return false;
        if (!conversion(root) || recipe_.result.mantissa_bits != 23 || !recipe_.result.to_nearest || unit_.L > 64)
            return false;
        recipe_.form = Form::two_level;
        recipe_.F2 = *sum.F;
        recipe_.F = *c.F;
        recipe_.c_unit = std::ldexp(1.0, recipe_.F2 - recipe_.F);
        recipe_.drop = c.drop.value_or(0);
        if (recipe_.F2 < recipe_.F || recipe_.F2 > 38 || recipe_.F > 32 || recipe_.drop < 0) return false;
        if (c.drop && *c.drop == 0) return false;
        if (inner->children.size() == 1) {
            if (!products(*inner, {0, 1})) return false;
            find_quick_sum(unit_, recipe_);
            return true;
        }
        recipe_.halves = 2;
        if (inner->children.size() != 2 || unit_.L % 2 != 0) return false;
        for (int side = 0; side < 2; ++side) {
            const Child& half = inner->children[static_cast<std::size_t>(side)];
            const Fuse* own = as<Fuse>(half.get());
            if (!aligned(half, Rounding::rd, ZeroExponent::Kind::own) || half.F != recipe_.F) return false;
            if (own == nullptr || own->carry || own->floor || own->children.size() != 1) return false;
            if (!products(*own, {side, 2})) return false;
        }
        find_quick_sum(unit_, recipe_);
        recipe_.gap = false;
        return true;
    }

    bool products(const Fuse& fuse, Selection which) {
        const Child& child = fuse.children.front();
        const auto* p = as<Product>(child.get());
        return p != nullptr && p->which == which && plain(*p) && child.F == recipe_.F &&
               aligned(child, Rounding::rz, ZeroExponent::Kind::ignore);
    }

    static bool is_exact(const Fuse& fuse) {
        return !fuse.floor && !fuse.carry &&
               std::all_of(fuse.children.begin(), fuse.children.end(), [](const Child& c) { return !c.F && !c.drop; });
    }

    bool exact(const Round& root, const Fuse& fuse) {
        if (!is_exact(fuse) || fuse.children.size() != 2 || unit_.scale || !multiplies_exactly()) return false;
        const auto* p = as<Product>(fuse.children[0].get());
        if (p == nullptr || !product(*p) || recipe_.limited || !accumulator(fuse.children[1].get())) return false;
        if (!conversion(root) || recipe_.result.mantissa_bits != 23 || !recipe_.result.to_nearest) return false;
        recipe_.form = Form::exact;
        const int low = a_.lsb() + b_.lsb();
        const int high = a_.emax() + b_.emax() + 2 + static_cast<int>(std::bit_width(static_cast<unsigned>(unit_.L)));
        recipe_.room = 53 - (a_.mantissa_bits + b_.mantissa_bits + 2 +
                             static_cast<int>(std::bit_width(static_cast<unsigned>(unit_.L - 1))));
        if (unit_.L <= 2) return true;
        recipe_.low = low;
        recipe_.high = high;
        recipe_.splitter = std::ldexp(1.5, 52 + (low + high) / 2);
        return high - low <= 96 && high > low;
    }

    bool fma(const Round& root, const Fuse& fuse) {
        const bool wide = unit_.d == FormatId::f64;
        if (unit_.L != 1 || unit_.place == AccumulatorPlace::last || !is_exact(fuse) || fuse.children.size() != 2 ||
            unit_.scale || *unit_.c != unit_.d)
            return false;
        const auto* p = as<Product>(fuse.children[0].get());
        if (p == nullptr || p->limit || p->ftz || fuse.children[1].get() != Node{Accumulator{}}) return false;
        const Round ieee{.format = unit_.d, .child = root.child};
        if (root != ieee || (wide ? unit_.a : unit_.d) != (wide ? FormatId::f64 : FormatId::f32)) return false;
        if (wide ? unit_.b != FormatId::f64 : a_.width > 32 || b_.width > 32) return false;
        recipe_.form = wide ? Form::fma64 : Form::fma32;
        return true;
    }

    /// round[f32 rne ftz=result] of everything; subnormal a, b and c read as +0.
    static bool is_flushing(const Round& round) { return round == Round{.ftz = Flush::result, .child = round.child}; }

    /// A sum of two, in this order.
    static const Fuse* sum_of_two(const Node& node) {
        const auto* round = as<Round>(node);
        if (round == nullptr || !is_flushing(*round)) return nullptr;
        const Fuse* fuse = as<Fuse>(round->get());
        return fuse != nullptr && is_exact(*fuse) && fuse->children.size() == 2 ? fuse : nullptr;
    }

    bool is_product(const Node& node, int index) const {
        const auto* round = as<Round>(node);
        if (round == nullptr || !is_flushing(*round)) return false;
        const Product want{.which = {index, 0}, .ftz = true, .fsign_keep = false, .zin_keep = zeros_keep_sign_};
        return round->get() == Node{want};
    }

    bool is_pair(const Node& node, int index) const {
        const Fuse* sum = sum_of_two(node);
        return sum != nullptr && is_product(sum->children[0].get(), index) &&
               is_product(sum->children[1].get(), index + 1);
    }

    bool pairwise(const Fuse& fuse) {
        if (sum_of_two(unit_.tree) == nullptr || unit_.scale || unit_.d != FormatId::f32 || *unit_.c != FormatId::f32)
            return false;
        if (a_.mantissa_bits + b_.mantissa_bits + 2 > 24 || a_.width > 16 || b_.width > 16) return false;
        const auto* c = as<Accumulator>(fuse.children[0].get());
        if (c == nullptr || !c->ftz || c->fsign_keep || c->as) return false;
        zeros_keep_sign_ = c->zin_keep;
        const Node& sum = fuse.children[1].get();
        bool known = unit_.L == 2 && is_pair(sum, 0);
        if (unit_.L == 4) {
            const Fuse* pairs = sum_of_two(sum);
            known = pairs != nullptr && is_pair(pairs->children[0].get(), 0) && is_pair(pairs->children[1].get(), 2);
        }
        recipe_.form = Form::pairwise;
        recipe_.ftz = zeros_keep_sign_ ? Flushed::subnormals : Flushed::subnormals_and_zeros;
        return known;
    }

    /// round[d rne](fuse[exact](round(fuse(p*)), c)): blocks of their own from +0, each added by one IEEE addition.
    std::optional<Recipe> late(const Round& root, const Fuse& fuse) const {
        const Round ieee{.format = unit_.d, .child = root.child};
        if (root != ieee || !is_exact(fuse) || fuse.children.size() != 2 || unit_.place == AccumulatorPlace::last)
            return std::nullopt;
        const auto* rounding = as<Round>(fuse.children[0].get());
        if (rounding == nullptr || fuse.children[1].get() != Node{Accumulator{}}) return std::nullopt;
        const Fuse* sum = as<Fuse>(rounding->get());
        if (sum == nullptr || sum->children.size() != 1 || !is_leaf(sum->children[0].get())) return std::nullopt;
        // As if each block had +0 as its accumulator, which takes no part.
        Fuse with_zero = *sum;
        Child zero = sum->children[0];
        zero.node = {Node{Accumulator{}}};
        zero.zero = {};
        with_zero.children.push_back(zero);
        Round block = *rounding;
        block.child = {Node{with_zero}};
        Unit unit = unit_;
        unit.tree = Node{block};
        unit.place = AccumulatorPlace::last;
        std::optional<Recipe> recipe = Matcher(unit).match();
        if (recipe) recipe->late = true;
        return recipe;
    }

    const Unit& unit_;
    const Format &a_, &b_, &d_;
    std::optional<OperandExponents> exponents_; ///< of the products so far
    bool zeros_keep_sign_ = true;               ///< of an operand whose subnormals are flushed
    Recipe recipe_;
};

} // namespace

namespace {

/// A tree of no known shape, operation by operation.
std::optional<Recipe> by_steps(const Unit& unit) {
    const std::optional<Steps> steps = steps_of(unit);
    if (!steps) return std::nullopt;
    const Format& d = format(unit.d);
    const bool adds = unit.d == FormatId::f32 || (unit.c == unit.d && d.mantissa_bits <= 10);
    if (unit.place == AccumulatorPlace::last && (!unit.c || !adds)) return std::nullopt;
    Recipe recipe;
    recipe.form = Form::steps;
    recipe.L = unit.L;
    recipe.steps = *steps;
    recipe.ftz = steps->operands;
    recipe.exponents = steps->exponents;
    recipe.emin = recipe.first_emin = d.emin();
    if (unit.c) recipe.first_emin = format(*unit.c).emin();
    if (steps->c_emin) recipe.first_emin = recipe.emin = *steps->c_emin;
    recipe.last = result_in(d, true, true);
    return recipe;
}

} // namespace

std::optional<Recipe> recipe_of(const Unit& unit) {
    if (has_scaled_sums(unit.tree)) return std::nullopt; // no kernel multiplies what it has rounded
    if (auto recipe = Matcher(unit).match()) return recipe;
    return by_steps(unit);
}

} // namespace discern::fast
