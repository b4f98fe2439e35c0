// See random_search.hpp.
#include "random_search.hpp"

#include <vector>

namespace discern {

Vector vector_of(const Unit& unit, const InputBuffer& buffer) {
    Vector v;
    v.a = buffer.a;
    v.b = buffer.b;
    v.sa = buffer.sa;
    v.sb = buffer.sb;
    if (unit.c) v.c = buffer.c;
    return v;
}

void random_search(const Pair& pair, std::uint64_t seed, std::uint64_t tries, const Limit& limit,
                   const std::function<bool(Vector)>& visit) {
    std::vector<InputGenerator> generators;
    for (const Family family : families)
        for (const Unit* unit : {&pair.first(), &pair.second()}) generators.emplace_back(*unit, family, seed);
    InputBuffer buffer;
    for (std::uint64_t i = 0; i < tries; ++i) {
        if (i % 256 == 0 && limit.reached()) break;
        generators[i % generators.size()].next(buffer);
        if (pair.tells(buffer.inputs()) && !visit(vector_of(pair.first(), buffer))) break;
    }
}

} // namespace discern
