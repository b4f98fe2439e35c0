// Instructions as the PTX ISA defines them, on known values: each test is a kernel of one warp that stores a word a
// thread.
#include "kernel_files.hpp"

#include "models/error.hpp"

#include <gtest/gtest.h>

#include <functional>

using namespace discern;
using namespace discern::programs;

namespace {

constexpr const char* store_r2 = "mul.wide.u32 %q4, %r1, 4;\nadd.s64 %q3, %q3, %q4;\nst.global.b32 [%q3], %r2;\n";

/// The words that a body leaves in %r2, which must be known.
std::vector<std::uint64_t> words_of(const std::string& body) {
    Terms terms;
    const KernelReading reading = read_entry(body + store_r2, terms);
    std::vector<std::uint64_t> words;
    for (const NodeId node : reading.kernel.results[0].elements) {
        EXPECT_EQ(reading.kernel.graph.kind(node), Kind::constant) << body;
        words.push_back(reading.kernel.graph.kind(node) == Kind::constant ? reading.kernel.graph.bits(node) : 0);
    }
    return words;
}

struct Case {
    std::string body;
    std::function<std::uint32_t(std::uint32_t lane)> value;
};

} // namespace

TEST(PtxMachine, InstructionsOnKnownWords) {
    const auto s = [](std::uint32_t lane) { return static_cast<std::int32_t>(lane) - 16; };
    const Case cases[] = {
        {"add.s32 %r2, %r1, -5;", [](std::uint32_t l) { return l - 5; }},
        {"sub.s32 %r3, %r1, 16;\ndiv.s32 %r2, %r3, 3;",
         [&](std::uint32_t l) { return static_cast<std::uint32_t>(s(l) / 3); }},
        {"sub.s32 %r3, %r1, 16;\nrem.s32 %r2, %r3, 3;",
         [&](std::uint32_t l) { return static_cast<std::uint32_t>(s(l) % 3); }},
        {"sub.s32 %r3, %r1, 16;\nshr.s32 %r2, %r3, 2;",
         [&](std::uint32_t l) { return static_cast<std::uint32_t>(s(l) >> 2); }},
        {"sub.s32 %r3, %r1, 16;\nshr.u32 %r2, %r3, 28;",
         [&](std::uint32_t l) { return static_cast<std::uint32_t>(s(l)) >> 28; }},
        {"shr.u32 %r2, %r1, 40;", [](std::uint32_t) { return 0u; }},
        {"{\n.reg .b32 a;\n.reg .b16 a<2>;\nadd.u32 a, %r1, 0x70000;\nmov.b32 {a0, a1}, a;\nmov.b32 %r2, {a1, a0};\n}",
         [](std::uint32_t l) { return l << 16 | 7; }},
        {"shl.b32 %r2, %r1, 32;", [](std::uint32_t) { return 0u; }},
        {"sub.s32 %r3, %r1, 16;\nmin.s32 %r2, %r3, -3;",
         [&](std::uint32_t l) { return static_cast<std::uint32_t>(std::min(s(l), -3)); }},
        {"sub.s32 %r3, %r1, 16;\nmin.u32 %r2, %r3, 100;",
         [&](std::uint32_t l) { return std::min(static_cast<std::uint32_t>(s(l)), 100u); }},
        {"sub.s32 %r3, %r1, 16;\nabs.s32 %r2, %r3;",
         [&](std::uint32_t l) { return static_cast<std::uint32_t>(std::abs(s(l))); }},
        {"sub.s32 %r3, %r1, 16;\nmul.hi.s32 %r2, %r3, 0x40000000;",
         [&](std::uint32_t l) { return static_cast<std::uint32_t>(std::int64_t(s(l)) * 0x40000000 >> 32); }},
        {"mad.lo.u32 %r3, %r1, 0x10001, 0xfff0ffe0;\nadd.u16x2 %r2, %r3, 0x00070019;", // no carry goes to the high half
         [](std::uint32_t l) { return ((l + 0xfff7) & 0xffff) << 16 | ((l + 0xfff9) & 0xffff); }},
        {"mul.lo.u32 %r3, %r1, 0x10001;\nsub.s32 %r3, %r3, 0x00100010;\nmax.s16x2 %r2, %r3, 0xfffd0002;",
         [&](std::uint32_t l) {
             const auto x = static_cast<std::uint32_t>(l * 0x10001u - 0x100010u);
             const auto half = [](std::uint32_t word) { return static_cast<std::int16_t>(word & 0xffff); };
             return static_cast<std::uint32_t>(std::max<int>(half(x >> 16), -3)) << 16 |
                    (static_cast<std::uint32_t>(std::max<int>(half(x), 2)) & 0xffff);
         }},
        {".shared .align 16 .b8 room[512];\nmov.u32 %r4, room;\nshl.b32 %r5, %r1, 4;\nadd.u32 %r4, %r4, %r5;\n"
         "setp.lt.u32 %p1, %r1, 8;\ncp.async.ca.shared.global [%r4], [%q1], 16, %p1;\ncp.async.wait_all;\n"
         "ld.shared.b32 %r3, [%r4];\nmov.b32 %r2, 5;\n@%p1 mov.b32 %r2, %r3;", // what p is true for is ignored
         [](std::uint32_t l) { return l < 8 ? 0u : 5u; }},
        {"mul.hi.u32 %r2, %r1, 0x80000001;",
         [](std::uint32_t l) { return static_cast<std::uint32_t>(l * 0x80000001ull >> 32); }},
        {"setp.lt.u32 %p1, %r1, 8;\nbar.red.popc.u32 %r2, 0, %p1;", [](std::uint32_t) { return 8u; }},
        {"setp.lt.u32 %p1, %r1, 8;\nbarrier.cta.red.popc.aligned.u32 %r2, 1, 32, !%p1;",
         [](std::uint32_t) { return 24u; }},
        {"setp.lt.u32 %p1, %r1, 8;\nbar.red.or.pred %p1, 0, %p1;\nselp.b32 %r2, 5, 6, %p1;",
         [](std::uint32_t) { return 5u; }},
        {"setp.lt.u32 %p1, %r1, 8;\nbar.red.and.pred %p1, 0, %p1;\nselp.b32 %r2, 5, 6, %p1;",
         [](std::uint32_t) { return 6u; }},
        {"mov.u64 %q5, %globaltimer;\nshr.u64 %q5, %q5, 3;\nsetp.gt.u64 %p1, %q5, 9;\n@%p1 bra $late;\nmov.u32 %r2, "
         "3;\n$late:",
         [](std::uint32_t) { return 3u; }},
        // An assertion that holds.
        {"setp.lt.u32 %p1, %r1, 40;\n@%p1 bra $holds;\n{\n.param .b64 param0;\nst.param.b64 [param0+0], %q1;\n"
         "call.uni __assertfail, (param0);\n}\n$holds:\nmov.u32 %r2, 7;",
         [](std::uint32_t) { return 7u; }},
        {"createpolicy.fractional.L2::evict_first.b64 %q5, 1.0;\nmov.b32 %r2, 9;", [](std::uint32_t) { return 9u; }},
        {"mad.lo.s32 %r2, %r1, 7, 100;", [](std::uint32_t l) { return l * 7 + 100; }},
        {"bfe.u32 %r2, %r1, 1, 3;", [](std::uint32_t l) { return l >> 1 & 7; }},
        {"bfe.s32 %r2, %r1, 0, 3;",
         [](std::uint32_t l) { return static_cast<std::uint32_t>(static_cast<std::int32_t>(l << 29) >> 29); }},
        {"bfi.b32 %r2, %r1, -1, 8, 4;", [](std::uint32_t l) { return 0xfffff0ff | (l & 15) << 8; }},
        {"brev.b32 %r2, %r1;",
         [](std::uint32_t l) {
             std::uint32_t r = 0;
             for (int i = 0; i < 32; ++i) r |= (l >> i & 1) << (31 - i);
             return r;
         }},
        {"clz.b32 %r2, %r1;", [](std::uint32_t l) { return static_cast<std::uint32_t>(std::countl_zero(l)); }},
        {"{\n.reg .b128 x<3>;\nmov.b64 %q4, 0x1122334455667788;\ncvt.u64.u32 %q5, %r1;\nmov.b128 x0, {%q4, %q5};\n"
         "mov.b128 x1, x0;\nmov.b128 {%q6, %q7}, x1;\nadd.u64 %q6, %q6, %q7;\ncvt.u32.u64 %r2, %q6;\n}",
         [](std::uint32_t l) { return 0x55667788 + l; }},
        {"{\n.reg .b128 x;\nmov.b128 x, 0xfeff;\nmov.b128 {%q6, %q7}, x;\nadd.u64 %q6, %q6, %q7;\ncvt.u32.u64 %r2, "
         "%q6;\n}",
         [](std::uint32_t) { return 0xfeffu; }},
        {"popc.b32 %r2, %r1;", [](std::uint32_t l) { return static_cast<std::uint32_t>(std::popcount(l)); }},
        {"lop3.b32 %r2, %r1, 12, 10, 0x96;", [](std::uint32_t l) { return l ^ 12 ^ 10; }},
        {"prmt.b32 %r2, 0x44332211, %r1, 0x4103;", [](std::uint32_t l) { return (l & 255) << 24 | 0x221144; }},
        {"prmt.b32 %r2, 0x44332281, 0, 0x0008;", [](std::uint32_t) { return 0x818181ffu; }},
        {"shf.l.wrap.b32 %r2, 0x80000000, %r1, 1;", [](std::uint32_t l) { return l << 1 | 1; }},
        {"shf.r.clamp.b32 %r2, %r1, 5, 32;", [](std::uint32_t) { return 5u; }},
        {"setp.lt.s32 %p1, %r1, 7;\nselp.b32 %r2, 1, 2, %p1;", [](std::uint32_t l) { return l < 7 ? 1u : 2u; }},
        {"setp.lt.u32 %p2, %r1, 20;\nsetp.gt.and.s32 %p1, %r1, 7, %p2;\nselp.b32 %r2, 1, 2, %p1;",
         [](std::uint32_t l) { return l > 7 && l < 20 ? 1u : 2u; }},
        {"setp.gt.s32 %p1|%p2, %r1, 7;\nselp.b32 %r2, 1, 2, %p2;", [](std::uint32_t l) { return l > 7 ? 2u : 1u; }},
        {"mov.b32 %r2, 9;\nsetp.eq.s32 %p1, %r1, 3;\n@!%p1 mov.b32 %r2, %r1;",
         [](std::uint32_t l) { return l == 3 ? 9 : l; }},
        {"shfl.sync.bfly.b32 %r2, %r1, 5, 31, -1;", [](std::uint32_t l) { return l ^ 5; }},
        {"shfl.sync.up.b32 %r2|%p1, %r1, 3, 0, -1;", [](std::uint32_t l) { return l < 3 ? l : l - 3; }},
        {"shfl.sync.down.b32 %r2|%p1, %r1, 3, 31, -1;", [](std::uint32_t l) { return l > 28 ? l : l + 3; }},
        {"shfl.sync.idx.b32 %r2, %r1, 2, 0x181f, -1;", [](std::uint32_t l) { return l / 8 * 8 + 2; }},
        {"setp.gt.s32 %p1, %r1, 7;\nvote.sync.ballot.b32 %r2, %p1, -1;", [](std::uint32_t) { return 0xffffff00u; }},
        {"elect.sync %r2|%p1, -1;\nselp.b32 %r2, 1, 0, %p1;", [](std::uint32_t l) { return l == 0 ? 1u : 0u; }},
        {"cvt.u64.u32 %q5, %r1;\nshl.b64 %q5, %q5, 33;\nmov.b64 {%r3, %r2}, %q5;",
         [](std::uint32_t l) { return l * 2; }},
        {"sub.s32 %r3, %r1, 16;\ncvt.s64.s32 %q5, %r3;\nshr.s64 %q5, %q5, 32;\ncvt.u32.u64 %r2, %q5;",
         [](std::uint32_t l) { return l < 16 ? 0xffffffffu : 0u; }},
        {"cvt.u16.u32 %h1, %r1;\nmov.b32 %r2, {%h1, %h1};", [](std::uint32_t l) { return l << 16 | l; }},
        {"mov.b32 %r2, 0;\nmov.b32 %r3, 0;\n$L1:\nadd.s32 %r2, %r2, %r3;\nadd.s32 %r3, %r3, 1;\nsetp.le.u32 %p1, %r3, "
         "%r1;\n@%p1 bra $L1;",
         [](std::uint32_t l) { return l * (l + 1) / 2; }},
        {"and.b32 %r3, %r1, 3;\n$T: .branchtargets $A, $B, $C, $D;\nbrx.idx %r3, $T;\n$A: mov.b32 %r2, 10;\nbra.uni "
         "$E;\n$B: mov.b32 %r2, 20;\nbra $E;\n$C: mov.b32 %r2, 30;\nbra $E;\n$D: mov.b32 %r2, 40;\n$E:",
         [](std::uint32_t l) { return 10 * (l % 4 + 1); }},
        {".shared .align 4 .b8 buffer[128];\nmov.u32 %r4, buffer;\nshl.b32 %r5, %r1, 2;\nadd.s32 %r6, %r4, "
         "%r5;\nst.shared.u32 [%r6], %r1;\nbar.sync 0;\nxor.b32 %r6, %r6, 124;\nld.shared.u32 %r2, [%r6];",
         [](std::uint32_t l) { return 31 - l; }},
        {".shared .align 4 .b8 buffer[128];\nmov.u64 %q5, buffer;\ncvta.shared.u64 %q5, %q5;\nmul.wide.u32 %q6, %r1, "
         "4;\nadd.s64 %q5, %q5, %q6;\nst.u32 [%q5], %r1;\nld.u32 %r2, [%q5];",
         [](std::uint32_t l) { return l; }},
        {".local .align 4 .b8 own[16];\nmov.u32 %r4, own;\nst.local.u32 [%r4+4], %r1;\nld.local.u32 %r2, [%r4+4];",
         [](std::uint32_t l) { return l; }},
        {".shared .align 8 .b8 bar[8];\nmov.u32 %r4, bar;\nmov.b32 %r2, 1;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 "
         "mbarrier.init.shared.b64 [%r4], 32;\nbar.sync 0;\nmbarrier.arrive.shared.b64 _, [%r4];\n$W: "
         "mbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;\n@!%p2 bra $W;",
         [](std::uint32_t) { return 1u; }},
        {".shared .align 4 .b8 sum[4];\nmov.u32 %r4, sum;\nmov.b32 %r5, 0;\nst.shared.u32 [%r4], "
         "%r5;\natom.shared.add.u32 %r2, [%r4], 2;",
         [](std::uint32_t l) { return 2 * l; }},
        {".shared .align 4 .b8 sum[4];\nmov.u32 %r4, sum;\nmov.b32 %r5, 100;\nst.shared.u32 [%r4], %r5;\nbar.sync "
         "0;\nsub.s32 %r3, %r1, 16;\natom.shared.min.s32 %r2, [%r4], %r3;",
         [](std::uint32_t l) { return l == 0 ? 100u : static_cast<std::uint32_t>(-16); }},
        {".shared .align 4 .b8 sum[4];\nmov.u32 %r4, sum;\nmov.b32 %r5, -100;\nst.shared.u32 [%r4], %r5;\nbar.sync "
         "0;\nsub.s32 %r3, %r1, 16;\natom.shared.max.s32 %r2, [%r4], %r3;",
         [](std::uint32_t l) { return static_cast<std::uint32_t>(l == 0 ? -100 : static_cast<int>(l) - 17); }},
        {".shared .align 4 .b8 sum[4];\nmov.u32 %r4, sum;\nmov.b32 %r5, 5;\nst.shared.u32 [%r4], %r5;\nbar.sync "
         "0;\nsub.s32 %r3, %r1, 16;\natom.shared.max.u32 %r2, [%r4], %r3;",
         [](std::uint32_t l) {
             return l == 0 ? 5u : l <= 16 ? static_cast<std::uint32_t>(static_cast<int>(l) - 17) : 0xffffffffu;
         }},
        {".shared .align 4 .b8 sum[4];\nmov.u32 %r4, sum;\nmov.b32 %r5, 0;\nst.shared.u32 [%r4], %r5;\nbar.sync "
         "0;\nsub.s32 %r3, %r1, 16;\natom.shared.cas.b32 %r2, [%r4], %r1, 77;",
         [](std::uint32_t l) { return l == 0 ? 0u : 77u; }},
        {".shared .align 4 .b8 sum[4];\nmov.u32 %r4, sum;\nmov.b32 %r5, 9;\nst.shared.u32 [%r4], %r5;\nbar.sync "
         "0;\nsub.s32 %r3, %r1, 16;\natom.shared.exch.b32 %r2, [%r4], %r1;",
         [](std::uint32_t l) { return l == 0 ? 9u : l - 1; }},
        {"ld.param.u8 %h1, [a+1];\nmov.b32 %r2, 5;\nbar.sync 0;\nbarrier.sync 1, 32;\nfence.proxy.async;",
         [](std::uint32_t) { return 5u; }},
        {"mov.b32 %r3, 0f40400000;\nmul.f32 %r2, %r3, 0f40000000;", [](std::uint32_t) { return 0x40c00000u; }},
        {"ld.param.u64 %q7, [a];\nmov.b32 %r2, %r1;\n{\n.reg .b32 %r<9>;\nmov.b32 %r2, 77;\n}",
         [](std::uint32_t l) { return l; }},
    };
    for (const Case& one : cases) {
        SCOPED_TRACE(one.body);
        const auto words = words_of(one.body + "\n");
        for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(words[lane], one.value(lane)) << "lane " << lane;
    }
}

