// The parameters that vary in the default space, as a table with a row for each, and their values.
#include "values.hpp"

#include "models/format.hpp"

#include <algorithm>
#include <cmath>

namespace discern::identify {

namespace {

using ProductSlots = ProductAttributes<SlotOf>;
using GroupSlots = GroupAttributes<SlotOf>;
using AccumulatorSlots = AccumulatorAttributes<SlotOf>;
using FuseSlots = FuseAttributes<SlotOf>;
using ChildSlots = ChildAttributes<SlotOf>;
using RoundSlots = RoundAttributes<SlotOf>;
using Values = std::vector<int>;

int most_fraction(const Facts& f) { return f.shape.d == FormatId::f64 ? 64 : 45; }
int lowest_constant(const Facts& f) { return std::max(-160, f.smallest + 1); }

/// The given values, and all numbers of a range.
Values and_range(Values values, int from, int to) {
    for (int i = from; i <= to; ++i) values.push_back(i);
    return values;
}

Values fractions(const Facts& f) { return and_range({}, 8, most_fraction(f)); }
Values fractions_or_exact(const Facts& f) { return and_range({exact}, 8, most_fraction(f)); }
Values zeros(const Facts& f) { return and_range({ignore, own}, lowest_constant(f), -100); }
Values zeros_of_groups(const Facts&) { return {own, ignore}; }
/// The given values, and the constants that are not among them.
Values and_constants(Values values, const Facts& f) {
    const std::size_t some = values.size();
    for (int i = lowest_constant(f); i <= -100; ++i)
        if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(some), i) ==
            values.begin() + static_cast<std::ptrdiff_t>(some))
            values.push_back(i);
    return values;
}
// -139 is what units with groups are known to have; it is reported if no observation decides.
Values of_empty_groups(const Facts& f) { return and_constants({-139, own, ignore}, f); }
Values zeros_beside_groups(const Facts& f) { return and_constants({-139, ignore, own}, f); }
Values zeros_beside_truncation(const Facts& f) { return and_constants({own, ignore}, f); }
Values fractions_before_truncation(const Facts& f) {
    Values values = {32};
    for (int i = 8; i <= most_fraction(f); ++i)
        if (i != 32) values.push_back(i);
    return values;
}
Values precisions(const Facts&) {
    Values values;
    for (int m = 24; m <= 40; ++m) values.push_back(static_cast<int>(format_of_fields(8, m, Specials::ieee).value()));
    return values;
}

Values only_d(const Facts& f) { return {static_cast<int>(f.shape.d)}; }
Values only_f16(const Facts&) { return {static_cast<int>(FormatId::f16)}; }
Values only_f32(const Facts&) { return {static_cast<int>(FormatId::f32)}; }
Values only_f64(const Facts&) { return {static_cast<int>(FormatId::f64)}; }
/// Formats with the exponents of f32 and more digits than d.
Values wider_than_d(const Facts& f) {
    Values values;
    for (int m = 23; m <= most_wide; ++m)
        if (m > format(f.shape.d).mantissa_bits)
            values.push_back(static_cast<int>(format_of_fields(8, m, Specials::ieee).value()));
    return values;
}
Values only_yes(const Facts&) { return {1}; }
Values ieee_or_plus(const Facts&) { return {1, 0}; }
Values frames(const Facts&) {
    return {static_cast<int>(SignFrame::c), static_cast<int>(SignFrame::c_or_plus),
            static_cast<int>(SignFrame::nonzero_c)};
}
Values only_infinity(const Facts&) { return {static_cast<int>(Overflow::infinity)}; }
Values infinities(const Facts& f) {
    return format(f.shape.a).has_infinity() || format(f.shape.b).has_infinity() ? Values{0, 1} : Values{0};
}
Values nans(const Facts& f) {
    return format(f.shape.a).has_nan() || format(f.shape.b).has_nan() ? Values{0, 1} : Values{0};
}
Values drops(const Facts&) { return and_range({none}, 8, 48); }
Values exponents_less(const Facts&) { return and_range({}, 0, 4); }
/// Below emin(d) by at most what any register keeps, and a little above it.
Values floors(const Facts& f) {
    constexpr int above_emin = 9;
    return and_range({none}, lowest_constant(f),
                     f.shape.d == FormatId::f64 ? -100 : format(f.shape.d).emin() + above_emin);
}
/// Carry bits w of a register of 2^(E + w + 2) that the sum can fill.
Values carries(const Facts& f) {
    const auto largest = [](FormatId id) { return 2 - std::ldexp(1.0, -format(id).mantissa_bits); };
    double product = largest(f.shape.a) * largest(f.shape.b);
    if (f.shape.scale) product *= std::pow(largest(f.shape.scale->format), 2);
    const double rounded_up = std::ldexp(1.0, -8); // the smallest F
    const double sum = f.products * (product + rounded_up) + (f.with_c ? 2 + rounded_up : 0);
    int enough = 0;
    while (sum >= std::ldexp(1.0, enough + 2)) ++enough;
    return and_range({none}, 0, enough - 1);
}
Values limits(const Facts& f) { return f.largest > 128 ? Values{none, 128} : Values{none}; }
Values formats_of_c(const Facts& f) {
    const bool differ = f.shape.c && format(*f.shape.c).emin() > format(f.shape.d).emin();
    return differ ? Values{none, static_cast<int>(f.shape.d)} : Values{none};
}
Values formats_of_d(const Facts& f) {
    if (f.shape.d != FormatId::f32) return {static_cast<int>(f.shape.d)};
    return {static_cast<int>(FormatId::f32), static_cast<int>(FormatId::e8m13), static_cast<int>(FormatId::tf32)};
}

