// See random_search.hpp.
#include "random_search.hpp"

#include "stimulus/probes/probes.hpp"

#include <vector>

namespace discern {

namespace {

constexpr std::uint64_t families_first = 2000; ///< vectors of families before every other one is a probe

} // namespace

void random_search(const Pair& pair, std::uint64_t seed, std::uint64_t tries, const Limit& limit,
                   const std::function<bool(Vector)>& visit) {
    std::vector<InputGenerator> generators;
    for (const Family family : families)
        for (const Unit* unit : {&pair.first(), &pair.second()}) generators.emplace_back(*unit, family, seed);
    const Shape shape = shape_of(pair.first());
    ProbeMaker probes(shape, seed);
    InputBuffer buffer;
    for (std::uint64_t i = 0; i < tries; ++i) {
        if (i % 256 == 0 && limit.reached()) break;
        if (i >= families_first && i % 2 == 1)
            buffer =
                probes.make(static_cast<Probe>(i / 4 % probe_kinds), i / 2 % 2 == 0 ? pair.first() : pair.second());
        else
            generators[i % generators.size()].next(buffer);
        if (pair.tells(buffer.inputs()) && !visit(vector_of(shape, buffer.inputs()))) break;
    }
}

} // namespace discern
