// Parts that Gemm and KernelGemm share: the unit's kernels, the checks of arguments, and blocks of instructions on a
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

struct GemmTables {
    std::shared_ptr<const fast::Codec> a, b; ///< the same where a and b are read alike
};

/// A unit's chains of instructions on tiles.
struct fast::Chains {
    Unit unit;
    GemmOptions options;
    fast::Elements elements;
    std::optional<fast::Recipe> recipe;
    const fast::KernelSet* set = nullptr;
    fast::TileKernel tile = nullptr, pairs = nullptr;
    std::optional<fast::Layout> layout;
    std::shared_ptr<const GemmTables> tables;
    const Format *a, *b, *d;
    std::uint64_t nan = 0;
    std::optional<std::uint64_t> stored_nan; ///< nothing: what the kernels give is kept
    std::optional<fast::Update> update;      ///< for alpha, beta or from_zero

    Chains(const Unit& u, GemmOptions o)
        : unit(u), options(std::move(o)), elements(unit), a(&format(unit.a)), b(&format(unit.b)), d(&format(unit.d)) {
        options.threads = std::max(options.threads, 1u);
        if (d->has_nan()) nan = unit.nan.kind == NanRule::Kind::pattern ? unit.nan.bits : quiet_nan(*d);
        if (!unit.nan.keeps_operands()) stored_nan = nan;
        if (options.from_zero || options.alpha != 1 || options.beta != 1)
            update.emplace(unit, options.alpha, options.beta, nan);
        if (options.accelerator != nullptr && options.b_by_columns)
            throw Error("an accelerator takes B row by row, and B was given by columns");
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
        tables = tables_for(options.tables.get());
    }

    /// Those that are given where they are the ones, others where not.
    std::shared_ptr<const GemmTables> tables_for(const GemmTables* given) const {
        const GemmTables none;
        const auto& [left, right] = given != nullptr ? *given : none;
        const auto codec = [&](const Format& f, std::initializer_list<std::shared_ptr<const fast::Codec>> made) {
            for (const auto& one : made)
                if (one != nullptr && one->is_for(f, layout->storage, recipe->ftz, recipe->exponents)) return one;
            return std::make_shared<const fast::Codec>(f, layout->storage, recipe->ftz, recipe->exponents);
        };
        const auto of_a = codec(*a, {left, right});
        return std::make_shared<const GemmTables>(GemmTables{of_a, codec(*b, {of_a, right})});
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

    /// What a product is given, and how many patterns of each there have to be; C has as many as D.
    struct Given {
        Patterns a, b, c;
        MutablePatterns d;
        Patterns sa, sb;
    };
    struct Needed {
        std::size_t a, b, d, sa, sb;
    };
    /// @param result  the format of D
    /// @param with_c  C is read
    /// @throws Error if one of them has another size, or words of another width
    void check_all(const Given& x, const Needed& needed, FormatId result, bool with_c) const {
        const FormatId of_scales = unit.scale ? unit.scale->format : unit.a; // of none there is nothing to be wrong
        check("A", x.a.size(), x.a.word(), needed.a, unit.a);
        check("B", x.b.size(), x.b.word(), needed.b, unit.b);
        check("D", x.d.size(), x.d.word(), needed.d, result);
        if (with_c) check("C", x.c.size(), x.c.word(), needed.d, *unit.c);
        check("the scales of A", x.sa.size(), x.sa.word(), needed.sa, of_scales);
        check("the scales of B", x.sb.size(), x.sb.word(), needed.sb, of_scales);
    }

    // ---- tiles

    /// The elements from the n-th on, of a chain of multiply-adds, whose elements are not divided into blocks.
    void skip(fast::Tile& t, std::size_t n) const {
        t.a.values = static_cast<const std::byte*>(t.a.values) + n * layout->value_bytes;
        t.b.values = static_cast<const std::byte*>(t.b.values) + n * layout->value_bytes * fast::panel;
    }

    /// The columns of B, k × n, with scales rows of scales.
    fast::Source right(Patterns from, Patterns sb, std::size_t k, std::size_t n, std::size_t scales_of_line) const {
        const bool by_columns = options.b_by_columns;
        return {from, sb, by_columns ? k : 1, by_columns ? 1 : n, 1, n, n, k, scales_of_line};
    }

    std::size_t steps_of_chunk() const { return std::max<std::size_t>(1, fast::chunk_elements / K()); }

    struct Accumulators {
        alignas(64) std::array<std::byte, fast::panel * fast::panel * 8> sums;
        alignas(64) std::array<std::byte, fast::panel * fast::panel * 4> last; ///< c, where it comes last or late
    };

    /// Instructions on one tile of packed operands.
    struct Blocks {
        const fast::Packed &left, &right;
        std::size_t gi, gj;       ///< the tile
        int rows;                 ///< of the tile
        std::size_t first, count; ///< instructions, of those that are packed
        bool first_from_c;        ///< the accumulators are c as it is read, and no result of an instruction
        bool as_pairs;            ///< one row of pairs instead of a tile
    };
    void run_blocks(const Blocks& work, Accumulators& acc) const {
        // A chain of multiply-adds is one block, however long.
        const bool chain = recipe->form == fast::Form::fma32 || recipe->form == fast::Form::fma64;
        const std::size_t L =
            chain && unit.place == AccumulatorPlace::chained ? work.count * K() : static_cast<std::size_t>(unit.L);
        const bool whole = L > K() || (chain && unit.place == AccumulatorPlace::chained);
        const std::size_t count = whole ? 1 : work.count;
        const std::size_t blocks_of_step = std::max<std::size_t>(1, K() / L);
        const bool last = unit.place == AccumulatorPlace::last, late = recipe->late;
        const std::size_t used = static_cast<std::size_t>(work.rows) * fast::panel * sizeof(float);
        const auto set_aside = [&] {
            std::memcpy(acc.last.data(), acc.sums.data(), used);
            std::memset(acc.sums.data(), 0, used);
        };
        const auto add = [&] {
            set->add_last(*recipe, reinterpret_cast<float*>(acc.sums.data()),
                          reinterpret_cast<const float*>(acc.last.data()),
                          static_cast<std::size_t>(work.rows) * fast::panel);
        };
        for (std::size_t step = 0; step < count; ++step) {
            if (last) set_aside();
            for (std::size_t n = 0; n < blocks_of_step; ++n) {
                const std::size_t block = step * blocks_of_step + n;
                const bool of_c = work.first_from_c && block == 0 && !last;
                fast::Tile t = fast::tile_of(work.left, work.right, work.gi, work.gj,
                                             whole ? 0 : work.first * blocks_of_step + block);
                if (whole) skip(t, work.first * K());
                t.recipe = &*recipe;
                t.L = static_cast<int>(L);
                t.acc = acc.sums.data();
                t.acc_stride = fast::panel;
                t.rows = work.rows;
                t.c_emin = of_c ? recipe->first_emin : recipe->emin;
                t.b.any_special = t.b.any_special || (work.as_pairs && t.a.any_special);
                if (late) set_aside();
                (work.as_pairs ? pairs : tile)(t);
                if (late) add();
            }
            if (last) add();
        }
    }
};

} // namespace discern
