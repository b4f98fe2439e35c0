// The driver of matrix products: chunks of k, packed once for all threads; tiles of 64 × 64 elements of D.
#include "models/gemm.hpp"

#include "accumulators.hpp"
#include "choose.hpp"
#include "element.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "packing.hpp"
#include "update.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstring>
#include <thread>

namespace discern {

namespace {

using fast::panel;

constexpr std::size_t chunk_elements = 256; ///< of k: a packed panel of B stays in the second-level cache

} // namespace

std::size_t word_bytes(FormatId id) {
    const int width = format(id).width;
    return width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : 8;
}

struct Gemm::Impl {
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

    Impl(const Unit& u, GemmOptions o)
        : unit(u), options(std::move(o)), elements(unit), a(&format(unit.a)), b(&format(unit.b)), d(&format(unit.d)) {
        options.threads = std::max(options.threads, 1u);
        if (d->has_nan()) nan = unit.nan.kind == NanRule::Kind::pattern ? unit.nan.bits : quiet_nan(*d);
        if (options.from_zero || options.alpha != 1 || options.beta != 1)
            update.emplace(unit, options.alpha, options.beta, nan);
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

    std::size_t steps_of_chunk() const { return std::max<std::size_t>(1, chunk_elements / K()); }

    struct Accumulators {
        alignas(64) std::array<std::byte, panel * panel * 8> sums;
        alignas(64) std::array<std::byte, panel * panel * 4> last; ///< c, where it comes last or late
    };

    /// Blocks of `steps` instructions on a tile. @param row_kernel  one row of pairs instead of 64 rows
    void run_blocks(const fast::Packed& left, const fast::Packed& right, std::size_t gi, std::size_t gj, int rows,
                    std::size_t count, bool first_from_c, bool as_pairs, Accumulators& acc) const {
        // A chain of multiply-adds is one block, however long.
        const bool chain = recipe->form == fast::Form::fma32 || recipe->form == fast::Form::fma64;
        const std::size_t L =
            chain && unit.place == AccumulatorPlace::chained ? count * K() : static_cast<std::size_t>(unit.L);
        if (L > K()) count = 1;
        const std::size_t blocks_of_step = std::max<std::size_t>(1, K() / L);
        const bool last = unit.place == AccumulatorPlace::last, late = recipe->late;
        const std::size_t used = static_cast<std::size_t>(rows) * panel * sizeof(float);
        const auto set_aside = [&] {
            std::memcpy(acc.last.data(), acc.sums.data(), used);
            std::memset(acc.sums.data(), 0, used);
        };
        const auto add = [&] {
            set->add_last(*recipe, reinterpret_cast<float*>(acc.sums.data()),
                          reinterpret_cast<const float*>(acc.last.data()), static_cast<std::size_t>(rows) * panel);
        };
        for (std::size_t step = 0; step < count; ++step) {
            if (last) set_aside();
            for (std::size_t n = 0; n < blocks_of_step; ++n) {
                const std::size_t block = step * blocks_of_step + n;
                const bool of_c = first_from_c && block == 0 && !last;
                fast::Tile t = fast::tile_of(left, right, gi, gj, block);
                t.recipe = &*recipe;
                t.L = static_cast<int>(L);
                t.acc = acc.sums.data();
                t.acc_stride = panel;
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

namespace {

std::uint64_t at(const Patterns& p, std::size_t index) { return fast::pattern_at(p.data(), p.word(), index); }

/// Runs `work(thread)` on several threads, the caller being thread 0; rethrows the first exception.
template <class Work>
void on_threads(unsigned threads, const Work& work) {
    std::vector<std::jthread> others;
    for (unsigned t = 1; t < threads; ++t) others.emplace_back([&work, t] { work(t); });
    work(0);
}

} // namespace

Gemm::Gemm(const Unit& unit, GemmOptions options) : impl_(std::make_unique<const Impl>(unit, std::move(options))) {}
Gemm::~Gemm() = default;
Gemm::Gemm(Gemm&&) noexcept = default;
Gemm& Gemm::operator=(Gemm&&) noexcept = default;

const Unit& Gemm::unit() const { return impl_->unit; }
std::string Gemm::kernels() const { return impl_->set == nullptr ? "general" : impl_->set->name; }
std::size_t Gemm::scales(std::size_t k) const { return impl_->scales(k); }

bool Gemm::operator()(GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d, Patterns sa,
                      Patterns sb) const {
    const Impl& g = *impl_;
    const std::size_t m = size.m, n = size.n, k = size.k;
    const std::size_t scales = g.scales(k);
    const bool reads_c = g.unit.c && !(g.update && !g.update->reads_c());
    if (k == 0) throw Error("a product of k = 0 has no instruction; k must be 1 or more");
    if (!g.unit.c && k > g.K())
        throw Error(sentence("the unit has no accumulator, so it computes products of k up to ", g.K(), ", not ", k));
    if (g.update && !g.unit.c && g.options.beta != 0)
        throw Error("the unit has no accumulator, so there is no C; beta must be 0");
    g.check_all(m * k, k * n, m * n, m * scales, scales * n, a, b, c, d, sa, sb, reads_c);
    if (g.update && reads_c && c.data() == d.data() && m * n != 0)
        throw Error("C and D are the same memory; with alpha, beta or from_zero they must be apart");

    const fast::Source left{a, sa, k, 1, scales, 1, m, k, scales};
    const fast::Source right{b, sb, 1, n, 1, n, n, k, scales};
    const bool from_c = g.unit.c && !g.update;
    if (!g.elements.chains() && (k > g.K() || !from_c))
        throw Error(sentence(
            "the unit reads c as a format that does not hold its own results, so it computes products of k up to ",
            g.K(), ", from C as it is, not ", k));
    const std::size_t row_groups = (m + panel - 1) / panel, column_groups = (n + panel - 1) / panel;
    const std::size_t tiles = row_groups * column_groups;
    if (tiles == 0) return true;
    const std::size_t per_chunk = std::min(g.steps_of_chunk(), g.steps(k));
    const std::size_t chunks = g.set == nullptr ? 1 : (g.steps(k) + per_chunk - 1) / per_chunk;

    std::optional<fast::Packed> packed_a, packed_b;
    if (g.set != nullptr) {
        packed_a.emplace(*g.layout, *g.codec_a, true, m, per_chunk);
        packed_b.emplace(*g.layout, *g.codec_b, false, n, per_chunk);
    }
    const unsigned threads = static_cast<unsigned>(std::min<std::size_t>(g.options.threads, tiles));
    std::atomic<std::size_t> next_pack{0}, next_tile{0};
    std::atomic<bool> stopped{false};
    std::barrier together(static_cast<std::ptrdiff_t>(threads), [&]() noexcept {});

    const auto report = [&](unsigned thread, std::size_t chunk, std::size_t done) {
        if (thread != 0 || !g.options.progress) return;
        const double part = static_cast<double>(chunk * tiles + done) / static_cast<double>(chunks * tiles);
        if (!g.options.progress(std::min(part, 1.0))) stopped = true;
    };
    const auto bounds = [&](std::size_t index) {
        struct Bounds {
            std::size_t gi, gj, rows, columns;
        };
        const std::size_t gi = index % row_groups, gj = index / row_groups;
        return Bounds{gi, gj, std::min(panel, m - gi * panel), std::min(panel, n - gj * panel)};
    };
    const auto general_tile = [&](std::size_t index, fast::Elements::Scratch& scratch) {
        const auto t = bounds(index);
        for (std::size_t i = t.gi * panel; i < t.gi * panel + t.rows; ++i)
            for (std::size_t j = t.gj * panel; j < t.gj * panel + t.columns; ++j) {
                const std::uint64_t from = from_c ? at(c, i * n + j) : 0;
                fast::put_pattern(d.data(), d.word(), i * n + j, g.elements(left, right, i, j, from, from_c, scratch));
            }
    };
    const auto fast_tile = [&](std::size_t index, std::size_t chunk, Impl::Accumulators& acc) {
        const auto t = bounds(index);
        const std::size_t bytes = panel * (g.d->width == 64 ? 8 : 4);
        const bool from_zero = chunk == 0 && !from_c;
        if (from_zero || t.columns < panel) std::memset(acc.sums.data(), 0, acc.sums.size());
        for (std::size_t i = 0; i < t.rows && !from_zero; ++i) {
            const Format& f = chunk == 0 ? format(*g.unit.c) : *g.d;
            const Patterns from = chunk == 0 ? c : Patterns(d.data(), d.size(), d.word());
            fast::load_accumulators(f, from, (t.gi * panel + i) * n + t.gj * panel, t.columns,
                                    acc.sums.data() + i * bytes);
        }
        const std::size_t count = std::min(per_chunk, g.steps(k) - chunk * per_chunk);
        g.run_blocks(*packed_a, *packed_b, t.gi, t.gj, static_cast<int>(t.rows), count, chunk == 0 && from_c, false,
                     acc);
        for (std::size_t i = 0; i < t.rows; ++i)
            fast::store_accumulators(*g.d, g.nan, acc.sums.data() + i * bytes, (t.gi * panel + i) * n + t.gj * panel,
                                     t.columns, d);
    };
    const auto finish_tile = [&](std::size_t index) {
        const auto t = bounds(index);
        for (std::size_t i = t.gi * panel; i < t.gi * panel + t.rows; ++i)
            for (std::size_t j = t.gj * panel; j < t.gj * panel + t.columns; ++j) {
                const std::size_t element = i * n + j;
                const std::uint64_t acc = fast::pattern_at(d.data(), d.word(), element);
                fast::put_pattern(d.data(), d.word(), element, (*g.update)(acc, reads_c ? at(c, element) : 0));
            }
    };

    on_threads(threads, [&](unsigned thread) {
        fast::Elements::Scratch scratch(g.unit);
        const auto acc = std::make_unique<Impl::Accumulators>();
        for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
            if (g.set != nullptr) {
                const std::size_t first = chunk * per_chunk, count = std::min(per_chunk, g.steps(k) - first);
                for (std::size_t i; !stopped && (i = next_pack++) < row_groups + column_groups;) {
                    if (i < row_groups)
                        packed_a->pack(left, i, first, count);
                    else
                        packed_b->pack(right, i - row_groups, first, count);
                }
                together.arrive_and_wait();
            }
            for (std::size_t i; !stopped && (i = next_tile++) < tiles;) {
                if (g.set == nullptr)
                    general_tile(i, scratch);
                else
                    fast_tile(i, chunk, *acc);
                if (g.update && chunk + 1 == chunks) finish_tile(i);
                report(thread, chunk, i + 1);
            }
            together.arrive_and_wait();
            if (thread == 0) next_pack = next_tile = 0;
            together.arrive_and_wait();
        }
    });
    return !stopped;
}

void Gemm::dots(std::size_t count, Patterns a, Patterns b, Patterns c, MutablePatterns d, Patterns sa,
                Patterns sb) const {
    const Impl& g = *impl_;
    const std::size_t K = g.K(), scales = static_cast<std::size_t>(g.unit.scales());
    g.check_all(count * K, count * K, count, count * scales, count * scales, a, b, c, d, sa, sb, g.unit.c.has_value());
    const fast::Source left{a, sa, K, 1, scales, 1, count, K, scales}, right{b, sb, K, 1, scales, 1, count, K, scales};
    if (g.set == nullptr) {
        fast::Elements::Scratch scratch(g.unit);
        for (std::size_t i = 0; i < count; ++i)
            fast::put_pattern(d.data(), d.word(), i,
                              g.elements(left, right, i, i, g.unit.c ? at(c, i) : 0, true, scratch));
        return;
    }
    fast::Packed packed_a(*g.layout, *g.codec_a, false, panel, 1);
    fast::Packed packed_b(*g.layout, *g.codec_b, false, panel, 1);
    const auto acc = std::make_unique_for_overwrite<Impl::Accumulators>();
    std::memset(acc->sums.data(), 0, panel * sizeof(double)); // the columns beyond the last vector
    const auto from = [](const Patterns& p, std::size_t skip, std::size_t size) {
        return Patterns(static_cast<const std::byte*>(p.data()) + skip * p.word(), size, p.word());
    };
    for (std::size_t begin = 0; begin < count; begin += panel) {
        const std::size_t lines = std::min(panel, count - begin);
        fast::Source one = left, other = right;
        one.lines = other.lines = lines;
        one.values = from(a, begin * K, lines * K);
        other.values = from(b, begin * K, lines * K);
        one.scales = from(sa, begin * scales, lines * scales);
        other.scales = from(sb, begin * scales, lines * scales);
        packed_a.pack_vectors(one, *g.set);
        packed_b.pack_vectors(other, *g.set);
        fast::load_accumulators(format(*g.unit.c), c, begin, lines, acc->sums.data());
        g.run_blocks(packed_a, packed_b, 0, 0, 1, 1, true, true, *acc);
        fast::store_accumulators(*g.d, g.nan, acc->sums.data(), begin, lines, d);
    }
}

} // namespace discern
