// The walk over the tree, with a bound on the bits of each intermediate number.
#include "steps.hpp"

#include "models/unit/nan_rule.hpp"
#include "recipe.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace discern::fast {

namespace {

constexpr int exact_bits = 51; ///< of integers that are truncated in doubles, by adding and subtracting 2^52 too

int bits_for(int count) { return static_cast<int>(std::bit_width(static_cast<unsigned>(std::max(count - 1, 0)))); }

/// A part of the tree as an operand of what is above it.
struct Part {
    StepTerm term{};
    int top = 1;           ///< its magnitude is below 2^(its exponent + top)
    bool in_double = true; ///< false: rounded to odd, so that only a rounding may read it
    bool has_exponent = true;
};

class Walk {
  public:
    explicit Walk(const Unit& unit) : unit_(unit), a_(format(unit.a)), b_(format(unit.b)) {}

    std::optional<Steps> operator()() {
        if (unit_.L > most_terms || !formats() || !nan_rule()) return std::nullopt;
        const Node tree = expand(unit_);
        if (!std::holds_alternative<Round>(tree.kind) || !part(tree, nullptr)) return std::nullopt;
        return steps_;
    }

  private:
    bool formats() const {
        const auto is_result = [](FormatId id) {
            const Format& f = format(id);
            return f.is_signed && f.mantissa_bits <= 23 && f.exponent_bits <= 8 && f.specials == Specials::ieee &&
                   !is_by_fields(id);
        };
        // Tables of operands have floats, and what is wider than 16 bits is read as f32 has it.
        const auto is_operand = [](const Format& f) {
            return f.is_signed && f.mantissa_bits <= 23 && f.emax() <= 127 && f.lsb() >= -149 &&
                   (!is_by_fields(f.id) || f.width <= 16);
        };
        if (!is_result(unit_.d) || !is_operand(a_) || !is_operand(b_)) return false;
        if (unit_.c && !is_result(*unit_.c)) return false;
        return !unit_.scale || format(unit_.scale->format).mantissa_bits == 0;
    }

    bool nan_rule() {
        if (!unit_.nan.keeps_operands()) return true;
        const auto ieee = [](const Format& f) { return f.specials == Specials::ieee; };
        const bool ranked = unit_.nan.kind == NanRule::Kind::rdna;
        if (format(unit_.d).width < 16) return false; // accumulators of other widths do not keep the bits of NaN
        if (unit_.place == AccumulatorPlace::last || unit_.scale || (!ranked && (!ieee(a_) || !ieee(b_)))) return false;
        steps_.nan = ranked ? NanBits::ranked : NanBits::operands;
        steps_.invalid_as_factor = ranked && invalid_is_as_of_factor(unit_);
        return true;
    }

    std::optional<Part> part(const Node& node, const Node* above) {
        if (const auto* p = std::get_if<Product>(&node.kind)) return product(*p);
        if (const auto* c = std::get_if<Accumulator>(&node.kind)) return accumulator(*c);
        if (const auto* fuse = std::get_if<Fuse>(&node.kind)) return sum(*fuse, above);
        if (const auto* round = std::get_if<Round>(&node.kind)) return rounding(*round, node, above);
        return std::nullopt;
    }

    std::optional<Part> product(const Product& p) {
        if (p.normalisation != Normalisation::raw || p.infnan || p.nanzero || p.infzero) return std::nullopt;
        const auto flushed = flushed_of(p);
        if (!flushed) return std::nullopt;
        const int scales = unit_.scale ? 2 * format(unit_.scale->format).emax() + 2 : 0;
        const bool reachable = p.limit && *p.limit < a_.below() + b_.below() + scales;
        if (reachable && *p.limit < -500) return std::nullopt;
        const double limit = reachable ? std::ldexp(1.0, *p.limit) : 0;
        const bool yields = reachable && p.oinf_yields;
        // All products alike: their operands are flushed when they are packed.
        const OperandExponents exponents = exponents_of(p);
        if (has_product_ && (*flushed != steps_.operands || exponents != steps_.exponents || limit != steps_.limit ||
                             yields != steps_.oinf_yields))
            return std::nullopt;
        has_product_ = true;
        steps_.operands = *flushed;
        steps_.exponents = exponents;
        steps_.limit = limit;
        steps_.oinf_yields = yields;
        return Part{.term = {.kind = StepTerm::Kind::product, .index = static_cast<std::int16_t>(p.which.first)},
                    .top = 2};
    }

    std::optional<Part> accumulator(const Accumulator& c) {
        if (!c.zin_keep || (c.ftz && c.as)) return std::nullopt;
        if (c.as && format(*c.as).emin() < -126) return std::nullopt;
        if (c.as) steps_.c_emin = format(*c.as).emin();
        steps_.flushes_c = c.ftz;
        steps_.flushed_c_keeps_sign = c.fsign_keep;
        return Part{.term = {.kind = StepTerm::Kind::accumulator}};
    }

