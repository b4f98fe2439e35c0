// What a simulated device makes of an image and of results: the reverse of what hwrunner/nvidia/fragments.hpp does, bit
// by bit.
#pragma once

#include "hwrunner/nvidia/fragments.hpp"

#include <span>
#include <vector>

namespace discern::testing {

/// The tiles in an image.
inline std::vector<MatrixTile> unpack_image(const ImageLayout& layout, const MatrixShape& shape, int tiles,
                                            std::span<const std::uint8_t> image) {
    const Shape& dot = shape.dot;
    const auto read = [&](std::size_t at, FormatId id) {
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(format(id).width); ++i)
            bits |= std::uint64_t((image[(at + i) / 8] >> ((at + i) % 8)) & 1) << i;
        return bits;
    };
    const auto take = [&](const std::vector<std::size_t>& places, std::size_t tile, int count, FormatId id) {
        std::vector<std::uint64_t> patterns;
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
            patterns.push_back(read(places[tile * static_cast<std::size_t>(count) + i], id));
        return patterns;
    };
    std::vector<MatrixTile> unpacked(static_cast<std::size_t>(tiles));
    for (std::size_t t = 0; t < unpacked.size(); ++t) {
        unpacked[t].a = take(layout.a, t, shape.M * dot.K, dot.a);
        unpacked[t].b = take(layout.b, t, shape.N * dot.K, dot.b);
        unpacked[t].c = take(layout.c, t, shape.M * shape.N, dot.c.value());
        for (const auto& places : layout.sa) unpacked[t].sa.push_back(read(places.front(), dot.scale->format));
        for (const auto& places : layout.sb) unpacked[t].sb.push_back(read(places.front(), dot.scale->format));
    }
    return unpacked;
}

/// D of all tiles, into an image of zero bytes.
inline void pack_results(const ImageLayout& layout, const MatrixShape& shape, std::span<const std::uint64_t> d,
                         std::span<std::uint8_t> image) {
    for (std::size_t i = 0; i < d.size(); ++i)
        for (std::size_t bit = 0; bit < static_cast<std::size_t>(format(shape.dot.d).width); ++bit) {
            std::uint8_t& byte = image[(layout.d[i] + bit) / 8];
            byte = static_cast<std::uint8_t>(byte | (d[i] >> bit & 1) << ((layout.d[i] + bit) % 8));
        }
}

} // namespace discern::testing
