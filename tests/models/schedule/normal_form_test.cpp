// Normal forms of kernels: against trees written here from the sentences of docs/notation.md, without the outline.
#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/gemm_inputs.hpp"
#include "models/kernel.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "random_kernel.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace discern {
namespace {

const std::string fma = "x86/fma.f32", ampere16 = "ampere/mma.m16n8k16.f32.f16.f16.f32",
                  ampere8 = "ampere/mma.m16n8k8.f32.f16.f16.f32", hopper8 = "hopper/wgmma.m64n8k32.f32.e4m3.e4m3",
                  rdna3 = "rdna3/v_dot2_f32_f16";

bool same(const std::string& one, const std::string& other, int K) {
    return same_structure(resolve_kernel(one, K), resolve_kernel(other, K));
}

TEST(NormalForm, OneKernelSaidInTwoWays) {
    EXPECT_TRUE(same(ampere16 + "@[split=2 reduce=order:f32:rne]", ampere16 + "@[split=2 reduce=pairwise]", 1024));
    EXPECT_TRUE(same(ampere16 + "@[split=2]", ampere16 + "@[split=2 reduce=reverse]", 1024)); // x + y = y + x
    EXPECT_TRUE(same(fma + "@[kc=384]", fma + "@[]", 256));
    EXPECT_TRUE(same(fma + "@[kc=64]", fma + "@[]", 256)); // each block begins from the one before it
    EXPECT_TRUE(
        same(fma + "@[split=1 slice=1 lanes=1 unroll=1 reduce=order:f32:rne from=c d=f32:rne]", fma + "@[]", 256));
    EXPECT_TRUE(same(ampere16 + "@[]", ampere8 + "@[]", 4096));
    EXPECT_TRUE(same(ampere16 + "@[split=4]", ampere8 + "@[split=4]", 4096));
    EXPECT_TRUE(same(fma + "@[split=4:pairwise]", fma + "@[split=64+64+64+64 reduce=pairwise]", 256));
    EXPECT_TRUE(same(fma + "@[split=2]", fma + "@[slice=2 run=128]", 256));
    EXPECT_TRUE(same(fma + "@[lanes=4 unroll=2 reduce=halving]", fma + "@[lanes=8 reduce=halving]", 256));
    EXPECT_TRUE(same(hopper8 + "@[promote=128:f32:rne from=zero]", hopper8 + "@[from=zero]", 128)); // +0 + x, never −0
}

TEST(NormalForm, TwoKernels) {
    EXPECT_FALSE(same(fma + "@[split=4 reduce=order]", fma + "@[split=4 reduce=pairwise]", 256));
    EXPECT_FALSE(same(fma + "@[split=4 reduce=halving]", fma + "@[split=4 reduce=pairwise]", 256));
    EXPECT_FALSE(same(fma + "@[kc=64 from=zero]", fma + "@[]", 256));
    EXPECT_FALSE(same(fma + "@[split=2]", fma + "@[lanes=2]", 256));
    EXPECT_FALSE(same(fma + "@[split=2]", fma + "@[split=2 reduce=reverse]", 256)); // which of two NaN goes on
    EXPECT_FALSE(same(rdna3 + "@[split=2]", rdna3 + "@[split=2 reduce=reverse]", 256));
    EXPECT_FALSE(same(fma + "@[split=2]", fma + "@[split=2 reduce=order:f32:rz]", 256));
    EXPECT_FALSE(same(fma + "@[]", fma + "@[d=bf16:rne]", 256));
    EXPECT_FALSE(same(ampere16 + "@[lanes=2]", ampere8 + "@[lanes=2]", 4096)); // of instructions
    EXPECT_FALSE(same(ampere16 + "@[]", "hopper/wgmma.m64n8k16.f32.f16.f16@[]", 4096));
    EXPECT_FALSE(same(fma + "@[promote=128:f32:rne from=zero]", fma + "@[from=zero]", 128)); // +0 + −0 is no −0
    EXPECT_FALSE(same(fma + "@[]", "f32*f32+f32->f32 K=1 : round[f32 rne](fuse[exact](round[f32 rne](p*), c))@[]", 64));
}

TEST(NormalForm, BlocksThatDecide) {
    const auto blocks = [](const std::string& one, const std::string& other, int K) {
        return blocks_that_decide(resolve_kernel(one, K), resolve_kernel(other, K));
    };
    const std::string mma = "blackwell/mma.m16n8k16.f32.bf16.bf16.f32",
                      tcgen05 = "blackwell/tcgen05.mma.m64n8k16.f32.bf16.bf16";
    const auto one = blocks(mma + "@[split=2]", tcgen05 + "@[split=2]", 4096);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].first.K, 16);
    EXPECT_EQ(one[0].second.K, 16);
    EXPECT_TRUE(blocks(mma + "@[split=2]", tcgen05 + "@[split=4]", 4096).empty());
    const auto sizes = blocks(ampere8 + "@[]", "hopper/wgmma.m64n8k16.f32.f16.f16@[]", 64);
    ASSERT_EQ(sizes.size(), 1u);
    EXPECT_EQ(sizes[0].first.K, 16);
    EXPECT_EQ(sizes[0].first.L, 8);
    // The block that reads a C of another format is a question of its own.
    EXPECT_EQ(blocks("f16*f16+f16->f32 K=4 : round[f32 rne](fuse[exact](p*, c))@[]",
                     "f16*f16+f16->f32 K=4 : round[f32 rz](fuse[exact](p*, c))@[]", 64)
                  .size(),
              2u);
}

