// One block of a unit in integers of one width: the walk over the plan.
//
// Every function is a paragraph of docs/notation.md, "What a tree computes". Int is std::int64_t, wide::i128,
// wide::Medium or wide::Big; the plan says which is wide enough.
#pragma once

#include "plan.hpp"
#include "terms.hpp"

#include <array>
#include <climits>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>

namespace discern::integer {

/// Uninitialised room for n elements of a plain type, on the stack up to N of them.
template <typename T, std::size_t N>
class Buffer {
  public:
    explicit Buffer(std::size_t n) {
        static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
        if (n > N) heap_.reset(new std::byte[n * sizeof(T)]);
    }
    T* data() { return reinterpret_cast<T*>(heap_ ? heap_.get() : inline_.data()); }

  private:
    alignas(T) std::array<std::byte, N * sizeof(T)> inline_;
    std::unique_ptr<std::byte[]> heap_;
};

/// One block's operands, decoded.
struct Block {
    const Decoded* a;
    const Decoded* b;
    const Decoded* sa; ///< one for each element of the block; nullptr without scales
    const Decoded* sb;
    Decoded c;
    const Format* c_format;
};

inline bool is_subnormal(const Format& f, const Decoded& x) {
    return x.number_class == NumberClass::finite && x.significand != 0 && (x.significand >> f.mantissa_bits) == 0;
}

inline Decoded flushed(const Decoded& x, bool keeps_sign) {
    Decoded zero = x;
    zero.significand = 0;
    zero.negative = x.negative && keeps_sign;
    return zero;
}

template <typename Int>
class Machine {
  public:
    Machine(const Plan& plan, const Block& block) : plan_(plan), block_(block) {}

    /// The block's d, or nothing if an exact sum did not fit the integers.
    std::optional<Decoded> run() {
        const PlanNode& root = plan_.nodes.back();
        return round(root);
    }

    /// One IEEE addition, RNE, in d's format: how a last c is added.
    std::optional<Decoded> add_last(const Decoded& d, const Decoded& c, const Format& c_format) {
        Term<Int> sum;
        const Term<Int> terms[2] = {operand_term<Int>(*plan_.d, d), operand_term<Int>(c_format, c)};
        SpecialSum specials;
        ZeroSigns signs;
        for (const auto& term : terms) {
            specials.add(term);
            signs.add(term);
            signs.aligned(!wide::is_zero(term.value));
        }
        if (specials.any())
            sum = specials.result<Int>();
        else if (!exact_sum(terms, 2, sum))
            return std::nullopt;
        else
            sum.zero_sign = signs.of_zero_sum();
        Round ieee;
        ieee.format = plan_.unit.d;
        return round_term(ieee, *plan_.d, sum);
    }

  private:
    std::optional<Decoded> round(const PlanNode& node) {
        Term<Int> child;
        if (!evaluate(node.children.front().node, child)) return std::nullopt;
        return round_term(node.round, *node.format, child);
    }

    bool evaluate(std::size_t index, Term<Int>& term) {
        const PlanNode& node = plan_.nodes[index];
        switch (node.kind) {
        case NodeKind::product: product(node, term); return true;
        case NodeKind::group: group(node, term); return true;
        case NodeKind::accumulator: accumulator(node, term); return true;
        case NodeKind::fuse: return fuse(node, term);
        case NodeKind::round: {
            const auto result = round(node);
            if (result) term = operand_term<Int>(*node.format, *result);
            return result.has_value();
        }
        }
        return false;
    }

    /// NaN, infinity or neither, of a product of up to four factors; a NaN operand's payload comes from a before b.
    bool special_product(const Decoded* factors[4], std::size_t count, bool negative, Term<Int>& term) const {
        bool infinite = false, zero = false, scale_nan = false;
        for (std::size_t i = 0; i < count; ++i) {
            const Decoded& x = *factors[i];
            if (x.number_class == NumberClass::nan) {
                if (i < 2) {
                    term = operand_term<Int>(i == 0 ? *plan_.a : *plan_.b, x);
                    return true;
                }
                scale_nan = true;
            }
            infinite = infinite || x.number_class == NumberClass::infinite;
            zero = zero || x.is_zero();
        }
        if (scale_nan || (infinite && zero))
            term = special_term<Int>(Special::invalid_nan);
        else if (infinite)
            term = special_term<Int>(infinity_of(negative));
        return scale_nan || infinite;
    }

