// Numbers as people write them: each rounded once, from its exact value.
#include "models/import/number.hpp"

#include "models/error.hpp"
#include "models/random.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace discern {
namespace {

std::uint64_t bits_of(FormatId id, std::string_view text, NumberRounding rounding = Rounding::rne) {
    return number_pattern(format(id), text, rounding).bits;
}

std::string complaint(FormatId id, std::string_view text, NumberRounding rounding = Rounding::rne) {
    try {
        number_pattern(format(id), text, rounding);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(ImportNumber, KnownValues) {
    EXPECT_EQ(bits_of(FormatId::f16, "1"), 0x3c00u);
    EXPECT_EQ(bits_of(FormatId::f16, "-2.5e0"), 0xc100u);
    EXPECT_EQ(bits_of(FormatId::f16, "0x1.8p+1"), 0x4200u);
    EXPECT_EQ(bits_of(FormatId::f16, "0x.8"), 0x3800u);
    EXPECT_EQ(bits_of(FormatId::f16, "65504"), 0x7bffu);
    EXPECT_EQ(bits_of(FormatId::f16, "5.9604644775390625e-8"), 0x0001u);
    EXPECT_EQ(bits_of(FormatId::f16, "-0"), 0x8000u);
    EXPECT_EQ(bits_of(FormatId::f16, "inf"), 0x7c00u);
    EXPECT_EQ(bits_of(FormatId::f16, "-Infinity"), 0xfc00u);
    EXPECT_EQ(bits_of(FormatId::f16, "NaN"), 0x7e00u);
    EXPECT_EQ(bits_of(FormatId::f32, "0.1"), 0x3dcccccdu);
    EXPECT_EQ(bits_of(FormatId::f64, "0.1"), 0x3fb999999999999au);
    EXPECT_EQ(bits_of(FormatId::tf32, "1.5"), 0x3fc00000u);
    EXPECT_EQ(bits_of(FormatId::e8m0, "0.5"), 0x7eu);
    EXPECT_EQ(bits_of(FormatId::e2m1, "-6"), 0xfu);
    EXPECT_EQ(bits_of(FormatId::e4m3fnuz, "-0"), 0u) << "there is no minus zero";
    EXPECT_FALSE(number_pattern(format(FormatId::e4m3fnuz), "-0", Rounding::rne).exact);
    const FormatId extended = format_from_name("e4m3inuz").value();
    EXPECT_EQ(bits_of(extended, "-inf"), 0xffu);
    EXPECT_EQ(bits_of(extended, "nan"), 0x80u);
    EXPECT_EQ(bits_of(extended, "-224"), 0xfeu);
    EXPECT_EQ(complaint(extended, "240"), "'240' is beyond the largest number of e4m3inuz");
    EXPECT_EQ(bits_of(extended, "-0"), 0u);
}

TEST(ImportNumber, FixedPoint) {
    const FormatId int8 = format_from_name("fix8.0").value(), mxint8 = format_from_name("fix8.6").value(),
                   wide = format_from_name("fix54.54").value();
    EXPECT_EQ(bits_of(int8, "127"), 0x7fu);
    EXPECT_EQ(bits_of(int8, "-128"), 0x80u);
    EXPECT_EQ(bits_of(int8, "-0.5"), 0u);
    EXPECT_FALSE(number_pattern(format(int8), "-0.5", Rounding::rne).exact);
    EXPECT_EQ(bits_of(int8, "-127.5"), 0x80u);
    EXPECT_EQ(bits_of(int8, "-128.4"), 0x80u);
    EXPECT_EQ(bits_of(int8, "2.5", Rounding::rna), 3u);
    EXPECT_EQ(bits_of(mxint8, "-2"), 0x80u);
    EXPECT_EQ(bits_of(mxint8, "1.984375", std::nullopt), 0x7fu);
    EXPECT_EQ(bits_of(mxint8, "0x1p-6", std::nullopt), 1u);
    EXPECT_EQ(bits_of(wide, "-0.5", std::nullopt), 0x20000000000000u);
    EXPECT_EQ(complaint(int8, "127.5"), "'127.5' is beyond the largest number of fix8.0");
    EXPECT_EQ(complaint(int8, "-129"), "'-129' is beyond the largest number of fix8.0");
    EXPECT_EQ(complaint(int8, "1e300"), "'1e300' is beyond the largest number of fix8.0");
    EXPECT_EQ(complaint(int8, "nan"), "'nan' is not a number, and fix8.0 has no NaN");
    EXPECT_EQ(complaint(int8, "0.5", std::nullopt), "'0.5' is no number of fix8.0, and must not be rounded");
    for (std::uint64_t bits = 0; bits < 256; ++bits)
        EXPECT_EQ(number_pattern(format(mxint8), to_double(format(mxint8), bits), std::nullopt).bits, bits);
}

TEST(ImportNumber, ADecimalIsRoundedOnce) {
    // 1 + 2^-11 is halfway between two numbers of f16, and goes to the even one; anything above it goes up. This is
    // above by less than binary64 can tell: by way of it, it would be taken for the tie.
    const std::string tie = "1.00048828125";
    EXPECT_EQ(bits_of(FormatId::f16, tie), 0x3c00u);
    EXPECT_EQ(bits_of(FormatId::f16, tie + "0000000000000000000000001"), 0x3c01u);
    EXPECT_EQ(bits_of(FormatId::f16, tie, Rounding::rna), 0x3c01u);
    EXPECT_EQ(bits_of(FormatId::f16, tie, Rounding::ru), 0x3c01u);
    EXPECT_EQ(bits_of(FormatId::f16, "-" + tie, Rounding::ru), 0xbc00u);
    EXPECT_EQ(bits_of(FormatId::f16, "1e-30"), 0u);
    EXPECT_EQ(bits_of(FormatId::f16, "1e-30", Rounding::ru), 1u);
    EXPECT_EQ(bits_of(FormatId::f16, "65519.99"), 0x7bffu) << "below halfway to 65536";
}

TEST(ImportNumber, AgreesWithTheLibraryOnBinary32And64) {
    Random random(3);
    for (int i = 0; i < 20'000; ++i) {
        char text[64];
        const double value = std::bit_cast<double>(random.bits());
        if (!std::isfinite(value)) continue;
        std::snprintf(text, sizeof text, "%.*e", random.between(0, 25), value);
        double back = 0;
        std::from_chars(text, text + std::string_view(text).size(), back);
        if (!std::isfinite(back)) continue;
        EXPECT_EQ(bits_of(FormatId::f64, text), std::bit_cast<std::uint64_t>(back)) << text;
        const float narrow = std::strtof(text, nullptr);
        if (std::isfinite(narrow)) {
            EXPECT_EQ(bits_of(FormatId::f32, text), std::bit_cast<std::uint32_t>(narrow)) << text;
        }
        std::snprintf(text, sizeof text, "%a", value);
        EXPECT_EQ(bits_of(FormatId::f64, text, std::nullopt), std::bit_cast<std::uint64_t>(value)) << text;
    }
}

TEST(ImportNumber, EveryPatternIsItsOwnNumber) {
    for (const Format& f : formats()) {
        if (f.width > 16) continue;
        for (std::uint64_t bits = 0; bits <= f.mask(); ++bits) {
            const Decoded x = decode(f, bits);
            if (x.number_class != NumberClass::finite) continue;
            const NumberPattern back = number_pattern(f, to_double(f, bits), std::nullopt);
            EXPECT_TRUE(back.exact);
            EXPECT_EQ(to_double(f, back.bits), to_double(f, bits)) << f.name << " " << bits;
        }
    }
}

TEST(ImportNumber, WhatCannotBeIsSaid) {
    EXPECT_EQ(complaint(FormatId::f16, "0.1", std::nullopt), "'0.1' is no number of f16, and must not be rounded");
    EXPECT_EQ(complaint(FormatId::f16, "65520"), "'65520' is beyond the largest number of f16");
    EXPECT_EQ(complaint(FormatId::f64, "1e400"), "'1e400' is beyond the largest number of f64");
    EXPECT_EQ(complaint(FormatId::e4m3, "inf"), "'inf' is infinite, and e4m3 has no infinity");
    EXPECT_EQ(complaint(FormatId::e2m1, "nan"), "'nan' is not a number, and e2m1 has no NaN");
    EXPECT_EQ(complaint(FormatId::e8m0, "0"), "'0' is zero, which e8m0 does not have");
    EXPECT_EQ(complaint(FormatId::ue4m3, "-1"), "'-1' is negative, and ue4m3 has no sign");
    EXPECT_EQ(complaint(FormatId::f16, "0,5"), "'0,5' is no number; a decimal point is a point");
    for (const std::string text : {"", "-", "1e", "0x", "0x3c00", "1.2.3", "e5", "1 2", "nanx", "--1"})
        EXPECT_NE(complaint(FormatId::f16, text).find("is no number"), std::string::npos) << text;
}

} // namespace
} // namespace discern
