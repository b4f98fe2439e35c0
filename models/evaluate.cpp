// The machine-integer evaluator: walks the plan of a unit, block by block, in the narrowest integers that provably fit.
#include "evaluate.hpp"

#include "plan.hpp"
#include "terms.hpp"

#include <array>
#include <climits>
#include <stdexcept>

namespace discern {

namespace integer {

namespace {

/// A buffer that lives on the stack up to N elements; elements start uninitialised.
template <typename T, std::size_t N>
class Buffer {
  public:
    explicit Buffer(std::size_t n) {
        if (n > N) heap_.reset(new T[n]);
    }
    T* data() { return heap_ ? heap_.get() : inline_.data(); }

  private:
    std::array<T, N> inline_;
    std::unique_ptr<T[]> heap_;
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

bool is_subnormal(const Format& f, const Decoded& x) {
    return x.number_class == NumberClass::finite && x.significand != 0 && (x.significand >> f.mantissa_bits) == 0;
}

Decoded flushed(const Decoded& x, bool keeps_sign) {
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
        for (const auto& term : terms) specials.add(term);
        if (specials.any()) {
            sum = specials.result<Int>();
        } else if (!exact_sum(terms, 2, sum)) {
            return std::nullopt;
        }
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
        Decoded a = block_.a[l], b = block_.b[l];
        if (rule.flush) {
            if (is_subnormal(*plan_.a, a)) a = flushed(a, rule.flush_keeps_sign);
            if (is_subnormal(*plan_.b, b)) b = flushed(b, rule.flush_keeps_sign);
        }
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
        bool plus = false, minus = false, nonzero = false;
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
            nonzero = nonzero || fixed != 0;
            (negative ? minus : plus) = true;
        }
        if (specials.any()) {
            term = specials.result<Int>();
            return;
        }
        int lsb = fa.emin() - fa.mantissa_bits + fb.emin() - fb.mantissa_bits;
        int exponent = 0;
        if (sa != nullptr) {
            const auto scale = static_cast<wide::i128>(sa->significand * sb->significand);
            nonzero = nonzero && scale != 0;
            sum *= scale;
            exponent = sa->exponent + sb->exponent;
            lsb += exponent - 2 * plan_.scale->mantissa_bits;
        }
        term = finite_term<Int>(sum < 0, sum < 0 ? -sum : sum, lsb, exponent);
        if (sum == 0) {
            const bool mixed = nonzero || (plus && minus);
            term.zero_sign = mixed ? ZeroSign::mixed : minus ? ZeroSign::minus : ZeroSign::plus;
        }
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

