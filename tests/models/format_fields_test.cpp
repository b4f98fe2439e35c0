// Formats by their fields: names, and that patterns and numbers are what the fields say.
#include "models/error.hpp"
#include "models/format.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace discern::testing {
namespace {

const Format& named(std::string_view text) { return format(require_format(text, "a test")); }

template <typename Visit>
void for_all(Visit visit) {
    for (const Specials specials : {Specials::ieee, Specials::all_ones, Specials::fnuz, Specials::inuz, Specials::none})
        for (int e = 2; e <= 11; ++e)
            for (int m = 1; m <= 52; ++m)
                if (const auto id = format_of_fields(e, m, specials)) visit(format(*id), e, m, specials);
}

TEST(FormatFields, NamesReadBack) {
    int count = 0;
    for_all([&](const Format& f, int e, int m, Specials specials) {
        ++count;
        EXPECT_EQ(format_from_name(f.name), f.id) << f.name;
        EXPECT_EQ(f.exponent_bits, e) << f.name;
        EXPECT_EQ(f.mantissa_bits, m) << f.name;
        EXPECT_EQ(f.specials, specials) << f.name;
        EXPECT_EQ(f.width, 1 + e + m) << f.name;
    });
    EXPECT_EQ(count, 52 * (5 * 9 + 1)); // with 11 exponent bits IEEE alone
}

/// The same fields are the same format, whatever it is called.
TEST(FormatFields, NamedFormatsKeepTheirNames) {
    EXPECT_EQ(named("e5m10").id, FormatId::f16);
    EXPECT_EQ(named("e8m7").id, FormatId::bf16);
    EXPECT_EQ(named("e8m23").id, FormatId::f32);
    EXPECT_EQ(named("e11m52").id, FormatId::f64);
    EXPECT_EQ(named("e4m3fn").id, FormatId::e4m3);
    EXPECT_EQ(named("e5m2ieee").id, FormatId::e5m2);
    EXPECT_EQ(named("e2m1f").id, FormatId::e2m1);
    EXPECT_EQ(named("e4m3fnuz").id, FormatId::e4m3fnuz);
    // A name that is taken is that format's, and the IEEE one has the suffix.
    EXPECT_EQ(named("e4m3").specials, Specials::all_ones);
    EXPECT_EQ(named("e4m3ieee").name, "e4m3ieee");
    EXPECT_EQ(named("e4m3ieee").specials, Specials::ieee);
    EXPECT_EQ(named("e8m13").width, 32);
    EXPECT_EQ(named("e8m13ieee").width, 22);
    EXPECT_EQ(named("e8m10").width, 19); // tf32 without its padding
}

TEST(FormatFields, WrongOnesAreRefused) {
    for (const char* text :
         {"e1m5", "e12m5", "e5m0", "e5m53", "e5", "e5m", "m5e5", "e05m3", "e5m3x", "e5m3fnu", "e5m3inu", "e11m5inuz",
          "e5m3fnuzi", "e11m5fn", "e5m3 ", "e-5m3", "e5m3ieeefn", "e500m3", ""})
        EXPECT_FALSE(format_from_name(text)) << text;
    try {
        require_format("q17", "here");
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("eEmM"), std::string::npos) << error.what();
    }
}

/// By hand: bias 2^(E−1) − 1, FNUZ one more; what the top exponent holds.
TEST(FormatFields, Numbers) {
    const struct {
        const char* name;
        std::uint64_t bits;
        double value;
    } cases[] = {
        {"e8m31", 0x3f80000000, 1.0},
        {"e8m31", 0x0000000001, 0x1p-157},
        {"e8m31", 0x7f7fffffff, 0x1.fffffffep127},
        {"e8m31", 0xff80000000, -INFINITY},
        {"e5m7", 0x780, 1.0},
        {"e5m7", 0xf7f, 0x1.fep15},
        {"e5m7fn", 0xffe, 0x1.fcp16},
        {"e5m7f", 0xfff, 0x1.fep16},
        {"e5m7fnuz", 0x800, 1.0},
        {"e5m7inuz", 0x800, 1.0},
        {"e5m7inuz", 0xffe, 0x1.fcp15},
        {"e5m7inuz", 0xfff, INFINITY},
        {"e5m7inuz", 0x1fff, -INFINITY},
        {"e5m7inuz", 0x1001, -0x1p-22},
        {"e2m1inuz", 0x6, 2},
        {"e2m1inuz", 0xf, -INFINITY},
        {"e4m3ieee", 0x77, 240},
        {"e4m3ieee", 0x78, INFINITY},
        {"e2m1ieee", 0x5, 3},
        {"e6m9", 0x0001, 0x1p-39},
    };
    for (const auto& c : cases) EXPECT_EQ(to_double(named(c.name), c.bits), c.value) << c.name << " " << c.bits;
    EXPECT_EQ(decode(named("e5m7fn"), 0xfff).number_class, NumberClass::nan);
    EXPECT_EQ(decode(named("e5m7fnuz"), 0x1000).number_class, NumberClass::nan);
    EXPECT_EQ(decode(named("e5m7inuz"), 0x1000).number_class, NumberClass::nan);
    EXPECT_EQ(decode(named("e5m7"), 0xf81).number_class, NumberClass::nan);
}

/// All patterns of the short ones go through a number and back, and are in order.
TEST(FormatFields, PatternsAndNumbers) {
    for_all([&](const Format& f, int, int, Specials) {
        if (f.width > 11) return;
        double previous = -1;
        for (std::uint64_t bits = 0; bits < 1ull << (f.width - 1); ++bits) {
            const Decoded x = decode(f, bits);
            const double value = to_double(f, bits);
            ASSERT_EQ(pack(f, x), bits) << f.name << " " << bits;
            if (std::isnan(value)) continue;
            ASSERT_LT(previous, value) << f.name << " " << bits;
            previous = value;
        }
        EXPECT_EQ(std::isinf(previous), f.has_infinity()) << f.name;
    });
}

TEST(FormatFields, InTheNotation) {
    const std::string line = "e5m7*e6m9fn+e8m10->e8m10 K=2 L=2 nan=any : round[e8m10 rne](fuse[F=12 rz](p*, c))";
    EXPECT_EQ(to_string(parse_unit(line)), line);
    EXPECT_THROW(parse_unit("e5m7*e5m7->f32 K=1 : round[e5m7f rz](fuse[F=8](p*))"), Error); // no NaN
    EXPECT_THROW(parse_unit("e5m7*e5m7->f32 K=1 : round[e8m31 rz](fuse[F=8](p*))"), Error); // not stored in f32
}

} // namespace
} // namespace discern::testing
