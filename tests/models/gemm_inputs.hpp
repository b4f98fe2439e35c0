// What the tests of whole products and of their kernels share: patterns in words, and batches of vectors of a family.
#pragma once

#include "differential.hpp"

#include "models/catalogue.hpp"
#include "models/gemm.hpp"

#include <array>
#include <cstring>
#include <set>

namespace discern::tests {

inline constexpr std::array sets = {KernelChoice::avx512fp16, KernelChoice::avx512, KernelChoice::avx2,
                                    KernelChoice::portable};

/// Patterns in words of their format's size.
class Words {
  public:
    Words() = default;
    Words(FormatId id, std::size_t size) : word_(word_bytes(id)), size_(size), bytes_(size * word_) {}

    void set(std::size_t i, std::uint64_t bits) { std::memcpy(bytes_.data() + i * word_, &bits, word_); }
    std::uint64_t operator[](std::size_t i) const {
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes_.data() + i * word_, word_);
        return bits;
    }
    operator Patterns() const { return {bytes_.data(), size_, word_}; }
    MutablePatterns out() { return {bytes_.data(), size_, word_}; }
    bool operator==(const Words&) const = default;

  private:
    std::size_t word_ = 1, size_ = 0;
    std::vector<std::uint8_t> bytes_;
};

/// Many vectors of a family, as the rows of the operands of Gemm::dots.
struct Batch {
    Batch(const Unit& unit, Family family, std::uint64_t seed, std::size_t n)
        : Batch(unit, family, seed, n, [](std::size_t, const InputBuffer&) {}) {}

    /// @param each  is shown each vector, with its index
    template <class Each>
    Batch(const Unit& unit, Family family, std::uint64_t seed, std::size_t n, const Each& each)
        : count(n), a(unit.a, n * static_cast<std::size_t>(unit.K)), b(unit.b, n * static_cast<std::size_t>(unit.K)),
          c(unit.c.value_or(unit.d), n), d(unit.d, n),
          sa(unit.scale ? unit.scale->format : unit.a, n * static_cast<std::size_t>(unit.scales())), sb(sa) {
        InputGenerator generator(unit, family, seed);
        InputBuffer one;
        const auto put = [](Words& to, std::size_t row, const std::vector<std::uint64_t>& from) {
            for (std::size_t k = 0; k < from.size(); ++k) to.set(row * from.size() + k, from[k]);
        };
        for (std::size_t i = 0; i < n; ++i) {
            generator.next(one);
            put(a, i, one.a);
            put(b, i, one.b);
            put(sa, i, one.sa);
            put(sb, i, one.sb);
            c.set(i, one.c);
            each(i, one);
        }
    }

    InputBuffer vector(std::size_t i) const {
        InputBuffer one;
        const auto take = [i, this](const Words& from) {
            const std::size_t width = Patterns(from).size() / count;
            std::vector<std::uint64_t> row;
            for (std::size_t k = 0; k < width; ++k) row.push_back(from[i * width + k]);
            return row;
        };
        one.a = take(a);
        one.b = take(b);
        one.sa = take(sa);
        one.sb = take(sb);
        one.c = c[i];
        return one;
    }

    std::size_t count;
    Words a, b, c, d, sa, sb;
};

/// Every different arithmetic of the catalogue.
inline std::vector<const CatalogueEntry*> arithmetics() {
    std::set<std::uint64_t> seen;
    std::vector<const CatalogueEntry*> entries;
    for (const CatalogueEntry& entry : catalogue())
        if (seen.insert(arithmetic_hash(entry.unit)).second) entries.push_back(&entry);
    return entries;
}

inline GemmOptions with(KernelChoice kernels) {
    GemmOptions options;
    options.kernels = kernels;
    return options;
}

} // namespace discern::tests
