// Random tiles, and what an instruction gives for them.
#pragma once

#include "hwrunner/matrix_target.hpp"
#include "models/catalogue.hpp"
#include "models/format.hpp"
#include "models/random.hpp"

#include <vector>

namespace discern::testing {

/// Random patterns of every operand.
inline MatrixTile random_tile(const MatrixShape& shape, Random& random) {
    MatrixTile tile;
    const auto fill = [&](std::vector<std::uint64_t>& patterns, int count, FormatId id) {
        const int width = format(id).width;
        for (int i = 0; i < count; ++i) patterns.push_back(random.bits() >> (64 - width));
    };
    fill(tile.a, shape.M * shape.dot.K, shape.dot.a);
    fill(tile.b, shape.N * shape.dot.K, shape.dot.b);
    fill(tile.c, shape.M * shape.N, shape.dot.c.value());
    if (shape.dot.scale) {
        fill(tile.sa, shape.M * shape.dot.scales(), shape.dot.scale->format);
        fill(tile.sb, shape.N * shape.dot.scales(), shape.dot.scale->format);
    }
    return tile;
}

/// Appends D of the tile, as the unit gives it.
inline void evaluate_tile(const Evaluator& evaluate, const MatrixShape& shape, const MatrixTile& tile,
                          std::vector<std::uint64_t>& d) {
    const auto K = static_cast<std::size_t>(shape.dot.K), S = static_cast<std::size_t>(shape.dot.scales());
    const auto row = [](const std::vector<std::uint64_t>& patterns, std::size_t index, std::size_t count) {
        return std::span(patterns).subspan(index * count, count);
    };
    for (std::size_t i = 0; i < static_cast<std::size_t>(shape.M); ++i)
        for (std::size_t j = 0; j < static_cast<std::size_t>(shape.N); ++j)
            d.push_back(evaluate({.a = row(tile.a, i, K),
                                  .b = row(tile.b, j, K),
                                  .sa = row(tile.sa, i, S),
                                  .sb = row(tile.sb, j, S),
                                  .c = tile.c[i * static_cast<std::size_t>(shape.N) + j]}));
}

} // namespace discern::testing
