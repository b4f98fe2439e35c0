// An exec target for AArch64, to be cross-compiled and run by qemu-aarch64: the widening multiply-adds, SVE's FMMLA and
// SME's outer products. scalable_peer INSTRUCTION [FPCR, hexadecimal]. It fills all places of the instruction with the
// vector and ones in turn, and answers what the vector's place gives.
#include "line.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <map>
#include <string>
#include <vector>

namespace {

/// The first 128 or 256 bits of two registers, and those of a third one or the first rows of a tile, one after the
/// other.
struct Registers {
    std::array<std::uint8_t, 64> a{}, b{}, cd{};
};

#define ALL_REGISTERS                                                                                                  \
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",       \
        "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",       \
        "memory"
#define EXTENSIONS ".arch armv8.6-a+sve2+f32mm+f64mm+bf16+fp16fml+sme-f64\n\t"

/// A register of BYTES bytes is added to.
#define VECTOR(bytes, text)                                                                                            \
    [](Registers& r) {                                                                                                 \
        asm volatile(EXTENSIONS "ptrue p0.b, vl" bytes "\n\t"                                                          \
                                "ld1b {z0.b}, p0/z, [%[cd]]\n\tld1b {z1.b}, p0/z, [%[a]]\n\t"                          \
                                "ld1b {z2.b}, p0/z, [%[b]]\n\t" text "\n\tst1b {z0.b}, p0, [%[cd]]"                    \
                     :                                                                                                 \
                     : [cd] "r"(r.cd.data()), [a] "r"(r.a.data()), [b] "r"(r.b.data())                                 \
                     : ALL_REGISTERS);                                                                                 \
    }

/// A tile whose rows of 128 bits are added to: before and after the instruction, each row is moved.
#define TILE(before, text, after)                                                                                      \
    [](Registers& r) {                                                                                                 \
        asm volatile(EXTENSIONS "smstart\n\tmov w12, #0\n\tptrue p0.b, vl16\n\t"                                       \
                                "ld1b {z1.b}, p0/z, [%[a]]\n\tld1b {z2.b}, p0/z, [%[b]]\n\t" before text after         \
                                "smstop"                                                                               \
                     :                                                                                                 \
                     : [a] "r"(r.a.data()), [b] "r"(r.b.data()), [r0] "r"(r.cd.data()), [r1] "r"(r.cd.data() + 16),    \
                       [r2] "r"(r.cd.data() + 32), [r3] "r"(r.cd.data() + 48)                                          \
                     : "x12", ALL_REGISTERS);                                                                          \
    }
#define ROWS_OF_4(text)                                                                                                \
    TILE("ld1w {za0h.s[w12, 0]}, p0/z, [%[r0]]\n\tld1w {za0h.s[w12, 1]}, p0/z, [%[r1]]\n\t"                            \
         "ld1w {za0h.s[w12, 2]}, p0/z, [%[r2]]\n\tld1w {za0h.s[w12, 3]}, p0/z, [%[r3]]\n\t",                           \
         text "\n\t",                                                                                                  \
         "st1w {za0h.s[w12, 0]}, p0, [%[r0]]\n\tst1w {za0h.s[w12, 1]}, p0, [%[r1]]\n\t"                                \
         "st1w {za0h.s[w12, 2]}, p0, [%[r2]]\n\tst1w {za0h.s[w12, 3]}, p0, [%[r3]]\n\t")
#define ROWS_OF_2(text)                                                                                                \
    TILE("ld1d {za0h.d[w12, 0]}, p0/z, [%[r0]]\n\tld1d {za0h.d[w12, 1]}, p0/z, [%[r1]]\n\t", text "\n\t",              \
         "st1d {za0h.d[w12, 0]}, p0, [%[r0]]\n\tst1d {za0h.d[w12, 1]}, p0, [%[r1]]\n\t")

struct Instruction {
    void (*run)(Registers&);
    int K, width, result_width;
    int rows, columns = 1; ///< of dot products; of a vector all are in one column, and have elements of b of their own
    int first = 0, stride = 1; ///< of the elements of a and b in their registers
};

const std::map<std::string, Instruction> instructions = {
    {"bfmlalb", {VECTOR("16", "bfmlalb v0.4s, v1.8h, v2.8h"), 1, 16, 32, 4, 1, 0, 2}},
    {"bfmlalt", {VECTOR("16", "bfmlalt v0.4s, v1.8h, v2.8h"), 1, 16, 32, 4, 1, 1, 2}},
    {"fmlal", {VECTOR("16", "fmlal v0.4s, v1.4h, v2.4h"), 1, 16, 32, 4}},
    {"fmlal2", {VECTOR("16", "fmlal2 v0.4s, v1.4h, v2.4h"), 1, 16, 32, 4, 1, 4}},
    {"fmlalb", {VECTOR("16", "fmlalb z0.s, z1.h, z2.h"), 1, 16, 32, 4, 1, 0, 2}},
    {"fmlalt", {VECTOR("16", "fmlalt z0.s, z1.h, z2.h"), 1, 16, 32, 4, 1, 1, 2}},
    {"fmmla.f32", {VECTOR("16", "fmmla z0.s, z1.s, z2.s"), 2, 32, 32, 2, 2}},
    {"fmmla.f64", {VECTOR("32", "fmmla z0.d, z1.d, z2.d"), 2, 64, 64, 2, 2}},
    {"bfmopa", {ROWS_OF_4("bfmopa za0.s, p0/m, p0/m, z1.h, z2.h"), 2, 16, 32, 4, 4}},
    {"fmopa.f32.f16", {ROWS_OF_4("fmopa za0.s, p0/m, p0/m, z1.h, z2.h"), 2, 16, 32, 4, 4}},
    {"fmopa.f32.f32", {ROWS_OF_4("fmopa za0.s, p0/m, p0/m, z1.s, z2.s"), 1, 32, 32, 4, 4}},
    {"fmopa.f64.f64", {ROWS_OF_2("fmopa za0.d, p0/m, p0/m, z1.d, z2.d"), 1, 64, 64, 2, 2}},
};

template <std::size_t N>
void put(std::array<std::uint8_t, N>& to, int element, int width, std::uint64_t pattern) {
    std::memcpy(to.data() + element * width / 8, &pattern, static_cast<std::size_t>(width / 8));
}

} // namespace

