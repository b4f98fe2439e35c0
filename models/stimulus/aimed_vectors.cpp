// Probes and families take turns. In half of the vectors of a family only the last block has terms, since later blocks
// often hide what a block rounds away.
#include "aimed_vectors.hpp"

#include "models/members.hpp"
#include "models/shape.hpp"

namespace discern {

namespace {

/// Leaves only the last block with terms, since following blocks often hide what a block rounds away.
void keep_last_block(const Unit& unit, InputBuffer& buffer) {
    for (int block = 0; block + 1 < unit.blocks(); ++block)
        for (int l = 0; l < unit.L; ++l) {
            const auto k = static_cast<std::size_t>(unit.element(block, l));
            buffer.a[k] = buffer.b[k] = 0;
        }
}

} // namespace

AimedVectors::AimedVectors(std::span<const Unit> views, std::uint64_t seed)
    : views_(views), mixture_(each_of(views), seed), probes_(shape_of(views.front()), seed) {}

Vector AimedVectors::next() {
    const std::uint64_t i = made_++;
    const Unit& unit = views_.front();
    if (i % 3 == 0) {
        buffer_ = probes_.make(static_cast<Probe>(i / 3 % probe_kinds), views_[i / 3 / probe_kinds % views_.size()]);
    } else {
        mixture_.next(buffer_);
        if (i % 2 == 1) keep_last_block(unit, buffer_);
    }
    return vector_of(shape_of(unit), buffer_.inputs());
}

} // namespace discern
