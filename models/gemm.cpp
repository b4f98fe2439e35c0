// The driver of matrix products: chunks of k, packed once for all threads; tiles of 64 × 64 elements of D.
#include "gemm.hpp"

#include "error.hpp"
#include "evaluate.hpp"
#include "fast/choose.hpp"
#include "fast/packing.hpp"
#include "sentence.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

namespace discern {

namespace {

using fast::panel;

constexpr std::size_t chunk_elements = 256; ///< of k: a packed panel of B stays in the second-level cache

void put_pattern(void* data, std::size_t word, std::size_t index, std::uint64_t bits) {
    switch (word) {
    case 1: static_cast<std::uint8_t*>(data)[index] = static_cast<std::uint8_t>(bits); break;
    case 2: static_cast<std::uint16_t*>(data)[index] = static_cast<std::uint16_t>(bits); break;
    case 4: static_cast<std::uint32_t*>(data)[index] = static_cast<std::uint32_t>(bits); break;
    default: static_cast<std::uint64_t*>(data)[index] = bits; break;
    }
}

/// The unit whose accumulator is a result of the unit.
Unit chained(Unit unit) {
    if (unit.c) unit.c = unit.d;
    return unit;
}

/// A dot product of one element, or none, and an accumulator, as one rounding: round[d rne](fuse[exact](p*, c)).
Unit rounding_unit(FormatId a, FormatId d, bool with_c) {
    Unit unit;
    unit.a = a;
    unit.b = d;
    unit.c = with_c ? std::optional(d) : std::nullopt;
    unit.d = d;
    unit.K = unit.L = 1;
    Fuse sum;
    sum.children.push_back({.node = {Node{Product{}}}, .F = std::nullopt, .rounding = Rounding::rz, .zero = {}, .drop = {}});
    if (with_c)
        sum.children.push_back({.node = {Node{Accumulator{}}}, .F = std::nullopt, .rounding = Rounding::rz, .zero = {}, .drop = {}});
    Round round;
    round.format = d;
    round.child = {Node{sum}};
    unit.tree = Node{round};
    return unit;
}

std::string shortest(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), end.ptr};
}

/// A number as a pattern of the format, if the format has it.
std::uint64_t require_number(FormatId id, double value, const char* what) {
    const Format& f = format(id);
    Decoded x;
    x.negative = std::signbit(value);
    x.exponent = f.emin();
    if (std::isfinite(value) && value != 0) {
        int e = 0;
        const double m = std::frexp(std::fabs(value), &e);
        x.exponent = std::max(e - 1, f.emin());
        const double significand = std::ldexp(m, e - x.exponent + f.mantissa_bits);
        x.significand = static_cast<std::uint64_t>(significand);
        if (static_cast<double>(x.significand) != significand || x.exponent > f.emax() || x.significand == 0)
            x.number_class = NumberClass::nan;
    } else if (value != 0) {
        x.number_class = NumberClass::nan;
    }
    if (x.number_class == NumberClass::nan)
        throw Error(sentence(what, " is ", shortest(value), ", which is not a number of ", f.name, ", the format of d"));
    return pack(f, x);
}

} // namespace

std::size_t word_bytes(FormatId id) {
    const int width = format(id).width;
    return width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : 8;
}

struct Gemm::Impl {
    Unit unit;
    GemmOptions options;
    Evaluator first, rest; ///< rest: its c is a result of the unit
    std::optional<fast::Recipe> recipe;
    const fast::KernelSet* set = nullptr;
    fast::TileKernel tile = nullptr, pairs = nullptr;
    std::optional<fast::Layout> layout;
    std::optional<fast::Codec> codec_a, codec_b;
    const Format *a, *b, *d;
    std::uint64_t nan = 0;
    bool scaled;                        ///< alpha, beta or from_zero
    std::uint64_t alpha = 0, beta = 0;  ///< in d's format
    std::optional<Evaluator> times_c, add; ///< beta · C, and alpha · acc + that

