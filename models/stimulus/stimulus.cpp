#include "stimulus.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/import/number.hpp"
#include "models/places.hpp"
#include "models/suggest.hpp"
#include "models/unit/texts.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace discern {

namespace {

constexpr std::array<std::string_view, 5> operand_names = {"a", "b", "sa", "sb", "c"};

std::vector<std::uint64_t> all_corners(const Format& f) {
    const std::uint64_t hidden = std::uint64_t{1} << f.mantissa_bits;
    std::vector<std::uint64_t> list;
    for (const bool negative : {false, true}) {
        if (negative && !f.is_signed) continue;
        const auto add = [&](std::uint64_t significand, int exponent) {
            list.push_back(pack(f, {.negative = negative, .significand = significand, .exponent = exponent}));
        };
        if (f.has_zero && (!negative || f.has_minus_zero())) add(0, f.emin());
        if (f.has_zero && f.mantissa_bits > 0) {
            add(1, f.emin());
            add(hidden - 1, f.emin());
        }
        add(hidden, f.emin());
        list.push_back(negative ? negated(f, one(f)) : one(f));
        add(f.max_significand(negative), f.emax());
        if (f.has_infinity()) list.push_back(pack(f, {.number_class = NumberClass::infinite, .negative = negative}));
    }
    if (f.has_nan()) list.push_back(quiet_nan(f));
    return list;
}

/// The number, rounded to nearest even; at the most the format's largest.
std::uint64_t nearest(const Format& f, double value) {
    const PlaceRange all = all_numbers(f).front();
    const double within =
        std::clamp(value, to_double(f, pattern_at_place(f, all.first)), to_double(f, pattern_at_place(f, all.last)));
    if (f.is_fixed_point() || within == 0) return number_pattern(f, within, Rounding::rne).bits;
    Decoded x{.negative = std::signbit(within), .exponent = std::max(std::ilogb(within), f.emin())};
    // The scaled number is exact, or so small that it becomes zero.
    x.significand =
        static_cast<std::uint64_t>(std::nearbyint(std::ldexp(std::abs(within), f.mantissa_bits - x.exponent)));
    if (x.significand >> (f.mantissa_bits + 1) != 0) {
        x.significand >>= 1;
        ++x.exponent;
    }
    return pack(f, x);
}

} // namespace

std::vector<ValueRange> parse_value_ranges(std::string_view text) {
    std::vector<ValueRange> ranges;
    for (const std::string_view item : texts::split(text, ',')) {
        const std::size_t colon = item.find(':'), dots = item.find("..");
        if (colon == std::string_view::npos || dots == std::string_view::npos || dots < colon)
            throw Error(
                sentence("--values: ", excerpt(item), " is no range of numbers; a:-1..1 is right, and a:-1..1,c:0..8"));
        ValueRange range{.operand = std::string(item.substr(0, colon)),
                         .lo = std::string(item.substr(colon + 1, dots - colon - 1)),
                         .hi = std::string(item.substr(dots + 2))};
        if (std::find(operand_names.begin(), operand_names.end(), range.operand) == operand_names.end())
            throw Error(
                sentence("--values: there is no operand ", excerpt(range.operand), "; it must be a, b, sa, sb or c"));
        for (const ValueRange& other : ranges)
            if (other.operand == range.operand) throw Error(sentence("--values: ", range.operand, " is there twice"));
        ranges.push_back(std::move(range));
    }
    return ranges;
}

const std::array<Stimulus::OwnFamily, 3> Stimulus::own_families = {
    {{"corners", &Stimulus::corners}, {"uniform", &Stimulus::uniform}, {"outliers", &Stimulus::outliers}}};

std::vector<std::string_view> stimulus_family_names() {
    std::vector<std::string_view> names(family_names.begin(), family_names.end());
    for (const auto& own : Stimulus::own_families) names.push_back(own.name);
    return names;
}

Unit unit_of_shape(const Shape& shape) {
    return resolve_unit(sentence(to_string(shape), " nan=any : round[", format(shape.d).name, " rne](fuse[exact](p*",
                                 shape.c ? ", c" : "", "))"));
}

