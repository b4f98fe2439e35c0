// Matrix instructions of integers: fragments by the formulas of the PTX ISA, one for each shape as it is printed there,
// and sums as integers are added, against what the machine computes on numbers, and what its graph gives.
#include "kernel_files.hpp"

#include "models/error.hpp"
#include "models/random.hpp"
#include "programs/evaluate/evaluate.hpp"
#include "programs/launch/device.hpp"
#include "programs/launch/run.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

using namespace discern;
using namespace discern::programs;

namespace {

using RowColumn = std::pair<unsigned, unsigned>; // row and column
using Formula = RowColumn (*)(unsigned group, unsigned thread, unsigned i);

/// With groupID = lane >> 2 and threadID_in_group = lane % 4.
struct IntegerShape {
    const char* name;
    unsigned m, k, bits, a_registers, b_registers;
    Formula a, b;
};

constexpr Formula c_of_8 = [](unsigned g, unsigned t, unsigned i) { return RowColumn(g, t * 2 + (i & 1)); };
constexpr Formula c_of_16 = [](unsigned g, unsigned t, unsigned i) {
    return RowColumn(i < 2 ? g : g + 8, t * 2 + (i & 1));
};

constexpr IntegerShape shapes[] = {
    {"m8n8k16", 8, 16, 8, 1, 1, [](unsigned g, unsigned t, unsigned i) { return RowColumn(g, t * 4 + i); },
     [](unsigned g, unsigned t, unsigned i) { return RowColumn(t * 4 + i, g); }},
    {"m16n8k16", 16, 16, 8, 2, 1,
     [](unsigned g, unsigned t, unsigned i) { return RowColumn(i < 4 ? g : g + 8, t * 4 + (i & 3)); },
     [](unsigned g, unsigned t, unsigned i) { return RowColumn(t * 4 + i, g); }},
    {"m16n8k32", 16, 32, 8, 4, 2,
     [](unsigned g, unsigned t, unsigned i) {
         return RowColumn(i < 4 || (i >= 8 && i < 12) ? g : g + 8, i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16);
     },
     [](unsigned g, unsigned t, unsigned i) { return RowColumn(i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g); }},
    {"m8n8k32", 8, 32, 4, 1, 1, [](unsigned g, unsigned t, unsigned i) { return RowColumn(g, t * 8 + i); },
     [](unsigned g, unsigned t, unsigned i) { return RowColumn(t * 8 + i, g); }},
    {"m16n8k32", 16, 32, 4, 2, 1,
     [](unsigned g, unsigned t, unsigned i) { return RowColumn(i < 8 ? g : g + 8, t * 8 + (i & 7)); },
     [](unsigned g, unsigned t, unsigned i) { return RowColumn(t * 8 + i, g); }},
    {"m16n8k64", 16, 64, 4, 4, 2,
     [](unsigned g, unsigned t, unsigned i) {
         return RowColumn(i < 8 || (i >= 16 && i < 24) ? g : g + 8, i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32);
     },
     [](unsigned g, unsigned t, unsigned i) { return RowColumn(i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g); }},
    {"m8n8k128", 8, 128, 1, 1, 1, [](unsigned g, unsigned t, unsigned i) { return RowColumn(g, t * 32 + i); },
     [](unsigned g, unsigned t, unsigned i) { return RowColumn(t * 32 + i, g); }},
    {"m16n8k128", 16, 128, 1, 2, 1,
     [](unsigned g, unsigned t, unsigned i) { return RowColumn(i < 32 ? g : g + 8, t * 32 + (i & 31)); },
     [](unsigned g, unsigned t, unsigned i) { return RowColumn(t * 32 + i, g); }},
    {"m16n8k256", 16, 256, 1, 4, 2,
     [](unsigned g, unsigned t, unsigned i) {
         return RowColumn(i < 32 || (i >= 64 && i < 96) ? g : g + 8,
                          i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128);
     },
     [](unsigned g, unsigned t, unsigned i) {
         return RowColumn(i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128, g);
     }},
};

/// "{%a0, %a1}", loaded from, or stored to, that pointer, the registers of a thread side by side.
std::string list(char name, unsigned count) {
    std::string text;
    for (unsigned r = 0; r < count; ++r) text += std::string(r == 0 ? "{" : ", ") + "%" + name + std::to_string(r);
    return text + "}";
}
std::string moves(char name, unsigned count, bool loads) {
    const std::string pointer = std::string("%p") + name, bytes = std::to_string(4 * count);
    std::string text = "mad.wide.u32 " + pointer + ", %t, " + bytes + ", " + pointer + ";\n";
    for (unsigned r = 0; r < count; ++r) {
        const std::string reg = std::string("%") + name + std::to_string(r),
                          at = "[" + pointer + "+" + std::to_string(4 * r) + "]";
        text += loads ? "ld.global.b32 " + reg + ", " + at + ";\n" : "st.global.b32 " + at + ", " + reg + ";\n";
    }
    return text;
}
std::string text_of(const IntegerShape& shape, const std::string& types) {
    const unsigned c = shape.m / 4;
    return ".version 8.0\n.target sm_80\n.address_size 64\n"
           ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d)\n.reqntid 32\n{\n"
           ".reg .b64 %pa, %pb, %pc, %pd;\n.reg .b32 %t, %a<4>, %b<4>, %c<4>, %d<4>;\nmov.u32 %t, %tid.x;\n"
           "ld.param.u64 %pa, [a];\nld.param.u64 %pb, [b];\nld.param.u64 %pc, [c];\nld.param.u64 %pd, [d];\n" +
           moves('a', shape.a_registers, true) + moves('b', shape.b_registers, true) + moves('c', c, true) +
           "mma.sync.aligned." + shape.name + ".row.col" + types + " " + list('d', c) + ", " +
           list('a', shape.a_registers) + ", " + list('b', shape.b_registers) + ", " + list('c', c) + ";\n" +
           moves('d', c, false) + "ret;\n}\n";
}

std::int64_t element(const std::vector<std::uint8_t>& registers, unsigned count, unsigned bits, unsigned lane,
                     unsigned i, bool is_signed) {
    const unsigned bit = lane * count * 32 + i * bits;
    const unsigned pattern = registers[bit / 8] >> (bit % 8) & ((1u << bits) - 1);
    return is_signed && (pattern >> (bits - 1)) != 0 ? std::int64_t(pattern) - (1 << bits) : pattern;
}

/// The results by the ISA's formulas. @param op  * of numbers, & or ^ of bits
std::vector<std::uint8_t> expected(const IntegerShape& shape, const std::array<std::vector<std::uint8_t>, 3>& in,
                                   bool a_signed, bool b_signed, char op, bool saturates) {
    std::vector<std::vector<std::int64_t>> a(16, std::vector<std::int64_t>(256)), b = std::vector(256, a[0]);
    const unsigned c_registers = shape.m / 4;
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned i = 0; i < shape.a_registers * 32 / shape.bits; ++i) {
            const auto [row, k] = shape.a(lane >> 2, lane % 4, i);
            a[row][k] = element(in[0], shape.a_registers, shape.bits, lane, i, a_signed);
        }
        for (unsigned i = 0; i < shape.b_registers * 32 / shape.bits; ++i) {
            const auto [k, column] = shape.b(lane >> 2, lane % 4, i);
            b[k][column] = element(in[1], shape.b_registers, shape.bits, lane, i, b_signed);
        }
    }
    std::vector<std::uint8_t> d(in[2].size());
    for (unsigned lane = 0; lane < 32; ++lane)
        for (unsigned i = 0; i < c_registers; ++i) {
            const auto [row, column] = (shape.m == 8 ? c_of_8 : c_of_16)(lane >> 2, lane % 4, i);
            const std::size_t at = (lane * c_registers + i) * 4;
            std::int32_t c = 0;
            std::memcpy(&c, &in[2][at], 4);
            std::int64_t sum = c;
            for (unsigned k = 0; k < shape.k; ++k) {
                const std::int64_t x = a[row][k], y = b[k][column];
                sum += op == '*' ? x * y : op == '&' ? x & y : x ^ y;
            }
            if (saturates && sum > INT32_MAX) sum = INT32_MAX;
            if (saturates && sum < INT32_MIN) sum = INT32_MIN;
            const auto word = static_cast<std::uint32_t>(sum);
            std::memcpy(&d[at], &word, 4);
        }
    return d;
}