// ---- the same without the outline: a kernel's tree as a line of text

/// Trees of several kernels: each different one has a number.
class Trees {
  public:
    std::string of(const Kernel& kernel) {
        const Schedule& s = kernel.schedule;
        std::string c = "C";
        for (int begin = 0; begin < kernel.K;) {
            const int left = kernel.K - begin;
            int length = s.kc.empty() ? left : std::min(s.kc[0], left);
            if (s.kc_share && left > s.kc[0] && left < 2 * s.kc[0])
                length = std::min(left, (left / 2 + *s.kc_share - 1) / *s.kc_share * *s.kc_share);
            std::vector<int> all;
            for (int k = begin; k < begin + length; k += kernel.unit.K) all.push_back(k);
            const std::string sum = parts(kernel, all, s.from_zero ? "0" : c);
            c = s.from_zero ? plus(kernel, c, sum) : sum;
            begin += length;
        }
        return c;
    }

  private:
    std::string number(const std::string& what, const std::string& x, const std::string& y) {
        const auto [found, is_new] = numbers_.try_emplace(what + "(" + x + "," + y + ")", numbers_.size());
        return std::to_string(found->second) + what[0];
    }
    std::string plus(const Kernel& kernel, std::string x, std::string y) {
        const bool one_nan =
            kernel.unit.nan.kind == NanRule::Kind::any || kernel.unit.nan.kind == NanRule::Kind::pattern;
        if (one_nan && y < x) std::swap(x, y);
        return number(sentence("sum ", format(kernel.addition().format).name, name(kernel.addition().mode)), x, y);
    }
    std::string folded(const Kernel& kernel, std::optional<FoldOrder> own, std::vector<std::string> sums) {
        const FoldOrder order = own.value_or(kernel.schedule.order);
        if (order == FoldOrder::reverse) std::reverse(sums.begin(), sums.end());
        if (order == FoldOrder::last_halves && sums.size() > 1) {
            std::vector<std::string> slots = {sums.back()};
            sums.pop_back();
            const std::size_t half = sums.size() / 2 + 1;
            for (std::size_t i = 0; i < half && i < sums.size(); ++i)
                slots.push_back(i + half < sums.size() ? plus(kernel, sums[i], sums[i + half]) : sums[i]);
            sums = slots;
        }
        while (sums.size() > 1) {
            std::vector<std::string> next;
            const std::size_t half = (sums.size() + 1) / 2;
            if (order == FoldOrder::pairwise)
                for (std::size_t i = 0; i < sums.size(); i += 2)
                    next.push_back(i + 1 < sums.size() ? plus(kernel, sums[i], sums[i + 1]) : sums[i]);
            else if (order == FoldOrder::halving)
                for (std::size_t i = 0; i < half; ++i)
                    next.push_back(i + half < sums.size() ? plus(kernel, sums[i], sums[i + half]) : sums[i]);
            else {
                next = {plus(kernel, sums[0], sums[1])};
                next.insert(next.end(), sums.begin() + 2, sums.end());
            }
            sums = next;
        }
        return sums[0];
    }
    std::string parts(const Kernel& kernel, const std::vector<int>& all, const std::string& start) {
        const std::vector<int>& split = kernel.schedule.split;
        std::vector<std::string> sums;
        for (std::size_t at = 0; at < all.size();) {
            std::size_t count = all.size();
            if (split.size() == 1) count = all.size() / static_cast<std::size_t>(split[0]);
            if (split.size() > 1) count = static_cast<std::size_t>(split[sums.size()] / kernel.unit.K);
            const std::vector<int> part(all.begin() + static_cast<std::ptrdiff_t>(at),
                                        all.begin() + static_cast<std::ptrdiff_t>(at + count));
            sums.push_back(slices(kernel, part, at == 0 ? start : "0"));
            at += count;
        }
        return folded(kernel, kernel.schedule.split_order, sums);
    }
    std::string slices(const Kernel& kernel, const std::vector<int>& all, const std::string& start) {
        const Schedule& s = kernel.schedule;
        const int run = s.run.value_or(kernel.unit.K) / kernel.unit.K;
        std::vector<std::string> sums;
        for (int slice = 0; slice < s.slice; ++slice) {
            std::vector<std::vector<int>> registers(static_cast<std::size_t>(s.lanes * s.unroll));
            std::size_t n = 0;
            for (std::size_t i = 0; i < all.size(); ++i)
                if (static_cast<int>(i) / run % s.slice == slice) registers[n++ % registers.size()].push_back(all[i]);
            std::vector<std::string> lanes;
            for (int lane = 0; lane < s.lanes; ++lane) {
                std::vector<std::string> of_lane;
                for (int u = 0; u < s.unroll; ++u)
                    of_lane.push_back(chain(kernel, registers[static_cast<std::size_t>(u * s.lanes + lane)],
                                            slice + lane + u == 0 ? start : "0"));
                lanes.push_back(folded(kernel, s.unroll_order, of_lane));
            }
            sums.push_back(folded(kernel, s.lanes_order, lanes));
        }
        return folded(kernel, s.slice_order, sums);
    }
    /// One product after the other.
    std::string chain(const Kernel& kernel, const std::vector<int>& all, std::string sum) {
        for (const int first : all)
            for (int k = first; k < first + kernel.unit.K; ++k) sum = number("p" + std::to_string(k), sum, "");
        return sum;
    }

