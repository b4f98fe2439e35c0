// Loops as people write them, each as a target: what `identify --kernel` says of code that is known.
//
//     discern identify 'matrices:build/examples/libraries/loop_target lanes' --formats f32,f32,f32,f32 --K 64 --kernel
//
// chain: multiply-adds in f32, from +0, then C. wide: products of f32 in an f64 chain, converted at the end, without C.
// half: products of f16 added up in f32, from C. lanes: 8 lanes of 2 accumulators, folded by halving strides, then C.
#include "matrices.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

namespace {

using Floats = Product<float, float>;

/// Calls dot(i, j) for each element of D.
template <class P, class Dot>
void for_each(P& p, const Dot& dot) {
    for (std::size_t i = 0; i < p.m; ++i)
        for (std::size_t j = 0; j < p.n; ++j) p.c[i * p.n + j] = dot(i, j, p.c[i * p.n + j]);
}

void chain(Floats& p) {
    for_each(p, [&](std::size_t i, std::size_t j, float c) {
        float sum = 0;
        for (std::size_t k = 0; k < p.k; ++k) sum = std::fma(p.a[i * p.k + k], p.b[k * p.n + j], sum);
        return c + sum;
    });
}

void wide(Floats& p) {
    for_each(p, [&](std::size_t i, std::size_t j, float) {
        double sum = 0;
        for (std::size_t k = 0; k < p.k; ++k)
            sum += static_cast<double>(p.a[i * p.k + k]) * static_cast<double>(p.b[k * p.n + j]);
        return static_cast<float>(sum);
    });
}

void lanes(Floats& p) {
    for_each(p, [&](std::size_t i, std::size_t j, float c) {
        std::array<float, 16> sum{};
        for (std::size_t k = 0; k < p.k; ++k) sum[k % 16] = std::fma(p.a[i * p.k + k], p.b[k * p.n + j], sum[k % 16]);
        for (std::size_t stride = 8; stride > 0; stride /= 2)
            for (std::size_t l = 0; l < stride; ++l) sum[l] += sum[l + stride];
        return c + sum[0];
    });
}

/// The number of a pattern of f16, exactly.
float number(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float sign = bits >> 15 != 0 ? -1.0F : 1.0F;
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                 : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25));
}

void half(Product<std::uint16_t, float>& p) {
    for_each(p, [&](std::size_t i, std::size_t j, float sum) {
        for (std::size_t k = 0; k < p.k; ++k) sum += number(p.a[i * p.k + k]) * number(p.b[k * p.n + j]);
        return sum;
    });
}

} // namespace

int main(int count, char** words) {
    const std::string_view name = count == 2 ? words[1] : "";
    if (name == "chain") return answer_products<float, float>(chain);
    if (name == "wide") return answer_products<float, float>(wide);
    if (name == "lanes") return answer_products<float, float>(lanes);
    if (name == "half") return answer_products<std::uint16_t, float>(half);
    std::fprintf(stderr, "usage: loop_target chain|wide|lanes|half\n");
    return 2;
}
