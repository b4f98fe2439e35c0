#include "operands.hpp"

#include "models/machine.hpp"

namespace discern::identify {

using integer::Special;

Operands::Operands(const Unit& u, const Inputs& in)
    : format_a_(&format(u.a)), format_b_(&format(u.b)), format_scale_(u.scale ? &format(u.scale->format) : nullptr) {
    for (const std::uint64_t bits : in.a) a_.push_back(decode(*format_a_, bits));
    for (const std::uint64_t bits : in.b) b_.push_back(decode(*format_b_, bits));
    if (u.scale) {
        scale_block_ = static_cast<std::size_t>(u.scale->block);
        for (const std::uint64_t bits : in.sa) sa_.push_back(decode(*format_scale_, bits));
        for (const std::uint64_t bits : in.sb) sb_.push_back(decode(*format_scale_, bits));
    }
    if (u.c) c_ = decode(format(*u.c), in.c);
    for (std::size_t k = 0; k < a_.size(); ++k) products_.push_back(product(k, a_[k], b_[k]));
}

bool Operands::has_subnormal(std::size_t k) const {
    return integer::is_subnormal(*format_a_, a_[k]) || integer::is_subnormal(*format_b_, b_[k]);
}

ExactProduct Operands::scales(std::size_t k) const {
    if (format_scale_ == nullptr) return {Special::finite, false, 1, 0, 0};
    const Decoded &sa = sa_[k / scale_block_], &sb = sb_[k / scale_block_];
    const int exponent = sa.exponent + sb.exponent;
    return {Special::finite, false, static_cast<wide::i128>(sa.significand * sb.significand),
            exponent - 2 * format_scale_->mantissa_bits, exponent};
}

ExactProduct Operands::product(std::size_t k, const Decoded& a, const Decoded& b) const {
    const Decoded* factors[4] = {&a, &b, nullptr, nullptr};
    if (format_scale_ != nullptr) {
        factors[2] = &sa_[k / scale_block_];
        factors[3] = &sb_[k / scale_block_];
    }
    bool nan = false, infinite = false, zero = false;
    for (const Decoded* x : factors) {
        if (x == nullptr) continue;
        nan = nan || x->number_class == NumberClass::nan;
        infinite = infinite || x->number_class == NumberClass::infinite;
        zero = zero || x->is_zero();
    }
    const bool negative = a.negative != b.negative;
    const Special special = nan || (infinite && zero) ? Special::invalid_nan
                            : infinite                ? integer::infinity_of(negative)
                                                      : Special::finite;
    if (special != Special::finite) return {special, negative, 0, 0, 0};
    const ExactProduct scale = scales(k);
    const int exponent = a.exponent + b.exponent + scale.exponent;
    return {special, negative,
            static_cast<wide::i128>(a.significand) * static_cast<wide::i128>(b.significand) * scale.significand,
            a.exponent - format_a_->mantissa_bits + b.exponent - format_b_->mantissa_bits + scale.lsb, exponent};
}

} // namespace discern::identify
