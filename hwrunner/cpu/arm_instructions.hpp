// The dot-product instructions of AArch64 as functions of bit patterns. For AArch64 only, and nothing but the standard
// library, so that a cross-compiled program can have them alone.
//
// Each instruction is assembler text with the extension that it needs: the rest of the program runs on CPUs that do not
// have it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace discern::arm {

/// 128 bits, least significant first.
using Register = std::array<std::uint32_t, 4>;

// Loads and stores are part of the text: no type of the compiler is needed.
#define DISCERN_ARM_INSTRUCTION(extension, text)                                                                       \
    asm volatile(".arch_extension " extension "\n\t"                                                                   \
                 "ldr q0, [%[cd]]\n\tldr q1, [%[a]]\n\tldr q2, [%[b]]\n\t" text "\n\tstr q0, [%[cd]]"                  \
                 :                                                                                                     \
                 : [cd] "r"(cd.data()), [a] "r"(a.data()), [b] "r"(b.data())                                           \
                 : "v0", "v1", "v2", "memory")

inline void bfdot(const Register& a, const Register& b, Register& cd) {
    DISCERN_ARM_INSTRUCTION("bf16", "bfdot v0.4s, v1.8h, v2.8h");
}
inline void bfmmla(const Register& a, const Register& b, Register& cd) {
    DISCERN_ARM_INSTRUCTION("bf16", "bfmmla v0.4s, v1.8h, v2.8h");
}
inline void fmla_f32(const Register& a, const Register& b, Register& cd) {
    DISCERN_ARM_INSTRUCTION("fp", "fmla v0.4s, v1.4s, v2.4s");
}
inline void fmla_f16(const Register& a, const Register& b, Register& cd) {
    DISCERN_ARM_INSTRUCTION("fp16", "fmla v0.8h, v1.8h, v2.8h");
}

/// FPCR at its default while it lives.
class DefaultControl {
  public:
    DefaultControl() {
        asm volatile("mrs %0, fpcr" : "=r"(before_));
        asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{0}));
    }
    ~DefaultControl() { asm volatile("msr fpcr, %0" : : "r"(before_)); }
    DefaultControl(const DefaultControl&) = delete;
    DefaultControl& operator=(const DefaultControl&) = delete;

  private:
    std::uint64_t before_ = 0;
};

/// How dot products lie in registers.
struct Instruction {
    void (*run)(const Register& a, const Register& b, Register& cd);
    int K;
    int width;        ///< bits of an element of a and b
    int result_width; ///< bits of c and d
    bool is_matrix;   ///< 2 by 2: two dot products are in the corners (0, 0) and (1, 1); else every lane is one

    std::size_t at_once() const { return is_matrix ? 2 : 128 / static_cast<std::size_t>(result_width); }
};

inline constexpr Instruction bfdot_instruction = {bfdot, 2, 16, 32, false};
inline constexpr Instruction bfmmla_instruction = {bfmmla, 4, 16, 32, true};
inline constexpr Instruction fmla_f32_instruction = {fmla_f32, 1, 32, 32, false};
inline constexpr Instruction fmla_f16_instruction = {fmla_f16, 1, 16, 16, false};

struct Dot {
    std::span<const std::uint64_t> a, b; ///< K each
    std::uint64_t c = 0;
};

/// d of each of at most at_once() dot products.
inline std::vector<std::uint64_t> run(const Instruction& instruction, std::span<const Dot> dots) {
    Register a{}, b{}, cd{};
    const auto put = [](Register& to, std::size_t element, int width, std::uint64_t pattern) {
        const std::size_t at = element * static_cast<std::size_t>(width);
        to[at / 32] |= static_cast<std::uint32_t>(pattern << (at % 32));
    };
    const auto lane = [&](std::size_t v) { return instruction.is_matrix ? v * 3 : v; };
    const auto K = static_cast<std::size_t>(instruction.K);
    for (std::size_t v = 0; v < dots.size(); ++v) {
        for (std::size_t k = 0; k < K; ++k) {
            put(a, v * K + k, instruction.width, dots[v].a[k]);
            put(b, v * K + k, instruction.width, dots[v].b[k]);
        }
        put(cd, lane(v), instruction.result_width, dots[v].c);
    }
    {
        const DefaultControl control;
        instruction.run(a, b, cd);
    }
    std::vector<std::uint64_t> results;
    for (std::size_t v = 0; v < dots.size(); ++v) {
        const std::size_t at = lane(v) * static_cast<std::size_t>(instruction.result_width);
        const std::uint64_t mask = (std::uint64_t{1} << instruction.result_width) - 1;
        results.push_back((cd[at / 32] >> (at % 32)) & mask);
    }
    return results;
}

} // namespace discern::arm
