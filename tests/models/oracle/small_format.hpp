// Status flags by another account than flags_exactly(): a list of all numbers that a format could have with unbounded
// exponent, in which the neighbours of the exact number are looked up.
#pragma once

#include "models/flags.hpp"
#include "models/format.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace discern::tests {

/// A format of IEEE 754's kind that is so small that doubles hold every product, sum and number near them.
class SmallFormat {
  public:
    explicit SmallFormat(FormatId id) : format_(format(id)) {
        for (int exponent = -30; exponent < 20; ++exponent)
            for (std::uint64_t m = 0; m < 1ull << format_.mantissa_bits; ++m)
                numbers_.push_back(
                    std::ldexp(1 + std::ldexp(static_cast<double>(m), -format_.mantissa_bits), exponent));
        // Below the smallest normal numbers there are those of its spacing.
        for (double n = 0; n < smallest_normal(); n += std::ldexp(1.0, format_.lsb())) there_.push_back(n);
        for (const double n : numbers_)
            if (n >= smallest_normal()) there_.push_back(n);
    }

    const Format& of() const { return format_; }

    /// The flags of rounding x, by the definitions of §7.4 to §7.6.
    StatusFlags of_rounding(double x, Rounding mode, Tininess tininess) const {
        using enum StatusFlag;
        if (x == 0) return 0;
        const double unbounded = neighbour(x, numbers_, mode);
        if (unbounded >= std::ldexp(1.0, format_.emax() + 1))
            return static_cast<StatusFlags>(bits_of(overflow) | bits_of(inexact));
        if (neighbour(x, there_, mode) == std::fabs(x)) return 0;
        const double judged = tininess == Tininess::before ? std::fabs(x) : unbounded;
        return static_cast<StatusFlags>(bits_of(inexact) | (judged < smallest_normal() ? bits_of(underflow) : 0));
    }

  private:
    double smallest_normal() const { return std::ldexp(1.0, format_.emin()); }

    /// The magnitude to which |x| goes among those of the list, in which even significands and odd ones take turns.
    static double neighbour(double x, const std::vector<double>& list, Rounding mode) {
        const double size = std::fabs(x);
        const auto above = std::lower_bound(list.begin(), list.end(), size);
        if (*above == size) return size;
        const double high = *above, low = *(above - 1);
        const bool low_is_even = (above - 1 - list.begin()) % 2 == 0, negative = x < 0;
        const auto nearest = [&](bool tie_goes_high) {
            const double to_low = size - low, to_high = high - size;
            return to_low < to_high || (to_low == to_high && !tie_goes_high) ? low : high;
        };
        switch (mode) {
        case Rounding::rz: return low;
        case Rounding::ra: return high;
        case Rounding::rd: return negative ? high : low;
        case Rounding::ru: return negative ? low : high;
        case Rounding::odd: return low_is_even ? high : low;
        case Rounding::rne: return nearest(!low_is_even);
        case Rounding::rno: return nearest(low_is_even);
        case Rounding::rna: return nearest(true);
        case Rounding::rnz: return nearest(false);
        case Rounding::rnu: return nearest(!negative);
        case Rounding::rnd: return nearest(negative);
        }
        throw std::logic_error("a mode that is not known here");
    }

    const Format& format_;
    std::vector<double> numbers_; ///< positive, with unbounded exponent
    std::vector<double> there_;   ///< from zero on, with the format's subnormal numbers, and beyond the largest
};

/// The flags of a·b + c, or of a·b without c, in small formats.
inline StatusFlags flags_of_operation(const SmallFormat& d, FormatId id_a, std::uint64_t a, FormatId id_b,
                                      std::uint64_t b, std::optional<std::pair<FormatId, std::uint64_t>> c,
                                      Rounding mode, Tininess tininess) {
    constexpr StatusFlags invalid = bits_of(StatusFlag::invalid);
    bool is_signalling = false;
    const auto number = [&](FormatId id, std::uint64_t bits) {
        const Format& f = format(id);
        const double value = to_double(f, bits);
        is_signalling = is_signalling || (f.specials == Specials::ieee && std::isnan(value) &&
                                          (bits & (f.mask() >> 1) & (1ull << (f.mantissa_bits - 1))) == 0);
        return value;
    };
    const double x = number(id_a, a), y = number(id_b, b), z = c ? number(c->first, c->second) : 0;
    if (is_signalling) return invalid;
    if ((std::isinf(x) && y == 0) || (x == 0 && std::isinf(y))) return invalid;
    if (std::isnan(x) || std::isnan(y) || std::isnan(z)) return 0;
    const double product = x * y; // exact, or an infinity of the operands
    if (std::isinf(product) && std::isinf(z)) return std::signbit(product) == std::signbit(z) ? 0 : invalid;
    if (std::isinf(product) || std::isinf(z)) return 0;
    return d.of_rounding(product + z, mode, tininess);
}

} // namespace discern::tests
