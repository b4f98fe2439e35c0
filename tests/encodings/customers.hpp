// Of each rule of folding a pair of units that needs it: units of the catalogue with one parameter changed, pairs of a
// published query (tests/bench/published_queries.hpp), known pairs (tests/solver/known_pairs_test.cpp), and what
// `identify` asks about units that are like the one that it looks at. Without the rule the pair is not one term any
// more, and a solver is asked, which takes longer or finds no answer. customers_test.cpp looks.
#pragma once

#include "encodings/number/folding.hpp"

#include <array>
#include <ostream>
#include <string>
#include <string_view>

namespace discern::tests {

enum class From : std::uint8_t { catalogue, published, known, identify };

struct Customer {
    Folding rule;
    std::string_view name; ///< of the rule
    From from;
    std::string_view one, two; ///< the second may be overrides of the first

    std::string second() const { return std::string(two.front() == '{' ? one : "") + std::string(two); }
};
inline std::ostream& operator<<(std::ostream& out, const Customer& customer) { return out << customer.name; }

inline constexpr auto customers = std::to_array<Customer>({
    // leaves
    {Folding::operand_never_subnormal, "operand_never_subnormal", From::catalogue, "vortex/fedp.f32.f16", "{ftz=c}"},
    {Folding::infinite_sign, "infinite_sign", From::catalogue, "psp/vdot", "{fsign=out}"},
    {Folding::zero_pattern, "zero_pattern", From::catalogue, "vortex/fedp.f32.e4m3", "{F=48}"},
    // roundings
    {Folding::same_pattern, "same_pattern", From::published, "f16*f16->f32 K=2 : round[f32 rz](fuse[F=23 rz](p0, p1))",
     "f16*f16->f32 K=2 : round[f32 rz](round[f32 rz](fuse[F=23 rz](p0, p1)))"},
    {Folding::no_underflow, "no_underflow", From::catalogue, "apple/amx.fma16.f32", "{usign=pos}"},
    {Folding::all_flushed, "all_flushed", From::catalogue, "arm/bfdot", "{usign=pos}"},
    {Folding::no_overflow, "no_overflow", From::catalogue, "apple/amx.fma16.f32", "{overflow=max}"},
    {Folding::never_flushes, "never_flushes", From::published, "volta/mma.m8n8k4.f32.f16.f16.f32{ftz=c}",
     "volta/mma.m8n8k4.f32.f16.f16.f32{ftz=c+out}"},
    {Folding::zeros_positive, "zeros_positive", From::catalogue, "rdna3/v_wmma_bf16_16x16x16_bf16", "{zsign=pos}"},
    {Folding::exact_round, "exact_round", From::published, "f16*f16->f32 K=1 : round[f32 rz](p0)",
     "f16*f16->f32 K=1 : round[f32 rne](p0)"},
    {Folding::exact_round_flushed, "exact_round_flushed", From::catalogue, "x86/top4mxbssps", "{round=rna}"},
    {Folding::flush_of_mantissa, "flush_of_mantissa", From::catalogue, "x86/top4mxbssps", "{round=rna}"},
    {Folding::double_rounding, "double_rounding", From::published,
     "f16*f16+f16->f16 K=1 : round[f16 rne](fuse[exact](round[f16 rne](p0), c))",
     "f16*f16+f16->f16 K=1 : round[f16 rne](round[f32 rne](fuse[exact](round[f16 rne](p0), c)))"},
    {Folding::exact_rounding, "exact_rounding", From::catalogue, "apple/amx.fma16.f32", "{c=late}"},
    // the walk over the tree
    {Folding::zero_sign_unseen, "zero_sign_unseen", From::catalogue, "vortex/fedp.f32.f16", "{zsign=pos}"},
    {Folding::zero_sign_inner_block, "zero_sign_inner_block", From::known,
     "f16*f16+f32->f32 K=8 L=4 : round[f32 rne ftz=result](fuse[exact](c[ftz=plus], round[f32 rne "
     "ftz=result](fuse[exact](round[f32 rne ftz=result](fuse[exact](round[f32 rne ftz=result](p0[ftz=plus]), "
     "round[f32 rne ftz=result](p1[ftz=plus]))), round[f32 rne ftz=result](fuse[exact](round[f32 rne "
     "ftz=result](p2[ftz=plus]), round[f32 rne ftz=result](p3[ftz=plus])))))))",
     "f16*f16+f32->f32 K=8 L=4 : round[f32 rne ftz=result zsign=pos](fuse[exact](c, round[f32 rne ftz=result "
     "zsign=pos](fuse[exact](round[f32 rne ftz=result zsign=pos](fuse[exact](round[f32 rne ftz=result "
     "zsign=pos](p0[ftz=pos]), round[f32 rne ftz=result zsign=pos](p1[ftz=pos]))), round[f32 rne ftz=result "
     "zsign=pos](fuse[exact](round[f32 rne ftz=result zsign=pos](p2[ftz=pos]), round[f32 rne ftz=result "
     "zsign=pos](p3[ftz=pos])))))))"},
    {Folding::limit_of_overflow, "limit_of_overflow", From::identify,
     "bf16*bf16+f32->f32 K=4 L=1 nan=any : round[f32 rne overflow=inf](fuse[exact](c, round[f32 rne "
     "overflow=inf](p0)))",
     "bf16*bf16+f32->f32 K=4 L=1 nan=any : round[f32 rne overflow=inf](fuse[exact](c, round[f32 rne "
     "overflow=inf](p0[limit=128])))"},
    {Folding::align_as_outer, "align_as_outer", From::identify, "rdna4/v_dot2_f32_bf16",
     "bf16*bf16+f32->f32 K=2 L=2 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd "
     "zero=emin](fuse[F=26 rd](p*), c @[drop=24 less=2]))"},
    {Folding::most_bounds_exponent, "most_bounds_exponent", From::catalogue, "vortex/fedp.f32.e4m3", "{F=48}"},
    {Folding::subnormals_unobservable, "subnormals_unobservable", From::known,
     "f16*f16+f32->f32 K=8 L=4 : round[f32 rne ftz=result](fuse[exact](c[ftz=plus], round[f32 rne "
     "ftz=result](fuse[exact](round[f32 rne ftz=result](fuse[exact](round[f32 rne ftz=result](p0[ftz=plus]), "
     "round[f32 rne ftz=result](p1[ftz=plus]))), round[f32 rne ftz=result](fuse[exact](round[f32 rne "
     "ftz=result](p2[ftz=plus]), round[f32 rne ftz=result](p3[ftz=plus])))))))",
     "f16*f16+f32->f32 K=8 L=4 : round[f32 rne ftz=result zsign=pos](fuse[exact](c, round[f32 rne ftz=result "
     "zsign=pos](fuse[exact](round[f32 rne ftz=result zsign=pos](fuse[exact](round[f32 rne ftz=result "
     "zsign=pos](p0[ftz=pos]), round[f32 rne ftz=result zsign=pos](p1[ftz=pos]))), round[f32 rne ftz=result "
     "zsign=pos](fuse[exact](round[f32 rne ftz=result zsign=pos](p2[ftz=pos]), round[f32 rne ftz=result "
     "zsign=pos](p3[ftz=pos])))))))"},
    {Folding::plus_zero_last, "plus_zero_last", From::catalogue, "cdna2/v_mfma_f32_32x32x4f16", "{fsign=in}"},
    // truncations that cannot be observed
    {Folding::unobservable_truncation, "unobservable_truncation", From::catalogue, "apple/amx.fma16", "{F=64}"},
    {Folding::lost_nothing, "lost_nothing", From::catalogue, "x86/vfmadd231ph", "{F=48}"},
    {Folding::lost_nothing_nearest, "lost_nothing_nearest", From::identify,
     "f16*f16+f16->f16 K=1 L=1 nan=any : round[f16 rne](fuse[exact](p*, c))",
     "f16*f16+f16->f16 K=1 L=1 nan=any : round[f16 rne](fuse[F=38 rna](p*, c))"},
    {Folding::same_way, "same_way", From::catalogue, "cdna3/v_mfma_f32_16x16x8_xf32", "{zero=-400}"},
    {Folding::same_way_anywhere, "same_way_anywhere", From::catalogue, "cdna3/v_mfma_f32_32x32x8_bf16", "{zero=-400}"},
    {Folding::odd_always, "odd_always", From::published,
     "e5m2*e5m2+e5m2->e5m2 K=1 : round[e5m2 rz](fuse[exact](round[e5m2 rz](p0), c))",
     "e5m2*e5m2+e5m2->e5m2 K=1 : round[e5m2 rz](fuse[F=4 odd](round[e5m2 rz](p0), c))"},
    {Folding::rna_one_bit, "rna_one_bit", From::identify,
     "f16*f16+f16->f16 K=1 L=1 nan=any : round[f16 rne](fuse[exact](p*, c))",
     "f16*f16+f16->f16 K=1 L=1 nan=any : round[f16 rne](fuse[F=38 rna](p*, c))"},
    {Folding::beside_ties, "beside_ties", From::catalogue, "apple/amx.fma16", "{F=48}"},
    {Folding::beside_ties_evenly, "beside_ties_evenly", From::identify,
     "bf16*bf16+f32->f32 K=1 L=1 nan=any : round[f32 rne overflow=inf](fuse[exact](p*, c))",
     "bf16*bf16+f32->f32 K=1 L=1 nan=any : round[f32 rne](fuse[F=39 rd zero=-125](p*, c @[exact rz]))"},
    {Folding::unobservable_at_constant, "unobservable_at_constant", From::identify,
     "f16*f16+f16->f16 K=1 L=1 nan=any : round[f16 rne](fuse[exact](p*, c))",
     "f16*f16+f16->f16 K=1 L=1 nan=any : round[f16 rne](fuse[F=41 rd floor=-6](p*, c))"},
    {Folding::exponents_of_flushed, "exponents_of_flushed", From::catalogue, "rdna3/v_dot2_f32_f16", "{zero=-133}"},
    // sums
    {Folding::exact_one_scale, "exact_one_scale", From::catalogue, "x86/top4mxbf8ps", "{F=64}"},
    {Folding::sum_of_one, "sum_of_one", From::catalogue, "apple/amx.fma16.f32", "{c=late}"},
    {Folding::stays, "stays", From::catalogue, "hopper/mma.m16n8k16.f16.e4m3.e4m3.f16", "{zsign=ieee}"},
    {Folding::wide_register, "wide_register", From::published, "volta/mma.m8n8k4.f32.f16.f16.f32", "{carry=3}"},
    {Folding::all_exact, "all_exact", From::catalogue, "x86/top4mxbssps", "{round=rna}"},
    {Folding::open_sums, "open_sums", From::identify,
     "f16*f16+f32->f32 K=4 L=4 nan=any : round[f32 rne overflow=inf zsign=pos](fuse[exact](p*, c))",
     "f16*f16+f32->f32 K=4 L=4 nan=any : round[f32 rne overflow=inf zsign=pos](fuse[exact "
     "zero=-101](fuse[exact](p*), c))"},
    {Folding::span_of_two, "span_of_two", From::identify,
     "e4m3*e5m2+f32->f32 K=4 L=4 nan=any : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=24 rd "
     "zero=emin](fuse[F=24 rd](p*), c @[drop=24 less=2]))",
     "e4m3*e5m2+f32->f32 K=4 L=4 nan=any : round[f32 rne overflow=inf zsign=pos usign=pos](round[e8m28 rd "
     "overflow=inf](fuse[F=26 rd zero=emin](fuse[F=24 rd](p*), c @[F=24 drop=24])))"},
    {Folding::span_of_one_scale, "span_of_one_scale", From::catalogue, "x86/top4mxbssps", "{round=rna}"},
    {Folding::least_of_aligned, "least_of_aligned", From::published, "volta/mma.m8n8k4.f32.f16.f16.f32{ftz=c}",
     "volta/mma.m8n8k4.f32.f16.f16.f32{ftz=c+out}"},
    {Folding::least_of_exact, "least_of_exact", From::catalogue, "cdna2/v_mfma_f32_32x32x8f16", "{zsign=pos}"},
    {Folding::move_less, "move_less", From::identify, "rdna4/v_dot2_f32_bf16",
     "bf16*bf16+f32->f32 K=2 L=2 nan=rdna : round[f32 rne overflow=inf zsign=pos usign=pos](fuse[F=26 rd "
     "zero=emin](fuse[F=24 rd](p*), c @[F=24 rd drop=24]))"},
    // E, the common exponent
    {Folding::zero_as_floor, "zero_as_floor", From::known,
     "hopper/wgmma.m64n8k16.f32.bf16.bf16{floor=-133,zero=ignore}",
     "hopper/wgmma.m64n8k16.f32.bf16.bf16{floor=none,zero=-133}"},
    {Folding::floor_below_sure, "floor_below_sure", From::catalogue, "rdna3/v_wmma_f16_16x16x16_f16", "{floor=-48}"},
    {Folding::base_of_drops, "base_of_drops", From::catalogue, "rdna4/v_dot2_f32_f16", "{zero=-133}"},
    {Folding::harmless_base, "harmless_base", From::known, "hopper/wgmma.m64n8k16.f32.f16.f16{floor=none}",
     "hopper/wgmma.m64n8k16.f32.f16.f16{floor=-124}"},
    {Folding::zero_below_sure, "zero_below_sure", From::catalogue, "volta/mma.m8n8k4.f16.f16.f16.f16", "{zero=-24}"},
    {Folding::harmless_zero, "harmless_zero", From::catalogue, "riscv/bna.f32.e4m3.e5m2", "{zero=-14}"},
});

} // namespace discern::tests