bool Stimulus::Allowed::holds(std::uint64_t bits) const {
    const Decoded x = decode(*format, bits);
    if (x.number_class != NumberClass::finite) return !finite && !has_range;
    if (no_subnormals && is_subnormal(*format, x)) return false;
    const std::int64_t place = place_of(*format, bits);
    return !has_range || (lo <= place && place <= hi);
}

std::uint64_t Stimulus::Allowed::draw(Random& random) const {
    const auto first = static_cast<std::uint64_t>(lo); // of binary64 there are more than an int64 can count
    const std::uint64_t size = static_cast<std::uint64_t>(hi) - first + 1;
    // Among so many tries some is right, since allowed_of() has found a number that is; only subnormals are refused.
    for (int i = 0; i < 64; ++i) {
        const std::uint64_t at = size == 0 ? random.bits() : random.bits() % size;
        const std::uint64_t bits = pattern_at_place(*format, static_cast<std::int64_t>(first + at));
        if (holds(bits)) return bits;
    }
    return corners.front();
}

Stimulus::Allowed Stimulus::allowed_of(const Format& f, const ValueLimits& limits, std::string_view operand) {
    Allowed allowed{.format = &f, .no_subnormals = limits.no_subnormals, .finite = limits.finite};
    const PlaceRange all = all_numbers(f).front();
    allowed.lo = all.first;
    allowed.hi = all.last;
    std::vector<std::string> words;
    for (const ValueRange& range : limits.ranges) {
        if (range.operand != operand) continue;
        allowed.has_range = true;
        words.push_back(sentence("--values ", operand, ":", range.lo, "..", range.hi));
        // Every number of a format is one of binary64, and so is an end that is moved inwards to one.
        const auto end = [&](const std::string& text, Rounding inwards) {
            if (!is_number(text)) throw Error(sentence("--values: ", operand, ": ", excerpt(text), " is no number"));
            const NumberPattern number = number_pattern(format(FormatId::f64), text, inwards);
            if (number.is_nan)
                throw Error(sentence("--values: ", operand, ": ", excerpt(text), " is no end of a range"));
            return to_double(format(FormatId::f64), number.bits);
        };
        const double lo = end(range.lo, Rounding::ru), hi = end(range.hi, Rounding::rd);
        const PlaceSet inside = common({{allowed.lo, allowed.hi}}, numbers_between(f, lo, hi));
        if (inside.empty()) throw Error(no_input_left(f, operand, words));
        allowed.lo = inside.front().first;
        allowed.hi = inside.front().last;
    }
    for (const std::uint64_t corner : all_corners(f))
        if (allowed.holds(corner)) allowed.corners.push_back(corner);
    for (const std::int64_t place : {allowed.lo, allowed.hi})
        if (allowed.holds(pattern_at_place(f, place))) allowed.corners.push_back(pattern_at_place(f, place));
    if (allowed.corners.empty()) {
        words.emplace_back("--no-subnormals"); // only between two subnormals can that be
        throw Error(no_input_left(f, operand, words));
    }
    return allowed;
}

Stimulus::Stimulus(const Unit& unit, std::span<const std::string> names, const ValueLimits& limits, std::uint64_t seed)
    : unit_(unit), random_(seed) {
    const Shape shape = shape_of(unit);
    for (const ValueRange& range : limits.ranges) {
        const bool missing = (range.operand.starts_with('s') && !shape.scale) || (range.operand == "c" && !shape.c);
        if (missing) throw Error(sentence("--values: the unit has no operand ", range.operand));
    }
    const Format& scale = format(shape.scale ? shape.scale->format : FormatId::e8m0);
    a_ = allowed_of(format(shape.a), limits, "a");
    b_ = allowed_of(format(shape.b), limits, "b");
    scale_a_ = allowed_of(scale, limits, "sa");
    scale_b_ = allowed_of(scale, limits, "sb");
    c_ = allowed_of(format(shape.c.value_or(shape.d)), limits, "c");
    const auto add = [&](std::string_view name) {
        if (const auto family = family_from_name(name))
            sources_.push_back({.name = discern::name(*family), .generator = InputGenerator(unit, *family, seed)});
        const auto* own = std::ranges::find(own_families, name, &OwnFamily::name);
        if (own != own_families.end())
            sources_.push_back({.name = own->name, .generator = std::nullopt, .fill = own->fill});
    };
    const std::vector<std::string_view> names_known = stimulus_family_names();
    const std::vector<std::string> known(names_known.begin(), names_known.end());
    for (const std::string& name : names) {
        if (std::ranges::find(known, name) == known.end())
            throw Error(sentence("--family: there is no family ", excerpt(name), did_you_mean(name, known),
                                 "; families are ", texts::joined(known, ", ")));
        add(name);
    }
    if (names.empty())
        for (const std::string_view name : family_names) add(name);
}

