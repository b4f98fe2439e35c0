// The machine-integer evaluator: runs a unit block by block in the narrowest integers that provably fit.
#include "evaluate.hpp"

#include "machine.hpp"

#include <stdexcept>

namespace discern {

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
    if (plan.width == Width::i128)
        if (const auto d = Machine<wide::i128>(plan, block).run()) return *d;
    if (plan.width != Width::big)
        if (const auto d = Machine<wide::Medium>(plan, block).run()) return *d;
    return *Machine<wide::Big>(plan, block).run();
}

Decoded add_last(const Plan& plan, const Decoded& d, std::uint64_t c) {
    const Block none{};
    const Decoded last = decode(*plan.c, c);
    if (const auto sum = Machine<wide::i128>(plan, none).add_last(d, last, *plan.c)) return *sum;
    if (const auto sum = Machine<wide::Medium>(plan, none).add_last(d, last, *plan.c)) return *sum;
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
    for (std::size_t first = 0; first < K; first += L) {
        for (std::size_t l = 0; l < L; ++l) {
            const std::size_t k = plan.order[first + l];
            a[l] = plan.decode_a(in.a[k]);
            b[l] = plan.decode_b(in.b[k]);
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
