#include "space.hpp"

#include "models/format.hpp"

#include <algorithm>
#include <cmath>

namespace discern::identify {

namespace {

using Kind = ParametricNode::Kind;

/// What the formats allow: exponents and magnitudes of everything that is added.
struct Ranges {
    int smallest; ///< reference exponent of a non-zero term, whatever the normalisation
    int largest;  ///< |product| < 2^largest
};

Ranges ranges_of(const Shape& shape) {
    const Format &a = format(shape.a), &b = format(shape.b);
    int low = a.last_place() + b.last_place(), high = a.emax() + b.emax() + 2;
    if (shape.scale) {
        const Format& s = format(shape.scale->format);
        low += 2 * s.last_place();
        high += 2 * (s.emax() + 1);
    }
    if (shape.c) low = std::min(low, format(*shape.c).emin());
    return {low, high};
}

std::vector<int> range(int first, int last) {
    std::vector<int> values;
    for (int i = first; i <= last; ++i) values.push_back(i);
    return values;
}

/// The values with these at the front, whether they were among them or not.
template <typename... More>
std::vector<int> preferred(std::vector<int> values, More... first) {
    std::vector<int> result = {first...};
    for (const int value : values)
        if (((value != first) && ...)) result.push_back(value);
    return result;
}

constexpr int as_int(auto value) { return static_cast<int>(value); }

class Maker {
  public:
    explicit Maker(const Shape& shape) : shape_(shape), ranges_(ranges_of(shape)) {}

