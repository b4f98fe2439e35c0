// What real code and real hardware compute, as programs behind `exec:` for the tests of identify.
//
//     discern identify 'exec:real_unit torch-matmul-f32' --formats f32,f32,-,f32 --K 8
//
// Each function does its sums with the processor's own numbers or with plain integers, as the library, simulator or
// emulator that it is named after does; no tree is evaluated here. Only reading and writing vectors is the library's.
// Where the facts are from stands at each.
#include "numbers.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/hex.hpp"
#include "models/shape.hpp"
#include "models/vectors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace real_numbers;
using discern::FormatId;
using Doubles = std::vector<double>;

// -------------------------------------------------------------------------------------------- libraries on a CPU

/// torch.matmul of f32 on a CPU: fused multiply-adds from zero.
Bits torch_matmul(const Doubles& a, const Doubles& b, double) {
    float sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(static_cast<float>(a[k]), static_cast<float>(b[k]), sum);
    return to_f32(sum);
}

/// numpy.dot of f16: a sum in f32, rounded to f16 at the end.
Bits numpy_dot_f16(const Doubles& a, const Doubles& b, double) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum = in_f32(sum + in_f32(a[k] * b[k]));
    return to_f16(sum);
}

/// numpy.dot of f32 with OpenBLAS: products in f32, added in f64 in order.
Bits numpy_dot_f32(const Doubles& a, const Doubles& b, double) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += in_f32(a[k] * b[k]);
    return to_f32(sum);
}

