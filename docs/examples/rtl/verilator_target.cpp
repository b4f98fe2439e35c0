// The unit of tfdpa.sv behind a pipe under Verilator, through docs/examples/exec_target/discern_target.hpp: some
// hundred thousand vectors a second, where bench.sv under Icarus Verilog answers some thousand.
//
//     verilator --cc --exe --build -O3 -CFLAGS "-O2 -I$PWD/examples/exec_target" -Mdir made -o tfdpa \
//         --top-module tfdpa -Wno-fatal $PWD/examples/rtl/tfdpa.sv $PWD/examples/rtl/verilator_target.cpp
//     discern check exec:made/tfdpa hopper/wgmma.m64n8k16.f32.f16.f16
//
// A design with a clock is stepped where this calls eval() once.
#include "Vtfdpa.h"

#include "discern_target.hpp"

#include <cstring>

int main() {
    Vtfdpa unit;
    return discern_target::serve("f16,f16,f32,f32", 16, [&unit](const discern_vector& v) {
        const std::vector<std::uint32_t> a = discern_target::packed(v.a, v.K, 16);
        const std::vector<std::uint32_t> b = discern_target::packed(v.b, v.K, 16);
        std::memcpy(&unit.a, a.data(), sizeof unit.a);
        std::memcpy(&unit.b, b.data(), sizeof unit.b);
        unit.c = static_cast<std::uint32_t>(v.c);
        unit.eval();
        return unit.d;
    });
}
