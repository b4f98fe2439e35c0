// Whether limits leave any input at all. A question about no inputs is vacuous, and is refused.
//
// A limit concerns one operand, or every operand in the same way. So there are inputs if each operand has a pattern
// within all of its limits. Infinities and NaN satisfy --no-subnormals only, which some numbers satisfy as well; so it
// is enough to look at sets of numbers.
#include "input_limits.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace discern {

namespace {

/// As it is written on a command line, and what it leaves of an operand.
struct OneLimit {
    std::string text;
    PlaceSet numbers;
};

std::vector<OneLimit> each_limit(const InputLimits& limits, Operand operand, const Format& f) {
    std::vector<OneLimit> list;
    for (const ExponentRange& r : limits.ranges)
        if (r.operand == operand)
            list.push_back({sentence("--range ", name(operand), ":", r.low, "..", r.high),
                            numbers_of_exponents(f, r.low, r.high)});
    for (const NumberRange& r : limits.numbers)
        if (r.operand == operand)
            list.push_back({sentence("--values ", name(operand), ":", shortest(r.low), "..", shortest(r.high)),
                            numbers_between(f, r.low, r.high)});
    if (limits.no_subnormals) list.push_back({"--no-subnormals", numbers_not_subnormal(f)});
    return list;
}

PlaceSet left(const Format& f, std::span<const OneLimit> limits) {
    PlaceSet numbers = all_numbers(f);
    for (const OneLimit& limit : limits) numbers = common(numbers, limit.numbers);
    return numbers;
}

void require_some(const InputLimits& limits, Operand operand, const Format& f) {
    std::vector<OneLimit> list = each_limit(limits, operand, f);
    if (!left(f, list).empty()) return;
    for (std::size_t i = 0; i < list.size();) { // without what does not matter
        std::vector<OneLimit> others = list;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        if (left(f, others).empty())
            list = std::move(others);
        else
            ++i;
    }
    std::vector<std::string> texts;
    for (OneLimit& limit : list) texts.push_back(std::move(limit.text));
    throw Error(no_input_left(f, name(operand), texts));
}

} // namespace

PlaceSet numbers_left(const InputLimits& limits, Operand operand, const Format& f) {
    return left(f, each_limit(limits, operand, f));
}

bool is_finite(const InputLimits& limits, Operand operand) {
    const auto is_of_it = [operand](const auto& range) { return range.operand == operand; };
    return limits.finite || std::any_of(limits.ranges.begin(), limits.ranges.end(), is_of_it) ||
           std::any_of(limits.numbers.begin(), limits.numbers.end(), is_of_it);
}

void require_operands(const InputLimits& limits, const Unit& unit) {
    const auto require = [&](Operand operand, std::string_view option) {
        if (format_of(unit, operand) == nullptr) throw Error(sentence(option, ": the units have no ", name(operand)));
    };
    for (const ExponentRange& r : limits.ranges) require(r.operand, "--range");
    for (const NumberRange& r : limits.numbers) require(r.operand, "--values");
    for (const Operand operand : all_operands)
        if (const Format* const f = format_of(unit, operand)) require_some(limits, operand, *f);
}

} // namespace discern
