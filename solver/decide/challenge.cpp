// Batches of aimed vectors through both sides.
#include "challenge.hpp"

#include "challenge_vectors.hpp"

#include "models/batch.hpp"
#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "models/shape.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <utility>

namespace discern {

namespace {

// Products that all sides together compute, and vectors of each pair: some milliseconds. Of long kernels, and of many
// sides, each still gets the fewest.
constexpr std::uint64_t products = 160'000;
constexpr std::uint64_t most_products = 8'000'000;
constexpr std::size_t batch = 512, most_views = 4;
constexpr std::size_t fewest_for_kernels = 256; ///< vectors; the tables of a kernel take a millisecond

bool differ(const Format& d, bool any_nan, std::optional<std::uint64_t> one, std::optional<std::uint64_t> other) {
    if (!one || !other || *one == *other) return false;
    const auto is_nan = [&d](std::uint64_t x) { return decode(d, x).number_class == NumberClass::nan; };
    return !any_nan || !is_nan(*one) || !is_nan(*other);
}

/// A unit's evaluators, each made when it is needed.
struct UnitEvaluators {
    const Unit unit;
    std::optional<Evaluator> one{};
    std::optional<BatchEvaluator> many{};

    Side::Results run(std::span<const Inputs> inputs) {
        std::vector<std::uint64_t> d(inputs.size());
        if (inputs.size() >= fewest_for_kernels) {
            if (!many) many.emplace(unit);
            (*many)(inputs, d);
        } else {
            if (!one) one.emplace(unit);
            std::transform(inputs.begin(), inputs.end(), d.begin(), std::cref(*one));
        }
        return {d.begin(), d.end()};
    }
};

} // namespace

Side side_of(const Unit& unit) {
    const auto evaluators = std::make_shared<UnitEvaluators>(UnitEvaluators{unit});
    return {to_string(unit), [evaluators](std::span<const Inputs> inputs) { return evaluators->run(inputs); },
            [evaluators](const Inputs& inputs) { return evaluate_exactly(evaluators->unit, inputs); },
            unit.nan.kind == NanRule::Kind::any};
}

Side side_of(const Kernel& kernel) {
    const auto evaluator = std::make_shared<std::optional<KernelEvaluator>>(); // which long kernels may not need
    return {to_string(kernel),
            [kernel, evaluator](std::span<const Inputs> inputs) {
                if (!*evaluator) evaluator->emplace(kernel);
                Side::Results d;
                for (const Inputs& one : inputs) d.emplace_back((**evaluator)(one));
                return d;
            },
            [kernel](const Inputs& inputs) { return evaluate_exactly(kernel, inputs); },
            kernel.d() != kernel.unit.d || kernel.unit.nan.kind == NanRule::Kind::any};
}

Claim claim_of(const Unit& first, const UnitList& others, const InputLimits& limits) {
    Claim claim{side_of(first), others.size, [others](std::size_t i) { return side_of(others[i]); },
                first.d,        {first},     limits};
    const std::size_t views = std::min(others.size, most_views - 1);
    for (std::size_t view = 1; view <= views; ++view) claim.views.push_back(others[view * others.size / views - 1]);
    return claim;
}

Claim claim_of(const Kernel& first, const Kernel& second, const InputLimits& limits) {
    return {side_of(first),
            1,
            [second](std::size_t) { return side_of(second); },
            first.d(),
            {chain_of(first), chain_of(second)},
            limits};
}

Challenged challenge(const Claim& claim) {
    if (claim.others == 0) return {};
    const Unit& view = claim.views.front();
    const Format& d = format(claim.d);
    const auto each = static_cast<std::uint64_t>(view.K) * (claim.others + 1);
    const std::uint64_t wanted =
        std::min({std::max(2 * products / each, fewest_challenging), claim.most, most_products / each});
    ChallengeVectors aimed(claim.views, claim.limits);
    std::vector<Vector> vectors;
    for (std::uint64_t n = 0; n < wanted; ++n)
        if (Vector v = aimed.next(); claim.limits.none() || allows(claim.limits, view, v.inputs()))
            vectors.push_back(std::move(v));
    std::vector<Inputs> inputs;
    for (const Vector& v : vectors) inputs.push_back(v.inputs());
    if (inputs.empty()) return {};
    const Side::Results of_first = claim.first.run(inputs);
    for (std::size_t i = 0; i < claim.others; ++i) {
        const Side other = claim.other(i);
        const bool any_nan = claim.first.any_nan || other.any_nan;
        for (std::size_t begin = 0; begin < inputs.size(); begin += batch) {
            const auto part = std::span<const Inputs>(inputs).subspan(begin, std::min(batch, inputs.size() - begin));
            const Side::Results of_other = other.run(part);
            for (std::size_t n = 0; n < part.size(); ++n) {
                if (!differ(d, any_nan, of_first[begin + n], of_other[n])) continue;
                Vector v = vectors[begin + n];
                const auto exact_first = claim.first.exactly(v.inputs()), exact_other = other.exactly(v.inputs());
                if (!exact_first || !exact_other) continue;
                v.d = {*of_first[begin + n], *of_other[n]};
                v.d_is_list = true;
                return {vectors.size(), Counterexample{claim.first.text, other.text, std::move(v),
                                                       !differ(d, any_nan, exact_first, of_first[begin + n]) &&
                                                           !differ(d, any_nan, exact_other, of_other[n])}};
            }
        }
    }
    return {vectors.size(), std::nullopt};
}

std::uint64_t require_unrefuted(const Claim& claim, const std::string& by, const std::filesystem::path& reports) {
    const Challenged challenged = challenge(claim);
    if (!challenged.refuted) return challenged.vectors;
    const Counterexample& shown = *challenged.refuted;
    const std::string vector = to_json(shape_of(claim.views.front()), shown.vector);
    const std::string text = "'" + by + "' found that two sides are the same, and they differ on a vector.\n" +
                             "first:  " + shown.first + "\nsecond: " + shown.second + "\nvector: " + vector + "\n" +
                             (shown.confirmed ? "The exact oracle confirms both results.\n"
                                              : "The exact oracle does not confirm both results.\n");
    const std::filesystem::path file =
        reports / ("discern-report-" + std::to_string(std::hash<std::string>()(text)) + ".txt");
    std::ofstream(file) << text;
    throw std::logic_error("'" + by + "' found that two sides are the same, and they differ on " + vector +
                           (shown.confirmed ? "" : ", where the evaluators contradict each other too") +
                           "; see the report " + file.string());
}

} // namespace discern
