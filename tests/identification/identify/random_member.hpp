// A member of a box drawn at random, for the tests that hold boxes against the units they stand for.
#pragma once

#include "models/parametric/choices.hpp"
#include "models/random.hpp"

namespace discern::identify {

inline parametric::Assignment random_member(const parametric::Box& box, Random& random) {
    parametric::Assignment member;
    for (const auto& set : box.sets)
        member.push_back(set.nth(static_cast<std::size_t>(random.below(static_cast<int>(set.count())))));
    return member;
}

} // namespace discern::identify
