#include "names.hpp"

#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "solver/decide/discriminate.hpp"

#include <algorithm>

namespace discern::identify {

std::vector<std::string> catalogue_names(const Unit& found, std::span<const Observation> observations,
                                         const Options& options, const Limit& limit) {
    const Shape shape = shape_of(found);
    std::vector<std::string> names;
    std::vector<std::uint64_t> refuted, same;
    for (const CatalogueEntry& entry : catalogue()) {
        Unit unit = entry.unit;
        if (shape_of(unit) != shape) continue;
        Unit named = found;
        if (unit.nan.kind == NanRule::Kind::any) named.nan = unit.nan;
        if (unit.nan != named.nan) continue;
        const std::uint64_t hash = arithmetic_hash(unit);
        if (std::find(same.begin(), same.end(), hash) != same.end()) {
            names.push_back(entry.name);
            continue;
        }
        if (std::find(refuted.begin(), refuted.end(), hash) != refuted.end()) continue;
        const Evaluator evaluate(unit);
        const bool explains = std::all_of(observations.begin(), observations.end(), [&](const Observation& o) {
            return same_result(unit, evaluate(o.vector.inputs()), o.vector.d.front());
        });
        bool equal = false;
        if (explains) {
            DiscriminateOptions solving;
            solving.timeout = std::clamp(limit.seconds_left(), 1.0, 10.0);
            solving.stop = options.stop;
            solving.seed = options.seed;
            equal = discriminate(named, unit, solving).verdict == discern::Verdict::equivalent;
        }
        (equal ? same : refuted).push_back(hash);
        if (equal) names.push_back(entry.name);
    }
    return names;
}

std::vector<Near> with_failures(const std::vector<Unit>& units, std::span<const Observation> observations) {
    std::vector<Near> result;
    for (const Unit& unit : units) {
        const Evaluator evaluate(unit);
        Near near{unit, {}};
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
