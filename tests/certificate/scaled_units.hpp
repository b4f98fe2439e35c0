// Units whose scales multiply what is rounded, of operands that are so small that all of them can be tried.
#pragma once

#include "models/evaluate.hpp"
#include "models/format.hpp"
#include "models/unit.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace discern::tests {

inline constexpr std::array<const char*, 6> scaled_units = {
    "e2m1ieee*e2m1->e5m2 K=1 scale=ue4m3/1 : round[e5m2 rne](fuse[exact](round[e3m2ieee rz](p*) @[scaled]))",
    "e2m1*e2m1+e2m1->e4m3 K=1 scale=ue4m3/1 : round[e4m3 rz](fuse[F=2 rz](round[e3m2ieee rd](p*) @[scaled "
    "zero=emin], c))",
    "e2m1ieee*e2m1+e2m1ieee->f16 K=1 scale=e8m0/1 nan=x86 : round[f16 rne](fuse[exact](round[e3m2ieee rne](p*) "
    "@[scaled], c))",
    "fix3.1*e2m1+e2m1->f32 K=1 scale=ue5m3/1 : round[f32 rd](fuse[F=20 rz](round[fix6.2 rne](p*) @[scaled drop=9 "
    "less=2], c))",
    "e2m1*e2m1+e2m1->e5m2 K=1 scale=ue4m3/1 : round[e5m2 rz](fuse[F=2 rz](round[e5m2 rd](fuse[exact]("
    "round[e3m2ieee rd](p*) @[scaled=a])) @[scaled=b zero=emin], c))",
    "e2m1ieee*e2m1+e2m1->f16 K=1 scale=e8m0/1 nan=x86 : round[f16 rne](fuse[exact](round[f16 rne](fuse[F=5]("
    "round[e3m2ieee rne](p*) @[scaled=b])) @[scaled=a less=1], c))"};

/// All pairs of scales of one of these units, and with each scale of a all operands a and b.
inline std::vector<InputBuffer> scaled_vectors(const Unit& unit) {
    std::vector<InputBuffer> vectors;
    for (std::uint64_t sa = 0; sa < 256; ++sa)
        for (std::uint64_t rest = 0; rest < 256; ++rest) {
            InputBuffer& x = vectors.emplace_back();
            x.a = {rest & format(unit.a).mask()};
            x.b = {rest / 16};
            x.sa = {sa};
            x.sb = {(rest * 37 + sa * 3) % 256};
            if (unit.c) x.c = (rest * 11 + sa / 2) % 16;
        }
    return vectors;
}

} // namespace discern::tests
