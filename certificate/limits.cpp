#include "limits.hpp"

#include "models/error.hpp"
#include "models/format.hpp"

#include <algorithm>

namespace discern::certificate {

namespace {

/// x < y for two patterns that are numbers: magnitudes follow each other like their bits, and both zeros are one; in
/// two's complement those of each sign do.
Literal is_below(GateDomain& d, const Format& f, const Bits& x, const Bits& y) {
    if (f.is_fixed_point()) {
        const Literal by_bits = d.less(x, y);
        const Literal signs_differ = d.bit_xor(x.back(), y.back());
        return d.mux(signs_differ, x.back(), by_bits);
    }
    const int bits = f.mantissa_bits + f.exponent_bits;
    const Bits of_x = d.slice(x, f.padding_bits, bits), of_y = d.slice(y, f.padding_bits, bits);
    Literal both_zero = no;
    if (f.has_zero) {
        const Literal nonzero_y = d.any(of_y);
        const Literal nonzero_x = d.any(of_x);
        both_zero = invert(d.bit_or(nonzero_x, nonzero_y));
    }
    const Literal minus_x = f.is_signed ? x.back() : no, minus_y = f.is_signed ? y.back() : no;
    const Literal if_x_is_plus = d.mux(minus_y, no, d.less(of_x, of_y));
    const Literal if_x_is_minus = d.mux(minus_y, d.less(of_y, of_x), invert(both_zero));
    return d.mux(minus_x, if_x_is_minus, if_x_is_plus);
}

/// @throws Error unless the pattern is one of the format's, and a number
Bits bound(const Format& f, std::uint64_t pattern) {
    if ((pattern & ~f.mask()) != 0 || decode(f, pattern).number_class != NumberClass::finite)
        throw Error("a bound of the inputs is no number of the operand's format");
    return GateDomain::constant(pattern, f.width);
}

/// A bound of exponents. No number has an exponent as far from 0 as those that are moved here.
Integer exponent_bound(GateDomain& d, int exponent) {
    constexpr int far = 1 << 20;
    return circuit::integer(d, std::clamp(exponent, -far, far));
}

/// The conjunction of `good` and that a pattern of an operand is within the limits.
Literal and_within(GateDomain& d, Literal good, const Limits& limits, const Row& row, const Bits& pattern) {
    const Format& f = *row.format;
    const Literal infinite = circuit::is_infinite(d, f, pattern);
    const Literal nan = circuit::is_nan(d, f, pattern);
    const Literal finite = invert(d.bit_or(nan, infinite));
    if (limits.finite) good = d.bit_and(good, finite);
    for (const auto& range : limits.ranges) {
        if (range.operand != row.name) continue;
        const Number x = circuit::read(d, f, pattern);
        const Literal above = circuit::less(d, exponent_bound(d, range.high), x.exponent);
        const Literal below = circuit::less(d, x.exponent, exponent_bound(d, range.low));
        const Literal outside = d.bit_or(below, above);
        const Literal zero = invert(d.any(x.magnitude));
        good = d.bit_and(good, d.bit_and(finite, d.bit_or(zero, invert(outside))));
    }
    for (const auto& range : limits.numbers) {
        if (range.operand != row.name) continue;
        const Literal above = is_below(d, f, bound(f, range.high), pattern);
        const Literal below = is_below(d, f, pattern, bound(f, range.low));
        const Literal outside = d.bit_or(below, above);
        good = d.bit_and(good, d.bit_and(finite, invert(outside)));
    }
    if (limits.no_subnormals && f.has_subnormals()) {
        const Number x = circuit::read(d, f, pattern);
        good = d.bit_and(good, d.bit_or(x.magnitude.back(), invert(d.any(x.magnitude))));
    }
    return good;
}

template <typename T>
void require_operands(const std::vector<Limits::Range<T>>& ranges, const std::vector<Row>& operands) {
    for (const auto& range : ranges)
        if (std::none_of(operands.begin(), operands.end(), [&](const Row& x) { return x.name == range.operand; }))
            throw Error("a range is of operand '" + range.operand + "', which the units do not have");
}

/// A set of patterns that contains one within the limits if there is any. Each limit leaves some intervals of the
/// numbers in their order. Of the numbers that all limits leave, the one next to 0 is 0 or an end of such an interval:
/// a bound, or the number with the smallest magnitude of an exponent and a sign.
std::vector<std::uint64_t> ends(const Limits& limits, const Row& row) {
    const Format& f = *row.format;
    std::vector<std::uint64_t> patterns;
    for (const auto& range : limits.numbers)
        if (range.operand == row.name) patterns.insert(patterns.end(), {range.low, range.high});
    const std::uint64_t sign = std::uint64_t{1} << (f.width - 1);
    if (f.is_fixed_point()) {
        patterns.insert(patterns.end(), {0, 1, f.mask()}); // and the numbers next to it
        return patterns;
    }
    for (std::uint64_t exponent = 0; exponent < std::uint64_t{1} << f.exponent_bits; ++exponent) {
        patterns.push_back(exponent << (f.mantissa_bits + f.padding_bits));
        if (f.is_signed) patterns.push_back(patterns.back() | sign);
    }
    return patterns;
}

/// Whether some pattern of an operand is within the limits.
bool leaves_some(const Limits& limits, const Row& row) {
    const auto width = static_cast<std::size_t>(row.format->width);
    Netlist n(width);
    Bits pattern;
    for (std::size_t i = 0; i < width; ++i) pattern.push_back(n.input(i));
    GateDomain d(n);
    const Literal good = and_within(d, yes, limits, row, pattern);
    const std::vector<std::uint64_t> patterns = ends(limits, row);
    for (std::size_t first = 0; first < patterns.size(); first += 64) {
        std::vector<std::uint64_t> words(width);
        for (std::size_t v = 0; v < 64; ++v) // the last one again where there are no 64
            for (std::size_t i = 0; i < width; ++i)
                words[i] |= ((patterns[std::min(first + v, patterns.size() - 1)] >> i) & 1u) << v;
        if (value_of(simulate(n, words), good) != 0) return true;
    }
    return false;
}

} // namespace

Literal allowed(Netlist& n, const Limits& limits, const Unit& unit, const Operands& in) {
    GateDomain d(n);
    Literal good = yes;
    for (const Row& row : rows(unit))
        for (const Bits& pattern : in.*row.patterns) good = and_within(d, good, limits, row, pattern);
    return good;
}

void require_inputs(const Limits& limits, const Unit& unit) {
    const std::vector<Row> operands = rows(unit);
    require_operands(limits.ranges, operands);
    require_operands(limits.numbers, operands);
    if (limits == Limits{}) return;
    for (const Row& row : operands)
        if (!leaves_some(limits, row))
            throw Error(std::string("the limits leave no input: no pattern of ") + row.name + " is within them");
}

} // namespace discern::certificate
