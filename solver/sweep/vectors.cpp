#include "vectors.hpp"

#include <algorithm>
#include <bit>

namespace discern::certificate {

void SweepVectors::add(Words words) {
    const std::uint64_t allowed = allowed_(words);
    if (allowed == 0) return;
    keep_only(allowed, words);
    signatures_.add_vectors(words);
    const std::uint64_t differ = value_of(signatures_.last(), differ_);
    if (differ == 0 || !telling_.empty()) return;
    for (const std::uint64_t word : words) telling_.push_back((word >> std::countr_zero(differ)) & 1u);
}

void SweepVectors::add_near(const ValueFound& found) {
    Words words;
    for (std::size_t i = 0; i < signatures_.inputs(); ++i) {
        const auto value = found(i);
        std::uint64_t word = random_.bits();
        if (value) word = (*value ? ~0ull : 0) ^ (random_.bits() & random_.bits() & random_.bits() & ~1ull);
        words.push_back(word);
    }
    add(std::move(words));
}

bool SweepVectors::walk_from(const ValueFound& found) {
    constexpr int rounds = 2000, of_each = 40;
    Words words;
    for (std::size_t i = 0; i < signatures_.inputs(); ++i) words.push_back(found(i).value_or(false) ? ~0ull : 0);
    if (allowed_(words) == 0) return false;
    const int count = static_cast<int>(words.size());
    for (int round = 1; round <= rounds; ++round) {
        // Some neighbouring inputs at random, in each of the 64 vectors as far as it may be.
        Words next = words;
        const int begin = random_.below(count), end = std::min(count, begin + (1 << random_.below(7)));
        for (int i = begin; i < end; ++i) next[static_cast<std::size_t>(i)] ^= random_.bits();
        const std::uint64_t good = allowed_(next);
        for (std::size_t i = 0; i < words.size(); ++i) words[i] = (next[i] & good) | (words[i] & ~good);
        if (round % of_each == 0) add(words);
    }
    return true;
}

} // namespace discern::certificate
