// The final report: names of the catalogue for what was found, and which remaining units are equivalent.
#include "names.hpp"

#include "models/catalogue.hpp"
#include "solver/decide/discriminate.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace discern::identify {

std::vector<NamedUnit> units_with_names(const Shape& shape, const Options& options) {
    std::vector<NamedUnit> units;
    for (const CatalogueEntry& entry : catalogue())
        if (shape_of(entry.unit) == shape) units.push_back({entry.name, entry.unit});
    for (const auto& [name, unit] : options.known)
        if (shape_of(unit) == shape) units.push_back({name, unit});
    return units;
}

std::vector<NamedUnit> catalogue_names(const Unit& found, std::span<const Observation> observations,
                                       const Options& options, const Limit& limit) {
    std::vector<NamedUnit> names;
    std::map<std::uint64_t, Answer> same; // by what they compute
    for (auto& [name, unit, ground] : units_with_names(shape_of(found), options)) {
        Unit named = found;
        if (unit.nan.kind == NanRule::Kind::any) named.nan = unit.nan;
        if (unit.nan != named.nan) continue;
        const auto [known, is_new] = same.try_emplace(arithmetic_hash(unit));
        const Evaluator evaluate(unit);
        if (is_new && std::ranges::all_of(observations, [&, &unit = unit](const Observation& o) {
                return same_result(unit, evaluate(o.vector.inputs()), o.vector.d.front());
            })) {
            DiscriminateOptions solving;
            solving.timeout = std::clamp(limit.seconds_left(), 1.0, 10.0);
            solving.stop = options.stop;
            solving.seed = options.seed;
            known->second = discriminate(named, unit, solving);
        }
        const Answer& answer = known->second;
        if (answer.verdict == Verdict::equivalent) names.push_back({std::move(name), unit, answer.ground});
    }
    return names;
}

std::optional<std::vector<Unit>> members_of(const Remaining& rest) {
    constexpr double most_bits = 9;
    double members = 0;
    for (const parametric::Box& box : rest.space.boxes) members += std::exp2(box.bits());
    if (members > std::exp2(most_bits) + 0.5) return std::nullopt;
    std::vector<Unit> units;
    for (const parametric::Box& box : rest.space.boxes) {
        parametric::Assignment member(box.sets.size());
        const auto choose = [&](const auto& self, std::size_t variable) -> void {
            if (variable < member.size()) {
                box.sets[variable].for_each([&](std::size_t value) {
                    member[variable] = value;
                    self(self, variable + 1);
                });
                return;
            }
            Unit unit = rest.space.structure.member(member);
            if (gives(unit, rest.put_off)) units.push_back(std::move(unit));
        };
        choose(choose, 0);
    }
    return units;
}

} // namespace discern::identify
