// A unit as a subject: one product of matrices for each tile.
#include "subject.hpp"

namespace discern::measure {

namespace {

Patterns row_of(const Patterns& all, std::size_t row, std::size_t length) {
    return {static_cast<const std::byte*>(all.data()) + row * length * all.word(), length, all.word()};
}

} // namespace

void UnitSubject::compute(const Tile& tile, MutablePatterns d) const {
    if (tile.combined) {
        gemm_({tile.rows, tile.columns, tile.K}, tile.a, tile.b_turned, tile.c, d, tile.sa, tile.sb_turned);
        return;
    }
    const Unit& unit = gemm_.unit();
    if (tile.K == static_cast<std::size_t>(unit.K)) {
        gemm_.dots(tile.rows, tile.a, tile.b, unit.c ? tile.c : Patterns{}, d, tile.sa, tile.sb);
        return;
    }
    const std::size_t scales = gemm_.scales(tile.K);
    for (std::size_t i = 0; i < tile.rows; ++i) { // a product of one element, whose K is that of the chain
        const MutablePatterns one(static_cast<std::byte*>(d.data()) + i * d.word(), 1, d.word());
        gemm_({1, 1, tile.K}, row_of(tile.a, i, tile.K), row_of(tile.b, i, tile.K), row_of(tile.c, i, 1), one,
              row_of(tile.sa, i, scales), row_of(tile.sb, i, scales));
    }
}

} // namespace discern::measure
