// Named units first, then the loop over the default space, then the named ones again with all observations.
#include "question.hpp"

#include "identification/identify/space/space.hpp"
#include "nearest.hpp"

#include "identification/which/which.hpp"
#include "models/batch.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/unit/tree_shape.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace discern::identify {

namespace {

constexpr double seconds_for_an_explained_recording = 10;
constexpr std::size_t most_near = 5;

/// The default space, or the members of the given ones.
Candidates candidates(const std::vector<std::string>& spaces, const Shape& shape) {
    if (spaces.empty()) return Candidates(default_space(shape, Modes::usual));
    std::vector<std::pair<std::string, Unit>> units;
    for (Member& member : members_of_spaces(spaces, shape, "the target"))
        units.emplace_back(std::move(member.text), std::move(member.unit));
    if (units.empty()) throw Error("--space: there is no unit in it");
    return Candidates(std::move(units));
}

/// Answers to vectors that tell the units with names apart. A target that takes long to answer is left to the loop,
/// whose vectors tell more.
std::vector<Vector> first_answers(const Shape& shape, const std::vector<Member>& units, const Ask& ask,
                                  const Options& options) {
    constexpr double quick = 0.01; // seconds for an answer
    ObserveOptions observing{.most = 1, .seconds = 0.4, .seed = options.seed, .stop = options.stop};
    double slowest = 0;
    const AskWhich timed = [&](std::span<const Inputs> batch) {
        const auto start = Limit::Clock::now();
        auto answers = ask(batch);
        slowest = std::max(slowest, seconds_since(start));
        return answers;
    };
    std::vector<Vector> observed = observe(shape, units, timed, observing);
    if (slowest > quick) return observed;
    observing.most = 1000;
    return observe(shape, units, ask, observing);
}

/// The units with names that give all of the vectors, each of which has one d.
NamedClasses consistent(const KnownUnits& known, const std::vector<Vector>& observed, bool nan_any) {
    if (observed.empty()) return {};
    const WhichAnswer answer = which(observed, nan_any, known.units, {.near = 0, .refutations = 0, .stop = {}});
    NamedClasses classes;
    for (const auto& same : answer.consistent) {
        auto& names = classes.emplace_back();
        for (const std::size_t unit : same) names.push_back(known.names[unit]);
    }
    return classes;
}

NearNamed against(const Member& member, const std::vector<Vector>& observed) {
    NearNamed near{.text = member.text, .of = observed.size()};
    const Format& d = format(member.unit.d);
    std::vector<Inputs> inputs;
    for (const Vector& vector : observed) inputs.push_back(vector.inputs());
    std::vector<std::uint64_t> results(inputs.size());
    BatchEvaluator{member.unit}(inputs, results);
    const auto is_nan = [&](std::uint64_t bits) { return decode(d, bits).number_class == NumberClass::nan; };
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::uint64_t given = results[i], right = observed[i].d.front();
        if (given == right || (is_nan(given) && is_nan(right))) continue;
        ++near.mismatches;
        ++near.kinds[static_cast<std::size_t>(difference_of(d, given, right))];
    }
    return near;
}

/// Each of the units against all observations, the nearest first. Units that compute the same are there once.
std::vector<NearNamed> nearest_named(const std::vector<Member>& units, const std::vector<Vector>& observed) {
    std::vector<NearNamed> all;
    std::set<std::uint64_t> seen;
    for (const Member& member : units)
        if (seen.insert(arithmetic_hash(member.unit)).second) all.push_back(against(member, observed));
    std::ranges::stable_sort(all, {}, &NearNamed::mismatches);
    if (all.size() > most_near) all.resize(most_near);
    return all;
}

void each_mode(Node& tree, const std::function<void(Rounding&)>& visit) {
    for_each_node(tree, [&](Node& node, Child* edge) {
        if (edge != nullptr && edge->F) visit(edge->rounding);
        if (auto* round = std::get_if<Round>(&node.kind)) visit(round->mode);
    });
}

/// The unit with one of its rounding modes replaced by one that is not usual.
std::vector<Unit> with_a_rare_mode(const Unit& unit) {
    std::vector<Unit> all;
    bool is_there = true;
    for (std::size_t place = 0; is_there; ++place)
        for (std::size_t mode = 0; mode < rounding_names.size(); ++mode) {
            if (is_usual(static_cast<Rounding>(mode))) continue;
            Unit other = unit;
            std::size_t at = 0;
            is_there = false;
            each_mode(other.tree, [&](Rounding& one) {
                if (at++ != place) return;
                one = static_cast<Rounding>(mode);
                is_there = true;
            });
            if (is_there) all.push_back(std::move(other));
        }
    return all;
}

