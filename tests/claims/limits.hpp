// Limits of inputs as a reader of their documentation would check them: one number after the other, by its value.
#pragma once

#include "models/evaluate.hpp"
#include "models/random.hpp"
#include "models/unit.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace discern::claims {

class ReadLimits {
  public:
    /// @param options  of a command; those that are no limits are passed over
    explicit ReadLimits(const std::vector<std::string>& options);

    bool pass(const Unit& unit, const Inputs& inputs) const;
    /// The first operand none of whose patterns passes; empty if there is none. Every pattern of every operand is
    /// tried.
    std::string empty_operand(const Unit& unit) const;

  private:
    struct Interval {
        std::string operand;
        double low = 0, high = 0;
        bool of_exponents = false;
    };
    bool passes(const Format& format, std::string_view operand, std::uint64_t pattern) const;

    bool finite_ = false, normal_ = false;
    std::vector<Interval> intervals_;
};

/// One to four options that limit the inputs of a unit, at the ends of what its formats have, or near them.
/// @param exponents  may there be a --range
std::vector<std::string> draw_limits(Random& random, const Unit& unit, bool exponents);

} // namespace discern::claims
