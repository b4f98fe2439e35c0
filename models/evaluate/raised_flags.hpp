// What the exact oracle notes of the status flags while it evaluates a tree.
#pragma once

#include "exact_numbers.hpp"

#include "models/evaluate.hpp"
#include "models/flags.hpp"

namespace discern::exact {

/// The flags that were raised so far.
class RaisedFlags {
  public:
    /// @param of_8_bits  whether formats of 8 bits have signalling NaN
    explicit RaisedFlags(Tininess tininess = Tininess::after, bool of_8_bits = true)
        : tininess_(tininess), of_8_bits_(of_8_bits) {}

    /// A signalling NaN is an invalid operation (IEEE 754, §6.2.1 and §7.2a).
    void by_operand(const Format& format, std::uint64_t bits);
    /// So is zero times infinity (§7.2b).
    void by_product(const Number& a, const Number& b);
    /// And the sum of infinities of both signs (§7.2d), whatever else is added.
    void by_sum(const std::vector<Number>& terms);
    /// Overflow (§7.4), underflow (§7.5) and inexact (§7.6).
    /// @param before  what was rounded
    void by_rounding(const Round& round, const Number& before, const Number& after);

    StatusFlags flags() const { return flags_; }

  private:
    void raise(StatusFlag flag, bool condition) {
        if (condition) flags_ = static_cast<StatusFlags>(flags_ | bits_of(flag));
    }

    Tininess tininess_;
    bool of_8_bits_;
    StatusFlags flags_ = 0;
};

/// d, and the flags that were raised on the way to it, as every operation of the tree would raise them.
std::uint64_t evaluate_exactly(const Unit& unit, const Inputs& inputs, RaisedFlags& raised);

} // namespace discern::exact