/// Whether a target that was found to be the unit gives its results also where they would be others in a mode that is
/// not usual: such modes differ from one that is in ties of one sign alone, which nothing has asked yet.
bool has_usual_modes(const Unit& unit, const Ask& ask, const Options& options) {
    constexpr std::size_t vectors = 4096;
    InputMixture mixture(unit, options.seed + 5);
    const std::vector<Inputs> batch = mixture.batch(vectors, options.threads);
    std::vector<std::uint64_t> results(batch.size()), others(batch.size());
    BatchEvaluator{unit}(batch, results);
    std::vector<Inputs> telling;
    std::vector<std::uint64_t> expected;
    for (const Unit& other : with_a_rare_mode(unit)) {
        BatchEvaluator{other}(batch, others);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const bool is_asked = !options.finite || is_finite(shape_of(unit), batch[i]);
            if (!is_asked || same_result(unit, results[i], others[i])) continue;
            telling.push_back(batch[i]);
            expected.push_back(results[i]);
            break;
        }
    }
    if (telling.empty()) return true;
    const auto answers = ask(telling);
    for (std::size_t i = 0; i < answers.size(); ++i)
        if (answers[i] && !same_result(unit, *answers[i], expected[i])) return false;
    return true;
}

void keep_answered(std::vector<Vector>& vectors) {
    std::erase_if(vectors, [](const Vector& v) { return v.d.size() != 1; });
}

/// The recording's vectors as all that may be asked.
std::vector<Vector> inputs_of(std::vector<Vector> vectors) {
    for (Vector& vector : vectors) vector.d.clear();
    return vectors;
}

} // namespace

Identified identify(Question question, const Ask& ask) {
    Options& options = question.options;
    Identified all{.result = {}, .known = known_units(question.shape), .consistent = {}, .near = {}};
    const auto& [units, names, assumed] = all.known;
    for (std::size_t i = 0; i < units.size(); ++i) // of the catalogue it knows those of the very shape
        if (find_entry(names[i]) == nullptr) options.known.emplace_back(names[i], units[i].unit);

    const bool nan_any = question.recording && question.recording->nan_any;
    std::vector<Vector> observed =
        question.recording ? question.recording->vectors : first_answers(question.shape, units, ask, options);
    if (question.recording) options.only = inputs_of(observed);
    keep_answered(observed);
    all.consistent = consistent(all.known, observed, nan_any);
    // What a recording that a unit explains leaves open is mostly what it does not ask.
    if (question.recording && !all.consistent.empty() && !question.timeout_is_own)
        question.timeout = std::min(question.timeout, seconds_for_an_explained_recording);
    if (question.first && !all.consistent.empty()) question.first(all.consistent);

    // What is found is validated within the time, too.
    options.validate_seconds = std::min(options.validate_seconds, question.timeout / 4);
    options.timeout = question.timeout - options.validate_seconds;
    all.result = identify_target(question.shape, candidates(question.spaces, question.shape), ask, options);
    if (question.spaces.empty() && !all.result.unsteady) {
        const bool is_refuted =
            all.result.unit && !question.recording && !has_usual_modes(*all.result.unit, ask, options);
        const bool is_unexplained = all.result.conclusion == Conclusion::unexplained;
        if (is_refuted || (is_unexplained && options.timeout > all.result.seconds)) {
            // With all modes the space is so large that others take several times as long.
            options.timeout = std::max(1.0, options.timeout - all.result.seconds);
            Result with_all =
                identify_target(question.shape, Candidates(default_space(question.shape, Modes::all)), ask, options);
            with_all.seconds += all.result.seconds;
            if (is_refuted || with_all.unit) all.result = std::move(with_all);
        }
    }
    for (const Observation& later : all.result.observations) observed.push_back(later.vector);
    keep_answered(observed);
    all.consistent = consistent(all.known, observed, nan_any || all.result.unsteady_nan);
    if (all.result.conclusion == Conclusion::unexplained && !all.result.unsteady)
        all.near = nearest_named(units, observed);
    return all;
}

} // namespace discern::identify
