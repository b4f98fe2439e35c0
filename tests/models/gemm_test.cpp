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
#include <bit>
#include <cmath>
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
    const auto count = static_cast<std::size_t>(sweep(128));
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

TEST(Gemm, DotsOfInstructions) {
    // One unit of each kind of kernel, in large numbers; every thousandth vector against the oracle too.
    constexpr std::size_t batch = 1 << 14;
    const auto count = static_cast<std::size_t>(sweep(1000));
    for (const char* name :
         {"hopper/wgmma.m64n8k16.f32.f16.f16", "hopper/wgmma.m64n8k16.f32.bf16.bf16", "hopper/wgmma.m64n8k8.f32.tf32.tf32",
          "hopper/wgmma.m64n8k16.f16.f16.f16", "hopper/wgmma.m64n8k32.f32.e4m3.e4m3", "volta/mma.m8n8k4.f32.f16.f16.f16",
          "blackwell/tcgen05.mma.m128n8k32.f32.e5m2.e4m3", "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0",
          "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3", "hopper/mma.m16n8k32.f32.e4m3.e4m3.f32",
          "cdna1/v_mfma_f32_16x16x16f16", "cdna1/v_mfma_f32_16x16x8bf16", "cdna2/v_mfma_f32_16x16x16f16",
          "cdna3/v_mfma_f32_16x16x16_f16", "cdna3/v_mfma_f32_16x16x16_bf16", "cdna3/v_mfma_f32_16x16x32_fp8_fp8"}) {
        const Unit unit = resolve_unit(name);
        const Evaluator evaluate(unit);
        std::vector<Gemm> gemms;
        for (const KernelChoice set : sets) gemms.emplace_back(unit, with(set));
        for (const Family family : families)
            for (std::size_t done = 0, seed = 1; done < count; done += batch, ++seed) {
                Batch b(unit, family, seed, std::min(batch, count - done));
                std::vector<Words> got;
                for (const Gemm& gemm : gemms) {
                    ASSERT_FALSE(gemm.kernels() == "general" && &gemm == &gemms.back());
                    gemm.dots(b.count, b.a, b.b, b.c, b.d.out(), b.sa, b.sb);
                    got.push_back(b.d);
                }
                for (std::size_t i = 0; i < b.count; ++i) {
                    const InputBuffer one = b.vector(i);
                    const std::uint64_t expected = evaluate(one.inputs());
                    for (std::size_t n = 0; n < got.size(); ++n)
                        ASSERT_EQ(got[n][i], expected) << gemms[n].kernels() << ", " << discern::name(family) << ", seed "
                                                       << seed << ": " << describe(unit, one, expected, got[n][i]);
                    if (i % 1000 == 0) {
                        ASSERT_EQ(evaluate_exactly(unit, one.inputs()), expected);
                    }
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
        for (const Family family : {families[seed % 5], families[(seed + 2) % 5]}) {
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

/// Vectors that a caller makes, as a batch for Gemm::dots; every set of kernels against Evaluator and the oracle.
class Directed {
  public:
    explicit Directed(const std::string& unit) : unit_(resolve_unit(unit)), evaluate_(unit_) {}
    const Unit& unit() const { return unit_; }
    void add(InputBuffer vector) { vectors_.push_back(std::move(vector)); }

    /// @param oracle_every  compares each n-th with the oracle too
    void expect_equal(std::size_t oracle_every = 1) const {
        const std::size_t n = vectors_.size();
        const auto flat = [&](FormatId id, auto member) {
            const std::size_t width = (vectors_.front().*member).size();
            Words words(id, n * width);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t k = 0; k < width; ++k) words.set(i * width + k, (vectors_[i].*member)[k]);
            return words;
        };
        const FormatId scale = unit_.scale ? unit_.scale->format : unit_.a;
        const Words a = flat(unit_.a, &InputBuffer::a), b = flat(unit_.b, &InputBuffer::b);
        const Words sa = flat(scale, &InputBuffer::sa), sb = flat(scale, &InputBuffer::sb);
        Words c(*unit_.c, n);
        std::vector<std::uint64_t> expected(n);
        for (std::size_t i = 0; i < n; ++i) {
            c.set(i, vectors_[i].c);
            expected[i] = evaluate_(vectors_[i].inputs());
            if (i % oracle_every == 0) {
                ASSERT_EQ(expected[i], evaluate_exactly(unit_, vectors_[i].inputs()));
            }
        }
        for (const KernelChoice set : sets) {
            const Gemm gemm(unit_, with(set));
            Words d(unit_.d, n);
            gemm.dots(n, a, b, c, d.out(), sa, sb);
            for (std::size_t i = 0; i < n; ++i)
                ASSERT_EQ(d[i], expected[i]) << gemm.kernels() << ": " << describe(unit_, vectors_[i], expected[i], d[i]);
        }
    }

  private:
    Unit unit_;
    Evaluator evaluate_;
    std::vector<InputBuffer> vectors_;
};

std::uint64_t bf16(bool negative, int exponent, unsigned mantissa) {
    return (negative ? 0x8000u : 0u) | static_cast<unsigned>(exponent + 127) << 7 | mantissa;
}

TEST(Gemm, TheFloorOfBf16) {
    // Products with exponents −149 … −143 and c = ±0: a floor of −132 or −134 differs from −133 in one of a thousand.
    Random random(7);
    for (const char* variant : {"", "{floor=-132}", "{floor=-134}", "{floor=none}"}) {
        Directed test(std::string("hopper/wgmma.m64n8k16.f32.bf16.bf16") + variant);
        for (int i = 0; i < sweep(4000); ++i) {
            InputBuffer v;
            for (int k = 0; k < 16; ++k) {
                const int exponent = random.between(-149, -143), of_a = random.between(-80, -60);
                v.a.push_back(bf16(random.one_in(2), of_a, static_cast<unsigned>(random.below(128))));
                v.b.push_back(bf16(random.one_in(2), exponent - of_a, static_cast<unsigned>(random.below(128))));
            }
            v.c = random.one_in(2) ? 0x80000000 : 0;
            test.add(v);
        }
        test.expect_equal(16);
    }
}

TEST(Gemm, TheSecondFOfTr) {
    // T cut at F2 shows only where c is within a few places of cancelling it: T is c's negative, up to a last place.
    Random random(8);
    for (const char* variant : {"", "{F2=30}", "{F2=32}"})
        for (const char* unit : {"cdna3/v_mfma_f32_16x16x16_f16", "cdna3/v_mfma_f32_16x16x16_bf16"}) {
            Directed test(std::string(unit) + variant);
            const bool half = test.unit().a == FormatId::f16;
            for (int i = 0; i < sweep(4000); ++i) {
                InputBuffer v;
                v.a.assign(16, 0);
                v.b.assign(16, 0);
                for (std::size_t k = 0; k < 8; ++k) {
                    const auto e = static_cast<unsigned>(random.between(-10, 0));
                    const auto m = static_cast<unsigned>(random.below(1 << 10));
                    v.a[k] = half ? (e + 15u) << 10 | m : bf16(false, static_cast<int>(e), m & 127);
                    v.b[k] = half ? 0x3c00u | static_cast<unsigned>(random.below(1 << 10)) : bf16(random.one_in(2), 0, m >> 3);
                }
                // c so far above that T is cut near its last places.
                v.c = static_cast<unsigned>(random.between(127, 140)) << 23 | static_cast<unsigned>(random.below(1 << 23)) |
                      (random.one_in(2) ? 0x80000000u : 0u);
                test.add(v);
            }
            test.expect_equal(16);
        }
}

TEST(Gemm, OverflowOfResults) {
    // Sums at the largest finite number of d and beyond it, of both signs, by c and by products.
    Random random(9);
    for (const char* unit : {"hopper/wgmma.m64n8k16.f32.bf16.bf16", "hopper/wgmma.m64n8k16.f16.f16.f16",
                             "cdna3/v_mfma_f32_16x16x16_bf16", "cdna2/v_mfma_f32_16x16x16bf16_1k",
                             "hopper/wgmma.m64n8k16.f32.f16.f16", "cdna1/v_mfma_f32_16x16x8bf16"}) {
        Directed test(unit);
        const Format &a = format(test.unit().a), &c = format(*test.unit().c);
        const auto K = static_cast<std::size_t>(test.unit().K);
        for (int i = 0; i < sweep(2000); ++i) {
            InputBuffer v;
            for (std::size_t k = 0; k < K; ++k) {
                const auto number = [&](int exponent) {
                    return static_cast<std::uint64_t>(random.one_in(2)) << (a.width - 1) |
                           static_cast<std::uint64_t>(exponent + a.bias) << a.mantissa_bits |
                           static_cast<std::uint64_t>(random.below(1 << a.mantissa_bits));
                };
                const int top = format(test.unit().d).emax() - random.between(0, 4);
                const int of_a = std::min(top / 2, a.emax());
                v.a.push_back(number(of_a));
                v.b.push_back(number(std::min(top - of_a, a.emax())));
            }
            v.c = static_cast<std::uint64_t>(random.one_in(2)) << (c.width - 1) |
                  (pack(c, {.number_class = NumberClass::infinite}) - static_cast<std::uint64_t>(random.between(0, 64)));
            test.add(v);
        }
        test.expect_equal(16);
    }
}

TEST(Gemm, EveryPairOfE2m1Products) {
    // L = 2: all patterns of two elements of a and b, with c on both sides of what F keeps.
    for (const std::uint64_t c : {0x00000000u, 0x80000000u, 0x4b800000u, 0xca7fffffu, 0x3f800001u}) {
        Directed test("blackwell/tcgen05.mma.m128n8k32.f32.e2m1.e2m1{K=2,L=2}");
        for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
            InputBuffer v;
            v.a = {bits & 15, bits >> 4 & 15};
            v.b = {bits >> 8 & 15, bits >> 12 & 15};
            v.c = c;
            test.add(v);
        }
        test.expect_equal(64);
    }
}

TEST(Gemm, EveryE4m3Product) {
    // All pairs of patterns, beside a second product that sets the exponent and the third that follows the pair.
    for (const char* unit : {"hopper/wgmma.m64n8k32.f32.e4m3.e4m3{K=4,L=4}", "hopper/wgmma.m64n8k32.f16.e4m3.e4m3{K=4,L=4}",
                             "cdna3/v_mfma_f32_16x16x32_fp8_fp8{K=4,L=4}"}) {
        Directed test(unit);
        Random random(10);
        for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
            InputBuffer v;
            v.a = {bits & 255, static_cast<std::uint64_t>(random.below(127)), 0, bits >> 8};
            v.b = {bits >> 8, static_cast<std::uint64_t>(random.below(127)), 0x38, static_cast<std::uint64_t>(random.below(256))};
            v.c = test.unit().c == FormatId::f16 ? random.bits() & 0x7bff : random.bits() & 0xbfffffff;
            test.add(v);
        }
        test.expect_equal(64);
    }
}

TEST(Gemm, SpecialOperandsAreNoCliff) {
    // One NaN or infinity in every row of A: the kernels' own answer is compared with Evaluator's.
    const Unit unit = resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16");
    const GemmSize size{.m = 8, .n = 70, .k = 48};
    Product p(unit, size, 0, Family::normal, 3);
    for (std::size_t i = 0; i < size.m; ++i) p.a.set(i * size.k + 5 * i % size.k, i % 2 == 0 ? 0x7e01 : 0xfc00);
    p.b.set(3, 0x7c00);
    p.c.set(11, 0xff800000);
    const Words expected = expected_product(unit, size, p.a, p.b, p.c, p.sa, p.sb, 0);
    for (const KernelChoice set : sets) {
        const Gemm gemm(unit, with(set));
        Words d(unit.d, size.m * size.n);
        ASSERT_TRUE(gemm(size, p.a, p.b, p.c, d.out()));
        EXPECT_EQ(first_unequal(unit, d, expected), "") << gemm.kernels();
    }
}

TEST(Gemm, AlphaBetaAndFromZero) {
    // Against the same written with units: from +0, then one multiply-add.
    const Unit unit = resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16");
    const GemmSize size{.m = 7, .n = 65, .k = 40};
    const Product p(unit, size, 0, Family::cancelling, 4);
    Words zero(unit.d, size.m * size.n);
    const Words sums = expected_product(unit, size, p.a, p.b, zero, p.sa, p.sb, 0);
    for (const auto& [alpha, beta, from_zero] : {std::tuple{1.0, 1.0, true}, {0.75, -3.0, false}, {2.0, 0.0, false}}) {
        GemmOptions options;
        options.alpha = alpha;
        options.beta = beta;
        options.from_zero = from_zero;
        Words d(unit.d, size.m * size.n);
        ASSERT_TRUE(Gemm(unit, options)(size, p.a, p.b, beta == 0 ? Patterns() : Patterns(p.c), d.out()));
        for (std::size_t i = 0; i < size.m * size.n; ++i) {
            const auto number = [](std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); };
            const float term = beta == 0 ? 0.0F : static_cast<float>(beta) * number(p.c[i]);
            const float want = std::fma(static_cast<float>(alpha), number(sums[i]), term);
            const std::uint64_t bits = std::isnan(want) ? unit.nan.bits : std::bit_cast<std::uint32_t>(want);
            ASSERT_EQ(d[i], bits) << "element " << i;
        }
    }
}

TEST(Gemm, SaysWhatIsWrong) {
    const Unit unit = resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16");
    const Gemm gemm(unit);
    std::vector<std::uint16_t> a(4), b(4);
    std::vector<std::uint32_t> c(4), d(4);
    const auto run = [&](GemmSize size, Patterns left) {
        return gemm(size, left, std::span(b), std::span(c), std::span(d));
    };
    EXPECT_TRUE(run({2, 2, 2}, std::span(a)));
    EXPECT_THROW(run({2, 2, 0}, std::span(a)), Error);
    EXPECT_THROW(run({3, 2, 2}, std::span(a)), Error);
    EXPECT_THROW(run({2, 2, 2}, std::span(c)), Error);
    GemmOptions options;
    options.alpha = 0.1;
    EXPECT_THROW(Gemm(unit, options), Error);
    const Gemm dpps(resolve_unit("x86/dpps"));
    std::vector<std::uint32_t> x(8);
    EXPECT_THROW(dpps({1, 1, 8}, std::span(x), std::span(x), {}, std::span(d.data(), 1)), Error);
}

TEST(Gemm, ProgressEndsTheWork) {
    GemmOptions options;
    options.progress = [](double) { return false; };
    const Gemm gemm(resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16"), options);
    std::vector<std::uint16_t> a(200 * 16), b(16 * 200);
    std::vector<std::uint32_t> d(200 * 200);
    EXPECT_FALSE(gemm({200, 200, 16}, std::span(a), std::span(b), std::span(d), std::span(d)));
}

} // namespace
} // namespace discern::tests