    /// The next step, whose terms are in the list from `first` on.
    std::optional<Part> add(Step step, const std::vector<StepTerm>& terms) {
        const auto count = static_cast<int>(terms.size());
        if (steps_.count == most_steps || steps_.terms + count > most_terms) return std::nullopt;
        step.first = static_cast<std::uint8_t>(steps_.terms);
        step.count = static_cast<std::uint8_t>(count);
        std::copy(terms.begin(), terms.end(), steps_.term + steps_.terms);
        steps_.terms += count;
        steps_.step[steps_.count] = step;
        return Part{.term = {.kind = StepTerm::Kind::step, .index = static_cast<std::int16_t>(steps_.count++)}};
    }

    std::optional<Part> sum(const Fuse& fuse, const Node* above) {
        if (fuse.carry) return std::nullopt;
        std::vector<Part> parts;
        for (const Child& child : fuse.children) {
            auto one = part(child.get(), nullptr);
            if (!one || !one->in_double) return std::nullopt;
            parts.push_back(*one);
        }
        return all_aligned(fuse) ? aligned(fuse, parts, above) : exact(fuse, parts);
    }

    /// The modes that kernels have; all others are those of the evaluator.
    static bool is_known(Rounding mode) {
        return mode == Rounding::rz || mode == Rounding::rd || mode == Rounding::rne || mode == Rounding::odd;
    }

    /// How a child is aligned; false if the kernel does not know that.
    static bool align(const Child& child, StepTerm& term) {
        using Kind = ZeroExponent::Kind;
        if (!is_known(child.rounding)) return false;
        term.F = static_cast<std::int16_t>(*child.F);
        term.mode = child.rounding;
        term.less = static_cast<std::int16_t>(child.less);
        if (term.kind == StepTerm::Kind::product) return child.zero.kind == Kind::ignore && !child.drop;
        if (child.drop) term.drop = static_cast<std::int16_t>(*child.drop);
        if (term.kind == StepTerm::Kind::step) return child.zero.kind == Kind::own;
        if (child.zero.kind == Kind::constant && (child.zero.value > 0 || child.zero.value < -500)) return false;
        term.zero = static_cast<std::int16_t>(child.zero.kind == Kind::ignore ? no_exponent
                                              : child.zero.kind == Kind::own  ? own_exponent
                                                                              : child.zero.value);
        return true;
    }

    std::optional<Part> aligned(const Fuse& fuse, std::vector<Part>& parts, const Node* above) {
        Step step;
        step.kind = Step::Kind::aligned;
        step.plus = fuse.plus;
        step.sticky = fuse.sticky;
        step.frame = fuse.frame;
        step.opposed = fuse.opposed;
        step.raise_to = fuse.step.value_or(0);
        step.phase = fuse.phase;
        step.floor = std::max(fuse.floor.value_or(lowest_exponent), lowest_exponent);
        if (unit_.scale || a_.is_fixed_point() || b_.is_fixed_point() || step.floor > 300) return std::nullopt;
        // The zero of a sum in a frame is of both signs, which the kernel does not tell from +0.
        const auto* round = above == nullptr ? nullptr : std::get_if<Round>(&above->kind);
        if ((fuse.frame != SignFrame::none || fuse.sticky) && (round == nullptr || round->zsign_ieee))
            return std::nullopt;
        int top = 0;
        int less_of_products = -1, may_drop = 0;
        std::vector<StepTerm> terms;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            Part& one = parts[i];
            if (!one.has_exponent || !align(fuse.children[i], one.term)) return std::nullopt;
            if (one.term.kind == StepTerm::Kind::product) {
                if (less_of_products >= 0 && less_of_products != one.term.less) return std::nullopt;
                less_of_products = one.term.less;
            }
            if (one.term.drop >= 0 && ++may_drop > most_dropped) return std::nullopt;
            step.F = std::max<int>(step.F, one.term.F);
            top = std::max(top, one.top + one.term.less);
            terms.push_back(one.term);
        }
        // One more where terms are inverted, or rounded away from zero.
        top += bits_for(static_cast<int>(parts.size())) + 1;
        if (top + step.F + (fuse.sticky ? 1 : 0) > exact_bits) return std::nullopt;
        for (StepTerm& term : terms) term.unit = std::ldexp(1.0, step.F - term.F);
        auto made = add(step, terms);
        if (made) made->top = top;
        return made;
    }

