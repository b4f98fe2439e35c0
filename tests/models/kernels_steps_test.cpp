// The kernel for trees of any shape: which units it leaves to the general evaluator, and random trees and special
// operands against the general evaluator and the oracle.
#include "gemm_inputs.hpp"
#include "random_tree.hpp"

#include "models/notation.hpp"
#include "models/unit/tree_shape.hpp"

#include <gtest/gtest.h>

namespace discern::tests {
namespace {

TEST(Kernels, EveryArithmeticHasOneButTwoDesignsAndScaledSums) {
    // Both read infinities or NaN of a and b as something else.
    std::set<std::string> without;
    for (const CatalogueEntry* entry : arithmetics()) {
        const bool has_none = Gemm(entry->unit, with(KernelChoice::portable)).kernels() == "general";
        if (has_scaled_sums(entry->unit.tree)) { // what was rounded is multiplied
            EXPECT_TRUE(has_none) << entry->name;
        } else if (has_none) {
            without.emplace(entry->name);
        }
    }
    // The portable set has no fused multiply-add of f64.
    for (const CatalogueEntry* entry : arithmetics())
        if (entry->unit.d == FormatId::f64) without.erase(std::string(entry->name));
    EXPECT_EQ(without, (std::set<std::string>{"mxfpga/dot_fp.e5m2", "ventus/tc_dot_product.f32.f32"}));
}

/// The first vector on which a set of kernels differs from Evaluator, or Evaluator from the oracle.
std::string first_difference(const Unit& unit, const std::vector<InputBuffer>& vectors) {
    const std::size_t n = vectors.size();
    const auto flat = [&](FormatId id, auto member) {
        const std::size_t width = (vectors.front().*member).size();
        Words words(id, n * width);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t k = 0; k < width; ++k) words.set(i * width + k, (vectors[i].*member)[k]);
        return words;
    };
    const FormatId scale = unit.scale ? unit.scale->format : unit.a;
    const Words a = flat(unit.a, &InputBuffer::a), b = flat(unit.b, &InputBuffer::b);
    const Words sa = flat(scale, &InputBuffer::sa), sb = flat(scale, &InputBuffer::sb);
    Words c(unit.c.value_or(unit.d), n);
    for (std::size_t i = 0; i < n; ++i) c.set(i, vectors[i].c);
    const Evaluator evaluate(unit);
    std::vector<std::uint64_t> expected;
    for (std::size_t i = 0; i < n; ++i) {
        expected.push_back(evaluate(vectors[i].inputs()));
        if (i % 16 == 0 && evaluate_exactly(unit, vectors[i].inputs()) != expected.back())
            return "the oracle: " + to_string(unit);
    }
    for (const KernelChoice set : sets) {
        const Gemm gemm(unit, with(set));
        if (gemm.kernels() == "general") continue;
        Words d(unit.d, n);
        gemm.dots(n, a, b, c, d.out(), sa, sb);
        for (std::size_t i = 0; i < n; ++i)
            if (d[i] != expected[i]) return gemm.kernels() + ": " + describe(unit, vectors[i], expected[i], d[i]);
    }
    return "";
}

std::vector<InputBuffer> of_families(const Unit& unit, std::uint64_t seed, std::size_t of_each) {
    std::vector<InputBuffer> vectors;
    for (const Family family : families) {
        InputGenerator generator(unit, family, seed);
        for (std::size_t i = 0; i < of_each; ++i) generator.next(vectors.emplace_back());
    }
    return vectors;
}

TEST(Kernels, ChildrenThatTakePartWithLess) {
    // Only the kernel of steps knows of it, whatever the shape.
    for (const char* name : {"hopper/wgmma.m64n8k16.f32.f16.f16", "hopper/wgmma.m64n8k32.f32.e4m3.e4m3",
                             "cdna3/v_mfma_f32_16x16x16_f16", "cdna3/v_mfma_f32_16x16x32_fp8_fp8"}) {
        Unit unit = resolve_unit(name);
        const auto walk = [](const auto& self, Node& node) -> void {
            if (auto* round = std::get_if<Round>(&node.kind)) self(self, round->get());
            if (auto* fuse = std::get_if<Fuse>(&node.kind))
                for (Child& child : fuse->children) {
                    child.less = 2;
                    self(self, child.get());
                }
        };
        walk(walk, unit.tree);
        EXPECT_EQ(first_difference(unit, of_families(unit, 3, 200)), "");
    }
}

TEST(Kernels, LimitsAtTheLargestProduct) {
    // The smallest fixed-point number is a power of two, so the largest product may be the limit itself.
    int computed = 0;
    for (const std::string f : {"fix2.1", "fix3.1", "e2m1f", "e2m1", "e3m2f", "fix4.2"})
        for (int n = -4; n <= 8; ++n) {
            const Unit unit = parse_unit(
                f + "*" + f + "->f32 K=1 : round[f32 rne](fuse[exact](p*[limit=" + std::to_string(n) + "]))");
            std::vector<InputBuffer> all;
            for (std::uint64_t a = 0; a <= format(unit.a).mask(); ++a)
                for (std::uint64_t b = 0; b <= format(unit.b).mask(); ++b)
                    all.push_back({.a = {a}, .b = {b}, .sa = {}, .sb = {}});
            computed += Gemm(unit, with(KernelChoice::portable)).kernels() != "general" ? 1 : 0;
            EXPECT_EQ(first_difference(unit, all), "");
        }
    EXPECT_GT(computed, 30);
}

TEST(Kernels, InfinitiesWithoutMinusZero) {
    // The largest patterns of inuz are infinite, and its NaN is where others have −0; results of it have no kernel.
    int computed = 0;
    for (const std::string a : {"e4m3inuz", "e2m1inuz", "e5m2inuz"})
        for (const std::string round : {"f32 rne](fuse[exact](p*))", "f32 rz](fuse[F=9 rz](p*))", "e4m3inuz rne](p*)",
                                        "f32 rne](fuse[exact](round[e4m3inuz rne](p*)))"}) {
            const std::string d = round.substr(0, round.find(' '));
            const Unit unit = parse_unit(a + "*e4m3inuz->" + d + " K=1 : round[" + round);
            std::vector<InputBuffer> all;
            for (std::uint64_t x = 0; x <= format(unit.a).mask(); ++x)
                for (std::uint64_t y = 0; y <= format(unit.b).mask(); ++y)
                    all.push_back({.a = {x}, .b = {y}, .sa = {}, .sb = {}});
            computed += Gemm(unit, with(KernelChoice::portable)).kernels() != "general" ? 1 : 0;
            EXPECT_EQ(first_difference(unit, all), "");
        }
    EXPECT_EQ(computed, 6) << "sums in f32 have kernels";
}

TEST(Kernels, FloorsBesideAccumulatorsAlone) {
    // Without a product, or with small ones, a floor alone decides where c is truncated.
    Random random(29);
    int computed = 0;
    for (const std::string f : {"f16", "bf16", "tf32", "e4m3", "e5m2", "e2m1", "e2m3"})
        for (const std::string d : {"f32", "f16"})
            for (const std::string scale : {"", " scale=e8m0/4"})
                for (const int F : {8, 13, 25})
                    for (int floor = -170; floor <= 30; floor += random.between(4, 20)) {
                        const Unit unit = parse_unit(f + "*" + f + "+" + d + "->" + d + " K=4" + scale + " : round[" +
                                                     d + (d == "f32" ? " rz" : " rne") +
                                                     " overflow=inf zsign=pos usign=pos](fuse[F=" + std::to_string(F) +
                                                     " rz floor=" + std::to_string(floor) + "](p*, c))");
                        std::vector<InputBuffer> vectors(70);
                        for (InputBuffer& x : vectors) {
                            x.a.assign(4, 0);
                            x.b.assign(4, 0);
                            if (unit.scale) x.sa = x.sb = {static_cast<std::uint64_t>(random.between(60, 190))};
                            if (random.one_in(3))
                                for (std::uint64_t& one : x.a)
                                    one = random.bits() & format(unit.a).mask() >> random.below(8);
                            if (random.one_in(2))
                                for (std::uint64_t& one : x.b)
                                    one = random.bits() & format(unit.b).mask() >> random.below(8);
                            x.c = random.bits() & format(unit.d).mask();
                        }
                        computed += Gemm(unit, with(KernelChoice::portable)).kernels() != "general" ? 1 : 0;
                        ASSERT_EQ(first_difference(unit, vectors), "");
                    }
    EXPECT_GT(computed, 500);
}

TEST(Kernels, RandomTrees) {
    // DISCERN_SWEEP: so many trees are drawn, of which one or two in a thousand have a kernel.
    const int drawn = sweep(6000);
    int computed = 0;
    for (const bool rare : {false, true}) {
        UnitGenerator generator(rare ? 5 : 6, rare);
        for (int i = 0; i < drawn; ++i) {
            const Unit unit = generator.next();
            if (Gemm(unit, with(KernelChoice::portable)).kernels() == "general") continue;
            ++computed;
            ASSERT_EQ(first_difference(unit, of_families(unit, static_cast<std::uint64_t>(i), 64)), "") << i;
        }
    }
    RecordProperty("computed", computed);
    EXPECT_GT(computed, drawn / 800);
}

/// Patterns that are special, with payloads of all kinds, zeros and ordinary numbers.
std::uint64_t special_or_not(const Format& f, Random& random) {
    const std::uint64_t any = random.bits() & f.mask();
    if (f.specials != Specials::ieee || random.one_in(2)) return any;
    const std::uint64_t sign = random.one_in(2) ? 1ull << (f.width - 1) : 0;
    const std::uint64_t infinity = ((1ull << f.exponent_bits) - 1) << (f.mantissa_bits + f.padding_bits);
    switch (random.below(4)) {
    case 0: return sign | infinity;
    case 1: return sign;
    case 2: return sign | infinity | (any & (infinity ^ (f.mask() >> 1)));
    default: return sign | infinity | 1ull << random.below(f.mantissa_bits + f.padding_bits);
    }
}

TEST(Kernels, SpecialOperandsOfEveryArithmetic) {
    Random random(17);
    for (const CatalogueEntry* entry : arithmetics()) {
        const Unit& unit = entry->unit;
        std::vector<InputBuffer> vectors(static_cast<std::size_t>(sweep(256)));
        for (InputBuffer& one : vectors) {
            // Mostly in c and a few elements: more of them, and all results are alike.
            const int rate = 1 << random.between(0, 4);
            const auto draw = [&](FormatId id, std::size_t n) {
                std::vector<std::uint64_t> patterns;
                for (std::size_t i = 0; i < n; ++i) {
                    const Format& f = format(id);
                    const std::uint64_t finite = (random.bits() & f.mask()) & ~(1ull << (f.width - 2));
                    patterns.push_back(random.one_in(rate) ? special_or_not(f, random) : finite);
                }
                return patterns;
            };
            one.a = draw(unit.a, static_cast<std::size_t>(unit.K));
            one.b = draw(unit.b, static_cast<std::size_t>(unit.K));
            if (unit.scale) {
                one.sa = draw(unit.scale->format, static_cast<std::size_t>(unit.scales()));
                one.sb = draw(unit.scale->format, static_cast<std::size_t>(unit.scales()));
            }
            if (unit.c) one.c = draw(*unit.c, 1).front();
        }
        EXPECT_EQ(first_difference(unit, vectors), "") << entry->name;
    }
}

} // namespace
} // namespace discern::tests
