// What PTX leaves open of wmma: where the elements of a fragment are.
#pragma once

#include <cstdint>

namespace discern::programs {

/// In which order the fragments of wmma of one kind have their elements; those of all others have them row by row.
struct FragmentOrder {
    enum class Order : std::uint8_t { by_rows, cycle, exchange } order = Order::by_rows;
    std::uint32_t kind = 0; ///< its matrix, shape, type and layout
};

} // namespace discern::programs
