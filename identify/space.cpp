// The default space as data: what may vary in each part of a tree, and the trees, written with names of such parts.
#include "space.hpp"

#include "models/format.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace discern::identify {

namespace {

using Kind = ParametricNode::Kind;
using Edge = ParametricEdge;
using Values = std::vector<int>;

// ------------------------------------------------------------------------------------- the values of parameters

/// What values depend on.
struct Facts {
    explicit Facts(const Shape& of) : shape(of) {
        const Format &a = format(shape.a), &b = format(shape.b);
        smallest = a.last_place() + b.last_place();
        largest = a.emax() + b.emax() + 2;
        if (shape.scale) {
            const Format& s = format(shape.scale->format);
            smallest += 2 * s.last_place();
            largest += 2 * (s.emax() + 1);
        }
        if (shape.c) smallest = std::min(smallest, format(*shape.c).emin());
    }
    int most_fraction() const { return shape.d == FormatId::f64 ? 64 : 45; }
    int lowest_constant() const { return std::max(-160, smallest + 1); }

    const Shape& shape;
    int smallest;     ///< reference exponent of a non-zero term, whatever the normalisation
    int largest;      ///< |product| < 2^largest
    int products = 0; ///< of the sum in question
    bool with_c = false;
};

/// Some, and all numbers of a range.
Values and_range(Values values, int first, int last) {
    for (int i = first; i <= last; ++i) values.push_back(i);
    return values;
}

Values fractions(const Facts& f) { return and_range({}, 8, f.most_fraction()); }
Values fractions_or_exact(const Facts& f) { return and_range({exact}, 8, f.most_fraction()); }
Values zeros(const Facts& f) { return and_range({ignore, own}, f.lowest_constant(), -100); }
Values zeros_of_groups(const Facts&) { return {own, ignore}; }
/// Some, and those of the constants that are not among them.
Values and_constants(Values values, const Facts& f) {
    const std::size_t some = values.size();
    for (int i = f.lowest_constant(); i <= -100; ++i)
        if (std::find(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(some), i) ==
            values.begin() + static_cast<std::ptrdiff_t>(some))
            values.push_back(i);
    return values;
}
// -139: what is known of units with groups is named if nothing decides.
Values of_empty_groups(const Facts& f) { return and_constants({-139, own, ignore}, f); }
Values zeros_beside_groups(const Facts& f) { return and_constants({-139, ignore, own}, f); }
Values zeros_beside_cut(const Facts& f) { return and_constants({own, ignore}, f); }
Values fractions_before_cut(const Facts& f) {
    Values values = {32};
    for (int i = 8; i <= f.most_fraction(); ++i)
        if (i != 32) values.push_back(i);
    return values;
}
Values precisions(const Facts&) {
    Values values;
    for (int m = 24; m <= 40; ++m) values.push_back(static_cast<int>(format_of_fields(8, m, Specials::ieee).value()));
    return values;
}
Values only_infinity(const Facts&) { return {static_cast<int>(Overflow::infinity)}; }
Values drops(const Facts&) { return and_range({none}, 8, 48); }
/// Below emin(d) by at most what any register keeps, and a little above it.
Values floors(const Facts& f) { return and_range({none}, f.lowest_constant(), f.shape.d == FormatId::f16 ? -5 : -100); }
/// Carry bits w of a register of 2^(E + w + 2) that the sum can fill.
Values carries(const Facts& f) {
    const auto largest = [](FormatId id) { return 2 - std::ldexp(1.0, -format(id).mantissa_bits); };
    double product = largest(f.shape.a) * largest(f.shape.b);
    if (f.shape.scale) product *= std::pow(largest(f.shape.scale->format), 2);
    const double rounded_up = std::ldexp(1.0, -8); // the smallest F
    const double sum = f.products * (product + rounded_up) + (f.with_c ? 2 + rounded_up : 0);
    int enough = 0;
    while (sum >= std::ldexp(1.0, enough + 2)) ++enough;
    return and_range({none}, 0, enough - 1);
}
Values limits(const Facts& f) { return f.largest > 128 ? Values{none, 128} : Values{none}; }
Values formats_of_c(const Facts& f) {
    const bool differ = f.shape.c && format(*f.shape.c).emin() > format(f.shape.d).emin();
    return differ ? Values{none, static_cast<int>(f.shape.d)} : Values{none};
}
Values formats_of_d(const Facts& f) {
    if (f.shape.d != FormatId::f32) return {static_cast<int>(f.shape.d)};
    return {static_cast<int>(FormatId::f32), static_cast<int>(FormatId::e8m13), static_cast<int>(FormatId::tf32)};
}

/// A parameter that may vary, by the name that is told of it.
struct Choice {
    std::string_view name;
    std::variant<Slot ParametricNode::*, Slot ParametricEdge::*> slot;
    Values (*values)(const Facts&) = nullptr; ///< nullptr: all that the parameter has, the preferred one first
    std::string_view told{};                  ///< if that is another name
};
using Node = ParametricNode;
constexpr Choice choices[] = {
    {"product", &Node::normalisation},
    {"limit", &Node::limit, limits},
    {"yields", &Node::yields},
    {"ftz in", &Node::flush},
    {"ftz c", &Node::flush},
    {"as", &Node::as, formats_of_c},
    {"F", &Edge::F, fractions},
    {"F2", &Edge::F, fractions_or_exact},
    {"Fc", &Edge::F, fractions_or_exact},
    {"F2 before cut", &Edge::F, fractions_before_cut, "F2"},
    {"align", &Edge::mode},
    {"sum", &Edge::mode},
    {"zero", &Edge::zero, zeros},
    {"zero group", &Edge::zero, zeros_of_groups},
    {"zero beside groups", &Edge::zero, zeros_beside_groups, "zero c"},
    {"zero beside cut", &Edge::zero, zeros_beside_cut, "zero c"},
    {"empty", &Node::empty, of_empty_groups},
    {"drop", &Edge::drop, drops},
    {"floor", &Node::floor, floors},
    {"carry", &Node::carry, carries},
    {"format", &Node::format, formats_of_d},
    {"round", &Node::mode},
    {"sum", &Node::mode},
    {"precision", &Node::format, precisions},
    {"(to infinity)", &Node::overflow, only_infinity},
    {"overflow", &Node::overflow},
    {"ftz out", &Node::flush},
    {"zsign", &Node::zero_sign},
    {"usign", &Node::underflow},
};

/// All values of a parameter that are words.
Values words_of(const Parameter& p) {
    Values others;
    for (const Word& word : p.words())
        if (word.value != p.preferred) others.push_back(word.value);
    std::sort(others.begin(), others.end());
    others.insert(others.begin(), p.preferred);
    return others;
}

// ------------------------------------------------------------------------------------------------ parts of trees

/// A word of a tree: a node, or behind '@' how a child of a sum is aligned; and what varies in it.
struct Part {
    std::string_view word;
    Kind kind;
    std::optional<OwnerKind> owner; ///< of its parameters
    std::vector<std::string_view> varies;
    std::string_view suffix{}; ///< of the names
};
const Part parts[] = {
    {"p", Kind::product, OwnerKind::product, {"product", "limit", "yields", "ftz in"}},
    {"q", Kind::product, OwnerKind::product, {"limit", "yields", "ftz in"}}, // not aligned: its exponent does not count
    {"g", Kind::group, OwnerKind::group, {"empty"}},
    {"c", Kind::accumulator, OwnerKind::accumulator, {"ftz c", "as"}},
    {"sum", Kind::fuse, OwnerKind::fuse, {"floor", "carry"}},
    {"floored", Kind::fuse, OwnerKind::fuse, {"floor"}},
    {"add", Kind::fuse, OwnerKind::fuse, {}},
    {"round", Kind::round, OwnerKind::round, {"format", "round", "overflow", "ftz out", "zsign", "usign"}},
    {"cut", Kind::round, OwnerKind::round, {"precision", "sum", "(to infinity)"}}, // with the exponents of f32
    {"late", Kind::round, OwnerKind::round, {"format", "round", "overflow", "ftz out", "zsign", "usign"}, " of c"},
    {"@F", {}, OwnerKind::child, {"F", "align", "zero"}},
    {"@Fc", {}, OwnerKind::child, {"Fc", "align", "zero"}},
    {"@group", {}, OwnerKind::child, {"F", "align", "zero group"}},
    {"@half", {}, OwnerKind::child, {"F", "sum"}},
    {"@Fs", {}, OwnerKind::child, {"F2", "sum"}},
    {"@c", {}, OwnerKind::child, {"Fc", "sum", "zero", "drop"}},
    {"@cgroup", {}, OwnerKind::child, {"F", "align", "zero beside groups"}},
    {"@Fcut", {}, OwnerKind::child, {"F2 before cut", "sum"}},
    {"@ccut", {}, OwnerKind::child, {"Fc", "sum", "zero beside cut", "drop"}},
    {"@exact", {}, OwnerKind::child, {}},
};

/// Reads a tree of such words: node = word [number [':' step]] ['(' child {',' child} ')'], child = node ['@'word]; the
/// numbers select products, or are the size of a group. Without c in the shape there is none in the tree.
class Reader {
  public:
    Reader(Structure& structure, Facts facts, std::string_view text) : s_(structure), facts_(facts), text_(text) {}

