// The oracle's roundings: each parameter of a round on an example worked out by hand.
#include "models/trees.hpp"
#include "rounded_integers.hpp"

#include <gtest/gtest.h>

namespace discern::tests {
namespace {

using enum FormatId;
using enum Rounding;

/// An exact sum of two products, rounded.
Unit sum_to(Round round, FormatId ab = f64) {
    Unit unit = unit_of(ab, f64, round.format, 2, round_to(round, fuse({exactly(p())})));
    unit.c.reset();
    return unit;
}

TEST(OracleRound, Modes) {
    // From 1024 to 2047 the last bit of f16 is 1. Magnitudes from 1024 on, so rd and ru see the sign of the sum.
    for (std::size_t m = 0; m < modes.size(); ++m)
        for (const RoundedTo& row : to_integers) {
            const double base = row.number < 0 ? -1024 : 1024;
            EXPECT_EQ(exact(sum_to(ieee(f16, modes[m])), {base, row.number}, {1, 1}),
                      pattern(f16, base + row.integer[m]))
                << name(modes[m]) << " " << row.number;
        }
    // The same table on subnormal numbers: the last bit is 2^-24 there too, and everywhere below 2^-13.
    for (std::size_t m = 0; m < modes.size(); ++m)
        for (const RoundedTo& row : to_integers) {
            const double expected = std::copysign(std::ldexp(row.integer[m], -24), row.number);
            EXPECT_EQ(exact(sum_to(ieee(f16, modes[m])), {row.number}, {0x1p-24}), pattern(f16, expected))
                << name(modes[m]) << " " << row.number;
        }
    // A round that carries into the next binade: 2047.5 to 2048.
    EXPECT_EQ(exact(sum_to(ieee(f16, rne)), {2047.5}, {1}), pattern(f16, 2048));
}

TEST(OracleRound, Overflow) {
    // 65535.5 lies between the largest f16, 65504, and 65536, nearer to the latter. rz and odd never reach 65536.
    const double inf = infinite, max = 65504;
    struct Row {
        Rounding mode;
        double plus, minus; // by IEEE 754
        bool rounds_up_plus, rounds_up_minus;
    };
    for (const Row& row :
         {Row{rz, max, -max, false, false}, Row{rd, max, -inf, false, true}, Row{ru, inf, -max, true, false},
          Row{rne, inf, -inf, true, true}, Row{rna, inf, -inf, true, true}, Row{odd, max, -max, false, false},
          Row{Rounding::ra, inf, -inf, true, true}, Row{Rounding::rnu, inf, -inf, true, true},
          Row{Rounding::rnd, inf, -inf, true, true}, Row{Rounding::rnz, inf, -inf, true, true},
          Row{Rounding::rno, inf, -inf, true, true}}) {
        Round round = ieee(f16, row.mode);
        for (const double beyond : {65535.5, 65536.0, 0x1p100}) {
            EXPECT_EQ(exact(sum_to(round), {beyond}, {1}), pattern(f16, row.plus)) << name(row.mode) << beyond;
            EXPECT_EQ(exact(sum_to(round), {beyond}, {-1}), pattern(f16, row.minus)) << name(row.mode) << beyond;
        }
        // `inf` and `max` look at the rounded magnitude, whatever the mode.
        round.overflow = Overflow::infinity;
        EXPECT_EQ(exact(sum_to(round), {65535.5}, {1}), pattern(f16, row.rounds_up_plus ? inf : max)) << name(row.mode);
        EXPECT_EQ(exact(sum_to(round), {65535.5}, {-1}), pattern(f16, row.rounds_up_minus ? -inf : -max));
        EXPECT_EQ(exact(sum_to(round), {65536}, {1}), pattern(f16, inf)) << name(row.mode);
        EXPECT_EQ(exact(sum_to(round), {65536}, {-1}), pattern(f16, -inf)) << name(row.mode);
        round.overflow = Overflow::largest;
        EXPECT_EQ(exact(sum_to(round), {65536}, {1}), pattern(f16, max)) << name(row.mode);
        EXPECT_EQ(exact(sum_to(round), {65536}, {-1}), pattern(f16, -max)) << name(row.mode);
        EXPECT_EQ(exact(sum_to(round), {inf}, {1}), pattern(f16, inf)) << "an infinity is no overflow";
    }
    EXPECT_EQ(exact(sum_to(ieee(f16)), {65519.5}, {1}), pattern(f16, max));
    EXPECT_EQ(exact(sum_to(ieee(f16)), {65520}, {1}), pattern(f16, inf));
}

// 65520 is in the middle of 65504 = 2047·2^5 and 65536, which is no number of f16: the tie decides, as anywhere.
TEST(OracleRound, OverflowOfATie) {
    const double inf = infinite, max = 65504;
    struct Row {
        Rounding mode;
        double plus, minus;
    };
    for (const Row& row :
         {Row{rne, inf, -inf}, Row{rna, inf, -inf}, Row{Rounding::rnu, inf, -max}, Row{Rounding::rnd, max, -inf},
          Row{Rounding::rnz, max, -max}, Row{Rounding::rno, max, -max}, Row{Rounding::ra, inf, -inf}}) {
        const Round round = ieee(f16, row.mode);
        EXPECT_EQ(exact(sum_to(round), {65520}, {1}), pattern(f16, row.plus)) << name(row.mode);
        EXPECT_EQ(exact(sum_to(round), {65520}, {-1}), pattern(f16, row.minus)) << name(row.mode);
        // To nearest, what lies below the tie is the largest number; away from zero all above that is beyond it.
        const bool away = row.mode == Rounding::ra;
        EXPECT_EQ(exact(sum_to(round), {65519.5}, {1}), pattern(f16, away ? inf : max)) << name(row.mode);
        EXPECT_EQ(exact(sum_to(round), {65519.5}, {-1}), pattern(f16, away ? -inf : -max)) << name(row.mode);
    }
    // The largest number of e4m3, 448 = 14·2^5, is even: the tie goes to 480, which is none.
    EXPECT_EQ(exact(sum_to(ieee(FormatId::e4m3, Rounding::rno)), {464}, {1}), 0x7f);
    EXPECT_EQ(exact(sum_to(ieee(FormatId::e4m3, Rounding::rne)), {464}, {1}), 0x7e);
}

TEST(OracleRound, FormatsWithoutInfinity) {
    // e4m3: the largest is 448 = 1.75 · 2^8; 480 would be NaN's pattern. 464 is a tie and goes to the even 448.
    const Unit to_e4m3 = sum_to(ieee(e4m3));
    EXPECT_EQ(exact(to_e4m3, {448}, {1}), 0x7eu);
    EXPECT_EQ(exact(to_e4m3, {464}, {1}), 0x7eu);
    EXPECT_EQ(exact(to_e4m3, {464.5}, {1}), 0x7fu);
    EXPECT_EQ(exact(to_e4m3, {infinite}, {1}), 0x7fu);
    Round saturating = ieee(e4m3);
    saturating.overflow = Overflow::largest;
    EXPECT_EQ(exact(sum_to(saturating), {-1e6}, {1}), 0xfeu);
    EXPECT_EQ(exact(sum_to(saturating), {infinite}, {1}), 0x7fu) << "an infinity is no overflow";
    // FNUZ: 240 is the largest e4m3fnuz, NaN is 80, and zeros are positive.
    EXPECT_EQ(exact(sum_to(ieee(e4m3fnuz)), {240}, {1}), 0x7fu);
    EXPECT_EQ(exact(sum_to(ieee(e4m3fnuz)), {249}, {1}), 0x80u);
    EXPECT_EQ(exact(sum_to(ieee(e4m3fnuz)), {-0.0, -0.0}, {1, 1}), 0x00u);
    EXPECT_EQ(exact(sum_to(ieee(e4m3fnuz)), {-0x1p-40}, {1}), 0x00u);
    // INUZ: 224 is the largest e4m3inuz, 7f and ff are infinite, NaN is 80, and zeros are positive.
    const FormatId e4m3inuz = format_from_name("e4m3inuz").value();
    Round extended = ieee(e4m3inuz);
    EXPECT_EQ(exact(sum_to(extended), {232}, {1}), 0x7eu);
    EXPECT_EQ(exact(sum_to(extended), {-233}, {1}), 0xffu);
    EXPECT_EQ(exact(sum_to(extended), {infinite}, {1}), 0x7fu);
    EXPECT_EQ(exact(sum_to(extended), {infinite, -infinite}, {1, 1}), 0x80u);
    EXPECT_EQ(exact(sum_to(extended), {-0.0, -0.0}, {1, 1}), 0x00u);
    extended.overflow = Overflow::largest;
    EXPECT_EQ(exact(sum_to(extended), {-1e6}, {1}), 0xfeu);
    EXPECT_EQ(exact(sum_to(extended), {-infinite}, {1}), 0xffu) << "an infinity is no overflow";
    // e2m1 has neither: ±6.
    EXPECT_EQ(exact(sum_to(ieee(e2m1)), {100}, {1}), 0x7u);
    EXPECT_EQ(exact(sum_to(ieee(e2m1)), {-infinite}, {1}), 0xfu);
}

TEST(OracleRound, Flush) {
    // With the smallest normal number m = 2^-126 of f32:
    //   m − 2^-149 is subnormal in every sense;
    //   m − 2^-150 is exact with 24 bits and no emin, but a tie in f32 that goes to m;
    //   m − 2^-152 rounds to m with 24 bits already, so it is below m only before rounding.
    struct Row {
        Flush ftz;
        std::array<bool, 3> flushed;
    };
    const std::array<double, 3> below = {0x1p-149, 0x1p-150, 0x1p-152};
    const std::array<double, 3> rounded = {0x1p-126 - 0x1p-149, 0x1p-126, 0x1p-126};
    for (const Row& row : {Row{Flush::none, {false, false, false}}, Row{Flush::result, {true, false, false}},
                           Row{Flush::after, {true, true, false}}, Row{Flush::before, {true, true, true}}})
        for (std::size_t i = 0; i < below.size(); ++i)
            for (const bool keeps : {true, false}) {
                Round round = ieee(f32);
                round.ftz = row.ftz;
                round.fsign_keep = keeps;
                const std::uint64_t plus = row.flushed[i] ? 0 : pattern(f32, rounded[i]);
                const std::uint64_t minus = row.flushed[i] && !keeps ? 0 : plus | 0x80000000;
                EXPECT_EQ(exact(sum_to(round), {0x1p-126, -below[i]}, {1, 1}), plus) << i;
                EXPECT_EQ(exact(sum_to(round), {-0x1p-126, below[i]}, {1, 1}), minus) << i;
                EXPECT_EQ(exact(sum_to(round), {-0x1p-126}, {1}), pattern(f32, -0x1p-126)) << "m itself stays";
            }
    // What rounds to zero is no subnormal result, so `usign` decides its sign; below emin it is in the other two
    // senses.
    for (const Flush ftz : {Flush::result, Flush::after, Flush::before}) {
        Round round = ieee(f32);
        round.ftz = ftz;
        round.usign_keep = false;
        EXPECT_EQ(exact(sum_to(round), {-0x1p-151}, {1}), ftz == Flush::result ? 0u : 0x80000000u);
        round.usign_keep = true;
        round.fsign_keep = false;
        EXPECT_EQ(exact(sum_to(round), {-0x1p-151}, {1}), ftz == Flush::result ? 0x80000000u : 0u);
    }
    // Truncated, m − 2^-150 is subnormal after all.
    Round truncating = ieee(f32, rz);
    truncating.ftz = Flush::result;
    EXPECT_EQ(exact(sum_to(truncating), {0x1p-126, -0x1p-150}, {1, 1}), 0u);
    // `after` rounds in the mode of the conversion: m − 2^-152 stays below m when truncated.
    truncating.ftz = Flush::after;
    EXPECT_EQ(exact(sum_to(truncating), {0x1p-126, -0x1p-152}, {1, 1}), 0u);
}

TEST(OracleRound, SignsOfZeroResults) {
    // 2^-151 rounds to zero in f32; as an exact zero it would have the zero's own sign.
    Round round = ieee(f32);
    EXPECT_EQ(exact(sum_to(round), {-0x1p-151}, {1}), 0x80000000u);
    EXPECT_EQ(exact(sum_to(round), {-0.0, -0.0}, {1, 1}), 0x80000000u);
    round.usign_keep = false;
    EXPECT_EQ(exact(sum_to(round), {-0x1p-151}, {1}), 0u);
    EXPECT_EQ(exact(sum_to(round), {-0.0, -0.0}, {1, 1}), 0x80000000u);
    round.usign_keep = true;
    round.zsign_ieee = false;
    EXPECT_EQ(exact(sum_to(round), {-0x1p-151}, {1}), 0x80000000u);
    EXPECT_EQ(exact(sum_to(round), {-0.0, -0.0}, {1, 1}), 0u);
    round.mode = rd; // +0 whatever the mode
    EXPECT_EQ(exact(sum_to(round), {1, -1}, {1, 1}), 0u);
}

TEST(OracleRound, FormatsInsideAWiderPattern) {
    // E8M13 keeps 13 of the 23 fraction bits of the f32 pattern; tf32 keeps 10. Overflow is that of the narrower one.
    Unit unit = sum_to(ieee(e8m13, rz));
    unit.d = f32;
    EXPECT_EQ(exact(unit, {1 + 0x1p-13 + 0x1p-14}, {1}), pattern(f32, 1 + 0x1p-13));
    EXPECT_EQ(exact(unit, {0x1.ffffp127}, {1}), pattern(f32, 0x1.fff8p127));
    EXPECT_EQ(exact(unit, {0x1p-139 + 0x1p-140}, {1}), pattern(f32, 0x1p-139));
    unit.tree = round_to(ieee(tf32), fuse({exactly(p())}));
    EXPECT_EQ(exact(unit, {1 + 0x1p-10 + 0x1p-12}, {1}), pattern(f32, 1 + 0x1p-10));
    EXPECT_EQ(exact(unit, {infinite}, {0}), 0x7fc00000u);
    EXPECT_EQ(exact(unit, {0x1.ffep127}, {1}), pattern(f32, infinite));
}

} // namespace
} // namespace discern::tests
