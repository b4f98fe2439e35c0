// Formats: every pattern of every format up to 16 bits is decoded and packed back; known patterns of each format.
#include "models/format.hpp"

#include "models/error.hpp"
#include "models/evaluate/terms.hpp"
#include "models/rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

namespace discern {
namespace {

struct Known {
    FormatId id;
    std::uint64_t bits;
    double value;
};

const double infinity = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

// From the formats' specifications: one, largest, smallest normal, smallest subnormal, specials.
const Known known[] = {
    {FormatId::f64, 0x3ff0000000000000, 1.0},
    {FormatId::f64, 0x0000000000000001, 0x1p-1074},
    {FormatId::f32, 0x7f7fffff, 0x1.fffffep127},
    {FormatId::f32, 0x00000001, 0x1p-149},
    {FormatId::f32, 0xff800000, -infinity},
    {FormatId::tf32, 0x3f802000, 1.0 + 0x1p-10},
    {FormatId::tf32, 0x3f801fff, 1.0}, // the low 13 bits do not count
    {FormatId::tf32, 0x7f801fff, infinity},
    {FormatId::bf16, 0x3f80, 1.0},
    {FormatId::bf16, 0x0001, 0x1p-133},
    {FormatId::f16, 0x7bff, 65504.0},
    {FormatId::f16, 0x0001, 0x1p-24},
    {FormatId::f16, 0x7c01, nan},
    {FormatId::e5m2, 0x7b, 57344.0},
    {FormatId::e5m2, 0x7c, infinity},
    {FormatId::e5m2, 0x01, 0x1p-16},
    {FormatId::e4m3, 0x7e, 448.0},
    {FormatId::e4m3, 0x7f, nan},
    {FormatId::e4m3, 0xff, nan},
    {FormatId::e4m3, 0x01, 0x1p-9},
    {FormatId::e5m2fnuz, 0x7f, 57344.0},
    {FormatId::e5m2fnuz, 0x80, nan},
    {FormatId::e5m2fnuz, 0x01, 0x1p-17},
    {FormatId::e4m3fnuz, 0x7f, 240.0},
    {FormatId::e4m3fnuz, 0x80, nan},
    {FormatId::e4m3fnuz, 0x01, 0x1p-10},
    {FormatId::e3m2, 0x1f, 28.0},
    {FormatId::e3m2, 0x01, 0.0625},
    {FormatId::e2m3, 0x1f, 7.5},
    {FormatId::e2m3, 0x01, 0.125},
    {FormatId::e2m1, 0x7, 6.0},
    {FormatId::e2m1, 0x9, -0.5},
    {FormatId::e8m0, 0x00, 0x1p-127},
    {FormatId::e8m0, 0x7f, 1.0},
    {FormatId::e8m0, 0xfe, 0x1p127},
    {FormatId::e8m0, 0xff, nan},
    {FormatId::ue4m3, 0x7e, 448.0},
    {FormatId::ue4m3, 0xb8, 1.0}, // the sign bit is ignored
    {FormatId::ue4m3, 0xff, nan},
    {FormatId::ue5m3, 0x01, 0x1p-17}, // hipBLASLt's E5M3: bias 15, subnormals, ff is NaN, 114688 the largest
    {FormatId::ue5m3, 0x08, 0x1p-14},
    {FormatId::ue5m3, 0x7f, 1.875},
    {FormatId::ue5m3, 0x80, 2.0},
    {FormatId::ue5m3, 0xfe, 114688.0},
    {FormatId::ue5m3, 0xff, nan},
    {FormatId::e8m13, 0x3f800400, 1.0 + 0x1p-13},
};

TEST(Format, KnownPatterns) {
    for (const Known& k : known) {
        const Format& f = format(k.id);
        const double value = to_double(f, k.bits);
        if (std::isnan(k.value))
            EXPECT_TRUE(std::isnan(value)) << f.name << " " << std::hex << k.bits;
        else
            EXPECT_EQ(value, k.value) << f.name << " " << std::hex << k.bits;
    }
}

TEST(Format, EveryPatternUpTo16BitsComesBack) {
    for (const Format& f : formats()) {
        if (f.width > 16) continue;
        for (std::uint64_t bits = 0; bits <= f.mask(); ++bits) {
            const Decoded x = decode(f, bits);
            // An ignored sign bit and, in e4m3, the sign and payload of NaN are all that may be lost.
            const std::uint64_t expected =
                f.is_signed ? bits : bits & ((1u << (f.exponent_bits + f.mantissa_bits)) - 1);
            EXPECT_EQ(pack(f, x), expected) << f.name << " " << std::hex << bits;
        }
    }
}

TEST(Format, WidePatternsComeBackWithoutPadding) {
    for (const Format& f : formats()) {
        if (f.width <= 16) continue;
        std::uint64_t state = 12345;
        for (int i = 0; i < 100000; ++i) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            const std::uint64_t bits = (state ^ (state >> 29)) & f.mask();
            const std::uint64_t kept = bits >> f.padding_bits << f.padding_bits;
            const std::uint64_t packed = pack(f, decode(f, bits));
            EXPECT_EQ(packed, kept) << f.name << " " << std::hex << bits;
        }
    }
}

TEST(Format, ValuesIncreaseWithPatterns) {
    for (const Format& f : formats()) {
        if (f.width > 16) continue;
        const int magnitude_bits = f.id == FormatId::e8m0 ? 8 : f.width - 1;
        double previous = -1;
        for (std::uint64_t bits = 0; bits < (1ull << magnitude_bits); ++bits) {
            const double value = to_double(f, bits);
            if (std::isnan(value)) continue;
            EXPECT_LT(previous, value) << f.name << " " << std::hex << bits;
            previous = value;
        }
    }
}

TEST(Format, LimitsAreThoseOfTheTable) {
    const std::map<FormatId, double> largest = {
        {FormatId::e5m2, 57344}, {FormatId::e4m3, 448}, {FormatId::e5m2fnuz, 57344}, {FormatId::e4m3fnuz, 240},
        {FormatId::e3m2, 28},    {FormatId::e2m3, 7.5}, {FormatId::e2m1, 6},         {FormatId::f16, 65504}};
    for (const auto& [id, value] : largest) {
        const Format& f = format(id);
        EXPECT_EQ(std::ldexp(static_cast<double>(f.max_significand()), f.emax() - f.mantissa_bits), value) << f.name;
    }
    for (const Format& f : formats()) {
        const std::uint64_t smallest = f.has_zero ? 1ull << f.padding_bits : 0;
        EXPECT_EQ(to_double(f, smallest), std::ldexp(1.0, f.lsb())) << f.name;
    }
}

TEST(Format, SynonymsAndWrongNames) {
    EXPECT_EQ(format_from_name("fp16"), FormatId::f16);
    EXPECT_EQ(format_from_name("bfloat16"), FormatId::bf16);
    EXPECT_FALSE(format_from_name("fp17"));
    try {
        require_format("e4n3", "here");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("e4m3"), std::string::npos) << error.what();
        EXPECT_EQ(std::string(error.what()).rfind("here", 0), 0u) << error.what();
    }
}

