// Dot products written down by their values: "2^20 in c, −2^20 in lane 0, 2^-30 in lane 3, nothing else".
//
// Probes are written in values and positions; a scene turns them into bit patterns of a shape, or says that the formats
// cannot hold them.
#pragma once

#include "models/shape.hpp"
#include "models/vectors.hpp"

#include <cstdint>
#include <optional>

namespace discern::probe {

/// The number ± significand · 2^lsb, in its shortest form: the significand is odd, or zero is {false, 0, 0}.
struct Amount {
    bool negative = false;
    std::uint64_t significand = 0;
    int lsb = 0;
    bool operator==(const Amount&) const = default;

    bool is_zero() const { return significand == 0; }
    /// floor(log2) of the magnitude, of a number that is not zero.
    int exponent() const;
    Amount operator-() const { return {!is_zero() && !negative, significand, lsb}; }
};

/// significand · 2^lsb; the significand may have any sign.
Amount amount(std::int64_t significand, int lsb);
/// 2^exponent
inline Amount power(int exponent) { return amount(1, exponent); }

/// The value of a finite pattern (the sign of a zero is dropped); nothing for infinity and NaN.
std::optional<Amount> amount_of(const Format& format, std::uint64_t bits);
/// The pattern of exactly that value; nothing if the format has none.
std::optional<std::uint64_t> pattern_of(const Format& format, const Amount& value);

/// A position of a dot product: a lane 0 … K−1, or c.
inline constexpr int at_c = -1;

class Scene {
  public:
    /// All products and c are +0, all scales 1.
    explicit Scene(const Shape& shape);

    /// Puts a value there: into c, or as a product of two normal factors of which b's is a power of two.
    Scene& put(int place, const Amount& value);
    /// A product of these two factors.
    Scene& put_factors(int lane, const Amount& a, const Amount& b);

    /// Any pattern as factor a of a product.
    Scene& put_pattern(int lane, std::uint64_t a) {
        vector_.a[static_cast<std::size_t>(lane)] = a;
        return *this;
    }

    /// Whether all values could be put.
    bool possible() const { return possible_; }
    const Vector& vector() const { return vector_; }

  private:
    const Format& a_;
    const Format& b_;
    const Format* c_; ///< nullptr: there is none
    bool possible_ = true;
    Vector vector_;
};

/// Exponents between which probes stay: products of normal factors, c and d all reach both ends, and no sum of a few
/// of the largest overflows. Never more than 2^±40, well inside of what floors and limits of units have.
struct Span {
    int high, low;
    int width() const { return high - low; }
};
Span span_of(const Shape& shape);

} // namespace discern::probe
