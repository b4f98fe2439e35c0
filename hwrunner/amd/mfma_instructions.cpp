#include "mfma_instructions.hpp"

#include <algorithm>

namespace discern {

namespace {

struct Architecture {
    std::string_view gfx, catalogue;
};
constexpr std::array<Architecture, 3> architectures = {{{"gfx908", "cdna1"}, {"gfx90a", "cdna2"}, {"gfx942", "cdna3"}}};

constexpr MfmaOperand operand_f32 = {"float", 1, 1, 32};
constexpr MfmaOperand operand_f16 = {"_Float16", 4, 4, 16};
constexpr MfmaOperand operand_bf16 = {"short", 2, 2, 16};
constexpr MfmaOperand operand_bf16_1k = {"short", 4, 4, 16};
constexpr MfmaOperand operand_xf32 = {"float", 2, 2, 32};
constexpr MfmaOperand operand_fp8 = {"long", 8, 1, 8};
constexpr MfmaOperand operand_f64 = {"double", 1, 1, 64};

constexpr auto mfma_table = std::to_array<MfmaInstruction>({
    {"f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32", 32, 32, 1, &operand_f32, {0x40, 0x40, 0x40}},
    {"f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32", 16, 16, 1, &operand_f32, {0x41, 0x41, 0x41}},
    {"f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32", 4, 4, 1, &operand_f32, {0x42, 0x42, 0x42}},
    {"f32_32x32x2f32", "v_mfma_f32_32x32x2_f32", 32, 32, 2, &operand_f32, {0x44, 0x44, 0x44}},
    {"f32_16x16x4f32", "v_mfma_f32_16x16x4_f32", 16, 16, 4, &operand_f32, {0x45, 0x45, 0x45}},
    {"f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16", 32, 32, 4, &operand_f16, {0x48, 0x48, 0x48}},
    {"f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16", 16, 16, 4, &operand_f16, {0x49, 0x49, 0x49}},
    {"f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16", 4, 4, 4, &operand_f16, {0x4a, 0x4a, 0x4a}},
    {"f32_32x32x8f16", "v_mfma_f32_32x32x8_f16", 32, 32, 8, &operand_f16, {0x4c, 0x4c, 0x4c}},
    {"f32_16x16x16f16", "v_mfma_f32_16x16x16_f16", 16, 16, 16, &operand_f16, {0x4d, 0x4d, 0x4d}},
    {"f32_32x32x2bf16", "", 32, 32, 2, &operand_bf16, {0x68, 0x68, 0}},
    {"f32_16x16x2bf16", "", 16, 16, 2, &operand_bf16, {0x69, 0x69, 0}},
    {"f32_4x4x2bf16", "", 4, 4, 2, &operand_bf16, {0x6b, 0x6b, 0}},
    {"f32_32x32x4bf16", "", 32, 32, 4, &operand_bf16, {0x6c, 0x6c, 0}},
    {"f32_16x16x8bf16", "", 16, 16, 8, &operand_bf16, {0x6d, 0x6d, 0}},
    {"f32_32x32x4bf16_1k", "v_mfma_f32_32x32x4_2b_bf16", 32, 32, 4, &operand_bf16_1k, {0, 0x63, 0x5d}},
    {"f32_16x16x4bf16_1k", "v_mfma_f32_16x16x4_4b_bf16", 16, 16, 4, &operand_bf16_1k, {0, 0x64, 0x5e}},
    {"f32_4x4x4bf16_1k", "v_mfma_f32_4x4x4_16b_bf16", 4, 4, 4, &operand_bf16_1k, {0, 0x65, 0x5f}},
    {"f32_32x32x8bf16_1k", "v_mfma_f32_32x32x8_bf16", 32, 32, 8, &operand_bf16_1k, {0, 0x66, 0x60}},
    {"f32_16x16x16bf16_1k", "v_mfma_f32_16x16x16_bf16", 16, 16, 16, &operand_bf16_1k, {0, 0x67, 0x61}},
    {"f32_32x32x4_xf32", "v_mfma_f32_32x32x4_xf32", 32, 32, 4, &operand_xf32, {0, 0, 0x3f}},
    {"f32_16x16x8_xf32", "v_mfma_f32_16x16x8_xf32", 16, 16, 8, &operand_xf32, {0, 0, 0x3e}},
    {"f32_32x32x16_bf8_bf8", "v_mfma_f32_32x32x16_bf8_bf8", 32, 32, 16, &operand_fp8, {0, 0, 0x74}},
    {"f32_32x32x16_bf8_fp8", "v_mfma_f32_32x32x16_bf8_fp8", 32, 32, 16, &operand_fp8, {0, 0, 0x75}},
    {"f32_32x32x16_fp8_bf8", "v_mfma_f32_32x32x16_fp8_bf8", 32, 32, 16, &operand_fp8, {0, 0, 0x76}},
    {"f32_32x32x16_fp8_fp8", "v_mfma_f32_32x32x16_fp8_fp8", 32, 32, 16, &operand_fp8, {0, 0, 0x77}},
    {"f32_16x16x32_bf8_bf8", "v_mfma_f32_16x16x32_bf8_bf8", 16, 16, 32, &operand_fp8, {0, 0, 0x70}},
    {"f32_16x16x32_bf8_fp8", "v_mfma_f32_16x16x32_bf8_fp8", 16, 16, 32, &operand_fp8, {0, 0, 0x71}},
    {"f32_16x16x32_fp8_bf8", "v_mfma_f32_16x16x32_fp8_bf8", 16, 16, 32, &operand_fp8, {0, 0, 0x72}},
    {"f32_16x16x32_fp8_fp8", "v_mfma_f32_16x16x32_fp8_fp8", 16, 16, 32, &operand_fp8, {0, 0, 0x73}},
    {"f64_16x16x4f64", "v_mfma_f64_16x16x4_f64", 16, 16, 4, &operand_f64, {0, 0x6e, 0x6e}},
    {"f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64", 4, 4, 4, &operand_f64, {0, 0x6f, 0x6f}},
});

} // namespace

std::string_view gfx_name(Cdna architecture) { return architectures[static_cast<std::size_t>(architecture)].gfx; }
std::string_view catalogue_name(Cdna architecture) {
    return architectures[static_cast<std::size_t>(architecture)].catalogue;
}

std::optional<Cdna> cdna_from_gfx(std::string_view gfx) {
    const std::string_view base = gfx.substr(0, gfx.find(':'));
    for (const Cdna architecture : cdna_architectures)
        if (gfx_name(architecture) == base) return architecture;
    return std::nullopt;
}

std::string MfmaInstruction::name(Cdna architecture) const {
    return architecture == Cdna::gfx942 ? std::string(cdna3_name) : "v_mfma_" + std::string(builtin);
}

std::span<const MfmaInstruction> mfma_instructions() { return mfma_table; }

const MfmaInstruction* find_mfma(Cdna architecture, std::string_view name) {
    const auto* const found =
        std::find_if(mfma_table.begin(), mfma_table.end(), [&](const MfmaInstruction& instruction) {
            return instruction.is_of(architecture) && instruction.name(architecture) == name;
        });
    return found == mfma_table.end() ? nullptr : found;
}

} // namespace discern