    void product(const PlanNode& node, Term<Int>& term) const {
        const auto l = static_cast<std::size_t>(node.index);
        const Product& rule = node.product;
        if (rule.flush) {
            const Decoded &a = block_.a[l], &b = block_.b[l];
            product_of(rule, l, is_subnormal(*plan_.a, a) ? flushed(a, rule.flush_keeps_sign) : a,
                       is_subnormal(*plan_.b, b) ? flushed(b, rule.flush_keeps_sign) : b, term);
        } else {
            product_of(rule, l, block_.a[l], block_.b[l], term);
        }
    }

    void product_of(const Product& rule, std::size_t l, const Decoded& a, const Decoded& b, Term<Int>& term) const {
        const bool negative = a.negative != b.negative;
        int exponent = a.exponent + b.exponent;
        int fraction = plan_.a->mantissa_bits + plan_.b->mantissa_bits;
        if (block_.sa == nullptr) {
            const Decoded* factors[4] = {&a, &b, nullptr, nullptr};
            if ((a.number_class != NumberClass::finite || b.number_class != NumberClass::finite) &&
                special_product(factors, 2, negative, term))
                return;
            term = finite_term<Int>(negative, significand_product(a, b), exponent - fraction, exponent);
        } else {
            const Decoded &sa = block_.sa[l], &sb = block_.sb[l];
            const Decoded* factors[4] = {&a, &b, &sa, &sb};
            if (special_product(factors, 4, negative, term)) return;
            exponent += sa.exponent + sb.exponent;
            fraction += 2 * plan_.scale->mantissa_bits;
            const wide::i128 scaled =
                significand_product(a, b) * static_cast<wide::i128>(sa.significand * sb.significand);
            term = finite_term<Int>(negative, scaled, exponent - fraction, exponent);
        }
        if (rule.normalisation != Normalisation::raw || rule.limit) refine(rule, fraction, negative, term);
    }

    static auto significand_product(const Decoded& a, const Decoded& b) {
        // Two 53-bit significands need 106 bits; in 64-bit plans the product was proved to fit 62.
        if constexpr (sizeof(Int) == 8)
            return static_cast<wide::i64>(a.significand * b.significand);
        else
            return static_cast<wide::i128>(a.significand) * static_cast<wide::i128>(b.significand);
    }

    void refine(const Product& rule, int fraction, bool negative, Term<Int>& term) const {
        if (wide::is_zero(term.value)) return;
        const int top = wide::bit_length(wide::magnitude(term.value)) - 1 + term.lsb;
        if (rule.limit && top >= *rule.limit) {
            const Special soft = negative ? Special::soft_minus : Special::soft_plus;
            term = special_term<Int>(rule.limit_yields ? soft : infinity_of(negative));
            return;
        }
        const bool carries = top > term.lsb + fraction; // significand ≥ 2
        if (rule.normalisation == Normalisation::full)
            term.exponent = top;
        else if (rule.normalisation == Normalisation::carry && carries)
            ++term.exponent;
    }

    void group(const PlanNode& node, Term<Int>& term) const {
        const auto size = static_cast<std::size_t>(node.group.size);
        const std::size_t first = static_cast<std::size_t>(node.index) * size;
        const Format &fa = *plan_.a, &fb = *plan_.b;
        wide::i128 sum = 0;
        ZeroSigns signs;
        SpecialSum specials;
        const Decoded* sa = block_.sa == nullptr ? nullptr : &block_.sa[first];
        const Decoded* sb = block_.sb == nullptr ? nullptr : &block_.sb[first];
        for (std::size_t l = first; l < first + size; ++l) {
            const Decoded &a = block_.a[l], &b = block_.b[l];
            const bool negative = a.negative != b.negative;
            const Decoded* factors[4] = {&a, &b, sa, sb};
            Term<Int> special = special_term<Int>(Special::finite);
            if (special_product(factors, sa == nullptr ? 2 : 4, negative, special)) {
                specials.add(special);
                continue;
            }
            // As multiples of the smallest product, 2^(emin − mantissa bits) of both formats.
            const wide::i128 fixed = static_cast<wide::i128>(a.significand * b.significand)
                                     << (a.exponent - fa.emin() + b.exponent - fb.emin());
            sum += negative ? -fixed : fixed;
            signs.add(negative);
            signs.aligned(fixed != 0);
        }
        if (specials.any()) {
            term = specials.result<Int>();
            return;
        }
        int lsb = fa.last_place() + fb.last_place();
        int exponent = 0;
        if (sa != nullptr) {
            const auto scale = static_cast<wide::i128>(sa->significand * sb->significand);
            sum *= scale;
            exponent = sa->exponent + sb->exponent;
            lsb += exponent - 2 * plan_.scale->mantissa_bits;
        }
        term = finite_term<Int>(sum < 0, sum < 0 ? -sum : sum, lsb, exponent);
        if (sum == 0) term.zero_sign = signs.of_zero_sum();
    }

