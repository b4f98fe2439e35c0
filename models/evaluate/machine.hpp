// One block of a unit in integers of one width: the walk over the tree.
//
// Every function is a paragraph of docs/notation.md, "What a tree computes". Int is std::int64_t, wide::i128,
// wide::Medium or wide::Big.
//
// A Reader supplies the parameters. One reads the numbers of a plan (plan_reader.hpp); the other reads the sets of
// values that an unknown unit may still have (identification/identify/box_reader.hpp), and splits where two values give
// different results. Therefore the walk asks for a parameter as late as it can, and says on what of its value the
// computation depends. A Reader has
//     choose(field, key_of)  a value of the parameter; the walk uses key_of(value) and nothing else of it
//     any(field, holds)      whether a possible value satisfies `holds`
//     child, edges           the child of an edge; the edges of a node
//     count, each_leaf       the number of terms below a node; a visit to each of them
//     element                one of the block that has the scales of a scaled child
//     product_exponent       the reference exponent of a product, by its normalisation
//     exponent_for_drop      the exponent that `drop` compares with E
//     reference              E of a fuse
//     align, sum             the terms aligned to E; their exact sum
//     add_one, stick         one unit more or less for an inverted term; the sticky bit
//     carry, round           the wrapping register; the conversion to a format
//     gathered               called with the terms of a sum before they are aligned
//     Context, below         what a node passes down to its children
#pragma once

#include "block.hpp"
#include "models/unit/tree_shape.hpp"
#include "terms.hpp"

#include "models/parametric/structure.hpp"

#include <algorithm>
#include <bit>
#include <climits>
#include <cstddef>
#include <vector>

namespace discern::integer {

/// The exponent of a child's term, unless it is zero: then `zero` says.
template <typename Int>
int reference_exponent(const Term<Int>& term, int zero) {
    return wide::is_zero(term.value) && zero != parametric::own ? zero : term.exponent;
}

/// E, or the exponent with which a child of reference exponent `exponent` takes part in the maximum, if that is larger.
template <typename Reader, typename Edge>
int raised_by(Reader& reader, const Edge& edge, int E, int exponent) {
    const auto raised = [&](int less) { return exponent <= no_exponent ? E : std::max(E, exponent - less); };
    return raised(reader.choose(edge.less, raised));
}
/// Asks what raised_by() asks, so that it may be called where nothing can be asked.
template <typename Reader, typename Edge>
void settle_raise(Reader& reader, const Edge& edge) {
    reader.choose(edge.less, [](int less) { return less; });
}
/// The least and the most that this may be, if parameters are not known.
template <typename Reader, typename Edge>
int least_raised_by(const Reader& reader, const Edge& edge, int E, int exponent) {
    int most = 0;
    reader.any(edge.less, [&](int less) {
        most = std::max(most, less);
        return false;
    });
    return exponent <= no_exponent ? E : std::max(E, exponent - most);
}
template <typename Reader, typename Edge>
int most_raised_by(const Reader& reader, const Edge& edge, int E, int exponent) {
    int least = INT_MAX;
    reader.any(edge.less, [&](int less) {
        least = std::min(least, less);
        return false;
    });
    return exponent <= no_exponent ? E : std::max(E, exponent - least);
}

/// Visits the terms of a sum, each with the edge that it is of.
template <typename Reader, typename Node, typename Term, typename Visit>
void each_term(const Reader& reader, const Node& sum, Term* term, Visit visit) {
    for (const auto& edge : reader.edges(sum))
        for (Term* const end = term + reader.count(edge); term != end; ++term) visit(edge, *term);
}

template <typename Int, typename Reader>
class Machine {
  public:
    using Node = typename Reader::Node;
    using Context = typename Reader::Context;
    using Term = integer::Term<Int>;

    Machine(Reader& reader, const Block& block) : reader_(reader), block_(block), frame_(block.frame) {}

    /// The block's result; false if an exact sum did not fit the integers.
    bool round(const Node& node, Rounded& result) {
        Special special = Special::finite;
        return round(node, result, special);
    }

  private:
    /// @param special  what was rounded
    bool round(const Node& node, Rounded& result, Special& special) {
        Term term;
        if (!evaluate(reader_.child(node), {}, &term)) return false;
        if (term.special == Special::tentative_nan) term.special = frame_.nan.invalid;
        special = term.special;
        result = reader_.round(node, term);
        return true;
    }