    Impl(const Unit& u, GemmOptions o)
        : unit(u), options(std::move(o)), first(unit), rest(chained(unit)), a(&format(unit.a)), b(&format(unit.b)),
          d(&format(unit.d)), scaled(options.from_zero || options.alpha != 1 || options.beta != 1) {
        options.threads = std::max(options.threads, 1u);
        if (d->has_nan()) nan = unit.nan.kind == NanRule::Kind::pattern ? unit.nan.bits : quiet_nan(*d);
        if (scaled) {
            alpha = require_number(unit.d, options.alpha, "alpha");
            beta = require_number(unit.d, options.beta, "beta");
            times_c.emplace(rounding_unit(unit.c.value_or(unit.d), unit.d, false));
            add.emplace(rounding_unit(unit.d, unit.d, true));
        }
        set = fast::choose_kernels(options.kernels);
        if (set == nullptr) return;
        recipe = fast::recipe_of(unit);
        if (recipe) {
            tile = set->find(*recipe, false);
            pairs = set->find(*recipe, true);
        }
        if (tile == nullptr || pairs == nullptr)
            set = nullptr;
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
            throw Error(sentence(name, " is in words of ", word, " bytes; patterns of ", format(id).name, " are in words of ",
                                 word_bytes(id)));
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

    // ---- one element, generally

    struct Scratch {
        explicit Scratch(const Unit& u)
            : a(static_cast<std::size_t>(u.K)), b(a.size()), sa(static_cast<std::size_t>(u.scales())), sb(sa.size()) {}
        std::vector<std::uint64_t> a, b, sa, sb;
    };

    static std::uint64_t at(const Patterns& p, std::size_t index) { return fast::pattern_at(p.data(), p.word(), index); }

    std::uint64_t one() const { // a scale of 1
        const Format& f = format(unit.scale->format);
        return static_cast<std::uint64_t>(f.bias) << f.mantissa_bits;
    }

    /// The element of row i and column j, chained from c by all instructions.
    std::uint64_t element(const fast::Source& left, const fast::Source& right, std::size_t i, std::size_t j,
                          std::uint64_t c, bool from_c, Scratch& s) const {
        const std::size_t count = steps(left.k), of_step = static_cast<std::size_t>(unit.scales());
        for (std::size_t step = 0; step < count; ++step) {
            for (std::size_t l = 0; l < K(); ++l) {
                const std::size_t k = step * K() + l;
                s.a[l] = k < left.k ? at(left.values, i * left.line_stride + k * left.k_stride) : 0;
                s.b[l] = k < left.k ? at(right.values, j * right.line_stride + k * right.k_stride) : 0;
            }
            for (std::size_t l = 0; l < of_step; ++l) {
                const std::size_t k = step * of_step + l;
                const bool inside = k < left.scales_per_line;
                s.sa[l] = inside ? at(left.scales, i * left.scale_line_stride + k * left.scale_stride) : one();
                s.sb[l] = inside ? at(right.scales, j * right.scale_line_stride + k * right.scale_stride) : one();
            }
            c = (step == 0 && from_c ? first : rest)({.a = s.a, .b = s.b, .sa = s.sa, .sb = s.sb, .c = c});
        }
        return c;
    }

    /// alpha · acc + RN(beta · C), in d's format.
    std::uint64_t finish(std::uint64_t acc, std::uint64_t c) const {
        const std::uint64_t plus_zero = 0;
        std::uint64_t term = plus_zero;
        if (options.beta != 0) term = (*times_c)({.a = {&c, 1}, .b = {&beta, 1}, .sa = {}, .sb = {}, .c = 0});
        const std::uint64_t sum = (*add)({.a = {&acc, 1}, .b = {&alpha, 1}, .sa = {}, .sb = {}, .c = term});
        return d->has_nan() && decode(*d, sum).number_class == NumberClass::nan ? nan : sum;
    }

    // ---- tiles

    std::size_t steps_of_chunk() const { return std::max<std::size_t>(1, chunk_elements / K()); }

    /// Accumulators of a tile as floats (f64: doubles), and back.
    void load_row(const Format& f, const void* data, std::size_t word, std::size_t index, std::size_t count,
                  void* acc) const {
        if (f.width == 32) {
            std::memcpy(acc, static_cast<const std::byte*>(data) + index * 4, count * 4);
        } else if (f.width == 64) {
            std::memcpy(acc, static_cast<const std::byte*>(data) + index * 8, count * 8);
        } else {
            for (std::size_t j = 0; j < count; ++j)
                static_cast<float*>(acc)[j] =
                    static_cast<float>(fast::operand(f, fast::pattern_at(data, word, index + j), false).value);
        }
    }

    void store_row(const MutablePatterns& out, std::size_t index, std::size_t count, const void* acc) const {
        if (d->width == 64) {
            for (std::size_t j = 0; j < count; ++j) {
                const double x = static_cast<const double*>(acc)[j];
                static_cast<std::uint64_t*>(out.data())[index + j] = std::isnan(x) ? nan : std::bit_cast<std::uint64_t>(x);
            }
        } else if (d->width == 32) {
            const auto canonical = static_cast<std::uint32_t>(nan);
            auto* to = static_cast<std::uint32_t*>(out.data()) + index;
            for (std::size_t j = 0; j < count; ++j) {
                const auto bits = std::bit_cast<std::uint32_t>(static_cast<const float*>(acc)[j]);
                to[j] = (bits & 0x7fffffff) > 0x7f800000 ? canonical : bits;
            }
        } else {
            for (std::size_t j = 0; j < count; ++j)
                put_pattern(out.data(), out.word(), index + j,
                            fast::pattern_of(*d, static_cast<const float*>(acc)[j], nan));
        }
    }

    struct Accumulators {
        alignas(64) std::array<std::byte, panel * panel * 8> sums;
        alignas(64) std::array<std::byte, panel * panel * 4> last; ///< c, where it comes last
    };

    /// Blocks of `steps` instructions on a tile. @param row_kernel  one row of pairs instead of 64 rows
    void run_blocks(const fast::Packed& left, const fast::Packed& right, std::size_t gi, std::size_t gj, int rows,
                    std::size_t count, bool first_from_c, bool as_pairs, Accumulators& acc) const {
        // A chain of multiply-adds is one block, however long.
        const bool chain = recipe->form == fast::Form::fma32 || recipe->form == fast::Form::fma64;
        const std::size_t L = chain && unit.place == AccumulatorPlace::chained ? count * K() : static_cast<std::size_t>(unit.L);
        if (L > K()) count = 1;
        const std::size_t blocks_of_step = std::max<std::size_t>(1, K() / L);
        const bool last = unit.place == AccumulatorPlace::last;
        const std::size_t used = static_cast<std::size_t>(rows) * panel * sizeof(float);
        for (std::size_t step = 0; step < count; ++step) {
            if (last) {
                std::memcpy(acc.last.data(), acc.sums.data(), used);
                std::memset(acc.sums.data(), 0, used);
            }
            for (std::size_t n = 0; n < blocks_of_step; ++n) {
                const std::size_t block = step * blocks_of_step + n;
                const bool of_c = first_from_c && block == 0 && !last;
                fast::Tile t{};
                t.recipe = &*recipe;
                t.L = static_cast<int>(L);
                t.a = left.values(gi, block);
                t.a_exponents = left.codes(gi, block);
                t.b = right.values(gj, block);
                t.b_exponents = right.codes(gj, block);
                t.a_scales = left.scale_values(gi, block);
                t.a_scale_exponents = left.scale_codes(gi, block);
                t.b_scales = right.scale_values(gj, block);
                t.b_scale_exponents = right.scale_codes(gj, block);
                t.a_raw = left.raw(gi, block);
                t.b_raw = right.raw(gj, block);
                t.a_tops = left.tops(gi, block);
                t.b_tops = right.tops(gj, block);
                t.a_stride = left.stride();
                t.a_scale_stride = left.scale_stride();
                t.acc = acc.sums.data();
                t.acc_stride = panel;
                t.rows = rows;
                t.c_emin = of_c ? recipe->first_emin : recipe->emin;
                t.a_special = left.special(gi, block);
                t.b_special = right.any_special(gj, block) || (as_pairs && left.any_special(gi, block));
                (as_pairs ? pairs : tile)(t);
            }
            if (last)
                set->add_last(*recipe, reinterpret_cast<float*>(acc.sums.data()),
                              reinterpret_cast<const float*>(acc.last.data()), static_cast<std::size_t>(rows) * panel);
        }
    }
};

namespace {

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
    const auto [m, n, k] = size;
    const std::size_t scales = g.scales(k);
    const bool reads_c = g.unit.c && !(g.scaled && g.options.beta == 0);
    if (k == 0) throw Error("a product of k = 0 has no instruction; k must be 1 or more");
    if (!g.unit.c && k > g.K())
        throw Error(sentence("the unit has no accumulator, so it computes products of k up to ", g.K(), ", not ", k));
    if (g.scaled && !g.unit.c && g.options.beta != 0)
        throw Error("the unit has no accumulator, so there is no C; beta must be 0");
    g.check_all(m * k, k * n, m * n, m * scales, scales * n, a, b, c, d, sa, sb, reads_c);
    if (g.scaled && reads_c && c.data() == d.data() && m * n != 0)
        throw Error("C and D are the same memory; with alpha, beta or from_zero they must be apart");

