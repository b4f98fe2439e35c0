// One product on all threads: chunks of k, packed once for all of them; tiles of 64 × 64 elements of D. Gemm and
// KernelGemm say what is done with a tile.
#pragma once

#include "gemm_impl.hpp"
#include "models/fast/operands/accumulators.hpp"
#include "packed_matrix.hpp"

#include <atomic>
#include <barrier>
#include <memory>

namespace discern::fast {

/// A tile: 64 rows from row 64·gi, 64 columns from column 64·gj, or as many as there are.
struct TileBounds {
    std::size_t gi, gj, rows, columns, index;

    /// Where row i begins in an array that has tile after tile: rows of a large matrix lie a power of two apart, and
    /// push each other out of the cache.
    std::size_t kept(std::size_t i) const { return (index * panel + i) * panel; }
};

/// The buffers of one thread.
struct TileScratch {
    explicit TileScratch(const Unit& unit) : elements(unit) {}
    std::unique_ptr<Chains::Accumulators> acc = std::make_unique<Chains::Accumulators>();
    Elements::Scratch elements;
    std::optional<Packed> b; ///< of one tile, where there is one row of tiles
};

class Tiles {
  public:
    /// @param left, right  m rows of A and n columns of B, of which everything but their row and column is read
    /// @param chunks       of k: so many, each of at most `per_chunk` instructions; one where the unit has no kernels
    Tiles(const Chains& chains, const Source& left, const Source& right, std::size_t steps, std::size_t per_chunk)
        : g_(chains), left_(left), right_(right), m_(left.lines), n_(right.lines), steps_(steps), per_chunk_(per_chunk),
          chunks_(chains.set == nullptr ? 1 : (steps + per_chunk - 1) / per_chunk),
          row_groups_((m_ + panel - 1) / panel), column_groups_((n_ + panel - 1) / panel) {
        if (g_.set == nullptr) return;
        a_.emplace(*g_.layout, *g_.tables->a, true, m_, per_chunk_);
        const PackedMatrix* const kept = g_.options.packed_b.get();
        if (kept != nullptr && kept->impl().is_for(g_, right_)) kept_ = &kept->impl();
        if (row_groups_ > 1) b_.emplace(*g_.layout, *g_.tables->b, false, n_, per_chunk_);
    }

    std::size_t chunks() const { return chunks_; }
    std::size_t count_of(std::size_t chunk) const { return std::min(per_chunk_, steps_ - chunk * per_chunk_); }
    /// The element of D that row i of a tile begins with.
    std::size_t first_of(const TileBounds& t, std::size_t i) const { return (t.gi * panel + i) * n_ + t.gj * panel; }

    /// Calls work(tile, chunk, scratch) for all of them, chunk by chunk, on the threads of the options. @return false
    /// if the work was stopped
    template <class Work>
    bool run(const Work& work) {
        const std::size_t tiles = row_groups_ * column_groups_;
        const auto threads = static_cast<unsigned>(std::min<std::size_t>(g_.options.threads, tiles));
        std::atomic<std::size_t> next_pack{0}, next_tile{0};
        std::atomic<bool> stopped{false};
        std::barrier together(static_cast<std::ptrdiff_t>(threads), [&]() noexcept {});
        on_threads(threads, [&](unsigned thread) {
            TileScratch scratch(g_.unit);
            if (at_once()) scratch.b.emplace(*g_.layout, *g_.tables->b, false, panel, per_chunk_);
            for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
                if (g_.set != nullptr) {
                    for (std::size_t i; !stopped && (i = next_pack++) < row_groups_ + (b_ ? column_groups_ : 0);)
                        pack(i, chunk);
                    together.arrive_and_wait();
                }
                for (std::size_t i; !stopped && (i = next_tile++) < tiles;) {
                    const TileBounds t = bounds(i);
                    if (at_once()) scratch.b->pack(columns(t.gj), 0, chunk * per_chunk_, count_of(chunk), g_.set);
                    work(t, chunk, scratch);
                    if (thread == 0 &&
                        !goes_on(static_cast<double>(chunk * tiles + i + 1) / static_cast<double>(chunks_ * tiles)))
                        stopped = true;
                }
                together.arrive_and_wait();
                if (thread == 0) next_pack = next_tile = 0;
                together.arrive_and_wait();
            }
        });
        return !stopped;
    }