TEST(Format, PackRefusesWhatTheFormatHasNot) {
    EXPECT_THROW(pack(format(FormatId::e4m3), {.number_class = NumberClass::infinite}), std::logic_error);
    EXPECT_THROW(pack(format(FormatId::e2m1), {.number_class = NumberClass::nan}), std::logic_error);
    EXPECT_THROW(pack(format(FormatId::f16), {.significand = 0x800, .exponent = 0}), std::logic_error);
    EXPECT_THROW(pack(format(FormatId::f16), {.significand = 0x400, .exponent = 16}), std::logic_error);
    EXPECT_THROW(pack(format(FormatId::e4m3), {.significand = 0xf, .exponent = 8}), std::logic_error); // would be NaN
}

// ---- encoding with every rounding mode ----

/// Rounds mantissa·2^lsb to the format by round_term, the only encoder of the library.
std::uint64_t encode(const Format& f, std::int64_t mantissa, int lsb, const Round& rule) {
    return pack(
        f, integer::round_term(
               rule, f, integer::finite_term<wide::i128>(mantissa < 0, mantissa < 0 ? -mantissa : mantissa, lsb, 0)));
}

/// Between two neighbours of a small format: at a quarter, half and three quarters of the gap, both signs.
TEST(Encode, EveryGapOfEveryFormatUpTo16BitsInEveryMode) {
    for (const Format& f : formats()) {
        if (f.width > 16 || !f.is_signed || !f.has_nan()) continue;
        const int lsb = f.lsb() - 2; // a quarter of the smallest gap
        for (std::uint64_t bits = 0; bits + 1 < (1ull << (f.width - 1)); ++bits) {
            const Decoded low = decode(f, bits), high = decode(f, bits + 1);
            if (low.number_class != NumberClass::finite || high.number_class != NumberClass::finite) continue;
            const auto fixed = [&](const Decoded& x) {
                return static_cast<std::int64_t>(x.significand << (x.exponent - f.mantissa_bits - lsb));
            };
            if (high.exponent - lsb > 60) continue; // beyond 64-bit integers
            const std::int64_t quarter = (fixed(high) - fixed(low)) / 4;
            for (int quarters = 0; quarters < 4; ++quarters)
                for (const bool negative : {false, true}) {
                    const std::int64_t magnitude = fixed(low) + quarters * quarter;
                    for (std::size_t m = 0; m < rounding_names.size(); ++m) {
                        Round rule;
                        rule.mode = static_cast<Rounding>(m);
                        bool up = false; // away from zero, to `high`
                        switch (rule.mode) {
                        case Rounding::rz: up = false; break;
                        case Rounding::rd: up = negative && quarters > 0; break;
                        case Rounding::ru: up = !negative && quarters > 0; break;
                        case Rounding::rne: up = quarters == 3 || (quarters == 2 && (bits & 1) != 0); break;
                        case Rounding::rna: up = quarters >= 2; break;
                        case Rounding::odd: up = quarters > 0 && (bits & 1) == 0; break;
                        case Rounding::ra: up = quarters > 0; break;
                        case Rounding::rnu: up = quarters == 3 || (quarters == 2 && !negative); break;
                        case Rounding::rnd: up = quarters == 3 || (quarters == 2 && negative); break;
                        case Rounding::rnz: up = quarters == 3; break;
                        case Rounding::rno: up = quarters == 3 || (quarters == 2 && (bits & 1) == 0); break;
                        }
                        const std::uint64_t expected_magnitude = bits + (up ? 1 : 0);
                        if (magnitude == 0) continue; // a zero sum has its own rules
                        const bool only_zero = !f.has_minus_zero() && expected_magnitude == 0;
                        const std::uint64_t expected =
                            expected_magnitude | (negative && !only_zero ? 1ull << (f.width - 1) : 0);
                        ASSERT_EQ(encode(f, negative ? -magnitude : magnitude, lsb, rule), expected)
                            << f.name << " " << std::hex << bits << std::dec << " + " << quarters << "/4 "
                            << rounding_names[m] << (negative ? " negative" : "");
                    }
                }
        }
    }
}