/// torch.dot of f32: sixteen lanes from zero, folded i and i + 8, i and i + 4, and then neighbours.
Bits torch_dot(const Doubles& a, const Doubles& b, double) {
    std::vector<float> lanes(16);
    for (std::size_t k = 0; k < a.size(); ++k)
        lanes[k % 16] = std::fma(static_cast<float>(a[k]), static_cast<float>(b[k]), lanes[k % 16]);
    for (const std::size_t half : {8u, 4u})
        for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    return to_f32((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
}

/// numpy.einsum("nk,nk->n") of f32 with SSE: four lanes of rounded products from zero, neighbours added.
Bits numpy_einsum(const Doubles& a, const Doubles& b, double) {
    std::vector<float> lanes(4);
    for (std::size_t k = 0; k < a.size(); ++k) lanes[k % 4] += static_cast<float>(a[k]) * static_cast<float>(b[k]);
    return to_f32((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
}

/// `s += a * b` over bf16 numbers in f32.
Bits bf16_loop(const Doubles& a, const Doubles& b, double) {
    float sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += static_cast<float>(a[k]) * static_cast<float>(b[k]);
    return to_f32(sum);
}

// ------------------------------------------------------------------------------------- simulators of accelerators

/// Vortex FEDP as its simulator has it: pairs of products, rounded, added up from zero; c last.
Bits fedp_f16(const Doubles& a, const Doubles& b, double c) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); k += 2) sum = in_f32(sum + in_f32(a[k] * b[k] + a[k + 1] * b[k + 1]));
    return to_f32(in_f32(sum + c));
}

/// The same of e4m3: four products at once join the sum.
Bits fedp_e4m3(const Doubles& a, const Doubles& b, double c) {
    double sum = 0;
    for (std::size_t k = 0; k < a.size(); k += 4) {
        // Exact in f64 except beside a sum of another magnitude, where long double has the digits that count.
        long double four = 0;
        for (std::size_t l = k; l < k + 4; ++l) four += static_cast<long double>(a[l] * b[l]);
        sum = static_cast<double>(static_cast<float>(four + static_cast<long double>(sum)));
    }
    return to_f32(in_f32(sum + c));
}

/// The same with f16 results: every step is rounded to f32 and then to f16.
Bits fedp_f16_to_f16(const Doubles& a, const Doubles& b, double c) {
    double sum = c;
    for (std::size_t k = 0; k < a.size(); ++k) sum = from_f16(to_f16(in_f32(sum + a[k] * b[k])));
    return to_f16(sum);
}

/// Ventus' tc_dot_product where it is regular: rounded products, j added to j + K/2, and so on; c last.
template <typename To>
double halving(const Doubles& a, const Doubles& b, double c, To to) {
    Doubles sums;
    for (std::size_t k = 0; k < a.size(); ++k) sums.push_back(to(a[k] * b[k]));
    for (std::size_t half = sums.size() / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half; ++i) sums[i] = to(sums[i] + sums[i + half]);
    return to(sums[0] + c);
}
Bits ventus_f32(const Doubles& a, const Doubles& b, double c) { return to_f32(halving(a, b, c, in_f32)); }
Bits ventus_f16(const Doubles& a, const Doubles& b, double c) {
    return to_f16(halving(a, b, c, [](double x) { return from_f16(to_f16(x)); }));
}

// -------------------------------------------------------------------------------------- hardware, in whole numbers

__extension__ using Wide = __int128;
__extension__ using Magnitude = unsigned __int128;

/// (−1)^negative · significand · 2^(exponent − fraction).
struct Term {
    bool negative;
    std::uint64_t significand;
    int exponent, fraction;
};

/// The fields of a number of E exponent and M fraction bits; the exponent of subnormals is that of the smallest normal.
Term fields(Bits bits, int E, int M) {
    const int field = static_cast<int>(bits >> M) & ((1 << E) - 1), bias = (1 << (E - 1)) - 1;
    const Bits fraction = bits & ((1ull << M) - 1);
    return {(bits >> (E + M) & 1) != 0, fraction | (field == 0 ? 0 : 1ull << M), std::max(field, 1) - bias, M};
}

/// A sum in fixed point to f32, to nearest even, subnormal results becoming zero of their sign.
Bits normalised(Wide sum, int place, bool zero_negative) {
    if (sum == 0) return zero_negative ? 0x80000000 : 0;
    const Bits sign = sum < 0 ? 0x80000000 : 0;
    auto magnitude = static_cast<Magnitude>(sum < 0 ? -sum : sum);
    int top = 0;
    while ((magnitude >> top) > 1) ++top;
    int exponent = top + place;
    Bits kept = 0;
    if (top <= 23) {
        kept = static_cast<Bits>(magnitude) << (23 - top);
    } else {
        const int cut = top - 23;
        kept = static_cast<Bits>(magnitude >> cut);
        const auto rest = magnitude & ((static_cast<Magnitude>(1) << cut) - 1);
        const auto half = static_cast<Magnitude>(1) << (cut - 1);
        if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
        if (kept >> 24 != 0) {
            kept >>= 1;
            ++exponent;
        }
    }
    if (exponent < -126) return sign;
    if (exponent > 127) return sign | 0x7f800000;
    return sign | (static_cast<Bits>(exponent + 127) << 23) | (kept & 0x7fffff);
}

/// Sony PSP's vdot (PPSSPP's reimplementation from measurements on a console).
Bits psp_vdot(const std::vector<Bits>& a, const std::vector<Bits>& b, Bits) {
    constexpr Bits nan = 0x7f800001;
    std::vector<Term> products;
    bool plus = false, minus = false;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const auto is_nan = [](Bits x) { return (x & 0x7fffffff) > 0x7f800000; };
        const auto is_infinite = [](Bits x) { return (x & 0x7fffffff) == 0x7f800000; };
        const auto is_zero = [](Bits x) { return (x & 0x7f800000) == 0; }; // subnormals too
        if (is_nan(a[k]) || is_nan(b[k])) return nan;
        if (is_infinite(a[k]) || is_infinite(b[k])) {
            if (is_zero(a[k]) || is_zero(b[k])) return nan;
            (((a[k] ^ b[k]) >> 31) != 0 ? minus : plus) = true;
            continue;
        }
        if (is_zero(a[k]) || is_zero(b[k])) continue;
        const Term x = fields(a[k], 8, 23), y = fields(b[k], 8, 23);
        Bits significand = x.significand * y.significand; // 46 places
        significand = significand >> 21 | ((significand & ((1u << 21) - 1)) != 0 ? 1 : 0);
        products.push_back({x.negative != y.negative, significand, x.exponent + y.exponent, 25});
    }
    if (plus && minus) return nan;
    if (plus || minus) return minus ? 0xff800000 : 0x7f800000;
    if (products.empty()) return 0;
    int E = products.front().exponent;
    for (const Term& p : products) E = std::max(E, p.exponent);
    std::int64_t sum = 0;
    for (const Term& p : products) {
        const int shift = std::min(E - p.exponent, 63);
        const auto aligned = static_cast<std::int64_t>(p.significand >> shift);
        sum += p.negative ? -aligned : aligned;
    }
    if (sum == 0) return 0;
    const std::int64_t magnitude = (sum < 0 ? -sum : sum) >> 2;
    return normalised(sum < 0 ? -magnitude : magnitude, E - 23, sum < 0);
}

