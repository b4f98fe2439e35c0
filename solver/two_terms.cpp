// See two_terms.hpp. Let u be the term with the larger exponent E, and v the other.
#include "two_terms.hpp"

#include "product_digits.hpp"
#include "rest_common.hpp"

#include "models/tree_shape.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace discern {

namespace {

struct Operand {
    const Child* child;
    int lowest;      ///< exponent of the smallest numbers
    int last_place;  ///< all are multiples of 2 to this power
    int fraction;    ///< a multiple of 2^(exponent − fraction),
    int bound;       ///< below 2^(exponent + bound),
    int lost;        ///< and at least 2^(exponent − lost), unless the exponent is the lowest:
    int lost_lowest; ///< then 2^(exponent − lost_lowest)
};

/// A product of one normal operand at least has the other's leading zeros at most; without scales, two subnormal
/// operands have the lowest exponent.
Operand of_product(const Child& child, const Product& product, const Unit& unit, const Ranges& ranges) {
    const int a = format(unit.a).mantissa_bits, b = format(unit.b).mantissa_bits;
    const bool raw = product.normalisation == Normalisation::raw;
    Operand x{&child, ranges.lowest_exponent(child.get()), ranges.last_place_of_products(), a + b, 2, a + b, a + b};
    if (!unit.scale) x.lost = std::max(a, b);
    if (!raw) x.fraction += 1, x.bound = 1; // from 2 on, one place up
    if (product.normalisation == Normalisation::full) x.lost = x.lost_lowest = 0;
    return x;
}

/// Numbers of one format are normal above the lowest exponent. If they are made of products, they are multiples of what
/// those are.
Operand of_format(const Child& child, FormatId id, const Ranges& ranges) {
    const Format& f = format(id);
    const int place = std::max(f.last_place(), ranges.last_place_of_all());
    return {&child, f.emin(), place, f.mantissa_bits, 1, 0, f.mantissa_bits};
}

/// A sum is a multiple of 2^(its exponent − F), and may be as small as that; it keeps its exponent when it is zero.
std::optional<Operand> of_sum(const Child& child, const Fuse& sum, const Ranges& ranges) {
    int F = 0, bound = 0;
    for (const Child& term : sum.children) {
        if (!term.F) return std::nullopt;
        F = std::max(F, *term.F);
    }
    while (bound < 20 && !ranges.sum_is_below(sum, bound)) ++bound;
    if (bound == 20 || sum.carry) return std::nullopt;
    const int any = 1000;
    return Operand{&child, -any, ranges.last_place_of_terms(child.get()), F, bound, any, any};
}

std::optional<Operand> operand(const Child& child, const Unit& unit, const Ranges& ranges) {
    const Node& node = child.get();
    if (child.drop) return std::nullopt;
    if (const auto* sum = std::get_if<Fuse>(&node.kind)) return of_sum(child, *sum, ranges);
    if (child.zero != ZeroExponent{}) return std::nullopt;
    if (unit.scale && format(unit.scale->format).mantissa_bits > 0) return std::nullopt;
    if (const auto* product = std::get_if<Product>(&node.kind)) return of_product(child, *product, unit, ranges);
    if (const auto* round = std::get_if<Round>(&node.kind)) return of_format(child, round->format, ranges);
    const auto* c = std::get_if<Accumulator>(&node.kind);
    const bool one_format = c != nullptr && !c->as && (!unit.c || *unit.c == unit.d);
    return one_format ? std::optional(of_format(child, unit.d, ranges)) : std::nullopt;
}

/// How far below the places of the result a cut has to be so that both roundings together are the second alone.
std::optional<int> places_below(Rounding cut, const Round& result) {
    if (cut == Rounding::odd) return is_nearest(result.mode) ? 2 : 1;
    const bool same_side = cut == result.mode && (cut == Rounding::rd || cut == Rounding::ru);
    // A number just below the smallest normal one may be cut to it.
    return same_side && result.flush != Flush::before ? std::optional(0) : std::nullopt;
}

/// Whether no product is so near a tie beside u that the cut makes it one, or takes it to the other side. u is a
/// multiple of its own last place in the result, and its leading digit stands at most `lost` below its exponent.
///
/// The distance from u to a tie is then a multiple k·2^t, k > 0, of half a last place of the sum, and a product that is
/// cut at 2^u passes it or stops at it only if it is a little more than that (if the cut goes towards zero) or a little
/// less (away from it), by less than 2^u: if t − u equal digits stand above its last ones. Where u keeps all of its
/// leading places, the sum may still have one place less, if u is near a power of two; u is then a multiple of four
/// half places, and of k ≡ 1 and k ≡ 3 (mod 4) only one goes to the side that is cut, if ties go to even.
bool no_product_near_a_tie(const Operand& u, int lost, const Operand& v, const Round& result, const Unit& unit) {
    const Format& d = format(result.format);
    if (!is_nearest(result.mode) || result.flush == Flush::before) return false;
    if (u.fraction > d.mantissa_bits || u.last_place < d.last_place()) return false;
    if (!std::holds_alternative<Product>(v.child->get().kind)) return false;
    const ProductDigits* digits = product_digits(format(unit.a), format(unit.b));
    if (digits == nullptr) return false;
    const int kept = *v.child->F - d.mantissa_bits - 1; // digits between the cut and half a place of u's exponent
    const bool to_even = result.mode == Rounding::rne;
    const auto fit = [&](DigitRun any, DigitRun below, bool at_a_power) {
        if (lost > 0) return digits->longest(any) < kept - 1 - lost;
        return digits->longest(any) < kept && (!at_a_power || digits->longest(below) < kept - 1);
    };
    const DigitRun below = to_even ? DigitRun::zeros_below_01 : DigitRun::zeros;
    return fit(DigitRun::zeros, below, true) &&
           (v.child->rounding == Rounding::rz || fit(DigitRun::ones, DigitRun::ones_below_10, to_even));
}

/// Whether nothing that is cut of v shows beside u.
bool hides(const Operand& u, const Operand& v, const Round& result, const Unit& unit) {
    if (!v.child->F) return true;
    const int F = *v.child->F;
    const bool cut_at_lowest = v.last_place < u.lowest - F;
    const int lost = cut_at_lowest ? std::max(u.lost, u.lost_lowest) : u.lost;
    // v is cut if its last place is below E − F. Then |v| < 2^(E − F + fraction − 1 + bound), cut or not, and
    // |u| ≥ 2^(E − lost) is at least twice that:
    if (F < v.fraction + v.bound + lost) return false;
    // so that |u + v| ≥ 2^(E − lost − 1), whose last place in the result is:
    if (no_product_near_a_tie(u, lost, v, result, unit)) return true;
    const int place = -lost - 1 - format(result.format).mantissa_bits; // from E
    // The sum is cut as v is only if u is a multiple of the place, and odd as v is only if it is of twice that.
    if (F < u.fraction + (v.child->rounding == Rounding::odd ? 1 : 0)) return false;
    const auto below = places_below(v.child->rounding, result);
    return below && -F <= place - *below;
}

} // namespace

bool is_as_exact(const Round& round, const Unit& unit, const Ranges& ranges) {
    const auto* fuse = std::get_if<Fuse>(&round.get().kind);
    if (fuse == nullptr || fuse->floor || fuse->carry) return false;
    std::vector<Operand> terms;
    for (const Child& child : fuse->children) {
        const auto x = operand(child, unit, ranges);
        if (!x) return false;
        const auto* product = std::get_if<Product>(&child.get().kind);
        for (int n = product != nullptr ? count(product->which, unit.L) : 1; n > 0 && terms.size() < 3; --n)
            terms.push_back(*x);
    }
    if (terms.size() > 2) return false;
    // An exponent of a sum that is zero must not cut the other term.
    for (const Operand& x : terms)
        for (const Operand& other : terms)
            if (&x != &other && std::holds_alternative<Fuse>(x.child->get().kind) && other.child->F) return false;
    const auto whole = [](const Operand& x) { return !x.child->F || *x.child->F >= x.fraction; };
    if (!std::all_of(terms.begin(), terms.end(), whole)) return false;
    return terms.size() < 2 || (hides(terms[0], terms[1], round, unit) && hides(terms[1], terms[0], round, unit));
}

} // namespace discern