    /// @param term  of products and groups the first
    bool evaluate(const Node& node, const Context& context, Term* term) {
        using Kind = typename Node::Kind;
        switch (node.kind) {
        case Kind::product: reader_.each_leaf(node, [&](std::size_t l) { product(node, l, *term++); }); return true;
        case Kind::group: reader_.each_leaf(node, [&](std::size_t g) { group(node, g, *term++); }); return true;
        case Kind::accumulator: accumulator(node, *term); return true;
        case Kind::fuse: return fuse(node, context, *term);
        case Kind::round: {
            Rounded result;
            Special special = Special::finite;
            if (!round(node, result, special)) return false;
            *term = operand_term<Int>(*result.format, result.value);
            if (frame_.nan.rdna && term->special == Special::operand_nan) term->special = special; // for another round
            return true;
        }
        }
        return false;
    }

    /// Whether the parameter has a value for which that holds.
    template <typename Field, typename Predicate>
    bool is(const Field& field, Predicate holds) {
        return holds(reader_.choose(field, holds));
    }

    /// The operand as it is read.
    template <typename Field>
    Decoded operand(const Format& f, const Decoded& x, const Field& ftz) {
        if (!reader_.any(ftz, [](int rule) { return rule != 0; })) return x;
        if (x.is_zero() && x.negative && is(ftz, [](int rule) { return rule == 3; })) {
            Decoded plus = x;
            plus.negative = false;
            return plus;
        }
        if (!is_subnormal(f, x)) return x;
        const auto sign_left = [&x](int rule) { return rule == 0 ? 2 : x.negative && rule == 1 ? 1 : 0; };
        const int rule = reader_.choose(ftz, sign_left);
        if (rule == 0) return x;
        Decoded zero = x;
        zero.significand = 0;
        zero.negative = x.negative && rule == 1;
        return zero;
    }

    /// An operand that may be special, as it is read.
    Decoded operand(const Node& node, const Format& f, const Decoded& x) {
        const auto holds = [](int v) { return v != 0; };
        Decoded read = x;
        if (x.number_class == NumberClass::infinite && is(node.product.infnan, holds)) {
            read.number_class = NumberClass::nan;
            read.payload = no_payload;
        }
        if (read.number_class == NumberClass::nan && is(node.product.nanzero, holds)) {
            read = {};
            read.negative = x.negative;
            read.exponent = f.emin();
        }
        return read_again(f, operand(f, read, node.product.ftz), node.product.as);
    }

    /// A factor in a wider format. Formats with exponents, of which the significand of a normal number is in [1, 2).
    template <typename Field>
    Decoded read_again(const Format& f, Decoded x, const Field& as) {
        const int leading_zeros = f.mantissa_bits + 1 - static_cast<int>(std::bit_width(x.significand));
        if (x.number_class != NumberClass::finite || leading_zeros == 0) return x;
        const auto exponent_as = [&](int id) {
            if (id == parametric::none) return x.exponent;
            const int emin = format(static_cast<FormatId>(id)).emin();
            return x.is_zero() ? emin : std::max(emin, x.exponent - leading_zeros);
        };
        const int exponent = exponent_as(reader_.choose(as, exponent_as));
        if (!x.is_zero()) x.significand <<= x.exponent - exponent;
        x.exponent = exponent;
        return x;
    }
    static constexpr std::uint64_t no_payload = ~0ull; ///< of a NaN that an infinity is read as: it carries nothing

    /// NaN, infinity or neither, of a product of up to four factors; a NaN operand's payload comes from a before b.
    /// @param beats_zero  asked where infinity meets zero: whether that is infinite
    template <typename BeatsZero>
    bool special_product(const Decoded* factors[4], std::size_t count, bool negative, Term& term,
                         BeatsZero beats_zero) const {
        bool infinite = false, zero = false, empty_nan = false;
        for (std::size_t i = 0; i < count; ++i) {
            const Decoded& x = *factors[i];
            if (x.number_class == NumberClass::nan) {
                if (i < 2 && x.payload != no_payload) {
                    term = operand_term<Int>(i == 0 ? *frame_.a : *frame_.b, x);
                    if (frame_.nan.rdna) term.special = Special::factor_nan;
                    return true;
                }
                empty_nan = true;
            }
            infinite = infinite || x.number_class == NumberClass::infinite;
            zero = zero || x.is_zero();
        }
        if (empty_nan || (infinite && zero && !beats_zero()))
            term = special_term<Int>(frame_.nan.invalid);
        else if (infinite)
            term = special_term<Int>(infinity_of(negative));
        return empty_nan || infinite;
    }

