// The driver of matrix products: chunks of k, packed once for all threads; tiles of 64 × 64 elements of D.
#include "models/gemm.hpp"

#include "accumulators.hpp"
#include "element.hpp"
#include "gemm_impl.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstring>
#include <thread>

namespace discern {

using fast::panel;

std::size_t word_bytes(FormatId id) {
    const int width = format(id).width;
    return width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : 8;
}

struct Gemm::Impl : fast::Chains {
    using Chains::Chains;
};

namespace {

std::uint64_t at(const Patterns& p, std::size_t index) { return fast::pattern_at(p.data(), p.word(), index); }

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
        g.run_blocks(*packed_a, *packed_b, t.gi, t.gj, static_cast<int>(t.rows), 0, count, chunk == 0 && from_c, false,
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

    fast::on_threads(threads, [&](unsigned thread) {
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
        g.run_blocks(packed_a, packed_b, 0, 0, 1, 0, 1, true, true, *acc);
        fast::store_accumulators(*g.d, g.nan, acc->sums.data(), begin, lines, d);
    }
}

} // namespace discern
