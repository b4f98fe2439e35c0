// A matrix B that stays packed: what tiles read of it.
#pragma once

#include "gemm_impl.hpp"

#include <vector>

namespace discern {

struct PackedMatrix::Impl {
    fast::Chains chains;
    const void* patterns; ///< which memory was packed
    std::size_t n, steps, per_chunk;
    std::vector<fast::Packed> chunks;

    /// Whether these are the packed operands of such a product.
    bool is_for(const fast::Chains& other, const fast::Source& right, std::size_t all, std::size_t chunk) const {
        return chains.set != nullptr && chains.set == other.set && chains.unit == other.unit && right.lines == n &&
               right.values.data() == patterns && right.line_stride == 1 && all == steps && chunk == per_chunk;
    }
};

} // namespace discern
