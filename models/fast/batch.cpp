// See batch.hpp.
#include "models/batch.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

namespace discern {

namespace {

constexpr std::size_t fewest = 8;  ///< vectors for which kernels are worth while
constexpr std::size_t chunk = 512; ///< vectors that are copied and computed together, which stay in the cache

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

BatchEvaluator::BatchEvaluator(const Unit& unit) : one_(unit), many_(unit), has_kernels_(many_.kernels() != "general") {
    if (!has_kernels_) return;
    const auto K = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales());
    a_ = row(unit.a, K);
    b_ = row(unit.b, K);
    if (unit.c) c_ = row(*unit.c, 1);
    if (unit.scale) sa_ = sb_ = row(unit.scale->format, scales);
    d_ = row(unit.d, 1);
}

BatchEvaluator::Row BatchEvaluator::row(FormatId id, std::size_t count) const {
    Row row{.word = word_bytes(id), .count = count, .bytes = {}};
    row.bytes.resize(chunk * count * row.word);
    return row;
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
    for (std::size_t first = 0; first < batch.size(); first += chunk) {
        const std::size_t n = std::min(chunk, batch.size() - first);
        evaluate(batch.subspan(first, n), d.subspan(first, n));
    }
}

void BatchEvaluator::evaluate(std::span<const Inputs> batch, std::span<std::uint64_t> d) {
    if (!has_kernels_ || batch.size() < fewest) {
        std::transform(batch.begin(), batch.end(), d.begin(), [this](const Inputs& v) { return one_(v); });
        return;
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
        fill(a_, i, batch[i].a);
        fill(b_, i, batch[i].b);
        fill(sa_, i, batch[i].sa);
        fill(sb_, i, batch[i].sb);
        if (c_.count != 0) fill(c_, i, std::array{batch[i].c});
    }
    const std::size_t n = batch.size();
    many_.dots(n, a_.patterns(n), b_.patterns(n), c_.patterns(n), {d_.bytes.data(), n, d_.word}, sa_.patterns(n),
               sb_.patterns(n));
    with_word(d_.word, [&]<typename Word>(Word) {
        for (std::size_t i = 0; i < n; ++i) {
            Word word;
            std::memcpy(&word, d_.bytes.data() + i * sizeof word, sizeof word);
            d[i] = word;
        }
    });
}

} // namespace discern