TEST(Encode, OverflowPolicies) {
    const Format& f = format(FormatId::f16);
    struct Case {
        Rounding mode;
        bool negative;
        std::uint64_t ieee;
    };
    // 2^16 is beyond 65504 in every mode (IEEE 754 §7.4; round to odd: the largest, whose last bit is set).
    const Case cases[] = {
        {Rounding::rne, false, 0x7c00}, {Rounding::rna, true, 0xfc00}, {Rounding::rz, false, 0x7bff},
        {Rounding::rz, true, 0xfbff},   {Rounding::rd, false, 0x7bff}, {Rounding::rd, true, 0xfc00},
        {Rounding::ru, false, 0x7c00},  {Rounding::ru, true, 0xfbff},  {Rounding::odd, false, 0x7bff}};
    for (const Case& c : cases) {
        Round rule;
        rule.mode = c.mode;
        const std::int64_t value = c.negative ? -65536 : 65536;
        const std::uint64_t sign = c.negative ? 0x8000 : 0;
        EXPECT_EQ(encode(f, value, 0, rule), c.ieee) << name(c.mode);
        rule.overflow = Overflow::infinity;
        EXPECT_EQ(encode(f, value, 0, rule), sign | 0x7c00) << name(c.mode);
        rule.overflow = Overflow::largest;
        EXPECT_EQ(encode(f, value, 0, rule), sign | 0x7bff) << name(c.mode);
    }
    // 65519.5 rounds to 65504 and 65520 to infinity under RNE.
    EXPECT_EQ(encode(f, 131039, -1, Round{}), 0x7bff);
    EXPECT_EQ(encode(f, 65520, 0, Round{}), 0x7c00);
    // Formats without infinity: NaN.
    EXPECT_EQ(encode(format(FormatId::e4m3), 1000, 0, Round{}), 0x7f);
    EXPECT_EQ(encode(format(FormatId::e4m3fnuz), -1000, 0, Round{}), 0x80);
    // The largest number of e4m3inuz is 224, and infinity follows it.
    const Format& extended = format(require_format("e4m3inuz", "a test"));
    EXPECT_EQ(encode(extended, 232, 0, Round{}), 0x7e) << "halfway to 240, and 224 is even";
    EXPECT_EQ(encode(extended, 233, 0, Round{}), 0x7f);
    EXPECT_EQ(encode(extended, -1000, 0, Round{}), 0xff);
    EXPECT_EQ(encode(extended, -1000, 0, {.overflow = Overflow::largest, .child = {}}), 0xfe);
}

