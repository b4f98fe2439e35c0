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

/// The products' runs of digits, where such a cut of them may be idle: alone, or beside what is a multiple of the
/// result's last place, which is rounded to nearest.
const ProductDigits* digits_beside(const Operand* u, const Operand& v, const Round& result, const Unit& unit) {
    const Format& d = format(result.format);
    const bool has_boundary_of_zero = result.flush == Flush::before || result.flush == Flush::after;
    if (!is_nearest(result.mode) || has_boundary_of_zero || (u != nullptr && u->last_place < d.last_place()) ||
        !std::holds_alternative<Product>(v.child->get().kind))
        return nullptr;
    return product_digits(format(unit.a), format(unit.b));
}

/// Whether no product is so near a tie beside u that the cut makes it one, or takes it to the other side.
/// @param places      from the place of the cut up to the last place of the sum, if it has the fewest places
/// @param at_a_power  whether it has so few only if u is near a power of two, and keeps one more else
///
/// The distance from u to a tie is a multiple k·2^t, k > 0, of half a last place of the sum, and a product that is cut
/// at 2^s passes it or stops at it only if it is a little more than that (if the cut goes towards zero) or a little
/// less (away from it), by less than 2^s: if t − s equal digits stand above its last ones. Where u keeps all of its
/// leading places, the sum has one place less only if u is near a power of two; u is then a multiple of four half
/// places, and of k ≡ 1 and k ≡ 3 (mod 4) only one goes to the side that is cut, if ties go to even.
bool no_product_near_a_tie(const Operand& u, const Operand& v, int places, bool at_a_power, const Round& result,
                           const Unit& unit) {
    if (u.fraction > format(result.format).mantissa_bits) return false;
    const ProductDigits* digits = digits_beside(&u, v, result, unit);
    if (digits == nullptr) return false;
    const int kept = places - 1; // digits between the cut and half a place
    const bool to_even = result.mode == Rounding::rne;
    const auto fit = [&](DigitRun any, DigitRun below, bool reaches_the_power) {
        if (!at_a_power) return digits->longest(any) < kept;
        return digits->longest(any) < kept + 1 && (!reaches_the_power || digits->longest(below) < kept);
    };
    const DigitRun below = to_even ? DigitRun::zeros_below_01 : DigitRun::zeros;
    return fit(DigitRun::zeros, below, true) &&
           (v.child->rounding == Rounding::rz || fit(DigitRun::ones, DigitRun::ones_below_10, to_even));
}

/// Whether a reference exponent f that is not below those of both terms cuts only one, whose last place is then odd and
/// below every place at which the result is rounded; or down, if no product is near such a place. (Other cuts may make
/// a negative number zero, whose sign is another.)
bool hides_below(int f, const Operand& x, const Operand* other, const Round& result, const Unit& unit) {
    if (!x.child->F || x.last_place >= f - *x.child->F) return true;
    const int cut = f - *x.child->F;
    const bool alone = other == nullptr ||
                       (other->last_place > cut && (!other->child->F || other->last_place >= f - *other->child->F));
    const int last_place = format(result.format).last_place();
    if (!alone) return false;
    if (x.child->rounding == Rounding::odd)
        return cut <= last_place - (result.flush == Flush::after ? 1 : 0) - *places_below(Rounding::odd, result);
    if (x.child->rounding != Rounding::rd) return false;
    const ProductDigits* digits = digits_beside(other, x, result, unit);
    if (digits == nullptr) return false;
    // Alone, only every second tie goes to the side that is cut, if ties go to even.
    const bool half = other == nullptr && result.mode == Rounding::rne;
    const DigitRun zeros = half ? DigitRun::zeros_below_01 : DigitRun::zeros;
    const DigitRun ones = half ? DigitRun::ones_below_10 : DigitRun::ones;
    return std::max(digits->longest(zeros), digits->longest(ones)) < last_place - 1 - cut;
}

/// Whether nothing that is cut of v shows beside u, which has a digit that is not zero at 2^(E − lost) or above.
/// @param E  the exponent, if it is one alone
bool hides_beside(const Operand& u, int lost, std::optional<int> E, const Operand& v, const Round& result,
                  const Unit& unit) {
    const int F = *v.child->F;
    // v is cut if its last place is below E − F. Then |v| < 2^(E − F + fraction − 1 + bound), cut or not, and
    // |u| ≥ 2^(E − lost) is at least twice that:
    if (F < v.fraction + v.bound + lost) return false;
    // so that |u + v| ≥ 2^(E − lost − 1), whose last place in the result is, from E:
    int place = -lost - 1 - format(result.format).mantissa_bits;
    if (E) place = std::max(place, format(result.format).last_place() - (result.flush == Flush::after ? 1 : 0) - *E);
    if (no_product_near_a_tie(u, v, F + place, lost == 0 && !E, result, unit)) return true;
    // The sum is cut as v is only if u is a multiple of the place, and odd as v is only if it is of twice that.
    if (F < u.fraction + (v.child->rounding == Rounding::odd ? 1 : 0)) return false;
    const auto below = places_below(v.child->rounding, result);
    return below && -F <= place - *below;
}

/// Whether nothing that is cut of v shows beside u.
bool hides(const Operand& u, const Operand& v, const Round& result, const Unit& unit) {
    if (!v.child->F) return true;
    const bool cut_at_lowest = v.last_place < u.lowest - *v.child->F;
    return hides_beside(u, u.lost, std::nullopt, v, result, unit) &&
           (!cut_at_lowest || hides_beside(u, std::max(u.lost, u.lost_lowest), u.lowest, v, result, unit) ||
            hides_below(u.lowest, v, &u, result, unit));
}

} // namespace

bool is_as_exact(const Round& round, const Unit& unit, const Ranges& ranges) {
    const auto* fuse = std::get_if<Fuse>(&round.get().kind);
    if (fuse == nullptr || fuse->carry) return false;
    std::vector<Operand> terms;
    for (const Child& child : fuse->children) {
        const auto x = operand(child, unit, ranges);
        if (!x) return false;
        const auto* product = std::get_if<Product>(&child.get().kind);
        for (int n = product != nullptr ? count(product->which, unit.L) : 1; n > 0 && terms.size() < 3; --n)
            terms.push_back(*x);
    }
    if (terms.size() > 2) return false;
    const auto whole = [](const Operand& x) { return !x.child->F || *x.child->F >= x.fraction; };
    if (!std::all_of(terms.begin(), terms.end(), whole)) return false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const Operand& x = terms[i];
        const Operand* other = terms.size() < 2 ? nullptr : &terms[1 - i];
        if (fuse->floor && !hides_below(*fuse->floor, x, other, round, unit)) return false;
        if (other == nullptr) continue;
        // An exponent of a sum that is zero must not cut the other term.
        if (std::holds_alternative<Fuse>(x.child->get().kind) && other->child->F) return false;
        const auto zero = ranges.zero_exponent_at_most(*x.child);
        if (x.child->zero != ZeroExponent{} && !std::holds_alternative<Fuse>(x.child->get().kind) &&
            !(zero && hides_below(*zero, *other, nullptr, round, unit)))
            return false;
        if (!hides(x, *other, round, unit)) return false;
    }
    return true;
}

} // namespace discern