    void product(const Node& node, std::size_t l, Term& term) {
        const Decoded a = operand(node, *frame_.a, block_.a[l]), b = operand(node, *frame_.b, block_.b[l]);
        const auto beats_zero = [&] { return is(node.product.infzero, [](int v) { return v != 0; }); };
        const bool negative = a.negative != b.negative;
        int exponent = a.exponent + b.exponent;
        int fraction = frame_.a->mantissa_bits + frame_.b->mantissa_bits;
        if (frame_.scale == nullptr) {
            const Decoded* factors[4] = {&a, &b, nullptr, nullptr};
            if ((a.number_class != NumberClass::finite || b.number_class != NumberClass::finite) &&
                special_product(factors, 2, negative, term, beats_zero))
                return;
            term = finite_term<Int>(negative, significand_product(a, b), exponent - fraction, exponent);
        } else {
            const Decoded &sa = block_.sa[l], &sb = block_.sb[l];
            const Decoded* factors[4] = {&a, &b, &sa, &sb};
            if (special_product(factors, 4, negative, term, beats_zero)) return;
            exponent += sa.exponent + sb.exponent;
            fraction += 2 * frame_.scale->mantissa_bits;
            const wide::i128 scaled =
                significand_product(a, b) * static_cast<wide::i128>(sa.significand * sb.significand);
            term = finite_term<Int>(negative, scaled, exponent - fraction, exponent);
        }
        const auto reaches = [&](int limit) {
            return limit != parametric::none && !wide::is_zero(term.value) && top_of(term) >= limit;
        };
        if (is(node.product.limit, reaches)) {
            const bool yields = is(node.product.oinf_yields, [](int v) { return v != 0; });
            const Special tentative = negative ? Special::tentative_minus : Special::tentative_plus;
            term = special_term<Int>(yields ? tentative : infinity_of(negative));
            return;
        }
        term.exponent = reader_.product_exponent(node, term);
    }

    static auto significand_product(const Decoded& a, const Decoded& b) {
        // Two 53-bit significands need 106 bits; in 64-bit plans the product was proved to fit 62.
        if constexpr (sizeof(Int) == 8)
            return static_cast<wide::i64>(a.significand * b.significand);
        else
            return static_cast<wide::i128>(a.significand) * static_cast<wide::i128>(b.significand);
    }

    /// A rounded number times one scale, or both one after the other. The significands of f64 and of both scales are 61
    /// bits.
    void multiply_scale(Term& term, const Decoded& scale) const {
        const bool infinite = term.special == Special::plus_infinity || term.special == Special::minus_infinity;
        if (term.special != Special::finite && !infinite) return; // a NaN that is kept
        if (scale.number_class == NumberClass::nan || (infinite && scale.is_zero()))
            term = special_term<Int>(frame_.nan.invalid);
        if (term.special != Special::finite) return;
        const std::uint64_t significand = wide::low_word(wide::magnitude(term.value)) * scale.significand;
        const ZeroSign sign = term.zero_sign;
        term = finite_term<Int>(wide::negative(term.value), static_cast<wide::i128>(significand),
                                term.lsb + scale.exponent - frame_.sum_scale->mantissa_bits,
                                term.exponent + scale.exponent);
        if (significand == 0) term.zero_sign = sign;
    }

