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

TermEvaluator::TermEvaluator(const Terms& terms, std::vector<Term> roots, std::size_t lanes)
    : lanes_(lanes), slot_of_(terms.size(), -1) {
    if (lanes != 1 && lanes != most_lanes) throw std::logic_error("TermEvaluator: as many lanes are not to be had");
    for (const Term t : terms.cone(roots)) {
        const auto slot = static_cast<std::uint32_t>(steps_.size());
        slot_of_[t.id] = slot;
        const int width = terms.width(t);
        Step step{terms.op(t), width <= 64, width,          terms.low(t), static_cast<std::uint32_t>(operands_.size()),
                  0,           {},          mask_of(width), wide_.size()};
        for (const Term a : terms.args(t)) {
            const auto operand = static_cast<std::uint32_t>(slot_of_[a.id]);
            operands_.push_back(operand);
            if (step.count < step.operand.size()) step.operand[step.count] = operand;
            ++step.count;
            step.narrow = step.narrow && terms.width(a) <= 64;
        }
        steps_.push_back(step);
        const bool is_constant = step.op == Op::constant;
        if (!is_constant && step.op != Op::variable) computed_.push_back(slot);
        words_.resize(words_.size() + lanes, is_constant ? terms.value(t).low() : 0);
        if (width > 64) wide_.resize(wide_.size() + lanes, is_constant ? terms.value(t) : Bits(width));
    }
}

void TermEvaluator::set(Term variable, const Bits& value, std::size_t lane) {
    if (variable.id >= slot_of_.size() || slot_of_[variable.id] < 0) return;
    const Step& step = steps_[static_cast<std::size_t>(slot_of_[variable.id])];
    if (step.op != Op::variable || step.width != value.width())
        throw std::logic_error("TermEvaluator: only a variable can be set, to a value of its width");
    words_[place(variable, lane)] = value.low();
    if (value.width() > 64) wide_[step.wide + lane] = value;
}

void TermEvaluator::set(Term variable, std::uint64_t value, std::size_t lane) {
    if (variable.id >= slot_of_.size() || slot_of_[variable.id] < 0) return;
    set(variable, Bits(steps_[static_cast<std::size_t>(slot_of_[variable.id])].width, value), lane);
}

void TermEvaluator::run() {
    if (lanes_ == 1)
        run_all<1>();
    else
        run_all<most_lanes>();
}

template <std::size_t lanes>
void TermEvaluator::run_all() {
    for (const std::uint32_t slot : computed_) {
        if (steps_[slot].narrow)
            run_narrow<lanes>(steps_[slot], words_.data() + slot * lanes);
        else
            for (std::size_t lane = 0; lane < lanes; ++lane) run_wide(slot, lane);
    }
}

template <std::size_t lanes>
inline void TermEvaluator::run_narrow(const Step& s, std::uint64_t* results) const {
    const auto of_slot = [&](std::uint32_t slot) { return words_.data() + slot * lanes; };
    // An operand that is none is read as slot 0.
    const std::uint64_t *const a = of_slot(s.operand[0]), *const b = of_slot(s.operand[1]),
                               *const c = of_slot(s.operand[2]);
    const auto width_of_operand = [&](std::size_t i) { return steps_[s.operand[i]].width; };
    const auto each = [&](auto result) {
        std::array<std::uint64_t, lanes> all;
        for (std::size_t i = 0; i < lanes; ++i) all[i] = result(i) & s.mask;
        std::copy(all.begin(), all.end(), results);
    };
    /// Of any number of operands.
    const auto each_of_all = [&](auto combined) {
        std::array<std::uint64_t, lanes> all;
        std::copy_n(a, lanes, all.begin());
        for (std::uint32_t k = 1; k < s.count; ++k) {
            const std::uint64_t* const next = of_slot(operands_[s.first + k]);
            for (std::size_t i = 0; i < lanes; ++i) all[i] = combined(all[i], next[i]);
        }
        each([&](std::size_t i) { return all[i]; });
    };
    const auto width = static_cast<std::uint64_t>(s.width);
    switch (s.op) {
    case Op::constant:
    case Op::variable: break;
    case Op::bvnot: return each([&](std::size_t i) { return ~a[i]; });
    case Op::bvand: return each([&](std::size_t i) { return a[i] & b[i]; });
    case Op::bvor: return each([&](std::size_t i) { return a[i] | b[i]; });
    case Op::bvxor: return each([&](std::size_t i) { return a[i] ^ b[i]; });
    case Op::bvneg: return each([&](std::size_t i) { return ~a[i] + 1; });
    case Op::bvadd: return each_of_all([](std::uint64_t x, std::uint64_t y) { return x + y; });
    case Op::bvmul: return each([&](std::size_t i) { return a[i] * b[i]; });
    case Op::bvumax: return each_of_all([](std::uint64_t x, std::uint64_t y) { return std::max(x, y); });
    case Op::bvshl: return each([&](std::size_t i) { return b[i] >= width ? 0 : a[i] << b[i]; });
    case Op::bvlshr: return each([&](std::size_t i) { return b[i] >= width ? 0 : a[i] >> b[i]; });
    case Op::bvashr:
        return each([&](std::size_t i) {
            return static_cast<std::uint64_t>(as_signed(a[i], s.width) >> std::min<std::uint64_t>(b[i], 63));
        });
    case Op::bvult: return each([&](std::size_t i) { return std::uint64_t{a[i] < b[i]}; });
    case Op::eq: return each([&](std::size_t i) { return std::uint64_t{a[i] == b[i]}; });
    case Op::ite: return each([&](std::size_t i) { return a[i] != 0 ? b[i] : c[i]; });
    case Op::concat: return each([&, low = width_of_operand(1)](std::size_t i) { return a[i] << low | b[i]; });
    case Op::extract: return each([&](std::size_t i) { return a[i] >> s.low; });
    case Op::zero_extend: return each([&](std::size_t i) { return a[i]; });
    case Op::sign_extend:
        return each([&, from = width_of_operand(0)](std::size_t i) {
            return static_cast<std::uint64_t>(as_signed(a[i], from));
        });
    }
}

void TermEvaluator::run_wide(std::size_t at, std::size_t lane) {
    const Step& s = steps_[at];
    std::vector<Bits> widened;
    widened.reserve(s.count);
    std::vector<const Bits*> args;
    for (std::uint32_t i = 0; i < s.count; ++i) {
        const std::uint32_t slot = operands_[s.first + i];
        if (steps_[slot].width > 64)
            args.push_back(&wide_[steps_[slot].wide + lane]);
        else
            args.push_back(&widened.emplace_back(steps_[slot].width, words_[slot * lanes_ + lane]));
    }
    const Bits result = apply(s.op, s.width, args, s.low);
    words_[at * lanes_ + lane] = result.low();
    if (s.width > 64) wide_[s.wide + lane] = result;
}

std::size_t TermEvaluator::place(Term t, std::size_t lane) const {
    return static_cast<std::size_t>(slot_of_.at(t.id)) * lanes_ + lane;
}

Bits TermEvaluator::value(Term t, std::size_t lane) const {
    const Step& step = steps_[static_cast<std::size_t>(slot_of_.at(t.id))];
    return step.width > 64 ? wide_[step.wide + lane] : Bits(step.width, words_[place(t, lane)]);
}

std::uint64_t TermEvaluator::low(Term t, std::size_t lane) const { return words_[place(t, lane)]; }

} // namespace discern
