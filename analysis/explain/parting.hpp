// The first step at which two units have different intermediate results on one vector, and the reason in one sentence.
#pragma once

#include "trace.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace discern::explain {

struct Parting {
    /// The kind of the first difference.
    enum class What : std::uint8_t {
        shape,     ///< the steps themselves: other blocks, other sums
        reading,   ///< what a term is before it is aligned
        alignment, ///< how much of a term is kept, or whether it is at all
        sum,       ///< what the register holds: its width, the sticky bit, inverted terms
        rounding,  ///< how a sum is rounded
        last,      ///< how c is added at the end, or what NaN is given
    };
    What what = What::shape;
    std::size_t block = 0; ///< of the first unit; counted from 0
    std::string step;      ///< the name of the sum or rounding; "" where there is none
    std::string term;      ///< the name of the term; "" where it is none
    std::string sentence;
};

std::string_view name(Parting::What what);

/// The traces of two units on the same inputs. @param first_name, second_name  what the sentence calls the units
/// @return nothing if the results are the same
std::optional<Parting> parting(const Trace& first, const Trace& second, const std::string& first_name,
                               const std::string& second_name);

} // namespace discern::explain
