// Whole products with a schedule: the chains of the outline one after the other, on the same tiles and kernels as plain
// products; partial sums are matrices, of which few are alive at a time.
//
// The elements of k are put in the order of the chains first, so that each chain is a run of neighbours. A chunk of k
// is packed once, whatever chains it has parts of.
#include "models/kernel_gemm.hpp"

#include "accumulators.hpp"
#include "models/schedule/outline.hpp"
#include "row_sums.hpp"
#include "tiles.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

namespace discern {

namespace fast {
namespace {

using StepKind = OutlineStep::Kind;

/// A part of a chain that lies in one chunk.
struct Piece {
    std::size_t step;         ///< of the outline
    std::size_t first, count; ///< instructions, from the chunk's first
    bool begins, ends;
    std::size_t after = 0; ///< where the steps end that follow the chain, up to the next chain
};

/// Where a partial sum is kept: as many elements as D has, tile after tile.
struct Place {
    std::vector<std::byte> bytes;
};

} // namespace
} // namespace fast

struct KernelGemm::Impl {
    using Sum = std::tuple<FormatId, std::optional<FormatId>, FormatId, Rounding>;

    Kernel kernel;                     ///< as it was given
    Kernel computed;                   ///< without C and the last conversion, if there is an update
    std::vector<OutlineStep> steps;    ///< of that
    std::vector<std::size_t> order;    ///< instructions, in the order of the chains
    std::vector<std::size_t> last_use; ///< of each step: the step that reads it last
    std::map<Sum, Addition> sums;
    std::vector<fast::RowSum> row_sums; ///< of each step; nullptr: through `sums`, or no sum
    fast::Chains chain;                 ///< of its instructions
    std::optional<fast::Update> update;
    std::optional<Addition> last; ///< the conversion after an update

    static Kernel without_c(Kernel kernel) {
        kernel.unit.c.reset();
        kernel.schedule.result.reset();
        return kernel;
    }
    /// The kernels need an accumulator.
    static Unit chained(const Kernel& kernel) { return kernel.unit.c ? kernel.unit : continued(kernel.unit); }
    static GemmOptions plain(GemmOptions options) {
        options.alpha = options.beta = 1;
        options.from_zero = false;
        return options;
    }

    Impl(const Kernel& k, GemmOptions o) : kernel((validate(k), k)), computed(k), chain(chained(k), plain(o)) {
        if (o.accelerator != nullptr)
            throw Error(
                "an accelerator computes instructions in the order of k, and no schedule; the kernels of the CPU "
                "compute this");
        if (o.from_zero || o.alpha != 1 || o.beta != 1) {
            update.emplace(kernel.unit, o.alpha, kernel.unit.c ? o.beta : 0, chain.nan);
            computed = without_c(kernel);
            if (kernel.schedule.result)
                last.emplace(kernel.unit.d, std::nullopt, *kernel.schedule.result,
                             nan_in(kernel, kernel.schedule.result->format));
        }
        validate(computed);
        steps = outline(computed);
        // A chain of multiply-adds with a last c is none, and a unit without accumulator has no kernels.
        if (chain.recipe && kernel.unit.place == AccumulatorPlace::last &&
            (chain.recipe->form == fast::Form::fma32 || chain.recipe->form == fast::Form::fma64))
            chain.set = nullptr;
        last_use.assign(steps.size(), steps.size());
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const OutlineStep& s = steps[i];
            if (s.x >= 0) last_use[static_cast<std::size_t>(s.x)] = i;
            if (s.y >= 0) last_use[static_cast<std::size_t>(s.y)] = i;
            for (const int instruction : s.instructions) order.push_back(static_cast<std::size_t>(instruction));
            row_sums.push_back(nullptr);
            if (s.kind != OutlineStep::Kind::add && s.kind != OutlineStep::Kind::convert) continue;
            const Sum key = key_of(s);
            if (computed.unit.nan.kind != NanRule::Kind::propagate) row_sums.back() = std::apply(fast::row_sum, key);
            if (sums.find(key) != sums.end()) continue;
            const Conversion to{s.format, s.mode};
            sums.emplace(key, Addition(std::get<0>(key), std::get<1>(key), to, nan_in(computed, to.format)));
        }
    }

