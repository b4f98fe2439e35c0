#include "near.hpp"

#include "cli/distance.hpp"
#include "models/batch.hpp"
#include "models/unit/sentence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace discern::cli {

namespace {

constexpr std::size_t most_shown = 3; ///< observations of each

NearUnitOf against(const Member& member, std::span<const Vector> observations) {
    NearUnitOf near{.name = member.text, .first = {}};
    const Format& d = format(member.unit.d);
    std::vector<Inputs> inputs;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < observations.size(); ++i) {
        if (observations[i].d.size() != 1) continue;
        inputs.push_back(observations[i].inputs());
        numbers.push_back(i);
    }
    std::vector<std::uint64_t> results(inputs.size());
    BatchEvaluator{member.unit}(inputs, results);
    near.of = inputs.size();
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::uint64_t observed = observations[numbers[i]].d.front();
        if (results[i] == observed) continue;
        if (decode(d, results[i]).number_class == NumberClass::nan &&
            decode(d, observed).number_class == NumberClass::nan)
            continue;
        ++near.mismatches;
        ++near.kinds[kind_of_failure(d, results[i], observed)];
        if (near.first.size() < most_shown) near.first.push_back(numbers[i]);
    }
    return near;
}

} // namespace

std::size_t kind_of_failure(const Format& d, std::uint64_t given, std::uint64_t observed) {
    const Decoded one = decode(d, given), other = decode(d, observed);
    if (one.number_class != NumberClass::finite || other.number_class != NumberClass::finite) return 2;
    if (one.is_zero() && other.is_zero()) return 0;
    return ulps_between(d, given, observed) == 1 ? 1 : 3;
}

std::vector<NearUnitOf> nearest_first(std::span<const Member> units, std::span<const Vector> observations,
                                      std::size_t most) {
    std::vector<NearUnitOf> all;
    std::set<std::uint64_t> seen;
    for (const Member& member : units)
        if (seen.insert(arithmetic_hash(member.unit)).second) all.push_back(against(member, observations));
    std::stable_sort(all.begin(), all.end(),
                     [](const NearUnitOf& one, const NearUnitOf& other) { return one.mismatches < other.mismatches; });
    if (all.size() > most) all.erase(all.begin() + static_cast<std::ptrdiff_t>(most), all.end());
    return all;
}

std::string near_json(std::span<const NearUnitOf> units) {
    std::string text;
    for (const NearUnitOf& near : units) {
        std::string kinds;
        for (std::size_t i = 0; i < near.kinds.size(); ++i)
            kinds += fmt::format("{}\"{}\":{}", i == 0 ? "" : ",", kinds_of_failure[i], near.kinds[i]);
        text += fmt::format(R"({}{{"unit":{},"mismatches":{},"of":{},"kinds":{{{}}}}})", text.empty() ? "" : ",",
                            json_string(near.name), near.mismatches, near.of, kinds);
    }
    return text;
}

std::string described(const NearUnitOf& unit) {
    std::string kinds;
    for (std::size_t i = 0; i < unit.kinds.size(); ++i)
        if (unit.kinds[i] > 0)
            kinds += fmt::format("{}{} {}", kinds.empty() ? ": " : ", ", kinds_of_failure[i], unit.kinds[i]);
    return fmt::format("{} of {} otherwise{}", unit.mismatches, unit.of, kinds);
}

} // namespace discern::cli
