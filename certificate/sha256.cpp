#include "sha256.hpp"

#include <algorithm>
#include <bit>

namespace discern::certificate {

namespace {

using Word = std::uint32_t;
constexpr std::size_t block_bytes = 64;
/// The first bits of the fractional parts of the cube roots of 64 primes (FIPS 180-4).
constexpr std::array<Word, 64> round_constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void add_block(std::array<Word, 8>& state, const unsigned char* block) {
    std::array<Word, 64> w{};
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t k = 0; k < 4; ++k) w[i] = w[i] << 8u | block[4 * i + k];
    for (std::size_t i = 16; i < 64; ++i) {
        const Word a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3u) +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10u);
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (std::size_t i = 0; i < 64; ++i) {
        const Word one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                         round_constants[i] + w[i];
        const Word two = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + one;
        d = c;
        c = b;
        b = a;
        a = one + two;
    }
    const std::array<Word, 8> added = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) state[i] += added[i];
}

} // namespace

void Sha256::add(std::string_view bytes) {
    length_ += bytes.size();
    const auto add_block_of = [this](std::string_view text) {
        add_block(state_, reinterpret_cast<const unsigned char*>(text.data()));
    };
    if (!rest_.empty()) {
        const std::size_t taken = std::min(bytes.size(), block_bytes - rest_.size());
        rest_ += bytes.substr(0, taken);
        bytes.remove_prefix(taken);
        if (rest_.size() < block_bytes) return;
        add_block_of(rest_);
        rest_.clear();
    }
    for (; bytes.size() >= block_bytes; bytes.remove_prefix(block_bytes)) add_block_of(bytes);
    rest_ = bytes;
}

std::string Sha256::digest() {
    // The rest, a one bit, zeros, and the length in bits.
    const std::uint64_t bits = 8 * length_;
    std::string end = "\x80";
    end.resize((rest_.size() < block_bytes - 8 ? block_bytes : 2 * block_bytes) - rest_.size());
    for (std::size_t i = 0; i < 8; ++i) end[end.size() - 1 - i] = static_cast<char>(bits >> (8 * i));
    add(end);
    std::string text;
    for (const Word word : state_)
        for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(word >> shift) & 15u];
    return text;
}

std::string sha256(std::string_view bytes) {
    Sha256 sum;
    sum.add(bytes);
    return sum.digest();
}

} // namespace discern::certificate
