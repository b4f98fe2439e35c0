// Waits and barriers: of kernels that a compiler wrote, each is deleted, and what is then read too early is told; of
// small kernels, both sides of each rule.
#include "kernel_files.hpp"

#include "models/error.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <set>
#include <string_view>
#include <vector>

using namespace discern;
using namespace discern::programs;

namespace {

/// What became of a kernel.
struct Told {
    std::string refusal, unwaited;
};

Told told_of(const std::string& text, const std::string& launch) {
    Terms terms;
    try {
        return {"", read_kernel(text, "k.ptx", parse_launch(launch, "k.launch.json"), terms).kernel.unwaited};
    } catch (const Error& error) {
        return {error.what(), ""};
    }
}

std::vector<std::string> lines_of_text(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}
std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

constexpr std::string_view waits[] = {
    "bar.sync",          "barrier.sync",          "cp.async.wait_group", "wgmma.wait_group",  "tcgen05.wait::ld",
    "mbarrier.try_wait", "cp.async.commit_group", "tcgen05.commit",      "wgmma.commit_group"};

/// Without the wait of a line; nothing if it has none.
std::string without(std::vector<std::string> lines, std::size_t i) {
    const bool is_one = lines[i].find("//") == std::string::npos &&
                        std::any_of(std::begin(waits), std::end(waits),
                                    [&](std::string_view wait) { return lines[i].find(wait) != std::string::npos; });
    if (!is_one) return "";
    lines[i] = lines[i].find("mbarrier.try_wait") == std::string::npos ? "" : "setp.eq.u32 complete, 0, 0;";
    return joined(lines);
}

constexpr std::string_view reasons[] = {
    "before it has waited for the copy", "no barrier is between them",           "nothing orders them",
    "nothing says that its reader",      "before it has waited for the product", "no thread can go on"};

} // namespace

/// What is neither told nor noted is no mistake: two barriers, or two waits, one after the other; a wait whose copies
/// the next one waits for; barriers before a block's end; and groups that join the next one.
TEST(Waits, ThatAreDeletedFromKernelsAreTold) {
    const std::map<std::string, std::set<std::size_t>> harmless = {
        {"attention_sm80", {58}},
        {"blockscale_e4m3_sm90", {92, 315}},
        {"e4m3_rows16_sm90", {108}},
        {"mm_bias_gelu_sm90", {100}},
        {"mm_e4m3_promote_sm90", {75}},
        {"mm_f16_sm100", {116, 151, 154, 255, 286, 293, 307, 312, 349, 422}},
        {"mm_f16_sm80", {69, 164, 165, 199, 200, 230}},
        {"mm_f16_sm90", {97}},
        {"mm_tf32x3_sm80", {79}},
        {"splitk_atomic_sm80", {72, 168, 169, 203, 204, 299, 317}},
    };
    int told = 0, noted = 0, same = 0;
    for (const char* name : {"attention_sm80", "blockscale_e4m3_sm90", "e4m3_rows16_sm90", "e4m3_rows64_sm90",
                             "mm_bias_gelu_sm90", "mm_e4m3_promote_sm90", "mm_f16_sm100", "mm_f16_sm80", "mm_f16_sm90",
                             "mm_tf32x3_sm80", "rowsum_sm80", "splitk_atomic_sm80"}) {
        const std::string launch = contents(kernel_path(std::string(name) + ".launch.json"));
        const std::string text = contents(kernel_path(std::string(name) + ".ptx"));
        const std::vector<std::string> lines = lines_of_text(text);
        const bool is_unwaited = !told_of(text, launch).unwaited.empty();
        std::set<std::size_t> unnoticed;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const std::string mutant = without(lines, i);
            if (mutant.empty()) continue;
            const Told found = told_of(mutant, launch);
            if (!found.refusal.empty()) {
                EXPECT_TRUE(std::any_of(
                    std::begin(reasons), std::end(reasons),
                    [&](std::string_view reason) { return found.refusal.find(reason) != std::string::npos; }))
                    << name << ":" << i + 1 << ": " << found.refusal;
                ++told;
            } else if (!found.unwaited.empty() && !is_unwaited) {
                ++noted;
            } else {
                ++same;
                unnoticed.insert(i + 1);
            }
        }
        const auto expected = harmless.find(name);
        EXPECT_EQ(unnoticed, expected == harmless.end() ? std::set<std::size_t>() : expected->second) << name;
    }
    std::printf("%d deleted waits are told, %d noted, %d change nothing\n", told, noted, same);
    EXPECT_GT(told, 70);
}

namespace {

/// A kernel of two warps; %r1: the thread, %r2: shared memory + 4 · thread, %r3: that of the thread of the other warp,
/// %q1: A + 16 · thread, %r4: the mbarrier.
Told told_of_body(const std::string& body, const std::string& target = "sm_90") {
    const std::string text =
        ".version 8.0\n.target " + target +
        "\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 d)\n.reqntid 64\n{\n"
        ".shared .align 16 .b8 memory[2048];\n.shared .align 8 .b64 finished;\n"
        ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %q<9>;\n"
        "ld.param.u64 %q1, [a];\nld.param.u64 %q3, [d];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %q2, %r1, 16;\n"
        "add.s64 %q1, %q1, %q2;\nmul.wide.u32 %q2, %r1, 4;\nadd.s64 %q3, %q3, %q2;\nmov.u32 %r2, memory;\n"
        "xor.b32 %r3, %r1, 32;\nmad.lo.s32 %r3, %r3, 4, %r2;\nmad.lo.s32 %r2, %r1, 4, %r2;\nmov.u32 %r4, finished;\n"
        "setp.eq.s32 %p1, %r1, 0;\nsetp.lt.s32 %p2, %r1, 32;\nld.global.b32 %r9, [%q1];\n" +
        body + "\nst.global.b32 [%q3], %r9;\nret;\n}\n";
    return told_of(text, R"({"launch":1,"arguments":[{"matrix":"A","format":"f32","shape":[64,4],"axes":"mk"},
                            {"result":"D","format":"f32","shape":[64],"axes":"m"}]})");
}