TEST(PtxMachine, BytesOfDataAreFollowed) {
    // High half of A[m,0] and low half of A[m,1], moved through shifts, masks and a permutation, are those two values
    // again.
    Terms terms;
    const KernelReading reading =
        read_entry("mul.wide.u32 %q5, %r1, 32;\nadd.s64 %q1, %q1, %q5;\nld.global.v2.b32 {%r4, %r5}, [%q1];\n"
                   "shr.u32 %r6, %r4, 16;\nshl.b32 %r6, %r6, 16;\nand.b32 %r7, %r4, 0xffff;\nor.b32 %r6, %r6, %r7;\n"
                   "prmt.b32 %r2, %r6, %r5, 0x3210;\n" +
                       std::string(store_r2),
                   terms);
    ASSERT_EQ(reading.results[0].folded.classes.size(), 1u);
    const NodeId term = reading.results[0].folded.classes[0].term;
    EXPECT_EQ(terms.graph.kind(term), Kind::leaf);
    EXPECT_EQ(terms.graph.operation_of(term).name, "A:km");
}

TEST(PtxMachine, ChoicesByDataAreNodes) {
    Terms terms;
    const KernelReading reading = read_entry(
        "mul.wide.u32 %q5, %r1, 32;\nadd.s64 %q1, %q1, %q5;\nld.global.b32 %r4, [%q1];\nld.global.b32 %r5, [%q1+4];\n"
        "setp.gt.f32 %p1, %r4, %r5;\nselp.f32 %r2, %r4, %r5, %p1;\n" +
            std::string(store_r2),
        terms);
    EXPECT_EQ(terms.graph.operation_of(reading.results[0].folded.classes[0].term).name, "selp");
}

