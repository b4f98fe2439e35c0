// Matrix products of one unit, chained in the order of k, tile by tile.
#include "models/gemm.hpp"

#include "accelerate.hpp"
#include "default_environment.hpp"
#include "element.hpp"
#include "models/error.hpp"
#include "models/fast/operands/accumulators.hpp"
#include "models/unit/sentence.hpp"
#include "tiles.hpp"

#include <algorithm>
#include <cstring>

namespace discern {

using fast::panel;

std::size_t word_bytes(FormatId id) {
    const int width = format(id).width;
    return width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : 8;
}

struct Gemm::Impl : fast::Chains {
    using Chains::Chains;
};

Gemm::Gemm(const Unit& unit, GemmOptions options) : impl_(std::make_shared<const Impl>(unit, std::move(options))) {}

const Unit& Gemm::unit() const { return impl_->unit; }
std::string Gemm::kernels() const {
    if (impl_->options.accelerator != nullptr) return impl_->options.accelerator->name();
    return impl_->set == nullptr ? "general" : impl_->set->name;
}
const std::shared_ptr<Accelerator>& Gemm::accelerator() const { return impl_->options.accelerator; }
const std::shared_ptr<const GemmTables>& Gemm::tables() const { return impl_->tables; }
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
    g.check_all({a, b, c, d, sa, sb}, {m * k, k * n, m * n, m * scales, scales * n}, g.unit.d, reads_c);
    if (g.update && reads_c && c.data() == d.data() && m * n != 0)
        throw Error("C and D are the same memory; with alpha, beta or from_zero they must be apart");

    const fast::Source left{a, sa, k, 1, scales, 1, m, k, scales};
    const fast::Source right = g.right(b, sb, k, n, scales);
    const bool from_c = g.unit.c && !g.update;
    if (!g.elements.chains() && (k > g.K() || !from_c))
        throw Error(sentence(
            "the unit reads c as a format that does not hold its own results, so it computes products of k up to ",
            g.K(), ", from C as it is, not ", k));
    if (m * n == 0) return true;
    const fast::DefaultEnvironment environment;
    const bool elsewhere = g.options.accelerator != nullptr;
    if (elsewhere && !fast::accelerate(g, size, {a, b, c, d, sa, sb}, from_c)) return false;
    if (elsewhere && !g.update) return true;
    fast::Tiles tiles(g, left, right, g.steps(k), std::min(g.steps_of_chunk(), g.steps(k)));

    const auto for_elements = [&](const fast::TileBounds& t, const auto& work) {
        for (std::size_t i = t.gi * panel; i < t.gi * panel + t.rows; ++i)
            for (std::size_t j = t.gj * panel; j < t.gj * panel + t.columns; ++j) work(i, j);
    };
    const auto general_tile = [&](const fast::TileBounds& t, fast::Elements::Scratch& scratch) {
        for_elements(t, [&](std::size_t i, std::size_t j) {
            const std::uint64_t from = from_c ? fast::pattern_at(c, i * n + j) : 0;
            fast::put_pattern(d.data(), d.word(), i * n + j, g.elements(left, right, i, j, from, from_c, scratch));
        });
    };
    const auto fast_tile = [&](const fast::TileBounds& t, std::size_t chunk, fast::TileScratch& scratch) {
        Impl::Accumulators& acc = *scratch.acc;
        if (chunk == 0 && !from_c)
            tiles.clear(acc);
        else if (chunk == 0)
            tiles.load(t, format(*g.unit.c), c, acc);
        else
            tiles.load(t, *g.d, Patterns(d.data(), d.size(), d.word()), acc);
        tiles.chain(t, 0, tiles.count_of(chunk), chunk == 0 && from_c, scratch);
        tiles.store(t, acc, d);
    };
    const auto finish_tile = [&](const fast::TileBounds& t) {
        for_elements(t, [&](std::size_t i, std::size_t j) {
            const std::uint64_t acc = fast::pattern_at(d.data(), d.word(), i * n + j);
            fast::put_pattern(d.data(), d.word(), i * n + j,
                              (*g.update)(acc, reads_c ? fast::pattern_at(c, i * n + j) : 0));
        });
    };
    return tiles.run([&](const fast::TileBounds& t, std::size_t chunk, fast::TileScratch& scratch) {
        if (g.set == nullptr && !elsewhere)
            general_tile(t, scratch.elements);
        else if (g.set != nullptr)
            fast_tile(t, chunk, scratch);
        if (g.update && chunk + 1 == tiles.chunks()) finish_tile(t);
    });
}

void Gemm::dots(std::size_t count, Patterns a, Patterns b, Patterns c, MutablePatterns d, Patterns sa,
                Patterns sb) const {
    const Impl& g = *impl_;
    const std::size_t K = g.K(), scales = static_cast<std::size_t>(g.unit.scales());
    g.check_all({a, b, c, d, sa, sb}, {count * K, count * K, count, count * scales, count * scales}, g.unit.d,
                g.unit.c.has_value());
    if (g.options.accelerator != nullptr) {
        if (count != 0)
            g.options.accelerator->run({.size = {.m = count, .n = 1, .k = K},
                                        .vectors = true,
                                        .a = a,
                                        .b = b,
                                        .c = c,
                                        .sa = sa,
                                        .sb = sb,
                                        .d = d},
                                       nullptr);
        return;
    }
    const fast::Source left{a, sa, K, 1, scales, 1, count, K, scales}, right{b, sb, K, 1, scales, 1, count, K, scales};
    if (g.set == nullptr) {
        fast::Elements::Scratch scratch(g.unit);
        for (std::size_t i = 0; i < count; ++i)
            fast::put_pattern(d.data(), d.word(), i,
                              g.elements(left, right, i, i, g.unit.c ? fast::pattern_at(c, i) : 0, true, scratch));
        return;
    }
    const fast::DefaultEnvironment environment;
    fast::Packed packed_a(*g.layout, *g.tables->a, false, panel, 1);
    fast::Packed packed_b(*g.layout, *g.tables->b, false, panel, 1);
    const auto acc = std::make_unique_for_overwrite<Impl::Accumulators>();
    std::memset(acc->sums.data(), 0, panel * sizeof(double)); // the columns beyond the last vector
    for (std::size_t begin = 0; begin < count; begin += panel) {
        const std::size_t lines = std::min(panel, count - begin);
        fast::Source one = fast::lines_from(left, begin), other = fast::lines_from(right, begin);
        one.lines = other.lines = lines;
        packed_a.pack_vectors(one, *g.set);
        packed_b.pack_vectors(other, *g.set);
        if (g.unit.c)
            fast::load_accumulators(format(*g.unit.c), c, begin, lines, acc->sums.data());
        else
            std::memset(acc->sums.data(), 0, panel * sizeof(double));
        g.run_blocks({.left = packed_a,
                      .right = packed_b,
                      .gi = 0,
                      .gj = 0,
                      .rows = 1,
                      .first = 0,
                      .count = 1,
                      .first_from_c = true,
                      .as_pairs = true},
                     *acc);
        fast::store_accumulators(*g.d, g.stored_nan, acc->sums.data(), begin, lines, d);
    }
}

} // namespace discern
