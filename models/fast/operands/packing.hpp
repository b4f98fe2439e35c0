// Operands as the kernels read them: decoded once, in the order of blocks, rows of A and panels of 64 columns of B.
#pragma once

#include "codec.hpp"
#include "models/fast/kernels/tile.hpp"
#include "models/gemm.hpp"

#include <array>
#include <memory>
#include <new>
#include <vector>

namespace discern::fast {

/// Zeroed memory on a cache line's boundary.
class Buffer {
  public:
    Buffer() = default;
    explicit Buffer(std::size_t bytes);
    std::byte* data() const { return data_.get(); }
    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(data_.get());
    }

  private:
    struct Free {
        void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
    };
    std::unique_ptr<std::byte[], Free> data_;
};

/// The operands of a matrix in memory: element (k, line) of B's column, or A's row, `line`.
struct Source {
    Patterns values, scales;
    std::size_t line_stride, k_stride; ///< of values
    std::size_t scale_line_stride, scale_stride;
    std::size_t lines, k; ///< how many there are; beyond them is +0 with scale 1
    std::size_t scales_per_line;
};

/// The lines of an operand from one on.
Source lines_from(Source source, std::size_t line);

/// The layout that both operands share: the unit's order of elements, and how values are stored.
struct Layout {
    Layout(const Unit& unit, const Recipe& recipe);

    Storage storage;
    std::vector<std::size_t> order; ///< position in an instruction's packed elements → index among its K
    std::size_t K, L;
    bool chain;                                                 ///< of multiply-adds, which has no blocks
    std::size_t value_bytes, right_code_bytes, left_code_bytes; ///< of one element
    /// Groups with scales of their own in an instruction (grouped, scaled: its blocks), else 0, and elements of one.
    std::size_t groups = 0, group = 0;
    const Format* scale = nullptr; ///< nullptr without scales
    std::size_t scale_block = 1, scales_of_step = 0;
    std::vector<Operand> scale_values; ///< of each pattern; a zero's exponent is the format's smallest
    int zero_scale = 0;                ///< the exponent of a scale that is zero

    /// Scale i of a line's step; 1 beyond the last.
    Operand scale_at(const Source& source, std::size_t line, std::size_t step, std::size_t i) const;
};

/// `steps` instructions of all lines of an operand, 64 lines at a time: block by block, so that a block of 64 lines is
/// contiguous; in it rows one after another, columns side by side.
class Packed {
  public:
    /// @param layout, codec  must outlive it
    Packed(const Layout& layout, const Codec& codec, bool left, std::size_t lines, std::size_t steps);

    /// Packs steps first … first+steps−1 of the 64 lines of one group of lines. Columns go by vector instructions where
    /// they can.
    /// @param source  whose first line is the group's
    /// @param set  whose those are; nullptr: one element at a time
    void pack(const Source& source, std::size_t group_of_lines, std::size_t first, std::size_t steps,
              const KernelSet* set = nullptr);

    /// As pack, for up to 64 independent vectors whose rows are one after another, by vector instructions where they
    /// can.
    void pack_vectors(const Source& source, const KernelSet& set);

    /// A block of 64 lines from line 64·g. @param block  counted from the chunk's first
    TileOperand operand(std::size_t g, std::size_t block) const;

  private:
    template <class Value, class Code>
    void pack_lines(const Source& source, std::size_t g, std::size_t first, std::size_t steps);
    void pack_by_elements(const Source& source, std::size_t g, std::size_t first, std::size_t steps);
    void pack_gaps(std::size_t g);
    bool can_unpack(const Source& source) const;
    Unpack unpacking(std::size_t word, std::array<float, 16>& sixteen) const;
    void unpack_into(Unpack& u, std::size_t element);
    void unpack_columns(const Source& source, std::size_t g, std::size_t first, std::size_t steps,
                        const KernelSet& set);
    void scale_blocks(std::size_t g, std::size_t blocks, const KernelSet& set);
    bool unpack_vectors(const Source& source, const KernelSet& set);
    bool vector_scales(const Source& source);
    std::size_t scale_stride() const { return steps_ * layout_->groups; }
    void pack_scales(const Source& source, std::size_t g, std::size_t first, std::size_t steps);

    const Layout* layout_;
    const Codec* codec_;
    bool left_;
    std::size_t steps_, blocks_, code_bytes_;
    std::size_t total_;  ///< elements of a line
    std::size_t length_; ///< of a block; of a chain of multiply-adds all
    Buffer values_, codes_, scale_values_, scale_codes_, raw_, tops_;
    Buffer vector_scales_, vector_scale_codes_; ///< of the elements of 64 independent vectors
    std::vector<std::byte> padded_;             ///< fewer than 64 rows, and zeros
    std::vector<std::uint8_t> special_;         ///< [g][block][line]
    std::vector<std::uint8_t> any_;             ///< [g][block]
};

/// The operands of a block as a tile of 64 rows (of line group gi) and 64 columns (gj), without recipe and
/// accumulators.
Tile tile_of(const Packed& left, const Packed& right, std::size_t gi, std::size_t gj, std::size_t block);

} // namespace discern::fast
