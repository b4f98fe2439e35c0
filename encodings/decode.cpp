// Bit patterns to numbers, by the fields that the format's record says.
#include "encodings/number/number.hpp"

#include <stdexcept>

namespace discern {

namespace {

/// A number in two's complement: its magnitude has one bit more than others, which only the smallest number sets.
Number fixed_point_term(Terms& t, const Format& f, Term pattern) {
    const int m = f.mantissa_bits;
    const Term none = t.truth(false);
    Number n;
    n.zero = t.is_zero(pattern);
    n.sign = t.bit(pattern, f.width - 1);
    n.magnitude = t.ite(n.sign, t.bvneg(pattern), pattern);
    n.exponent = ranged_constant(t, f.emin());
    n.has_exponent = t.truth(true);
    n.lsb = n.exponent - m;
    n.facts = Facts::of_format(f);
    n.zero_negative = n.zero_mixed = none;
    n.nan = n.positive = n.negative = n.tentative_positive = n.tentative_negative = none;
    n.carried = {none, none, t.constant(payload_bits, 0), none, none};
    t.show(n);
    return n;
}

} // namespace

Number decode_term(Terms& t, const Format& f, Term pattern) {
    if (t.width(pattern) != f.width) throw std::logic_error("decode_term: the pattern has another width");
    if (f.is_fixed_point()) return fixed_point_term(t, f, pattern);
    const int m = f.mantissa_bits;
    const Term none = t.truth(false);
    const Term field = t.extract(pattern, f.padding_bits + m, f.exponent_bits);
    const Term sign = f.is_signed ? t.bit(pattern, f.width - 1) : none;
    const Term field_zero = f.has_zero ? t.is_zero(field) : none;
    const Term field_ones = t.eq(field, t.constant(Bits::ones(f.exponent_bits)));
    const bool fraction = m > 0;
    const Term mantissa = fraction ? t.extract(pattern, f.padding_bits, m) : none;
    const Term mantissa_zero = fraction ? t.is_zero(mantissa) : t.truth(true);
    const Term mantissa_ones = fraction ? t.eq(mantissa, t.constant(Bits::ones(m))) : t.truth(true);
    const Term all_zero = t.bvand(field_zero, mantissa_zero);

    Term nan = none, infinite = none, zero = all_zero;
    switch (f.specials) {
    case Specials::ieee:
        nan = t.bvand(field_ones, t.bvnot(mantissa_zero));
        infinite = t.bvand(field_ones, mantissa_zero);
        break;
    case Specials::all_ones: nan = t.bvand(field_ones, mantissa_ones); break;
    case Specials::inuz: infinite = t.bvand(field_ones, mantissa_ones); [[fallthrough]];
    case Specials::fnuz:
        nan = t.bvand(all_zero, sign);
        zero = t.bvand(all_zero, t.bvnot(sign));
        break;
    case Specials::none:
    case Specials::fixed: break;
    }

    Number n;
    n.zero = zero;
    n.sign = sign;
    const Term hidden = t.bvnot(field_zero);
    n.magnitude = fraction ? t.concat(hidden, mantissa) : hidden;
    // An exponent field of 0 means the exponent of field 1, in formats that have a zero.
    const Term one = t.constant(f.exponent_bits, 1);
    const Term exponent = t.ite(field_zero, one, field);
    // match: the pattern is that of zero for all inputs => the smallest exponent
    n.exponent = {exponent, -f.bias, f.emin(),
                  t.may_fold(Folding::zero_pattern) && zero == t.truth(true) ? f.emin() : f.emax()};
    n.has_exponent = t.truth(true);
    n.lsb = n.exponent - m;
    n.facts = Facts::of_format(f);
    n.zero_negative = sign;
    n.zero_mixed = none;
    n.nan = nan;
    n.positive = t.bvand(infinite, t.bvnot(sign));
    n.negative = t.bvand(infinite, sign);
    n.tentative_positive = n.tentative_negative = none;
    const Term payload = fraction && m < payload_bits ? t.concat(mantissa, t.constant(payload_bits - m, 0))
                         : fraction                   ? mantissa
                                                      : t.constant(payload_bits, 0);
    n.carried = {nan, sign, payload, t.truth(false), t.truth(false)};
    t.show(n);
    return n;
}

bool is_never_subnormal(Terms& t, const Number& n) {
    return !n.facts->has_subnormals || n.zero == t.truth(true) ||
           (n.facts->normal_above != INT_MAX && least_magnitude(*n.facts) >= n.facts->normal_above);
}

} // namespace discern
