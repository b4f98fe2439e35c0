// The default space: the structures, their trees written with words (space/parts.hpp), and their names.
#include "space.hpp"

#include "models/format.hpp"
#include "parts.hpp"
#include "values.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace discern::identify {

namespace {

constexpr auto chained = AccumulatorPlace::chained, last = AccumulatorPlace::last;

/// A structure with one sum a block.
struct Hypothesis {
    std::string_view tree;
    std::string_view before, after; ///< its name before and after the number of products
    bool without_c = false;         ///< also where there is no c
    AccumulatorPlace place = chained;
    int least = 1;    ///< products
    bool f32 = false; ///< only where d is
    bool f16 = false; ///< only where a and b have other exponents as f16
};

/// Sums that are rounded twice, to f32 and then to d.
constexpr Hypothesis of_steps = {"round(single(add(q, c)))", "exact", ", each rounded to f32 and then to d"};

/// Chains that begin at +0, where there is no c. A product may be rounded before it is added.
constexpr Hypothesis from_zero[] = {
    {"round(add(q, z))", "exact", " from +0"},
    {"round(sum(p@F, z@F))", "fused", " from +0"},
    {"round(single(add(q, z)))", "exact", " from +0, each rounded to f32 and then to d"},
};

/// Other trees of a block.
constexpr Hypothesis of_rare_sums[] = {
    {"round(sticky(p@F, c@F))", "sticky fused", "", true},
    {"round(framed(p@F, c@Fl))", "fused", ", whose terms are negated in the sign of c"},
    // the sum is truncated once more before it is rounded
    {"round(add(truncsum(p@F, c@F)@Fs))", "fused", ", truncated once more", true, chained, 2},
    {"round(add(s, c))", "exact", ", with infinities and NaN of their own", true},
    {"near(add(near(add(x)), c))", "rounded exact", ", added up from +0, c last", false, last, 2},
    {"near(add(round(sum(p@F)), c))", "rounded", ", added up from +0, c last", false, last, 2},
};

/// Of AMD's RDNA: c takes part in E with an exponent less some number; d may be what f32 is narrowed to.
constexpr Hypothesis of_rdna[] = {
    {"round(add(add(p@half)@Fo, c@cl))", "two-level fused", ", the exponent of c lowered", false, chained, 2},
    {"narrow(inner(add(add(p@half)@Fo, c@cl)))", "two-level fused",
     ", the exponent of c lowered, each rounded to f32 first", false, chained, 2},
    {"narrow(inner(framed(p@F, c@Fl)))", "fused",
     ", whose terms are negated in the sign of c, each rounded to f32 first"},
};

/// Blocks may be interleaved. Of equivalent structures the first is reported, so that exact sums come first.
constexpr Hypothesis of_blocks[] = {
    // one fused sum, c in it: T-, ST- and E-FDPA, FMA (Xie et al., Algorithms 3, 6, 7, 8)
    {"round(add(q, c))", "exact", "", true},
    {"round(add(q, c))", "exact", ", c last", false, last},
    // the products' sum is rounded, then c is added (BNA, and published wrong hypotheses)
    {"late(add(round(add(q)), c))", "rounded exact", ", c added late", false, chained, 2},
    {"round(sum(p@F, c@F))", "fused", "", true},
    // c is aligned to a number of bits of its own
    {"round(floored(p@F, c@Fc))", "fused", ", c of its own precision"},
    {"round(sum(p@F, c@F))", "fused", ", c last", false, last},
    {"late(add(round(sum(p@F)), c))", "rounded", ", c added late", false, chained, 2},
    // fp8 by instructions of f16: what is subnormal in fp8 is not any more
    {"round(sum(h@F, c@F))", "fused", " as f16, c last", false, last, 1, false, true},
};

/// The products' fused sum, rounded again when c joins it; even and odd products apart (Algorithms 10, 11).
constexpr Hypothesis of_two_levels[] = {
    {"round(add(sum(p@F)@Fs, c@c))", "two-level fused", "", false, chained, 2},
    {"round(add(add(q)@Fs, c@c))", "two-level exact", "", false, chained, 2},
    {"round(add(add(sum(p0:2@F)@half, sum(p1:2@F)@half)@Fs, c@c))", "two-level fused", ", even and odd products apart",
     false, chained, 2},
    // the sum with c is normalised and truncated to some precision before it is rounded to d's (no unit is known whose
    // inner sums have a floor, or zeros that count, there)
    {"round(trunc(add(add(p@inner)@Ftrunc, c@ctrunc)))", "two-level fused", ", truncated before they are rounded",
     false, chained, 2, true},
    {"round(trunc(add(add(add(p0:2@inner)@half, add(p1:2@inner)@half)@Ftrunc, c@ctrunc)))", "two-level fused",
     ", even and odd products apart, truncated before they are rounded", false, chained, 2, true},
};

class Maker {
  public:
    Maker(const Shape& shape, Modes modes) : shape_(shape), modes_(modes) {}

