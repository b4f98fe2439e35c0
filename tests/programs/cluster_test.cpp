// Clusters of blocks: special registers, shared memory of other blocks, barriers of the cluster and of its blocks, and
// copies that bring bytes to several blocks. Of each rule the other side is refused.
#include "kernel_files.hpp"

#include "models/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string_view>
#include <utility>
#include <vector>

using namespace discern;
using namespace discern::programs;

namespace {

/// Blocks of 64 threads; %r1: the thread, %r2: the block's rank, %r3: shared memory + 4 · thread, %r4: the mbarrier,
/// %r5: 256 · rank + thread · 4; %q1: A + %r5; %r9, which is stored to D + %r5 in the end: a word of A.
std::string in_cluster(const std::string& body) {
    return R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 d)
.reqntid 64
{
.shared .align 16 .b8 memory[1024];
.shared .align 8 .b64 finished;
.reg .pred %p<9>;
.reg .b16 %h<2>;
.reg .b32 %r<20>;
.reg .b64 %q<9>;
ld.param.u64 %q1, [a];
ld.param.u64 %q3, [d];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %cluster_ctarank;
mov.u32 %r3, memory;
mad.lo.s32 %r3, %r1, 4, %r3;
mov.u32 %r4, finished;
mad.lo.s32 %r5, %r2, 64, %r1;
shl.b32 %r5, %r5, 2;
cvt.u64.u32 %q2, %r5;
add.s64 %q1, %q1, %q2;
add.s64 %q3, %q3, %q2;
setp.eq.s32 %p1, %r1, 0;
ld.global.b32 %r9, [%q1];
)" + body + "\nst.global.b32 [%q3], %r9;\nret;\n}\n";
}

RunKernel run_cluster(const std::string& body, const std::string& cluster = "[4,1,1]") {
    return run_kernel(in_cluster(body), "k.ptx",
                      parse_launch(R"({"launch":1,"grid":[4,1,1],"cluster":)" + cluster + R"(,"arguments":[
      {"matrix":"A","format":"f32","shape":[4,64],"axes":"mk"},{"result":"D","format":"u32","shape":[4,64],"axes":"mk"}]})",
                                   "l.json"));
}

/// The element of A that element i of D is, or -1.
int element_of(const RunKernel& kernel, std::size_t i) {
    const NodeId node = kernel.results[0].elements[i];
    return kernel.graph.kind(node) == Kind::leaf ? static_cast<int>(kernel.graph.arguments(node)[1]) : -1;
}

std::string refusal_in_cluster(const std::string& body, const std::string& cluster = "[4,1,1]") {
    try {
        run_cluster(body, cluster);
        return "";
    } catch (const Error& error) {
        return error.what();
    }
}

const std::string meet_all = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
const std::string store_own = "st.shared.b32 [%r3], %r9;\n";
/// %r7: the same place in the next block.
const std::string to_next = "add.u32 %r6, %r2, 1;\nand.b32 %r6, %r6, 3;\nmapa.shared::cluster.u32 %r7, %r3, %r6;\n"
                            "mapa.shared::cluster.u32 %r8, %r4, %r6;\n";
const std::string init_full = "@%p1 mbarrier.init.shared.b64 [%r4], 1;\n" + meet_all;
const std::string wait_full = "wait:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r4], 0;\n@!%p3 bra wait;\n";
const std::string load_own = "ld.shared.b32 %r9, [%r3];\n";

} // namespace

TEST(Clusters, BlocksKnowTheirPlace) {
    // Of a grid of 4 × 6 blocks in clusters of 2 × 3: all that a block is told, in one number.
    const std::string ptx = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 d)
.reqntid 32
.reqnctapercluster 2, 3, 1
{
.reg .b32 %r<20>;
.reg .b64 %q<9>;
ld.param.u64 %q1, [d];
mov.u32 %r1, %cluster_ctarank;
mov.u32 %r2, %cluster_nctarank;
mad.lo.u32 %r1, %r1, 10, %r2;
mov.u32 %r2, %cluster_ctaid.x;
mad.lo.u32 %r1, %r1, 10, %r2;
mov.u32 %r2, %cluster_ctaid.y;
mad.lo.u32 %r1, %r1, 10, %r2;
mov.u32 %r2, %cluster_nctaid.y;
mad.lo.u32 %r1, %r1, 10, %r2;
mov.u32 %r2, %clusterid.x;
mad.lo.u32 %r1, %r1, 10, %r2;
mov.u32 %r2, %clusterid.y;
mad.lo.u32 %r1, %r1, 10, %r2;
mov.u32 %r2, %nclusterid.y;
mad.lo.u32 %r1, %r1, 10, %r2;
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, %ctaid.y;
mad.lo.u32 %r5, %r4, 4, %r3;
mul.wide.u32 %q2, %r5, 4;
add.s64 %q1, %q1, %q2;
st.global.b32 [%q1], %r1;
ret;
}
)";
    const RunKernel kernel = run_kernel(
        ptx, "k.ptx",
        parse_launch(
            R"({"launch":1,"grid":[4,6,1],"arguments":[{"result":"D","format":"u32","shape":[6,4],"axes":"mn"}]})",
            "l.json"));
    for (unsigned y = 0; y < 6; ++y)
        for (unsigned x = 0; x < 4; ++x) {
            unsigned number = 0;
            for (const unsigned digit : {x % 2 + y % 3 * 2, 6u, x % 2, y % 3, 3u, x / 2, y / 3, 2u})
                number = number * 10 + digit;
            EXPECT_EQ(kernel.graph.bits(kernel.results[0].elements[y * 4 + x]), number) << x << ' ' << y;
        }
}

