// Goes through all products of two significands once, and keeps the longest runs with examples.
#include "product_digits.hpp"

#include <algorithm>
#include <bit>

namespace discern {

namespace {

constexpr int most_bits = 11; // of f16 and tf32

} // namespace

/// An odd number, run by run from its last digit up.
void ProductDigits::look_at(std::uint32_t a, std::uint32_t b) {
    const auto note = [&](DigitRun run, int length, int bit) {
        auto& examples = examples_[static_cast<std::size_t>(run)];
        const auto n = static_cast<std::size_t>(length);
        if (examples.size() <= n) examples.resize(n + 1);
        if (examples[n].a == 0) examples[n] = {a, b, bit};
    };
    const std::uint32_t product = a * b;
    for (int bit = 0; product >> bit != 0;) {
        const std::uint32_t rest = product >> bit;
        const bool is_ones = (rest & 1) != 0;
        const int length = is_ones ? std::countr_one(rest) : std::countr_zero(rest);
        const bool one_above = (rest >> length >> 1 & 1) != 0; // above the other digit that ends the run
        const int counted = is_ones && bit == 0 ? length - 1 : length, end = bit + length;
        note(is_ones ? DigitRun::ones : DigitRun::zeros, counted, end);
        if (is_ones && one_above) {
            note(DigitRun::ones_below_10, counted, end);
            note(DigitRun::all_ones_below_10, length, end);
        }
        if (!is_ones && !one_above) {
            note(DigitRun::zeros_below_01, counted, end);
            if (bit == 1) note(DigitRun::lone_zeros_below_01, counted, end);
        }
        bit = end;
    }
}

ProductDigits::ProductDigits(int bits_a, int bits_b) {
    for (auto& examples : examples_) examples.resize(1);
    // Zeros at the end of a factor only move the runs.
    for (std::uint32_t a = 1; a >> bits_a == 0; a += 2)
        for (std::uint32_t b = bits_a == bits_b ? a : 1; b >> bits_b == 0; b += 2) look_at(a, b);
}

const ProductDigits* product_digits(int bits_a, int bits_b) {
    using Row = std::array<ProductDigits, most_bits + 1>;
    static const std::array<Row, most_bits + 1> table = [] {
        std::array<Row, most_bits + 1> all;
        for (const Format& x : formats())
            for (const Format& y : formats()) {
                const auto m = static_cast<std::size_t>(x.mantissa_bits) + 1;
                const auto n = static_cast<std::size_t>(y.mantissa_bits) + 1;
                if (std::max(m, n) <= most_bits && all[m][n].longest(DigitRun::ones) < 0)
                    all[m][n] = ProductDigits(static_cast<int>(m), static_cast<int>(n));
            }
        return all;
    }();
    if (std::max(bits_a, bits_b) > most_bits) return nullptr;
    const ProductDigits& digits = table[static_cast<std::size_t>(bits_a)][static_cast<std::size_t>(bits_b)];
    return digits.longest(DigitRun::ones) < 0 ? nullptr : &digits;
}

const ProductDigits* product_digits(const Format& a, const Format& b) {
    return product_digits(a.mantissa_bits + 1, b.mantissa_bits + 1);
}

} // namespace discern
