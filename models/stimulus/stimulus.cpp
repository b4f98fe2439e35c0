#include "stimulus.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/import/number.hpp"
#include "models/places.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>

namespace discern {

namespace {

constexpr std::string_view corner_name = "corners";
constexpr std::array<std::string_view, 5> operand_names = {"a", "b", "sa", "sb", "c"};

bool is_subnormal(const Format& f, const Decoded& x) {
    return x.number_class == NumberClass::finite && f.has_subnormals() && x.significand != 0 &&
           x.significand >> f.mantissa_bits == 0;
}

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

} // namespace

std::vector<ValueRange> parse_value_ranges(std::string_view text) {
    std::vector<ValueRange> ranges;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view item = text.substr(begin, end - begin);
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
        begin = end + 1;
    }
    return ranges;
}

std::vector<std::string_view> stimulus_family_names() {
    std::vector<std::string_view> names(family_names.begin(), family_names.end());
    names.push_back(corner_name);
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
        const auto family = family_from_name(name);
        sources_.push_back({.name = family ? discern::name(*family) : corner_name, .generator = std::nullopt});
        if (family) sources_.back().generator.emplace(unit, *family, seed);
    };
    const std::vector<std::string_view> known = stimulus_family_names();
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw Error(
                sentence("--family: there is no family ", excerpt(name),
                         did_you_mean(name, std::vector<std::string>(known.begin(), known.end())),
                         "; families are normal, cancelling, uniform_bits, subnormals_and_zeros, floor_exponents "
                         "and corners"));
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
        corners(buffer);
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
