#include "cpu_units.hpp"

#include "models/unit/sentence.hpp"

namespace discern {

namespace {

// Arm: nothing but infinity on overflow, and zero of its own sign below the smallest normal number.
constexpr std::string_view to_odd = "round[f32 odd overflow=inf ftz=before]";

std::string bfdot_tree() {
    return sentence(to_odd, "(fuse[exact](c[ftz], ", to_odd, "(fuse[exact](", to_odd, "(p0[ftz]), ", to_odd,
                    "(p1[ftz])))))");
}

constexpr std::string_view flushing = "round[f32 rne ftz=after]";

/// The products first, first + 2, … of K, each added to those before it.
std::string chain(int first, int K, std::string_view attributes) {
    // From +0: a product of −0 gives +0.
    std::string sum = sentence("round[f32 rne ftz=after zsign=pos](p", first, attributes, ")");
    for (int k = first + 2; k < K; k += 2) sum = sentence(flushing, "(fuse[exact](p", k, attributes, ", ", sum, "))");
    return sum;
}

/// @param attributes  of the products
std::string amx_unit(std::string_view format, std::string_view attributes) {
    constexpr int K = 32;
    return sentence(format, "*", format, "+f32->f32 K=", K, " : ", flushing, "(fuse[exact](", flushing, "(fuse[exact](",
                    chain(0, K, attributes), ", ", chain(1, K, attributes), ")), c[ftz]))");
}

} // namespace

std::string bfdot_unit() { return "bf16*bf16+f32->f32 K=2 nan=7fc00000 : " + bfdot_tree(); }
std::string bfmmla_unit() { return "bf16*bf16+f32->f32 K=4 L=2 nan=7fc00000 : " + bfdot_tree(); }
std::string fmla_f32_unit() { return "f32*f32+f32->f32 K=1 : round[f32 rne](fuse[exact](p*, c))"; }
std::string fmla_f16_unit() { return "f16*f16+f16->f16 K=1 : round[f16 rne](fuse[exact](p*, c))"; }
std::string fma_f16_unit() { return "f16*f16+f16->f16 K=1 nan=x86 : round[f16 rne](fuse[exact](p*, c))"; }
std::string tdpbf16ps_unit() { return amx_unit("bf16", "[ftz]"); }
std::string tdpfp16ps_unit() { return amx_unit("f16", ""); }

} // namespace discern
