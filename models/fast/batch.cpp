// Packs vectors as tiles of one row each for the kernels, or evaluates them one after another.
#include "models/batch.hpp"

#include "models/parallel.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace discern {

namespace {

constexpr std::size_t fewest = 8;             ///< vectors for which kernels are worth while
constexpr std::size_t fewest_of_thread = 256; ///< for which a thread is worth while
constexpr std::size_t vectors_at_once = 512; ///< vectors that are copied and computed together, which stay in the cache

/// Calls f with a value of the unsigned type that has so many bytes.
template <typename F>
void with_word(std::size_t bytes, const F& f) {
    switch (bytes) {
    case 1: f(std::uint8_t{}); break;
    case 2: f(std::uint16_t{}); break;
    case 4: f(std::uint32_t{}); break;
    default: f(std::uint64_t{}); break;
    }
}

} // namespace

BatchEvaluator::BatchEvaluator(const Unit& unit, GemmOptions options)
    : one_(unit), many_(unit, options), has_kernels_(many_.kernels() != "general"),
      rooms_(std::max(options.threads, 1u), has_kernels_ ? room(unit) : Room{}) {}

BatchEvaluator::Room BatchEvaluator::room(const Unit& unit) {
    const auto row = [](FormatId id, std::size_t count) {
        Row made{.word = word_bytes(id), .count = count, .bytes = {}};
        made.bytes.resize(vectors_at_once * count * made.word);
        return made;
    };
    const auto K = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales());
    Room made{.a = row(unit.a, K), .b = row(unit.b, K), .c = {}, .sa = {}, .sb = {}, .d = row(unit.d, 1)};
    if (unit.c) made.c = row(*unit.c, 1);
    if (unit.scale) made.sa = made.sb = row(unit.scale->format, scales);
    return made;
}

void BatchEvaluator::fill(Row& row, std::size_t vector, std::span<const std::uint64_t> patterns) {
    if (patterns.size() != row.count) throw std::logic_error("a vector of the batch has the wrong number of patterns");
    with_word(row.word, [&]<typename Word>(Word) {
        std::byte* to = row.bytes.data() + vector * row.count * sizeof(Word);
        for (const std::uint64_t pattern : patterns) {
            const auto word = static_cast<Word>(pattern);
            std::memcpy(to, &word, sizeof word);
            to += sizeof word;
        }
    });
}

void BatchEvaluator::operator()(std::span<const Inputs> batch, std::span<std::uint64_t> d) {
    if (batch.size() != d.size()) throw std::logic_error("a batch needs room for each d");
    if (batch.empty()) return;
    const std::size_t parts = std::clamp<std::size_t>(batch.size() / fewest_of_thread, 1, rooms_.size()),
                      each = (batch.size() + parts - 1) / parts;
    for_each_index(static_cast<unsigned>(parts), parts, [&](std::size_t part) {
        const std::size_t end = std::min((part + 1) * each, batch.size());
        for (std::size_t first = part * each; first < end; first += vectors_at_once) {
            const std::size_t n = std::min(vectors_at_once, end - first);
            evaluate(batch.subspan(first, n), d.subspan(first, n), rooms_[part]);
        }
    });
}

void BatchEvaluator::evaluate(std::span<const Inputs> batch, std::span<std::uint64_t> d, Room& room) const {
    if (!has_kernels_ || batch.size() < fewest) {
        std::transform(batch.begin(), batch.end(), d.begin(), [this](const Inputs& v) { return one_(v); });
        return;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
        fill(room.a, i, batch[i].a);
        fill(room.b, i, batch[i].b);
        fill(room.sa, i, batch[i].sa);
        fill(room.sb, i, batch[i].sb);
        if (room.c.count != 0) fill(room.c, i, std::array{batch[i].c});
    }
    const std::size_t n = batch.size();
    many_.dots(n, room.a.patterns(n), room.b.patterns(n), room.c.patterns(n), {room.d.bytes.data(), n, room.d.word},
               room.sa.patterns(n), room.sb.patterns(n));
    with_word(room.d.word, [&]<typename Word>(Word) {
        for (std::size_t i = 0; i < n; ++i) {
            Word word;
            std::memcpy(&word, room.d.bytes.data() + i * sizeof word, sizeof word);
            d[i] = word;
        }
    });
}

} // namespace discern
