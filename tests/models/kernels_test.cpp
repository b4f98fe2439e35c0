// Every set of kernels that this CPU can run against the general evaluator, by batches of independent vectors: all
// arithmetics of the catalogue, directed vectors, and formats that are small enough to try out.
//
// DISCERN_SWEEP=n compares n vectors per family and unit instead of the quick default.
#include "gemm_inputs.hpp"

#include "models/error.hpp"
#include "models/overrides.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace discern::tests {
namespace {

/// The first vector on which the kernels differ from Evaluator.
std::optional<std::string> dots_differ(const Unit& unit, const Gemm& gemm, const Evaluator& evaluate, Family family,
                                       std::uint64_t seed, std::size_t count) {
    Batch batch(unit, family, seed, count);
    gemm.dots(count, batch.a, batch.b, batch.c, batch.d.out(), batch.sa, batch.sb);
    for (std::size_t i = 0; i < count; ++i) {
        const InputBuffer one = batch.vector(i);
        const std::uint64_t expected = evaluate(one.inputs());
        if (expected != batch.d[i])
            return std::string(name(family)) + ", seed " + std::to_string(seed) + ", vector " + std::to_string(i) +
                   ": " + describe(unit, one, expected, batch.d[i]);
    }
    return std::nullopt;
}

TEST(Kernels, DotsOfEveryArithmetic) {
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

/// A variant of a unit: one or two parameters of its tree changed by a little, or its length.
std::string random_variant(const Unit& unit, Random& random) {
    std::string settings;
    const auto add = [&](const std::string& setting) { settings += (settings.empty() ? "" : ",") + setting; };
    const auto near = [&](int value, int by) { return std::to_string(value + random.between(-by, by)); };
    for (const auto& [key, value] : parameters(unit)) {
        const bool number = value.find_first_not_of("-0123456789") == std::string::npos;
        if (!random.one_in(3)) continue;
        if (key == "F" || key == "F2" || key == "floor")
            add(std::string(key) + "=" + (number ? near(std::stoi(value), 3) : std::to_string(random.between(8, 30))));
        else if (key == "drop" || key == "limit")
            add(std::string(key) + "=" + (number ? near(std::stoi(value), 2) : "126"));
        else if (key == "c")
            add(random.one_in(2) ? "c=late" : random.one_in(2) ? "c=last" : "c=early");
        else if (key == "round")
            add(random.one_in(2) ? "round=rne" : "round=rz");
        else if (key == "L")
            add("L=" + std::to_string(1 << random.between(0, 5)));
    }
    return settings;
}

TEST(Kernels, DotsOfVariants) {
    // DISCERN_SWEEP: so many variants of each arithmetic.
    constexpr std::size_t count = 64;
    const auto variants = static_cast<std::uint64_t>(sweep(1));
    Random random(11);
    std::size_t compared = 0;
    for (std::uint64_t variant = 0; variant < variants; ++variant)
        for (const CatalogueEntry* entry : arithmetics()) {
            const std::string settings = "{" + random_variant(entry->unit, random) + "}";
            Unit unit = entry->unit;
            try {
                unit = with_overrides(unit, settings);
            } catch (const Error&) {
                continue; // not every combination is a unit
            }
            const Evaluator evaluate(unit);
            for (const KernelChoice set : sets) {
                const Gemm gemm(unit, with(set));
                if (gemm.kernels() == "general") continue;
                compared += set == KernelChoice::portable ? 1 : 0; // which there is on every CPU
                for (const Family family : families) {
                    const auto difference = dots_differ(unit, gemm, evaluate, family, 2 + variant, count);
                    EXPECT_FALSE(difference)
                        << entry->name << settings << " with " << gemm.kernels() << ", " << *difference;
                    if (difference) break;
                }
            }
        }
    EXPECT_GT(compared, 80 * variants);
}

/// Of each set of kernels that this CPU has.
std::vector<Gemm> with_each_set(const Unit& unit) {
    std::vector<Gemm> gemms;
    for (const KernelChoice set : sets) {
        Gemm gemm(unit, with(set));
        if (gemm.kernels() != "general") gemms.push_back(std::move(gemm));
    }
    return gemms;
}

/// One unit of each kind of kernel, in large numbers; every thousandth vector against the oracle too.
class KernelsOfUnits : public testing::TestWithParam<const char*> {};

TEST_P(KernelsOfUnits, Dots) {
    constexpr std::size_t batch = 1 << 14;
    const auto count = static_cast<std::size_t>(sweep(1000));
    const Unit unit = resolve_unit(GetParam());
    const Evaluator evaluate(unit);
    const std::vector<Gemm> gemms = with_each_set(unit);
    ASSERT_FALSE(gemms.empty());
    for (const Family family : families)
        for (std::size_t done = 0, seed = 1; done < count; done += batch, ++seed) {
            std::vector<std::uint64_t> expected;
            Batch b(unit, family, seed, std::min(batch, count - done), [&](std::size_t i, const InputBuffer& one) {
                expected.push_back(evaluate(one.inputs()));
                if (i % 1000 == 0) {
                    EXPECT_EQ(evaluate_exactly(unit, one.inputs()), expected.back());
                }
            });
            for (const Gemm& gemm : gemms) {
                gemm.dots(b.count, b.a, b.b, b.c, b.d.out(), b.sa, b.sb);
                for (std::size_t i = 0; i < b.count; ++i)
                    ASSERT_EQ(b.d[i], expected[i]) << gemm.kernels() << ", " << discern::name(family) << ", seed "
                                                   << seed << ": " << describe(unit, b.vector(i), expected[i], b.d[i]);
            }
        }
}

// Rows against columns, as in matrix products: their kernels are others than those of independent vectors.
TEST_P(KernelsOfUnits, Products) {
    constexpr std::size_t columns = 128;
    const auto count = static_cast<std::size_t>(sweep(1000));
    const Unit unit = resolve_unit(GetParam());
    const Evaluator evaluate(unit);
    const auto K = static_cast<std::size_t>(unit.K), scales = static_cast<std::size_t>(unit.scales());
    const FormatId scale = unit.scale ? unit.scale->format : unit.a;
    const std::vector<Gemm> gemms = with_each_set(unit);
    ASSERT_FALSE(gemms.empty());
    for (const Family family : families)
        for (std::size_t done = 0, seed = 1; done < count; ++seed) {
            const std::size_t rows = std::min<std::size_t>(128, (count - done + columns - 1) / columns);
            done += rows * columns;
            // B's columns are those of other vectors than A's rows, but for every eighth; C is theirs, again and again.
            const Batch left(unit, family, 2 * seed, 2 * columns), right(unit, family, 2 * seed + 1, columns);
            Words c(*unit.c, rows * columns);
            for (std::size_t i = 0; i < rows * columns; ++i) c.set(i, left.c[(i + i / columns) % left.count]);
            const auto column = [&](const Words& own, const Words& others, std::size_t width, FormatId id) {
                Words all(id, width * columns);
                for (std::size_t j = 0; j < columns; ++j)
                    for (std::size_t k = 0; k < width; ++k)
                        all.set(k * columns + j, (j % 8 == 0 ? own : others)[j * width + k]);
                return all;
            };
            const Words b = column(left.b, right.b, K, unit.b), sb = column(left.sb, right.sb, scales, scale);
            const Patterns a = left.a, sa = left.sa;
            const GemmSize size{.m = rows, .n = columns, .k = K};
            std::vector<std::uint64_t> expected;
            const auto vector = [&](std::size_t i) {
                InputBuffer one;
                for (std::size_t k = 0; k < K; ++k) {
                    one.a.push_back(left.a[i / columns * K + k]);
                    one.b.push_back(b[k * columns + i % columns]);
                }
                for (std::size_t k = 0; k < scales; ++k) {
                    one.sa.push_back(left.sa[i / columns * scales + k]);
                    one.sb.push_back(sb[k * columns + i % columns]);
                }
                one.c = c[i];
                return one;
            };
            for (std::size_t i = 0; i < rows * columns; ++i) expected.push_back(evaluate(vector(i).inputs()));
            for (const Gemm& gemm : gemms) {
                Words d(unit.d, rows * columns);
                ASSERT_TRUE(gemm(size, {a.data(), rows * K, a.word()}, b, c, d.out(),
                                 {sa.data(), rows * scales, sa.word()}, sb));
                for (std::size_t i = 0; i < rows * columns; ++i)
                    ASSERT_EQ(d[i], expected[i]) << gemm.kernels() << ", " << discern::name(family) << ", seed " << seed
                                                 << ": " << describe(unit, vector(i), expected[i], d[i]);
            }
        }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, KernelsOfUnits,
                         testing::Values("hopper/wgmma.m64n8k16.f32.f16.f16", "hopper/wgmma.m64n8k16.f32.bf16.bf16",
                                         "hopper/wgmma.m64n8k8.f32.tf32.tf32", "hopper/wgmma.m64n8k16.f16.f16.f16",
                                         "hopper/wgmma.m64n8k32.f32.e4m3.e4m3", "volta/mma.m8n8k4.f32.f16.f16.f16",
                                         "blackwell/tcgen05.mma.m128n8k32.f32.e5m2.e4m3",
                                         "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0",
                                         "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3",
                                         "hopper/mma.m16n8k32.f32.e4m3.e4m3.f32", "cdna1/v_mfma_f32_16x16x16f16",
                                         "cdna1/v_mfma_f32_16x16x8bf16", "cdna2/v_mfma_f32_16x16x16f16",
                                         "cdna3/v_mfma_f32_16x16x16_f16", "cdna3/v_mfma_f32_16x16x16_bf16",
                                         "cdna3/v_mfma_f32_16x16x32_fp8_fp8", "riscv/bna.f32.bf16.bf16"));

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
                ASSERT_EQ(d[i], expected[i])
                    << gemm.kernels() << ": " << describe(unit_, vectors_[i], expected[i], d[i]);
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

TEST(Kernels, NoneIsForWhatFewUnitsHave) {
    int sums = 0;
    for (const CatalogueEntry* entry : arithmetics()) {
        for (const char* rare : {"{sticky=yes}", "{plus=yes}", "{frame=c}", "{step=4}", "{infnan=yes}", "{nanzero=yes}",
                                 "{infzero=yes}"}) {
            try {
                EXPECT_EQ(Gemm(with_overrides(entry->unit, rare), {}).kernels(), "general") << entry->name << rare;
                ++sums;
            } catch (const Error&) {
                continue; // exact sums, and additions one by one
            }
        }
    }
    EXPECT_GT(sums, 20);
}

TEST(Kernels, TheFloorOfBf16) {
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

TEST(Kernels, TheSecondFOfTr) {
    // T cut at F2 shows only where c is within a few places of cancelling it: T is c's negative, up to a last place.
    Random random(8);
    for (const char* variant : {"", "{F2=30}", "{F2=32}"})
        for (const char* unit :
             {"cdna3/v_mfma_f32_16x16x16_f16", "cdna3/v_mfma_f32_16x16x16_bf16", "cdna3/v_mfma_f32_16x16x32_fp8_fp8"}) {
            Directed test(std::string(unit) + variant);
            const Format& f = format(test.unit().a);
            const auto K = static_cast<std::size_t>(test.unit().K);
            const auto number = [&](bool negative, int exponent) {
                return static_cast<std::uint64_t>(negative) << (f.width - 1) |
                       static_cast<std::uint64_t>(exponent + f.bias) << f.mantissa_bits |
                       static_cast<std::uint64_t>(random.below(1 << f.mantissa_bits));
            };
            for (int i = 0; i < sweep(4000); ++i) {
                InputBuffer v;
                v.a.assign(K, 0);
                v.b.assign(K, 0);
                for (std::size_t k = 0; k < K / 2; ++k) {
                    v.a[k] = number(false, random.between(std::max(-10, f.emin()), 0));
                    v.b[k] = number(f.id == FormatId::bf16 && random.one_in(2), 0);
                }
                // c so far above that T is cut near its last places.
                v.c = static_cast<unsigned>(random.between(127, 140)) << 23 |
                      static_cast<unsigned>(random.below(1 << 23)) | (random.one_in(2) ? 0x80000000u : 0u);
                test.add(v);
            }
            test.expect_equal(16);
        }
}

/// odd·2^place, which may be subnormal.
std::uint64_t number(const Format& f, bool negative, std::uint64_t odd, int place) {
    const int exponent = std::max(place + static_cast<int>(std::bit_width(odd)) - 1, f.emin());
    return pack(
        f, {.negative = negative, .significand = odd << (place - (exponent - f.mantissa_bits)), .exponent = exponent});
}

TEST(Kernels, TheLastDigitsBesideC) {
    // c and a product come to a power of two or its neighbour, and a small product of the other sign is far below it:
    // the sum has one digit less, or not.
    Random random(12);
    for (const char* unit : {"cdna3/v_mfma_f32_16x16x16_f16", "cdna3/v_mfma_f32_16x16x16_bf16",
                             "cdna3/v_mfma_f32_16x16x32_fp8_fp8", "cdna3/v_mfma_f32_16x16x16_f16{F2=30}"}) {
        Directed test(unit);
        const Format& f = format(test.unit().a);
        const auto K = static_cast<std::size_t>(test.unit().K);
        for (int i = 0; i < sweep(4000); ++i) {
            const bool negative = random.one_in(2);
            const int k = random.between(6, 7);
            InputBuffer v;
            v.a.assign(K, 0);
            v.b.assign(K, 0);
            const std::uint64_t digits = static_cast<std::uint64_t>(random.below(8)); // of 1.ddd
            v.a[K / 2] =
                pack(f, {.negative = !negative, .significand = (8 + digits) << (f.mantissa_bits - 3), .exponent = 0});
            v.b[K / 2] = number(f, false, 1, 0);
            // More than half of a last place, or less.
            const int least = f.last_place(), place = std::max(k - 26 - random.below(2), 2 * least);
            const int of_b = std::max(place / 2, least);
            v.a[K / 2 + 3] = number(f, !negative, 3, place - of_b);
            v.b[K / 2 + 3] = number(f, false, 1, of_b);
            const double sum = std::ldexp(1.0, k) + (8.0 + static_cast<double>(digits)) / 8;
            const auto c = std::bit_cast<std::uint32_t>(static_cast<float>(sum));
            v.c = (negative ? 0x80000000u : 0u) | (c + static_cast<std::uint32_t>(random.between(-1, 1)));
            test.add(v);
        }
        test.expect_equal(16);
    }
}

TEST(Kernels, OverflowOfResults) {
    // Sums at the largest finite number of d and beyond it, of both signs, by c and by products.
    Random random(9);
    for (const char* unit :
         {"hopper/wgmma.m64n8k16.f32.bf16.bf16", "hopper/wgmma.m64n8k16.f16.f16.f16", "cdna3/v_mfma_f32_16x16x16_bf16",
          "cdna2/v_mfma_f32_16x16x16bf16_1k", "hopper/wgmma.m64n8k16.f32.f16.f16", "cdna1/v_mfma_f32_16x16x8bf16"}) {
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
            v.c =
                static_cast<std::uint64_t>(random.one_in(2)) << (c.width - 1) |
                (pack(c, {.number_class = NumberClass::infinite}) - static_cast<std::uint64_t>(random.between(0, 64)));
            test.add(v);
        }
        test.expect_equal(16);
    }
}

TEST(Kernels, EveryPairOfE2m1Products) {
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

TEST(Kernels, EveryE4m3Product) {
    // All pairs of patterns, beside a second product that sets the exponent and the third that follows the pair.
    for (const char* unit :
         {"hopper/wgmma.m64n8k32.f32.e4m3.e4m3{K=4,L=4}", "hopper/wgmma.m64n8k32.f16.e4m3.e4m3{K=4,L=4}",
          "cdna3/v_mfma_f32_16x16x32_fp8_fp8{K=4,L=4}"}) {
        Directed test(unit);
        Random random(10);
        for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
            InputBuffer v;
            v.a = {bits & 255, static_cast<std::uint64_t>(random.below(127)), 0, bits >> 8};
            v.b = {bits >> 8, static_cast<std::uint64_t>(random.below(127)), 0x38,
                   static_cast<std::uint64_t>(random.below(256))};
            v.c = test.unit().c == FormatId::f16 ? random.bits() & 0x7bff : random.bits() & 0xbfffffff;
            test.add(v);
        }
        test.expect_equal(64);
    }
}

} // namespace
} // namespace discern::tests
