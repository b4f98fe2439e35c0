// Goes through all products of two significands once, and keeps the longest runs with examples.
#include "product_digits.hpp"

#include <algorithm>
#include <bit>
#include <mutex>

namespace discern {

namespace {

constexpr int most_bits = 11; // of f16 and tf32

/// Whether a number has so many equal digits in a row, at least 1, below its highest one or with it.
bool has_run(std::uint32_t x, int length) {
    const auto row = [length](std::uint32_t ones) {
        int have = 1;
        for (; 2 * have <= length; have *= 2) ones &= ones >> have;
        return (ones & ones >> (length - have)) != 0;
    };
    const std::uint32_t below = (std::uint32_t{1} << (std::bit_width(x) - 1)) - 1;
    return row(x) || row(~x & below);
}

} // namespace

/// The shortest run of which some kind has no example, or a longer one. Zeros and a last one that counts have no run of
/// length 0.
int ProductDigits::shortest_missing() const {
    int shortest = most_bits * 2;
    for (std::size_t run = 0; run < examples_.size(); ++run) {
        const bool can_be_none =
            run == static_cast<std::size_t>(DigitRun::ones) || run == static_cast<std::size_t>(DigitRun::ones_below_10);
        const auto& examples = examples_[run];
        std::size_t n = can_be_none ? 0 : 1;
        while (n < examples.size() && examples[n].a != 0) ++n;
        shortest = std::min(shortest, static_cast<int>(n));
    }
    return shortest;
}

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
    // Zeros at the end of a factor only move the runs. Few products have a run of which there is no example yet.
    int missing = 0;
    for (std::uint32_t a = 1; a >> bits_a == 0; a += 2)
        for (std::uint32_t b = bits_a == bits_b ? a : 1; b >> bits_b == 0; b += 2) {
            if (missing > 0 && !has_run(a * b, missing)) continue;
            look_at(a, b);
            missing = shortest_missing();
        }
}

const ProductDigits* product_digits(int bits_a, int bits_b) {
    // Each when it is first asked for: all of them would take longer than most questions.
    struct Entry {
        std::once_flag once;
        ProductDigits digits;
    };
    static std::array<std::array<Entry, most_bits + 1>, most_bits + 1> table;
    const auto is_of_a_format = [](int bits) {
        return std::any_of(formats().begin(), formats().end(),
                           [bits](const Format& f) { return f.mantissa_bits + 1 == bits; });
    };
    if (std::max(bits_a, bits_b) > most_bits || !is_of_a_format(bits_a) || !is_of_a_format(bits_b)) return nullptr;
    Entry& entry = table[static_cast<std::size_t>(bits_a)][static_cast<std::size_t>(bits_b)];
    std::call_once(entry.once, [&] { entry.digits = ProductDigits(bits_a, bits_b); });
    return &entry.digits;
}

const ProductDigits* product_digits(const Format& a, const Format& b) {
    return product_digits(a.mantissa_bits + 1, b.mantissa_bits + 1);
}

} // namespace discern
