// Random programs give the same words whether their data are known when they run, or put into their graph afterwards.
#include "kernel_files.hpp"

#include "models/error.hpp"
#include "models/random.hpp"
#include "programs/compare/compare.hpp"
#include "programs/reading/numbers.hpp"

#include <gtest/gtest.h>

using namespace discern;
using namespace discern::programs;

namespace {

/// Ten instructions, each of which writes one of %r4 … %r9 from others of them.
std::string random_body(Random& random) {
    const char* const forms[] = {
        "add.s32 D, X, Y;",
        "sub.u32 D, X, Y;",
        "mul.lo.s32 D, X, Y;",
        "and.b32 D, X, 0xff00ff;",
        "and.b32 D, X, Y;",
        "or.b32 D, X, Y;",
        "xor.b32 D, X, Y;",
        "or.b32 D, X, 0xff;",
        "xor.b32 D, X, 0x80000000;",
        "shl.b32 D, X, 8;",
        "shl.b32 D, X, 5;",
        "shr.u32 D, X, 16;",
        "shr.s32 D, X, 8;",
        "shr.s32 D, X, 3;",
        "prmt.b32 D, X, Y, 0x5410;",
        "prmt.b32 D, X, Y, 0x2637;",
        "min.s32 D, X, Y;",
        "max.u32 D, X, Y;",
        "not.b32 D, X;",
        "neg.s32 D, X;",
        "setp.lt.s32 %p1, X, Y;\nselp.b32 D, X, Y, %p1;",
        "setp.ne.b32 %p1, X, Y;\nselp.b32 D, 7, X, %p1;",
        "mov.b32 {%h1, %h2}, X;\nmov.b32 D, {%h2, %h1};",
        "shfl.sync.bfly.b32 D, X, 3, 31, -1;",
        "add.f32 D, X, Y;",
        "mul.rn.f32 D, X, Y;",
        "fma.rn.f32 D, X, Y, D;",
        "max.f32 D, X, Y;",
        "cvt.rn.f16x2.f32 D, X, Y;",
        "cvt.rn.bf16x2.f32 D, X, Y;",
        "setp.gt.f32 %p2, X, Y;\nselp.f32 D, X, Y, %p2;",
        "mov.b32 {%h1, %h2}, X;\ncvt.f32.f16 D, %h2;",
        "setp.lt.s32 %p3, %r1, 9;\n@%p3 mov.b32 D, X;",
        "cvt.u16.u32 %h3, X;\ncvt.u32.u16 D, %h3;",
        "setp.lt.s32 %p1, X, Y;\nsetp.gt.s32 %p2, X, 0;\nand.pred %p1, %p1, %p2;\nselp.b32 D, X, Y, %p1;"};
    std::string body;
    for (int i = 0; i < 10; ++i) {
        std::string form = forms[random.below(static_cast<int>(std::size(forms)))];
        const std::string names[] = {"%r" + std::to_string(random.between(4, 9)),
                                     "%r" + std::to_string(random.between(4, 9)),
                                     "%r" + std::to_string(random.between(4, 9))};
        for (std::size_t at = 0; at < form.size();) {
            const std::size_t which = std::string_view("DXY").find(form[at]);
            if (which == std::string_view::npos) {
                ++at;
                continue;
            }
            form.replace(at, 1, names[which]);
            at += names[which].size();
        }
        body += form + "\n";
    }
    return body;
}

const std::string before = "mul.wide.u32 %q5, %r1, 32;\nadd.s64 %q6, %q1, %q5;\nld.global.v4.b32 {%r4, %r5, %r6, %r7}, "
                           "[%q6];\nld.global.v2.b32 {%r8, %r9}, [%q6+16];\n";
const std::string after = "mul.wide.u32 %q4, %r1, 4;\nadd.s64 %q3, %q3, %q4;\nst.global.b32 [%q3], %r4;\n";

} // namespace

TEST(RandomPrograms, GraphsWithNumbersAreRunsWithNumbers) {
    constexpr std::uint64_t seed = 20;
    Random random(seed);
    for (int program = 0; program < 300; ++program) {
        const std::string body = random_body(random);
        std::vector<std::uint64_t> words;
        std::string list;
        for (int i = 0; i < 32 * 8; ++i) {
            words.push_back(random.one_in(3) ? random.bits() & 0xffffffff : 0x3f000000 + (random.bits() & 0x81ffffff));
            list += (list.empty() ? "" : ", ") + std::to_string(words.back());
        }
        Terms terms;
        const RunKernel symbolic =
            run_kernel(entry(before + body + after), "k.ptx", parse_launch(entry_launch, "l.json"));
        const auto computed = KernelNumbers(symbolic)({words, std::vector<std::uint64_t>(32 * 8), {}})[0];
        std::string known = entry("mov.u64 %q1, data;\n" + before + body + after);
        known.insert(known.find(".visible"), ".global .align 16 .b32 data[256] = {" + list + "};\n");
        const RunKernel concrete = run_kernel(known, "k.ptx", parse_launch(entry_launch, "l.json"));
        for (std::size_t lane = 0; lane < 32; ++lane) {
            const NodeId node = concrete.results[0].elements[lane];
            ASSERT_EQ(concrete.graph.kind(node), Kind::constant) << body;
            ASSERT_EQ(concrete.graph.bits(node), computed[lane]) << "lane " << lane << ", seed " << seed << "\n"
                                                                 << body;
        }
    }
}

TEST(RandomPrograms, TermsWithNumbersAreTheirGraphs) {
    constexpr std::uint64_t seed = 21;
    Random random(seed);
    for (int program = 0; program < 100; ++program) {
        const std::string body = random_body(random);
        SCOPED_TRACE(body);
        Terms terms;
        const KernelReading reading = read_entry(before + body + after, terms);
        LeafFormats formats;
        add_formats(reading.kernel.launch, terms, formats);
        for (const auto& one : reading.results[0].folded.classes) {
            const NodeId roots[1] = {one.term};
            const Evaluation evaluation(terms.graph, roots);
            const auto values =
                random_values(terms, formats, evaluation.leaves(), 4, static_cast<std::uint64_t>(program));
            const auto results = evaluation(values, 4);
            for (std::size_t i = 0; i < 4; ++i) {
                LeafValues assigned;
                for (std::size_t leaf = 0; leaf < evaluation.leaves().size(); ++leaf)
                    assigned[evaluation.leaves()[leaf]] = values[leaf * 4 + i];
                EXPECT_EQ(replayed(reading.kernel, reading.kernel.results[0], one.first, terms, assigned), results[i])
                    << "seed " << seed;
            }
        }
    }
}
