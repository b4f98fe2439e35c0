// The targets that need no other program, and the table of kinds.
#include "hwrunner/kinds.hpp"
#include "hwrunner/validate.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"

#include <gtest/gtest.h>

#include <sstream>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace discern::testing {
namespace {

struct Validated {
    Validation counts;
    std::string first; ///< mismatch, in words
    std::uint64_t first_index = 0;
};

Validated validate(const std::string& target, const std::string& unit, std::uint64_t vectors, std::uint64_t seed) {
    const auto made = make_target(target);
    Validated result;
    const auto report = [&](const Mismatch& mismatch) {
        if (!result.first.empty()) return;
        std::ostringstream text;
        text << "seed " << seed << ", vector " << mismatch.index << " (" << name(mismatch.family)
             << "): " << to_json(made->shape(), mismatch.vector) << ", the unit gives " << std::hex
             << mismatch.expected;
        result.first = text.str();
        result.first_index = mismatch.index;
    };
    validate_target(*made, resolve_unit(unit), {.vectors = vectors, .seed = seed}, report, result.counts);
    return result;
}

std::string message_of(const std::string& target) {
    try {
        make_target(target);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

class Cpu : public ::testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        const std::string reason = kind_of(GetParam()).unavailable();
        if (!reason.empty()) GTEST_SKIP() << reason;
    }
};

TEST_P(Cpu, IsItsCatalogueUnit) {
    const Validated result = validate(GetParam(), GetParam(), 200'000, 3);
    EXPECT_EQ(result.counts.checked, 200'000u);
    EXPECT_EQ(result.counts.mismatches, 0u) << result.first;
}

TEST_P(Cpu, SaysWhichCpuItIs) {
    const Identity identity = make_target(GetParam())->identity();
    ASSERT_FALSE(identity.empty());
    EXPECT_EQ(identity.front().first, "vendor");
    for (const auto& [field, value] : identity) EXPECT_FALSE(value.empty()) << field;
}

TEST_P(Cpu, ABatchIsItsVectorsAlone) {
    const auto target = make_target(GetParam());
    InputGenerator generator(resolve_unit(GetParam()), Family::uniform_bits, 9);
    std::vector<InputBuffer> buffers(37); // no multiple of the lanes
    std::vector<Inputs> batch;
    for (InputBuffer& buffer : buffers) {
        generator.next(buffer);
        batch.push_back(buffer.inputs());
    }
    std::vector<TargetAnswer> together, alone;
    target->run(batch, together);
    for (const Inputs& inputs : batch) target->run(std::span(&inputs, 1), alone);
    ASSERT_EQ(together.size(), batch.size());
    ASSERT_EQ(alone.size(), batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) EXPECT_EQ(together[i].d, alone[i].d) << "seed 9, vector " << i;
}

#if defined(__x86_64__)
TEST_P(Cpu, TheCallersRoundingDoesNotMatterAndStays) {
    const unsigned before = _mm_getcsr(), odd = 0xffc0; // toward zero, flushing results and operands, masked
    _mm_setcsr(odd);
    const Validated result = validate(GetParam(), GetParam(), 20'000, 4);
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    EXPECT_EQ(result.counts.mismatches, 0u) << result.first;
    EXPECT_EQ(after & 0xffc0u, odd);
}
#endif

INSTANTIATE_TEST_SUITE_P(Target, Cpu, ::testing::Values("x86/vdpbf16ps", "x86/dpps", "x86/fma.f32"),
                         [](const auto& row) {
                             std::string text = row.param.substr(4);
                             std::erase(text, '.');
                             return text;
                         });

TEST(WrongCpu, WrongModelsFailWithinAThousandVectors) {
    const std::vector<std::pair<std::string, std::string>> wrong = {
        {"x86/vdpbf16ps", "{ftz=none}"}, {"x86/vdpbf16ps", "{round=rz}"}, {"x86/fma.f32", "{round=rz}"}};
    std::size_t tried = 0;
    for (const auto& [target, overrides] : wrong) {
        if (!kind_of(target).unavailable().empty()) continue;
        ++tried;
        const Validated result = validate(target, target + overrides, 1000, 5);
        EXPECT_GT(result.counts.mismatches, 0u) << target << overrides;
    }
    if (tried == 0) GTEST_SKIP() << "this CPU has none of the instructions";
}

TEST(Model, IsItsUnitAndNoOther) {
    const std::string volta = "volta/mma.m8n8k4.f32.f16.f16.f32";
    EXPECT_EQ(validate("model:" + volta, volta, 20'000, 1).counts.mismatches, 0u);
    const Validated other = validate("model:" + volta + "{F=22}", volta, 1000, 1);
    EXPECT_GT(other.counts.mismatches, 0u);
    EXPECT_LT(other.first_index, 1000u);
    EXPECT_EQ(other.counts.checked, 1000u);
}

TEST(Model, ScaledUnits) {
    const std::string unit = "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3";
    EXPECT_EQ(validate("model:" + unit, unit, 5000, 1).counts.mismatches, 0u);
}

TEST(Validation, CountsDoNotDependOnTheBatch) {
    // 9001 is more than two batches and no multiple of the families.
    const std::string unit = "volta/mma.m8n8k4.f32.f16.f16.f32";
    const Validated whole = validate("model:" + unit + "{F=22}", unit, 9001, 2);
    EXPECT_EQ(whole.counts.checked, 9001u);
    const Validated part = validate("model:" + unit + "{F=22}", unit, 100, 2);
    EXPECT_EQ(part.first, whole.first);
}

TEST(Validation, ShapesMustAgree) {
    EXPECT_THROW(validate("model:volta/mma.m8n8k4.f32.f16.f16.f32", "x86/vdpbf16ps", 10, 1), Error);
}

TEST(Kinds, WrongNames) {
    EXPECT_EQ(message_of("x86/dpp").find("there is no target 'x86/dpp' (did you mean x86/dpps"), 0u);
    EXPECT_EQ(message_of("model:").find("target 'model:': UNIT is missing after the colon"), 0u);
    EXPECT_NE(message_of("model:nothing"), "");
    EXPECT_NE(message_of("replay:/no/such/file"), "");
    EXPECT_EQ(message_of("cuda:0/mma.m16n8k8.f32.f16.f16.f32").find("unavailable: cuda:0/"), 0u);
    EXPECT_EQ(message_of("hip:0/x").find("unavailable: hip:0/x: "), 0u);
}

TEST(Kinds, WhatIsAvailableCanBeMade) {
    std::size_t made = 0;
    for (const TargetKind& kind : target_kinds()) {
        if (kind.has_rest()) continue;
        const std::string reason = kind.unavailable();
        const std::string message = message_of(std::string(kind.name));
        EXPECT_EQ(message.empty(), reason.empty()) << kind.name << ": " << message;
        ++made;
    }
    EXPECT_EQ(made, 11u); // seven of x86, four of Arm
}

TEST(ShapeFromText, ReadsFormatsAndScales) {
    EXPECT_EQ(to_string(shape_from_text("f16,f16,f32,f32", 16)), "f16*f16+f32->f32 K=16");
    EXPECT_EQ(to_string(shape_from_text("f32,f32,-,f32", 4)), "f32*f32->f32 K=4");
    EXPECT_EQ(to_string(shape_from_text("e2m1,e2m1,f32,f32", 64, "ue4m3/16")),
              "e2m1*e2m1+f32->f32 K=64 scale=ue4m3/16");
    for (const auto& [formats, K, scale] :
         std::vector<std::tuple<std::string, int, std::string>>{{"f16,f16,f32", 16, ""},
                                                                {"", 16, ""},
                                                                {"f16,f16,f32,f99", 16, ""},
                                                                {"f16,f16,f32,-", 16, ""},
                                                                {"f16,f16,f32,f32", 0, ""},
                                                                {"f16,f16,f32,f32", 16, "e8m0"},
                                                                {"f16,f16,f32,f32", 16, "e8m0/0"},
                                                                {"f16,f16,f32,f32", 16, "e8m0/x"}})
        EXPECT_THROW(shape_from_text(formats, K, scale), Error) << formats << ' ' << K << ' ' << scale;
}

} // namespace
} // namespace discern::testing
