// Whole matrix products and batches against the general evaluator, for every arithmetic of the catalogue and every set
// of kernels that this CPU can run.
//
// DISCERN_SWEEP=n compares n vectors per family and unit instead of the quick default.
#include "differential.hpp"
#include "trees.hpp"

#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/gemm.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <set>

namespace discern::tests {
namespace {

constexpr std::array sets = {KernelChoice::avx512, KernelChoice::avx2, KernelChoice::portable};

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
std::vector<const CatalogueEntry*> arithmetics() {
    std::set<std::uint64_t> seen;
    std::vector<const CatalogueEntry*> entries;
    for (const CatalogueEntry& entry : catalogue())
        if (seen.insert(arithmetic_hash(entry.unit)).second) entries.push_back(&entry);
    return entries;
}

GemmOptions with(KernelChoice kernels) {
    GemmOptions options;
    options.kernels = kernels;
    return options;
}

/// The first vector on which the kernels differ from Evaluator.
std::optional<std::string> dots_differ(const Unit& unit, const Gemm& gemm, const Evaluator& evaluate, Family family,
                                       std::uint64_t seed, std::size_t count) {
    Batch batch(unit, family, seed, count);
    gemm.dots(count, batch.a, batch.b, batch.c, batch.d.out(), batch.sa, batch.sb);
    for (std::size_t i = 0; i < count; ++i) {
        const InputBuffer one = batch.vector(i);
        const std::uint64_t expected = evaluate(one.inputs());
        if (expected != batch.d[i])
            return std::string(name(family)) + ", seed " + std::to_string(seed) + ", vector " + std::to_string(i) + ": " +
                   describe(unit, one, expected, batch.d[i]);
    }
    return std::nullopt;
}

TEST(Gemm, DotsOfEveryArithmetic) {
    const auto count = static_cast<std::size_t>(sweep(192));
    for (const CatalogueEntry* entry : arithmetics()) {
        const Evaluator evaluate(entry->unit);
        for (const KernelChoice set : sets) {
            const Gemm gemm(entry->unit, with(set));
            if (gemm.kernels() == "general") continue;
            for (const Family family : families) {
                const auto difference = dots_differ(entry->unit, gemm, evaluate, family, 1, count);
                EXPECT_FALSE(difference) << entry->name << " with " << gemm.kernels() << ", " << *difference;
                if (difference) break;
            }
        }
    }
}

/// D by one evaluation an element and an instruction.
Words expected_product(const Unit& unit, GemmSize s, const Words& a, const Words& b, const Words& c, const Words& sa,
                       const Words& sb, std::size_t scales) {
    Unit chained = unit;
    if (unit.c) chained.c = unit.d;
    const Evaluator first(unit), rest(chained);
    const auto K = static_cast<std::size_t>(unit.K), of_step = static_cast<std::size_t>(unit.scales());
    Words d(unit.d, s.m * s.n);
    for (std::size_t i = 0; i < s.m; ++i)
        for (std::size_t j = 0; j < s.n; ++j) {
            std::uint64_t acc = unit.c ? c[i * s.n + j] : 0;
            for (std::size_t k0 = 0; k0 < s.k; k0 += K) {
                InputBuffer x;
                for (std::size_t k = k0; k < k0 + K; ++k) {
                    x.a.push_back(k < s.k ? a[i * s.k + k] : 0);
                    x.b.push_back(k < s.k ? b[k * s.n + j] : 0);
                }
                for (std::size_t l = 0; l < of_step; ++l) {
                    const std::size_t k = k0 / K * of_step + l;
                    const Format& f = format(unit.scale->format);
                    const std::uint64_t one = static_cast<std::uint64_t>(f.bias) << f.mantissa_bits;
                    x.sa.push_back(k < scales ? sa[i * scales + k] : one);
                    x.sb.push_back(k < scales ? sb[k * s.n + j] : one);
                }
                x.c = acc;
                acc = (k0 == 0 ? first : rest)(x.inputs());
            }
            d.set(i * s.n + j, acc);
        }
    return d;
}

/// The first element in which two matrices differ; empty if none.
std::string first_unequal(const Unit& unit, const Words& got, const Words& expected) {
    const std::size_t size = Patterns(got).size();
    for (std::size_t i = 0; i < size; ++i)
        if (got[i] != expected[i])
            return "element " + std::to_string(i) + ": " + hex_of(got[i], unit.d) + ", expected " +
                   hex_of(expected[i], unit.d);
    return "";
}

struct Product {
    GemmSize size;
    std::size_t scales;
    Words a, b, c, sa, sb;

    /// Rows and columns from vectors of a family, in turn.
    Product(const Unit& unit, GemmSize s, std::size_t of_k, Family family, std::uint64_t seed)
        : size(s), scales(of_k), a(unit.a, s.m * s.k), b(unit.b, s.k * s.n), c(unit.c.value_or(unit.d), s.m * s.n),
          sa(unit.scale ? unit.scale->format : unit.a, s.m * of_k), sb(unit.scale ? unit.scale->format : unit.a, of_k * s.n) {
        InputGenerator generator(unit, family, seed);
        InputBuffer x;
        const auto K = static_cast<std::size_t>(unit.K);
        const std::size_t of_step = x.sa.size();
        (void)of_step;
        for (std::size_t line = 0; line < std::max(s.m, s.n); ++line) {
            for (std::size_t k = 0; k < s.k; ++k) {
                if (k % K == 0) generator.next(x);
                if (line < s.m) a.set(line * s.k + k, x.a[k % K]);
                if (line < s.n) b.set(k * s.n + line, x.b[k % K]);
            }
            for (std::size_t k = 0; k < of_k; ++k) {
                if (line < s.m) sa.set(line * of_k + k, x.sa[k % x.sa.size()]);
                if (line < s.n) sb.set(k * s.n + line, x.sb[k % x.sb.size()]);
            }
        }
        for (std::size_t i = 0; i < s.m * s.n; ++i) {
            if (i % 7 == 0) generator.next(x);
            c.set(i, i % 3 == 0 ? 0 : x.c);
        }
    }
};

TEST(Gemm, ProductsOfEveryArithmetic) {
    std::uint64_t seed = 0;
    for (const CatalogueEntry* entry : arithmetics()) {
        const Unit& unit = entry->unit;
        ++seed;
        const auto K = static_cast<std::size_t>(unit.K);
        const GemmSize size{.m = 5, .n = 67, .k = unit.c ? K + K / 2 + 1 : K};
        for (const Family family : families) {
            const Product p(unit, size, Gemm(unit).scales(size.k), family, seed);
            const Words expected = expected_product(unit, size, p.a, p.b, p.c, p.sa, p.sb, p.scales);
            for (const KernelChoice set : {KernelChoice::avx512, KernelChoice::avx2, KernelChoice::portable, KernelChoice::general}) {
                if (set == KernelChoice::general && seed % 8 != 0) continue;
                GemmOptions options = with(set);
                options.threads = 2;
                const Gemm gemm(unit, options);
                Words d(unit.d, size.m * size.n);
                ASSERT_TRUE(gemm(size, p.a, p.b, p.c, d.out(), p.sa, p.sb));
                ASSERT_EQ(first_unequal(unit, d, expected), "")
                    << entry->name << " with " << gemm.kernels() << ", " << name(family) << ", seed " << seed;
            }
        }
    }
}

} // namespace
} // namespace discern::tests
