#include "input_limits.hpp"

#include "models/error.hpp"
#include "models/import/number.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace discern::cli {

namespace {

/// An end of a range as a double, rounded into the range: every number of a format is a double.
double end_of(const ValueRange& range, const std::string& text, Rounding inwards) {
    const Format& f64 = format(FormatId::f64);
    if (!is_number(text)) throw Error(sentence("--values: ", range.operand, ": ", excerpt(text), " is no number"));
    const NumberPattern number = number_pattern(f64, text, inwards);
    if (number.is_nan) throw Error(sentence("--values: ", range.operand, ": ", excerpt(text), " is no end of a range"));
    return to_double(f64, number.bits);
}

} // namespace

void add_input_limits(CommandLine& line, LimitWords& words) {
    line.add_shared("--finite", words.finite);
    line.add_shared("--range", words.exponents);
    line.add_shared("--values", words.values);
    line.add_shared("--no-subnormals", words.no_subnormals);
}

void add_stimulus_limits(CommandLine& line, LimitWords& words) {
    line.add_shared("--values", words.values);
    line.add_shared("--no-subnormals", words.no_subnormals);
    line.add_shared("--finite", words.finite);
}

Option add_families(CommandLine& line, std::vector<std::string>& families, std::string_view how,
                    std::string_view without) {
    return line
        .add_option("--family", families,
                    fmt::format("which vectors, once or more, {}: {}; {} without it", how,
                                fmt::join(stimulus_family_names(), ", "), without))
        .type_name("NAME")
        .one_each_time();
}

InputLimits limits_of_question(const LimitWords& words) {
    InputLimits limits{.finite = words.finite, .no_subnormals = words.no_subnormals};
    if (!words.exponents.empty()) limits.ranges = parse_ranges(words.exponents);
    if (words.values.empty()) return limits;
    for (const ValueRange& range : parse_value_ranges(words.values)) {
        const NumberRange numbers{.operand = operand_from_name(range.operand).value(),
                                  .low = end_of(range, range.lo, Rounding::ru),
                                  .high = end_of(range, range.hi, Rounding::rd)};
        if (numbers.low > numbers.high &&
            end_of(range, range.lo, Rounding::rd) <= end_of(range, range.hi, Rounding::ru))
            throw Error(sentence("no input is left: no number is within --values ", range.operand, ":",
                                 excerpt(range.lo), "..", excerpt(range.hi), "; wider limits are right"));
        if (numbers.low > numbers.high)
            throw Error(sentence("--values: ", range.operand, ":", excerpt(range.lo), "..", excerpt(range.hi),
                                 " is no range; the smaller number comes first"));
        limits.numbers.push_back(numbers);
    }
    return limits;
}

ValueLimits limits_of_stimulus(const LimitWords& words) {
    ValueLimits limits{.ranges = {}, .no_subnormals = words.no_subnormals, .finite = words.finite};
    if (!words.values.empty()) limits.ranges = parse_value_ranges(words.values);
    return limits;
}

} // namespace discern::cli
