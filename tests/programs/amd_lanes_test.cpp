// What goes from lane to lane, and what integers become: against formulas written here from AMD's documents and LLVM's
// language reference, lane by lane; and the same values as data and as known numbers.
#include "amd_files.hpp"
#include "programs/reading/numbers.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>

using namespace discern;
using namespace discern::programs;

namespace {

/// What each lane stores: of a kernel whose %l is the lane and whose %x is a number that depends on it, 3 l + 7.
std::vector<std::uint64_t> stored(const std::string& body, const std::string& target = "9.42") {
    Terms terms;
    std::string launch = llir_launch;
    if (target != "9.42") launch.replace(launch.find("\"block\":[64]"), 12, "\"block\":[64]");
    const KernelReading reading =
        read_llir(llir_kernel("  %t = mul i32 %l, 3\n  %x = add i32 %t, 7\n" + body, "i32", target), terms, launch);
    std::vector<std::uint64_t> words;
    for (const NodeId node : reading.kernel.results[0].elements) {
        EXPECT_EQ(reading.kernel.graph.kind(node), Kind::constant);
        words.push_back(reading.kernel.graph.bits(node));
    }
    return words;
}
std::uint64_t x(unsigned lane) { return 3 * lane + 7; }

/// The lane whose %x each lane gets; 64 + n is the number n.
void expect_lanes(const std::string& body, const std::function<unsigned(unsigned)>& from,
                  const std::string& target = "9.42") {
    const auto words = stored(body, target);
    for (unsigned lane = 0; lane < 64; ++lane) {
        const unsigned source = from(lane);
        EXPECT_EQ(words[lane], source < 64 ? x(source) : source - 64) << body << " in lane " << lane;
    }
}

std::string dpp(unsigned control, const char* bound, unsigned rows = 15, unsigned banks = 15) {
    return "  %r = call i32 @llvm.amdgcn.update.dpp.i32(i32 1, i32 %x, i32 " + std::to_string(control) + ", i32 " +
           std::to_string(rows) + ", i32 " + std::to_string(banks) + ", i1 " + bound + ")\n";
}

} // namespace

TEST(AmdLanes, DppMovesWithinRows) {
    constexpr unsigned zero = 64, old = 65;
    expect_lanes(dpp(0x1b, "false"), [](unsigned l) { return l / 4 * 4 + 3 - l % 4; });             // quad_perm 3 2 1 0
    expect_lanes(dpp(0x101, "true"), [](unsigned l) { return l % 16 < 15 ? l + 1 : zero; });        // row_shl:1
    expect_lanes(dpp(0x114, "false"), [](unsigned l) { return l % 16 >= 4 ? l - 4 : old; });        // row_shr:4
    expect_lanes(dpp(0x123, "false"), [](unsigned l) { return l / 16 * 16 + (l % 16 + 13) % 16; }); // row_ror:3
    expect_lanes(dpp(0x140, "false"), [](unsigned l) { return l / 16 * 16 + 15 - l % 16; });        // row_mirror
    expect_lanes(dpp(0x141, "false"), [](unsigned l) { return l / 8 * 8 + 7 - l % 8; });            // row_half_mirror
    expect_lanes(dpp(0x142, "false"), [](unsigned l) { return l >= 16 ? l / 16 * 16 - 1 : old; });  // row_bcast:15
    expect_lanes(dpp(0x143, "false"), [](unsigned l) { return l >= 32 ? 31 : old; });               // row_bcast:31
    expect_lanes(dpp(0x155, "false"), [](unsigned l) { return l / 16 * 16 + 5; });                  // row_newbcast:5
    expect_lanes(dpp(0x161, "false"), [](unsigned l) { return l ^ 1; });                            // row_xmask:1
    // Rows 1 and 3 alone, as sums of rows use it; and banks 0 and 2.
    expect_lanes(dpp(0x142, "true", 10), [](unsigned l) { return l / 16 % 2 == 1 ? l / 16 * 16 - 1 : old; });
    expect_lanes(dpp(0x141, "true", 15, 5), [](unsigned l) { return l / 4 % 2 == 0 ? l / 8 * 8 + 7 - l % 8 : old; });
}

