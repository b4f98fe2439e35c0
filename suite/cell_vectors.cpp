// See cell_vectors.hpp.
#include "cell_vectors.hpp"

#include "models/shape.hpp"

namespace discern {

namespace {

/// What a block rounds away, the following blocks often hide.
void keep_last_block(const Unit& unit, InputBuffer& buffer) {
    for (int block = 0; block + 1 < unit.blocks(); ++block)
        for (int l = 0; l < unit.L; ++l) {
            const auto k = static_cast<std::size_t>(unit.element(block, l));
            buffer.a[k] = buffer.b[k] = 0;
        }
}

} // namespace

CellVectors::CellVectors(const std::vector<const Unit*>& views, std::uint64_t seed) : unit_(*views.front()) {
    for (const Unit* unit : views) {
        for (const Family family : families) generators_.emplace_back(*unit, family, seed);
        edges_.emplace_back(*unit, seed);
    }
}

Vector CellVectors::next() {
    const std::uint64_t i = made_++;
    if (i % 3 == 0) return edges_[i / 3 % edges_.size()].next();
    generators_[i % generators_.size()].next(buffer_);
    if (i % 2 == 1) keep_last_block(unit_, buffer_);
    return vector_of(shape_of(unit_), buffer_.inputs());
}

} // namespace discern
