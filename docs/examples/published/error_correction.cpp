// Valpey, Li, Pai, Gopalakrishnan, "An SMT Formalization of Mixed-Precision Matrix Multiplication", §6, Property 5 and
// Table 5: single-precision products from half-precision tensor cores, corrected by the products of the residuals.
//
// Both schemes split a number x into h, x rounded to fp16, and r, what is left, and compute a·b from four products of
// parts. Markidis et al. accumulate everything in the tensor core, c too. Ootomo and Yokota scale the residuals by
// 2^11, so that they do not become subnormal, and add the tensor core's sum and c outside of it, rounding to nearest.
#include "dot.hpp"
#include "published.hpp"

#include <cmath>

namespace discern::published {

namespace {

constexpr const char* volta = "volta/mma.m8n8k4.f32.f16.f16.f32";

struct Parts {
    std::vector<double> high, residual; ///< both exact in fp16; the residual times the scale
};

double to_f16(double x) { return dot("f32*f32->f16 K=1 : round[f16 rne](p0)", {x}, {1}, 0); }

Parts split(const std::vector<double>& numbers, double scale) {
    Parts parts;
    for (const double x : numbers) {
        parts.high.push_back(to_f16(x));
        parts.residual.push_back(to_f16((x - parts.high.back()) * scale));
    }
    return parts;
}

double on_tensor_core(const std::vector<double>& a, const std::vector<double>& b, double c) {
    return dot(volta, a, b, c);
}

double markidis(const std::vector<double>& a, const std::vector<double>& b, double c) {
    const Parts x = split(a, 1), y = split(b, 1);
    double sum = on_tensor_core(x.residual, y.residual, c);
    sum = on_tensor_core(x.high, y.residual, sum);
    sum = on_tensor_core(x.residual, y.high, sum);
    return on_tensor_core(x.high, y.high, sum);
}

/// One fp32 operation by the processor that the tensor core belongs to.
double add(double x, double y) { return static_cast<float>(x) + static_cast<float>(y); }

double ootomo_yokota(const std::vector<double>& a, const std::vector<double>& b, double c) {
    const Parts x = split(a, 0x1p11), y = split(b, 0x1p11);
    const double both = on_tensor_core(x.residual, y.residual, 0);
    const double one = on_tensor_core(x.residual, y.high, on_tensor_core(x.high, y.residual, 0));
    const double none = on_tensor_core(x.high, y.high, 0);
    return add(add(add(both * 0x1p-22, one * 0x1p-11), none), c);
}

double in_double(const std::vector<double>& a, const std::vector<double>& b, double c) {
    for (std::size_t i = 0; i < a.size(); ++i) c = std::fma(a[i], b[i], c);
    return static_cast<float>(c);
}

} // namespace

Collection error_correction() {
    // The paper prints 2^-7 in b0; its own walk through the example (a0·b0 has exponent -1) holds for 2^7 only.
    const std::vector<double> a = {1.0009765625 * 0x1p-8, 1.326171875 * 0x1p-14, 0x1p-12, 0x1p-12};
    const std::vector<double> b = {1.998046875 * 0x1p7, 1.4443359375 * 0x1p-7, 0x1p-12, 0x1p-12};
    const double c = 0x1p-24;
    const std::string no_unit = "double, rounded to f32";
    return {.title = "Error correction can hurt (Valpey et al., Table 5)",
            .story =
                "One element of a single-precision product by two schemes on a V100. Adding c outside of the tensor\n"
                "core costs the last bits of a sum that the tensor core had not normalised.",
            .notation = "%.17g",
            .results = {{"true", no_unit, in_double(a, b, c), 1 + 0x1p-23, {}, {}},
                        {"Markidis et al.", volta, markidis(a, b, c), 1 + 0x1p-23, {}, {}},
                        {"Ootomo and Yokota", volta, ootomo_yokota(a, b, c), 1, {}, {}}}};
}

} // namespace discern::published