    void group(const Node& node, std::size_t index, Term& term) {
        const auto size = static_cast<std::size_t>(node.size);
        const std::size_t first = index * size;
        const Format &fa = *frame_.a, &fb = *frame_.b;
        wide::i128 sum = 0;
        bool empty = true; // no product is not zero
        ZeroSigns signs;
        SpecialSum specials(frame_.nan);
        const Decoded* sa = frame_.scale == nullptr ? nullptr : &block_.sa[first];
        const Decoded* sb = frame_.scale == nullptr ? nullptr : &block_.sb[first];
        for (std::size_t l = first; l < first + size; ++l) {
            const Decoded &a = block_.a[l], &b = block_.b[l];
            const bool negative = a.negative != b.negative;
            const Decoded* factors[4] = {&a, &b, sa, sb};
            Term special = special_term<Int>(Special::finite);
            if (special_product(factors, sa == nullptr ? 2 : 4, negative, special, [] { return false; })) {
                specials.add(special);
                continue;
            }
            // Fixed point, in units of the smallest product, 2^(emin − mantissa bits) of both formats.
            const wide::i128 fixed = static_cast<wide::i128>(a.significand * b.significand)
                                     << (a.exponent - fa.emin() + b.exponent - fb.emin());
            sum += negative ? -fixed : fixed;
            signs.add(negative);
            signs.aligned(fixed != 0);
            empty = empty && fixed == 0;
        }
        if (specials.any()) {
            term = specials.template result<Int>();
            return;
        }
        int lsb = fa.lsb() + fb.lsb();
        int exponent = 0;
        if (sa != nullptr) {
            const auto scale = static_cast<wide::i128>(sa->significand * sb->significand);
            sum *= scale;
            exponent = sa->exponent + sb->exponent;
            lsb += exponent - 2 * frame_.scale->mantissa_bits;
            empty = empty || scale == 0;
        }
        if (empty) {
            const auto given = [exponent](int rule) {
                return rule == parametric::own ? exponent : rule == parametric::ignore ? no_exponent : rule;
            };
            exponent = given(reader_.choose(node.group.empty, given));
        }
        term = finite_term<Int>(sum < 0, sum < 0 ? -sum : sum, lsb, exponent);
        if (sum == 0) term.zero_sign = signs.of_zero_sum();
    }

    void accumulator(const Node& node, Term& term) {
        const Format& f = *block_.c_format;
        term = operand_term<Int>(f, operand(f, block_.c, node.accumulator.ftz));
        if (term.special != Special::finite) return;
        // Converted exactly to another format: only the exponent of small numbers changes.
        const auto converted = [&](int as) {
            if (as == parametric::none) return term.exponent;
            const int emin = format(static_cast<FormatId>(as)).emin();
            return wide::is_zero(term.value) ? emin : std::max(emin, top_of(term));
        };
        term.exponent = converted(reader_.choose(node.accumulator.as, converted));
    }

    bool fuse(const Node& node, const Context& context, Term& sum) {
        if constexpr (sizeof(Int) == 8)
            if (reader_.plain_sum(node, block_, sum)) return true;
        std::size_t n = 0;
        for (const auto& edge : reader_.edges(node)) n += reader_.count(edge);
        Buffer<Term, sizeof(Int) <= 16 ? 72 : 3> buffer(n);
        Term* const terms = buffer.data();
        SpecialSum specials(frame_.nan);
        Term* term = terms;
        for (const auto& edge : reader_.edges(node)) {
            if (!evaluate(reader_.child(edge), reader_.below(node, edge, terms, context), term)) return false;
            if (reader_.child(edge).kind == Node::Kind::round && term->special >= Special::invalid_nan)
                term->special = Special::operand_nan; // a rounded NaN is kept as an accumulator's is
            for (const Scaled by : {Scaled::a, Scaled::b})
                if (is(edge.scaled, [by](int v) { return multiplies(static_cast<Scaled>(v), by); }))
                    multiply_scale(*term, (by == Scaled::a ? block_.sa : block_.sb)[reader_.element(edge)]);
            for (Term* const end = term + reader_.count(edge); term != end; ++term) specials.add(*term);
        }
        reader_.gathered(node, terms);
        if (specials.any()) {
            sum = specials.template result<Int>();
            return true;
        }
        // If no term takes part in E, all values are zero, and the sum is zero for any E.
        const int reference = reader_.reference(node, terms, context);
        const int E = reference == no_exponent ? 0 : reference;
        ZeroSigns signs;
        const int frame = reference == no_exponent ? 0 : frame_of(node, terms);
        const std::vector<int> inverted = frame == 0 ? std::vector<int>() : inverted_lsbs(node, terms, frame, E);
        bool lost = false; // a term was dropped, or (if the reader needs to know) truncated
        each_term(reader_, node, terms, [&](const auto& edge, Term& child) {
            signs.add(child);
            if (wide::is_zero(child.value)) return;
            const int exponent = reader_.exponent_for_drop(edge, child);
            const auto drops = [&](int d) { return d != parametric::none && exponent < E - d; };
            if (is(edge.drop, drops)) {
                wide::assign(child.value, 0);
                lost = true;
            } else {
                reader_.align(node, edge, E, child, signs, lost);
            }
        });
        if (!reader_.sum(node, terms, E, sum, signs, lost)) return false;
        for (const int lsb : inverted) {
            reader_.add_one(sum, frame > 0, lsb);
            signs.aligned(true);
        }
        if (lost) reader_.stick(node, E, sum);
        // The register ends at 2^(E + carry + 2), and a sign.
        const auto wrapped = [&](int carry) {
            const int width = E + carry + 3 - sum.lsb;
            Int value;
            wide::assign(value, 0);
            return width > 0 ? wide::wrap(sum.value, width) : value;
        };
        if (const int carry = reader_.carry(node, sum, wrapped); carry != parametric::none) sum.value = wrapped(carry);
        sum.exponent = reference;
        sum.zero_sign = signs.of_zero_sum();
        const auto is_plus = [&](int plus) { return plus != 0 || sum.zero_sign == ZeroSign::plus; };
        if (wide::is_zero(sum.value) && is(node.fuse.plus, is_plus)) sum.zero_sign = ZeroSign::plus;
        return true;
    }

