// See random_search.hpp.
#include "random_search.hpp"

#include <vector>

namespace discern {

void random_search(const Pair& pair, std::uint64_t seed, std::uint64_t tries, const Limit& limit,
                   const std::function<bool(Vector)>& visit) {
    std::vector<InputGenerator> generators;
    for (const Family family : families)
        for (const Unit* unit : {&pair.first(), &pair.second()}) generators.emplace_back(*unit, family, seed);
    const Shape shape = shape_of(pair.first());
    InputBuffer buffer;
    for (std::uint64_t i = 0; i < tries; ++i) {
        if (i % 256 == 0 && limit.reached()) break;
        generators[i % generators.size()].next(buffer);
        if (pair.tells(buffer.inputs()) && !visit(vector_of(shape, buffer.inputs()))) break;
    }
}

} // namespace discern
