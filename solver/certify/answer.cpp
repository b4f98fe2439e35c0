// Limits of a question become limits of a claim; then the certificate of the equivalence, or of the difference, is
// written.
#include "answer.hpp"

#include "models/error.hpp"
#include "models/places.hpp"

#include <stdexcept>
#include <utility>

namespace discern::certificate {

namespace {

/// The smallest and the largest number of a format within a range that holds one, as patterns.
std::pair<std::uint64_t, std::uint64_t> bounds(const Format& f, const NumberRange& range) {
    const PlaceRange places = numbers_between(f, range.low, range.high).at(0);
    return {pattern_at_place(f, places.first), pattern_at_place(f, places.last)};
}

} // namespace

Limits limits_for(const InputLimits& limits, const Unit& unit) {
    Limits result{.finite = limits.finite, .no_subnormals = limits.no_subnormals};
    for (const ExponentRange& range : limits.ranges)
        result.ranges.push_back({std::string(name(range.operand)), range.low, range.high});
    for (const NumberRange& range : limits.numbers) {
        const auto [low, high] = bounds(*format_of(unit, range.operand), range);
        result.numbers.push_back({std::string(name(range.operand)), low, high});
    }
    return result;
}

Limits limits_for(const InputLimits& limits, const std::vector<std::vector<Unit>>& classes) {
    if (classes.empty()) return {.finite = limits.finite, .no_subnormals = limits.no_subnormals};
    const Limits all = limits_for(limits, classes.front().front());
    for (const auto& units : classes)
        if (limits_for(limits, units.front()) != all)
            throw Error("--certificate: --values mean other patterns in each format; for one certificate, the units "
                        "have to be of one");
    return all;
}

MadeOf write_answer(const Certified& what, const InputLimits& limits, const Answer& answer,
                    const std::filesystem::path& folder, const WriteOptions& options) {
    const Limits within = limits_for(limits, what.any_unit());
    const bool has_handshake = !what.designs.empty() && what.designs.front().handshake;
    if (has_handshake && answer.verdict == Verdict::different)
        return {.made = Made::not_found,
                .why = "that of a handshake says that it is right; a run that is wrong is shown by itself"};
    if (answer.verdict == Verdict::different) {
        std::vector<InputBuffer> vectors;
        for (const Vector& v : answer.witnesses) vectors.push_back({v.a, v.b, v.sa, v.sb, v.c.value_or(0)});
        write_difference(what, within, vectors, folder);
        return {};
    }
    Written written;
    try {
        WriteOptions how = options;
        how.by_cases = answer.cases.has_value();
        written = write_certificate(what, within, folder, how);
    } catch (const std::length_error& error) {
        return {.made = Made::too_large, .why = error.what()};
    }
    if (written.verdict == Written::Verdict::different)
        throw std::logic_error("the circuits of what was found to be equivalent differ");
    if (written.verdict == Written::Verdict::equivalent) return {};
    return {.made = options.limit.reached() ? Made::no_time : Made::not_found, .why = written.why};
}

} // namespace discern::certificate
