// A limit is written twice, as a check of a vector and as a term; tests compare the two.
#include "input_limits.hpp"

#include "encodings/number/number.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace discern {

namespace {

std::optional<int> number(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<ExponentRange> parse_range(std::string_view text) {
    const std::size_t colon = text.find(':'), dots = text.find("..");
    if (colon == std::string_view::npos || dots == std::string_view::npos || dots < colon) return std::nullopt;
    const auto operand = operand_from_name(text.substr(0, colon));
    const auto low = number(text.substr(colon + 1, dots - colon - 1)), high = number(text.substr(dots + 2));
    if (!operand || !low || !high || *low > *high) return std::nullopt;
    return ExponentRange{*operand, *low, *high};
}

/// A pattern's number of fixed point is at one of these places, as a term.
Term at_places(Terms& t, const Format& f, Term pattern, const PlaceRange& places) {
    // From the smallest number on the patterns follow each other when the sign is reversed.
    const std::uint64_t sign = 1ull << (f.width - 1);
    const auto ordered = [&](std::int64_t place) { return t.constant(f.width, pattern_at_place(f, place) ^ sign); };
    const Term own = t.bvxor(pattern, t.constant(f.width, sign));
    return t.bvand(t.bvnot(t.bvult(own, ordered(places.first))), t.bvnot(t.bvult(ordered(places.last), own)));
}

/// A pattern's number is within the range, as a term. Sign and magnitude are looked at apart.
Term within(Terms& t, const Format& f, Term pattern, const NumberRange& range) {
    const PlaceSet numbers = numbers_between(f, range.low, range.high);
    if (numbers.empty()) return t.truth(false);
    const auto [first, last] = numbers.front();
    if (f.is_fixed_point()) return at_places(t, f, pattern, {first, last});
    const int bits = f.exponent_bits + f.mantissa_bits; // magnitudes follow each other like these
    const Term magnitude = t.extract(pattern, f.padding_bits, bits);
    const auto between = [&](std::int64_t least, std::int64_t most) {
        const auto number = [&](std::int64_t x) { return t.constant(bits, static_cast<std::uint64_t>(x)); };
        return most < 0 ? t.truth(false)
                        : t.bvand(t.bvnot(t.bvult(magnitude, number(std::max<std::int64_t>(least, 0)))),
                                  t.bvnot(t.bvult(number(most), magnitude)));
    };
    const Term positive = between(first, last);
    if (!f.is_signed) return positive;
    const Term negative = between(-last, -first);
    return t.ite(t.bit(pattern, bits + f.padding_bits), negative, positive);
}

Term subnormal(Terms& t, const Format& f, Term pattern) {
    if (!f.has_subnormals() || f.mantissa_bits == 0) return t.truth(false);
    const Term fraction = t.extract(pattern, f.padding_bits, f.mantissa_bits),
               exponent = t.extract(pattern, f.padding_bits + f.mantissa_bits, f.exponent_bits);
    return t.bvand(t.is_zero(exponent), t.bvnot(t.is_zero(fraction)));
}

} // namespace

std::optional<Operand> operand_from_name(std::string_view text) {
    const auto* const found = std::find(operand_names.begin(), operand_names.end(), text);
    if (found == operand_names.end()) return std::nullopt;
    return static_cast<Operand>(found - operand_names.begin());
}

std::vector<ExponentRange> parse_ranges(std::string_view text) {
    std::vector<ExponentRange> ranges;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view item = text.substr(begin, end - begin);
        const auto range = parse_range(item);
        if (!range)
            throw Error(sentence("--range: ", excerpt(item),
                                 " is not OPERAND:LOW..HIGH with one of a, b, sa, sb, c "
                                 "and two exponents in order, such as a:-14..15"));
        ranges.push_back(*range);
        begin = end + 1;
    }
    return ranges;
}

bool allows(const InputLimits& limits, const Unit& unit, const Inputs& inputs) {
    bool good = true;
    for (const Operand operand : all_operands) {
        const Format* const f = format_of(unit, operand);
        if (f == nullptr) continue;
        for (const std::uint64_t pattern : row_of<const std::uint64_t>(inputs, operand)) {
            const Decoded x = decode(*f, pattern);
            const bool finite = x.number_class == NumberClass::finite;
            if (limits.finite) good = good && finite;
            for (const ExponentRange& r : limits.ranges)
                if (r.operand == operand)
                    good = good && finite && (x.is_zero() || (r.low <= x.exponent && x.exponent <= r.high));
            for (const NumberRange& r : limits.numbers) {
                const double value = finite ? to_double(*f, pattern) : 0;
                if (r.operand == operand) good = good && finite && r.low <= value && value <= r.high;
            }
            if (limits.no_subnormals) good = good && !is_subnormal(*f, x);
        }
    }
    return good;
}

Term allowed(Terms& t, const InputLimits& limits, const Unit& unit, const InputTerms& inputs) {
    std::vector<Term> conditions;
    for (const Operand operand : all_operands) {
        const Format* const f = format_of(unit, operand);
        if (f == nullptr) continue;
        for (const Term pattern : row_of<const Term>(inputs, operand)) {
            const Number x = decode_term(t, *f, pattern);
            const Term special[] = {x.nan, x.positive, x.negative};
            const Term finite = t.bvnot(t.any_of(special));
            if (limits.finite) conditions.push_back(finite);
            for (const ExponentRange& r : limits.ranges) {
                if (r.operand != operand) continue;
                // The number after an end that is beyond all exponents may be no int.
                const Term no_larger =
                    r.high >= f->emax() ? t.truth(true) : t.bvnot(at_least(t, x.exponent, r.high + 1));
                const Term inside = t.bvand(at_least(t, x.exponent, r.low), no_larger);
                conditions.push_back(t.bvand(finite, t.bvor(x.zero, inside)));
            }
            for (const NumberRange& r : limits.numbers)
                if (r.operand == operand) conditions.push_back(t.bvand(finite, within(t, *f, pattern, r)));
            if (limits.no_subnormals) conditions.push_back(t.bvnot(subnormal(t, *f, pattern)));
        }
    }
    return t.all_of(conditions);
}

} // namespace discern
