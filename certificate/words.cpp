#include "words.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace discern::certificate {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Bits that hold 0 … most.
int places_for(int most) { return static_cast<int>(std::bit_width(static_cast<unsigned>(most))); }

void require_equal(const Bits& x, const Bits& y) {
    if (x.size() != y.size()) throw std::logic_error("words of different widths");
}

/// The same number as low + bits with a lower `low`, in a word for numbers up to `high`.
Bits rebased(Netlist& n, const Integer& x, int low, int high) {
    const int places = places_for(high - low);
    return add(n, resized(x.bits, places), constant(static_cast<std::uint64_t>(x.low - low), places));
}

} // namespace

Bits constant(std::uint64_t value, int width) {
    Bits x;
    for (int i = 0; i < width; ++i) x.push_back(i < 64 && ((value >> i) & 1u) != 0 ? yes : no);
    return x;
}

Bits resized(Bits x, int width) {
    x.resize(index(width), no);
    return x;
}

Bits part(const Bits& x, int first, int count) {
    Bits some;
    for (int i = first; i < first + count; ++i) some.push_back(i >= 0 && i < width(x) ? x[index(i)] : no);
    return some;
}

Literal any(Netlist& n, const Bits& x) {
    Literal found = no;
    for (const Literal bit : x) found = n.either(found, bit);
    return found;
}

Literal all(Netlist& n, const Bits& x) {
    Literal holds = yes;
    for (const Literal bit : x) holds = n.both(holds, bit);
    return holds;
}

Bits choose(Netlist& n, Literal condition, const Bits& then, const Bits& otherwise) {
    require_equal(then, otherwise);
    Bits x;
    for (std::size_t i = 0; i < then.size(); ++i) x.push_back(n.choice(condition, then[i], otherwise[i]));
    return x;
}

Bits only_if(Netlist& n, Literal condition, const Bits& x) {
    Bits y;
    for (const Literal bit : x) y.push_back(n.both(condition, bit));
    return y;
}

Bits reversed_if(Netlist& n, Literal condition, Bits x) {
    for (Literal& bit : x) bit = n.different(condition, bit);
    return x;
}

Bits add(Netlist& n, const Bits& x, const Bits& y, Literal carry) {
    require_equal(x, y);
    Bits sum;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum.push_back(n.different(n.different(x[i], y[i]), carry));
        if (i + 1 < x.size()) carry = n.majority(x[i], y[i], carry);
    }
    return sum;
}

Bits increment(Netlist& n, const Bits& x, Literal one) { return add(n, x, constant(0, width(x)), one); }

Literal less(Netlist& n, const Bits& x, const Bits& y) {
    require_equal(x, y);
    Literal smaller = no; // as the bits below say
    for (std::size_t i = 0; i < x.size(); ++i) smaller = n.majority(opposite(x[i]), y[i], smaller);
    return smaller;
}

Bits multiply(Netlist& n, const Bits& x, const Bits& y) {
    const int places = width(x) + width(y);
    Bits sum = constant(0, places);
    for (int row = 0; row < width(y); ++row) sum = add(n, sum, part(only_if(n, y[index(row)], x), -row, places));
    return sum;
}

Bits shift_left(Netlist& n, const Bits& x, const Bits& amount) {
    Bits word = x;
    for (int stage = 0; stage < width(amount); ++stage) {
        const int by = 1 << stage, places = width(word) + by;
        word = choose(n, amount[index(stage)], part(word, -by, places), resized(word, places));
    }
    return word;
}

Shifted shift_right(Netlist& n, const Bits& x, const Bits& amount) {
    Shifted result{x, no};
    for (int stage = 0; stage < width(amount); ++stage) {
        // From 2^stage ≥ width on, everything leaves.
        const int by = stage < 30 ? std::min(1 << stage, width(x)) : width(x);
        const Literal shifts = amount[index(stage)];
        const Literal leaves = any(n, part(result.word, 0, by));
        result.lost = n.either(result.lost, n.both(shifts, leaves));
        result.word = choose(n, shifts, part(result.word, by, width(x)), result.word);
    }
    return result;
}

