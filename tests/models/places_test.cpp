// Sets of numbers against every pattern of small formats, read one by one.
#include "models/places.hpp"

#include "models/random.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <string>

namespace discern {
namespace {

bool has(const PlaceSet& set, std::int64_t place) {
    for (const PlaceRange& range : set)
        if (range.first <= place && place <= range.last) return true;
    return false;
}

constexpr const char* small_formats[] = {"e2m1",     "e3m2",   "e2m3",     "e4m3",   "e5m2",     "e4m3fnuz", "e5m2fnuz",
                                         "e2m1ieee", "e2m1fn", "e3m1fnuz", "e2m2f",  "e4m1ieee", "e3m1inuz", "e4m3inuz",
                                         "fix2.0",   "fix5.5", "fix7.3",   "fix8.6", "e8m0",     "ue4m3"};

TEST(Places, SetsHoldWhatTheirNumbersSay) {
    Random random(3);
    for (const char* const name : small_formats) {
        const Format& f = format(require_format(name, "the test"));
        for (int i = 0; i < 100; ++i) {
            const int low = random.between(f.emin() - 3, f.emax() + 3), high = low + random.below(6) - 1;
            const double from = std::ldexp(random.between(-9, 9), random.between(f.emin() - 3, f.emax()));
            const double to = i % 3 == 0 ? from : std::ldexp(random.between(-9, 9), random.between(f.emin(), f.emax()));
            const PlaceSet exponents = numbers_of_exponents(f, low, high), between = numbers_between(f, from, to),
                           normal = numbers_not_subnormal(f), all = common(common(exponents, between), normal);
            bool some = false;
            for (std::uint64_t bits = 0; bits <= f.mask(); ++bits) {
                const Decoded x = decode(f, bits);
                if (x.number_class != NumberClass::finite) continue;
                const double value = to_double(f, bits);
                const std::int64_t place = place_of(f, bits);
                const bool by_exponent =
                    value == 0 || (low <= x.exponent && x.exponent <= high && f.emin() <= x.exponent);
                const bool by_number = from <= value && value <= to;
                const bool is_normal = !f.has_subnormals() || value == 0 || std::fabs(value) >= std::ldexp(1, f.emin());
                EXPECT_TRUE(has(all_numbers(f), place)) << name;
                EXPECT_EQ(has(exponents, place), by_exponent) << name << " " << value << ": " << low << ".." << high;
                EXPECT_EQ(has(between, place), by_number) << name << " " << value << ": " << from << ".." << to;
                EXPECT_EQ(has(normal, place), is_normal) << name << " " << value;
                EXPECT_EQ(has(all, place), by_exponent && by_number && is_normal) << name << " " << value;
                some = some || (by_exponent && by_number && is_normal);
            }
            EXPECT_EQ(!all.empty(), some) << name << ": a set has no place without a number";
        }
    }
}

TEST(Places, EndsMayBeBeyondAllNumbers) {
    const Format& f64 = format(FormatId::f64);
    EXPECT_EQ(numbers_between(f64, -HUGE_VAL, HUGE_VAL), all_numbers(f64)); // of which there are more than 2^63
    EXPECT_EQ(numbers_between(f64, 1, 1), (PlaceSet{{0x3ff0'0000'0000'0000, 0x3ff0'0000'0000'0000}}));
    EXPECT_EQ(numbers_of_exponents(f64, INT_MIN, INT_MAX), all_numbers(f64));
    EXPECT_EQ(numbers_of_exponents(f64, INT_MAX, INT_MAX), (PlaceSet{{0, 0}}));
    EXPECT_TRUE(numbers_of_exponents(format(FormatId::e8m0), INT_MAX, INT_MAX).empty()); // which has no zero
}

} // namespace
} // namespace discern
