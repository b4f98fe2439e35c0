#include "packed_matrix.hpp"

namespace discern {

namespace {

constexpr std::size_t whole = 64; ///< elements of k: a multiple of the K of most units

struct Rows {
    const std::byte* data;
    std::size_t stride; ///< words
};
struct WritableRows {
    std::byte* data;
    std::size_t stride;
};

template <class Word>
void copy_words_transposed(Rows from, WritableRows to, std::size_t rows, std::size_t columns) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns;
             ++j) // what is written stays in the first-level cache, rows may push out others
            std::memcpy(to.data + (j * to.stride + i) * sizeof(Word), from.data + (i * from.stride + j) * sizeof(Word),
                        sizeof(Word));
}

void copy_transposed(Rows from, WritableRows to, std::size_t rows, std::size_t columns, std::size_t word) {
    switch (word) {
    case 1: return copy_words_transposed<std::uint8_t>(from, to, rows, columns);
    case 2: return copy_words_transposed<std::uint16_t>(from, to, rows, columns);
    case 4: return copy_words_transposed<std::uint32_t>(from, to, rows, columns);
    default: return copy_words_transposed<std::uint64_t>(from, to, rows, columns);
    }
}

std::unique_ptr<const PackedMatrix::Impl> packed(FormatId format, std::size_t k, std::size_t n, Patterns b,
                                                 bool by_columns) {
    fast::Chains::check("B", b.size(), b.word(), k * n, format);
    const std::size_t groups = (n + fast::panel - 1) / fast::panel, word = word_bytes(format);
    auto impl = std::make_unique<PackedMatrix::Impl>(
        PackedMatrix::Impl{format, b.data(), by_columns, k, n, (k + whole - 1) / whole * whole, 0, nullptr});
    impl->size = groups * impl->lines_of_k * fast::panel * word;
    impl->panels = std::make_unique_for_overwrite<std::byte[]>(impl->size);
    const auto* from = static_cast<const std::byte*>(b.data());
    // Some rows of k for all columns, and then the next ones: all that is read lies in a few pages.
    constexpr std::size_t rows = 32;
    for (std::size_t first = 0; first < k; first += rows)
        for (std::size_t g = 0; g < groups; ++g) {
            std::byte* to = impl->panels.get() + (g * impl->lines_of_k + first) * fast::panel * word;
            const std::size_t column = g * fast::panel, lines = std::min(fast::panel, n - column),
                              count = std::min(rows, k - first);
            if (lines < fast::panel) std::memset(to, 0, count * fast::panel * word);
            if (first + count == k)
                std::memset(to + count * fast::panel * word, 0, (impl->lines_of_k - k) * fast::panel * word);
            if (by_columns)
                copy_transposed({from + (column * k + first) * word, k}, {to, fast::panel}, lines, count, word);
            else
                for (std::size_t l = 0; l < count; ++l)
                    std::memcpy(to + l * fast::panel * word, from + ((first + l) * n + column) * word, lines * word);
        }
    return impl;
}

} // namespace

PackedMatrix::PackedMatrix(FormatId format, std::size_t k, std::size_t n, Patterns b, bool by_columns)
    : impl_(packed(format, k, n, b, by_columns)) {}

std::size_t PackedMatrix::bytes() const { return impl_->size; }

} // namespace discern
