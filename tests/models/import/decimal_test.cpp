// Decimals with few digits, and which numbers they may stand for.
#include "models/import/decimal.hpp"

#include "models/import/number.hpp"
#include "models/random.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace discern {
namespace {

using Kind = PrintedDigits::Kind;
using Words = std::vector<std::string_view>;

TEST(Decimal, DigitsOfAColumn) {
    const auto of = [](const Words& words) { return printed_digits(words); };
    EXPECT_EQ(of({"0.123457", "0.5", "-12.3457"}).count, 6);
    EXPECT_EQ(of({"0.123457", "0.5"}).kind, Kind::significant);
    EXPECT_EQ(of({"1.234560e-01", "5.000000e+10"}).count, 7);
    EXPECT_EQ(of({"0.123", "12.345"}).kind, Kind::places);
    EXPECT_EQ(of({"0.123", "12.345"}).count, 3);
    EXPECT_EQ(of({"inf", "nan", "0x1.8p+1", "0"}).kind, Kind::exact);
    EXPECT_EQ(digits_needed(format(FormatId::f16)), 5);
    EXPECT_EQ(digits_needed(format(FormatId::bf16)), 4);
    EXPECT_EQ(digits_needed(format(FormatId::f32)), 9);
    EXPECT_EQ(digits_needed(format(FormatId::f64)), 17);
}

TEST(Decimal, WhatIsLeftOpen) {
    const Format& f32 = format(FormatId::f32);
    const auto open = [&](const Words& words) { return leaves_open(f32, words, printed_digits(words)); };
    EXPECT_TRUE(open({"0.123457", "0.5"}));
    EXPECT_FALSE(open({"0.5", "-5.25", "1e10"})); // those very numbers
    EXPECT_FALSE(open({"0.123456791", "0.5"}));
    EXPECT_TRUE(open({"1.23457e+06", "0.5"})); // a number of f32, but its last digit is of tens
    EXPECT_FALSE(leaves_open(format(FormatId::f16), Words{"0.123457"}, {Kind::significant, 6}));
}

/// The number that was printed is always among those that the print stands for, and those beyond the range are printed
/// otherwise.
TEST(Decimal, ARangeIsAllNumbersThatArePrintedSo) {
    Random random(7);
    for (const FormatId id : {FormatId::f32, FormatId::f16, FormatId::bf16}) {
        const Format& f = format(id);
        for (const int digits : {2, 3, 6}) {
            if (digits >= digits_needed(f)) continue;
            const std::string form = "%." + std::to_string(digits) + "g";
            const auto print = [&](std::uint64_t bits) {
                char text[100];
                std::snprintf(text, sizeof text, form.c_str(), to_double(f, bits));
                return std::string(text);
            };
            for (int i = 0; i < 2000; ++i) {
                const std::uint64_t bits = random.bits() & f.mask();
                const Decoded number = decode(f, bits);
                if (number.number_class != NumberClass::finite || number.is_zero()) continue;
                if (number.exponent > f.emax() - 2)
                    continue; // near the largest number a range ends before its decimals do
                const std::string text = print(bits);
                const PlaceRange range = printed_range(f, text, {Kind::significant, digits});
                const std::int64_t place = place_of(f, bits);
                EXPECT_LE(range.first, place) << text;
                EXPECT_GE(range.last, place) << text;
                // One further on each side is printed otherwise, unless it lies on the very border of half a unit.
                for (const std::int64_t beyond : {range.first - 1, range.last + 1}) {
                    const std::uint64_t other = pattern_at_place(f, beyond);
                    if (decode(f, other).number_class != NumberClass::finite) continue;
                    EXPECT_NE(print(other), text) << beyond;
                }
            }
        }
    }
}

TEST(Decimal, PrintsOfNumbers) {
    const Format &f16 = format(FormatId::f16), &f32 = format(FormatId::f32);
    const auto bits = [](const Format& f, const char* text) { return number_pattern(f, text, Rounding::rne).bits; };
    EXPECT_TRUE(is_print_of(f16, "0.099976", {Kind::significant, 5}, bits(f16, "0.099976")));
    EXPECT_FALSE(is_print_of(f16, "0.1", {Kind::significant, 5}, bits(f16, "0.1")));
    EXPECT_TRUE(is_print_of(f32, "0.100000001490116", {Kind::significant, 15}, bits(f32, "0.1")));
    EXPECT_FALSE(is_print_of(f32, "0.1", {Kind::significant, 9}, bits(f32, "0.1")));
    // As Python prints them, with as many digits as each needs.
    EXPECT_TRUE(are_shortest(f32, Words{"0.1", "0.33333334", "16777216.0"}));
    EXPECT_FALSE(are_shortest(f32, Words{"0.1", "0.333333343"}));
    EXPECT_FALSE(are_shortest(f32, Words{"0.1", "0.5"})); // nothing shows it
}

} // namespace
} // namespace discern