    ParametricNode node() {
        token(" (,");
        const Part& part = part_of(token(letters));
        ParametricNode result;
        result.kind = part.kind;
        if (const std::string_view digits = token("0123456789:"); part.kind == Kind::group)
            result.size = std::stoi(std::string(digits));
        else if (!digits.empty())
            result.which = {std::stoi(std::string(digits)), digits.find(':') == digits.npos ? 0 : digits.back() - '0'};
        if (part.kind == Kind::fuse) children(result);
        if (part.kind == Kind::round) {
            result.child = {node()};
            ++at_; // ')'
        }
        if (part.kind != Kind::accumulator || facts_.shape.c) put_slots(part, result);
        return result;
    }

  private:
    void children(ParametricNode& sum) {
        int products = 0;
        bool with_c = false;
        while (text_[at_] != ')') {
            Edge edge{{node()}};
            const Node& child = edge.node.front();
            const Part& aligned = part_of(text_[at_] == '@' ? token("@F" + letters) : "@exact");
            if (child.kind == Kind::accumulator && !facts_.shape.c) continue;
            if (child.kind == Kind::product) products += count(child.which, s_.frame.L);
            with_c = with_c || child.kind == Kind::accumulator;
            const bool is_sum = child.kind == Kind::fuse || child.kind == Kind::round;
            put_slots(aligned, edge, is_sum ? own : ignore);
            sum.edges.push_back(std::move(edge));
        }
        ++at_;
        facts_.products = products;
        facts_.with_c = with_c;
    }

