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
constexpr int most_wide = 40; ///< fraction bits of an accumulator with the exponents of f32

Values only_d(const Facts& f) { return {static_cast<int>(f.shape.d)}; }
Values only_f32(const Facts&) { return {static_cast<int>(FormatId::f32)}; }
Values only_f64(const Facts&) { return {static_cast<int>(FormatId::f64)}; }
/// Formats with the exponents of f32 and more digits than d.
Values wider_than_d(const Facts& f) {
    Values values;
    for (int m = 23; m <= most_wide; ++m)
        if (m > format(f.shape.d).mantissa_bits)
            values.push_back(static_cast<int>(format_of_fields(8, m, Specials::ieee).value()));
    return values;
}
Values only_yes(const Facts&) { return {1}; }
Values ieee_or_plus(const Facts&) { return {1, 0}; }
Values frames(const Facts&) {
    return {static_cast<int>(SignFrame::c), static_cast<int>(SignFrame::c_or_plus),
            static_cast<int>(SignFrame::nonzero_c)};
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
    {"zsign of lanes", &Node::zero_sign, ieee_or_plus},
    {"(d)", &Node::format, only_d},
    {"(f32)", &Node::format, only_f32},
    {"(f64)", &Node::format, only_f64},
    {"accumulator", &Node::format, wider_than_d},
    {"Fp", &Edge::F, fractions},
    {"align products", &Edge::mode},
    {"plus", &Node::plus},
    {"(sticky)", &Node::sticky, only_yes},
    {"frame", &Node::frame, frames},
    {"opposed", &Node::opposed},
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
    {"x", Kind::product, OwnerKind::product, {}},                            // and multiplied as IEEE 754 has it
    {"q", Kind::product, OwnerKind::product, {"limit", "yields", "ftz in"}}, // not aligned: its exponent does not count
    {"g", Kind::group, OwnerKind::group, {"empty"}},
    {"c", Kind::accumulator, OwnerKind::accumulator, {"ftz c", "as"}},
    {"sum", Kind::fuse, OwnerKind::fuse, {"floor", "carry"}},
    {"floored", Kind::fuse, OwnerKind::fuse, {"floor"}},
    {"add", Kind::fuse, OwnerKind::fuse, {}},
    {"round", Kind::round, OwnerKind::round, {"format", "round", "overflow", "ftz out", "zsign", "usign"}},
    // of IEEE, to nearest, to d's format, f32, f64, or more digits than d has; and of what begins a lane
    {"near", Kind::round, OwnerKind::round, {"(d)"}},
    {"single", Kind::round, OwnerKind::round, {"(f32)"}},
    {"double", Kind::round, OwnerKind::round, {"(f64)"}},
    {"wide", Kind::round, OwnerKind::round, {"accumulator"}},
    {"lane", Kind::round, OwnerKind::round, {"(d)", "zsign of lanes"}},
    {"z", Kind::accumulator, OwnerKind::accumulator, {}}, // +0, where there is no c
    {"cutsum", Kind::fuse, OwnerKind::fuse, {"plus"}},
    {"sticky", Kind::fuse, OwnerKind::fuse, {"floor", "(sticky)"}},
    {"framed", Kind::fuse, OwnerKind::fuse, {"frame", "opposed"}},
    {"@Fp", {}, OwnerKind::child, {"Fp", "align products"}},
    {"@Fq", {}, OwnerKind::child, {"F", "align"}},
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
        if (part.kind != Kind::accumulator || is_there(part)) put_slots(part, result);
        return result;
    }

  private:
    void children(ParametricNode& sum) {
        int products = 0;
        bool with_c = false;
        while (text_[at_] != ')') {
            const bool is_zero = text_.find_first_not_of(" (,", at_) == text_.find('z', at_);
            Edge edge{{node()}};
            const Node& child = edge.node.front();
            const Part& aligned = part_of(text_[at_] == '@' ? token("@F" + letters) : "@exact");
            if (child.kind == Kind::accumulator && !facts_.shape.c && !is_zero) continue;
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

    bool is_there(const Part& accumulator) const { return facts_.shape.c || accumulator.word == "z"; }

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

/// What d's own rounding is not the only one of: a step is rounded to f32 and then to d.
constexpr Hypothesis of_steps = {"round(single(add(q, c)))", "exact", ", each rounded to f32 and then to d"};

/// Chains that begin at +0, where there is no c. A product may be rounded before it is added.
constexpr Hypothesis from_zero[] = {
    {"round(add(q, z))", "exact", " from +0"},
    {"round(sum(p@F, z@F))", "fused", " from +0"},
    {"round(single(add(q, z)))", "exact", " from +0, each rounded to f32 and then to d"},
};

/// Whatever else is in a block.
constexpr Hypothesis of_rare_sums[] = {
    {"round(sticky(p@F, c@F))", "sticky fused", "", true},
    {"round(framed(p@F, c@F))", "fused", ", whose terms are negated in the sign of c"},
    // the sum is cut once more before it is rounded
    {"round(add(cutsum(p@F, c@F)@Fs))", "fused", ", cut once more", true, chained, 2},
    {"near(add(near(add(x)), c))", "rounded exact", ", added up from +0, c last", false, last, 2},
    {"near(add(round(sum(p@F)), c))", "rounded", ", added up from +0, c last", false, last, 2},
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
            chains_from_zero(L);
            if (is_narrow()) add(of_steps, L, 0);
        }
        if (shape_.K <= longest_written) {
            wide_accumulators();
            lanes();
        }
        for (const int L : divisors(shape_.K)) {
            for (const Hypothesis& h : of_rare_sums)
                if (!shape_.c || h.tree.find("cutsum") == h.tree.npos) add(h, L, 0);
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

    static constexpr int longest_written = 32; ///< products of a tree that names them one by one

    /// Whether rounding a product to that format never changes it.
    bool holds_products(FormatId id) const {
        const Format &f = format(id), &a = format(shape_.a), &b = format(shape_.b);
        return a.mantissa_bits + b.mantissa_bits + 2 <= f.mantissa_bits + 1 &&
               a.last_place() + b.last_place() >= f.last_place() && a.emax() + b.emax() + 1 <= f.emax() &&
               f.has_infinity();
    }
    bool rounds_products() const { return !holds_products(shape_.d); }
    bool is_narrow() const { return format(shape_.d).mantissa_bits < 23; }
    /// Two terms in d's format, to nearest: what software adds.
    static std::string sum_of(const std::string& x, const std::string& y) { return "near(add(" + x + ", " + y + "))"; }

    void chains_from_zero(int L) {
        if (shape_.c) return;
        const std::string of = L == 1 ? " additions of products" : " sums of " + std::to_string(L);
        if (L == 1) {
            if (rounds_products()) add("rounded products, added one by one from +0", "near(add(near(x0), z))", L);
            if (is_narrow() && !holds_products(FormatId::f32))
                add("products rounded to f32, added one by one from +0", "near(add(single(x0), z))", L);
        }
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
                for (const std::size_t neighbours : {0, 4, V}) { // how many lanes are left for sums of neighbours
                    if (!fused && 2 * V == K && neighbours < static_cast<std::size_t>(V)) continue; // as with K lanes
                    // what additions() has already
                    if (V == K && K <= 16 && (K == 2 || neighbours == static_cast<std::size_t>(V))) continue;
                    if (neighbours == 4 && V <= 4) continue;
                    if (neighbours != 0 && V <= 2) continue;
                    std::vector<std::string> terms = lanes;
                    fold(terms, true, std::max<std::size_t>(neighbours, 1));
                    fold(terms, false, 1);
                    const std::string of = V == K  ? "rounded products"
                                           : fused ? std::to_string(V) + " lanes of FMAs"
                                                   : std::to_string(V) + " lanes of rounded products";
                    const std::string how = neighbours == 0   ? " folded in halves"
                                            : neighbours == 4 ? " folded in halves, the last four in neighbours"
                                                              : " folded in neighbours";
                    add(of + how, shape_.c ? sum_of("c", terms.front()) : terms.front(), K);
                }
            }
        }
    }

    /// Products that are rounded, or cut on their own, before an exact or aligned sum of all of them.
    void sums_of_rounded(int L) {
        if (!shape_.c && L < shape_.K) return;
        std::string rounded, cut;
        for (int k = 0; k < L; ++k) {
            rounded += (k == 0 ? "" : ", ") + ("near(x" + std::to_string(k) + ")");
            cut += (k == 0 ? "" : ", ") + ("add(p" + std::to_string(k) + "@Fp)@Fq");
        }
        const std::string of = " of " + std::to_string(L);
        if (rounds_products()) add("exact sums" + of + " rounded products", "round(add(" + rounded + ", c))", L);
        if (L <= 8 && !shape_.c)
            add("fused sums" + of + " cut products, cut once more", "round(add(cutsum(" + cut + ", c@F)@Fs))", L);
    }

    const Shape& shape_;
    std::vector<Structure> structures_;
};

} // namespace

std::vector<Structure> default_space(const Shape& shape) { return Maker(shape).all(); }

} // namespace discern::identify