    std::vector<Structure> all() {
        added_one_by_one();
        for (const int L : divisors(shape_.K)) {
            for (const int n : interleaves(L))
                for (const Hypothesis& h : of_blocks) add(h, L, n);
            // exact groups that share their scales, and c (Algorithm 9)
            for (const int G : divisors(shape_.scale ? std::min(L, shape_.scale->block) : 1))
                if (G > 1 && L % G == 0 && (G >= 4 || L / G <= 8))
                    add("groups of " + std::to_string(G) + " in fused sums of " + std::to_string(L),
                        "round(floored(g" + std::to_string(G) + "@group, c@cgroup))", L);
            for (const Hypothesis& h : of_two_levels) add(h, L, 0);
            if (L <= 16) additions(L);
            chains_from_zero(L);
            if (is_narrow()) add(of_steps, L, 0);
        }
        if (shape_.K <= longest_written) {
            wide_accumulators();
            lanes();
            flushing_lanes();
            special_products();
        }
        sums_of_pairs();
        for (const int L : divisors(shape_.K)) {
            for (const Hypothesis& h : of_rdna)
                if (is_narrow() || h.tree.find("narrow") == h.tree.npos) add(h, L, 0);
            for (const Hypothesis& h : of_rare_sums)
                if (!shape_.c || h.tree.find("truncsum") == h.tree.npos) add(h, L, 0);
            if (L > 1 && L <= 16) sums_of_rounded(L);
        }
        return std::move(structures_);
    }

  private:
    static std::vector<int> divisors(int K) {
        std::vector<int> found;
        for (int L = K; L >= 1; --L)
            if (K % L == 0) found.push_back(L);
        return found;
    }
    /// Two blocks that share their elements, dealt in runs of n.
    std::vector<int> interleaves(int L) const {
        std::vector<int> found = {0};
        if ((shape_.K / L) % 2 == 0)
            for (int n = 1; n < L; n *= 2)
                if (L % n == 0) found.push_back(n);
        return found;
    }

    void add(const Hypothesis& h, int L, int interleave) {
        if (h.f32 && shape_.d != FormatId::f32) return;
        if (h.f16 && !differs_as_f16()) return;
        if ((!shape_.c && !(h.without_c && L == shape_.K)) || L < h.least || (h.place == last && L == shape_.K)) return;
        std::string name(h.before);
        name += L == 1 ? " additions of products" : " sums of " + std::to_string(L);
        if (interleave != 0) name += ", interleaved in runs of " + std::to_string(interleave);
        add(name + std::string(h.after), h.tree, L, interleave, h.place);
    }
    void add(std::string name, std::string_view tree, int L, int interleave = 0, AccumulatorPlace place = chained) {
        Structure s;
        s.name = std::move(name);
        s.frame = {shape_.a, shape_.b, shape_.c, shape_.d, shape_.scale, shape_.K, L, interleave, place, {}, {}};
        s.tree = tree_of_words(s, shape_, modes_, tree);
        structures_.push_back(std::move(s));
    }

    /// Every addition is rounded: pairs of pairs, or one after the other (Algorithms 1, 2; x86 DPPS); or each is an
    /// FMA, from the last element of a block to the first (x86 VDPBF16PS).
    void additions(int L) {
        const bool c = shape_.c.has_value();
        const bool chained_on = !c && L < shape_.K; // each block joins those before
        if (chained_on && L < 4) return;            // added_one_by_one() has these
        const auto sum = [](const std::string& x, const std::string& y) { return "round(add(" + x + ", " + y + "))"; };
        std::vector<std::string> terms;
        for (int k = 0; k < L; ++k) terms.push_back("round(q" + std::to_string(k) + ")");
        std::string in_turn = terms.front(), from_end = "c";
        for (std::size_t k = 1; k < terms.size(); ++k) in_turn = sum(in_turn, terms[k]);
        for (int k = L - 1; k >= 0; --k) from_end = sum("q" + std::to_string(k), from_end);
        while (terms.size() > 1) {
            std::vector<std::string> pairs;
            for (std::size_t i = 0; i + 1 < terms.size(); i += 2) pairs.push_back(sum(terms[i], terms[i + 1]));
            if (terms.size() % 2 != 0) pairs.push_back(terms.back());
            terms = std::move(pairs);
        }
        const auto with_c = [&](const std::string& x) { return c ? sum("c", x) : chained_on ? sum("z", x) : x; };
        add(L == 1 && c ? "rounded products, added one by one" : "pairwise rounded sums of " + std::to_string(L),
            with_c(terms.front()), L);
        if (chained_on) return;
        if (L >= 4 || !c) // else it is the same tree
            add("successive rounded sums of " + std::to_string(L), with_c(in_turn), L);
        if (c && L > 1) add("FMAs, blocks of " + std::to_string(L) + " from their ends", from_end, L);
    }