    std::map<std::string, std::size_t> numbers_;
};

/// Schedules of few kinds, so that two of them are often one kernel.
Kernel some_kernel(Random& random, const Unit& unit, int K) {
    for (;;) {
        Kernel kernel{unit, K, {}};
        Schedule& s = kernel.schedule;
        const auto order = [&] { return static_cast<FoldOrder>(random.below(5)); };
        const int parts = 1 << random.between(1, 3);
        const auto n = static_cast<std::size_t>(parts);
        switch (random.below(7)) {
        case 0: s.split = {parts}; break;
        case 1: s.split = std::vector<int>(n, K / parts); break;
        case 2: s.slice = parts, s.run = K / parts; break;
        case 3: s.slice = parts; break;
        case 4: s.lanes = parts; break;
        case 5: s.unroll = parts; break;
        default: s.kc = {K / parts}; break;
        }
        if (random.one_in(3)) s.order = order();
        if (random.one_in(4)) s.split_order = s.slice_order = s.lanes_order = s.unroll_order = order();
        if (random.one_in(3)) s.reduce = Conversion{FormatId::f32, Rounding::rne};
        s.from_zero = random.one_in(5);
        try {
            validate(kernel);
            return kernel;
        } catch (const Error&) {
            continue;
        }
    }
}

TEST(NormalForm, OfRandomPairsUpTo8192) {
    Random random(41);
    // Products one at a time: each instruction is a chain of them, so that sizes of instructions do not matter.
    // Of x86 and RDNA, whose NaN depend on the order of two terms, and of others.
    std::array<Unit, 6> units;
    for (std::size_t i = 0; i < units.size(); ++i) {
        units[i] = resolve_unit(fma);
        if (i % 2 != 0) units[i].K = 4;
        if (i / 2 == 1) units[i].nan = {.kind = NanRule::Kind::any};
        if (i / 2 == 2) units[i].nan = {.kind = NanRule::Kind::rdna};
    }
    const auto unit = [&](int rule) { return units[static_cast<std::size_t>(random.below(2) + 2 * rule)]; };
    int same_ones = 0;
    for (int i = 0; i < tests::fewer(800); ++i) {
        const int K = 64 << random.below(8);
        const int rule = random.below(3);
        const Kernel x = some_kernel(random, unit(rule), K), y = some_kernel(random, unit(rule), K);
        Trees trees;
        const bool one_tree = trees.of(x) == trees.of(y);
        same_ones += one_tree;
        ASSERT_EQ(same_structure(x, y), one_tree) << to_string(x) << "\n" << to_string(y);
    }
    EXPECT_GT(same_ones, tests::fewer(20));
}

TEST(NormalForm, EqualOnesNeverDiffer) {
    Random random(42);
    std::vector<Unit> units = {
        resolve_unit("f16*f16+f16->f32 K=4 L=2 interleave=1 : round[f32 rne](fuse[exact](p*, c))"), resolve_unit(fma)};
    for (const CatalogueEntry* entry : tests::arithmetics()) units.push_back(entry->unit);
    tests::KernelGenerator generator(7);
    int same_ones = 0;
    for (int i = 0; i < tests::fewer(3000); ++i) {
        const Unit& unit = units[static_cast<std::size_t>(random.below(static_cast<int>(units.size())))];
        const Kernel x = generator.next(unit, 6);
        Kernel y = generator.next(unit, 6);
        y.K = x.K;
        try {
            validate(y);
        } catch (const Error&) {
            continue;
        }
        if (x == y || shape_of(x) != shape_of(y) || !same_structure(x, y)) continue;
        ++same_ones;
        const KernelEvaluator first(x), second(y);
        InputBuffer in;
        for (const Family family :
             {Family::normal, Family::cancelling, Family::uniform_bits, Family::subnormals_and_zeros}) {
            InputGenerator inputs(chain_of(x), family, static_cast<std::uint64_t>(i));
            for (int n = 0; n < 80; ++n) {
                inputs.next(in);
                const std::uint64_t d1 = first(in.inputs()), d2 = second(in.inputs());
                ASSERT_TRUE(same_result(x, d1, d2)) << to_string(x) << "\n" << to_string(y);
            }
        }
    }
    EXPECT_GT(same_ones, tests::fewer(100));
}

} // namespace
} // namespace discern
