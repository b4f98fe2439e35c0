// Batches of inputs and probes through the fast evaluators of both units.
#include "random_search.hpp"

#include "certificate/reference.hpp"
#include "models/stimulus/probes/probes.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>

namespace discern {

namespace {

constexpr std::uint64_t families_first = 2000; ///< vectors of families before every other one is a probe

} // namespace

std::uint64_t worthwhile_tries(const Unit& unit, std::uint64_t products) {
    const std::size_t bits = certificate::input_bits(unit);
    const std::uint64_t tries = products / static_cast<std::uint64_t>(unit.K);
    return bits < 64 ? std::min(tries, std::uint64_t{1} << bits >> 2) : tries;
}

void random_search(const Pair& pair, std::uint64_t seed, std::uint64_t tries, const Limit& limit,
                   const std::function<bool(Vector)>& visit) {
    const Unit* units[] = {&pair.first(), &pair.second()};
    InputMixture mixture(units, seed);
    const Shape shape = shape_of(pair.first());
    ProbeMaker probes(shape, seed);
    InputBuffer buffer;
    for (std::uint64_t i = 0; i < tries; ++i) {
        if (i % 256 == 0 && limit.reached()) break;
        if (i >= families_first && i % 2 == 1)
            buffer = probes.make(static_cast<Probe>(i / 4 % probe_kinds), *units[i / 2 % 2]);
        else
            mixture.next(buffer);
        if (pair.tells(buffer.inputs()) && !visit(vector_of(shape, buffer.inputs()))) break;
    }
}

} // namespace discern