    std::optional<Part> exact(const Fuse& fuse, const std::vector<Part>& parts) {
        Step step;
        step.kind = Step::Kind::exact;
        int products = 0, others = 0;
        std::vector<StepTerm> terms;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const Child& child = fuse.children[i];
            if (child.F || child.drop) return std::nullopt;
            terms.push_back(parts[i].term);
            (parts[i].term.kind == StepTerm::Kind::product ? products : others) += 1;
        }
        if (fuse.plus || fuse.sticky || fuse.frame != SignFrame::none) return std::nullopt;
        if (products + others > 3) {
            const int of_sum = bits_for(products) + 2;
            step.split = 53 - 2 - of_sum;
            if (others > 1 || products < 2 || !scales_alike() || spread() - step.split + of_sum > 53)
                return std::nullopt;
        }
        auto made = add(step, terms);
        if (made) made->in_double = made->has_exponent = false;
        return made;
    }

    /// Whether the scales of a block are one, which its products then have in common.
    bool scales_alike() const { return !unit_.scale || (unit_.scale->block % unit_.L == 0 && unit_.interleave == 0); }
    /// From the last bit of the smallest product to the first one of the largest, scales apart.
    int spread() const { return a_.emax() + b_.emax() - a_.lsb() - b_.lsb(); }

    std::optional<Part> rounding(const Round& round, const Node& node, const Node* above) {
        const auto one = part(round.get(), &node);
        if (!one) return std::nullopt;
        const Format& f = format(round.format);
        Step step;
        step.kind = Step::Kind::round;
        step.mode = round.mode;
        if (!is_known(round.mode)) return std::nullopt;
        if (f.specials != Specials::ieee || !f.has_subnormals() || f.exponent_bits > 8 || f.mantissa_bits > 40)
            return std::nullopt;
        step.flush_sign = round.fsign_keep;
        step.zero_sign = round.zsign_ieee;
        const bool nearest = round.mode == Rounding::rne;
        step.to = result_in(f, nearest, round.usign_keep);
        step.to_largest = round.overflow == Overflow::largest || (round.overflow == Overflow::ieee && !nearest);
        if (step.to_largest && round.mode == Rounding::rd) return std::nullopt; // as the sign says
        step.flushes_result = round.ftz == Flush::result;
        // After rounding: from halfway to the smallest normal number up, magnitudes reach it.
        const double least = step.to.least;
        if (round.ftz == Flush::before) step.flush_below = least;
        if (round.ftz == Flush::after)
            step.flush_below = nearest ? least - std::ldexp(least, -f.mantissa_bits - 2) : least;
        if (round.ftz == Flush::after && round.mode == Rounding::rd) return std::nullopt;
        step.native = nearest && f.id == FormatId::f32 && !step.to_largest && !step.flushes_result &&
                      step.zero_sign == step.to.keep_sign;
        const auto* next = above == nullptr ? nullptr : std::get_if<Round>(&above->kind);
        // Zeros of both signs make −0 under rd, which the kernel does not tell from +0.
        if (round.mode == Rounding::rd && round.zsign_ieee && (next == nullptr || next->zsign_ieee))
            return std::nullopt;
        step.kinds_stay = next != nullptr && steps_.nan == NanBits::ranked;
        if (steps_.nan == NanBits::ranked)
            step.factor_nan = 0xff800000u | static_cast<std::uint32_t>(factor_nan_fraction(f)
                                                                       << (23 - std::min(23, f.mantissa_bits)));
        if (steps_.nan != NanBits::canonical && f.mantissa_bits > 23) return std::nullopt;
        auto made = add(step, {one->term});
        if (!made) return made;
        made->has_exponent = f.mantissa_bits <= 23;
        return made;
    }

    static std::optional<Flushed> flushed_of(const Product& p) {
        if (!p.ftz) return p.zin_keep ? std::optional(Flushed::none) : std::nullopt;
        if (p.fsign_keep) return p.zin_keep ? std::optional(Flushed::subnormals_keep_signs) : std::nullopt;
        return p.zin_keep ? Flushed::subnormals : Flushed::subnormals_and_zeros;
    }

    const Unit& unit_;
    const Format &a_, &b_;
    bool has_product_ = false;
    Steps steps_;
};

} // namespace

Result result_in(const Format& f, bool nearest, bool keep_sign) {
    const int m = f.mantissa_bits;
    return {.mantissa_bits = m,
            .emin = f.emin(),
            .to_nearest = nearest,
            .keep_sign = keep_sign,
            .max_finite = std::ldexp(static_cast<double>(f.max_significand()), f.emax() - m),
            .least = std::ldexp(1.0, f.emin()),
            .up = std::ldexp(1.0, m),
            .down = std::ldexp(1.0, -m),
            .nearest = std::ldexp(1.5, 52 - m),
            .nearest_in_f32 = m > 23 ? 0 : std::ldexp(1.5F, 23 - m)};
}

std::optional<Steps> steps_of(const Unit& unit) { return Walk(unit)(); }

} // namespace discern::fast