/// A parameter that may vary, and its name in reports.
struct Choice {
    std::string_view name;
    FieldOfPart<OptionalSlot, SlotOf> slot;
    Values (*values)(const Facts&) = nullptr; ///< nullptr: all that the parameter has, the preferred one first
    std::string_view told{};                  ///< if that is another name
};
constexpr Choice choices[] = {
    {"product", &ProductSlots::normalisation},
    {"limit", &ProductSlots::limit, limits},
    {"yields", &ProductSlots::oinf_yields},
    {"ftz in", &ProductSlots::ftz},
    {"(as f16)", &ProductSlots::as, only_f16},
    {"infnan", &ProductSlots::infnan, infinities},
    {"nanzero", &ProductSlots::nanzero, nans},
    {"infzero", &ProductSlots::infzero, infinities},
    {"ftz c", &AccumulatorSlots::ftz},
    {"as", &AccumulatorSlots::as, formats_of_c},
    {"F", &ChildSlots::F, fractions},
    {"F2", &ChildSlots::F, fractions_or_exact},
    {"Fc", &ChildSlots::F, fractions_or_exact},
    {"F2 of all", &ChildSlots::F, fractions, "F2"},
    {"F2 before truncation", &ChildSlots::F, fractions_before_truncation, "F2"},
    {"align", &ChildSlots::rounding},
    {"sum", &ChildSlots::rounding},
    {"zero", &ChildSlots::zero, zeros},
    {"zero group", &ChildSlots::zero, zeros_of_groups},
    {"zero beside groups", &ChildSlots::zero, zeros_beside_groups, "zero c"},
    {"zero beside truncation", &ChildSlots::zero, zeros_beside_truncation, "zero c"},
    {"empty", &GroupSlots::empty, of_empty_groups},
    {"drop", &ChildSlots::drop, drops},
    {"zero of c", &ChildSlots::zero, zeros_of_groups, "zero c"},
    {"less", &ChildSlots::less, exponents_less},
    {"floor", &FuseSlots::floor, floors},
    {"carry", &FuseSlots::carry, carries},
    {"format", &RoundSlots::format, formats_of_d},
    {"round", &RoundSlots::mode},
    {"sum", &RoundSlots::mode},
    {"round to d", &RoundSlots::mode},
    {"precision", &RoundSlots::format, precisions},
    {"(to infinity)", &RoundSlots::overflow, only_infinity},
    {"overflow", &RoundSlots::overflow},
    {"ftz out", &RoundSlots::ftz},
    {"zsign", &RoundSlots::zsign_ieee},
    {"zsign of lanes", &RoundSlots::zsign_ieee, ieee_or_plus},
    {"usign of lanes", &RoundSlots::usign_keep, ieee_or_plus},
    {"(d)", &RoundSlots::format, only_d},
    {"(f32)", &RoundSlots::format, only_f32},
    {"(f64)", &RoundSlots::format, only_f64},
    {"accumulator", &RoundSlots::format, wider_than_d},
    {"Fp", &ChildSlots::F, fractions},
    {"align products", &ChildSlots::rounding},
    {"plus", &FuseSlots::plus},
    {"(sticky)", &FuseSlots::sticky, only_yes},
    {"frame", &FuseSlots::frame, frames},
    {"opposed", &FuseSlots::opposed},
    {"usign", &RoundSlots::usign_keep},
};

/// Whether the space has a rounding mode.
bool has(const Facts& facts, Rounding mode) { return facts.modes == Modes::all || is_usual(mode); }

/// All values of a parameter that are words.
Values words_of(const Parameter& p, const Facts& facts) {
    Values others;
    for (const Word& word : p.words())
        if (word.value != p.preferred && (p.meaning != Meaning::mode || has(facts, static_cast<Rounding>(word.value))))
            others.push_back(word.value);
    std::ranges::sort(others);
    others.insert(others.begin(), p.preferred);
    return others;
}

} // namespace

Facts::Facts(const Shape& of, Modes of_modes) : shape(of), modes(of_modes) {
    const Format &a = format(shape.a), &b = format(shape.b);
    smallest = a.lsb() + b.lsb();
    largest = a.emax() + b.emax() + 2;
    if (shape.scale) {
        const Format& s = format(shape.scale->format);
        smallest += 2 * s.lsb();
        largest += 2 * (s.emax() + 1);
    }
    if (shape.c) smallest = std::min(smallest, format(*shape.c).emin());
}

Varying varying(const Parameter& p, std::span<const std::string_view> names, int fixed, const Facts& facts) {
    for (const Choice& c : choices)
        if (c.slot == p.slot && std::count(names.begin(), names.end(), c.name) != 0)
            return {std::string(c.told.empty() ? c.name : c.told),
                    c.values != nullptr ? c.values(facts) : words_of(p, facts)};
    return {"(" + std::string(p.key) + " " + std::string(p.word) + " " + p.value_text(fixed) + ")", {fixed}};
}

} // namespace discern::identify