TEST(Clusters, BytesComeFromTheNextBlock) {
    const std::string expect = "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 256;\n";
    const std::string leave = meet_all; // no block ends while another one reads from it
    const std::string bodies[] = {
        // The next block's memory is read, by its address and by a generic one.
        store_own + meet_all + to_next + "ld.shared::cluster.b32 %r9, [%r7];\n" + leave,
        store_own + meet_all + to_next +
            "cvt.u64.u32 %q4, %r3;\ncvta.shared.u64 %q4, %q4;\nmapa.u64 %q4, %q4, %r6;\nld.b32 %r9, [%q4];\n" + leave,
        // The one before writes here: with an mbarrier, or at once.
        meet_all +
            "add.u32 %r6, %r2, 3;\nand.b32 %r6, %r6, 3;\nmapa.shared::cluster.u32 %r7, %r3, %r6;\n"
            "st.shared::cluster.b32 [%r7], %r9;\n" +
            meet_all + load_own,
        init_full + expect +
            "add.u32 %r6, %r2, 3;\nand.b32 %r6, %r6, 3;\nmapa.shared::cluster.u32 %r7, %r3, %r6;\n"
            "mapa.shared::cluster.u32 %r8, %r4, %r6;\n"
            "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r7], %r9, [%r8];\n" +
            wait_full + load_own,
        // All bytes in a row, between blocks.
        init_full + store_own +
            "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 256;\nadd.u32 %r6, %r2, 3;\nand.b32 %r6, %r6, 3;\n"
            "add.u32 %r10, %r3, 512;\nmapa.shared::cluster.u32 %r7, %r10, %r6;\nmapa.shared::cluster.u32 %r8, %r4, "
            "%r6;\n"
            "bar.sync 0;\n"
            "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7], [%r3], 256, [%r8];\n" +
            wait_full + "ld.shared.b32 %r9, [%r3+512];\n",
        // The next block tells by its arrival here that it has written.
        init_full + store_own +
            "bar.sync 0;\nadd.u32 %r6, %r2, 3;\nand.b32 %r6, %r6, 3;\nmapa.shared::cluster.u32 %r8, %r4, %r6;\n"
            "@%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];\n" +
            to_next + wait_full + "ld.shared::cluster.b32 %r9, [%r7];\n" + leave,
    };
    for (const std::string& body : bodies) {
        SCOPED_TRACE(body);
        const RunKernel kernel = run_cluster(body);
        for (int i = 0; i < 256; ++i) ASSERT_EQ(element_of(kernel, static_cast<std::size_t>(i)), (i + 64) % 256);
    }
}

