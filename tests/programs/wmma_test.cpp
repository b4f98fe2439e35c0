// wmma: what does not depend on where elements lie in fragments is read, and nothing else.
#include "kernel_files.hpp"

#include "models/error.hpp"
#include "models/random.hpp"
#include "programs/evaluate/evaluate.hpp"

#include <gtest/gtest.h>

#include <array>

using namespace discern;
using namespace discern::programs;

namespace {

struct FragmentsCase {
    std::string shape, types;              ///< "m16n16k16", ".f32.f32" of wmma.mma
    std::string a, b, c, d;                ///< types of fragments
    unsigned m, n, in_a, in_b, in_c, in_d; ///< registers
};

std::string list_of(const std::string& name, unsigned count) {
    std::string text;
    for (unsigned i = 0; i < count; ++i) text += (i == 0 ? "{%" : ",%") + name + std::to_string(i);
    return text + "}";
}

/// D = A · B + C with k = 32 in two steps. A lies by rows or columns, and so does B. @param more  before the store
std::string text_of(const FragmentsCase& f, bool a_by_rows, bool b_by_rows, const std::string& more = "") {
    const auto bytes = [](const std::string& type) {
        return type[0] == 'f' && type == "f32" ? 4 : type == "s32" ? 4 : type.size() == 2 ? 1 : 2;
    };
    const unsigned size = bytes(f.a);
    std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n.reqntid 32\n{\n"
        ".reg .b64 %q<5>;\n.reg .b32 %a<8>, %b<8>, %c<8>, %x<2>;\n"
        "ld.param.u64 %q1, [a];\nld.param.u64 %q2, [b];\nld.param.u64 %q3, [c];\nld.param.u64 %q4, [d];\n";
    const std::string a_layout = a_by_rows ? "row" : "col", b_layout = b_by_rows ? "row" : "col",
                      a_stride = std::to_string(a_by_rows ? 32 : f.m), b_stride = std::to_string(b_by_rows ? f.n : 32),
                      n = std::to_string(f.n);
    text += "wmma.load.c.sync.aligned.row." + f.shape + ".global." + f.c + " " + list_of("c", f.in_c) + ", [%q3], " +
            n + ";\n";
    for (unsigned k = 0; k < 32; k += 16) {
        const auto offset = [&](bool is_near, unsigned far) { return std::to_string(k * size * (is_near ? 1 : far)); };
        text += "wmma.load.a.sync.aligned." + a_layout + "." + f.shape + ".global." + f.a + " " + list_of("a", f.in_a) +
                ", [%q1+" + offset(a_by_rows, f.m) + "], " + a_stride + ";\n" + "wmma.load.b.sync.aligned." + b_layout +
                "." + f.shape + ".global." + f.b + " " + list_of("b", f.in_b) + ", [%q2+" + offset(!b_by_rows, f.n) +
                "], " + b_stride + ";\n" + "wmma.mma.sync.aligned." + a_layout + "." + b_layout + "." + f.shape +
                f.types + " " + list_of("c", f.in_d) + ", " + list_of("a", f.in_a) + ", " + list_of("b", f.in_b) +
                ", " + list_of("c", f.in_c) + ";\n";
    }
    return text + more + "wmma.store.d.sync.aligned.row." + f.shape + ".global." + f.d + " [%q4], " +
           list_of("c", f.in_d) + ", " + n + ";\nret;\n}\n";
}

std::string launch_of_fragments(const FragmentsCase& f, bool a_by_rows, bool b_by_rows) {
    const auto array = [](const char* kind, const char* name, const std::string& format, const std::string& axes,
                          unsigned x, unsigned y) {
        return std::string("{\"") + kind + "\":\"" + name + "\",\"format\":\"" + format + "\",\"axes\":\"" + axes +
               "\",\"shape\":[" + std::to_string(x) + "," + std::to_string(y) + "]}";
    };
    return "{\"launch\":1,\"arguments\":[" +
           (a_by_rows ? array("matrix", "A", f.a, "mk", f.m, 32) : array("matrix", "A", f.a, "km", 32, f.m)) + "," +
           (b_by_rows ? array("matrix", "B", f.b, "kn", 32, f.n) : array("matrix", "B", f.b, "nk", f.n, 32)) + "," +
           array("matrix", "C", f.c, "mn", f.m, f.n) + "," + array("result", "D", f.d, "mn", f.m, f.n) + "]}";
}

const FragmentsCase half_case{"m16n16k16", ".f32.f32", "f16", "f16", "f32", "f32", 16, 16, 8, 8, 8, 8};

} // namespace

TEST(Wmma, IsItsUnitForEveryElement) {
    const FragmentsCase cases[] = {
        half_case,
        {"m32n8k16", ".f32.f32", "f16", "f16", "f32", "f32", 32, 8, 8, 8, 8, 8},
        {"m8n32k16", ".f16.f16", "f16", "f16", "f16", "f16", 8, 32, 8, 8, 4, 4},
        {"m16n16k16", ".f32.bf16.bf16.f32", "bf16", "bf16", "f32", "f32", 16, 16, 4, 4, 8, 8},
        {"m32n8k16", ".f32.bf16.bf16.f32", "bf16", "bf16", "f32", "f32", 32, 8, 8, 2, 8, 8},
    };
    for (const FragmentsCase& f : cases)
        for (const bool a_by_rows : {true, false})
            for (const bool b_by_rows : {true, false}) {
                Terms terms;
                const KernelReading reading =
                    read_kernel(text_of(f, a_by_rows, b_by_rows), "k.ptx",
                                parse_launch(launch_of_fragments(f, a_by_rows, b_by_rows), "k.json"), terms);
                ASSERT_TRUE(reading.results[0].schedule) << f.shape;
                EXPECT_EQ(reading.results[0].schedule->text,
                          "ampere/mma.m16n8k16." + f.d + "." + f.a + "." + f.b + "." + f.c + "@[K=32]");
                EXPECT_EQ(reading.kernel.assumptions.size(), 1u);
            }
}

TEST(Wmma, OfIntegersIsExact) {
    const FragmentsCase f{"m16n16k16", ".s32.s8.u8.s32", "s8", "u8", "s32", "s32", 16, 16, 2, 2, 8, 8};
    const RunKernel kernel =
        run_kernel(text_of(f, true, false), "k.ptx", parse_launch(launch_of_fragments(f, true, false), "k.json"));
    EXPECT_TRUE(kernel.assumptions.empty());
    const Evaluation evaluation(kernel.graph, kernel.results[0].elements);
    Random random(7);
    std::array<std::vector<std::int64_t>, 3> of = {std::vector<std::int64_t>(512), std::vector<std::int64_t>(512),
                                                   std::vector<std::int64_t>(256)};
    std::vector<std::uint64_t> given;
    for (const NodeId leaf : evaluation.leaves()) {
        const auto where = kernel.graph.arguments(leaf);
        const std::uint64_t bits = random.bits() & (where[0] == 2 ? 0xffffffff : 0xff);
        given.push_back(bits);
        of[where[0]][where[1]] = where[0] == 0   ? static_cast<std::int8_t>(bits)
                                 : where[0] == 1 ? static_cast<std::int64_t>(bits)
                                                 : static_cast<std::int32_t>(bits);
    }
    const std::vector<std::uint64_t> d = evaluation(given);
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t j = 0; j < 16; ++j) {
            std::int64_t sum = of[2][i * 16 + j];
            for (std::size_t k = 0; k < 32; ++k) sum += of[0][i * 32 + k] * of[1][j * 32 + k];
            EXPECT_EQ(d[i * 16 + j], static_cast<std::uint32_t>(sum)) << i << " " << j;
        }
}

