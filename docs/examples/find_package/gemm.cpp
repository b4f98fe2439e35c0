// Multiplies two matrices as a Hopper tensor core would: D = A·B + C with fp16 in and fp32 out.
#include <models/catalogue.hpp>
#include <models/gemm.hpp>

#include <cstdint>
#include <cstdio>
#include <span>
#include <vector>

int main() {
    constexpr std::size_t m = 3, n = 2, k = 32;
    const discern::Gemm hopper(discern::resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16"));
    const std::vector<std::uint16_t> a(m * k, 0x3c00), b(k * n, 0x3555); // 1 and 0.333251953125 in fp16
    std::vector<std::uint32_t> c(m * n, 0x4b000000), d(m * n);           // 2^23 in fp32: each block's sum is cut
    hopper({.m = m, .n = n, .k = k}, std::span(a), std::span(b), std::span(c), std::span(d));
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) std::printf("%08x ", static_cast<unsigned>(d[i * n + j]));
        std::printf("\n");
    }
}