int main(int count, char** arguments) {
    const Instruction instruction = instructions.at(arguments[1]);
    const std::uint64_t control = count > 2 ? std::stoull(arguments[2], nullptr, 16) : 0;
    const bool is_vector = instruction.columns == 1;
    std::string line;
    std::getline(std::cin, line); // the header
    for (int number = 0; std::getline(std::cin, line); ++number) {
        std::map<char, std::vector<std::uint64_t>> operands = operands_of(line);
        const int row = number % instruction.rows, column = number / instruction.rows % instruction.columns;
        Registers registers;
        // All other places have 3c00, or as many of it as an element holds.
        for (auto* const of : {&registers.a, &registers.b, &registers.cd})
            for (std::size_t i = 0; i < of->size(); ++i) (*of)[i] = i % 2 == 0 ? 0x00 : 0x3c;
        for (int k = 0; k < instruction.K; ++k) {
            const auto place = [&](int of) {
                return instruction.first + instruction.stride * (of * instruction.K + k);
            };
            put(registers.a, place(row), instruction.width, operands['a'].at(static_cast<std::size_t>(k)));
            put(registers.b, place(is_vector ? row : column), instruction.width,
                operands['b'].at(static_cast<std::size_t>(k)));
        }
        const int at = row * instruction.columns + column;
        put(registers.cd, at, instruction.result_width, operands['c'].at(0));
        asm volatile("msr fpcr, %0" : : "r"(control));
        instruction.run(registers);
        asm volatile("msr fpcr, xzr");
        std::uint64_t d = 0;
        std::memcpy(&d, registers.cd.data() + at * instruction.result_width / 8,
                    static_cast<std::size_t>(instruction.result_width / 8));
        std::printf("{\"d\":\"%0*llx\"}\n", instruction.result_width / 4, static_cast<unsigned long long>(d));
        std::fflush(stdout);
    }
}