    const fast::Source left{a, sa, k, 1, scales, 1, m, k, scales};
    const fast::Source right{b, sb, 1, n, 1, n, n, k, scales};
    const bool from_c = g.unit.c && !g.scaled;
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
    const auto general_tile = [&](std::size_t index, Impl::Scratch& scratch) {
        const auto t = bounds(index);
        for (std::size_t i = t.gi * panel; i < t.gi * panel + t.rows; ++i)
            for (std::size_t j = t.gj * panel; j < t.gj * panel + t.columns; ++j) {
                const std::uint64_t from = from_c ? Impl::at(c, i * n + j) : 0;
                put_pattern(d.data(), d.word(), i * n + j, g.element(left, right, i, j, from, from_c, scratch));
            }
    };
    const auto fast_tile = [&](std::size_t index, std::size_t chunk, Impl::Accumulators& acc) {
        const auto t = bounds(index);
        const std::size_t bytes = panel * (g.d->width == 64 ? 8 : 4);
        const bool from_zero = chunk == 0 && !from_c;
        if (from_zero || t.columns < panel) std::memset(acc.sums.data(), 0, acc.sums.size());
        for (std::size_t i = 0; i < t.rows && !from_zero; ++i) {
            const Format& f = chunk == 0 ? format(*g.unit.c) : *g.d;
            const std::size_t word = chunk == 0 ? c.word() : d.word();
            g.load_row(f, chunk == 0 ? c.data() : d.data(), word, (t.gi * panel + i) * n + t.gj * panel, t.columns,
                       acc.sums.data() + i * bytes);
        }
        const std::size_t count = std::min(per_chunk, g.steps(k) - chunk * per_chunk);
        g.run_blocks(*packed_a, *packed_b, t.gi, t.gj, static_cast<int>(t.rows), count, chunk == 0 && from_c, false, acc);
        for (std::size_t i = 0; i < t.rows; ++i)
            g.store_row(d, (t.gi * panel + i) * n + t.gj * panel, t.columns, acc.sums.data() + i * bytes);
    };
    const auto finish_tile = [&](std::size_t index) {
        const auto t = bounds(index);
        for (std::size_t i = t.gi * panel; i < t.gi * panel + t.rows; ++i)
            for (std::size_t j = t.gj * panel; j < t.gj * panel + t.columns; ++j) {
                const std::size_t at = i * n + j;
                const std::uint64_t acc = fast::pattern_at(d.data(), d.word(), at);
                put_pattern(d.data(), d.word(), at, g.finish(acc, reads_c ? Impl::at(c, at) : 0));
            }
    };

    on_threads(threads, [&](unsigned thread) {
        Impl::Scratch scratch(g.unit);
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
                if (g.scaled && chunk + 1 == chunks) finish_tile(i);
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
        Impl::Scratch scratch(g.unit);
        for (std::size_t i = 0; i < count; ++i)
            put_pattern(d.data(), d.word(), i,
                        g.element(left, right, i, i, g.unit.c ? Impl::at(c, i) : 0, true, scratch));
        return;
    }
    fast::Packed packed_a(*g.layout, *g.codec_a, false, panel, 1);
    fast::Packed packed_b(*g.layout, *g.codec_b, false, panel, 1);
    const auto acc = std::make_unique<Impl::Accumulators>();
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
        g.load_row(format(*g.unit.c), c.data(), c.word(), begin, lines, acc->sums.data());
        g.run_blocks(packed_a, packed_b, 0, 0, 1, 1, true, true, *acc);
        g.store_row(d, begin, lines, acc->sums.data());
    }
}

} // namespace discern