    void accumulator(const PlanNode& node, Term<Int>& term) const {
        const Accumulator& rule = node.accumulator;
        const Format& f = *block_.c_format;
        const bool flush = rule.flush && is_subnormal(f, block_.c);
        term = operand_term<Int>(f, flush ? flushed(block_.c, rule.flush_keeps_sign) : block_.c);
        if (node.format == nullptr || term.special != Special::finite) return;
        // Converted exactly to another format: only the exponent of small numbers changes.
        const int emin = node.format->emin();
        const bool is_zero = wide::is_zero(term.value);
        const int top = is_zero ? emin : wide::bit_length(wide::magnitude(term.value)) - 1 + term.lsb;
        term.exponent = top < emin ? emin : top;
    }

    /// The usual sum, without the bookkeeping of the general one. False: some operand is special or the sum is zero,
    /// whose sign needs that bookkeeping.
    bool plain_sum(const PlanNode& node, Term<wide::i64>& sum) const {
        struct Aligned {
            wide::i64 value;
            int exponent, lsb;
        };
        Buffer<Aligned, 72> buffer(node.plain_products.size() + 1);
        Aligned* terms = buffer.data();
        std::size_t n = 0;
        int E = node.fuse.floor.value_or(none);
        const auto add = [&](bool negative, std::uint64_t significand, int exponent, int fraction) {
            if (significand == 0) return;
            const auto value = static_cast<wide::i64>(significand);
            terms[n++] = {negative ? -value : value, exponent, exponent - fraction};
            E = exponent > E ? exponent : E;
        };
        const int fraction = plan_.a->mantissa_bits + plan_.b->mantissa_bits;
        for (const std::size_t l : node.plain_products) {
            const Decoded &a = block_.a[l], &b = block_.b[l];
            if (a.number_class != NumberClass::finite || b.number_class != NumberClass::finite) return false;
            add(a.negative != b.negative, a.significand * b.significand, a.exponent + b.exponent, fraction);
        }
        if (node.plain_with_c) {
            const Decoded& c = block_.c;
            if (c.number_class != NumberClass::finite) return false;
            add(c.negative, c.significand, c.exponent, block_.c_format->mantissa_bits);
        }
        const int lsb = E - node.max_F;
        wide::i64 total = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const int shift = lsb - terms[i].lsb;
            total += shift > 0 ? truncate_shift(terms[i].value, shift) : wide::shift_left(terms[i].value, -shift);
        }
        if (total == 0) return false;
        sum = finite_term<wide::i64>(false, total, lsb, E);
        sum.zero_sign = ZeroSign::mixed;
        return true;
    }

    bool fuse(const PlanNode& node, Term<Int>& sum) {
        if constexpr (sizeof(Int) == 8)
            if (!node.plain_products.empty() && plain_sum(node, sum)) return true;
        const std::size_t n = node.children.size();
        Buffer<Term<Int>, sizeof(Int) <= 16 ? 72 : 3> buffer(n);
        Term<Int>* terms = buffer.data();
        SpecialSum specials;
        for (std::size_t i = 0; i < n; ++i) {
            if (!evaluate(node.children[i].node, terms[i])) return false;
            specials.add(terms[i]);
        }
        if (specials.any()) {
            sum = specials.result<Int>();
            return true;
        }
        // The largest reference exponent of the children that take part.
        int E = node.fuse.floor.value_or(none);
        for (std::size_t i = 0; i < n; ++i) {
            const int exponent = reference_exponent(terms[i], node.children[i].zero);
            E = exponent > E ? exponent : E;
        }
        // Align. Nobody taking part means that all values are zero, and any E gives zero.
        const int reference = E == none ? 0 : E;
        ZeroSigns signs;
        bool lost = false;
        for (std::size_t i = 0; i < n; ++i) {
            Term<Int>& term = terms[i];
            const PlanChild& child = node.children[i];
            signs.add(term);
            if (wide::is_zero(term.value)) continue;
            const bool dropped = child.has_drop && term.exponent < reference - child.drop;
            lost = lost || (node.fuse.sticky && (dropped || is_cut(child, reference, term)));
            if (dropped)
                wide::assign(term.value, 0);
            else if (!child.exact)
                align(child, reference, term);
            signs.aligned(!wide::is_zero(term.value));
        }
        if (node.exact) {
            if (!exact_sum(terms, n, sum)) return false;
        } else {
            fixed_sum(node, terms, n, reference, sum);
            if (lost) add_sticky(sum);
        }
        sum.exponent = E;
        sum.has_exponent = E != none;
        sum.zero_sign = signs.of_zero_sum();
        return true;
    }

