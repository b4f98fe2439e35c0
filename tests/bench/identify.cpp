// Every arithmetic of the catalogue as a black box: is it identified, in what time, by how many vectors?
//
//     bench_identify [PATTERN] [SECONDS] [EVERY] [SEED]
//
// One line a unit: the verdict, whether the catalogue's name is among those found, observations, seconds, and how many
// of 10,000 fresh vectors of all families differ from the truth. The totals are at the end.
#include "programs.hpp"

#include "identification/identify/identify.hpp"
#include "identification/identify/space/space.hpp"
#include "models/catalogue.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <vector>

namespace discern::bench {

namespace {

constexpr std::uint64_t fresh_vectors = 10'000;

std::uint64_t differences(const Unit& truth, const Unit& named) {
    const Evaluator one(truth), other(named);
    std::uint64_t count = 0;
    for (const Family family : families) {
        InputGenerator generator(truth, family, 4711);
        InputBuffer v;
        for (std::uint64_t i = 0; i < fresh_vectors / families.size(); ++i) {
            generator.next(v);
            if (!same_result(truth, one(v.inputs()), other(v.inputs()))) ++count;
        }
    }
    return count;
}

} // namespace

int run_identify(int count, char** words) {
    const std::string pattern = count > 1 ? words[1] : "";
    const double seconds = count > 2 ? std::atof(words[2]) : 60;
    const std::size_t every = count > 3 ? std::max(1, std::atoi(words[3])) : 1;
    const std::uint64_t seed = count > 4 ? std::strtoull(words[4], nullptr, 10) : identify::Options{}.seed;
    std::set<std::uint64_t> seen;
    std::vector<std::size_t> observations;
    std::size_t settled = 0, open = 0, wrong = 0, units = 0;
    double longest = 0;
    for (const CatalogueEntry& entry : catalogue()) {
        if (entry.name.find(pattern) == std::string::npos || !seen.insert(arithmetic_hash(entry.unit)).second) continue;
        if (seen.size() % every != 0) continue;
        const Shape shape = shape_of(entry.unit);
        const Evaluator evaluate(entry.unit);
        const identify::Ask ask = [&](std::span<const Inputs> batch) {
            std::vector<std::optional<std::uint64_t>> results;
            for (const Inputs& v : batch) results.emplace_back(evaluate(v));
            return results;
        };
        identify::Options options;
        options.timeout = seconds;
        options.validate = 20'000;
        options.seed = seed;
        const identify::Result r = identify::identify_target(
            shape, identify::Candidates(identify::default_space(shape, identify::Modes::usual)), ask, options);
        const bool named = std::find(r.names.begin(), r.names.end(), entry.name) != r.names.end();
        const std::uint64_t differ = r.unit ? differences(entry.unit, *r.unit) : fresh_vectors;
        std::printf("%-56s %-11s %s %4zu obs %7.2f s %6llu differ\n", entry.name.c_str(),
                    std::string(name(r.conclusion)).c_str(), named ? "named" : "-----", r.observations.size(),
                    r.seconds, static_cast<unsigned long long>(differ));
        if (!named && r.unit) std::printf("    %s\n", to_string(*r.unit).c_str());
        for (std::size_t i = 0; i < std::min<std::size_t>(r.open.size(), 4); ++i)
            std::printf("    open (%zu): %s\n", r.open.size(), r.open[i].c_str());
        std::fflush(stdout);
        ++units;
        observations.push_back(r.observations.size());
        longest = std::max(longest, r.seconds);
        const bool is_settled =
            r.conclusion == identify::Conclusion::unique || r.conclusion == identify::Conclusion::several;
        settled += is_settled ? 1 : 0;
        open += r.conclusion == identify::Conclusion::open ? 1 : 0;
        wrong += is_settled && (differ > 0 || !named) ? 1 : 0;
    }
    if (units == 0) return 2;
    std::sort(observations.begin(), observations.end());
    std::printf("%zu units: %zu settled, %zu open, %zu unexplained, %zu wrong; observations: median %zu, most %zu; "
                "longest %.1f s\n",
                units, settled, open, units - settled - open, wrong, observations[observations.size() / 2],
                observations.back(), longest);
    return wrong == 0 ? 0 : 1;
}

} // namespace discern::bench
