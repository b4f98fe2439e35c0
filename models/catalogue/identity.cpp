// Identity: which instructions there are, how they are called, their shapes and formats.
//
// Sources: PTX ISA (mma, wgmma, tcgen05.mma), AMD's CDNA1-3 instruction set manuals, the headers of the golden vectors,
// Intel's manuals, the RISC-V rvbna section.
#include "written.hpp"

#include "models/notation.hpp"
#include "models/shape.hpp"

#include <charconv>
#include <span>

namespace discern::tables {

namespace {

using enum FormatId;

struct Pair {
    FormatId a, b;
};

constexpr std::array<Pair, 1> pairs_f64 = {{{f64, f64}}};
constexpr std::array<Pair, 1> pairs_tf32 = {{{tf32, tf32}}};
constexpr std::array<Pair, 1> pairs_bf16 = {{{bf16, bf16}}};
constexpr std::array<Pair, 1> pairs_f16 = {{{f16, f16}}};
constexpr std::array<Pair, 4> pairs_fp8 = {{{e4m3, e4m3}, {e4m3, e5m2}, {e5m2, e4m3}, {e5m2, e5m2}}};
constexpr std::array<Pair, 1> pairs_fp4 = {{{e2m1, e2m1}}};

constexpr std::array<FormatId, 5> narrow = {e4m3, e5m2, e3m2, e2m3, e2m1};
constexpr auto pairs_narrow = [] {
    std::array<Pair, narrow.size() * narrow.size()> pairs{};
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {narrow[i / narrow.size()], narrow[i % narrow.size()]};
    return pairs;
}();

struct Results {
    FormatId c, d;
};

constexpr Results in_f16_or_f32[] = {{f16, f16}, {f32, f32}}, in_any[] = {{f16, f16}, {f16, f32}, {f32, f32}},
                  in_f32[] = {{f32, f32}}, in_f64[] = {{f64, f64}};

/// The formats that follow the shape in a name.
enum class NameForm : std::uint8_t { d_a_b_c, d_a_b };

/// NVIDIA: one row stands for an instruction with all of its operand types, on every architecture that has it.
struct PtxRow {
    Architectures on;
    std::string_view stem; ///< up to the shape
    Input input;
    std::span<const Pair> pairs;
    std::span<const Results> results;
    NameForm form;
    FormatId scale_format = e8m0; ///< with block > 0
    int block = 0;
    std::string_view remark = "";
};

constexpr std::string_view emulated =
    "emulated: the assembler expands it to fp16 instructions, two chained calls from +0 and a last addition";
constexpr std::string_view as_volta = "runs as on Volta";
constexpr std::string_view newer_isa = "needs PTX ISA 9.1: earlier assemblers reject this block with this scale format";

using enum Arch;
using enum NameForm;

constexpr Architectures since_turing{turing, rtxblackwell}, since_ampere{ampere, rtxblackwell},
    since_hopper{hopper, rtxblackwell}, on_hopper_and_blackwell{hopper, blackwell}, on_cdna1_and_2{cdna1, cdna2};

/// An architecture has its instructions in this order.
constexpr PtxRow ptx_rows[] = {
    {volta, "mma.m8n8k4", Input::f16, pairs_f16, in_any, d_a_b_c},
    {turing, "mma.m8n8k4", Input::f16_as_volta, pairs_f16, in_any, d_a_b_c, e8m0, 0, as_volta},
    {since_turing, "mma.m16n8k8", Input::f16, pairs_f16, in_f16_or_f32, d_a_b_c},
    {since_ampere, "mma.m16n8k16", Input::f16, pairs_f16, in_f16_or_f32, d_a_b_c},
    {since_ampere, "mma.m16n8k8", Input::bf16, pairs_bf16, in_f32, d_a_b_c},
    {since_ampere, "mma.m16n8k16", Input::bf16, pairs_bf16, in_f32, d_a_b_c},
    {since_ampere, "mma.m16n8k4", Input::tf32, pairs_tf32, in_f32, d_a_b_c},
    {since_ampere, "mma.m16n8k8", Input::tf32, pairs_tf32, in_f32, d_a_b_c},
    {ada, "mma.m16n8k16", Input::fp8, pairs_fp8, in_f16_or_f32, d_a_b_c},
    {ada, "mma.m16n8k32", Input::fp8, pairs_fp8, in_f16_or_f32, d_a_b_c},
    {on_hopper_and_blackwell, "mma.m16n8k16", Input::fp8_via_f16, pairs_fp8, in_f16_or_f32, d_a_b_c, e8m0, 0, emulated},
    {on_hopper_and_blackwell, "mma.m16n8k32", Input::fp8_via_f16, pairs_fp8, in_f16_or_f32, d_a_b_c, e8m0, 0, emulated},
    {rtxblackwell, "mma.m16n8k16", Input::f8f6f4, pairs_fp8, in_f16_or_f32, d_a_b_c},
    {rtxblackwell, "mma.m16n8k32", Input::f8f6f4, pairs_narrow, in_f16_or_f32, d_a_b_c},
    {rtxblackwell, "mma.m16n8k32", Input::mx, pairs_narrow, in_f32, d_a_b_c, e8m0, 32},
    {rtxblackwell, "mma.m16n8k64", Input::mxf4, pairs_fp4, in_f32, d_a_b, e8m0, 32},
    {rtxblackwell, "mma.m16n8k64", Input::mxf4, pairs_fp4, in_f32, d_a_b, e8m0, 16, newer_isa},
    {rtxblackwell, "mma.m16n8k64", Input::mxf4, pairs_fp4, in_f32, d_a_b, ue4m3, 16},
    {since_ampere, "mma.m8n8k4", Input::f64, pairs_f64, in_f64, d_a_b_c},
    {since_hopper, "mma.m16n8k4", Input::f64, pairs_f64, in_f64, d_a_b_c},
    {since_hopper, "mma.m16n8k8", Input::f64, pairs_f64, in_f64, d_a_b_c},
    {since_hopper, "mma.m16n8k16", Input::f64, pairs_f64, in_f64, d_a_b_c},
    {hopper, "wgmma.m64n8k16", Input::f16, pairs_f16, in_f16_or_f32, d_a_b},
    {hopper, "wgmma.m64n8k16", Input::bf16, pairs_bf16, in_f32, d_a_b},
    {hopper, "wgmma.m64n8k8", Input::tf32, pairs_tf32, in_f32, d_a_b},
    {hopper, "wgmma.m64n8k32", Input::fp8, pairs_fp8, in_f16_or_f32, d_a_b},
    {blackwell, "tcgen05.mma.m64n8k16", Input::f16, pairs_f16, in_f16_or_f32, d_a_b},
    {blackwell, "tcgen05.mma.m64n8k16", Input::bf16, pairs_bf16, in_f32, d_a_b},
    {blackwell, "tcgen05.mma.m64n8k8", Input::tf32, pairs_tf32, in_f32, d_a_b},
    {blackwell, "tcgen05.mma.m64n8k32", Input::f8f6f4, pairs_narrow, in_f16_or_f32, d_a_b},
    {blackwell, "tcgen05.mma.m128n8k32", Input::mx, pairs_narrow, in_f32, d_a_b, e8m0, 32},
    {blackwell, "tcgen05.mma.m128n8k64", Input::mxf4, pairs_fp4, in_f32, d_a_b, e8m0, 32},
    {blackwell, "tcgen05.mma.m128n8k64", Input::mxf4, pairs_fp4, in_f32, d_a_b, e8m0, 16},
    {blackwell, "tcgen05.mma.m128n8k64", Input::mxf4, pairs_fp4, in_f32, d_a_b, ue4m3, 16},
};

/// Everything else is listed by name. c and d have the format of results.
struct NamedRow {
    Architectures on;
    std::string_view instruction;
    Input input;
    FormatId a, b, d;
    int K;
};

constexpr NamedRow named_rows[] = {
    {on_cdna1_and_2, "v_mfma_f32_32x32x1f32", Input::f32, f32, f32, f32, 1},
    {on_cdna1_and_2, "v_mfma_f32_16x16x1f32", Input::f32, f32, f32, f32, 1},
    {on_cdna1_and_2, "v_mfma_f32_4x4x1f32", Input::f32, f32, f32, f32, 1},
    {on_cdna1_and_2, "v_mfma_f32_32x32x2f32", Input::f32, f32, f32, f32, 2},
    {on_cdna1_and_2, "v_mfma_f32_16x16x4f32", Input::f32, f32, f32, f32, 4},
    {on_cdna1_and_2, "v_mfma_f32_32x32x4f16", Input::f16, f16, f16, f32, 4},
    {on_cdna1_and_2, "v_mfma_f32_16x16x4f16", Input::f16, f16, f16, f32, 4},
    {on_cdna1_and_2, "v_mfma_f32_4x4x4f16", Input::f16, f16, f16, f32, 4},
    {on_cdna1_and_2, "v_mfma_f32_32x32x8f16", Input::f16, f16, f16, f32, 8},
    {on_cdna1_and_2, "v_mfma_f32_16x16x16f16", Input::f16, f16, f16, f32, 16},
    {on_cdna1_and_2, "v_mfma_f32_32x32x2bf16", Input::bf16, bf16, bf16, f32, 2},
    {on_cdna1_and_2, "v_mfma_f32_16x16x2bf16", Input::bf16, bf16, bf16, f32, 2},
    {on_cdna1_and_2, "v_mfma_f32_4x4x2bf16", Input::bf16, bf16, bf16, f32, 2},
    {on_cdna1_and_2, "v_mfma_f32_32x32x4bf16", Input::bf16, bf16, bf16, f32, 4},
    {on_cdna1_and_2, "v_mfma_f32_16x16x8bf16", Input::bf16, bf16, bf16, f32, 8},
    {cdna2, "v_mfma_f32_32x32x4bf16_1k", Input::bf16_1k, bf16, bf16, f32, 4},
    {cdna2, "v_mfma_f32_16x16x4bf16_1k", Input::bf16_1k, bf16, bf16, f32, 4},
    {cdna2, "v_mfma_f32_4x4x4bf16_1k", Input::bf16_1k, bf16, bf16, f32, 4},
    {cdna2, "v_mfma_f32_32x32x8bf16_1k", Input::bf16_1k, bf16, bf16, f32, 8},
    {cdna2, "v_mfma_f32_16x16x16bf16_1k", Input::bf16_1k, bf16, bf16, f32, 16},
    {cdna2, "v_mfma_f64_16x16x4f64", Input::f64, f64, f64, f64, 4},
    {cdna2, "v_mfma_f64_4x4x4f64", Input::f64, f64, f64, f64, 4},

    {cdna3, "v_mfma_f32_32x32x1_2b_f32", Input::f32, f32, f32, f32, 1},
    {cdna3, "v_mfma_f32_16x16x1_4b_f32", Input::f32, f32, f32, f32, 1},
    {cdna3, "v_mfma_f32_4x4x1_16b_f32", Input::f32, f32, f32, f32, 1},
    {cdna3, "v_mfma_f32_32x32x2_f32", Input::f32, f32, f32, f32, 2},
    {cdna3, "v_mfma_f32_16x16x4_f32", Input::f32, f32, f32, f32, 4},
    {cdna3, "v_mfma_f32_32x32x4_2b_f16", Input::f16, f16, f16, f32, 4},
    {cdna3, "v_mfma_f32_16x16x4_4b_f16", Input::f16, f16, f16, f32, 4},
    {cdna3, "v_mfma_f32_4x4x4_16b_f16", Input::f16, f16, f16, f32, 4},
    {cdna3, "v_mfma_f32_32x32x8_f16", Input::f16, f16, f16, f32, 8},
    {cdna3, "v_mfma_f32_16x16x16_f16", Input::f16, f16, f16, f32, 16},
    {cdna3, "v_mfma_f32_32x32x4_2b_bf16", Input::bf16, bf16, bf16, f32, 4},
    {cdna3, "v_mfma_f32_16x16x4_4b_bf16", Input::bf16, bf16, bf16, f32, 4},
    {cdna3, "v_mfma_f32_4x4x4_16b_bf16", Input::bf16, bf16, bf16, f32, 4},
    {cdna3, "v_mfma_f32_32x32x8_bf16", Input::bf16, bf16, bf16, f32, 8},
    {cdna3, "v_mfma_f32_16x16x16_bf16", Input::bf16, bf16, bf16, f32, 16},
    {cdna3, "v_mfma_f32_32x32x4_xf32", Input::tf32, tf32, tf32, f32, 4},
    {cdna3, "v_mfma_f32_16x16x8_xf32", Input::tf32, tf32, tf32, f32, 8},
    {cdna3, "v_mfma_f32_32x32x16_bf8_bf8", Input::fp8, e5m2fnuz, e5m2fnuz, f32, 16},
    {cdna3, "v_mfma_f32_32x32x16_bf8_fp8", Input::fp8, e5m2fnuz, e4m3fnuz, f32, 16},
    {cdna3, "v_mfma_f32_32x32x16_fp8_bf8", Input::fp8, e4m3fnuz, e5m2fnuz, f32, 16},
    {cdna3, "v_mfma_f32_32x32x16_fp8_fp8", Input::fp8, e4m3fnuz, e4m3fnuz, f32, 16},
    {cdna3, "v_mfma_f32_16x16x32_bf8_bf8", Input::fp8, e5m2fnuz, e5m2fnuz, f32, 32},
    {cdna3, "v_mfma_f32_16x16x32_bf8_fp8", Input::fp8, e5m2fnuz, e4m3fnuz, f32, 32},
    {cdna3, "v_mfma_f32_16x16x32_fp8_bf8", Input::fp8, e4m3fnuz, e5m2fnuz, f32, 32},
    {cdna3, "v_mfma_f32_16x16x32_fp8_fp8", Input::fp8, e4m3fnuz, e4m3fnuz, f32, 32},
    {cdna3, "v_mfma_f64_16x16x4_f64", Input::f64, f64, f64, f64, 4},
    {cdna3, "v_mfma_f64_4x4x4_4b_f64", Input::f64, f64, f64, f64, 4},

    {x86, "vdpbf16ps", Input::vdpbf16ps, bf16, bf16, f32, 2},
    {x86, "dpps", Input::dpps, f32, f32, f32, 4},
    {x86, "fma.f32", Input::fma, f32, f32, f32, 1},

    {riscv, "bna.f32.bf16.bf16", Input::bna, bf16, bf16, f32, 8},
    {riscv, "bna.f32.e4m3.e4m3", Input::bna, e4m3, e4m3, f32, 8},
    {riscv, "bna.f32.e4m3.e5m2", Input::bna, e4m3, e5m2, f32, 8},
    {riscv, "bna.f32.e5m2.e4m3", Input::bna, e5m2, e4m3, f32, 8},
    {riscv, "bna.f32.e5m2.e5m2", Input::bna, e5m2, e5m2, f32, 8},
};

/// The number behind the last 'k' of "…m16n8k32".
int shape_K(std::string_view stem) {
    int K = 0;
    const std::string_view digits = stem.substr(stem.rfind('k') + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), K);
    return K;
}

/// PTX spells the scale format of e8m0 with its sign: ue8m0.
std::string_view ptx_scale_name(FormatId id) { return id == e8m0 ? "ue8m0" : format(id).name; }

std::string ptx_name(const PtxRow& row, const Pair& pair, const Results& results) {
    std::string text(row.stem);
    const auto add = [&text](std::string_view part) { (text += '.') += part; };
    if (row.block != 0) add("block" + std::to_string(row.block));
    add(format(results.d).name);
    add(format(pair.a).name);
    add(format(pair.b).name);
    if (row.form == d_a_b_c) add(format(results.c).name);
    if (row.block != 0) add(ptx_scale_name(row.scale_format));
    return text;
}

bool is_number_in(std::string_view digits, int low, int high, int step) {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value >= low && value <= high &&
           value % step == 0;
}

} // namespace

