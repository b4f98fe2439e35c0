#include "embedding.hpp"

#include "models/common_form.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "models/unit/tree_shape.hpp"

#include <bit>

namespace discern {

bool embeds(const Format& outer, const Format& inner) {
    if (outer.id == inner.id) return true;
    if (outer.is_fixed_point() || inner.is_fixed_point()) return false;
    const bool kinds = (!inner.has_infinity() || outer.has_infinity()) && (!inner.has_nan() || outer.has_nan()) &&
                       (!inner.has_minus_zero() || outer.has_minus_zero()) && inner.is_signed == outer.is_signed &&
                       inner.has_zero == outer.has_zero;
    if (!kinds || outer.mantissa_bits < inner.mantissa_bits || outer.lsb() > inner.lsb()) return false;
    if (outer.emax() != inner.emax()) return outer.emax() > inner.emax();
    const int more = outer.mantissa_bits - inner.mantissa_bits;
    return inner.max_significand() << more <= outer.max_significand();
}

std::uint64_t embedded(const Format& outer, const Format& inner, std::uint64_t pattern) {
    if (outer.id == inner.id) return pattern;
    Decoded x = decode(inner, pattern);
    if (x.number_class == NumberClass::nan) {
        Decoded nan = decode(outer, quiet_nan(outer));
        if (outer.has_nan_for_minus_zero()) return quiet_nan(outer);
        nan.negative = x.negative;
        if (inner.specials == Specials::ieee && outer.specials == Specials::ieee)
            nan.payload |= x.payload << (outer.mantissa_bits - inner.mantissa_bits);
        return pack(outer, nan);
    }
    if (x.number_class == NumberClass::infinite) return pack(outer, x);
    if (x.significand == 0) {
        x.exponent = outer.emin();
        return pack(outer, x);
    }
    const int top = static_cast<int>(std::bit_width(x.significand)) -
                    1; // the leading bit counts 2^(exponent − fraction bits + top)
    const int leading = x.exponent - inner.mantissa_bits + top;
    const int exponent = std::max(leading, outer.emin());
    const int shift = (x.exponent - inner.mantissa_bits) - (exponent - outer.mantissa_bits);
    x.significand = shift >= 0 ? x.significand << shift : x.significand >> -shift;
    x.exponent = exponent;
    return pack(outer, x);
}

namespace common_forms {
namespace {

[[noreturn]] void fail(const std::string& why) { throw Error(why); }

/// How the subnormal numbers of a given format are read as those of the unit's own.
enum class Subnormals {
    same,    ///< they are subnormal there too, and the others are not
    normal,  ///< none of the given numbers is subnormal there
    between, ///< some are
};

Subnormals subnormals_of(const Format& given, const Format& own) {
    if (given.id == own.id || given.emin() == own.emin()) return Subnormals::same;
    return given.lsb() >= own.emin() ? Subnormals::normal : Subnormals::between;
}

bool has_odd_nan(const Format& given, const Format& own) {
    return given.id != own.id && given.has_nan() &&
           (given.specials != Specials::ieee || own.specials != Specials::ieee);
}

/// What becomes of `ftz` where an operand is given in another format. @param others_too  the leaf reads numbers of the
/// unit's own formats too
template <typename Leaf>
void keep_flushing_right(Leaf& leaf, Subnormals how, bool others_too, bool has_minus_zero, const Format& given,
                         const Format& own) {
    if (!leaf.ftz || how == Subnormals::same) return;
    const std::string reads = sentence("it reads subnormal numbers of ", own.name, " as zero, and of ", given.name);
    if (how == Subnormals::between) fail(reads + " some are subnormal there and some are not");
    if (others_too) fail(reads + " none is subnormal there, but of what the same leaf of its tree reads besides");
    if (!leaf.zin_keep && has_minus_zero) fail(reads + " none is subnormal there, but -0 is read as +0 all the same");
    leaf.ftz = false;
    leaf.fsign_keep = leaf.zin_keep = true;
}

void embed_factors(Unit& unit, const Format& a, const Format& b) {
    const Format &own_a = format(unit.a), &own_b = format(unit.b);
    const Subnormals how_a = subnormals_of(a, own_a), how_b = subnormals_of(b, own_b);
    for (Product* p : products(unit)) {
        if (p->nanzero && (has_odd_nan(a, own_a) || has_odd_nan(b, own_b)))
            fail("it reads NaN as zeros of their signs, and which sign a converted NaN has is not defined");
        const bool has_minus_zero = a.has_minus_zero() || b.has_minus_zero();
        keep_flushing_right(*p, how_a, how_a != how_b, has_minus_zero, a, own_a);
        keep_flushing_right(*p, how_b, how_a != how_b, has_minus_zero, b, own_b);
        if (p->as || (a.emin() == own_a.emin() && b.emin() == own_b.emin())) continue;
        if (own_a.emin() != own_b.emin())
            fail(sentence("its a and b are ", own_a.name, " and ", own_b.name,
                          ", and the notation has no word for products whose factors are read as two formats"));
        p->as = own_a.mantissa_bits >= own_b.mantissa_bits ? own_a.id : own_b.id;
    }
    const auto few_bits = [](const Format& x, const Format& y) { return x.width <= 8 || y.width <= 8; };
    if (unit.nan.kind == NanRule::Kind::rdna && few_bits(a, b) != few_bits(own_a, own_b))
        fail("the NaN that it gives depends on the width of its operands; {nan=any} is right");
    unit.a = a.id;
    unit.b = b.id;
}

/// @param again  the accumulator is a result too, of another block or instruction
void embed_accumulator(Unit& unit, const Format& given, bool again) {
    const Format &own = format(*unit.c), &d = format(unit.d);
    unit.c = given.id;
    Accumulator* const c = accumulator(unit);
    if (c == nullptr || unit.place == AccumulatorPlace::last) return;
    keep_flushing_right(*c, subnormals_of(given, own), again, given.has_minus_zero(), given, own);
    if (c->as || given.emin() == own.emin()) return;
    if (again && own.emin() != d.emin())
        fail(sentence("its c is ", own.name, " and its results, which it chains, are ", d.name));
    c->as = own.id;
}

/// c is +0.
void leave_out_accumulator(Unit& unit, bool again) {
    const Format &own = format(*unit.c), &d = format(unit.d);
    unit.c.reset();
    if (unit.place == AccumulatorPlace::last) {
        if (again) fail("it adds c last, and the notation has no word for a chain with +0 in its place");
        unit.place = AccumulatorPlace::chained;
        Round sum; // what is left of the addition: −0 becomes +0
        sum.format = unit.d;
        sum.zsign_ieee = false;
        sum.child.push_back(std::move(unit.tree));
        unit.tree = Node{std::move(sum)};
        return;
    }
    const Accumulator* const c = accumulator(unit);
    if (c == nullptr || c->as || own.emin() == d.emin()) return;
    if (again) fail(sentence("its c is ", own.name, " and its results, which it chains, are ", d.name));
    Child* const child = accumulator_child(unit); // +0 keeps the exponent that it has as a number of c's format
    if (child != nullptr && child->zero.kind == ZeroExponent::Kind::own)
        child->zero = {ZeroExponent::Kind::constant, own.emin()};
}

} // namespace

Kernel on_operands(Kernel kernel, const Shape& given) {
    Unit& unit = kernel.unit;
    const bool is_plain = kernel.is_chain(); // what becomes of the result changes no operand
    const bool again = !is_plain || kernel.K != unit.K || unit.blocks() > 1;
    const auto converts_nan = [](FormatId from, FormatId to) { return has_odd_nan(format(from), format(to)); };
    if (unit.nan.keeps_operands() && (converts_nan(given.a, unit.a) || converts_nan(given.b, unit.b) ||
                                      (given.c && unit.c && converts_nan(*given.c, *unit.c))))
        fail("its NaN are those of its operands, and which NaN a conversion gives is not defined; {nan=any} is right");
    if (given.a != unit.a || given.b != unit.b) embed_factors(unit, format(given.a), format(given.b));
    if (unit.c && !given.c) {
        if (!is_plain) fail("its schedule has a C, and the other side has no c");
        leave_out_accumulator(unit, again);
    } else if (unit.c && given.c != unit.c) {
        embed_accumulator(unit, format(*given.c), again);
    }
    validate(kernel);
    return kernel;
}

} // namespace common_forms
} // namespace discern