/// What is done to all elements alike does not depend on where they are; all else does.
TEST(Wmma, FragmentsAreWhole) {
    const auto refusal = [](const std::string& more) -> std::string {
        Terms terms;
        try {
            read_kernel(text_of(half_case, true, true, more), "k.ptx",
                        parse_launch(launch_of_fragments(half_case, true, true), "k.json"), terms);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    const auto of_all = [](const std::string& form) {
        std::string text;
        for (int i = 0; i < 8; ++i) {
            std::string one = form;
            for (std::size_t at; (at = one.find('#')) != std::string::npos;) one.replace(at, 1, std::to_string(i));
            text += one;
        }
        return text;
    };
    for (const std::string& more :
         {std::string("mov.b32 %x0, %c0;\nmov.b32 %c0, %x0;\n"), of_all("mov.b32 %c#, 0f3F800000;\n"),
          of_all("mul.rn.f32 %c#, %c#, 0f40400000;\n"), of_all("max.f32 %c#, %c#, 0f00000000;\n")})
        EXPECT_EQ(refusal(more), "") << more;
    for (const std::string& more :
         {std::string("mov.b32 %c0, 0;\n"), std::string("add.f32 %c0, %c0, %c1;\n"), of_all("add.f32 %c#, %c#, %c0;\n"),
          std::string("ld.global.b32 %c0, [%q3];\n"), std::string("mov.b32 %c0, %tid.x;\n"),
          of_all("mul.rn.f32 %c#, %c#, 0f3F80000#;\n"),
          of_all("{\n.reg .pred %p;\n.reg .b32 %t;\nmov.u32 %t, %tid.x;\nsetp.eq.s32 %p, %t, 0;\n@%p mov.b32 %c#, "
                 "0;\n}\n"),
          of_all("shfl.sync.bfly.b32 %c#, %c#, 1, 31, -1;\n"),
          std::string("mov.b32 %x0, %c0;\nmov.b32 %c0, %c1;\nmov.b32 %c1, %x0;\n")})
        EXPECT_NE(refusal(more), "") << more;
    // A fragment of B in the place of one of A, and one of columns in the place of one of rows.
    EXPECT_NE(refusal(of_all("mov.b32 %a#, %b#;\n") +
                      "wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, "
                      "{%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, "
                      "{%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};\n"),
              "");
}