    std::vector<Structure> all() {
        for (const int L : divisors(shape_.K)) {
            for (const int n : interleaves(L)) {
                for (const bool is_exact : {true, false}) { // the first that is left is named: exact, where it may be
                    fdpa(L, n, AccumulatorPlace::chained, is_exact);
                    if (shape_.c && !is_exact) own_precision(L, n);
                    if (shape_.c && L < shape_.K) fdpa(L, n, AccumulatorPlace::last, is_exact);
                    if (shape_.c && L > 1) late(L, n, is_exact);
                }
            }
            if (shape_.scale && L > 1) groups(L);
            if (shape_.c && L > 1) {
                for (const bool is_exact : {false, true}) two_levels(L, false, is_exact);
                two_levels(L, true, false);
                if (shape_.d == FormatId::f32)
                    for (const bool halves : {false, true}) two_levels(L, halves, false, true);
            }
            if (L <= 16) additions(L);
            if (shape_.c && L > 1 && L <= 16) reversed_chain(L);
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

    // -------------------------------------------------------------------------------------------- variables

    void begin(const std::string& name, int L, int interleave, AccumulatorPlace place) {
        s_ = Structure{};
        s_.name = name;
        s_.frame.a = shape_.a;
        s_.frame.b = shape_.b;
        s_.frame.c = shape_.c;
        s_.frame.d = shape_.d;
        s_.frame.scale = shape_.scale;
        s_.frame.K = shape_.K;
        s_.frame.L = L;
        s_.frame.interleave = interleave;
        s_.frame.place = place;
    }
    Slot variable(std::string name, Meaning meaning, std::vector<int> values) {
        for (Slot i = 0; i < s_.variables.size(); ++i)
            if (s_.variables[i].name == name) return i;
        s_.variables.push_back({std::move(name), meaning, std::move(values)});
        return s_.variables.size() - 1;
    }
    /// A parameter that the structure fixes.
    Slot fixed(const std::string& name, Meaning meaning, int value) {
        return variable("(" + name + ")", meaning, {value});
    }

    Slot fractions(const std::string& name) { return variable(name, Meaning::fraction, range(8, most_fraction())); }
    Slot fractions_or_exact(const std::string& name) {
        return variable(name, Meaning::fraction, preferred(range(8, most_fraction()), exact));
    }
    int most_fraction() const { return shape_.d == FormatId::f64 ? 64 : 45; }
    Slot modes(const std::string& name) { return variable(name, Meaning::mode, range(0, 5)); }
    Slot exact_alignment() { return fixed("exact", Meaning::fraction, exact); }
    Slot no_mode() { return fixed("mode", Meaning::mode, as_int(Rounding::rz)); }
    Slot no_drop() { return fixed("drop", Meaning::drop, none); }
    Slot own_zero() { return fixed("own", Meaning::zero, own); }
    Slot no_floor() { return fixed("floor", Meaning::floor, none); }
    Slot no_carry() { return fixed("carry", Meaning::carry, none); }

    int lowest_constant() const { return std::max(-160, ranges_.smallest + 1); }
    Slot zeros() { return variable("zero", Meaning::zero, preferred(range(lowest_constant(), -100), ignore, own)); }
    Slot floors() {
        // Below emin(d) by at most what any register keeps, and a little above it.
        const int highest = shape_.d == FormatId::f16 ? -5 : -100;
        return variable("floor", Meaning::floor, preferred(range(lowest_constant(), highest), none));
    }
    /// Carry bits w of a register of 2^(E + w + 2) that the sum of so many products, and perhaps c, can fill.
    Slot carries(int products, bool with_c) {
        const auto largest = [](const Format& f) { return 2 - std::ldexp(1.0, -f.mantissa_bits); };
        double product = largest(format(shape_.a)) * largest(format(shape_.b));
        if (shape_.scale) product *= std::pow(largest(format(shape_.scale->format)), 2);
        const double rounded_up = std::ldexp(1.0, -8); // the smallest F
        const double sum = products * (product + rounded_up) + (with_c ? 2 + rounded_up : 0);
        int enough = 0;
        while (sum >= std::ldexp(1.0, enough + 2)) ++enough;
        return variable("carry", Meaning::carry, preferred(range(0, enough - 1), none));
    }
    Slot formats(const std::string& name) {
        std::vector<int> values = {as_int(shape_.d)};
        if (shape_.d == FormatId::f32)
            for (const FormatId f : {FormatId::e8m13, FormatId::tf32}) values.push_back(as_int(f));
        return variable(name, Meaning::format, values);
    }

    // ------------------------------------------------------------------------------------------------ nodes

    /// @param aligned  by its exponent, which then depends on how it is normalised
    ParametricNode product(Selection which, bool aligned = true) {
        ParametricNode node;
        node.kind = Kind::product;
        node.which = which;
        node.normalisation =
            aligned ? variable("product", Meaning::normalisation, {0, 1, 2}) : fixed("raw", Meaning::normalisation, 0);
        std::vector<int> limits = {none};
        if (ranges_.largest > 128) limits.push_back(128);
        node.limit = variable("limit", Meaning::limit, limits);
        node.yields = variable("yields", Meaning::truth, {1, 0});
        node.flush = variable("ftz in", Meaning::operand_flush, {0, 1, 2, 3});
        return node;
    }
    ParametricNode c() {
        ParametricNode node;
        node.kind = Kind::accumulator;
        node.flush = variable("ftz c", Meaning::operand_flush, {0, 1, 2, 3});
        std::vector<int> as = {none};
        if (shape_.c && format(*shape_.c).emin() > format(shape_.d).emin()) as.push_back(as_int(shape_.d));
        node.as = variable("as", Meaning::optional_format, as);
        return node;
    }
    ParametricNode::Edge edge(ParametricNode node, Slot F, Slot mode, Slot zero) {
        return {{std::move(node)}, F, mode, zero, no_drop()};
    }
    ParametricNode fuse(std::vector<ParametricNode::Edge> edges, Slot floor, Slot carry) {
        ParametricNode node;
        node.kind = Kind::fuse;
        node.edges = std::move(edges);
        node.floor = floor;
        node.carry = carry;
        return node;
    }
    ParametricNode round(ParametricNode child, const std::string& suffix = "") {
        ParametricNode node;
        node.kind = Kind::round;
        node.format = formats("format" + suffix);
        node.mode = modes("round" + suffix);
        node.overflow = variable("overflow" + suffix, Meaning::overflow, {0, 1, 2});
        node.flush = variable("ftz out" + suffix, Meaning::result_flush, {0, 1, 2, 3, 4, 5, 6});
        node.zero_sign = variable("zsign" + suffix, Meaning::truth, {0, 1});
        node.underflow = variable("usign" + suffix, Meaning::truth, {1, 0});
        node.child = {std::move(child)};
        return node;
    }
    std::vector<ParametricNode::Edge> products_aligned(Selection which) {
        return {edge(product(which), fractions("F"), modes("align"), zeros())};
    }
    /// The sum of n products, and perhaps c, aligned alike, with everything that may vary in it.
    ParametricNode aligned_sum(Selection which, int n, bool with_c) {
        auto edges = products_aligned(which);
        if (with_c) edges.push_back(edge(c(), fractions("F"), modes("align"), zeros()));
        return fuse(std::move(edges), floors(), carries(n, with_c));
    }
    /// Nothing is aligned, and no exponent of a zero counts.
    ParametricNode exact_sum(Selection which, bool with_c) {
        std::vector<ParametricNode::Edge> edges = {exact_edge(product(which, false))};
        if (with_c) edges.push_back(exact_edge(c()));
        return fuse(std::move(edges), no_floor(), no_carry());
    }
    ParametricNode::Edge exact_edge(ParametricNode node) {
        const Slot zero = node.kind == Kind::round ? own_zero() : fixed("ignore", Meaning::zero, ignore);
        return edge(std::move(node), exact_alignment(), no_mode(), zero);
    }
    void end(ParametricNode tree) {
        s_.tree = std::move(tree);
        structures_.push_back(std::move(s_));
    }

    // ------------------------------------------------------------------------------------------- structures

    static std::string sums(int L, const std::string& kind) {
        return L == 1 ? kind + " additions of products" : kind + " sums of " + std::to_string(L);
    }
    static std::string dealt(int n) { return n == 0 ? "" : ", interleaved in runs of " + std::to_string(n); }

    /// One fused sum a block, c in it: T-, ST- and E-FDPA, FMA (Xie et al., Algorithms 3, 6, 7, 8).
    void fdpa(int L, int interleave, AccumulatorPlace place, bool is_exact) {
        if (!shape_.c && L < shape_.K) return;
        const bool last = place == AccumulatorPlace::last;
        begin(sums(L, is_exact ? "exact" : "fused") + dealt(interleave) + (last ? ", c last" : ""), L, interleave,
              place);
        end(round(is_exact ? exact_sum({0, 1}, shape_.c.has_value()) : aligned_sum({0, 1}, L, shape_.c.has_value())));
    }

    /// c in the fused sum is aligned to a number of bits of its own.
    void own_precision(int L, int interleave) {
        begin(sums(L, "fused") + dealt(interleave) + ", c of its own precision", L, interleave,
              AccumulatorPlace::chained);
        auto edges = products_aligned({0, 1});
        edges.push_back(edge(c(), fractions_or_exact("Fc"), modes("align"), zeros()));
        end(round(fuse(std::move(edges), floors(), no_carry())));
    }

    /// The products' sum is rounded, then c is added (BNA, and published wrong hypotheses).
    void late(int L, int interleave, bool is_exact) {
        begin(sums(L, is_exact ? "rounded exact" : "rounded") + dealt(interleave) + ", c added late", L, interleave,
              AccumulatorPlace::chained);
        end(sum_of(round(is_exact ? exact_sum({0, 1}, false) : aligned_sum({0, 1}, L, false)), c(), " of c"));
    }

    /// Exact groups that share their scales, and c (Algorithm 9).
    void groups(int L) {
        for (const int G : divisors(std::min(L, shape_.scale->block))) {
            if (G == 1 || L % G != 0 || (G < 4 && L / G > 8)) continue;
            begin("groups of " + std::to_string(G) + " in fused sums of " + std::to_string(L), L, 0,
                  AccumulatorPlace::chained);
            ParametricNode node;
            node.kind = Kind::group;
            node.which = {0, 1};
            node.size = G;
            // -139: what is known of such units is named if nothing decides.
            node.empty = variable("empty", Meaning::zero, preferred(range(lowest_constant(), -100), -139, own, ignore));
            std::vector<ParametricNode::Edge> edges = {
                edge(node, fractions("F"), modes("align"), variable("zero group", Meaning::zero, {own, ignore}))};
            const Slot zero =
                variable("zero c", Meaning::zero, preferred(range(lowest_constant(), -100), -139, ignore, own));
            if (shape_.c) edges.push_back(edge(c(), fractions("F"), modes("align"), zero));
            end(round(fuse(std::move(edges), floors(), no_carry())));
        }
    }

    /// The products' fused sum, rounded again when c joins it; even and odd products apart (Algorithms 10, 11).
    /// @param cut  the sum with c is rounded to some precision, normalised, before it is rounded to d's
    void two_levels(int L, bool halves, bool is_exact, bool cut = false) {
        begin("two-level " + sums(L, is_exact ? "exact" : "fused") + (halves ? ", even and odd products apart" : "") +
                  (cut ? ", cut before they are rounded" : ""),
              L, 0, AccumulatorPlace::chained);
        ParametricNode sum;
        if (halves) {
            auto even = aligned_sum({0, 2}, L / 2, false), odd = aligned_sum({1, 2}, L / 2, false);
            sum = fuse({edge(std::move(even), fractions("F"), modes("sum"), own_zero()),
                        edge(std::move(odd), fractions("F"), modes("sum"), own_zero())},
                       no_floor(), no_carry());
        } else {
            sum = is_exact ? exact_sum({0, 1}, false) : aligned_sum({0, 1}, L, false);
        }
        const Slot zero_of_c =
            cut ? variable("zero c", Meaning::zero, preferred(range(lowest_constant(), -100), own, ignore)) : zeros();
        auto with_c = edge(c(), fractions_or_exact("Fc"), modes("sum"), zero_of_c);
        with_c.drop = variable("drop", Meaning::drop, preferred(range(8, 48), none));
        const Slot F2 = cut ? variable("F2", Meaning::fraction, preferred(range(8, most_fraction()), 32))
                            : fractions_or_exact("F2");
        ParametricNode total =
            fuse({edge(std::move(sum), F2, modes("sum"), own_zero()), with_c}, no_floor(), no_carry());
        end(round(cut ? cut_down(std::move(total)) : std::move(total)));
    }
    /// To a number of fraction bits, with the exponents of f32 and without a sign of its own for zeros.
    ParametricNode cut_down(ParametricNode sum) {
        ParametricNode node;
        node.kind = Kind::round;
        std::vector<int> precisions;
        for (int m = 24; m <= 40; ++m) precisions.push_back(as_int(format_of_fields(8, m, Specials::ieee).value()));
        node.format = variable("precision", Meaning::format, precisions);
        node.mode = modes("sum");
        node.overflow = fixed("to infinity", Meaning::overflow, as_int(Overflow::infinity));
        node.flush = fixed("unflushed", Meaning::result_flush, 0);
        node.zero_sign = fixed("zero as it is", Meaning::truth, 1);
        node.underflow = fixed("underflow as it is", Meaning::truth, 1);
        node.child = {std::move(sum)};
        return node;
    }

    /// Every addition is rounded: pairs of pairs, or one after the other (Algorithms 1, 2; x86 DPPS).
    void additions(int P) {
        if (!shape_.c && P < shape_.K) return;
        for (const bool pairwise : {true, false}) {
            if (!pairwise && P < 4 && shape_.c) continue; // the same trees
            begin(std::string(pairwise ? "pairwise" : "successive") + " rounded sums of " + std::to_string(P), P, 0,
                  AccumulatorPlace::chained);
            std::vector<ParametricNode> level;
            for (int k = 0; k < P; ++k) level.push_back(round(product({k, 0}, false)));
            while (level.size() > 1) level = pairwise ? paired(std::move(level)) : first_two(std::move(level));
            if (!shape_.c)
                end(std::move(level.front()));
            else
                end(sum_of(c(), std::move(level.front())));
        }
    }
    ParametricNode sum_of(ParametricNode x, ParametricNode y, const std::string& suffix = "") {
        return round(fuse({exact_edge(std::move(x)), exact_edge(std::move(y))}, no_floor(), no_carry()), suffix);
    }
    std::vector<ParametricNode> paired(std::vector<ParametricNode> level) {
        std::vector<ParametricNode> next;
        for (std::size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(sum_of(level[i], level[i + 1]));
        if (level.size() % 2 != 0) next.push_back(level.back());
        return next;
    }
    std::vector<ParametricNode> first_two(std::vector<ParametricNode> level) {
        level[1] = sum_of(level[0], level[1]);
        level.erase(level.begin());
        return level;
    }

    /// FMAs within a block from the last element to the first (x86 VDPBF16PS).
    void reversed_chain(int L) {
        begin("FMAs, blocks of " + std::to_string(L) + " from their ends", L, 0, AccumulatorPlace::chained);
        ParametricNode d = c();
        for (int k = L - 1; k >= 0; --k) d = sum_of(product({k, 0}, false), std::move(d));
        end(std::move(d));
    }

    const Shape& shape_;
    Ranges ranges_;
    Structure s_;
    std::vector<Structure> structures_;
};

} // namespace

std::vector<Structure> default_space(const Shape& shape) { return Maker(shape).all(); }

} // namespace discern::identify