    static constexpr int none = INT_MIN / 2; ///< the exponent of nobody

    static int reference_exponent(const Term<Int>& term, const ZeroExponent& zero) {
        if (wide::is_zero(term.value)) {
            if (zero.kind == ZeroExponent::Kind::ignore) return none;
            if (zero.kind == ZeroExponent::Kind::constant) return zero.value;
        }
        return term.has_exponent ? term.exponent : none;
    }

    /// Rounds a term to a multiple of 2^(E−F).
    static void align(const PlanChild& child, int E, Term<Int>& term) {
        const int lsb = E - child.F;
        const int shift = lsb - term.lsb;
        if constexpr (sizeof(Int) == 8) {
            if (child.rounding == Rounding::rz && shift > 0) {
                term.value = truncate_shift(term.value, shift);
                term.lsb = lsb;
                return;
            }
        }
        term.value = round_shift(term.value, shift, child.rounding);
        term.lsb = lsb;
    }

    /// Whether the term is no multiple of 2^(E−F).
    static bool is_cut(const PlanChild& child, int E, const Term<Int>& term) {
        const int shift = E - child.F - term.lsb;
        return shift > 0 && wide::any_below(wide::magnitude(term.value), shift);
    }

    /// Sets the last place, which no term reaches.
    static void add_sticky(Term<Int>& sum) {
        Int one;
        wide::assign(one, wide::negative(sum.value) ? -1 : 1);
        sum.value = wide::add(sum.value, one);
    }

    /// The sum of terms whose last places are E − F of their own, in the register of 2^(E − max F), or of one place
    /// more.
    static void fixed_sum(const PlanNode& node, const Term<Int>* terms, std::size_t n, int E, Term<Int>& sum) {
        sum = finite_term<Int>(false, 0, E - node.max_F - (node.fuse.sticky ? 1 : 0), E);
        for (std::size_t i = 0; i < n; ++i) {
            if (wide::is_zero(terms[i].value)) continue;
            const int shift = terms[i].lsb - sum.lsb;
            sum.value = wide::add(sum.value, shift == 0 ? terms[i].value : wide::shift_left(terms[i].value, shift));
        }
        if (node.fuse.carry) sum.value = wide::wrap(sum.value, node.max_F + *node.fuse.carry + 3);
    }

    /// The exact sum; false if it may not fit (never for wide::Big, whose capacity covers all formats).
    static bool exact_sum(const Term<Int>* terms, std::size_t n, Term<Int>& sum) {
        int low = INT_MAX, high = INT_MIN;
        for (std::size_t i = 0; i < n; ++i) {
            if (wide::is_zero(terms[i].value)) continue;
            low = terms[i].lsb < low ? terms[i].lsb : low;
            const int top = terms[i].lsb + wide::bit_length(wide::magnitude(terms[i].value));
            high = top > high ? top : high;
        }
        sum = finite_term<Int>(false, 0, low == INT_MAX ? 0 : low, 0);
        if (low == INT_MAX) return true;
        const int carry_bits = wide::bit_length(static_cast<std::uint64_t>(n));
        if (high - low + carry_bits + 1 > static_cast<int>(8 * sizeof(Int))) {
            if constexpr (sizeof(Int) < sizeof(wide::Big)) return false;
            throw std::logic_error("exact sum exceeds the capacity proved in wide_int.hpp");
        }
        for (std::size_t i = 0; i < n; ++i)
            if (!wide::is_zero(terms[i].value))
                sum.value = wide::add(sum.value, wide::shift_left(terms[i].value, terms[i].lsb - low));
        return true;
    }

    const Plan& plan_;
    const Block& block_;
};

} // namespace discern::integer