/// What is special about f16 products and an f32 sum; nothing if all are finite.
std::optional<Bits> special_f16(const std::vector<Bits>& a, const std::vector<Bits>& b, Bits c) {
    double sum = from_f32(c);
    bool all_finite = std::isfinite(sum);
    for (std::size_t k = 0; k < a.size(); ++k) {
        const double product = from_f16(a[k]) * from_f16(b[k]);
        all_finite = all_finite && std::isfinite(product);
        sum += product;
    }
    return all_finite ? std::nullopt : std::optional(to_f32(sum));
}

std::vector<Term> products_f16(const std::vector<Bits>& a, const std::vector<Bits>& b) {
    std::vector<Term> terms;
    for (std::size_t k = 0; k < a.size(); ++k) {
        const Term x = fields(a[k], 5, 10), y = fields(b[k], 5, 10);
        terms.push_back({x.negative != y.negative, x.significand * y.significand, x.exponent + y.exponent, 20});
    }
    return terms;
}

/// Whatever is not zero brings its exponent in.
std::optional<int> largest_exponent(const std::vector<Term>& terms) {
    std::optional<int> E;
    for (const Term& t : terms)
        if (t.significand != 0) E = std::max(E.value_or(t.exponent), t.exponent);
    return E;
}

/// A magnitude at 2^(E − F), and whether anything was truncated.
std::pair<std::int64_t, bool> aligned(const Term& t, int E, int F) {
    if (t.significand == 0) return {0, false}; // whatever its exponent, which may be above E
    const int shift = E - F - (t.exponent - t.fraction);
    if (shift <= 0) return {static_cast<std::int64_t>(t.significand << -shift), false};
    const auto kept = static_cast<std::int64_t>(shift > 63 ? 0 : t.significand >> shift);
    return {kept, shift > 63 ? t.significand != 0 : (t.significand & ((1ull << shift) - 1)) != 0};
}

/// Vortex' TFR (VX_tcu_fedp_tfr): everything truncated to 25 bits, one sticky bit, to nearest even;
/// subnormal results are flushed.
Bits vortex_tfr(const std::vector<Bits>& a, const std::vector<Bits>& b, Bits c) {
    if (const auto special = special_f16(a, b, c)) return *special;
    std::vector<Term> terms = products_f16(a, b);
    terms.push_back(fields(c, 8, 23));
    const auto E = largest_exponent(terms);
    if (!E) return 0;
    std::int64_t sum = 0;
    bool lost = false;
    for (const Term& t : terms) {
        const auto [magnitude, cut] = aligned(t, *E, 25);
        sum += t.negative ? -magnitude : magnitude;
        lost = lost || cut;
    }
    const Wide with_place = 2 * static_cast<Wide>(sum);
    return normalised(lost ? with_place + (sum < 0 ? -1 : 1) : with_place, *E - 26, false);
}

enum class OfZeroC { own_sign, plus, none };
enum class Inverted { all, nonzero, kept };

/// AMD RDNA3.5's V_DOT2_F32_F16 (ROCm/rocm-systems issue 12056), with its open points: the frame of a zero S2, and
/// which opposing products are inverted without a carry.
Bits rdna35(const std::vector<Bits>& a, const std::vector<Bits>& b, Bits c, OfZeroC of_zero, Inverted inverted) {
    if ((c & 0x7f800000) == 0) c &= 0x80000000; // flushed, with its sign
    if (const auto special = special_f16(a, b, c)) return *special;
    std::vector<Term> terms = products_f16(a, b);
    const Term accumulator = fields(c, 8, 23);
    terms.push_back(accumulator);
    const auto E = largest_exponent(terms);
    const bool all_minus = std::all_of(terms.begin(), terms.end(), [](const Term& t) { return t.negative; });
    if (!E) return all_minus ? 0x80000000 : 0;
    const bool c_is_zero = accumulator.significand == 0;
    const bool has_frame = !c_is_zero || of_zero != OfZeroC::none;
    const bool frame_negative = accumulator.negative && !(c_is_zero && of_zero == OfZeroC::plus);
    std::int64_t sum = 0; // in the frame: terms of its sign count up
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const Term& t = terms[i];
        const std::int64_t magnitude = aligned(t, *E, 24).first;
        if (t.negative == frame_negative) {
            sum += magnitude;
            continue;
        }
        const bool is_inverted =
            has_frame && i + 1 < terms.size() &&
            (inverted == Inverted::all || (inverted == Inverted::nonzero ? t.significand : magnitude) != 0);
        sum += is_inverted ? ~magnitude : -magnitude;
    }
    return normalised(frame_negative ? -sum : sum, *E - 24, false);
}

