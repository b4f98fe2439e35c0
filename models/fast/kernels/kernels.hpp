// The choice of a kernel for a recipe, and the table of one instruction set. Included by each of its source files.
#pragma once

#include "exact.hpp"
#include "grouped.hpp"
#include "ieee.hpp"
#include "quick_two_level.hpp"
#include "scaled.hpp"
#include "steps.hpp"
#include "unpack.hpp"

namespace discern::fast::DISCERN_ISA {

template <bool Pairs, bool Careful, bool Nearest, bool Split>
constexpr TileKernel narrow = fused_in_floats<Narrow<Pairs, Careful, Nearest, Split>, Pairs>;

template <bool Pairs, bool Split>
constexpr TileKernel scaled = fused_in_floats<Scaled<Pairs, Split>, Pairs>;

template <bool Pairs>
TileKernel find_kernel(const Recipe& r) {
    switch (r.form) {
    case Form::fused:
        if (r.scaled) return r.split ? scaled<Pairs, true> : scaled<Pairs, false>;
        if (!r.narrow) return r.gap ? fused_in_floats<Gap<Pairs>, Pairs> : fused<Pairs>;
        if (r.result.to_nearest) return r.split ? narrow<Pairs, true, true, true> : narrow<Pairs, true, true, false>;
        if (r.careful_c) return r.split ? narrow<Pairs, true, false, true> : narrow<Pairs, true, false, false>;
        return r.split ? narrow<Pairs, false, false, true> : narrow<Pairs, false, false, false>;
    case Form::two_level:
        if (r.narrow) return r.halves == 2 ? quick_two_level<Pairs, false, 2> : quick_two_level<Pairs, false, 1>;
        if (r.gap) return quick_two_level<Pairs, true, 1>;
        return r.halves == 2 ? two_level<Pairs, 2> : two_level<Pairs, 1>;
    case Form::grouped: return grouped<Pairs>;
    case Form::exact: return exact<Pairs>;
    case Form::fma32: return multiply_add<Pairs, Floats, float>;
    case Form::fma64:
#if !DISCERN_FUSES
        return nullptr; // needs the instruction
#else
        return multiply_add<Pairs, Doubles, double>;
#endif
    case Form::pairwise: return pairwise<Pairs>;
    case Form::steps: return by_steps<Pairs>;
    }
    return nullptr;
}

inline TileKernel find(const Recipe& recipe, bool pairs) {
    return pairs ? find_kernel<true>(recipe) : find_kernel<false>(recipe);
}

constexpr KernelSet set_named(const char* name) {
    return {.name = name, .find = find, .unpack = unpack, .scale_columns = scale_columns, .add_last = add_last};
}

} // namespace discern::fast::DISCERN_ISA
