// Offers vectors and scores them by the results that samples of the candidates give.
#include "offers.hpp"

#include "models/batch.hpp"
#include "solver/decide/sweep/patterns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace discern::identify {

namespace {

constexpr std::size_t vectors_for_a_member = 2000;

/// The most forks of a vector's evaluation over the candidates, how many of the best vectors are tried, and of a
/// hundred boxes, how many may have more forks.
struct Clarity {
    std::size_t paths, tried, but;
};
constexpr std::array<Clarity, 2> clear_to_all = {{{300, pool_size, 0}, {1500, 40, 0}}};
constexpr std::array<Clarity, 2> clear_to_most = {{{300, 40, 10}, {1500, 40, 10}}};

/// How well an answer distinguishes the samples: expected bits of information about the structure, or about everything.
double information(const std::vector<Sample>& samples, const std::vector<std::uint64_t>& results, Aim aim) {
    std::map<std::uint64_t, double> by_result;
    std::map<std::size_t, double> by_structure;
    std::map<std::pair<std::size_t, std::uint64_t>, double> by_both;
    for (std::size_t m = 0; m < samples.size(); ++m) {
        ++by_result[results[m]];
        ++by_structure[samples[m].structure];
        ++by_both[{samples[m].structure, results[m]}];
    }
    const auto n = static_cast<double>(samples.size());
    const auto entropy = [&](const auto& counts) {
        double sum = 0;
        for (const auto& [key, count] : counts) sum -= count / n * std::log2(count / n);
        return sum;
    };
    const double all = entropy(by_result);
    if (aim != Aim::structure) return all;
    const double within = entropy(by_both) - entropy(by_structure); // what details add to the answer
    return all - within < 1e-9 ? 0 : all - 1.2 * within + 1e-3;
}

/// How many bits of information the answer gives if one of the likely units is the target: the surprise of its result
/// among the results of the samples, in the mean. (If each of the samples is as likely as another, this is the
/// entropy.)
double surprise(const std::vector<std::uint64_t>& results, const std::vector<std::uint64_t>& of_likely) {
    double sum = 0;
    for (const std::uint64_t d : of_likely)
        sum -= std::log2(static_cast<double>(1 + std::count(results.begin(), results.end(), d)) /
                         static_cast<double>(1 + results.size()));
    return sum / static_cast<double>(of_likely.size());
}

/// The vectors to choose from, each with its purpose; made around the samples, and half of them around likely units.
std::vector<Offer> pool(const Shape& shape, const std::vector<Sample>& samples, const std::vector<Sample>& likely,
                        Aim aim, ProbeMaker& probes, Random& random) {
    static constexpr std::array structural = {Probe::swamp,  Probe::swamp,    Probe::swamp, Probe::thin,
                                              Probe::ladder, Probe::rounding, Probe::family};
    std::vector<Offer> result;
    for (std::size_t i = 0; i < pool_size; ++i) {
        const Probe probe = aim == Aim::simple      ? Probe::thin
                            : aim == Aim::structure ? structural[i % structural.size()]
                                                    : static_cast<Probe>(i % probe_kinds);
        const std::vector<Sample>& from = !likely.empty() && random.one_in(2) ? likely : samples;
        const Unit& around = from[static_cast<std::size_t>(random.below(static_cast<int>(from.size())))].unit;
        result.push_back({vector_of(shape, probes.make(probe, around).inputs()), std::string(name(probe))});
    }
    return result;
}

} // namespace

std::vector<Offer> offers(const Shape& shape, const std::vector<Sample>& samples, const std::vector<Sample>& likely,
                          Aim aim, const std::optional<std::vector<Vector>>& only, ProbeMaker& probes, Random& random) {
    std::vector<Evaluator> evaluators, evaluators_of_likely;
    for (const Sample& sample : samples) evaluators.emplace_back(sample.unit);
    for (const Sample& one : likely) evaluators_of_likely.emplace_back(one.unit);
    std::vector<Offer> result;
    if (only)
        for (const Vector& v : *only) result.push_back({v, "recorded"});
    else
        result = pool(shape, samples, likely, aim, probes, random);
    std::vector<std::uint64_t> results(samples.size()), of_likely(likely.size());
    for (Offer& offer : result) {
        const Inputs inputs = offer.vector.inputs();
        for (std::size_t m = 0; m < samples.size(); ++m) results[m] = without_nan_bits(shape.d, evaluators[m](inputs));
        for (std::size_t m = 0; m < likely.size(); ++m)
            of_likely[m] = without_nan_bits(shape.d, evaluators_of_likely[m](inputs));
        offer.score = likely.empty() ? information(samples, results, aim) : surprise(results, of_likely);
    }
    std::erase_if(result, [](const Offer& offer) { return offer.score <= 1e-9; });
    std::ranges::stable_sort(result, [](const Offer& x, const Offer& y) { return x.score > y.score; });
    return result;
}

std::optional<std::size_t> first_clear(const std::vector<Offer>& offers, const Candidates& candidates,
                                       std::optional<std::size_t> focus, const Limit& limit) {
    std::vector<std::optional<std::size_t>> turns = {std::nullopt};
    if (focus) turns.push_back(focus);
    const auto first = [&](const Clarity& c, std::optional<std::size_t> whose) -> std::optional<std::size_t> {
        for (std::size_t i = 0; i < std::min(offers.size(), c.tried) && !limit.reached(); ++i)
            if (candidates.can_observe(offers[i].vector.inputs(), whose, c.paths, candidates.boxes() * c.but / 100))
                return i;
        return std::nullopt;
    };
    for (const auto& whose : turns)
        for (const Clarity& clarity : clear_to_all)
            if (const auto found = first(clarity, whose)) return found;
    for (const Clarity& clarity : clear_to_most)
        if (const auto found = first(clarity, std::nullopt)) return found;
    return std::nullopt;
}

std::optional<Offer> offer_between(const Shape& shape, const Unit& named, const Remaining& rest, ProbeMaker& probes,
                                   Random& random, const Limit& limit,
                                   const std::function<bool(const Offer&)>& wanted) {
    const auto member = [&](const Assignment& values) { return rest.space.structure.member(values); };
    if (rest.space.is_unit() && member(Structure::first_of(rest.space.boxes.front())).tree == named.tree)
        return std::nullopt;
    const Evaluator one(named);
    do {
        const Unit other = member(random_member(rest.space, random));
        if (!gives(other, rest.put_off)) continue;
        const Evaluator two(other);
        for (std::size_t i = 0; i < vectors_for_a_member; ++i) {
            const auto probe = static_cast<Probe>(i % probe_kinds);
            const InputBuffer v = probes.make(probe, i / probe_kinds % 2 == 0 ? named : other);
            if (without_nan_bits(shape.d, one(v.inputs())) == without_nan_bits(shape.d, two(v.inputs()))) continue;
            Offer offer{vector_of(shape, v.inputs()), std::string(name(probe))};
            if (wanted(offer)) return offer;
        }
    } while (!limit.reached());
    return std::nullopt;
}

} // namespace discern::identify