TEST(AmdLanes, OtherMovesBetweenLanes) {
    expect_lanes("  %i = mul i32 %l, 20\n  %r = call i32 @llvm.amdgcn.ds.bpermute(i32 %i, i32 %x)\n",
                 [](unsigned l) { return 5 * l % 64; });
    expect_lanes("  %r = call i32 @llvm.amdgcn.ds.swizzle(i32 %x, i32 32795)\n",
                 [](unsigned l) { return l / 4 * 4 + 3 - l % 4; });
    expect_lanes("  %r = call i32 @llvm.amdgcn.ds.swizzle(i32 %x, i32 16415)\n", [](unsigned l) { return l ^ 16; });
    expect_lanes("  %r = call i32 @llvm.amdgcn.readlane.i32(i32 %x, i32 9)\n", [](unsigned) { return 9; });
    expect_lanes("  %r = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %x)\n", [](unsigned) { return 0; });
    expect_lanes("  %s = call { i32, i32 } @llvm.amdgcn.permlane32.swap(i32 %x, i32 %x, i1 false, i1 false)\n"
                 "  %r = extractvalue { i32, i32 } %s, 0\n",
                 [](unsigned l) { return l % 32; });
    expect_lanes("  %s = call { i32, i32 } @llvm.amdgcn.permlane16.swap(i32 %x, i32 %x, i1 false, i1 false)\n"
                 "  %r = extractvalue { i32, i32 } %s, 1\n",
                 [](unsigned l) { return l % 32 >= 16 ? l : l + 16; });
    expect_lanes(
        "  %r = call i32 @llvm.amdgcn.permlanex16.i32(i32 poison, i32 %x, i32 1985229328, i32 -19088744, i1 true, i1 "
        "false)\n",
        [](unsigned l) { return l ^ 16; }, "12.01");
    expect_lanes(
        "  %r = call i32 @llvm.amdgcn.permlane16.i32(i32 poison, i32 %x, i32 1, i32 0, i1 true, i1 false)\n",
        [](unsigned l) { return l / 16 * 16 + (l % 16 == 0); }, "12.01");
}

TEST(AmdLanes, VotesAndPlaces) {
    const auto votes = stored("  %c = icmp ugt i32 %l, 60\n  %m = call i64 @llvm.amdgcn.ballot.i64(i1 %c)\n  %s = lshr "
                              "i64 %m, 32\n  %r = trunc i64 %s to i32\n");
    const auto lanes = stored("  %lo = call i32 @llvm.amdgcn.mbcnt.lo(i32 -1, i32 0)\n  %r = call i32 "
                              "@llvm.amdgcn.mbcnt.hi(i32 -1, i32 %lo)\n");
    const auto waves = stored("  %r = call i32 @llvm.amdgcn.readfirstlane.i32(i32 %l)\n", "11.00"); // of 32 lanes
    const auto part =
        stored("  %c = icmp ult i32 %l, 8\n  br i1 %c, label %t, label %e\nt:\n  %m = call i64 "
               "@llvm.amdgcn.ballot.i64(i1 true)\n"
               "  %f = trunc i64 %m to i32\n  br label %e\ne:\n  %r = phi i32 [ %f, %t ], [ -1, %entry ]\n");
    for (unsigned lane = 0; lane < 64; ++lane) {
        EXPECT_EQ(votes[lane], 0xe0000000u);
        EXPECT_EQ(lanes[lane], lane);
        EXPECT_EQ(waves[lane], lane / 32 * 32);
        EXPECT_EQ(part[lane], lane < 8 ? 255u : 0xffffffffu);
    }
}

