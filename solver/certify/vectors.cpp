#include "vectors.hpp"

#include <algorithm>
#include <bit>

namespace discern::certificate {

void Vectors::add(std::vector<std::uint64_t> words) {
    const std::uint64_t allowed = given_.vectors(words);
    if (allowed == 0) return;
    keep_only(allowed, words);
    signatures_.add_vectors(words);
    const std::uint64_t differ = value_of(signatures_.last(), miter_.different);
    if (differ == 0 || !telling_.empty()) return;
    for (const std::uint64_t word : words) telling_.push_back((word >> std::countr_zero(differ)) & 1u);
}

void Vectors::add_found(const Prover& prover) {
    std::vector<std::uint64_t> words;
    for (std::size_t i = 0; i < inputs(); ++i) {
        const auto value = prover.value_found(static_cast<std::uint32_t>(i + 1));
        std::uint64_t word = random_.bits();
        if (value) word = (*value ? ~0ull : 0) ^ (random_.bits() & random_.bits() & random_.bits() & ~1ull);
        words.push_back(word);
    }
    add(std::move(words));
}

bool Vectors::walk_from_found(const Prover& prover) {
    constexpr int rounds = 2000, of_each = 40;
    std::vector<std::uint64_t> words;
    for (std::size_t i = 0; i < inputs(); ++i)
        words.push_back(prover.value_found(static_cast<std::uint32_t>(i + 1)).value_or(false) ? ~0ull : 0);
    if (given_.vectors(words) == 0) return false;
    const int count = static_cast<int>(inputs());
    for (int round = 1; round <= rounds; ++round) {
        // Some neighbouring inputs at random, in each of the 64 vectors as far as it may be.
        std::vector<std::uint64_t> next = words;
        const int begin = random_.below(count), end = std::min(count, begin + (1 << random_.below(7)));
        for (int i = begin; i < end; ++i) next[static_cast<std::size_t>(i)] ^= random_.bits();
        const std::uint64_t good = given_.vectors(next);
        for (std::size_t i = 0; i < inputs(); ++i) words[i] = (next[i] & good) | (words[i] & ~good);
        if (round % of_each == 0) add(words);
    }
    return true;
}

} // namespace discern::certificate
