// Vectors into whole instructions: each gets a row of A, a column of B and the element of C and D where they meet.
#include "matrix_target.hpp"
#include "models/random.hpp"

#include <algorithm>
#include <numeric>

namespace discern {

namespace {

/// 0 … n−1 in a random order.
std::vector<int> permutation(int n, Random& random) {
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (int i = n - 1; i > 0; --i)
        std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(random.below(i + 1))]);
    return order;
}

void append(std::vector<std::uint64_t>& to, std::span<const std::uint64_t> patterns) {
    to.insert(to.end(), patterns.begin(), patterns.end());
}

} // namespace

Packed pack_tiles(const MatrixShape& shape, std::span<const Inputs> batch, Random& random) {
    const auto M = static_cast<std::size_t>(shape.M), N = static_cast<std::size_t>(shape.N);
    const std::size_t per_tile = std::min(M, N);
    const auto any = [&] { return static_cast<std::size_t>(random.below(static_cast<int>(batch.size()))); };
    Packed packed;
    for (std::size_t first = 0; first < batch.size(); first += per_tile) {
        const std::size_t count = std::min(per_tile, batch.size() - first);
        const std::vector<int> rows = permutation(shape.M, random), columns = permutation(shape.N, random);
        // The vector whose row, column and c stands there; at first an arbitrary one.
        std::vector<std::size_t> in_row(M), in_column(N), in_c(M * N);
        for (auto* owners : {&in_row, &in_column, &in_c}) std::generate(owners->begin(), owners->end(), any);
        for (std::size_t v = 0; v < count; ++v) {
            const auto row = static_cast<std::size_t>(rows[v]), column = static_cast<std::size_t>(columns[v]);
            in_row[row] = in_column[column] = in_c[row * N + column] = first + v;
            packed.places.push_back({packed.tiles.size(), rows[v], columns[v]});
        }
        MatrixTile& tile = packed.tiles.emplace_back();
        for (const std::size_t v : in_row) {
            append(tile.a, batch[v].a);
            append(tile.sa, batch[v].sa);
        }
        for (const std::size_t v : in_column) {
            append(tile.b, batch[v].b);
            append(tile.sb, batch[v].sb);
        }
        if (shape.dot.c)
            for (const std::size_t v : in_c) tile.c.push_back(batch[v].c);
    }
    return packed;
}

MatrixTile tile_of_one(const MatrixShape& shape, const Inputs& inputs) {
    MatrixTile tile;
    for (int i = 0; i < shape.M; ++i) {
        append(tile.a, inputs.a);
        append(tile.sa, inputs.sa);
    }
    for (int j = 0; j < shape.N; ++j) {
        append(tile.b, inputs.b);
        append(tile.sb, inputs.sb);
    }
    if (shape.dot.c) tile.c.assign(static_cast<std::size_t>(shape.M) * static_cast<std::size_t>(shape.N), inputs.c);
    return tile;
}

} // namespace discern