TEST(AmdLanes, LdsIsTransposedInBlocksOfSixteenLanes) {
    // Lane l writes its 4 halves, 4 l to 4 l + 3, where it reads: row r of 16 columns is lanes 4 r to 4 r + 3 of
    // sixteen.
    const std::string body = "  %p = getelementptr <4 x i16>, ptr addrspace(3) @lds, i32 %l\n  %q = mul i32 %l, 4\n  "
                             "%q0 = trunc i32 %q to i16\n"
                             "  %v0 = insertelement <4 x i16> poison, i16 %q0, i64 0\n  %v1 = shufflevector <4 x i16> "
                             "%v0, <4 x i16> poison, <4 x i32> zeroinitializer\n"
                             "  %v = add <4 x i16> %v1, <i16 0, i16 1, i16 2, i16 3>\n  store <4 x i16> %v, ptr "
                             "addrspace(3) %p\n  call void @llvm.amdgcn.s.barrier()\n"
                             "  %w = call <4 x i16> @llvm.amdgcn.ds.read.tr16.b64.v4i16(ptr addrspace(3) %p)\n  %e = "
                             "extractelement <4 x i16> %w, i32 ";
    for (unsigned row = 0; row < 4; ++row) {
        const auto words = stored(body + std::to_string(row) + "\n  %r = zext i16 %e to i32\n", "9.50");
        for (unsigned lane = 0; lane < 64; ++lane) EXPECT_EQ(words[lane], lane / 16 * 64 + row * 16 + lane % 16) << row;
    }
}

TEST(AmdLanes, BuffersEndWhereTheirDescriptorSays) {
    const std::string descriptor = "  %b8 = call ptr addrspace(8) @llvm.amdgcn.make.buffer.rsrc.p8.p1(ptr addrspace(1) "
                                   "%d, i16 0, i32 100, i32 159744)\n  %o = shl i32 %l, 2\n";
    // Behind 100 bytes stores do nothing, and loads give 0.
    const auto words =
        stored(descriptor +
               "  %p = getelementptr i32, ptr addrspace(1) %d, i32 %l\n  store i32 5, ptr addrspace(1) %p\n"
               "  call void @llvm.amdgcn.raw.ptr.buffer.store.i32(i32 %x, ptr addrspace(8) %b8, i32 %o, i32 0, i32 0)\n"
               "  %u = load i32, ptr addrspace(1) %p\n"
               "  %v = call i32 @llvm.amdgcn.raw.ptr.buffer.load.i32(ptr addrspace(8) %b8, i32 %o, i32 0, i32 0)\n  %w "
               "= shl i32 %v, 8\n  %r = or i32 %u, %w\n");
    for (unsigned lane = 0; lane < 64; ++lane) EXPECT_EQ(words[lane], lane < 25 ? x(lane) | x(lane) << 8 : 5) << lane;
}

TEST(AmdLanes, BarriersAreMetByAllWaves) {
    // The second wave comes to the barrier through another block, and both see what the other wrote.
    const std::string body =
        "  %p = getelementptr i32, ptr addrspace(3) @lds, i32 %l\n  store i32 %x, ptr addrspace(3) %p\n  %c = icmp ult "
        "i32 %l, 32\n"
        "  br i1 %c, label %t, label %e\nt:\n  call void @llvm.amdgcn.s.barrier()\n  br label %m\ne:\n  call void "
        "@llvm.amdgcn.s.barrier.signal(i32 -1)\n"
        "  call void @llvm.amdgcn.s.barrier.wait(i16 -1)\n  br label %m\nm:\n  %i = xor i32 %l, 32\n  %q = "
        "getelementptr i32, ptr addrspace(3) @lds, i32 %i\n  %r = load i32, ptr addrspace(3) %q\n";
    const auto words = stored(body, "12.01");
    for (unsigned lane = 0; lane < 64; ++lane) EXPECT_EQ(words[lane], x(lane ^ 32));
}