    const OutlineStep& of(int step) const { return steps[static_cast<std::size_t>(step)]; }
    Sum key_of(const OutlineStep& s) const {
        return {of(s.x).format, s.kind == OutlineStep::Kind::add ? std::optional(of(s.y).format) : std::nullopt,
                s.format, s.mode};
    }
    std::uint64_t nan_of(FormatId id) const {
        const Format& f = format(id);
        const NanRule rule = nan_in(computed, id);
        return rule.kind == NanRule::Kind::pattern ? rule.bits : f.has_nan() ? quiet_nan(f) : 0;
    }

    /// Whether a chain's value is read by nothing but the step after it, a sum of the machine, and its accumulators are
    /// patterns: then it need not be kept.
    bool is_added_at_once(std::size_t step, std::size_t after) const {
        return step + 1 < after && last_use[step] == step + 1 && row_sums[step + 1] != nullptr &&
               (steps[step].format == FormatId::f32 || steps[step].format == FormatId::f64);
    }

    /// The pieces of each chunk of so many instructions.
    std::vector<std::vector<fast::Piece>> pieces(std::size_t per_chunk) const {
        std::vector<std::vector<fast::Piece>> chunks;
        std::size_t at = 0;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (steps[i].kind != OutlineStep::Kind::chain) continue;
            std::size_t after = i + 1;
            while (after < steps.size() && steps[after].kind != OutlineStep::Kind::chain) ++after;
            for (std::size_t done = 0, all = steps[i].instructions.size(); done < all;) {
                if (at % per_chunk == 0) chunks.emplace_back();
                const std::size_t count = std::min(all - done, per_chunk - at % per_chunk);
                chunks.back().push_back({i, at % per_chunk, count, done == 0, done + count == all, after});
                done += count;
                at += count;
            }
        }
        return chunks;
    }

    /// Where each step's value is kept: equal numbers are not alive together, and have words of one width, so that an
    /// element has its bytes whatever step another thread is at. @return how many places
    std::size_t places(std::vector<std::size_t>& place) const {
        struct Use {
            std::size_t word, last; ///< the step after which it is free
        };
        std::vector<Use> uses;
        place.assign(steps.size(), 0);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const std::size_t word = word_bytes(steps[i].format);
            std::size_t at = 0;
            while (at < uses.size() && (uses[at].last >= i || uses[at].word != word)) ++at;
            if (at == uses.size()) uses.push_back({word, 0});
            uses[at].last = last_use[i];
            place[i] = at;
        }
        return uses.size();
    }
};

KernelGemm::KernelGemm(const Kernel& kernel, GemmOptions options)
    : impl_(std::make_unique<const Impl>(kernel, std::move(options))) {}
KernelGemm::~KernelGemm() = default;
KernelGemm::KernelGemm(KernelGemm&&) noexcept = default;
KernelGemm& KernelGemm::operator=(KernelGemm&&) noexcept = default;

const Kernel& KernelGemm::kernel() const { return impl_->kernel; }
std::string KernelGemm::kernels() const { return impl_->chain.set == nullptr ? "general" : impl_->chain.set->name; }

namespace fast {
namespace {

/// Columns (of A) or rows (of B) in the order of the chains. @param per  patterns of one instruction
class Ordered {
  public:
    /// @param k_rows  the elements of k are rows
    Ordered(Patterns from, const std::vector<std::size_t>& order, std::size_t per, std::size_t lines, bool k_rows)
        : word_(from.word()), bytes_(from.size() * from.word()), size_(from.size()) {
        const auto* data = static_cast<const std::byte*>(from.data());
        const std::size_t k = order.size() * per;
        for (std::size_t i = 0; i < order.size() && per != 0; ++i) {
            if (k_rows) {
                const std::size_t row = per * lines * word_;
                std::memcpy(bytes_.data() + i * row, data + order[i] * row, row);
            } else {
                for (std::size_t line = 0; line < lines; ++line)
                    std::memcpy(bytes_.data() + (line * k + i * per) * word_,
                                data + (line * k + order[i] * per) * word_, per * word_);
            }
        }
    }
    Patterns patterns() const { return {bytes_.data(), size_, word_}; }

  private:
    std::size_t word_;
    std::vector<std::byte> bytes_;
    std::size_t size_;
};

} // namespace
} // namespace fast

