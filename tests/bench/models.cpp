// How many dot products a second the evaluators compute: one unit of each family of the catalogue.
//
// Inputs are drawn once, from the family `normal`, and are more than the first-level cache holds, so that the branch
// predictor cannot learn them by heart.

#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/same_bits.h"
#include "models/space.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace discern;

constexpr std::size_t vectors = 4096; // a power of two
constexpr std::uint64_t seed = 1;

// One unit a family and, within a family, one a format that is decoded differently.
constexpr const char* units[] = {
    "volta/mma.m8n8k4.f32.f16.f16.f32",                            // T-FDPA, L = 4
    "ampere/mma.m16n8k16.f32.f16.f16.f32",                         // T-FDPA, two blocks of 8
    "ampere/mma.m16n8k8.f32.tf32.tf32.f32",                        // T-FDPA, tf32
    "hopper/wgmma.m64n8k16.f32.f16.f16",                           // T-FDPA, L = 16
    "hopper/wgmma.m64n8k16.f32.bf16.bf16",                         // T-FDPA, bf16
    "hopper/wgmma.m64n8k16.f16.f16.f16",                           // T-FDPA into fp16
    "hopper/wgmma.m64n8k32.f32.e4m3.e4m3",                         // T-FDPA, fp8, F = 13
    "hopper/mma.m16n8k32.f32.e4m3.e4m3.f32",                       // interleaved fp8 via fp16
    "blackwell/tcgen05.mma.m128n8k32.block32.f32.e4m3.e4m3.ue8m0", // ST-FDPA
    "blackwell/tcgen05.mma.m128n8k64.block16.f32.e2m1.e2m1.ue4m3", // GST-FDPA
    "cdna1/v_mfma_f32_16x16x16f16",                                // E-FDPA
    "cdna2/v_mfma_f32_16x16x16f16",                                // FTZ-AddMul
    "cdna3/v_mfma_f32_16x16x4_f32",                                // FMA, f32
    "ampere/mma.m8n8k4.f64.f64.f64.f64",                           // FMA, f64
    "cdna3/v_mfma_f32_16x16x16_f16",                               // TR-FDPA
    "cdna3/v_mfma_f32_16x16x32_fp8_fp8",                           // GTR-FDPA
    "x86/vdpbf16ps",                                               // x86
    "riscv/bna.f32.bf16.bf16",                                     // BNA
};

// The exact evaluator, for comparison.
constexpr const char* exactly[] = {"hopper/wgmma.m64n8k16.f32.f16.f16"};

// Equal normal forms, texts to answer, as a compiler asks; a millisecond is the goal.
constexpr std::pair<const char*, const char*> same_kernels[] = {
    {"blackwell/mma.m16n8k16.f32.bf16.bf16.f32@[]", "blackwell/tcgen05.mma.m64n8k16.f32.bf16.bf16@[]"},
    {"ampere/mma.m16n8k16.f32.f16.f16.f32@[split=4]", "ampere/mma.m16n8k8.f32.f16.f16.f32@[split=4]"},
    {"x86/fma.f32@[lanes=4 unroll=2 reduce=halving]", "x86/fma.f32@[lanes=8 reduce=halving]"},
};

// Ten thousand units, read and made: about 0.2 s.
const std::string space =
    "hopper/wgmma.m64n8k16.f32.f16.f16{F={18..27},align={rz|rd|ru|rne|rna},round={f32:rz|f32:rne|f32:rd},"
    "L={4|8|16},c={early|late},zero={ignore|emin},floor={none|-133},product={raw|carry|full}}";

std::vector<InputBuffer> draw(const Unit& unit) {
    InputGenerator generator(unit, Family::normal, seed);
    std::vector<InputBuffer> inputs(vectors);
    for (InputBuffer& one : inputs) generator.next(one);
    return inputs;
}

template <class Evaluate>
void measure(benchmark::State& state, const Unit& unit, const Evaluate& evaluate) {
    const std::vector<InputBuffer> inputs = draw(unit);
    std::size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(evaluate(inputs[i].inputs()));
        i = (i + 1) % vectors;
    }
    state.SetItemsProcessed(state.iterations()); // dot products
}

} // namespace

int main(int argc, char** argv) {
    for (const char* name : units)
        benchmark::RegisterBenchmark(name, [name](benchmark::State& state) {
            const Evaluator evaluate(resolve_unit(name));
            measure(state, evaluate.unit(), evaluate);
        });
    for (const char* name : exactly)
        benchmark::RegisterBenchmark((std::string("exact oracle: ") + name).c_str(), [name](benchmark::State& state) {
            const Unit unit = resolve_unit(name);
            measure(state, unit, [&](const Inputs& inputs) { return evaluate_exactly(unit, inputs); });
        });
    for (const auto& [one, other] : same_kernels)
        benchmark::RegisterBenchmark((std::string("same bits, K = 4096: ") + one + " and " + other).c_str(),
                                     [one = one, other = other](benchmark::State& state) {
                                         for (auto _ : state)
                                             if (discern_same_bits(one, other, 4096, 0, nullptr, 0) != DISCERN_SAME)
                                                 state.SkipWithError("they are not the same");
                                     });
    benchmark::RegisterBenchmark(("members of " + space).c_str(), [](benchmark::State& state) {
        for (auto _ : state) benchmark::DoNotOptimize(members(read_spaces(space)));
    });
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
}