/// What a launch on numbers leaves in d.
std::vector<std::uint8_t> by_numbers(const std::string& text, std::array<std::vector<std::uint8_t>, 3> in) {
    std::vector<std::uint8_t> d(in[2].size());
    const std::array<std::uint64_t, 4> addresses = {0x10000, 0x20000, 0x30000, 0x40000};
    std::vector<std::uint8_t> parameters(sizeof addresses);
    std::memcpy(parameters.data(), addresses.data(), sizeof addresses);
    const DeviceArray arrays[] = {
        {addresses[0], in[0]}, {addresses[1], in[1]}, {addresses[2], in[2]}, {addresses[3], d}};
    LoadedKernel(text, "integers.ptx").launch({.block = {32, 1, 1}, .parameters = parameters}, arrays);
    return d;
}

/// The same by the graph.
std::vector<std::uint8_t> by_graph(const std::string& text, const std::array<std::vector<std::uint8_t>, 3>& in) {
    const auto words = [](const std::vector<std::uint8_t>& bytes) { return std::to_string(bytes.size() / 4); };
    const RunKernel kernel = run_kernel(
        text, "integers.ptx",
        parse_launch(R"({"launch":1,"arguments":[{"matrix":"A","format":"u32","axes":"k","shape":[)" + words(in[0]) +
                         R"(]},{"matrix":"B","format":"u32","axes":"k","shape":[)" + words(in[1]) +
                         R"(]},{"matrix":"C","format":"s32","axes":"m","shape":[)" + words(in[2]) +
                         R"(]},{"result":"D","format":"s32","axes":"m","shape":[)" + words(in[2]) + "]}]}",
                     "integers.json"));
    const Evaluation evaluation(kernel.graph, kernel.results[0].elements);
    std::vector<std::uint64_t> given;
    for (const NodeId leaf : evaluation.leaves()) {
        std::uint32_t word = 0;
        std::memcpy(&word, &in[kernel.graph.arguments(leaf)[0]][kernel.graph.arguments(leaf)[1] * 4], 4);
        given.push_back(word);
    }
    std::vector<std::uint8_t> d;
    for (const std::uint64_t word : evaluation(given))
        for (unsigned byte = 0; byte < 4; ++byte) d.push_back(static_cast<std::uint8_t>(word >> (8 * byte)));
    return d;
}