    /// Whether f16 has all numbers of a and b, some of them with other exponents: those that are subnormal in a or b.
    bool differs_as_f16() const {
        const Format &a = format(shape_.a), &b = format(shape_.b), &f16 = format(FormatId::f16);
        const auto is_within = [&](const Format& f) {
            return !f.is_fixed_point() && f.mantissa_bits <= f16.mantissa_bits && f.emin() >= f16.emin() &&
                   f.lsb() >= f16.lsb() && f.emax() <= f16.emax();
        };
        return is_within(a) && is_within(b) && std::max(a.emin(), b.emin()) > f16.emin();
    }

    static constexpr int longest_written = 32; ///< products of a tree that names them one by one

    /// Whether rounding a product to that format never changes it.
    bool holds_products(FormatId id) const {
        const Format &f = format(id), &a = format(shape_.a), &b = format(shape_.b);
        return a.mantissa_bits + b.mantissa_bits + 2 <= f.mantissa_bits + 1 && a.lsb() + b.lsb() >= f.lsb() &&
               a.emax() + b.emax() + 1 <= f.emax() && f.has_infinity() && f.has_minus_zero();
    }
    bool rounds_products() const { return !holds_products(shape_.d); }
    bool is_narrow() const { return format(shape_.d).mantissa_bits < 23; }
    /// An addition of two terms in d's format, rounded to nearest, as software has it.
    static std::string sum_of(const std::string& x, const std::string& y) { return "near(add(" + x + ", " + y + "))"; }

    /// The usual loop of FMAs comes before structures that are equivalent to it, so that reports name it.
    void added_one_by_one() {
        if (shape_.c) return;
        if (rounds_products()) add("rounded products, added one by one from +0", "near(add(near(x0), z))", 1);
        if (is_narrow() && !holds_products(FormatId::f32))
            add("products rounded to f32, added one by one from +0", "near(add(single(x0), z))", 1);
    }

    void chains_from_zero(int L) {
        if (shape_.c) return;
        const std::string of = L == 1 ? " additions of products" : " sums of " + std::to_string(L);
        if (L == shape_.K) return;
        for (const Hypothesis& h : from_zero)
            if (is_narrow() || h.tree.find("single") == h.tree.npos)
                add(std::string(h.before) + of + std::string(h.after), h.tree, L);
    }

    /// One sum with more digits than d, in order from c or +0, that is rounded to d at the end.
    void wide_accumulators() {
        const int K = shape_.K;
        if (K < 2) return;
        for (const std::string wide : {"wide", "double"})
            for (const std::string product : {"", "near", "single"}) {
                if (product == "near" && !rounds_products()) continue;
                if (product == "single" && (!is_narrow() || holds_products(FormatId::f32))) continue;
                if (format(shape_.d).mantissa_bits >= (wide == "wide" ? most_wide : 52)) continue;
                std::string sum = shape_.c ? "c" : "z";
                for (int k = 0; k < K; ++k) {
                    const std::string q = "x" + std::to_string(k);
                    sum = wide + "(add(" + (product.empty() ? q : product + "(" + q + ")") + ", " + sum + "))";
                }
                add(std::string(product.empty()     ? "products"
                                : product == "near" ? "rounded products"
                                                    : "products in f32") +
                        " added in order in " + (wide == "wide" ? "a wider accumulator" : "f64") +
                        ", rounded once at the end",
                    "near(" + sum + ")", K);
            }
    }

    /// Sums of the terms in pairs: neighbours, or the first with the first of the other half; down to `least` of them.
    static void fold(std::vector<std::string>& terms, bool halves, std::size_t least) {
        while (terms.size() > least) {
            const std::size_t half = terms.size() / 2;
            std::vector<std::string> sums;
            for (std::size_t i = 0; i < half; ++i)
                sums.push_back(halves ? sum_of(terms[i], terms[i + half]) : sum_of(terms[2 * i], terms[2 * i + 1]));
            terms = std::move(sums);
        }
    }

