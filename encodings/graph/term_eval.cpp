// A straight-line program over the needed part of the graph. See term_eval.hpp.
#include "term_eval.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern {

namespace {

constexpr std::uint64_t mask_of(int width) { return width >= 64 ? ~0ull : (1ull << width) - 1; }

constexpr std::int64_t as_signed(std::uint64_t x, int width) {
    return static_cast<std::int64_t>(x << (64 - width)) >> (64 - width);
}

} // namespace

TermEvaluator::TermEvaluator(const Terms& terms, std::vector<Term> roots) : slot_of_(terms.size(), -1) {
    for (const Term t : terms.cone(roots)) {
        const auto slot = static_cast<std::uint32_t>(steps_.size());
        slot_of_[t.id] = slot;
        const int width = terms.width(t);
        Step step{terms.op(t), width <= 64, width,         terms.low(t), static_cast<std::uint32_t>(operands_.size()),
                  0,           {},          mask_of(width)};
        for (const Term a : terms.args(t)) {
            const auto operand = static_cast<std::uint32_t>(slot_of_[a.id]);
            operands_.push_back(operand);
            if (step.count < step.operand.size()) step.operand[step.count] = operand;
            ++step.count;
            step.narrow = step.narrow && terms.width(a) <= 64;
        }
        steps_.push_back(step);
        if (step.op != Op::constant && step.op != Op::variable) computed_.push_back(slot);
        words_.push_back(0);
        wide_.emplace_back(width > 64 ? width : 1);
        if (terms.op(t) == Op::constant) {
            words_[slot] = terms.value(t).low();
            if (width > 64) wide_[slot] = terms.value(t);
        }
    }
}

void TermEvaluator::set(Term variable, const Bits& value) {
    if (variable.id >= slot_of_.size() || slot_of_[variable.id] < 0) return;
    const auto slot = static_cast<std::size_t>(slot_of_[variable.id]);
    if (steps_[slot].op != Op::variable || steps_[slot].width != value.width())
        throw std::logic_error("TermEvaluator: only a variable can be set, to a value of its width");
    words_[slot] = value.low();
    if (value.width() > 64) wide_[slot] = value;
}

void TermEvaluator::set(Term variable, std::uint64_t value) {
    if (variable.id >= slot_of_.size() || slot_of_[variable.id] < 0) return;
    set(variable, Bits(steps_[static_cast<std::size_t>(slot_of_[variable.id])].width, value));
}

void TermEvaluator::run() {
    for (const std::uint32_t slot : computed_) {
        if (steps_[slot].narrow)
            words_[slot] = narrow_result(steps_[slot]) & steps_[slot].mask;
        else
            run_wide(slot);
    }
}

inline std::uint64_t TermEvaluator::narrow_result(const Step& s) const {
    const std::uint64_t* const words = words_.data();
    // An operand that is none is read as slot 0.
    const std::uint64_t a = words[s.operand[0]];
    const std::uint64_t b = words[s.operand[1]];
    const auto width_of_operand = [&](std::size_t i) { return steps_[s.operand[i]].width; };
    switch (s.op) {
    case Op::constant:
    case Op::variable: break;
    case Op::bvnot: return ~a;
    case Op::bvand: return a & b;
    case Op::bvor: return a | b;
    case Op::bvxor: return a ^ b;
    case Op::bvneg: return ~a + 1;
    case Op::bvadd: {
        std::uint64_t sum = a;
        for (std::uint32_t i = 1; i < s.count; ++i) sum += words[operands_[s.first + i]];
        return sum;
    }
    case Op::bvmul: return a * b;
    case Op::bvumax: {
        std::uint64_t most = a;
        for (std::uint32_t i = 1; i < s.count; ++i) most = std::max(most, words[operands_[s.first + i]]);
        return most;
    }
    case Op::bvshl: return b >= static_cast<std::uint64_t>(s.width) ? 0 : a << b;
    case Op::bvlshr: return b >= static_cast<std::uint64_t>(s.width) ? 0 : a >> b;
    case Op::bvashr: return static_cast<std::uint64_t>(as_signed(a, s.width) >> std::min<std::uint64_t>(b, 63));
    case Op::bvult: return a < b ? 1 : 0;
    case Op::eq: return a == b ? 1 : 0;
    case Op::ite: return a != 0 ? b : words[s.operand[2]];
    case Op::concat: return a << width_of_operand(1) | b;
    case Op::extract: return a >> s.low;
    case Op::zero_extend: return a;
    case Op::sign_extend: return static_cast<std::uint64_t>(as_signed(a, width_of_operand(0)));
    }
    return 0;
}

void TermEvaluator::run_wide(std::size_t at) {
    const Step& s = steps_[at];
    std::vector<Bits> widened;
    widened.reserve(s.count);
    std::vector<const Bits*> args;
    for (std::uint32_t i = 0; i < s.count; ++i) {
        const std::uint32_t slot = operands_[s.first + i];
        if (steps_[slot].width > 64)
            args.push_back(&wide_[slot]);
        else
            args.push_back(&widened.emplace_back(steps_[slot].width, words_[slot]));
    }
    const Bits result = apply(s.op, s.width, args, s.low);
    words_[at] = result.low();
    if (s.width > 64) wide_[at] = result;
}

Bits TermEvaluator::value(Term t) const {
    const auto slot = static_cast<std::size_t>(slot_of_.at(t.id));
    return steps_[slot].width > 64 ? wide_[slot] : Bits(steps_[slot].width, words_[slot]);
}

std::uint64_t TermEvaluator::low(Term t) const { return words_[static_cast<std::size_t>(slot_of_.at(t.id))]; }

} // namespace discern
