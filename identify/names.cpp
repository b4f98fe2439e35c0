#include "names.hpp"

#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "solver/decide/discriminate.hpp"

#include <algorithm>
#include <map>

namespace discern::identify {

std::vector<std::string> catalogue_names(const Unit& found, std::span<const Observation> observations,
                                         const Options& options, const Limit& limit) {
    const Shape shape = shape_of(found);
    std::vector<std::string> names;
    std::map<std::uint64_t, bool> same; // by what they compute
    for (const CatalogueEntry& entry : catalogue()) {
        Unit unit = entry.unit;
        if (shape_of(unit) != shape) continue;
        Unit named = found;
        if (unit.nan.kind == NanRule::Kind::any) named.nan = unit.nan;
        if (unit.nan != named.nan) continue;
        const auto [known, is_new] = same.emplace(arithmetic_hash(unit), false);
        const Evaluator evaluate(unit);
        if (is_new && std::all_of(observations.begin(), observations.end(), [&](const Observation& o) {
                return same_result(unit, evaluate(o.vector.inputs()), o.vector.d.front());
            })) {
            DiscriminateOptions solving;
            solving.timeout = std::clamp(limit.seconds_left(), 1.0, 10.0);
            solving.stop = options.stop;
            solving.seed = options.seed;
            known->second = discriminate(named, unit, solving).verdict == Verdict::equivalent;
        }
        if (known->second) names.push_back(entry.name);
    }
    return names;
}

std::vector<Near> with_failures(const std::vector<Unit>& units, std::span<const Observation> observations) {
    std::vector<Near> result;
    for (const Unit& unit : units) {
        const Evaluator evaluate(unit);
        Near near;
        near.unit = unit;
        for (std::size_t i = 0; i < observations.size(); ++i) {
            const Vector& v = observations[i].vector;
            if (without_nan_bits(unit.d, evaluate(v.inputs())) != without_nan_bits(unit.d, v.d.front()))
                near.fails.push_back(i);
        }
        result.push_back(std::move(near));
    }
    return result;
}

} // namespace discern::identify
