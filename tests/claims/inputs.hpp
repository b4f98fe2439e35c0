// The inputs with which a claim is compared: all of a unit that has few, else some 2^16 that aim at the unit's edges.
#pragma once

#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/unit.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace discern::claims {

/// A copy that lasts.
inline InputBuffer copy_of(const Inputs& x) {
    return {{x.a.begin(), x.a.end()},
            {x.b.begin(), x.b.end()},
            {x.sa.begin(), x.sa.end()},
            {x.sb.begin(), x.sb.end()},
            x.c};
}

/// Bits of one vector of inputs, scales and c included.
int input_bits(const Unit& unit);

/// One vector after the other, always the same ones for a unit.
class AllInputs {
  public:
    /// @param most_bits  units with at most so many bits of inputs get all of them; others 2^most_bits aimed ones
    /// @param others  units of the same shape, around whose parameters the aimed ones lie too
    explicit AllInputs(const Unit& unit, int most_bits = 16, std::span<const Unit> others = {});

    /// Those of them that pass.
    AllInputs within(std::function<bool(const Inputs&)> passes) const;

    /// Whether these are all there are.
    bool complete() const { return complete_; }
    std::uint64_t count() const { return count_; } ///< at most

    /// Calls visit(inputs) for each until it returns false. Returns whether it never did.
    bool for_each(const std::function<bool(const Inputs&)>& visit) const;
    std::vector<InputBuffer> list() const;

  private:
    Unit unit_;
    std::vector<Unit> aims_;
    std::uint64_t count_;
    bool complete_;
    std::function<bool(const Inputs&)> passes_; ///< empty: all
};

/// The first inputs on which two units differ, by the integer evaluators, which the exact oracle then confirms; nothing
/// if there are none among all of these.
/// @param passes  only inputs that it accepts; empty: all
std::optional<InputBuffer> first_difference(const Unit& one, const Unit& other, const AllInputs& inputs,
                                            const std::function<bool(const Inputs&)>& passes = {});

/// "--a 3c,00 --b 38,00 --c 00 --sa 7f --sb 7f", as `eval` takes it.
std::string as_options(const Unit& unit, const Inputs& inputs);

/// The result of the exact oracle, in hexadecimal digits.
std::string result_text(const Unit& unit, const Inputs& inputs);

} // namespace discern::claims
