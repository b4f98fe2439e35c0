// The digits of products, which probes at the edge of a tie are made of, against numbers written out.
#include "encodings/sum/product_digits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

namespace discern {
namespace {

constexpr DigitRun runs[] = {DigitRun::zeros, DigitRun::zeros_below_01, DigitRun::ones, DigitRun::ones_below_10};

/// The same by reading: the longest run that stands below the digits `above`, with a one somewhere below it.
int longest_run(std::uint32_t number, const std::string& above, char digit) {
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
        const int length = static_cast<int>(end - start) - (below ? 0 : 1);
        if (length > 0 && (below || digit == '1')) longest = std::max(longest, length);
    }
    return std::max(longest, 0);
}

TEST(ProductDigits, AreThoseOfTheNumbersWritten) {
    const std::pair<std::string, char> read[] = {{"1", '0'}, {"01", '0'}, {"0", '1'}, {"10", '1'}};
    for (const auto& [bits_a, bits_b] : {std::pair{2, 3}, {3, 3}, {4, 4}, {3, 8}, {8, 8}}) {
        const ProductDigits digits(bits_a, bits_b);
        for (const DigitRun run : runs) {
            const auto& [above, digit] = read[static_cast<std::size_t>(run)];
            int longest = 0;
            for (std::uint32_t a = 1; a >> bits_a == 0; ++a)
                for (std::uint32_t b = 1; b >> bits_b == 0; ++b)
                    longest = std::max(longest, longest_run(a * b, above, digit));
            EXPECT_EQ(digits.longest(run), longest) << bits_a << " and " << bits_b << " bits, " << above << digit;
        }
    }
    const ProductDigits* of_f16 = product_digits(format(FormatId::f16), format(FormatId::f16));
    ASSERT_NE(of_f16, nullptr);
    for (const DigitRun run : runs) {
        const auto& [above, digit] = read[static_cast<std::size_t>(run)];
        for (std::size_t length = 1; length < of_f16->examples(run).size(); ++length) {
            const ProductDigits::Example& e = of_f16->examples(run)[length];
            if (e.a == 0) continue;
            EXPECT_LT(std::max(e.a, e.b), 2048u);
            EXPECT_EQ((e.a * e.b >> e.place & 1) != 0, above.back() == '1') << e.a << " " << e.b;
            const std::uint64_t of_run = (1ull << length) - 1;
            EXPECT_EQ(e.a * e.b >> (e.place - static_cast<int>(length)) & of_run, digit == '1' ? of_run : 0);
            EXPECT_NE(e.a * e.b & ((1ull << (e.place - static_cast<int>(length))) - 1), 0u) << e.a << " " << e.b;
        }
    }
    EXPECT_EQ(product_digits(format(FormatId::f32), format(FormatId::f16)), nullptr);
}

} // namespace
} // namespace discern