Normalised normalise(Netlist& n, const Bits& x) {
    const int stages = x.empty() ? 0 : places_for(width(x) - 1);
    Normalised result{x, constant(0, stages)};
    for (int stage = stages; stage-- > 0;) {
        const int by = 1 << stage;
        const Literal shifts = opposite(any(n, part(result.word, width(x) - by, by)));
        result.word = choose(n, shifts, part(result.word, -by, width(x)), result.word);
        result.count[index(stage)] = shifts;
    }
    return result;
}

// ------------------------------------------------------------------------------------------------ whole numbers

Integer integer(int value) { return {{}, value, value}; }

Integer integer(Bits bits, int offset) {
    const int high = offset + (1 << width(bits)) - 1;
    return {std::move(bits), offset, high};
}

Integer moved(Integer x, int by) {
    x.low += by;
    x.high += by;
    return x;
}

Integer sum(Netlist& n, const Integer& x, const Integer& y) {
    const int low = x.low + y.low, high = x.high + y.high, places = places_for(high - low);
    return {add(n, resized(x.bits, places), resized(y.bits, places)), low, high};
}

Integer plus(Netlist& n, const Integer& x, Literal one) {
    return {increment(n, resized(x.bits, places_for(x.high + 1 - x.low)), one), x.low, x.high + 1};
}

Integer difference(Netlist& n, const Integer& x, const Integer& y, int low, int high) {
    // Modulo 2^places, which is enough, since the difference is known to lie between the bounds.
    const int places = places_for(high - low);
    const Bits without_bounds = add(n, resized(x.bits, places), reversed_if(n, yes, resized(y.bits, places)), yes);
    const auto offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(x.low) - y.low - low);
    return {add(n, without_bounds, constant(offset, places)), low, high};
}

Literal less(Netlist& n, const Integer& x, const Integer& y) {
    const int low = std::min(x.low, y.low), high = std::max(x.high, y.high);
    const Bits right = rebased(n, y, low, high);
    const Bits left = rebased(n, x, low, high);
    return less(n, left, right);
}

Integer choose(Netlist& n, Literal condition, const Integer& then, const Integer& otherwise) {
    const int low = std::min(then.low, otherwise.low), high = std::max(then.high, otherwise.high);
    const Bits second = rebased(n, otherwise, low, high);
    const Bits first = rebased(n, then, low, high);
    return {choose(n, condition, first, second), low, high};
}

Integer larger(Netlist& n, const Integer& x, const Integer& y) { return choose(n, less(n, x, y), y, x); }

Integer largest(Netlist& n, const std::vector<Integer>& numbers, Bits take_part) {
    int low = numbers.front().low, high = numbers.front().high;
    for (const Integer& x : numbers) {
        low = std::min(low, x.low);
        high = std::max(high, x.high);
    }
    // Down to a power of two: circuits of which one has lower numbers then have most bits in common.
    low = low < 0 ? -static_cast<int>(std::bit_ceil(static_cast<unsigned>(-low))) : 0;
    std::vector<Bits> words;
    for (const Integer& x : numbers) words.push_back(rebased(n, x, low, high));
    // From the highest bit on: it is set if it is in one of those still in the running, and who has it not drops out.
    Bits result = constant(0, places_for(high - low));
    for (std::size_t bit = result.size(); bit-- > 0;) {
        for (std::size_t i = 0; i < words.size(); ++i)
            result[bit] = n.either(result[bit], n.both(take_part[i], words[i][bit]));
        for (std::size_t i = 0; i < words.size(); ++i)
            take_part[i] = n.both(take_part[i], n.either(words[i][bit], opposite(result[bit])));
    }
    return {result, low, high};
}

} // namespace discern::certificate
