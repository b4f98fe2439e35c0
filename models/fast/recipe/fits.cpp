// The conditions are bounds on bits: of a product, of a sum, and of what alignment keeps.
#include "fits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace discern::fast {

namespace {

/// Whether a block has one scale, a power of two, in each line.
bool has_scale_of_block(const Unit& unit) {
    return unit.scale && format(unit.scale->format).mantissa_bits == 0 && unit.scale->block % unit.L == 0 &&
           unit.interleave == 0;
}

/// Bits of the magnitude of L products at F.
int bits_of_sum(const Unit& unit, const Recipe& recipe) {
    return recipe.F + 2 + static_cast<int>(std::bit_width(static_cast<unsigned>(unit.L - 1)));
}

/// Bits of the significand of a product.
int bits_of_product(const Unit& unit) { return format(unit.a).mantissa_bits + format(unit.b).mantissa_bits + 2; }

/// Whether the operand's exponents have codes of a byte, of which two can be added.
bool fits_codes(const Recipe& recipe, const Format& f) { return f.emax() - recipe.exponents.emin(f) <= 60; }

/// Whether a floor truncates bits of a small c where no product has an exponent.
bool floor_truncates_c(const Unit& unit, const Recipe& recipe) {
    return recipe.floor - recipe.F > format(unit.c.value_or(unit.d)).lsb();
}

} // namespace

bool keeps_accumulator(const Unit& unit, const Recipe& recipe) {
    const Result& r = recipe.result;
    return recipe.F >= (r.to_nearest ? format(*unit.c).mantissa_bits : r.mantissa_bits);
}

void find_narrow(const Unit& unit, Recipe& recipe) {
    const Format &a = format(unit.a), &b = format(unit.b);
    const int low = recipe.exponents.emin(a) + recipe.exponents.emin(b), bits = bits_of_sum(unit, recipe);
    if ((unit.scale && !has_scale_of_block(unit)) || !fits_codes(recipe, a) || !fits_codes(recipe, b) ||
        bits_of_product(unit) > 24 || bits > 32 || recipe.F > 25 || low < -60 || recipe.floor > 60)
        return;
    const Result& r = recipe.result;
    if (!keeps_accumulator(unit, recipe) || r.keep_sign ||
        (r.to_nearest ? r.mantissa_bits > 10 || format(*unit.c).emax() > 100 : r.emin != -126))
        return;
    // The kernels do not truncate a c beside which there is no product; they see a floor above those of products.
    if (floor_truncates_c(unit, recipe) && (unit.scale || recipe.floor <= low)) return;
    if (unit.scale && r.to_nearest) return;
    recipe.narrow = true;
    recipe.scaled = unit.scale.has_value();
    recipe.narrow_bias = low;
    recipe.split = bits == 32;
    recipe.may_overflow = bits >= 31;
    recipe.careful_c = std::max(recipe.first_emin, recipe.emin) > low || recipe.floor > low;
    if (recipe.scaled || unit.L > most_halves) return;
    // Numbers below 2^7 and 2^8, whose products are multiples of 2^−24 then.
    const int range = a.emax() - a.lsb() + b.emax() - b.lsb();
    recipe.half_products = unit.L % 16 == 0 && recipe.F <= 13 && bits_of_product(unit) <= 11 && range <= 37;
}

bool fits_gap(const Unit& unit, const Recipe& recipe) {
    const auto fits = [&](const Format& f) {
        return f.exponent_bits == 8 && f.emin() == -126 && recipe.exponents.emin(f) == -126;
    };
    return !unit.scale && fits(format(unit.a)) && fits(format(unit.b)) && bits_of_product(unit) <= 24 &&
           bits_of_sum(unit, recipe) <= 31 && recipe.F <= 25 && recipe.first_emin == -126 && recipe.emin == -126;
}

void find_quick_sum(const Unit& unit, Recipe& recipe) {
    const Format &a = format(unit.a), &b = format(unit.b);
    const auto largest = [](const Format& f) { return 2 - std::ldexp(1.0, -f.mantissa_bits); };
    const double most = std::ldexp(unit.L * largest(a) * largest(b) + 2, recipe.F);
    const int low = recipe.exponents.emin(a) + recipe.exponents.emin(b), digits = recipe.F2 - recipe.F;
    // A dropped c is below F's last bit, as far as it is positive.
    const bool quick = most < 0x1p30 && recipe.F <= 25 && digits >= 1 && digits <= 12 &&
                       (recipe.kept == 0 || digits + 23 <= recipe.kept) &&
                       (recipe.drop == 0 || recipe.drop >= recipe.F);
    recipe.gap = fits_gap(unit, recipe) && quick;
    recipe.narrow = fits_codes(recipe, a) && fits_codes(recipe, b) && bits_of_product(unit) <= 24 && quick &&
                    low >= -60 && !recipe.limited;
    recipe.narrow_bias = low;
}

} // namespace discern::fast