struct WaitCase {
    std::string body, told; ///< nothing: it is right
};

} // namespace

TEST(Waits, OfSmallKernels) {
    const std::string copies = "cp.async.ca.shared.global [%r2], [%q1], 4;\n", load_own = "ld.shared.b32 %r9, [%r2];",
                      load_other = "ld.shared.b32 %r9, [%r3];", store = "st.shared.b32 [%r2], %r9;\n",
                      barrier = "bar.sync 0;\n", early = "before it has waited for the copy",
                      apart = "no barrier is between them",
                      init = "@%p1 mbarrier.init.shared.b64 [%r4], 64;\nbar.sync 0;\n",
                      wait = "wait:\nmbarrier.try_wait.parity.shared.b64 %p3, [%r4], 0;\n@!%p3 bra wait;\n",
                      arrive = "mbarrier.arrive.shared.b64 %q5, [%r4];\n";
    const WaitCase cases[] = {
        // Copies of a thread's own.
        {copies + load_own, early},
        {copies + "cp.async.commit_group;\n" + load_own, early},
        {copies + "cp.async.wait_group 0;\n" + load_own, early}, // it is in no group
        {copies + "cp.async.commit_group;\ncp.async.wait_group 1;\n" + load_own, early},
        {copies + "cp.async.commit_group;\ncp.async.wait_group 0;\n" + load_own, ""},
        {copies + "cp.async.commit_group;\ncp.async.commit_group;\ncp.async.wait_group 1;\n" + load_own, ""},
        {copies + "cp.async.wait_all;\n" + load_own, ""},
        // Those of other threads are there after a barrier.
        {copies + "cp.async.wait_all;\n" + load_other, early},
        {copies + barrier + "cp.async.wait_all;\n" + load_other, early},
        {copies + "cp.async.wait_all;\n" + barrier + load_other, ""},
        {copies + init + "cp.async.mbarrier.arrive.noinc.shared.b64 [%r4];\n" + load_other, early},
        {copies + init + "cp.async.mbarrier.arrive.noinc.shared.b64 [%r4];\n" + wait + load_other, ""},
        // Stores.
        {store + load_own, ""},
        {store + load_other, apart},
        {store + barrier + load_other, ""},
        {store + init + arrive + wait + load_other, ""},
        {init + store + arrive + load_other, apart},
        {init + arrive + store + wait + load_other, apart}, // it arrives before it writes
        {init + store + arrive + wait + load_other, ""},
        {"@%p2 bra half;\n" + store + "bar.sync 1, 64;\nbra end;\nhalf:\nbar.sync 1, 64;\n" + load_other + "\nend:",
         ""},
        {"@%p2 bra half;\n" + store + "bra end;\nhalf:\n" + load_other + "\nend:\n", apart},
        // Two writers of one place.
        {"mov.u32 %r5, memory;\nst.shared.b32 [%r5], %r9;", "nothing orders them"},
        {"mov.u32 %r5, memory;\nst.shared.b32 [%r5], 7;", ""},
        {"mov.u32 %r5, memory;\n@%p1 st.shared.b32 [%r5], %r9;", ""},
        {store + "st.shared.b32 [%r3], %r9;", "nothing orders them"},
        {store + barrier + "st.shared.b32 [%r3], %r9;", ""},
        {store + "st.shared.b32 [%r2], 7;", ""},
        // What others may still read.
        {store + barrier + load_other + "\nst.shared.b32 [%r2], 7;", "nothing says that its reader"},
        {store + barrier + load_other + "\n" + barrier + "st.shared.b32 [%r2], 7;", ""},
        {store + barrier + load_own + "\nst.shared.b32 [%r2], 7;", ""},
        // Atomic operations are how threads may meet.
        {store + "mov.u32 %r5, memory;\natom.shared.add.u32 %r6, [%r5+1024], 0;\n" + load_own, "on data"},
    };
    for (const WaitCase& one : cases) {
        const Told found = told_of_body(one.body);
        if (one.told.empty())
            EXPECT_EQ(found.refusal, "") << one.body;
        else
            EXPECT_NE(found.refusal.find(one.told), std::string::npos) << one.body << "\n  told: " << found.refusal;
        EXPECT_EQ(found.refusal.find('\n'), std::string::npos);
    }
}

/// Sums of all threads of a warp are one value, whatever the order of each thread's; and others are told apart by it.
TEST(Waits, EqualValuesOfDifferentTreesAreOneValue) {
    std::string sum;
    for (const int by : {16, 8, 4, 2, 1})
        sum += "shfl.sync.bfly.b32 %r8, %r9, " + std::to_string(by) + ", 31, -1;\nadd.f32 %r9, %r9, %r8;\n";
    const std::string store = "mov.u32 %r5, memory;\n@%p2 st.shared.b32 [%r5], %r9;";
    EXPECT_EQ(told_of_body(sum + store).refusal, "");
    EXPECT_NE(told_of_body(
                  sum + "shfl.sync.up.b32 %r8, %r9, 1, 0, -1;\nadd.f32 %r9, %r9, %r8;\n@%p1 mov.b32 %r9, 0;\n" + store)
                  .refusal.find("nothing orders them"),
              std::string::npos);
}
