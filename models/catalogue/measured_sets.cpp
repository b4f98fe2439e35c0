#include "models/measured_sets.hpp"

#include <array>

namespace discern {

namespace {

constexpr std::array<MeasuredSet, 48> all_measured_sets = {{
    {"V100", "f16", "f16", "volta/mma.m8n8k4.f16.f16.f16.f16"},
    {"V100", "f16", "f32", "volta/mma.m8n8k4.f32.f16.f16.f32"},
    {"A100", "f16", "f16", "ampere/mma.m16n8k16.f16.f16.f16.f16{K=8}"},
    {"A100", "f16", "f32", "ampere/mma.m16n8k16.f32.f16.f16.f32{K=8}"},
    {"A100", "bf16", "f32", "ampere/mma.m16n8k16.f32.bf16.bf16.f32{K=8}"},
    {"A100", "tf32", "f32", "ampere/mma.m16n8k8.f32.tf32.tf32.f32{K=4}"},
    {"A2", "f16", "f16", "ampere/mma.m16n8k16.f16.f16.f16.f16{K=8}"},
    {"A2", "f16", "f32", "ampere/mma.m16n8k16.f32.f16.f16.f32{K=8}"},
    {"A2", "bf16", "f32", "ampere/mma.m16n8k16.f32.bf16.bf16.f32{K=8}"},
    {"A2", "tf32", "f32", "ampere/mma.m16n8k8.f32.tf32.tf32.f32{K=4}"},
    {"Ada", "f16", "f16", "ada/mma.m16n8k16.f16.f16.f16.f16{K=8}"},
    {"Ada", "f16", "f32", "ada/mma.m16n8k16.f32.f16.f16.f32{K=8}"},
    {"Ada", "bf16", "f32", "ada/mma.m16n8k16.f32.bf16.bf16.f32{K=8}"},
    {"Ada", "tf32", "f32", "ada/mma.m16n8k8.f32.tf32.tf32.f32{K=4}"},
    {"Ada", "e4m3", "f16", "ada/mma.m16n8k32.f16.e4m3.e4m3.f16"},
    {"Ada", "e4m3", "f32", "ada/mma.m16n8k32.f32.e4m3.e4m3.f32"},
    {"Ada", "e5m2", "f16", "ada/mma.m16n8k32.f16.e5m2.e5m2.f16"},
    {"Ada", "e5m2", "f32", "ada/mma.m16n8k32.f32.e5m2.e5m2.f32"},
    {"L40S", "f16", "f16", "ada/mma.m16n8k16.f16.f16.f16.f16{K=8}"},
    {"L40S", "f16", "f32", "ada/mma.m16n8k16.f32.f16.f16.f32{K=8}"},
    {"L40S", "bf16", "f32", "ada/mma.m16n8k16.f32.bf16.bf16.f32{K=8}"},
    {"L40S", "tf32", "f32", "ada/mma.m16n8k8.f32.tf32.tf32.f32{K=4}"},
    {"L40S", "e4m3", "f32", "ada/mma.m16n8k32.f32.e4m3.e4m3.f32"},
    {"L40S", "e5m2", "f32", "ada/mma.m16n8k32.f32.e5m2.e5m2.f32"},
    {"H100", "f16", "f16", "hopper/mma.m16n8k16.f16.f16.f16.f16"},
    {"H100", "f16", "f32", "hopper/mma.m16n8k16.f32.f16.f16.f32"},
    {"H100", "bf16", "f32", "hopper/mma.m16n8k16.f32.bf16.bf16.f32"},
    {"H100", "tf32", "f32", "hopper/mma.m16n8k8.f32.tf32.tf32.f32{K=4}"},
    {"H100", "e4m3", "f16", "hopper/mma.m16n8k32.f16.e4m3.e4m3.f16"},
    {"H100", "e4m3", "f32", "hopper/wgmma.m64n8k32.f32.e4m3.e4m3"},
    {"H100", "e5m2", "f16", "hopper/mma.m16n8k32.f16.e5m2.e5m2.f16"},
    {"H100", "e5m2", "f32", "hopper/wgmma.m64n8k32.f32.e5m2.e5m2"},
    {"H200", "f16", "f16", "hopper/mma.m16n8k16.f16.f16.f16.f16"},
    {"H200", "f16", "f32", "hopper/mma.m16n8k16.f32.f16.f16.f32"},
    {"H200", "bf16", "f32", "hopper/mma.m16n8k16.f32.bf16.bf16.f32"},
    {"H200", "tf32", "f32", "hopper/mma.m16n8k8.f32.tf32.tf32.f32{K=4}"},
    {"H200", "e4m3", "f16", "hopper/mma.m16n8k32.f16.e4m3.e4m3.f16"},
    {"H200", "e4m3", "f32", "hopper/wgmma.m64n8k32.f32.e4m3.e4m3"},
    {"H200", "e5m2", "f16", "hopper/mma.m16n8k32.f16.e5m2.e5m2.f16"},
    {"H200", "e5m2", "f32", "hopper/wgmma.m64n8k32.f32.e5m2.e5m2"},
    {"B200", "f16", "f16", "blackwell/mma.m16n8k16.f16.f16.f16.f16"},
    {"B200", "f16", "f32", "blackwell/mma.m16n8k16.f32.f16.f16.f32"},
    {"B200", "bf16", "f32", "blackwell/mma.m16n8k16.f32.bf16.bf16.f32"},
    {"B200", "tf32", "f32", "blackwell/mma.m16n8k8.f32.tf32.tf32.f32{K=4}"},
    {"B200", "e4m3", "f16", "blackwell/mma.m16n8k32.f16.e4m3.e4m3.f16"},
    {"B200", "e4m3", "f32", "blackwell/mma.m16n8k32.f32.e4m3.e4m3.f32"},
    {"B200", "e5m2", "f16", "blackwell/mma.m16n8k32.f16.e5m2.e5m2.f16"},
    {"B200", "e5m2", "f32", "blackwell/mma.m16n8k32.f32.e5m2.e5m2.f32"},
}};

} // namespace

std::string MeasuredSet::name() const {
    return std::string(gpu) + "_" + std::string(input) + "_" + std::string(output);
}

std::span<const MeasuredSet> measured_sets() { return all_measured_sets; }

} // namespace discern