bool KernelGemm::operator()(GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d, Patterns sa,
                            Patterns sb) const {
    using fast::panel;
    using fast::StepKind;
    const Impl& k = *impl_;
    const fast::Chains& g = k.chain;
    const std::size_t m = size.m, n = size.n, K = static_cast<std::size_t>(k.kernel.K);
    if (size.k != K) throw Error(sentence("the kernel computes products of k = ", K, ", not ", size.k));
    const Unit& unit = k.kernel.unit;
    const std::size_t scales = static_cast<std::size_t>(shape_of(k.kernel).scales());
    const bool reads_c = unit.c && !(k.update && !k.update->reads_c());
    const FormatId id_d = k.kernel.d();
    fast::Chains::check("A", a.size(), a.word(), m * K, unit.a);
    fast::Chains::check("B", b.size(), b.word(), K * n, unit.b);
    fast::Chains::check("D", d.size(), d.word(), m * n, id_d);
    if (reads_c) fast::Chains::check("C", c.size(), c.word(), m * n, *unit.c);
    fast::Chains::check("the scales of A", sa.size(), sa.word(), m * scales, unit.scale ? unit.scale->format : unit.a);
    fast::Chains::check("the scales of B", sb.size(), sb.word(), scales * n, unit.scale ? unit.scale->format : unit.a);
    if (m * n == 0) return true;

    const auto of_unit = static_cast<std::size_t>(unit.scales());
    std::vector<std::size_t> place;
    const std::size_t count_places = k.places(place);
    std::vector<fast::Place> places(g.set == nullptr ? 0 : count_places);
    const std::size_t per_chunk = std::min(g.steps_of_chunk(), g.steps(K));
    const auto chunks = g.set == nullptr ? std::vector<std::vector<fast::Piece>>(1) : k.pieces(per_chunk);
    std::optional<fast::Ordered> ordered_a, ordered_b, ordered_sa, ordered_sb;
    Patterns values_a = a, values_b = b, scales_a = sa, scales_b = sb;
    if (g.set != nullptr) {
        if (!std::is_sorted(k.order.begin(), k.order.end())) {
            values_a = ordered_a.emplace(a, k.order, g.K(), m, false).patterns();
            values_b = ordered_b.emplace(b, k.order, g.K(), n, true).patterns();
            scales_a = ordered_sa.emplace(sa, k.order, of_unit, m, false).patterns();
            scales_b = ordered_sb.emplace(sb, k.order, of_unit, n, true).patterns();
        }
    }
    const fast::Source left{values_a, scales_a, K, 1, scales, 1, m, K, scales};
    const fast::Source right{values_b, scales_b, 1, n, 1, n, n, K, scales};
    fast::Tiles tiles(g, left, right, k.order.size(), per_chunk);
    for (std::size_t i = 0; i < k.steps.size() && g.set != nullptr; ++i) {
        std::vector<std::byte>& bytes = places[place[i]].bytes;
        if (k.steps[i].kind == StepKind::c || k.steps[i].kind == StepKind::zero) continue;
        bytes.resize(std::max(bytes.size(), tiles.kept_size() * word_bytes(k.steps[i].format)));
    }

    const auto as_read = [](const MutablePatterns& p) { return Patterns(p.data(), p.size(), p.word()); };
    /// A step's value as an array of patterns, tile after tile.
    const auto patterns_of = [&](std::size_t step) {
        const std::size_t word = word_bytes(k.steps[step].format);
        return MutablePatterns(places[place[step]].bytes.data(), tiles.kept_size(), word);
    };
    /// Row i of a tile of a step's value; nullptr: +0.
    const auto row_of = [&](int step, const fast::TileBounds& t, std::size_t i) -> const std::byte* {
        if (step < 0 || k.of(step).kind == StepKind::zero) return nullptr;
        const bool is_c = k.of(step).kind == StepKind::c;
        const Patterns p = is_c ? c : as_read(patterns_of(static_cast<std::size_t>(step)));
        return static_cast<const std::byte*>(p.data()) + (is_c ? tiles.first_of(t, i) : t.kept(i)) * p.word();
    };
    const auto pattern_in = [&](const std::byte* row, int step, std::size_t j) -> std::uint64_t {
        return row == nullptr ? 0 : fast::pattern_at(row, word_bytes(k.of(step).format), j);
    };
    /// Row i of a tile of an addition or a conversion. @param chain  a step whose value is still in the accumulators
    const auto sum_row = [&](std::size_t step, const fast::TileBounds& t, std::size_t i,
                             std::optional<std::size_t> chain, const fast::Chains::Accumulators& acc) {
        const OutlineStep& s = k.steps[step];
        const auto operand = [&](int of) {
            const bool is_there = chain && of >= 0 && static_cast<std::size_t>(of) == *chain;
            return is_there ? tiles.row_of(acc, i) : row_of(of, t, i);
        };
        const std::byte *x = operand(s.x), *y = operand(s.y);
        const MutablePatterns to = patterns_of(step);
        if (k.row_sums[step] != nullptr) {
            k.row_sums[step](x, y, static_cast<std::byte*>(to.data()) + t.kept(i) * to.word(), t.columns,
                             k.nan_of(s.format));
            return;
        }
        const Addition& sum = k.sums.at(k.key_of(s));
        for (std::size_t j = 0; j < t.columns; ++j)
            fast::put_pattern(to.data(), to.word(), t.kept(i) + j, sum(pattern_in(x, s.x, j), pattern_in(y, s.y, j)));
    };

    const auto run_piece = [&](const fast::TileBounds& t, const fast::Piece& piece, fast::Chains::Accumulators& acc) {
        const OutlineStep& s = k.steps[piece.step];
        const bool from_c = piece.begins && s.x >= 0 && k.of(s.x).kind == StepKind::c;
        if (piece.begins && s.x < 0) {
            tiles.clear(acc);
        } else if (from_c) {
            tiles.load(t, format(*unit.c), c, acc);
        } else {
            tiles.load_kept(t, as_read(patterns_of(piece.begins ? static_cast<std::size_t>(s.x) : piece.step)), acc);
        }
        tiles.chain(t, piece.first, piece.count, from_c, acc);
        std::optional<std::size_t> in_accumulators;
        if (piece.ends && k.is_added_at_once(piece.step, piece.after))
            in_accumulators = piece.step;
        else
            tiles.store_kept(t, acc, patterns_of(piece.step));
        for (std::size_t step = piece.step + 1; piece.ends && step < piece.after; ++step) {
            if (k.steps[step].kind == StepKind::c || k.steps[step].kind == StepKind::zero) continue;
            for (std::size_t i = 0; i < t.rows; ++i) sum_row(step, t, i, in_accumulators, acc);
        }
    };
    const auto finish = [&](std::size_t element, std::uint64_t value) {
        if (k.update) {
            value = (*k.update)(value, reads_c ? fast::pattern_at(c.data(), c.word(), element) : 0);
            if (k.last) value = (*k.last)(value);
        }
        fast::put_pattern(d.data(), d.word(), element, value);
    };
    const auto finish_tile = [&](const fast::TileBounds& t) {
        const int last = static_cast<int>(k.steps.size()) - 1;
        for (std::size_t i = 0; i < t.rows; ++i) {
            const std::size_t first = tiles.first_of(t, i);
            const std::byte* const row = row_of(last, t, i);
            if (!k.update && row != nullptr)
                std::memcpy(static_cast<std::byte*>(d.data()) + first * d.word(), row, t.columns * d.word());
            else
                for (std::size_t j = 0; j < t.columns; ++j) finish(first + j, pattern_in(row, last, j));
        }
    };
    std::optional<KernelEvaluator> one_by_one;
    if (g.set == nullptr) one_by_one.emplace(k.computed);
    const auto general_tile = [&](const fast::TileBounds& t) {
        std::vector<std::uint64_t> row(K), column(K), row_scales(scales), column_scales(scales);
        for (std::size_t i = t.gi * panel; i < t.gi * panel + t.rows; ++i)
            for (std::size_t j = t.gj * panel; j < t.gj * panel + t.columns; ++j) {
                for (std::size_t l = 0; l < K; ++l) {
                    row[l] = fast::pattern_at(a.data(), a.word(), i * K + l);
                    column[l] = fast::pattern_at(b.data(), b.word(), l * n + j);
                }
                for (std::size_t l = 0; l < scales; ++l) {
                    row_scales[l] = fast::pattern_at(sa.data(), sa.word(), i * scales + l);
                    column_scales[l] = fast::pattern_at(sb.data(), sb.word(), l * n + j);
                }
                const bool with_c = k.computed.unit.c.has_value();
                finish(i * n + j, (*one_by_one)({.a = row,
                                                 .b = column,
                                                 .sa = row_scales,
                                                 .sb = column_scales,
                                                 .c = with_c ? fast::pattern_at(c.data(), c.word(), i * n + j) : 0}));
            }
    };

    return tiles.run([&](const fast::TileBounds& t, std::size_t chunk, fast::TileScratch& scratch) {
        for (const fast::Piece& piece : chunks[chunk]) run_piece(t, piece, *scratch.acc);
        if (g.set == nullptr)
            general_tile(t);
        else if (chunk + 1 == chunks.size())
            finish_tile(t);
    });
}

} // namespace discern
