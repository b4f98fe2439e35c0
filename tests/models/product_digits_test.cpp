// The digits of products, which probes at the edge of a tie are made of, against numbers written out.
#include "models/unit/product_digits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

namespace discern {
namespace {

/// A run as it is read: below the digits `above`.
struct Reading {
    DigitRun run;
    std::string above;
    char digit;
    bool lone = false;       ///< a single one below it
    bool to_the_end = false; ///< ones at the end of the number are all of the run
};
const Reading readings[] = {{DigitRun::zeros, "1", '0'},
                            {DigitRun::zeros_below_01, "01", '0'},
                            {DigitRun::ones, "0", '1'},
                            {DigitRun::ones_below_10, "10", '1'},
                            {DigitRun::lone_zeros_below_01, "01", '0', true},
                            {DigitRun::all_ones_below_10, "10", '1', false, true}};

/// The same by reading: the longest such run, with a one somewhere below it.
int longest_run(std::uint32_t number, const Reading& reading) {
    const auto& [run, above, digit, lone, to_the_end] = reading;
    std::string text = "000";
    for (int i = 31; i >= 0; --i) text += (number >> i & 1) != 0 ? '1' : '0';
    int longest = -1;
    for (std::size_t i = 0; i + above.size() <= text.size(); ++i) {
        if (text.compare(i, above.size(), above) != 0) continue;
        std::size_t end = i + above.size();
        while (end < text.size() && text[end] == digit) ++end;
        const std::size_t start = i + above.size();
        // The last ones of the number are a run and something below it.
        const bool below = text.find('1', end) != std::string::npos;
        if (lone && (!below || text.find('1', text.find('1', end) + 1) != std::string::npos)) continue;
        const int length = static_cast<int>(end - start) - (below || to_the_end ? 0 : 1);
        if (length > 0 && (below || digit == '1')) longest = std::max(longest, length);
    }
    return std::max(longest, 0);
}

TEST(ProductDigits, AreThoseOfTheNumbersWritten) {
    for (const auto& [bits_a, bits_b] : {std::pair{2, 3}, {3, 3}, {4, 4}, {3, 8}, {8, 8}}) {
        const ProductDigits digits(bits_a, bits_b);
        for (const Reading& reading : readings) {
            int longest = 0;
            for (std::uint32_t a = 1; a >> bits_a == 0; ++a)
                for (std::uint32_t b = 1; b >> bits_b == 0; ++b)
                    longest = std::max(longest, longest_run(a * b, reading));
            EXPECT_EQ(digits.longest(reading.run), longest)
                << bits_a << " and " << bits_b << " bits, " << reading.above << reading.digit;
        }
    }
    const ProductDigits* of_f16 = product_digits(format(FormatId::f16), format(FormatId::f16));
    ASSERT_NE(of_f16, nullptr);
    for (const Reading& reading : readings) {
        for (std::size_t length = 1; length < of_f16->examples(reading.run).size(); ++length) {
            const ProductDigits::Example& e = of_f16->examples(reading.run)[length];
            if (e.a == 0) continue;
            EXPECT_LT(std::max(e.a, e.b), 2048u);
            EXPECT_EQ((e.a * e.b >> e.bit & 1) != 0, reading.above.back() == '1') << e.a << " " << e.b;
            const std::uint64_t of_run = (1ull << length) - 1;
            const int last = e.bit - static_cast<int>(length);
            EXPECT_EQ(e.a * e.b >> last & of_run, reading.digit == '1' ? of_run : 0);
            const std::uint64_t below = e.a * e.b & ((1ull << last) - 1);
            EXPECT_TRUE(below != 0 || reading.to_the_end) << e.a << " " << e.b;
            EXPECT_TRUE(!reading.lone || below == 1) << e.a << " " << e.b;
        }
    }
    EXPECT_EQ(product_digits(format(FormatId::f32), format(FormatId::f16)), nullptr);
}

} // namespace
} // namespace discern
