// Whole products with a schedule: the chains of the outline one after the other, on the same tiles and kernels as plain
// products; partial sums are matrices, of which few are alive at a time.
//
// The elements of k are put in the order of the chains first, so that each chain is a run of neighbours. A chunk of k
// is packed once, whatever chains it has parts of.
#include "models/kernel_gemm.hpp"

#include "default_environment.hpp"
#include "models/fast/operands/accumulators.hpp"
#include "models/schedule/outline.hpp"
#include "row_sums.hpp"
#include "tiles.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace discern {

struct KernelGemm::Impl {
    /// A part of a chain that lies in one chunk.
    struct Piece {
        std::size_t step;         ///< of the outline
        std::size_t first, count; ///< instructions, from the chunk's first
        bool begins, ends;
        std::size_t after = 0; ///< where the steps end that follow the chain, up to the next chain
    };

    Kernel kernel;                             ///< as it was given
    Kernel computed;                           ///< without C and the last conversion, if there is an update
    std::vector<OutlineStep> steps;            ///< of that
    std::vector<std::size_t> order;            ///< instructions, in the order of the chains
    std::vector<std::size_t> last_use;         ///< of each step: the step that reads it last
    std::vector<std::optional<Addition>> sums; ///< of each step that is one
    std::vector<fast::RowSum> row_sums;        ///< of each step; nullptr: through `sums`, or no sum
    fast::Chains chain;                        ///< of its instructions
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
        sums = additions(computed, steps);
        // With c added last, multiply-adds do not form one chain.
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
            if (!sums[i] || computed.unit.nan.keeps_operands()) continue;
            std::optional<FormatId> y;
            if (s.kind == OutlineStep::Kind::add) y = of(s.y).format;
            row_sums.back() = fast::row_sum(of(s.x).format, y, s.format, s.mode);
        }
    }

    /// Whether a product reads its C.
    bool reads_c() const { return kernel.unit.c && !(update && !update->reads_c()); }

    const OutlineStep& of(int step) const { return steps[static_cast<std::size_t>(step)]; }
    std::uint64_t nan_of(FormatId id) const {
        const Format& f = format(id);
        const NanRule rule = nan_in(computed, id);
        return rule.kind == NanRule::Kind::pattern ? rule.bits : f.has_nan() ? quiet_nan(f) : 0;
    }

    /// Whether a chain's value is read by nothing but the step after it, a sum that the CPU has, and its accumulators
    /// are patterns: then it need not be stored.
    bool is_added_at_once(std::size_t step, std::size_t after) const {
        return step + 1 < after && last_use[step] == step + 1 && row_sums[step + 1] != nullptr &&
               (steps[step].format == FormatId::f32 || steps[step].format == FormatId::f64);
    }

    /// The pieces of each chunk of so many instructions.
    std::vector<std::vector<Piece>> pieces(std::size_t per_chunk) const {
        std::vector<std::vector<Piece>> chunks;
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

    /// Where each step's value is kept: an index into a list of arrays. Values with one index are not alive at the same
    /// time, and have words of one width, so that threads at different steps do not share bytes. @return the number of
    /// arrays
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
    : impl_(std::make_shared<const Impl>(kernel, std::move(options))) {}

const Kernel& KernelGemm::kernel() const { return impl_->kernel; }
std::string KernelGemm::kernels() const { return impl_->chain.set == nullptr ? "general" : impl_->chain.set->name; }

/// One product: its operands, the partial sums that are kept, and what is done to a tile.
class KernelGemm::Product {
    using Piece = Impl::Piece;
    using StepKind = OutlineStep::Kind;

  public:
    Product(const Impl& kernel, GemmSize size, const fast::Chains::Given& given)
        : k_(kernel), given_(given), size_(size), K_(size.k), scales_(scales_of(kernel)), reads_c_(kernel.reads_c()),
          per_chunk_(std::min(kernel.chain.steps_of_chunk(), kernel.chain.steps(size.k))),
          chunks_(with_kernels() ? kernel.pieces(per_chunk_) : std::vector<std::vector<Piece>>(1)),
          in_order_(kernel, size, given), tiles_(kernel.chain, left(), right(), kernel.order.size(), per_chunk_) {
        if (with_kernels())
            make_places();
        else
            one_by_one_.emplace(k_.computed);
    }
    Product(const Product&) = delete;
    Product& operator=(const Product&) = delete;

    static std::size_t scales_of(const Impl& kernel) {
        return static_cast<std::size_t>(shape_of(kernel.kernel).scales());
    }

    /// @return false if the work was stopped
    bool run() {
        return tiles_.run([&](const fast::TileBounds& t, std::size_t chunk, fast::TileScratch& scratch) {
            for (const Piece& piece : chunks_[chunk]) run_piece(t, piece, scratch);
            if (!with_kernels())
                general_tile(t);
            else if (chunk + 1 == chunks_.size())
                finish_tile(t);
        });
    }

  private:
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

    /// The operands with the elements of k in the order of the chains: copies, where that is another order.
    struct InOrder {
        InOrder(const Impl& k, GemmSize size, const fast::Chains::Given& given)
            : a(given.a), b(given.b), sa(given.sa), sb(given.sb) {
            if (k.chain.set == nullptr || std::is_sorted(k.order.begin(), k.order.end())) return;
            const auto scales = static_cast<std::size_t>(k.kernel.unit.scales());
            a = copies[0].emplace(given.a, k.order, k.chain.K(), size.m, false).patterns();
            b = copies[1].emplace(given.b, k.order, k.chain.K(), size.n, !k.chain.options.b_by_columns).patterns();
            sa = copies[2].emplace(given.sa, k.order, scales, size.m, false).patterns();
            sb = copies[3].emplace(given.sb, k.order, scales, size.n, true).patterns();
        }
        std::array<std::optional<Ordered>, 4> copies;
        Patterns a, b, sa, sb;
    };

    bool with_kernels() const { return k_.chain.set != nullptr; }
    fast::Source left() const { return {in_order_.a, in_order_.sa, K_, 1, scales_, 1, size_.m, K_, scales_}; }
    fast::Source right() const { return k_.chain.right(in_order_.b, in_order_.sb, K_, size_.n, scales_); }

    /// Memory for the values of steps, as large as the largest that lies there.
    void make_places() {
        places_.resize(k_.places(place_));
        for (std::size_t i = 0; i < k_.steps.size(); ++i) {
            if (k_.steps[i].kind == StepKind::c || k_.steps[i].kind == StepKind::zero) continue;
            std::vector<std::byte>& bytes = places_[place_[i]];
            bytes.resize(std::max(bytes.size(), tiles_.kept_size() * word_bytes(k_.steps[i].format)));
        }
    }

    static Patterns as_read(const MutablePatterns& p) { return {p.data(), p.size(), p.word()}; }
    /// A step's value as an array of patterns, tile after tile.
    MutablePatterns patterns_of(std::size_t step) {
        return {places_[place_[step]].data(), tiles_.kept_size(), word_bytes(k_.steps[step].format)};
    }
    /// Row i of a tile of a step's value; nullptr: +0.
    const std::byte* row_of(int step, const fast::TileBounds& t, std::size_t i) {
        if (step < 0 || k_.of(step).kind == StepKind::zero) return nullptr;
        const bool is_c = k_.of(step).kind == StepKind::c;
        const Patterns p = is_c ? given_.c : as_read(patterns_of(static_cast<std::size_t>(step)));
        return static_cast<const std::byte*>(p.data()) + (is_c ? tiles_.first_of(t, i) : t.kept(i)) * p.word();
    }
    std::uint64_t pattern_in(const std::byte* row, int step, std::size_t j) const {
        return row == nullptr ? 0 : fast::pattern_at(row, word_bytes(k_.of(step).format), j);
    }

    /// Row i of a tile of an addition or a conversion, of the rows x and y.
    void sum_row(std::size_t step, const fast::TileBounds& t, std::size_t i, const std::byte* x, const std::byte* y) {
        const OutlineStep& s = k_.steps[step];
        const MutablePatterns to = patterns_of(step);
        if (k_.row_sums[step] != nullptr) {
            k_.row_sums[step](x, y, static_cast<std::byte*>(to.data()) + t.kept(i) * to.word(), t.columns,
                              k_.nan_of(s.format));
            return;
        }
        const Addition& sum = *k_.sums[step];
        for (std::size_t j = 0; j < t.columns; ++j)
            fast::put_pattern(to.data(), to.word(), t.kept(i) + j, sum(pattern_in(x, s.x, j), pattern_in(y, s.y, j)));
    }

    /// What a piece begins with: zeros, c, or the value that a step has kept.
    void begin(const fast::TileBounds& t, const Piece& piece, bool from_c, fast::Chains::Accumulators& acc) {
        const OutlineStep& s = k_.steps[piece.step];
        if (piece.begins && s.x < 0)
            tiles_.clear(acc);
        else if (from_c)
            tiles_.load(t, format(*k_.kernel.unit.c), given_.c, acc);
        else
            tiles_.load_kept(t, as_read(patterns_of(piece.begins ? static_cast<std::size_t>(s.x) : piece.step)), acc);
    }

    void run_piece(const fast::TileBounds& t, const Piece& piece, fast::TileScratch& scratch) {
        fast::Chains::Accumulators& acc = *scratch.acc;
        const OutlineStep& s = k_.steps[piece.step];
        const bool from_c = piece.begins && s.x >= 0 && k_.of(s.x).kind == StepKind::c;
        begin(t, piece, from_c, acc);
        tiles_.chain(t, piece.first, piece.count, from_c, scratch);
        const bool stays = piece.ends && k_.is_added_at_once(piece.step, piece.after); // in the accumulators
        if (!stays) tiles_.store_kept(t, acc, patterns_of(piece.step));
        const auto row = [&](int of, std::size_t i) {
            return stays && of == static_cast<int>(piece.step) ? tiles_.row_of(acc, i) : row_of(of, t, i);
        };
        for (std::size_t step = piece.step + 1; piece.ends && step < piece.after; ++step) {
            const OutlineStep& sum = k_.steps[step];
            if (sum.kind == StepKind::c || sum.kind == StepKind::zero) continue;
            for (std::size_t i = 0; i < t.rows; ++i) sum_row(step, t, i, row(sum.x, i), row(sum.y, i));
        }
    }

    void finish(std::size_t element, std::uint64_t value) const {
        if (k_.update) {
            value = (*k_.update)(value, reads_c_ ? fast::pattern_at(given_.c, element) : 0);
            if (k_.last) value = (*k_.last)(value);
        }
        fast::put_pattern(given_.d.data(), given_.d.word(), element, value);
    }
    void finish_tile(const fast::TileBounds& t) {
        const MutablePatterns& d = given_.d;
        const int last = static_cast<int>(k_.steps.size()) - 1;
        for (std::size_t i = 0; i < t.rows; ++i) {
            const std::size_t first = tiles_.first_of(t, i);
            const std::byte* const row = row_of(last, t, i);
            if (!k_.update && row != nullptr)
                std::memcpy(static_cast<std::byte*>(d.data()) + first * d.word(), row, t.columns * d.word());
            else
                for (std::size_t j = 0; j < t.columns; ++j) finish(first + j, pattern_in(row, last, j));
        }
    }

    /// A tile of a unit that no kernel knows: element by element.
    void general_tile(const fast::TileBounds& t) const {
        const auto& [a, b, c, d, sa, sb] = given_;
        const std::size_t n = size_.n;
        const fast::Source columns = right();
        const bool with_c = k_.computed.unit.c.has_value();
        std::vector<std::uint64_t> row(K_), column(K_), row_scales(scales_), column_scales(scales_);
        for (std::size_t i = t.gi * fast::panel; i < t.gi * fast::panel + t.rows; ++i)
            for (std::size_t j = t.gj * fast::panel; j < t.gj * fast::panel + t.columns; ++j) {
                for (std::size_t l = 0; l < K_; ++l) {
                    row[l] = fast::pattern_at(a, i * K_ + l);
                    column[l] = fast::pattern_at(b, l * columns.k_stride + j * columns.line_stride);
                }
                for (std::size_t l = 0; l < scales_; ++l) {
                    row_scales[l] = fast::pattern_at(sa, i * scales_ + l);
                    column_scales[l] = fast::pattern_at(sb, l * n + j);
                }
                finish(i * n + j, (*one_by_one_)({.a = row,
                                                  .b = column,
                                                  .sa = row_scales,
                                                  .sb = column_scales,
                                                  .c = with_c ? fast::pattern_at(c, i * n + j) : 0}));
            }
    }

    const Impl& k_;
    const fast::Chains::Given given_;
    const GemmSize size_;
    const std::size_t K_, scales_;
    const bool reads_c_;
    const std::size_t per_chunk_;                  ///< instructions
    const std::vector<std::vector<Piece>> chunks_; ///< the pieces of each
    const InOrder in_order_;
    fast::Tiles tiles_;
    std::vector<std::size_t> place_;             ///< of each step: where its value is kept
    std::vector<std::vector<std::byte>> places_; ///< partial sums: as many elements as D has, tile after tile
    std::optional<KernelEvaluator> one_by_one_;  ///< without kernels
};

bool KernelGemm::operator()(GemmSize size, Patterns a, Patterns b, Patterns c, MutablePatterns d, Patterns sa,
                            Patterns sb) const {
    const Impl& k = *impl_;
    const std::size_t m = size.m, n = size.n, K = static_cast<std::size_t>(k.kernel.K);
    if (size.k != K) throw Error(sentence("the kernel computes products of k = ", K, ", not ", size.k));
    const std::size_t scales = Product::scales_of(k);
    const fast::Chains::Given given{a, b, c, d, sa, sb};
    k.chain.check_all(given, {m * K, K * n, m * n, m * scales, scales * n}, k.kernel.d(), k.reads_c());
    const fast::DefaultEnvironment environment;
    return m * n == 0 || Product(k, size, given).run();
}

} // namespace discern