TEST(Encode, UnderflowAndFlushPolicies) {
    const Format& f = format(FormatId::f16); // smallest normal 2^-14, quantum below 2^-24
    Round rule;
    EXPECT_EQ(encode(f, -1, -26, rule), 0x8000); // a quarter of the quantum: −0
    rule.usign_keep = false;
    EXPECT_EQ(encode(f, -1, -26, rule), 0x0000);
    rule.mode = Rounding::odd;
    EXPECT_EQ(encode(f, -1, -60, rule), 0x8001); // never rounds to zero

    // 2^-14 − 2^-26 lies a quarter of a quantum below the smallest normal: it rounds to it, and with 11 bits and no
    // emin, where the quantum is 2^-25, it is a tie whose even neighbour is the smallest normal as well.
    const std::int64_t tie = (1 << 12) - 1;
    for (const auto& [ftz, bits] :
         {std::pair{Flush::none, 0x0400}, {Flush::result, 0x0400}, {Flush::after, 0x0400}, {Flush::before, 0x0000}}) {
        Round flushing;
        flushing.ftz = ftz;
        EXPECT_EQ(encode(f, tie, -26, flushing), static_cast<std::uint64_t>(bits)) << static_cast<int>(ftz);
    }
    // A little more below: 2^-14 − 2^-26 − 2^-27 still rounds to the smallest normal, but not with unbounded exponent.
    const std::int64_t below = (1 << 13) - 3;
    for (const auto& [ftz, bits] :
         {std::pair{Flush::none, 0x0400}, {Flush::result, 0x0400}, {Flush::after, 0x0000}, {Flush::before, 0x0000}}) {
        Round flushing;
        flushing.ftz = ftz;
        EXPECT_EQ(encode(f, below, -27, flushing), static_cast<std::uint64_t>(bits)) << static_cast<int>(ftz);
    }
    // Flushed results keep their sign or not.
    Round flushing;
    flushing.ftz = Flush::result;
    EXPECT_EQ(encode(f, -3, -24, flushing), 0x8000);
    flushing.fsign_keep = false;
    EXPECT_EQ(encode(f, -3, -24, flushing), 0x0000);
}

} // namespace
} // namespace discern
