// Inputs to order: the families of models/families.hpp and mixes of corner values, within limits that a user sets.
//
// Limits are kept exactly, for every element of every vector. What a family makes outside of them is replaced by a
// number drawn from the patterns inside, so a family keeps its character only as far as the limits leave it room.
#pragma once

#include "models/families.hpp"
#include "models/shape.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace discern {

/// Of one operand: numbers lo ≤ x ≤ hi, as they are written.
struct ValueRange {
    std::string operand; ///< "a", "b", "sa", "sb" or "c"
    std::string lo, hi;
};

struct ValueLimits {
    std::vector<ValueRange> ranges; ///< at most one of an operand
    bool no_subnormals = false;     ///< zeros remain
    bool finite = false;            ///< no infinity, no NaN; ranges imply it for their operands
};

/// "a:-1..1,c:0..1e3". @throws Error
std::vector<ValueRange> parse_value_ranges(std::string_view text);

/// All families of models/families.hpp, and
/// - "corners": zeros, the ends of the subnormal and of the normal numbers, one, infinity and NaN, of both signs, mixed
///   with each other and with numbers about one;
/// - "uniform": every number uniform on [0, 1), with scales 1;
/// - "outliers": every number N(0, 1) + Bernoulli(0.001) · N(0, 100), where 100 is the variance, with scales 1.
/// The last two are distributions of Xie et al. (§3.1.4), rounded to nearest even, and at the most the largest number.
std::vector<std::string_view> stimulus_family_names();

/// A unit of that shape, for which nothing but the shape is known: its sums are exact.
Unit unit_of_shape(const Shape& shape);

class Stimulus {
  public:
    /// @param names  of families, taken in turn; none: all of models/families.hpp
    /// @throws Error for a family that there is not, for a range of an operand that the unit has not, that is no range,
    ///         or that has no number of the format in it
    Stimulus(const Unit& unit, std::span<const std::string> names, const ValueLimits& limits, std::uint64_t seed);
    /// Replaces the buffer's contents by the next vector. @return the name of its family
    std::string_view next(InputBuffer& buffer);
    /// Replaces what is outside the limits in a vector from elsewhere.
    void keep_within(InputBuffer& buffer);

  private:
    /// The patterns that an operand may be, by their position in the order of numbers (place_of in models/format.hpp).
    struct Allowed {
        const Format* format = nullptr;
        std::int64_t lo = 0, hi = 0;
        bool has_range = false, no_subnormals = false, finite = false;
        std::vector<std::uint64_t> corners = {};
        bool holds(std::uint64_t bits) const;
        std::uint64_t draw(Random& random) const;
    };
    using Fill = void (Stimulus::*)(InputBuffer&);
    struct OwnFamily {
        std::string_view name;
        Fill fill;
    };
    struct Source {
        std::string_view name;
        std::optional<InputGenerator> generator; ///< nothing: `fill` makes the vectors
        Fill fill = nullptr;
    };
    static const std::array<OwnFamily, 3> own_families;
    friend std::vector<std::string_view> stimulus_family_names();

    static Allowed allowed_of(const Format& format, const ValueLimits& limits, std::string_view operand);
    void limit(std::vector<std::uint64_t>& patterns, const Allowed& allowed);
    void corners(InputBuffer& buffer);
    void uniform(InputBuffer& buffer);
    void outliers(InputBuffer& buffer);
    /// Each operand by its own function of the numbers that it may be.
    template <typename Pick>
    void fill(InputBuffer& buffer, const Pick& pick);
    template <typename Draw>
    void distributed(InputBuffer& buffer, const Draw& draw);

    Unit unit_;
    Random random_;
    Allowed a_, b_, scale_a_, scale_b_, c_;
    std::vector<Source> sources_;
    std::uint64_t count_ = 0;
};

} // namespace discern
