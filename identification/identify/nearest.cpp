// The report if no unit agrees with all observations: the nearest ones, how often they fail, and what the failures have
// in common.
#include "nearest.hpp"

#include "models/batch.hpp"
#include "models/format.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>

namespace discern::identify {

namespace {

constexpr std::size_t nearest_units = 8, told_units = 3; ///< examined, and reported
constexpr std::uint64_t first_failures = 500,
                        more_failures = 20'000; ///< vectors by which they are compared: at first, and for the report
constexpr double seconds_for_failures = 4;
constexpr std::size_t at_once = 1000;
constexpr std::size_t looked_at = 40; ///< failing vectors, from which one product after the other is left out
constexpr std::size_t enough = 5;     ///< of these that have to agree

/// The one product without which the unit is right, on all of the vectors.
std::optional<std::size_t> lane_of(const Unit& unit, const std::vector<Vector>& failing, const Ask& ask) {
    if (failing.size() < enough) return std::nullopt;
    const Evaluator evaluate(unit);
    std::optional<std::size_t> lane;
    for (std::size_t k = 0; k < failing.front().a.size(); ++k) {
        std::vector<Vector> without = failing;
        std::vector<Inputs> batch;
        for (Vector& v : without) {
            v.a[k] = v.b[k] = 0;
            batch.push_back(v.inputs());
        }
        const auto answers = ask(batch);
        std::size_t right = 0;
        for (std::size_t i = 0; i < batch.size(); ++i)
            if (answers[i] && same_result(unit, evaluate(batch[i]), *answers[i])) ++right;
        if (right < batch.size()) continue;
        if (lane) return std::nullopt;
        lane = k;
    }
    return lane;
}

/// Runs the unit and the target on the same random vectors and counts what differs into `near`.
/// @param vectors  how many; fewer if it takes longer than so many seconds
void count_failures(Near& near, const Ask& ask, const Options& options, std::uint64_t vectors) {
    const Unit& unit = near.unit;
    const Shape shape = shape_of(unit);
    const Format& d = format(unit.d);
    const Evaluator evaluate(unit);
    const auto start = Limit::Clock::now();
    InputMixture mixture(unit, options.seed + 177);
    std::vector<Vector> failing;
    for (std::uint64_t done = 0;
         done < vectors && seconds_since(start) < seconds_for_failures && !options.stop.stop_requested();) {
        std::vector<Inputs> batch = mixture.batch(std::min<std::uint64_t>(at_once, vectors - done));
        done += batch.size();
        if (options.finite) std::erase_if(batch, [&](const Inputs& inputs) { return !is_finite(shape, inputs); });
        const auto answers = ask(batch);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (!answers[i]) continue;
            ++near.of;
            const std::uint64_t own = evaluate(batch[i]);
            if (same_result(unit, own, *answers[i])) continue;
            ++near.mismatches;
            ++near.kinds[static_cast<std::size_t>(difference_of(d, *answers[i], own))];
            if (failing.size() < looked_at) failing.push_back(vector_of(shape, batch[i]));
        }
    }
    near.lane = lane_of(unit, failing, ask);
}

/// With each unit, the observations that it does not explain, NaN as its rule has them.
std::vector<Near> with_failures(const std::vector<Unit>& units, std::span<const Observation> observations) {
    std::vector<Near> result;
    for (const Unit& unit : units) {
        const Evaluator evaluate(unit);
        Near near;
        near.unit = unit;
        for (std::size_t i = 0; i < observations.size(); ++i) {
            const Vector& v = observations[i].vector;
            if (!same_result(unit, evaluate(v.inputs()), v.d.front())) near.fails.push_back(i);
        }
        result.push_back(std::move(near));
    }
    return result;
}

} // namespace

bool is_finite(const Shape& shape, const Inputs& in) {
    const auto all = [](FormatId id, std::span<const std::uint64_t> patterns) {
        const Format& f = format(id);
        return std::ranges::all_of(
            patterns, [&f](std::uint64_t pattern) { return decode(f, pattern).number_class == NumberClass::finite; });
    };
    const bool scales = !shape.scale || (all(shape.scale->format, in.sa) && all(shape.scale->format, in.sb));
    return all(shape.a, in.a) && all(shape.b, in.b) && scales && (!shape.c || all(*shape.c, std::span(&in.c, 1)));
}

Difference difference_of(const Format& d, std::uint64_t one, std::uint64_t other) {
    const Decoded x = decode(d, one), y = decode(d, other);
    if (x.number_class != NumberClass::finite || y.number_class != NumberClass::finite) return Difference::special;
    if (x.is_zero() && y.is_zero()) return Difference::zero_sign;
    const std::int64_t apart = place_of(d, one) - place_of(d, other);
    return apart == 1 || apart == -1 ? Difference::one_ulp : Difference::other;
}

std::vector<Near> nearest(const Candidates& candidates, const std::vector<Observation>& observations, const Ask& ask,
                          const Options& options) {
    std::vector<Near> found = with_failures(candidates.nearest(nearest_units), observations);
    const auto sort_by = [&](auto number) {
        std::ranges::stable_sort(found, [&](const Near& x, const Near& y) { return number(x) < number(y); });
    };
    sort_by([](const Near& near) { return near.fails.size(); });
    if (!options.only) {
        for (Near& near : found) count_failures(near, ask, options, first_failures);
        sort_by([](const Near& near) { return near.mismatches; });
    }
    found.resize(std::min(found.size(), told_units));
    if (options.only || found.empty()) return found;
    Near& first = found.front(); // counted anew, on more vectors
    first.mismatches = first.of = 0;
    first.kinds = {};
    count_failures(first, ask, options, more_failures);
    return found;
}

} // namespace discern::identify