    /// The sign of the fuse's frame, 1 or -1; 0 if it has none.
    int frame_of(const Node& node, const Term* terms) {
        if (!reader_.any(node.fuse.frame, [](int frame) { return frame != 0; })) return 0;
        const Term* c = nullptr;
        each_term(reader_, node, terms, [&](const auto& edge, const Term& term) {
            if (reader_.child(edge).kind == Node::Kind::accumulator) c = &term;
        });
        const auto sign = [c](int frame) {
            const bool zero = c == nullptr || wide::is_zero(c->value);
            if (c == nullptr || frame == 0 || (zero && static_cast<SignFrame>(frame) == SignFrame::nonzero_c)) return 0;
            if (!zero) return wide::negative(c->value) ? -1 : 1;
            return static_cast<SignFrame>(frame) == SignFrame::c && c->zero_sign == ZeroSign::minus ? -1 : 1;
        };
        const int frame = sign(reader_.choose(node.fuse.frame, sign));
        return frame != 0 && may_be_inverted(node) ? frame : 0;
    }
    /// can_have_frame() for parameters that may still have other values.
    bool may_be_inverted(const Node& node) {
        for (const auto& edge : reader_.edges(node)) {
            const auto kind = reader_.child(edge).kind;
            if (kind != Node::Kind::accumulator && kind != Node::Kind::product) return false;
            if (is(edge.F, [](int F) { return F == parametric::exact; })) return false;
            if (is(edge.drop, [](int n) { return n != parametric::none; })) return false;
        }
        // A register that wraps is not sticky.
        return !is(node.fuse.sticky, [](int v) { return v != 0; }) ||
               is(node.fuse.carry, [](int w) { return w != parametric::none; });
    }
    /// Exponents of the last bits of the terms whose sign differs from the frame's, and which are inverted.
    std::vector<int> inverted_lsbs(const Node& node, const Term* terms, int frame, int E) {
        std::vector<int> lsbs;
        each_term(reader_, node, terms, [&](const auto& edge, const Term& term) {
            if (reader_.child(edge).kind == Node::Kind::accumulator) return;
            const bool zero = wide::is_zero(term.value);
            const bool negative = zero ? term.zero_sign == ZeroSign::minus : wide::negative(term.value);
            if (negative == (frame < 0)) return;
            const int lsb = E - reader_.choose(edge.F, [](int F) { return F; });
            bool vanishes = zero;
            if (!zero &&
                reader_.any(node.fuse.opposed, [](int rule) { return static_cast<Opposed>(rule) == Opposed::kept; }))
                vanishes = is(edge.rounding, [&](auto mode) {
                    return wide::is_zero(
                        round_shift(term.value, std::max(0, lsb - term.lsb), static_cast<Rounding>(mode)));
                });
            const auto counts = [&](int rule) {
                const auto which = static_cast<Opposed>(rule);
                return which == Opposed::all || !(which == Opposed::nonzero ? zero : vanishes);
            };
            if (is(node.fuse.opposed, counts)) lsbs.push_back(lsb);
        });
        return lsbs;
    }

    Reader& reader_;
    const Block& block_;
    const Frame& frame_;
};

} // namespace discern::integer
