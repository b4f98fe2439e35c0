// Which units can be compared at all. See question.hpp.
#include "question.hpp"

#include "models/error.hpp"
#include "models/parametric/family.hpp"
#include "models/shape.hpp"
#include "models/unit/sentence.hpp"

namespace discern {

std::string_view name(Verdict verdict) {
    static constexpr std::string_view names[] = {"different", "equivalent", "unknown"};
    return names[static_cast<std::size_t>(verdict)];
}

parametric::UnitSpace space_of(const Unit& unit) {
    parametric::Structure structure = parametric::structure_of(unit);
    const parametric::Box only = structure.box(0);
    return {std::move(structure), {only}};
}

Unit only_member(const parametric::UnitSpace& space) {
    return space.structure.member(parametric::Structure::first_of(space.boxes.front()));
}

SpaceQuestion as_spaces(const Question& q) { return {space_of(q.first), space_of(q.second), q.limits, {}}; }

void also(Answer& answer, const std::string& by, const Ground& ground) {
    answer.ground = weakest(answer.ground, ground);
    if (answer.by.find(by) == std::string::npos) answer.by += (answer.by.empty() ? "" : "; ") + by;
}

std::string incomparable(const Unit& first, const Unit& second) {
    const Shape one = shape_of(first), two = shape_of(second);
    const std::string what = difference(one, two);
    if (what.empty()) return "";
    const std::string advice = one.K == two.K ? "" : sentence("; an override such as {K=", one.K, "} changes K");
    return sentence("the units cannot be compared, because they differ in ", what, ": ", to_string(one), " and ",
                    to_string(two), advice);
}

void require_comparable(const Unit& first, const Unit& second) {
    if (const std::string why = incomparable(first, second); !why.empty()) throw Error(why);
}

} // namespace discern
