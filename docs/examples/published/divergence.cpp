// Xie et al., Equation 10 and Table 8: the same five terms, −2^23, −0.5, −0.25, −0.125 and c = 2^23, on every
// architecture. The exact sum is −0.875.

#include "dot.hpp"
#include "published.hpp"

namespace discern::published {

namespace {

struct Row {
    const char* subject;
    const char* unit;
    double published;
};

// fp8 needs e5m2 (e5m2fnuz) for a, which alone of the 8-bit formats holds 2^13.
constexpr Row rows[] = {
    {"Volta fp16", "volta/mma.m8n8k4.f32.f16.f16.f32", 0},
    {"Turing fp16", "turing/mma.m16n8k8.f32.f16.f16.f32", -0.5},
    {"Ampere fp16", "ampere/mma.m16n8k16.f32.f16.f16.f32", -0.5},
    {"Ampere bf16", "ampere/mma.m16n8k16.f32.bf16.bf16.f32", -0.5},
    {"Ampere tf32", "ampere/mma.m16n8k8.f32.tf32.tf32.f32", -0.5},
    {"Ada fp16", "ada/mma.m16n8k16.f32.f16.f16.f32", -0.5},
    {"Ada bf16", "ada/mma.m16n8k16.f32.bf16.bf16.f32", -0.5},
    {"Ada tf32", "ada/mma.m16n8k8.f32.tf32.tf32.f32", -0.5},
    {"Ada fp8", "ada/mma.m16n8k32.f32.e5m2.e5m2.f32", 0},
    {"Hopper fp16", "hopper/wgmma.m64n8k16.f32.f16.f16", -0.75},
    {"Hopper bf16", "hopper/wgmma.m64n8k16.f32.bf16.bf16", -0.75},
    {"Hopper tf32", "hopper/wgmma.m64n8k8.f32.tf32.tf32", -0.75},
    {"Hopper fp8", "hopper/wgmma.m64n8k32.f32.e5m2.e5m2", 0},
    {"Blackwell fp16", "blackwell/tcgen05.mma.m64n8k16.f32.f16.f16", -0.75},
    {"Blackwell bf16", "blackwell/tcgen05.mma.m64n8k16.f32.bf16.bf16", -0.75},
    {"Blackwell tf32", "blackwell/tcgen05.mma.m64n8k8.f32.tf32.tf32", -0.75},
    {"Blackwell fp8", "blackwell/tcgen05.mma.m64n8k32.f32.e5m2.e5m2", -0.75},
    {"RTX Blackwell fp16", "rtxblackwell/mma.m16n8k16.f32.f16.f16.f32", -0.75},
    {"RTX Blackwell bf16", "rtxblackwell/mma.m16n8k16.f32.bf16.bf16.f32", -0.75},
    {"RTX Blackwell tf32", "rtxblackwell/mma.m16n8k8.f32.tf32.tf32.f32", -0.75},
    {"RTX Blackwell fp8", "rtxblackwell/mma.m16n8k32.f32.e5m2.e5m2.f32", -0.75},
    {"CDNA1 fp16", "cdna1/v_mfma_f32_16x16x16f16", -0.875},
    {"CDNA1 bf16", "cdna1/v_mfma_f32_16x16x8bf16", -0.875},
    {"CDNA2 fp16", "cdna2/v_mfma_f32_16x16x16f16", 0},
    {"CDNA2 bf16", "cdna2/v_mfma_f32_16x16x8bf16", -0.375},
    {"CDNA2 bf16_1k", "cdna2/v_mfma_f32_16x16x16bf16_1k", 0},
    {"CDNA3 fp16", "cdna3/v_mfma_f32_16x16x16_f16", -0.5},
    {"CDNA3 bf16", "cdna3/v_mfma_f32_16x16x16_bf16", -0.5},
    {"CDNA3 xf32", "cdna3/v_mfma_f32_16x16x8_xf32", -0.5},
    {"CDNA3 fp8", "cdna3/v_mfma_f32_16x16x32_bf8_bf8", -1.0},
    {"CDNA3 fp32", "cdna3/v_mfma_f32_16x16x4_f32", -0.875},
    {"Ampere fp64", "ampere/mma.m8n8k4.f64.f64.f64.f64", -0.875},
};

} // namespace

Collection divergence() {
    Collection table{.title = "One dot product, six answers (Xie et al., Table 8)",
                     .story =
                         "c = 2^23 and the products -2^23, -0.5, -0.25, -0.125: every term is exact in every format,\n"
                         "the exact sum is -0.875, and it fits. What a unit returns says how it adds.",
                     .notation = "%g",
                     .results = {}};
    for (const Row& row : rows)
        table.results.push_back({.subject = row.subject,
                                 .unit = row.unit,
                                 .computed = dot(row.unit, {-8192, -0.5, -0.25, -0.125}, {1024, 1, 1, 1}, 8388608),
                                 .published = row.published,
                                 .contradiction = {},
                                 .remark = {}});
    return table;
}

} // namespace discern::published
