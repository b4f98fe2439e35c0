// Vectors made for what a kernel could get wrong: where floors truncate, beside c's last bit, where c is dropped, where
// results overflow, all products of short formats. Every set of kernels against the general evaluator and the oracle.
#include "gemm_inputs.hpp"

#include "models/error.hpp"
#include "models/overrides.hpp"
#include "models/unit/sentence.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace discern::tests::kernels_directed_test {
namespace {

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
        for (const char* rare : {"{infnan=yes}", "{nanzero=yes}", "{infzero=yes}"}) {
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

TEST(Kernels, SubnormalOperandsInAWiderFormat) {
    // Only subnormal and zero operands beside a few others, of every pair of 8-bit formats and of longer ones, so that
    // their exponents decide what is kept.
    Random random(11);
    const std::string f32_of = "](p*[as=f16], c))",
                      fp8 = "nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=";
    for (const std::string& unit :
         {std::string("hopper/mma.m16n8k16.f32.e4m3.e5m2.f32"), std::string("hopper/mma.m16n8k32.f16.e5m2.e4m3.f16"),
          "e4m3*e5m2+f32->f32 K=16 " + fp8 + "9" + f32_of, "e4m3fnuz*e3m2+f32->f32 K=16 " + fp8 + "13" + f32_of,
          "e4m3*e5m2+f32->f32 K=16 " + fp8 + "9](p*[as=e5m4], c))",
          "f16*f16+f32->f32 K=16 " + fp8 + "12](p*[as=tf32], c))",
          "bf16*bf16+f32->f32 K=16 " + fp8 + "12](p*[as=f64], c))",
          "bf16*tf32+f32->f32 K=8 " + fp8 + "12](p*[as=e9m10], c))",
          "f32*bf16+f32->f32 K=4 " + fp8 + "20](p*[as=f64], c))"}) {
        Directed test(unit);
        const auto operand = [&](const Format& f) {
            const std::uint64_t sign = random.one_in(2) ? 1ull << (f.width - 1) : 0;
            const std::uint64_t subnormals = 1ull << (f.mantissa_bits + f.padding_bits);
            return (sign | (random.one_in(4) ? random.bits() & (f.mask() >> 2) : random.bits() & (subnormals - 1)));
        };
        for (int i = 0; i < sweep(2000); ++i) {
            InputBuffer v;
            for (int k = 0; k < test.unit().K; ++k) {
                v.a.push_back(operand(format(test.unit().a)));
                v.b.push_back(operand(format(test.unit().b)));
            }
            v.c = random.one_in(2) ? 0 : random.bits() & (test.unit().c == FormatId::f16 ? 0x3fff : 0x3fffffff);
            test.add(v);
        }
        test.expect_equal(16);
    }
    EXPECT_NE(Gemm(resolve_unit("hopper/mma.m16n8k16.f32.e4m3.e5m2.f32"), {}).kernels(), "general");
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
    // The truncation of T to F2 bits shows only where c nearly cancels it: T is c's negative, up to an ulp.
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
                // c so far above that T is truncated near its ulps.
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
            // More than half of an ulp, or less.
            const int least = f.lsb(), place = std::max(k - 26 - random.below(2), 2 * least);
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

TEST(Kernels, TheDroppedC) {
    // Products that cancel, and a c beside the exponent below which it counts as zero: the sum could still have it.
    // Sixteen at a time, since one among the lanes of a vector can have all of them computed with care.
    for (const int drop : {22, 23, 24, 25, 26})
        for (const char* name : {"cdna3/v_mfma_f32_16x16x32_bf8_bf8", "cdna3/v_mfma_f32_32x32x16_fp8_fp8"}) {
            Directed test(sentence(name, "{drop=", drop, "}"));
            const Format& f = format(test.unit().a);
            for (const std::uint64_t sign : {0u, 1u})
                for (int exponent = -drop - 3; exponent <= -drop + 1; ++exponent)
                    for (std::uint64_t lane = 0; lane < 16; ++lane) {
                        InputBuffer v;
                        v.a.assign(static_cast<std::size_t>(test.unit().K), 0);
                        v.b = v.a;
                        v.a[2] = v.b[2] = v.b[5] = number(f, false, 1, 0);
                        v.a[5] = number(f, true, 1, 0);
                        v.c = sign << 31 | static_cast<std::uint64_t>(exponent + 127) << 23 | lane << 19;
                        test.add(v);
                    }
            test.expect_equal();
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
          "cdna3/v_mfma_f32_16x16x32_fp8_fp8{K=4,L=4}",
          // The same where operands are converted first: by each form of kernel, and to a format of which the least
          // exponent is among those of subnormal numbers.
          "hopper/wgmma.m64n8k32.f32.e4m3.e4m3{K=4,L=4,operands=f16}",
          "e4m3*e4m3+f32->f32 K=4 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=30](p*[as=f16], "
          "c))",
          "e4m3*e4m3+f32->f32 K=4 nan=7fffffff : round[f32 rz overflow=inf zsign=pos usign=pos](fuse[F=9](p*[as=e5m3], "
          "c))",
          "cdna3/v_mfma_f32_16x16x32_fp8_fp8{K=4,L=4,operands=f16}",
          "e4m3*e4m3+f32->f32 K=4 : round[f32 rne](fuse[F=12](p*[as=f32], c @[less=2]))"}) {
        Directed test(unit);
        EXPECT_NE(Gemm(test.unit(), {}).kernels(), "general") << unit;
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
} // namespace discern::tests::kernels_directed_test