std::vector<Identity> identities() {
    std::vector<Identity> all;
    const auto add_ptx = [&](Arch arch, const PtxRow& row) {
        const auto scale = row.block == 0 ? std::nullopt : std::optional(Scale{row.scale_format, row.block});
        for (const Results& results : row.results)
            for (const Pair& pair : row.pairs)
                all.push_back({arch, ptx_name(row, pair, results), row.input, pair.a, pair.b, results.c, results.d,
                               shape_K(row.stem), scale, std::string(row.remark)});
    };
    const auto add_named = [&](Arch arch, const NamedRow& row) {
        const auto c = row.input == Input::dpps ? std::nullopt : std::optional(row.d);
        all.push_back({arch, std::string(row.instruction), row.input, row.a, row.b, c, row.d, row.K, std::nullopt, ""});
    };
    for (std::size_t i = 0; i < arch_names.size(); ++i) {
        const auto arch = static_cast<Arch>(i);
        for (const PtxRow& row : ptx_rows)
            if (row.on.contains(arch)) add_ptx(arch, row);
        for (const NamedRow& row : named_rows)
            if (row.on.contains(arch)) add_named(arch, row);
    }
    for (const WrittenUnit& unit : written_units()) {
        const Shape shape = shape_of(parse_unit(unit.notation));
        all.push_back({unit.arch, std::string(unit.instruction), Input::written, shape.a, shape.b, shape.c, shape.d,
                       shape.K, shape.scale, std::string(unit.remark), unit.notation});
    }
    return all;
}

std::string spelled(std::string_view instruction) {
    // wgmma.m64nNk…: N = 8, 16, … 256.  tcgen05.mma.mMnNk…: M = 64, 128 (two CTAs: 256), N = 8, 16, … 256.
    const bool wgmma = instruction.starts_with("wgmma.m64n");
    const bool tcgen05 = instruction.starts_with("tcgen05.mma.m");
    if (!wgmma && !tcgen05) return std::string(instruction);
    const auto n = instruction.find('n', wgmma ? 0 : 13);
    const auto k = instruction.find('k', n == std::string_view::npos ? 0 : n);
    if (n == std::string_view::npos || k == std::string_view::npos) return std::string(instruction);
    if (!is_number_in(instruction.substr(n + 1, k - n - 1), 8, 256, 8)) return std::string(instruction);
    std::string_view stem = instruction.substr(0, n);
    if (tcgen05) {
        const std::string_view M = instruction.substr(13, n - 13);
        if (M != "64" && M != "128" && M != "256") return std::string(instruction);
        stem = instruction.find(".block") == std::string_view::npos ? "tcgen05.mma.m64" : "tcgen05.mma.m128";
    }
    return std::string(stem) + "n8" + std::string(instruction.substr(k));
}

} // namespace discern::tables