struct IntegerTypes {
    std::string a, b, before, after; ///< .satfinite, .xor.popc
};

std::vector<IntegerTypes> integer_types(unsigned bits) {
    if (bits == 1) return {{"b1", "b1", "", ".xor.popc"}, {"b1", "b1", "", ".and.popc"}};
    std::vector<IntegerTypes> all;
    const std::string width = std::to_string(bits);
    for (const char* a : {"s", "u"})
        for (const char* b : {"s", "u"})
            for (const char* saturates : {"", ".satfinite"}) all.push_back({a + width, b + width, saturates, ""});
    return all;
}

} // namespace

TEST(IntegerMatrices, AreTheIsasFormulas) {
    Random random(5);
    int saturated = 0;
    for (const IntegerShape& shape : shapes)
        for (const IntegerTypes& types : integer_types(shape.bits)) {
            const std::string modifiers = types.before + ".s32." + types.a + "." + types.b + ".s32" + types.after,
                              text = text_of(shape, modifiers);
            SCOPED_TRACE(shape.name + modifiers);
            for (int round = 0; round < 4; ++round) {
                std::array<std::vector<std::uint8_t>, 3> in = {std::vector<std::uint8_t>(shape.a_registers * 128),
                                                               std::vector<std::uint8_t>(shape.b_registers * 128),
                                                               std::vector<std::uint8_t>(shape.m * 32)};
                for (auto& bytes : in)
                    for (std::uint8_t& byte : bytes) byte = random.bits() & 255;
                // Accumulators at the ends, so that sums go over them.
                for (std::size_t i = 0; round > 1 && i < in[2].size(); i += 4) {
                    const std::uint32_t end = round == 2 ? 0x7fffffff : 0x80000000;
                    std::memcpy(&in[2][i], &end, 4);
                }
                const auto right = expected(shape, in, types.a[0] == 's', types.b[0] == 's',
                                            types.after == ".xor.popc"   ? '^'
                                            : types.after == ".and.popc" ? '&'
                                                                         : '*',
                                            types.before == ".satfinite");
                EXPECT_EQ(by_numbers(text, in), right);
                EXPECT_EQ(by_graph(text, in), right);
                saturated += types.before == ".satfinite" &&
                             right != expected(shape, in, types.a[0] == 's', types.b[0] == 's', '*', false);
            }
        }
    EXPECT_GT(saturated, 20);
}

TEST(IntegerMatrices, OtherFormsAreRefused) {
    const auto refused = [](std::size_t shape, const std::string& types) {
        try {
            by_numbers(text_of(shapes[shape], types), {std::vector<std::uint8_t>(512), std::vector<std::uint8_t>(512),
                                                       std::vector<std::uint8_t>(512)});
        } catch (const Error& error) {
            return std::string(error.what()).find("not read") != std::string::npos ||
                   std::string(error.what()).find("are right") != std::string::npos;
        }
        return false;
    };
    EXPECT_FALSE(refused(2, ".s32.s8.u8.s32"));
    EXPECT_TRUE(refused(2, ".s32.s8.u4.s32"));
    EXPECT_TRUE(refused(2, ".s32.s8.f16.s32"));
    EXPECT_TRUE(refused(2, ".s32.s8.s8.f32"));
    EXPECT_TRUE(refused(7, ".s32.b1.b1.s32"));
    EXPECT_TRUE(refused(7, ".s32.b1.b1.s32.or.popc"));
    EXPECT_TRUE(refused(7, ".s32.b1.u4.s32.xor.popc"));
    EXPECT_TRUE(refused(3, ".s32.s8.s8.s32")); // m8n8k32 is one of s4
}

