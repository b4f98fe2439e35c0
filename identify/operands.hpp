// A vector's operands as the evaluation of boxes needs them: decoded once, with the products that no parameter changes.
#pragma once

#include "models/evaluate.hpp"
#include "models/format.hpp"
#include "models/terms.hpp"
#include "models/unit.hpp"
#include "models/wide_int.hpp"

#include <vector>

namespace discern::identify {

/// a·b·sa·sb before anything is done to it.
struct ExactProduct {
    integer::Special special; ///< finite, an infinity, or NaN
    bool negative;
    wide::i128 significand; ///< not below 0
    int lsb;                ///< the value is significand · 2^lsb
    int exponent;           ///< of the operands' fields together
};

class Operands {
  public:
    /// @param unit  formats, K and scales; its tree does not count
    Operands(const Unit& unit, const Inputs& inputs);

    const Decoded& a(std::size_t k) const { return a_[k]; }
    const Decoded& b(std::size_t k) const { return b_[k]; }
    const Decoded& c() const { return c_; }
    /// Whether a rule about subnormal operands can change the product of element k.
    bool has_subnormal(std::size_t k) const;
    /// Of element k as it is.
    const ExactProduct& product(std::size_t k) const { return products_[k]; }
    /// Of element k with other a and b.
    ExactProduct product(std::size_t k, const Decoded& a, const Decoded& b) const;
    /// The scales of element k multiplied: significand, lsb and exponent; one if there are none.
    ExactProduct scales(std::size_t k) const;

    const Format& a_format() const { return *format_a_; }
    const Format& b_format() const { return *format_b_; }

  private:
    const Format *format_a_, *format_b_, *format_scale_;
    std::size_t scale_block_ = 1;
    std::vector<Decoded> a_, b_, sa_, sb_; ///< scales one for each block of them
    Decoded c_;
    std::vector<ExactProduct> products_;
};

} // namespace discern::identify
