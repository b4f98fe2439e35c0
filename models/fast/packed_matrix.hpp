// A matrix B that stays packed: its patterns in the order in which tiles read them.
#pragma once

#include "gemm_impl.hpp"

#include <memory>

namespace discern {

/// 64 columns after 64 columns, each of them element by element of k, with +0 where there is none. Products decode them
/// a tile at a time: decoded, they would be five times as large, and products of few rows wait for memory.
struct PackedMatrix::Impl {
    FormatId format;
    const void* patterns;         ///< which memory was packed
    bool by_columns;              ///< how it lay there
    std::size_t k, n, lines_of_k; ///< k, rounded up
    std::size_t size;             ///< bytes of the panels
    std::unique_ptr<std::byte[]> panels;

    /// Whether these are the packed operands of such a product.
    bool is_for(const fast::Chains& chains, const fast::Source& right) const {
        return chains.set != nullptr && !chains.unit.scale && chains.unit.b == format && right.lines == n &&
               right.k == k && right.values.data() == patterns && chains.options.b_by_columns == by_columns &&
               chains.steps(k) * chains.K() <= lines_of_k;
    }
    /// The columns of the g-th 64.
    fast::Source columns(std::size_t g) const {
        const std::size_t elements = lines_of_k * fast::panel, word = word_bytes(format);
        return {.values = {panels.get() + g * elements * word, elements, word},
                .scales = {},
                .line_stride = 1,
                .k_stride = fast::panel,
                .scale_line_stride = 1,
                .scale_stride = 1,
                .lines = fast::panel,
                .k = lines_of_k,
                .scales_per_line = 0};
    }
};

} // namespace discern