// -------------------------------------------------------------------------------------------------------- table

struct RealUnit {
    std::string name;
    FormatId a, b;
    std::optional<FormatId> c;
    FormatId d;
    int K;
    std::function<Bits(const std::vector<Bits>&, const std::vector<Bits>&, Bits)> run;
};

/// A function of the operands' values.
auto of_values(double (*from)(Bits), double (*from_c)(Bits), Bits (*run)(const Doubles&, const Doubles&, double)) {
    return [=](const std::vector<Bits>& a, const std::vector<Bits>& b, Bits c) {
        Doubles as, bs;
        for (const Bits x : a) as.push_back(from(x));
        for (const Bits x : b) bs.push_back(from(x));
        return run(as, bs, from_c(c));
    };
}

std::vector<RealUnit> units() {
    using enum FormatId;
    std::vector<RealUnit> all = {
        {"torch-matmul-f32", f32, f32, {}, f32, 8, of_values(from_f32, from_f32, torch_matmul)},
        {"numpy-dot-f16", f16, f16, {}, f16, 16, of_values(from_f16, from_f32, numpy_dot_f16)},
        {"numpy-dot-f32", f32, f32, {}, f32, 16, of_values(from_f32, from_f32, numpy_dot_f32)},
        {"torch-dot-f32", f32, f32, {}, f32, 16, of_values(from_f32, from_f32, torch_dot)},
        {"numpy-einsum-f32", f32, f32, {}, f32, 8, of_values(from_f32, from_f32, numpy_einsum)},
        {"bf16-loop", bf16, bf16, {}, f32, 8, of_values(from_bf16, from_f32, bf16_loop)},
        {"fedp-f16", f16, f16, f32, f32, 8, of_values(from_f16, from_f32, fedp_f16)},
        {"fedp-e4m3", e4m3, e4m3, f32, f32, 16, of_values(from_e4m3, from_f32, fedp_e4m3)},
        {"fedp-f16-to-f16", f16, f16, f16, f16, 8, of_values(from_f16, from_f16, fedp_f16_to_f16)},
        {"ventus-f32", f32, f32, f32, f32, 4, of_values(from_f32, from_f32, ventus_f32)},
        {"ventus-f16", f16, f16, f16, f16, 8, of_values(from_f16, from_f16, ventus_f16)},
        {"psp-vdot", f32, f32, {}, f32, 4, psp_vdot},
        {"vortex-tfr", f16, f16, f32, f32, 4, vortex_tfr},
    };
    static constexpr std::pair<const char*, OfZeroC> frames[] = {
        {"c", OfZeroC::own_sign}, {"c_or_plus", OfZeroC::plus}, {"nonzero_c", OfZeroC::none}};
    static constexpr std::pair<const char*, Inverted> rules[] = {
        {"all", Inverted::all}, {"nonzero", Inverted::nonzero}, {"kept", Inverted::kept}};
    for (const auto& [frame, of_zero] : frames)
        for (const auto& [which, inverted] : rules)
            all.push_back(
                {std::string("rdna35-") + frame + "-" + which, f16, f16, f32, f32, 2,
                 [of_zero = of_zero, inverted = inverted](const std::vector<Bits>& a, const std::vector<Bits>& b,
                                                          Bits c) { return rdna35(a, b, c, of_zero, inverted); }});
    return all;
}

} // namespace

int main(int count, char** words) {
    using namespace discern;
    try {
        for (const RealUnit& unit : units()) {
            if (count != 2 || unit.name != words[1]) continue;
            Shape shape;
            shape.a = unit.a;
            shape.b = unit.b;
            shape.c = unit.c;
            shape.d = unit.d;
            shape.K = unit.K;
            VectorReader reader(std::cin, "standard input", ReadAs{.unit = unit.name, .shape = shape});
            Vector vector;
            while (reader.next(vector)) {
                const Inputs in = vector.inputs();
                const Bits d = unit.run({in.a.begin(), in.a.end()}, {in.b.begin(), in.b.end()}, in.c);
                std::cout << R"({"d":")" << to_hex(format(unit.d), d) << "\"}" << std::endl;
            }
            return 0;
        }
        std::cerr << "usage: real_unit NAME, one of";
        for (const RealUnit& unit : units()) std::cerr << ' ' << unit.name;
        std::cerr << '\n';
    } catch (const Error& error) {
        std::cerr << "real_unit: " << error.what() << '\n';
    }
    return 2;
}
