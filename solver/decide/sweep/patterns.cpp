// Random members of each space, and vectors around them, as values of the circuit's variables.
#include "patterns.hpp"

namespace discern {

namespace {

constexpr int members_of_each = 4; ///< around which vectors are made, of a space that has so many

} // namespace

parametric::Assignment random_member(const parametric::UnitSpace& space, Random& random) {
    const int box = random.below(static_cast<int>(space.boxes.size()));
    return random_member(space.boxes[static_cast<std::size_t>(box)], random);
}

parametric::Assignment random_member(const parametric::Box& box, Random& random) {
    parametric::Assignment member;
    for (const parametric::ValueSet& set : box.sets)
        member.push_back(set.nth(static_cast<std::size_t>(random.below(static_cast<int>(set.count())))));
    return member;
}

SweepPatterns::SweepPatterns(const SpaceQuestion& question, const Circuit& circuit, std::uint64_t seed)
    : question_(question), circuit_(circuit), random_(seed + 11) {
    for (const parametric::UnitSpace* space : {&question.first, &question.second})
        for (int i = 0; i < (space->is_unit() ? 1 : members_of_each); ++i) {
            const Unit unit = space->structure.member(random_member(*space, random_));
            mixtures_.emplace_back(unit, seed + 17);
        }
}

Valuation valuation(const InputTerms& variables, const InputBuffer& vector) {
    Valuation values;
    for_each_input(variables, vector, [&](Term x, std::uint64_t pattern) { values.emplace_back(x, pattern); });
    return values;
}

Valuation SweepPatterns::next() {
    InputBuffer buffer;
    mixtures_[turn_++ % mixtures_.size()].next(buffer);
    Valuation values = valuation(circuit_.inputs, buffer);
    const auto choose = [&](const parametric::UnitSpace& space, const ParameterTerms& parameters) {
        const parametric::Assignment member = random_member(space, random_);
        for (parametric::Slot s = 0; s < member.size(); ++s)
            if (const auto variable = parameters.variables()[s]) values.emplace_back(*variable, member[s]);
    };
    choose(question_.first, circuit_.first);
    choose(question_.second, circuit_.second);
    return values;
}

} // namespace discern