TEST(Clusters, OneCopyComesToSeveralBlocks) {
    // Block 2 brings its row of A to blocks 0, 1 and 3; it has its own word.
    const RunKernel kernel =
        run_cluster(init_full +
                    "setp.eq.u32 %p4, %r2, 2;\nmov.u16 %h0, 11;\n@%p4 bra two;\n"
                    "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r4], 256;\n" +
                    wait_full + load_own + "bra end;\ntwo:\n" +
                    "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                    "[%r3], [%q1], 256, [%r4], %h0;\nend:\n");
    for (int i = 0; i < 256; ++i) EXPECT_EQ(element_of(kernel, static_cast<std::size_t>(i)), 128 + i % 64);
}

TEST(Clusters, BarriersAreThoseOfOneBlock) {
    // Block 0 does not wait for the threads of others; a reduction counts those of one block.
    const std::string kernel =
        "setp.gt.u32 %p2, %r2, 1;\n@%p2 bra out;\nsetp.lt.u32 %p5, %r1, 5;\nbar.red.popc.u32 %r10, 0, %p5;\n"
        "setp.eq.u32 %p6, %r10, 5;\n@%p6 bra out;\nmov.b32 %r9, 0;\nout:\n";
    const RunKernel right = run_cluster(kernel);
    for (int i = 0; i < 256; ++i) EXPECT_EQ(element_of(right, static_cast<std::size_t>(i)), i);
    // Addresses say whose memory they are of.
    const RunKernel ranks = run_cluster(to_next + "getctarank.shared::cluster.u32 %r9, %r7;\n");
    for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(ranks.graph.bits(ranks.results[0].elements[i]), (i / 64 + 1) % 4);
}

TEST(Clusters, WhatIsWrongIsTold) {
    const std::string load_next = "ld.shared::cluster.b32 %r9, [%r7];\n";
    const std::pair<std::string, std::string> cases[] = {
        {store_own + to_next + load_next, "no barrier is between them"},
        {store_own + "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n" + to_next + load_next,
         "no barrier is between them"},
        {store_own + "bar.sync 0;\n" + to_next + load_next, "no barrier is between them"},
        {store_own + meet_all + to_next + load_next + "st.shared.b32 [%r3], 7;\n", "nothing says that its reader"},
        {"barrier.cluster.wait;", "thread 0 waits, and has not come"},
        {"barrier.cluster.arrive;\nbarrier.cluster.arrive;", "thread 0 comes twice, and has not waited"},
        {"barrier.cluster.sync;", "of barrier.cluster arrive and wait are read"},
        {"setp.eq.u32 %p4, %r2, 0;\n@%p4 bra alone;\nbra end;\nalone:\nbar.sync 1, 128;\nend:\n",
         "no thread can go on: 64 wait"},
        {"mapa.shared::cluster.u32 %r7, %r3, 4;\n", "there is no block 4 (from 0) in a cluster of 4"},
        {"add.u32 %r7, %r3, 83886080;\nld.shared::cluster.b32 %r9, [%r7];\n", "of a cluster of 4"},
        {init_full + "mov.u16 %h0, 16;\n@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                     ".multicast::cluster [%r3], [%q1], 256, [%r4], %h0;\n",
         "its mask 16 has more blocks than a cluster of 4"},
        {init_full +
             "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%q1], 24, [%r4];\n",
         "multiples of 16 bytes are copied"},
        {init_full +
             "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%q1], 256, [%r4];\n" +
             load_own,
         "before it has waited for the copy"},
    };
    for (const auto& [body, sentence] : cases)
        EXPECT_NE(refusal_in_cluster(body).find(sentence), std::string::npos)
            << body << "\n  says: " << refusal_in_cluster(body);
    EXPECT_EQ(refusal_in_cluster(meet_all), "");
    EXPECT_EQ(refusal_in_cluster(meet_all, "[1,1,1]"), "");
    EXPECT_NE(refusal_in_cluster("", "[3,1,1]").find("clusters of 3 blocks do not divide a grid of 4 in direction 1"),
              std::string::npos);
    EXPECT_NE(refusal_in_cluster(to_next, "[2,1,1]").find("(from 0) in a cluster of 2"), std::string::npos);
}

/// Kernels of clusters as people write them, and with a wait or a barrier deleted. What then is not told: of two
/// barriers that order nothing else, and of a wait for a product, which is only said.
TEST(Clusters, KernelsAreTheirSchedules) {
    struct Written {
        std::string name, schedule;
        std::set<int> untold;
    };
    const Written kernels[] = {
        {"cluster_rows_sm90", "hopper/wgmma.m64n8k16.f32.f16.f16@[K=64]", {66, 125}},
        {"cluster_split_sm90", "hopper/wgmma.m64n8k16.f32.f16.f16@[K=64 split=2 reduce=order:f32:rne]", {32, 63}},
    };
    for (const auto& [name, schedule, untold] : kernels) {
        SCOPED_TRACE(name);
        Terms terms;
        const KernelReading reading = read_file(name, terms);
        ASSERT_EQ(reading.results.size(), 1u);
        EXPECT_EQ(reading.results[0].folded.classes.size(), 1u);
        ASSERT_TRUE(reading.results[0].schedule);
        EXPECT_EQ(reading.results[0].schedule->text, schedule);

        const std::string text = contents(kernel_path(name + ".ptx"));
        std::set<int> silent;
        int line = 1;
        for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1, ++line) {
            end = text.find('\n', at);
            const std::string_view here = std::string_view(text).substr(at, end - at);
            if (here.find("barrier.cluster") == here.npos && here.find("bar.sync") == here.npos &&
                here.find("arrive") == here.npos && here.find("wait_group") == here.npos)
                continue;
            Terms others;
            try {
                read_kernel(text.substr(0, at) + text.substr(end), "k.ptx",
                            parse_launch(contents(kernel_path(name + ".launch.json")), "l.json"), others);
                silent.insert(line);
            } catch (const Error& error) {
                EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
            }
        }
        EXPECT_EQ(silent, untold);
    }
}
