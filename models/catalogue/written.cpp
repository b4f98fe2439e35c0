// Units that have a source of their own. Sources: [P] PPSSPP's reimplementation of vdot, 2026, from measurements on
// consoles; public RTL: [E] FPnew's fpnew_sdotp_multi (PULP), [W] Vortex' VX_tcu_fedp_tfr and the FEDP of its
// simulator, [U] Ventus' tc_dot_product, [D] MX-for-FPGA's dot_fp; manuals: [B] the Arm architecture's pseudocode of
// BFDOT and BFMMLA, [H] Intel's SDM. docs/sources.md has dates.
#include "written.hpp"

namespace discern::tables {

namespace {

using enum Arch;
using enum Evidence;

constexpr std::string_view not_said = "not said, or not seen";
constexpr Said open_in_tfr[] = {{" F K L zero zsign usign ftz fsign overflow nan ", open, not_said}};
constexpr Said open_in_ventus[] = {{" zsign usign overflow nan ", open, not_said}};
constexpr Said open_in_tdpbf16ps[] = {{" ftz fsign zsign usign nan ", open, not_said}};

// clang-format off
constexpr WrittenUnit with_sources[] = {
    {psp, "vdot",
     "f32*f32->f32 K=4 nan=7f800001 : round[f32 rne overflow=inf ftz=after](fuse[F=23 rz](fuse[F=25 rz plus]("
     "fuse[F=25 odd](p0[ftz]), fuse[F=25 odd](p1[ftz]), fuse[F=25 odd](p2[ftz]), fuse[F=25 odd](p3[ftz]))))",
     "products truncated to odd, fused, truncated once more", toolbox, "[P], which its authors hold to be bit-exact"},

    {pulp, "exsdotp.f32.f16",
     "f16*f16+f32->f32 K=2 nan=any : round[f32 rne](fuse[exact](p*, c))",
     "exact sum", toolbox, "[E]; of other formats its revisions have wrong signs"},

    {vortex, "tfr.f32.f16",
     "f16*f16+f32->f32 K=4 nan=any : round[f32 rne ftz=result zsign=pos](fuse[F=25 rz sticky](p*, c))",
     "fused, sticky", toolbox, "[W]", open_in_tfr},
    {vortex, "fedp.f32.f16",
     "f16*f16+f32->f32 K=8 L=2 c=last nan=any : round[f32 rne](fuse[exact](round[f32 rne](fuse[exact](p*)), c))",
     "rounded sums of pairs, c last", toolbox, "[W], as its simulator has it"},
    {vortex, "fedp.f32.e4m3",
     "e4m3*e4m3+f32->f32 K=16 L=4 c=last nan=any : round[f32 rne](fuse[exact](p*, c))",
     "exact sums of four, c last", toolbox, "[W], as its simulator has it"},
    {vortex, "fedp.f16.f16",
     "f16*f16+f16->f16 K=8 L=1 nan=any : round[f16 rne](round[f32 rne](fuse[exact](p*, c)))",
     "each step rounded to f32 and f16", toolbox, "[W], as its simulator has it"},

    {ventus, "tc_dot_product.f32.f32",
     "f32*f32+f32->f32 K=4 nan=any : round[f32 rne](fuse[exact](c, round[f32 rne](fuse[exact]("
     "round[f32 rne](fuse[exact](round[f32 rne](p0[nanzero infzero]), round[f32 rne](p2[nanzero infzero]))), "
     "round[f32 rne](fuse[exact](round[f32 rne](p1[nanzero infzero]), round[f32 rne](p3[nanzero infzero])))))))",
     "rounded products, halving tree", toolbox, "[U], where it is regular", open_in_ventus},

    {mxfpga, "dot_fp.e4m3",
     "e4m3*e4m3->f32 K=32 nan=any : round[f32 rne](fuse[exact](p*))", "exact sum", toolbox, "[D]"},
    {mxfpga, "dot_fp.e5m2",
     "e5m2*e5m2->f32 K=32 nan=any : round[f32 rne](fuse[exact](p*[infnan]))", "exact sum", toolbox, "[D]"},

    {arm, "bfdot",
     "bf16*bf16+f32->f32 K=2 nan=7fc00000 : round[f32 odd overflow=inf ftz=before](fuse[exact](c[ftz], "
     "round[f32 odd overflow=inf ftz=before](fuse[exact](round[f32 odd overflow=inf ftz=before](p0[ftz]), "
     "round[f32 odd overflow=inf ftz=before](p1[ftz])))))",
     "pairs, rounded to odd", paper, "[B], without FEAT_EBF16"},
    {arm, "bfmmla",
     "bf16*bf16+f32->f32 K=4 L=2 nan=7fc00000 : round[f32 odd overflow=inf ftz=before](fuse[exact](c[ftz], "
     "round[f32 odd overflow=inf ftz=before](fuse[exact](round[f32 odd overflow=inf ftz=before](p0[ftz]), "
     "round[f32 odd overflow=inf ftz=before](p1[ftz])))))",
     "pairs, rounded to odd", paper, "[B], without FEAT_EBF16"},

    {x86, "vfmadd231ph",
     "f16*f16+f16->f16 K=1 nan=x86 : round[f16 rne](fuse[exact](p*, c))", "FMA", paper, "[H]: AVX512-FP16; IEEE 754"},
    {x86, "tdpbf16ps",
     "bf16*bf16+f32->f32 K=4 nan=any : round[f32 rne ftz=after](fuse[exact](c[ftz], round[f32 rne ftz=after](fuse[exact]("
     "round[f32 rne ftz=after](fuse[exact](p2[ftz], round[f32 rne ftz=after zsign=pos](p0[ftz]))), "
     "round[f32 rne ftz=after](fuse[exact](p3[ftz], round[f32 rne ftz=after zsign=pos](p1[ftz])))))))",
     "two lanes of FMAs, flushing", paper, "[H], the operation of AMX-BF16", open_in_tdpbf16ps,
     "two of a tile's pairs: a row of 4 elements"},
};
// clang-format on

} // namespace

const std::vector<WrittenUnit>& written_units() {
    static const std::vector<WrittenUnit> all = [] {
        std::vector<WrittenUnit> list(std::begin(with_sources), std::end(with_sources));
        for (const auto more : {rdna_units(), hypothetical_units()}) list.insert(list.end(), more.begin(), more.end());
        return list;
    }();
    return all;
}

} // namespace discern::tables