    /// The variables of the parameters that vary in the part; of the others, with their one value.
    template <typename Slots>
    void put_slots(const Part& part, Slots& slots, int zero = ignore) {
        for (const Parameter* p : part.owner ? parameters_of(*part.owner) : std::vector<const Parameter*>()) {
            const int fixed = p->meaning == Meaning::zero ? zero : p->standard;
            std::string name =
                "(" + std::string(p->key) + " " + std::string(p->word) + " " + p->value_text(fixed) + ")";
            Values values = {fixed};
            for (const Choice& c : choices)
                if (c.slot == p->slot && std::count(part.varies.begin(), part.varies.end(), c.name) != 0) {
                    name = std::string(c.told.empty() ? c.name : c.told) + std::string(part.suffix);
                    values = c.values != nullptr ? c.values(facts_) : words_of(*p);
                }
            auto known = std::find_if(s_.variables.begin(), s_.variables.end(),
                                      [&](const Variable& v) { return v.name == name; });
            if (known == s_.variables.end()) known = s_.variables.insert(known, {name, p->meaning, std::move(values)});
            slots.*std::get<Slot Slots::*>(p->slot) = static_cast<Slot>(known - s_.variables.begin());
        }
    }

    /// What is there of these characters.
    std::string_view token(std::string_view characters) {
        const std::size_t start = at_, end = text_.find_first_not_of(characters, start);
        at_ = std::min(end, text_.size());
        return text_.substr(start, at_ - start);
    }
    static const Part& part_of(std::string_view word) {
        for (const Part& part : parts)
            if (part.word == word) return part;
        throw std::logic_error("a structure of the space has no part '" + std::string(word) + "'");
    }

