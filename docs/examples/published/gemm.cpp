// Li et al., §V: D = C − A·B with m = n = k = 2^13, the pattern of a trailing matrix update.
//
// C is 2^20 everywhere. The first product of each element is 2^20; of the other 8191 the odd ones are −2^-5 and the
// even ones −2^-6, so every element of D is the same, 4096·2^-5 + 4095·2^-6 = 191.984375 exactly. (The paper's text
// says about 191.99218, which would need 2^-7 for its last term 2^-6.) The accumulator starts from 0 and takes the
// products in the order of k; the difference from C is then exact in binary32. One element is all there is to compute.

#include "dot.hpp"
#include "published.hpp"

namespace discern::published {

namespace {

constexpr int k = 8192;
constexpr double c = 1048576;

double element_of_d(const std::string& unit) {
    std::vector<double> a(k), b(k, 0.125);
    for (int i = 1; i < k; ++i) a[static_cast<std::size_t>(i)] = i % 2 == 1 ? -0.25 : -0.125;
    a[0] = b[0] = 1024;
    return c - dot(unit + "{K=8192}", a, b, 0);
}

} // namespace

Collection gemm() {
    Collection table{.title = "The same GEMM on five devices (Li et al., section V)",
                     .story = "D = C - A*B, 8192 x 8192 x 8192, fp16 into fp32: every element is 191.984375 exactly.\n"
                              "A unit with too few bits below its largest term loses all 8191 small ones.",
                     .notation = "%g",
                     .results = {}};
    const auto add = [&](const char* subject, const char* unit, double published) -> Result& {
        return table.results.emplace_back(Result{.subject = subject,
                                                 .unit = unit,
                                                 .computed = element_of_d(unit),
                                                 .published = published,
                                                 .contradiction = {},
                                                 .remark = {}});
    };
    add("CPU (fp32 FMA)", "x86/fma.f32", 0);
    add("V100", "volta/mma.m8n8k4.f32.f16.f16.f32", 0);
    add("A100", "ampere/mma.m16n8k16.f32.f16.f16.f32", 0);
    add("H100", "hopper/wgmma.m64n8k16.f32.f16.f16", 191.875);
    add("MI100", "cdna1/v_mfma_f32_16x16x16f16", 255.875);
    Result& mi250x = add("MI250X", "cdna2/v_mfma_f32_16x16x16f16", 0);
    mi250x.contradiction = 255.875;
    mi250x.remark = "open contradiction: no tree of rounded additions of two or four products gives 0 here";
    return table;
}

} // namespace discern::published
