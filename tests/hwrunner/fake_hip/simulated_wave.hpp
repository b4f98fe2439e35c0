// An mfma instruction as a test sees it, written from the other side than hwrunner/mfma_layout: from a register of a
// lane to the element that it holds, as AMD's matrix instruction calculator prints it for each instruction. The shape
// is read off the builtin's name.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace discern::testing {

struct SimulatedMfma {
    int M = 0, N = 0, K = 0;
    std::string type;     ///< f16, bf16_1k, bf8_fp8, …
    int bits = 0;         ///< of an element of A and B
    int items = 0;        ///< of A and B in a lane
    int result_bits = 32; ///< of an element of C and D
    int blocks = 0, result_items = 0;

    explicit SimulatedMfma(const std::string& builtin) {
        char rest[32] = {};
        int result = 0;
        if (std::sscanf(builtin.c_str(), "f%d_%dx%dx%d%31s", &result, &M, &N, &K, rest) != 5)
            throw std::runtime_error("no mfma builtin: " + builtin);
        type = rest[0] == '_' ? rest + 1 : rest;
        result_bits = result;
        // Registers of A: one of 32 bits for f32 and the first bf16, two for all others.
        bits = type == "f32" || type == "xf32"         ? 32
               : type == "f64"                         ? 64
               : type.find("f16") != std::string::npos ? 16
                                                       : 8;
        const int registers = type == "f32" || type == "bf16" ? 1 : 2;
        items = 32 * registers / bits;
        blocks = 64 * items / (M * K);
        result_items = M * N * blocks / 64;
    }
};

struct Element {
    int block, row, column;
};

/// Which A[row][k] (B: [column][k]) the item-th element of a lane is.
inline Element operand_element(const SimulatedMfma& mfma, int lane, int item) {
    const int row = lane % mfma.M;
    const int block = lane / mfma.M % mfma.blocks;
    const int k = mfma.items * (lane / (mfma.M * mfma.blocks)) + item;
    return {block, row, k};
}

/// Which D[row][column] the item-th element of a lane is.
inline Element result_element(const SimulatedMfma& mfma, int lane, int item) {
    const int column = lane % mfma.N;
    if (mfma.result_bits == 64) {
        if (mfma.M == 4) return {lane / 4 % 4, lane / 16, column};
        return {0, 4 * item + lane / 16, column};
    }
    if (mfma.M == 4) return {lane / 4, item, column};
    if (mfma.M == 16) return {item / 4, 4 * (lane / 16) + item % 4, column};
    return {item / 16, 8 * (item % 16 / 4) + 4 * (lane / 32) + item % 4, column};
}

/// The operands of one dot product of a wave.
struct Dot {
    std::vector<std::uint64_t> a, b;
    std::uint64_t c = 0;
};

inline std::uint64_t load(const unsigned char* memory, std::size_t index, int bits) {
    std::uint64_t value = 0;
    std::memcpy(&value, memory + index * static_cast<std::size_t>(bits / 8), static_cast<std::size_t>(bits / 8));
    return value;
}

/// The dot products of one wave: for each lane and item of D, in this order, what is to be computed.
inline std::vector<Dot> dots_of_wave(const SimulatedMfma& mfma, const unsigned char* a, const unsigned char* b,
                                     const unsigned char* c) {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    std::vector<std::uint64_t> rows(at(mfma.blocks * mfma.M * mfma.K)), columns(at(mfma.blocks * mfma.N * mfma.K));
    for (int lane = 0; lane < 64; ++lane)
        for (int item = 0; item < mfma.items; ++item) {
            const Element e = operand_element(mfma, lane, item);
            const std::size_t to = at((e.block * mfma.M + e.row) * mfma.K + e.column);
            rows[to] = load(a, at(lane * mfma.items + item), mfma.bits);
            columns[to] = load(b, at(lane * mfma.items + item), mfma.bits);
        }
    std::vector<Dot> dots;
    for (int lane = 0; lane < 64; ++lane)
        for (int item = 0; item < mfma.result_items; ++item) {
            const Element e = result_element(mfma, lane, item);
            Dot& dot = dots.emplace_back();
            const auto row = rows.begin() + (e.block * mfma.M + e.row) * mfma.K;
            const auto column = columns.begin() + (e.block * mfma.N + e.column) * mfma.K;
            dot.a.assign(row, row + mfma.K);
            dot.b.assign(column, column + mfma.K);
            dot.c = load(c, at(lane * mfma.result_items + item), mfma.result_bits);
        }
    return dots;
}

} // namespace discern::testing