std::string_view Stimulus::next(InputBuffer& buffer) {
    Source& source = sources_[count_++ % sources_.size()];
    if (source.generator)
        source.generator->next(buffer);
    else
        (this->*source.fill)(buffer);
    keep_within(buffer);
    return source.name;
}

void Stimulus::keep_within(InputBuffer& buffer) {
    limit(buffer.a, a_);
    limit(buffer.b, b_);
    limit(buffer.sa, scale_a_);
    limit(buffer.sb, scale_b_);
    if (unit_.c && !c_.holds(buffer.c)) buffer.c = c_.draw(random_);
}

void Stimulus::limit(std::vector<std::uint64_t>& patterns, const Allowed& allowed) {
    for (std::uint64_t& bits : patterns)
        if (!allowed.holds(bits)) bits = allowed.draw(random_);
}

void Stimulus::corners(InputBuffer& buffer) {
    const auto pick = [&](const Allowed& allowed) {
        constexpr int ordinary = 4; // one in so many is a number about one
        if (!random_.one_in(ordinary)) return allowed.corners[random_.bits() % allowed.corners.size()];
        const Format& f = *allowed.format;
        if (f.is_fixed_point()) return random_.bits() & f.mask();
        const std::uint64_t fraction = random_.bits() & ((std::uint64_t{1} << f.mantissa_bits) - 1);
        return pack(f, {.negative = f.is_signed && random_.one_in(2),
                        .significand = (std::uint64_t{1} << f.mantissa_bits) | fraction,
                        .exponent = f.emax() > 0 ? random_.between(0, 1) : 0});
    };
    fill(buffer, pick);
}

void Stimulus::uniform(InputBuffer& buffer) {
    constexpr int bits = 53;
    distributed(buffer, [&] { return std::ldexp(static_cast<double>(random_.bits() >> (64 - bits)), -bits); });
}

void Stimulus::outliers(InputBuffer& buffer) {
    constexpr int one_of = 1000;
    constexpr double deviation = 10;
    distributed(buffer, [&] {
        const double x = random_.normal();
        return random_.one_in(one_of) ? x + deviation * random_.normal() : x;
    });
}

template <typename Draw>
void Stimulus::distributed(InputBuffer& buffer, const Draw& draw) {
    const auto pick = [&](const Allowed& allowed) {
        const Format& f = *allowed.format;
        if (&allowed == &scale_a_ || &allowed == &scale_b_) return one(f);
        return nearest(f, draw());
    };
    fill(buffer, pick);
}

template <typename Pick>
void Stimulus::fill(InputBuffer& buffer, const Pick& pick) {
    const auto fill = [&](std::vector<std::uint64_t>& list, std::size_t size, const Allowed& allowed) {
        list.resize(size);
        for (std::uint64_t& bits : list) bits = pick(allowed);
    };
    const Shape shape = shape_of(unit_);
    fill(buffer.a, static_cast<std::size_t>(shape.K), a_);
    fill(buffer.b, static_cast<std::size_t>(shape.K), b_);
    fill(buffer.sa, static_cast<std::size_t>(shape.scales()), scale_a_);
    fill(buffer.sb, static_cast<std::size_t>(shape.scales()), scale_b_);
    buffer.c = pick(c_);
}

} // namespace discern
