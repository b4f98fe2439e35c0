// The generators of all families take turns, one vector each.
#include "mixture.hpp"

#include "models/parallel.hpp"

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

void InputMixture::next(std::span<InputBuffer> buffers, unsigned threads) {
    const std::size_t streams = generators_.size();
    // Each family of each unit is a stream of its own.
    for_each_index(threads, std::min(streams, buffers.size()), [&](std::size_t first) {
        InputGenerator& generator = generators_[(turn_ + first) % streams];
        for (std::size_t i = first; i < buffers.size(); i += streams) generator.next(buffers[i]);
    });
    turn_ += buffers.size();
}

std::vector<Inputs> InputMixture::batch(std::size_t n, unsigned threads) & {
    buffers_.resize(std::max(buffers_.size(), n));
    const auto made = std::span(buffers_).first(n);
    next(made, threads);
    std::vector<Inputs> views;
    for (const InputBuffer& buffer : made) views.push_back(buffer.inputs());
    return views;
}

} // namespace discern
