// Reproducible random inputs for a unit, in families that find different kinds of mistake.
//
// Xie et al. (§3.1.4) validate with common distributions, with sums of large condition number and with random bit
// streams. The last two families here are for what those never reach: zeros and subnormals, and exponents at the
// floors, limits and register widths of a unit.
#pragma once

#include "evaluate.hpp"
#include "random.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace discern {

enum class Family : std::uint8_t {
    /// N(0, 1) in each format; a quarter of the vectors is N(0, 1) + Bernoulli(0.001) · N(0, 100).
    normal,
    /// Products that cancel in pairs, c that cancels their sum, or equal exponents and random signs; each exactly or up
    /// to an ulp. Or all zero but two products of one block that cancel, and a term about as small as the last
    /// bit that the alignment keeps beside them.
    cancelling,
    /// Random patterns: half of the vectors finite and the exponents often close together, a quarter finite but for one
    /// or two infinities or NaN, a quarter without restriction.
    uniform_bits,
    /// Zeros of both signs, the smallest and largest subnormals, the smallest normals, mixed with ordinary and huge
    /// numbers.
    subnormals_and_zeros,
    /// Products around the floors, constants and limits of the tree and around the smallest and largest exponents of d,
    /// as far as the operands reach; or near-maximum significands of equal sign and exponent.
    floor_exponents,
};

inline constexpr std::array<std::string_view, 5> family_names = {"normal", "cancelling", "uniform_bits",
                                                                 "subnormals_and_zeros", "floor_exponents"};
inline constexpr std::array<Family, 5> families = {Family::normal, Family::cancelling, Family::uniform_bits,
                                                   Family::subnormals_and_zeros, Family::floor_exponents};

constexpr std::string_view name(Family family) { return family_names[static_cast<std::size_t>(family)]; }

/// The family of that name, or nothing.
std::optional<Family> family_from_name(std::string_view text);

/// The patterns of one dot product, owned.
struct InputBuffer {
    std::vector<std::uint64_t> a, b, sa, sb;
    std::uint64_t c = 0;

    /// A view; valid until the buffer changes.
    Inputs inputs() const { return {a, b, sa, sb, c}; }
};

/// An endless stream of one family's inputs for a unit. Unit, family and seed determine it, on every platform.
class InputGenerator {
  public:
    InputGenerator(const Unit& unit, Family family, std::uint64_t seed);

    /// Replaces the buffer's contents by the next vector.
    void next(InputBuffer& buffer);

  private:
    /// How the significand of a number is chosen.
    enum class Bits { random, ones, power_of_two };

    std::uint64_t number(const Format& f, std::optional<bool> sign, int exponent, Bits bits);
    std::uint64_t nearby(const Format& f, double value);
    std::uint64_t finite_pattern(const Format& f);
    std::uint64_t special_pattern(const Format& f);
    std::uint64_t edge(const Format& f);
    void scales_near_one(InputBuffer& buffer);
    double sum_of(const InputBuffer& buffer) const;
    int scale_exponent(const InputBuffer& buffer, std::size_t k) const;
    void place_product(InputBuffer& buffer, std::size_t k, std::optional<bool> sign, int exponent, Bits bits);
    void steer_scales(InputBuffer& buffer, int exponent);

    void normal(InputBuffer& buffer);
    void cancelling(InputBuffer& buffer);
    void lone_pair(InputBuffer& buffer);
    void uniform_bits(InputBuffer& buffer);
    void subnormals_and_zeros(InputBuffer& buffer);
    void floor_exponents(InputBuffer& buffer);
    void exponents_around(InputBuffer& buffer, int low, int high);
    void equal_maxima(InputBuffer& buffer);

    Unit unit_;
    Family family_;
    Random random_;
    const Format &a_, &b_, &d_;
    const Format* c_;            ///< nullptr: the unit has none
    const Format* scale_;        ///< nullptr: the unit has none
    std::vector<int> landmarks_; ///< exponents that the tree's parameters name
    std::vector<int> fractions_; ///< all F of the tree
};

} // namespace discern
