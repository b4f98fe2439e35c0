// D = alpha · A·B + beta · C around the chains of a unit: one fused multiply-add for each element, in d's format.
#pragma once

#include "models/evaluate.hpp"
#include "models/unit.hpp"

#include <cstdint>
#include <optional>

namespace discern::fast {

class Update {
  public:
    /// @param nan  the pattern of every NaN
    /// @throws Error if alpha or beta is not a number of d's format
    Update(const Unit& unit, double alpha, double beta, std::uint64_t nan);

    /// alpha · acc + RN(beta · c), to nearest even.
    std::uint64_t operator()(std::uint64_t acc, std::uint64_t c) const;

    /// Whether c counts: beta is not 0.
    bool reads_c() const { return reads_c_; }

  private:
    const Format* d_;
    std::uint64_t nan_, alpha_, beta_; ///< in d's format
    bool reads_c_;
    Evaluator times_c_, add_;
};

} // namespace discern::fast