namespace {

/// The one term of a chain of instructions "m16n8k16.row.col.s32.s8.s8.s32", from left to right, on registers that the
/// threads load from A and B: instruction i has the places that `order` says.
NodeId chained(Terms& terms, const std::vector<std::pair<std::string, unsigned>>& instructions,
               const std::string& accumulator) {
    std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                       ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)\n.reqntid 32\n{\n"
                       ".reg .b64 %pa, %pb, %pd, %q;\n.reg .b32 %t, %g, %h, %a<4>, %b<4>, %d<4>;\nmov.u32 %t, %tid.x;\n"
                       "ld.param.u64 %pa, [a];\nld.param.u64 %pb, [b];\nld.param.u64 %pd, [d];\n"
                       "shr.u32 %g, %t, 2;\nand.b32 %h, %t, 3;\n";
    for (int i = 0; i < 4; ++i) text += "mov.b32 %d" + std::to_string(i) + ", " + accumulator + ";\n";
    // A is 16 × 64, and B 8 × 64: rows of 64 bytes.
    text += "mul.wide.u32 %q, %g, 64;\nadd.u64 %pa, %pa, %q;\nadd.u64 %pb, %pb, %q;\n"
            "mul.wide.u32 %q, %h, 4;\nadd.u64 %pa, %pa, %q;\nadd.u64 %pb, %pb, %q;\n";
    for (const auto& [name, k] : instructions) {
        const bool is_long = name.starts_with("m16n8k32");
        for (unsigned r = 0; r < (is_long ? 4u : 2u); ++r)
            text += "ld.global.b32 %a" + std::to_string(r) + ", [%pa+" + std::to_string(k + r % 2 * 512 + r / 2 * 16) +
                    "];\n";
        for (unsigned r = 0; r < (is_long ? 2u : 1u); ++r)
            text += "ld.global.b32 %b" + std::to_string(r) + ", [%pb+" + std::to_string(k + r * 16) + "];\n";
        text += "mma.sync.aligned." + name + " " + list('d', 4) + ", " + list('a', is_long ? 4 : 2) + ", " +
                list('b', is_long ? 2 : 1) + ", " + list('d', 4) + ";\n";
    }
    text += "mul.wide.u32 %q, %g, 32;\nadd.u64 %pd, %pd, %q;\nmul.wide.u32 %q, %h, 8;\nadd.u64 %pd, %pd, %q;\n"
            "st.global.v2.b32 [%pd], {%d0, %d1};\nst.global.v2.b32 [%pd+256], {%d2, %d3};\nret;\n}\n";
    const KernelReading reading = read_kernel(text, "chain.ptx",
                                              parse_launch(R"({"launch":1,"arguments":[
        {"matrix":"A","format":"s8","axes":"mk","shape":[16,64]},{"matrix":"B","format":"s8","axes":"nk","shape":[8,64]},
        {"result":"D","format":"s32","axes":"mn","shape":[16,8]}]})",
                                                           "chain.json"),
                                              terms);
    EXPECT_EQ(reading.results[0].folded.classes.size(), 1u);
    return reading.results[0].folded.classes[0].term;
}

} // namespace

TEST(IntegerMatrices, SumsThatCannotOverflowHaveOneTerm) {
    const std::string k16 = "m16n8k16.row.col.s32.s8.s8.s32", k32 = "m16n8k32.row.col.s32.s8.s8.s32",
                      clamped = "m16n8k32.row.col.satfinite.s32.s8.s8.s32", unlike = "m16n8k32.row.col.s32.u8.s8.s32";
    Terms terms;
    const NodeId one = chained(terms, {{k32, 0}, {k32, 32}}, "0");
    EXPECT_EQ(chained(terms, {{k16, 0}, {k16, 16}, {k16, 32}, {k16, 48}}, "0"), one);
    EXPECT_EQ(chained(terms, {{k16, 48}, {k32, 0}, {k16, 32}}, "0"), one);
    EXPECT_EQ(chained(terms, {{clamped, 0}, {clamped, 32}}, "0"), one);
    EXPECT_NE(chained(terms, {{unlike, 0}, {unlike, 32}}, "0"), one);
    EXPECT_NE(chained(terms, {{k32, 0}, {k32, 0}}, "0"), one);
    // 64 products of 128 · 128 fit below the end if the accumulator is 64 · 2^14 away from it, and else need not.
    for (const auto& [accumulator, fits] : {std::pair("0x7fefffff", true), std::pair("0x7ff00000", false),
                                            std::pair("0x80100001", true), std::pair("0x80100000", false)})
        EXPECT_EQ(chained(terms, {{clamped, 0}, {clamped, 32}}, accumulator) ==
                      chained(terms, {{k32, 0}, {k32, 32}}, accumulator),
                  fits)
            << accumulator;
}