    bool fuse(const PlanNode& node, Term<Int>& sum) {
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
        constexpr int none = INT_MIN / 2;
        int E = node.fuse.floor.value_or(none);
        for (std::size_t i = 0; i < n; ++i) {
            int exponent = terms[i].has_exponent ? terms[i].exponent : none;
            if (wide::is_zero(terms[i].value)) {
                const ZeroExponent& zero = node.children[i].zero;
                if (zero.kind == ZeroExponent::Kind::ignore) exponent = none;
                if (zero.kind == ZeroExponent::Kind::constant) exponent = zero.value;
            }
            E = exponent > E ? exponent : E;
        }
        // Align. Nobody taking part means that all values are zero, and any E gives zero.
        const int reference = E == none ? 0 : E;
        bool plus = false, minus = false, nonzero = false;
        for (std::size_t i = 0; i < n; ++i) {
            Term<Int>& term = terms[i];
            const PlanChild& child = node.children[i];
            const bool is_zero = wide::is_zero(term.value);
            const bool negative = wide::negative(term.value);
            if (is_zero ? term.zero_sign == ZeroSign::plus : !negative)
                plus = true;
            else if (is_zero ? term.zero_sign == ZeroSign::minus : negative)
                minus = true;
            else
                plus = minus = true;
            if (is_zero) continue;
            if (child.has_drop && term.exponent < reference - child.drop)
                wide::assign(term.value, 0);
            else if (!child.exact)
                align(child, reference, term);
            nonzero = nonzero || !wide::is_zero(term.value);
        }
        if (node.exact) {
            if (!exact_sum(terms, n, sum)) return false;
        } else {
            fixed_sum(node, terms, n, reference, sum);
        }
        sum.exponent = E;
        sum.has_exponent = E != none;
        sum.zero_sign = nonzero || (plus && minus) ? ZeroSign::mixed : minus ? ZeroSign::minus : ZeroSign::plus;
        return true;
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

    /// The sum of terms whose last places are E − F of their own, in the register of 2^(E − max F).
    static void fixed_sum(const PlanNode& node, const Term<Int>* terms, std::size_t n, int E, Term<Int>& sum) {
        sum = finite_term<Int>(false, 0, E - node.max_F, E);
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
        bool plus = false, minus = false;
        for (std::size_t i = 0; i < n; ++i) (terms[i].zero_sign == ZeroSign::minus ? minus : plus) = true;
        sum = finite_term<Int>(false, 0, low == INT_MAX ? 0 : low, 0);
        sum.zero_sign = low != INT_MAX || (plus && minus) ? ZeroSign::mixed : minus ? ZeroSign::minus : ZeroSign::plus;
        if (low == INT_MAX) return true;
        const int carry_bits = wide::bit_length(static_cast<std::uint64_t>(n));
        if (high - low + carry_bits + 1 > static_cast<int>(8 * sizeof(Int))) {
            if constexpr (sizeof(Int) <= 16) return false;
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

} // namespace

} // namespace integer

struct Evaluator::Impl : integer::Plan {
    using integer::Plan::Plan;
};

Evaluator::Evaluator(const Unit& unit) : impl_(std::make_unique<const Impl>(unit)) {}
Evaluator::~Evaluator() = default;
Evaluator::Evaluator(Evaluator&&) noexcept = default;
Evaluator& Evaluator::operator=(Evaluator&&) noexcept = default;

const Unit& Evaluator::unit() const { return impl_->unit; }

namespace {

using integer::Block;
using integer::Machine;
using integer::Plan;
using integer::Width;

Decoded run_block(const Plan& plan, const Block& block) {
    if (plan.width == Width::i64) return *Machine<wide::i64>(plan, block).run();
    if (plan.width != Width::big)
        if (const auto d = Machine<wide::i128>(plan, block).run()) return *d;
    return *Machine<wide::Big>(plan, block).run();
}

Decoded add_last(const Plan& plan, const Decoded& d, std::uint64_t c) {
    const Block none{};
    const Decoded last = decode(*plan.c, c);
    if (const auto sum = Machine<wide::i128>(plan, none).add_last(d, last, *plan.c)) return *sum;
    return *Machine<wide::Big>(plan, none).add_last(d, last, *plan.c);
}

std::uint64_t result_bits(const Plan& plan, const Decoded& d) {
    if (d.number_class == NumberClass::nan) {
        switch (plan.unit.nan.kind) {
        case NanRule::Kind::pattern: return plan.unit.nan.bits;
        case NanRule::Kind::any: return quiet_nan(*plan.d);
        case NanRule::Kind::propagate: break;
        }
    }
    return pack(*plan.d, d);
}

} // namespace

std::uint64_t Evaluator::operator()(const Inputs& in) const {
    const Plan& plan = *impl_;
    const Unit& unit = plan.unit;
    const auto K = static_cast<std::size_t>(unit.K), L = static_cast<std::size_t>(unit.L);
    const auto scales = static_cast<std::size_t>(unit.scales());
    if (in.a.size() != K || in.b.size() != K || in.sa.size() != scales || in.sb.size() != scales)
        throw std::logic_error("Evaluator: the inputs have the wrong sizes");

    integer::Buffer<Decoded, 256> buffer(4 * L);
    Decoded* a = buffer.data();
    Decoded *b = a + L, *sa = b + L, *sb = sa + L;
    Block block{a, b, scales == 0 ? nullptr : sa, scales == 0 ? nullptr : sb, {}, plan.d};
    block.c.exponent = plan.d->emin(); // +0
    if (unit.c && unit.place == AccumulatorPlace::chained) {
        block.c = decode(*plan.c, in.c);
        block.c_format = plan.c;
    }
    const Round& root = plan.nodes.back().round;
    const int widen = plan.d->mantissa_bits - format(root.format).mantissa_bits;
    for (int i = 0; i < unit.blocks(); ++i) {
        for (std::size_t l = 0; l < L; ++l) {
            const auto k = static_cast<std::size_t>(unit.element(i, static_cast<int>(l)));
            a[l] = decode(*plan.a, in.a[k]);
            b[l] = decode(*plan.b, in.b[k]);
            if (scales != 0) {
                const std::size_t s = k / static_cast<std::size_t>(unit.scale->block);
                sa[l] = decode(*plan.scale, in.sa[s]);
                sb[l] = decode(*plan.scale, in.sb[s]);
            }
        }
        block.c = run_block(plan, block);
        // The root's format is stored in d's (e8m13 in f32): the same number with more fraction bits.
        block.c.significand <<= widen;
        block.c.payload <<= widen;
        block.c_format = plan.d;
    }
    if (unit.place == AccumulatorPlace::last) block.c = add_last(plan, block.c, in.c);
    return result_bits(plan, block.c);
}

bool same_result(const Unit& unit, std::uint64_t d1, std::uint64_t d2) {
    if (d1 == d2) return true;
    const Format& d = format(unit.d);
    return unit.nan.kind == NanRule::Kind::any && decode(d, d1).number_class == NumberClass::nan &&
           decode(d, d2).number_class == NumberClass::nan;
}

} // namespace discern