    const std::string letters = "abcdefghijklmnopqrstuvwxyz";
    Structure& s_;
    Facts facts_;
    std::string_view text_;
    std::size_t at_ = 0;
};

// ------------------------------------------------------------------------------------------------- the structures

constexpr auto chained = AccumulatorPlace::chained, last = AccumulatorPlace::last;

/// One sum a block.
struct Hypothesis {
    std::string_view tree;
    std::string_view before, after; ///< its name, without how many products it has
    bool without_c = false;         ///< also where there is no c
    AccumulatorPlace place = chained;
    int least = 1;    ///< products
    bool f32 = false; ///< only where d is
};

/// Blocks may be interleaved. The first that is left is named: exact, where it may be.
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
};

/// The products' fused sum, rounded again when c joins it; even and odd products apart (Algorithms 10, 11).
constexpr Hypothesis of_two_levels[] = {
    {"round(add(sum(p@F)@Fs, c@c))", "two-level fused", "", false, chained, 2},
    {"round(add(add(q)@Fs, c@c))", "two-level exact", "", false, chained, 2},
    {"round(add(add(sum(p0:2@F)@half, sum(p1:2@F)@half)@Fs, c@c))", "two-level fused", ", even and odd products apart",
     false, chained, 2},
    // the sum with c is normalised and cut to some precision before it is rounded to d's
    {"round(cut(add(sum(p@F)@Fcut, c@ccut)))", "two-level fused", ", cut before they are rounded", false, chained, 2,
     true},
    {"round(cut(add(add(sum(p0:2@F)@half, sum(p1:2@F)@half)@Fcut, c@ccut)))", "two-level fused",
     ", even and odd products apart, cut before they are rounded", false, chained, 2, true},
};

class Maker {
  public:
    explicit Maker(const Shape& shape) : shape_(shape) {}

    std::vector<Structure> all() {
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
        s.tree = Reader(s, Facts(shape_), tree).node();
        structures_.push_back(std::move(s));
    }

    /// Every addition is rounded: pairs of pairs, or one after the other (Algorithms 1, 2; x86 DPPS); or each is an
    /// FMA, from the last element of a block to the first (x86 VDPBF16PS).
    void additions(int L) {
        const bool c = shape_.c.has_value();
        if (!c && L < shape_.K) return;
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
        const auto with_c = [&](const std::string& x) { return c ? sum("c", x) : x; };
        add("pairwise rounded sums of " + std::to_string(L), with_c(terms.front()), L);
        if (L >= 4 || !c) // else it is the same tree
            add("successive rounded sums of " + std::to_string(L), with_c(in_turn), L);
        if (c && L > 1) add("FMAs, blocks of " + std::to_string(L) + " from their ends", from_end, L);
    }

    const Shape& shape_;
    std::vector<Structure> structures_;
};

} // namespace

std::vector<Structure> default_space(const Shape& shape) { return Maker(shape).all(); }

} // namespace discern::identify