TEST(AmdLanes, IntegersAreThoseOfTheReference) {
    const auto one = [](const std::string& expression) {
        return stored("  %r = " + expression + "\n")[5];
    }; // %l = 5, %x = 22
    EXPECT_EQ(one("sub i32 %l, %x"), std::uint32_t(5 - 22));
    EXPECT_EQ(one("sdiv i32 -7, 2"), std::uint32_t(-3));
    EXPECT_EQ(one("srem i32 -7, 2"), std::uint32_t(-1));
    EXPECT_EQ(one("udiv i32 -7, 2"), 0xfffffff9u / 2);
    EXPECT_EQ(one("ashr i32 -8, 1"), std::uint32_t(-4));
    EXPECT_EQ(one("lshr i32 -8, 1"), 0x7ffffffcu);
    EXPECT_EQ(one("call i32 @llvm.smax.i32(i32 -1, i32 %l)"), 5u);
    EXPECT_EQ(one("call i32 @llvm.umax.i32(i32 -1, i32 %l)"), 0xffffffffu);
    EXPECT_EQ(one("call i32 @llvm.ctlz.i32(i32 %x, i1 false)"), std::uint64_t(std::countl_zero(22u)));
    EXPECT_EQ(one("call i32 @llvm.ctpop.i32(i32 %x)"), 3u);
    EXPECT_EQ(one("call i32 @llvm.fshl.i32(i32 %x, i32 -1, i32 4)"), 22u << 4 | 15);
    EXPECT_EQ(one("call i32 @llvm.amdgcn.perm(i32 %x, i32 -2, i32 201588740)"), 0x0016fe16u);
    EXPECT_EQ(stored("  %n = trunc i32 %x to i8\n  %m = sub i8 0, %n\n  %r = sext i8 %m to i32\n")[5],
              std::uint32_t(-22));
    EXPECT_EQ(stored("  %n = trunc i32 %x to i8\n  %m = sub i8 0, %n\n  %r = zext i8 %m to i32\n")[5], 234u);
    EXPECT_EQ(stored("  %c = icmp slt i32 %l, 9\n  %r = sext i1 %c to i32\n")[5], 0xffffffffu);
    EXPECT_EQ(stored("  %n = trunc i32 %x to i1\n  %r = zext i1 %n to i32\n")[5], 0u);
    EXPECT_EQ(stored("  switch i32 %l, label %d0 [\n    i32 5, label %five\n    i32 6, label %d0\n  ]\nd0:\n  br label "
                     "%e\nfive:\n  br label %e\ne:\n  %r = phi i32 [ 1, %d0 ], [ 2, %five ]\n")[5],
              2u);
}

TEST(AmdLanes, DataGiveTheSameWordsAsKnownNumbers) {
    // Of every operation on integers: the node with values, and the number that is computed at once.
    const char* const operations[] = {"add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr"};
    for (const char* type : {"i8", "i16", "i32"})
        for (const char* operation : operations) {
            const bool shifts = std::string(operation).find("sh") != std::string::npos;
            const std::string text =
                "  %p = getelementptr [8 x float], ptr addrspace(1) %a, i32 %l\n  %w = load i32, ptr addrspace(1) %p\n "
                " %n = SOURCE\n"
                "  %u = trunc i32 %n to i24\n  %v0 = trunc i32 %n to " +
                std::string(type) + "\n  %s = lshr i32 %n, 7\n  %v1 = trunc i32 %s to " + type + "\n  %v2 = and " +
                type + " %v1, " + (shifts ? "7" : "-1") + "\n  %o = " + operation + " " + type + " %v0, %v2\n  %r = " +
                (std::string(type) == "i32" ? "add i32 %o, 0" : "zext " + std::string(type) + " %o to i32") + "\n";
            const auto with = [&](const std::string& source) {
                std::string made = text;
                return llir_kernel(made.replace(made.find("SOURCE"), 6, source));
            };
            Terms terms;
            const std::uint32_t number = 0x9e3779b9;
            const KernelReading known = read_llir(with("add i32 " + std::to_string(number) + ", 0"), terms),
                                data = read_llir(with("add i32 %w, 0"), terms);
            const KernelNumbers numbers(data.kernel);
            Arrays arrays(3);
            arrays[0].assign(512, number);
            arrays[1].assign(512, 0);
            EXPECT_EQ(numbers(arrays)[0][3], known.kernel.graph.bits(known.kernel.results[0].elements[3]))
                << type << ' ' << operation;
        }
}