TEST(PtxMachine, ValuesOfUnwrittenRegistersAreCounted) {
    Terms terms;
    const std::string body = "mov.b32 %r2, 1;\n" + std::string(store_r2);
    EXPECT_EQ(read_entry(body, terms).kernel.graph.unwritten_reads(), 0u);
    EXPECT_EQ(read_entry("neg.f32 %r9, %r10;\n" + body, terms).kernel.graph.unwritten_reads(), 32u);
}

TEST(PtxMachine, ReductionsOverAMask) {
    // Of known words: even and odd threads, each with a mask of their own.
    const std::string masks =
        "and.b32 %r5, %r1, 1;\nsetp.eq.u32 %p1, %r5, 0;\nselp.b32 %r6, 1431655765, -1431655766, %p1;\n";
    const std::pair<std::string, std::uint32_t (*)(std::uint32_t)> cases[] = {
        {"redux.sync.add.s32 %r2, %r1, 0xffffffff;\n", [](std::uint32_t) { return 496u; }},
        {"redux.sync.max.u32 %r2, %r1, 0xffffffff;\n", [](std::uint32_t) { return 31u; }},
        {"not.b32 %r7, %r1;\nredux.sync.min.s32 %r2, %r7, 0xffffffff;\n", [](std::uint32_t) { return ~31u; }},
        {masks + "redux.sync.add.u32 %r2, %r1, %r6;\n", [](std::uint32_t lane) { return 240 + 16 * (lane % 2); }},
        {masks + "redux.sync.or.b32 %r2, %r1, %r6;\n", [](std::uint32_t lane) { return 30 + lane % 2; }},
        {masks + "redux.sync.and.b32 %r2, %r1, %r6;\n", [](std::uint32_t lane) { return lane % 2; }},
    };
    for (const auto& [body, value] : cases) {
        SCOPED_TRACE(body);
        const auto words = words_of(body);
        for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(words[lane], value(lane)) << "lane " << lane;
    }
    // Of data: one maximum of 32 elements, whose magnitudes are taken before.
    const std::string load = "mul.wide.u32 %q5, %r1, 32;\nadd.s64 %q5, %q1, %q5;\nld.global.b32 %r4, [%q5];\n";
    Terms terms;
    const KernelReading reading = read_entry(
        load + "redux.sync.max.abs.NaN.f32 %r2, %r4, 0xffffffff;\n" + std::string(store_r2), terms, "sm_100a");
    const auto& elements = reading.results[0].folded.elements;
    std::set<NodeId> leaves;
    for (const NodeId magnitude : terms.graph.arguments(elements[0])) {
        EXPECT_EQ(terms.graph.operation_of(magnitude).name, "abs.f32");
        leaves.insert(terms.graph.arguments(magnitude)[0]);
    }
    EXPECT_EQ(terms.graph.operation_of(elements[0]).name, "max.NaN.f32");
    EXPECT_EQ(leaves.size(), 32u);
    EXPECT_EQ(
        std::set<NodeId>(reading.kernel.results[0].elements.begin(), reading.kernel.results[0].elements.end()).size(),
        1u);
    // Of a thread that does not come, and of one with another mask.
    for (const char* body : {"setp.lt.u32 %p1, %r1, 16;\n@%p1 redux.sync.add.s32 %r2, %r1, 0xffffffff;\n",
                             "shl.b32 %r5, 1, %r1;\nor.b32 %r5, %r5, 1;\nredux.sync.add.s32 %r2, %r1, %r5;\n",
                             "redux.sync.add.s32 %r2, %r1, 1;\n", "redux.sync.add.f32 %r2, %r1, 0xffffffff;\n",
                             "redux.sync.max.abs.s32 %r2, %r1, 0xffffffff;\n"})
        EXPECT_THROW(words_of(body), Error) << body;
}
