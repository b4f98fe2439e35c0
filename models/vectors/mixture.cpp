// See mixture.hpp.
#include "mixture.hpp"

#include <algorithm>

namespace discern {

InputMixture::InputMixture(std::span<const Unit* const> units, std::uint64_t seed) {
    for (const Unit* unit : units)
        for (const Family family : families) generators_.emplace_back(*unit, family, seed);
}

InputMixture::InputMixture(const Unit& unit, std::uint64_t seed) {
    for (const Family family : families) generators_.emplace_back(unit, family, seed);
}

void InputMixture::next(InputBuffer& buffer) { generators_[turn_++ % generators_.size()].next(buffer); }

std::vector<Inputs> InputMixture::batch(std::size_t n) & {
    buffers_.resize(std::max(buffers_.size(), n));
    std::vector<Inputs> views;
    for (std::size_t i = 0; i < n; ++i) {
        next(buffers_[i]);
        views.push_back(buffers_[i].inputs());
    }
    return views;
}

} // namespace discern
