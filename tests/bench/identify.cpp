// Every arithmetic of the catalogue as a black box: is it identified, in what time, by how many vectors?
//
//     bench_identify [PATTERN] [SECONDS] [EVERY] [SEED] [--changed] [--spent]
//
// One line a unit: the verdict, whether the catalogue's name is among those found, observations, seconds of the clock,
// and how many of 10,000 fresh vectors of all families differ from the truth. The totals are at the end. With --changed
// each unit has one or two of its parameters changed, so that the catalogue does not have it; with --spent the totals
// say what observations were for, and how much of the space each of them took away.
#include "ask.hpp"
#include "drawn_pairs.hpp"
#include "programs.hpp"

#include "identification/identify/identify.hpp"
#include "identification/identify/space/space.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace discern::bench {

namespace {

constexpr std::uint64_t fresh_vectors = 10'000;

struct IdentifyOptions {
    std::string pattern;
    double seconds = 60;
    std::size_t every = 1;
    std::uint64_t seed = identify::Options{}.seed;
    bool changed = false, spent = false;
};

/// A black box.
struct Truth {
    std::string name; ///< of the catalogue
    std::string change;
    Unit unit;
};

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

/// The unit with changed parameters, of another arithmetic than any of the catalogue with the same lengths.
std::string changed(Random& random, Unit& unit, const std::set<std::uint64_t>& of_catalogue) {
    constexpr int most_draws = 100;
    for (int draw = 0; draw < most_draws; ++draw) {
        Unit other = unit;
        try {
            std::string how = change(random, other);
            if (how.empty() || how == "order" || of_catalogue.contains(arithmetic_hash(other))) continue;
            unit = other;
            return how;
        } catch (const Error&) { // it has no meaning for this unit
        }
    }
    return "";
}

std::vector<Truth> truths(const IdentifyOptions& options) {
    std::set<std::uint64_t> of_catalogue, seen;
    for (const CatalogueEntry& entry : catalogue()) of_catalogue.insert(arithmetic_hash(entry.unit));
    Random random(options.seed + 4711);
    std::vector<Truth> result;
    for (const CatalogueEntry& entry : catalogue()) {
        if (entry.name.find(options.pattern) == std::string::npos || !seen.insert(arithmetic_hash(entry.unit)).second)
            continue;
        if (seen.size() % options.every != 0) continue;
        Truth truth{entry.name, "", entry.unit};
        if (options.changed) truth.change = changed(random, truth.unit, of_catalogue);
        if (!options.changed || !truth.change.empty()) result.push_back(std::move(truth));
    }
    return result;
}

/// What observations were for, and the bits of the space that the n-th one took away, in sum.
struct Spent {
    struct Of {
        std::size_t count = 0;
        double bits = 0;
    };
    std::map<std::string, Of> by_purpose;
    std::vector<Of> by_number;
    double first = 0, last = 0; ///< bits of the space before all observations and after them

    void add(const Shape& shape, const std::vector<identify::Observation>& observations) {
        identify::Candidates left(identify::default_space(shape, identify::Modes::usual));
        double bits = left.bits();
        first += bits;
        by_number.resize(std::max(by_number.size(), observations.size()));
        for (std::size_t n = 0; n < observations.size(); ++n) {
            const Vector& v = observations[n].vector;
            left.observe(v.inputs(), v.d.front(), Limit::after(60));
            for (Of* of : {&by_purpose[observations[n].purpose], &by_number[n]}) {
                ++of->count;
                of->bits += bits - left.bits();
            }
            bits = left.bits();
        }
        last += bits;
    }
    void print(std::size_t units) const {
        const auto mean = [](double sum, std::size_t of) { return sum / static_cast<double>(of); };
        std::printf("bits of the space, in the mean: %.1f, %.1f of them left\n", mean(first, units), mean(last, units));
        for (const auto& [purpose, of] : by_purpose)
            std::printf("%-12s %6.2f a unit, %5.2f bits each\n", purpose.c_str(),
                        mean(static_cast<double>(of.count), units), mean(of.bits, of.count));
        for (std::size_t n = 0; n < by_number.size(); ++n)
            std::printf("observation %3zu: %4zu units, %5.2f bits\n", n + 1, by_number[n].count,
                        mean(by_number[n].bits, by_number[n].count));
    }
};

identify::Result identified(const Shape& shape, const Unit& truth, const IdentifyOptions& options) {
    const Evaluator evaluate(truth);
    const identify::Ask ask = [&](std::span<const Inputs> batch) {
        std::vector<std::optional<std::uint64_t>> results;
        for (const Inputs& v : batch) results.emplace_back(evaluate(v));
        return results;
    };
    identify::Options how;
    how.timeout = options.seconds;
    how.validate = 20'000;
    how.seed = options.seed;
    return identify::identify_target(
        shape, identify::Candidates(identify::default_space(shape, identify::Modes::usual)), ask, how);
}

int identify_all(const IdentifyOptions& options) {
    std::vector<std::size_t> observations;
    std::size_t settled = 0, open = 0, wrong = 0, units = 0;
    double longest = 0;
    Spent spent;
    const double before = processor_seconds();
    double in_replay = 0;
    for (const Truth& truth : truths(options)) {
        const Shape shape = shape_of(truth.unit);
        const identify::Result r = identified(shape, truth.unit, options);
        const std::uint64_t differ = r.unit ? differences(truth.unit, *r.unit) : fresh_vectors;
        const bool named = truth.change.empty() ? std::find(r.names.begin(), r.names.end(), truth.name) != r.names.end()
                                                : r.unit && differ == 0;
        std::printf("%-56s %-11s %s %4zu obs %7.2f s %6llu differ\n", (truth.name + " " + truth.change).c_str(),
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
        const double asked = processor_seconds();
        if (options.spent) spent.add(shape, r.observations);
        in_replay += processor_seconds() - asked;
    }
    if (units == 0) return 2;
    if (options.spent) spent.print(units);
    std::sort(observations.begin(), observations.end());
    std::printf("%zu units: %zu settled, %zu open, %zu unexplained, %zu wrong; observations: median %zu, most %zu; "
                "longest %.1f s; %.0f s of processor time\n",
                units, settled, open, units - settled - open, wrong, observations[observations.size() / 2],
                observations.back(), longest, processor_seconds() - before - in_replay);
    return wrong == 0 ? 0 : 1;
}

} // namespace

int run_identify(int count, char** words) {
    IdentifyOptions options;
    CLI::App line("Identifies the arithmetics of the catalogue as black boxes", "identify");
    line.add_option("PATTERN", options.pattern, "only units with this text in their names");
    line.add_option("SECONDS", options.seconds, "for each")->capture_default_str()->check(CLI::NonNegativeNumber);
    line.add_option("EVERY", options.every, "only each so many-th")->capture_default_str()->check(CLI::PositiveNumber);
    line.add_option("SEED", options.seed, "of vectors and changes")->capture_default_str();
    line.add_flag("--changed", options.changed, "with one or two parameters changed, so that no name is known");
    line.add_flag("--spent", options.spent, "what observations were for, and how much of the space each took away");
    return run_program(count, words, line, [&] { return identify_all(options); });
}

} // namespace discern::bench
