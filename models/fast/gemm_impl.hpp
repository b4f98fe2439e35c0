// What Gemm and KernelGemm have in common: the unit's kernels, the border's checks, and blocks of instructions on a
// tile.
#pragma once

#include "choose.hpp"
#include "element.hpp"
#include "models/error.hpp"
#include "models/gemm.hpp"
#include "models/unit/sentence.hpp"
#include "operands/packing.hpp"
#include "update.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

namespace discern {

namespace fast {

struct Chains;

constexpr std::size_t chunk_elements = 256; ///< of k: a packed panel of B stays in the second-level cache

/// Runs `work(thread)` on several threads, the caller being thread 0; rethrows the first exception.
template <class Work>
void on_threads(unsigned threads, const Work& work) {
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < threads; ++t) others.emplace_back([&work, t] { work(t); });
    work(0);
}

} // namespace fast

/// A unit's chains of instructions on tiles.
struct fast::Chains {
    Unit unit;
    GemmOptions options;
    fast::Elements elements;
    std::optional<fast::Recipe> recipe;
    const fast::KernelSet* set = nullptr;
    fast::TileKernel tile = nullptr, pairs = nullptr;
    std::optional<fast::Layout> layout;
    std::optional<fast::Codec> codec_a, codec_b;
    const Format *a, *b, *d;
    std::uint64_t nan = 0;
    std::optional<fast::Update> update; ///< for alpha, beta or from_zero

    Chains(const Unit& u, GemmOptions o)
        : unit(u), options(std::move(o)), elements(unit), a(&format(unit.a)), b(&format(unit.b)), d(&format(unit.d)) {
        options.threads = std::max(options.threads, 1u);
        if (d->has_nan()) nan = unit.nan.kind == NanRule::Kind::pattern ? unit.nan.bits : quiet_nan(*d);
        if (options.from_zero || options.alpha != 1 || options.beta != 1)
            update.emplace(unit, options.alpha, options.beta, nan);
        if (options.accelerator != nullptr) return;
        set = fast::choose_kernels(options.kernels);
        if (set == nullptr) return;
        recipe = fast::recipe_of(unit);
        if (recipe) {
            tile = set->find(*recipe, false);
            pairs = set->find(*recipe, true);
        }
        if (tile == nullptr || pairs == nullptr) set = nullptr;
        if (set == nullptr) return;
        layout.emplace(unit, *recipe);
        codec_a.emplace(*a, layout->storage, recipe->flush);
        codec_b.emplace(*b, layout->storage, recipe->flush);
    }

    // ---- the border

    std::size_t K() const { return static_cast<std::size_t>(unit.K); }
    std::size_t steps(std::size_t k) const { return (k + K() - 1) / K(); }

    std::size_t scales(std::size_t k) const {
        if (!unit.scale) return 0;
        const auto block = static_cast<std::size_t>(unit.scale->block);
        return k / K() * static_cast<std::size_t>(unit.scales()) + (k % K() + block - 1) / block;
    }

    static void check(const char* name, std::size_t size, std::size_t word, std::size_t want, FormatId id) {
        if (size != want) throw Error(sentence(name, " has ", size, " patterns; there must be ", want));
        if (want != 0 && word != word_bytes(id))
            throw Error(sentence(name, " is in words of ", word, " bytes; patterns of ", format(id).name,
                                 " are in words of ", word_bytes(id)));
    }

    void check_all(std::size_t in_a, std::size_t in_b, std::size_t in_d, std::size_t in_sa, std::size_t in_sb,
                   const Patterns& pa, const Patterns& pb, const Patterns& pc, const MutablePatterns& pd,
                   const Patterns& psa, const Patterns& psb, bool with_c) const {
        check("A", pa.size(), pa.word(), in_a, unit.a);
        check("B", pb.size(), pb.word(), in_b, unit.b);
        check("D", pd.size(), pd.word(), in_d, unit.d);
        if (with_c) check("C", pc.size(), pc.word(), in_d, *unit.c);
        check("the scales of A", psa.size(), psa.word(), in_sa, unit.scale ? unit.scale->format : unit.a);
        check("the scales of B", psb.size(), psb.word(), in_sb, unit.scale ? unit.scale->format : unit.b);
    }

    // ---- tiles

    /// The elements from the n-th on, of a chain of multiply-adds, whose elements are not cut into blocks.
    void skip(fast::Tile& t, std::size_t n) const {
        t.a = static_cast<const std::byte*>(t.a) + n * layout->value_bytes;
        t.b = static_cast<const std::byte*>(t.b) + n * layout->value_bytes * fast::panel;
    }

    std::size_t steps_of_chunk() const { return std::max<std::size_t>(1, fast::chunk_elements / K()); }

    struct Accumulators {
        alignas(64) std::array<std::byte, fast::panel * fast::panel * 8> sums;
        alignas(64) std::array<std::byte, fast::panel * fast::panel * 4> last; ///< c, where it comes last or late
    };

    /// Blocks of `count` instructions on a tile, from the first-th that is packed. @param as_pairs  one row of pairs
    /// instead of 64 rows
    void run_blocks(const fast::Packed& left, const fast::Packed& right, std::size_t gi, std::size_t gj, int rows,
                    std::size_t first, std::size_t count, bool first_from_c, bool as_pairs, Accumulators& acc) const {
        // A chain of multiply-adds is one block, however long.
        const bool chain = recipe->form == fast::Form::fma32 || recipe->form == fast::Form::fma64;
        const std::size_t L =
            chain && unit.place == AccumulatorPlace::chained ? count * K() : static_cast<std::size_t>(unit.L);
        const bool whole = L > K() || (chain && unit.place == AccumulatorPlace::chained);
        if (whole) count = 1;
        const std::size_t blocks_of_step = std::max<std::size_t>(1, K() / L);
        const bool last = unit.place == AccumulatorPlace::last, late = recipe->late;
        const std::size_t used = static_cast<std::size_t>(rows) * fast::panel * sizeof(float);
        const auto set_aside = [&] {
            std::memcpy(acc.last.data(), acc.sums.data(), used);
            std::memset(acc.sums.data(), 0, used);
        };
        const auto add = [&] {
            set->add_last(*recipe, reinterpret_cast<float*>(acc.sums.data()),
                          reinterpret_cast<const float*>(acc.last.data()),
                          static_cast<std::size_t>(rows) * fast::panel);
        };
        for (std::size_t step = 0; step < count; ++step) {
            if (last) set_aside();
            for (std::size_t n = 0; n < blocks_of_step; ++n) {
                const std::size_t block = step * blocks_of_step + n;
                const bool of_c = first_from_c && block == 0 && !last;
                fast::Tile t = fast::tile_of(left, right, gi, gj, whole ? 0 : first * blocks_of_step + block);
                if (whole) skip(t, first * K());
                t.recipe = &*recipe;
                t.L = static_cast<int>(L);
                t.acc = acc.sums.data();
                t.acc_stride = fast::panel;
                t.rows = rows;
                t.c_emin = of_c ? recipe->first_emin : recipe->emin;
                t.b_special = t.b_special || (as_pairs && left.any_special(gi, block));
                if (late) set_aside();
                (as_pairs ? pairs : tile)(t);
                if (late) add();
            }
            if (last) add();
        }
    }
};

} // namespace discern
