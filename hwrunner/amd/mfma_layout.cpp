#include "mfma_layout.hpp"

namespace discern {

namespace {

constexpr int lanes = 64;

std::size_t index(const LanePlace& place, int items) {
    return static_cast<std::size_t>(place.lane) * static_cast<std::size_t>(items) +
           static_cast<std::size_t>(place.item);
}

void store(unsigned char* to, std::uint64_t pattern, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<unsigned char>(pattern >> (8 * i));
}

std::size_t element_bytes(const MfmaInstruction& instruction) {
    return static_cast<std::size_t>(instruction.operand->bits) / 8;
}
std::size_t result_element_bytes(const MfmaInstruction& instruction) { return instruction.is_f64() ? 8 : 4; }

/// Room for one more wave; @return where it begins
unsigned char* grow(std::vector<unsigned char>& image, std::size_t bytes) {
    image.resize(image.size() + bytes);
    return image.data() + image.size() - bytes;
}

} // namespace

LanePlace operand_place(const MfmaInstruction& instruction, int block, int row_or_column, int k) {
    const int items = instruction.operand->items;
    return {.lane = row_or_column + instruction.M * (block + instruction.blocks() * (k / items)), .item = k % items};
}

LanePlace result_place(const MfmaInstruction& instruction, int block, int i, int j) {
    const int N = instruction.N;
    if (instruction.is_f64()) // four rows side by side, each with all blocks
        return {.lane = j + N * block + 16 * (i % 4), .item = i / 4};
    // Groups of four rows are held by one lane in four registers. As many groups as fit lie side by side; then come
    // further blocks, where a block is narrower than the wave, or further registers.
    const int group = i / 4, groups_across = N == 4 ? 1 : lanes / N;
    const int groups_down = instruction.M / (4 * groups_across);
    if (N == 4) return {.lane = j + N * block, .item = i};
    return {.lane = j + N * (group % groups_across), .item = i % 4 + 4 * (group / groups_across + groups_down * block)};
}

void append_wave(const MfmaInstruction& instruction, std::span<const MatrixTile> tiles, WaveImages& images) {
    const auto K = static_cast<std::size_t>(instruction.K), N = static_cast<std::size_t>(instruction.N);
    const std::size_t bytes = element_bytes(instruction), wide = result_element_bytes(instruction);
    unsigned char* const a = grow(images.a, operand_bytes(instruction));
    unsigned char* const b = grow(images.b, operand_bytes(instruction));
    unsigned char* const c = grow(images.c, result_bytes(instruction));
    for (int block = 0; block < instruction.blocks(); ++block) {
        const MatrixTile& tile = tiles[static_cast<std::size_t>(block)];
        const auto operand = [&](unsigned char* to, const std::vector<std::uint64_t>& from, int count) {
            for (int r = 0; r < count; ++r)
                for (int k = 0; k < instruction.K; ++k) {
                    const std::size_t at = index(operand_place(instruction, block, r, k), instruction.operand->items);
                    store(to + at * bytes, from[static_cast<std::size_t>(r) * K + static_cast<std::size_t>(k)], bytes);
                }
        };
        operand(a, tile.a, instruction.M);
        operand(b, tile.b, instruction.N);
        for (int i = 0; i < instruction.M; ++i)
            for (int j = 0; j < instruction.N; ++j) {
                const std::size_t at = index(result_place(instruction, block, i, j), instruction.result_items());
                store(c + at * wide, tile.c[static_cast<std::size_t>(i) * N + static_cast<std::size_t>(j)], wide);
            }
    }
}

std::uint64_t result_at(const MfmaInstruction& instruction, std::span<const unsigned char> d, std::size_t wave,
                        int block, int i, int j) {
    const std::size_t wide = result_element_bytes(instruction);
    const std::size_t at = index(result_place(instruction, block, i, j), instruction.result_items());
    const auto from = d.subspan(wave * result_bytes(instruction) + at * wide, wide);
    std::uint64_t pattern = 0;
    for (std::size_t byte = 0; byte < wide; ++byte) pattern |= std::uint64_t{from[byte]} << (8 * byte);
    return pattern;
}

std::size_t operand_bytes(const MfmaInstruction& instruction) {
    return lanes * static_cast<std::size_t>(instruction.operand->items) * element_bytes(instruction);
}
std::size_t result_bytes(const MfmaInstruction& instruction) {
    return lanes * static_cast<std::size_t>(instruction.result_items()) * result_element_bytes(instruction);
}

} // namespace discern
