#include "sha256.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace discern::certificate {

namespace {

using Word = std::uint32_t;
__extension__ using Wide = unsigned __int128;

/// The first 32 bits of the fractional part of the n-th root of a prime, in integers: floor(2^32 · root) mod 2^32.
constexpr Word fraction_of_root(std::uint64_t prime, int n) {
    std::uint64_t root =
        0; // floor(2^32 · prime^(1/n)), bit by bit; the primes are below 512, so it has at most 37 bits
    for (int bit = 36; bit-- > 0;) {
        const Wide x = root | (std::uint64_t{1} << bit);
        // x² ≤ prime·2^64, or x³ ≤ prime·2^96; both sides are below 2^112.
        const bool fits =
            n == 2 ? x * x <= static_cast<Wide>(prime) << 64u : x * x * x <= static_cast<Wide>(prime) << 96u;
        if (fits) root = static_cast<std::uint64_t>(x);
    }
    return static_cast<Word>(root);
}

constexpr std::array<Word, 64> primes = [] {
    std::array<Word, 64> list{};
    std::size_t count = 0;
    for (Word x = 2; count < list.size(); ++x) {
        bool prime = true;
        for (std::size_t i = 0; i < count; ++i) prime = prime && x % list[i] != 0;
        if (prime) list[count++] = x;
    }
    return list;
}();

constexpr std::array<Word, 64> round_constants = [] {
    std::array<Word, 64> list{};
    for (std::size_t i = 0; i < 64; ++i) list[i] = fraction_of_root(primes[i], 3);
    return list;
}();

constexpr std::array<Word, 8> initial_state = [] {
    std::array<Word, 8> list{};
    for (std::size_t i = 0; i < 8; ++i) list[i] = fraction_of_root(primes[i], 2);
    return list;
}();
static_assert(initial_state[0] == 0x6a09e667 && round_constants[63] == 0xc67178f2);

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

std::string sha256(std::string_view bytes) {
    std::array<Word, 8> state = initial_state;
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    std::size_t at = 0;
    for (; at + 64 <= bytes.size(); at += 64) add_block(state, data + at);
    // The rest, a one bit, zeros, and the length in bits.
    std::array<unsigned char, 128> last{};
    const std::size_t rest = bytes.size() - at, end = rest < 56 ? 64 : 128;
    for (std::size_t i = 0; i < rest; ++i) last[i] = data[at + i];
    last[rest] = 0x80;
    const std::uint64_t length = static_cast<std::uint64_t>(bytes.size()) * 8;
    for (std::size_t i = 0; i < 8; ++i) last[end - 1 - i] = static_cast<unsigned char>(length >> (8 * i));
    for (std::size_t i = 0; i < end; i += 64) add_block(state, last.data() + i);

    std::string text;
    for (const Word word : state)
        for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[(word >> shift) & 15u];
    return text;
}

} // namespace discern::certificate
