// dot_fp of MX-for-FPGA behind a pipe under Verilator: its ports are arrays, which yosys does not read. See public.sh.
#include "Vdot_fp.h"

#include "discern_target.hpp"

int main() {
    Vdot_fp unit;
    return discern_target::serve("e4m3,e4m3,-,fix43.18", 32, [&unit](const discern_vector& v) {
        for (int k = 0; k < v.K; ++k) {
            unit.i_vec_a[k] = static_cast<std::uint8_t>(v.a[k]);
            unit.i_vec_b[k] = static_cast<std::uint8_t>(v.b[k]);
        }
        unit.eval();
        return static_cast<std::uint64_t>(unit.o_dp) & ((std::uint64_t{1} << 43) - 1);
    });
}