    /// Accumulators of a tile, from a matrix of D's size in a format; columns beyond the last are +0.
    void load(const TileBounds& t, const Format& f, const Patterns& from, Chains::Accumulators& acc) const {
        load_rows(t, f, from, acc, [&](std::size_t i) { return first_of(t, i); });
    }
    void store(const TileBounds& t, const Chains::Accumulators& acc, const MutablePatterns& to) const {
        store_rows(t, acc, to, [&](std::size_t i) { return first_of(t, i); });
    }
    /// The same from and to arrays that have tile after tile, in d's format.
    void load_kept(const TileBounds& t, const Patterns& from, Chains::Accumulators& acc) const {
        load_rows(t, *g_.d, from, acc, [&](std::size_t i) { return t.kept(i); });
    }
    void store_kept(const TileBounds& t, const Chains::Accumulators& acc, const MutablePatterns& to) const {
        store_rows(t, acc, to, [&](std::size_t i) { return t.kept(i); });
    }
    /// Row i of a tile's accumulators: floats, or doubles where d is f64.
    const std::byte* row_of(const Chains::Accumulators& acc, std::size_t i) const {
        return acc.sums.data() + i * row_bytes();
    }
    /// Elements of such an array.
    std::size_t kept_size() const { return row_groups_ * column_groups_ * panel * panel; }
    void clear(Chains::Accumulators& acc) const { std::memset(acc.sums.data(), 0, panel * row_bytes()); }
    /// `count` instructions of the chunk that is packed, from its first-th. @param from_c  accumulators are c as read
    void chain(const TileBounds& t, std::size_t first, std::size_t count, bool from_c, TileScratch& scratch) const {
        g_.run_blocks({.left = *a_,
                       .right = at_once() ? *scratch.b : *b_,
                       .gi = t.gi,
                       .gj = at_once() ? 0 : t.gj,
                       .rows = static_cast<int>(t.rows),
                       .first = first,
                       .count = count,
                       .first_from_c = from_c,
                       .as_pairs = false},
                      *scratch.acc);
    }

  private:
    template <class At>
    void load_rows(const TileBounds& t, const Format& f, const Patterns& from, Chains::Accumulators& acc,
                   const At& at) const {
        if (t.columns < panel) clear(acc);
        for (std::size_t i = 0; i < t.rows; ++i)
            load_accumulators(f, from, at(i), t.columns, acc.sums.data() + i * row_bytes());
    }
    template <class At>
    void store_rows(const TileBounds& t, const Chains::Accumulators& acc, const MutablePatterns& to,
                    const At& at) const {
        for (std::size_t i = 0; i < t.rows; ++i)
            store_accumulators(*g_.d, g_.stored_nan, row_of(acc, i), at(i), t.columns, to);
    }
    std::size_t row_bytes() const { return panel * (g_.d->width == 64 ? 8 : 4); }
    TileBounds bounds(std::size_t index) const {
        const std::size_t gi = index % row_groups_, gj = index / row_groups_;
        return {gi, gj, std::min(panel, m_ - gi * panel), std::min(panel, n_ - gj * panel), index};
    }
    void pack(std::size_t i, std::size_t chunk) {
        const std::size_t first = chunk * per_chunk_;
        if (i < row_groups_)
            a_->pack(lines_from(left_, i * panel), i, first, count_of(chunk));
        else
            b_->pack(columns(i - row_groups_), i - row_groups_, first, count_of(chunk), g_.set);
    }
    /// Whether there is one row of tiles: then each thread packs the columns of a tile just before it is computed, and
    /// what is packed stays in its cache.
    bool at_once() const { return g_.set != nullptr && !b_; }
    /// Those of a tile.
    Source columns(std::size_t gj) const {
        return kept_ != nullptr ? kept_->columns(gj) : lines_from(right_, gj * panel);
    }
    bool goes_on(double part) const { return !g_.options.progress || g_.options.progress(std::min(part, 1.0)); }

    const Chains& g_;
    const Source left_, right_;
    const std::size_t m_, n_, steps_, per_chunk_, chunks_, row_groups_, column_groups_;
    std::optional<Packed> a_, b_;
    const PackedMatrix::Impl* kept_ = nullptr; ///< has the patterns of B
};

} // namespace discern::fast
