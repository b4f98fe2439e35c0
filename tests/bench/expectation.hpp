// A question with the answer that is expected of it: one row of a table of such questions.
#pragma once

#include "solver/question/question.hpp"

#include <span>
#include <string>
#include <string_view>

namespace discern::bench {

struct Expectation {
    std::string_view topic; ///< rows of one topic stand together
    std::string_view claim; ///< what the two units stand for, in words
    std::string_view base;  ///< a unit, as people write it
    std::string_view one; ///< the first unit: overrides of the base in braces, or a whole unit; empty: the base itself
    std::string_view two; ///< the second, likewise
    Verdict expected = Verdict::unknown;
    std::string_view published = {}; ///< what solvers needed elsewhere; empty: not published

    std::string first() const { return unit(one); }
    std::string second() const { return unit(two); }

  private:
    std::string unit(std::string_view text) const {
        const bool whole = !text.empty() && text.front() != '{';
        return whole ? std::string(text) : std::string(base) + std::string(text);
    }
};

using Expectations = std::span<const Expectation>;

/// Units that several tables use as a base.
namespace names {
inline constexpr std::string_view volta = "volta/mma.m8n8k4.f32.f16.f16.f32";
inline constexpr std::string_view volta_f16 = "volta/mma.m8n8k4.f16.f16.f16.f16";
inline constexpr std::string_view ampere = "ampere/mma.m16n8k8.f32.f16.f16.f32";
inline constexpr std::string_view ampere_bf16 = "ampere/mma.m16n8k8.f32.bf16.bf16.f32";
inline constexpr std::string_view ada_fp8 = "ada/mma.m16n8k32.f32.e4m3.e4m3.f32";
inline constexpr std::string_view hopper = "hopper/mma.m16n8k16.f32.f16.f16.f32";
inline constexpr std::string_view hopper_bf16 = "hopper/mma.m16n8k16.f32.bf16.bf16.f32";
} // namespace names

} // namespace discern::bench
