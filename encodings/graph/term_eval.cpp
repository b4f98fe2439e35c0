// A straight-line program over the needed part of the graph. See term_eval.hpp.
#include "term_eval.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern {

namespace {

constexpr std::uint64_t mask(int width) { return width >= 64 ? ~0ull : (1ull << width) - 1; }

constexpr std::int64_t as_signed(std::uint64_t x, int width) {
    return static_cast<std::int64_t>(x << (64 - width)) >> (64 - width);
}

} // namespace

TermEvaluator::TermEvaluator(const Terms& terms, std::vector<Term> roots) : slot_of_(terms.size(), -1) {
    for (const Term t : terms.cone(roots)) {
        const auto slot = static_cast<std::uint32_t>(steps_.size());
        slot_of_[t.id] = slot;
        const int width = terms.width(t);
        bool narrow = width <= 64;
        const auto first = static_cast<std::uint32_t>(operands_.size());
        for (const Term a : terms.args(t)) {
            operands_.push_back(static_cast<std::uint32_t>(slot_of_[a.id]));
            narrow = narrow && terms.width(a) <= 64;
        }
        steps_.push_back(
            {terms.op(t), width, terms.low(t), narrow, first, static_cast<std::uint32_t>(operands_.size()) - first});
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
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        if (steps_[i].op == Op::constant || steps_[i].op == Op::variable) continue;
        if (steps_[i].narrow)
            run_narrow(i);
        else
            run_wide(i);
    }
}

void TermEvaluator::run_narrow(std::size_t at) {
    const Step& s = steps_[at];
    const auto slot = [&](std::uint32_t i) { return operands_[s.first + i]; };
    const auto arg = [&](std::uint32_t i) { return words_[slot(i)]; };
    const auto arg_width = [&](std::uint32_t i) { return steps_[slot(i)].width; };
    const auto w = static_cast<std::uint64_t>(s.width);
    std::uint64_t r = 0;
    switch (s.op) {
    case Op::constant:
    case Op::variable: return;
    case Op::bvnot: r = ~arg(0); break;
    case Op::bvand: r = arg(0) & arg(1); break;
    case Op::bvor: r = arg(0) | arg(1); break;
    case Op::bvxor: r = arg(0) ^ arg(1); break;
    case Op::bvneg: r = ~arg(0) + 1; break;
    case Op::bvadd:
        for (std::uint32_t i = 0; i < s.count; ++i) r += arg(i);
        break;
    case Op::bvmul: r = arg(0) * arg(1); break;
    case Op::bvumax:
        for (std::uint32_t i = 0; i < s.count; ++i) r = std::max(r, arg(i));
        break;
    case Op::bvshl: r = arg(1) >= w ? 0 : arg(0) << arg(1); break;
    case Op::bvlshr: r = arg(1) >= w ? 0 : arg(0) >> arg(1); break;
    case Op::bvashr:
        r = static_cast<std::uint64_t>(as_signed(arg(0), s.width) >> std::min<std::uint64_t>(arg(1), 63));
        break;
    case Op::bvult: r = arg(0) < arg(1) ? 1 : 0; break;
    case Op::eq: r = arg(0) == arg(1) ? 1 : 0; break;
    case Op::ite: r = arg(0) != 0 ? arg(1) : arg(2); break;
    case Op::concat: r = arg(0) << arg_width(1) | arg(1); break;
    case Op::extract: r = arg(0) >> s.low; break;
    case Op::zero_extend: r = arg(0); break;
    case Op::sign_extend: r = static_cast<std::uint64_t>(as_signed(arg(0), arg_width(0))); break;
    }
    words_[at] = r & mask(s.width);
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
