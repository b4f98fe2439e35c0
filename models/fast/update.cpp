#include "update.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace discern::fast {

namespace {

/// A dot product of one element, or none, and an accumulator, as one rounding: round[d rne](fuse[exact](p*, c)).
Unit rounding_unit(FormatId a, FormatId d, bool with_c) {
    Unit unit;
    unit.a = a;
    unit.b = d;
    unit.c = with_c ? std::optional(d) : std::nullopt;
    unit.d = d;
    unit.K = unit.L = 1;
    Fuse sum;
    sum.children.push_back(
        {.node = {Node{Product{}}}, .F = std::nullopt, .rounding = Rounding::rz, .zero = {}, .drop = {}});
    if (with_c)
        sum.children.push_back(
            {.node = {Node{Accumulator{}}}, .F = std::nullopt, .rounding = Rounding::rz, .zero = {}, .drop = {}});
    Round round;
    round.format = d;
    round.child = {Node{sum}};
    unit.tree = Node{round};
    return unit;
}

/// A number as a pattern of the format, if the format has it.
std::uint64_t require_number(FormatId id, double value, const char* what) {
    const Format& f = format(id);
    Decoded x;
    x.negative = std::signbit(value);
    x.exponent = f.emin();
    if (std::isfinite(value) && value != 0) {
        int e = 0;
        const double m = std::frexp(std::fabs(value), &e);
        x.exponent = f.is_fixed_point() ? f.emin() : std::max(e - 1, f.emin());
        const double significand = std::ldexp(m, e - x.exponent + f.mantissa_bits);
        const auto most = static_cast<double>(f.max_significand(x.negative));
        const bool is_beyond = x.exponent > f.emax() || (x.exponent == f.emax() && significand > most);
        if (!is_beyond) x.significand = static_cast<std::uint64_t>(significand);
        if (is_beyond || static_cast<double>(x.significand) != significand || x.significand == 0)
            x.number_class = NumberClass::nan;
    } else if (value != 0) {
        x.number_class = NumberClass::nan;
    }
    if (x.number_class == NumberClass::nan)
        throw Error(
            sentence(what, " is ", shortest(value), ", which is not a number of ", f.name, ", the format of d"));
    return pack(f, x);
}

} // namespace

Update::Update(const Unit& unit, double alpha, double beta, std::uint64_t nan)
    : d_(&format(unit.d)), nan_(nan), alpha_(require_number(unit.d, alpha, "alpha")),
      beta_(require_number(unit.d, beta, "beta")), reads_c_(beta != 0),
      times_c_(rounding_unit(unit.c.value_or(unit.d), unit.d, false)), add_(rounding_unit(unit.d, unit.d, true)) {}

std::uint64_t Update::operator()(std::uint64_t acc, std::uint64_t c) const {
    std::uint64_t term = 0; // +0
    if (reads_c_) term = times_c_({.a = {&c, 1}, .b = {&beta_, 1}, .sa = {}, .sb = {}, .c = 0});
    const std::uint64_t sum = add_({.a = {&acc, 1}, .b = {&alpha_, 1}, .sa = {}, .sb = {}, .c = term});
    return d_->has_nan() && decode(*d_, sum).number_class == NumberClass::nan ? nan_ : sum;
}

} // namespace discern::fast
