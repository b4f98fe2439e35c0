#include "update.hpp"

#include "models/error.hpp"
#include "models/places.hpp"
#include "models/schedule/outline.hpp"
#include "models/unit/sentence.hpp"

#include <cmath>

namespace discern::fast {

namespace {

/// A number as a pattern of the format, if the format has it.
std::uint64_t require_number(FormatId id, double value, const char* what) {
    const Format& f = format(id);
    if (value == 0) return pack(f, {.negative = std::signbit(value), .exponent = f.emin()});
    const PlaceSet same = numbers_between(f, value, value);
    if (same.empty())
        throw Error(
            sentence(what, " is ", shortest(value), ", which is not a number of ", f.name, ", the format of d"));
    return pattern_at_place(f, same.front().first);
}

} // namespace

Update::Update(const Unit& unit, double alpha, double beta, std::uint64_t nan)
    : d_(&format(unit.d)), nan_(nan), alpha_(require_number(unit.d, alpha, "alpha")),
      beta_(require_number(unit.d, beta, "beta")), reads_c_(beta != 0),
      times_c_(multiply_add_unit(unit.c.value_or(unit.d), unit.d, std::nullopt, {unit.d})),
      add_(multiply_add_unit(unit.d, unit.d, unit.d, {unit.d})) {}

std::uint64_t Update::operator()(std::uint64_t acc, std::uint64_t c) const {
    std::uint64_t term = 0; // +0
    if (reads_c_) term = times_c_({.a = {&c, 1}, .b = {&beta_, 1}, .sa = {}, .sb = {}, .c = 0});
    const std::uint64_t sum = add_({.a = {&acc, 1}, .b = {&alpha_, 1}, .sa = {}, .sb = {}, .c = term});
    return d_->has_nan() && decode(*d_, sum).number_class == NumberClass::nan ? nan_ : sum;
}

} // namespace discern::fast