    /// Lanes that each add up every so many-th product, folded at the end; c joins last. With a lane a product: trees.
    void lanes() {
        const int K = shape_.K;
        for (int V = 2; V <= K; V *= 2) {
            if (K % V != 0) continue;
            for (const bool fused : {true, false}) {
                if (!fused && (V == K || !rounds_products())) continue;
                std::vector<std::string> lanes;
                for (int j = 0; j < V; ++j) {
                    std::string lane = "lane(x" + std::to_string(j) + ")";
                    for (int k = j + V; k < K; k += V) {
                        const std::string q = "x" + std::to_string(k);
                        lane = sum_of(fused ? q : "near(" + q + ")", lane);
                    }
                    lanes.push_back(std::move(lane));
                }
                for (const int neighbours : std::set{0, std::min(4, V), V}) { // lanes left for sums of neighbours
                    if (!fused && 2 * V == K && neighbours < V) continue;     // as with K lanes
                    // what additions() has already
                    if (V == K && K <= 16 && (K == 2 || neighbours == V)) continue;
                    if (neighbours != 0 && V <= 2) continue;
                    std::vector<std::string> terms = lanes;
                    fold(terms, true, static_cast<std::size_t>(std::max(neighbours, 1)));
                    fold(terms, false, 1);
                    const std::string of = V == K  ? "rounded products"
                                           : fused ? std::to_string(V) + " lanes of FMAs"
                                                   : std::to_string(V) + " lanes of rounded products";
                    const std::string how = neighbours == 0   ? " folded in halves"
                                            : neighbours == V ? " folded in neighbours"
                                                              : " folded in halves, the last four in neighbours";
                    add(of + how, shape_.c ? sum_of("c", terms.front()) : terms.front(), K);
                }
            }
        }
    }

    /// Two lanes of FMAs whose every step may flush (x86 TDPBF16PS).
    void flushing_lanes() {
        if (!shape_.c || shape_.K < 4 || shape_.K % 2 != 0) return;
        std::string lanes[] = {"start(q0)", "start(q1)"};
        for (int k = 2; k < shape_.K; ++k) {
            std::string& lane = lanes[k % 2];
            lane = "round(add(q" + std::to_string(k) + ", " + lane + "))";
        }
        add("2 lanes of FMAs that flush", "round(add(c, round(add(" + lanes[0] + ", " + lanes[1] + "))))", shape_.K);
    }

    /// Rounded products, folded in halves, with infinities and NaN of their own.
    void special_products() {
        if (shape_.K < 2 || (shape_.K & (shape_.K - 1)) != 0 || !format(shape_.a).has_nan()) return;
        std::vector<std::string> terms;
        for (int k = 0; k < shape_.K; ++k) terms.push_back("lane(s" + std::to_string(k) + ")");
        fold(terms, true, 1);
        add("rounded products folded in halves, with infinities and NaN of their own",
            shape_.c ? sum_of("c", terms.front()) : terms.front(), shape_.K);
    }

    /// Four products as two fused sums of neighbours, which are added to c (RDNA4); a wave of 32 takes two such steps
    /// of eight products that are dealt in fours.
    void sums_of_pairs() {
        constexpr int step = 4;
        if (!shape_.c || shape_.K % step != 0) return;
        const auto pair = [](int k) {
            return "add(p" + std::to_string(k) + "@half, p" + std::to_string(k + 1) + "@half)@Fo";
        };
        for (const bool narrow : {false, true}) {
            if (narrow && !is_narrow()) continue;
            const auto sum = [&](int k, const std::string& c) {
                const std::string terms = "(add(" + pair(k) + ", " + pair(k + 2) + ", " + c + "@cl))";
                return narrow ? "narrow(inner" + terms + ")" : "round" + terms;
            };
            const std::string after = narrow ? ", each rounded to f32 first" : "";
            add("fused sums of pairs, two of them with c" + after, sum(0, "c"), step);
            if (shape_.K % (4 * step) == 0)
                add("fused sums of pairs, two of them with c, fours in the order 0, 2, 1, 3" + after,
                    sum(step, sum(0, "c")), 2 * step, step);
        }
    }

    /// Products that are rounded or aligned on their own before an exact or aligned sum adds them.
    void sums_of_rounded(int L) {
        if (!shape_.c && L < shape_.K) return;
        std::string rounded, truncated;
        for (int k = 0; k < L; ++k) {
            rounded += (k == 0 ? "" : ", ") + ("near(x" + std::to_string(k) + ")");
            truncated += (k == 0 ? "" : ", ") + ("add(p" + std::to_string(k) + "@Fp)@Fq");
        }
        const std::string of = " of " + std::to_string(L);
        if (rounds_products()) add("exact sums" + of + " rounded products", "round(add(" + rounded + ", c))", L);
        if (L <= 8 && !shape_.c)
            add("fused sums" + of + " truncated products, truncated once more",
                "round(add(truncsum(" + truncated + ", c@F)@Fs))", L);
    }

    const Shape& shape_;
    Modes modes_;
    std::vector<Structure> structures_;
};

} // namespace

std::vector<Structure> default_space(const Shape& shape, Modes modes) { return Maker(shape, modes).all(); }

} // namespace discern::identify
