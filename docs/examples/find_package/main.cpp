// The smallest user of the installed library: one dot product on one unit.
#include <models/catalogue.hpp>
#include <models/evaluate.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
    const discern::Evaluator hopper(discern::resolve_unit("hopper/wgmma.m64n8k16.f32.f16.f16"));
    const std::vector<std::uint64_t> ones(16, 0x3c00); // 1.0 in fp16
    const std::uint64_t d = hopper({.a = ones, .b = ones, .sa = {}, .sb = {}, .c = 0x3f800000});
    std::printf("d = %08llx\n", static_cast<unsigned long long>(d)); // 17.0
}
