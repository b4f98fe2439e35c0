#include "gates.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace discern::certificate {

namespace {

std::size_t index(int i) { return static_cast<std::size_t>(i); }

void require_equal(const Bits& x, const Bits& y) {
    if (x.size() != y.size()) throw std::logic_error("words of different widths");
}

} // namespace

Bits GateDomain::constant(std::uint64_t value, int width) {
    Bits x;
    for (int i = 0; i < width; ++i) x.push_back(i < 64 && ((value >> i) & 1u) != 0 ? yes : no);
    return x;
}

Bits GateDomain::slice(const Bits& x, int lsb, int count) {
    Bits some;
    for (int i = lsb; i < lsb + count; ++i) some.push_back(i >= 0 && i < width(x) ? x[index(i)] : no);
    return some;
}

Bits GateDomain::resize(Bits x, int width) {
    x.resize(index(width), no);
    return x;
}

Bits GateDomain::concat(const Bits& high, Bits low) {
    low.insert(low.end(), high.begin(), high.end());
    return low;
}

Literal GateDomain::any(const Bits& x) {
    Literal found = no;
    for (const Literal bit : x) found = n_.make_or(found, bit);
    return found;
}

Literal GateDomain::all(const Bits& x) {
    Literal holds = yes;
    for (const Literal bit : x) holds = n_.make_and(holds, bit);
    return holds;
}

Bits GateDomain::word_or(Bits x, const Bits& y) {
    require_equal(x, y);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = n_.make_or(x[i], y[i]);
    return x;
}

Bits GateDomain::mux(Literal condition, const Bits& then, const Bits& otherwise) {
    require_equal(then, otherwise);
    Bits x;
    for (std::size_t i = 0; i < then.size(); ++i) x.push_back(n_.make_mux(condition, then[i], otherwise[i]));
    return x;
}

Bits GateDomain::mask(Literal condition, const Bits& x) {
    Bits y;
    for (const Literal bit : x) y.push_back(n_.make_and(condition, bit));
    return y;
}

Bits GateDomain::invert_if(Literal condition, Bits x) {
    for (Literal& bit : x) bit = n_.make_xor(condition, bit);
    return x;
}

Bits GateDomain::add(const Bits& x, const Bits& y, Literal carry) {
    require_equal(x, y);
    Bits sum;
    for (std::size_t i = 0; i < x.size(); ++i) {
        sum.push_back(n_.make_xor(n_.make_xor(x[i], y[i]), carry));
        if (i + 1 < x.size()) carry = n_.make_majority(x[i], y[i], carry);
    }
    return sum;
}

Literal GateDomain::less(const Bits& x, const Bits& y) {
    require_equal(x, y);
    Literal smaller = no; // as the bits below say
    for (std::size_t i = 0; i < x.size(); ++i) smaller = n_.make_majority(invert(x[i]), y[i], smaller);
    return smaller;
}

Bits GateDomain::multiply(const Bits& x, const Bits& y) {
    const int both = width(x) + width(y);
    Bits sum = constant(0, both);
    for (int row = 0; row < width(y); ++row) sum = add(sum, slice(mask(y[index(row)], x), -row, both));
    return sum;
}

Bits GateDomain::shift_left(const Bits& x, const Bits& amount) {
    Bits word = x;
    for (int stage = 0; stage < width(amount); ++stage) {
        const int by = 1 << stage, wider = width(word) + by;
        word = mux(amount[index(stage)], slice(word, -by, wider), resize(word, wider));
    }
    return word;
}

GateDomain::Shifted GateDomain::shift_right(const Bits& x, const Bits& amount) {
    Shifted result{x, no};
    for (int stage = 0; stage < width(amount); ++stage) {
        // From 2^stage ≥ width on, everything leaves.
        const int by = stage < 30 ? std::min(1 << stage, width(x)) : width(x);
        const Literal shifts = amount[index(stage)];
        const Literal leaves = any(slice(result.word, 0, by));
        result.sticky = n_.make_or(result.sticky, n_.make_and(shifts, leaves));
        result.word = mux(shifts, slice(result.word, by, width(x)), result.word);
    }
    return result;
}

GateDomain::Normalised GateDomain::normalise(const Bits& x) {
    const int stages = x.empty() ? 0 : static_cast<int>(std::bit_width(x.size() - 1));
    Normalised result{x, constant(0, stages)};
    for (int stage = stages; stage-- > 0;) {
        const int by = 1 << stage;
        const Literal shifts = invert(any(slice(result.word, width(x) - by, by)));
        result.word = mux(shifts, slice(result.word, -by, width(x)), result.word);
        result.leading_zeros[index(stage)] = shifts;
    }
    return result;
}

GateDomain::Maximum GateDomain::maximum(const std::vector<Bits>& words, Bits takes_part) {
    // A bit of the maximum is set if it is set in a word that takes part; then those without it take part no longer.
    Bits result = constant(0, width(words.front()));
    for (std::size_t bit = result.size(); bit-- > 0;) {
        for (std::size_t i = 0; i < words.size(); ++i)
            result[bit] = n_.make_or(result[bit], n_.make_and(takes_part[i], words[i][bit]));
        for (std::size_t i = 0; i < words.size(); ++i)
            takes_part[i] = n_.make_and(takes_part[i], n_.make_or(words[i][bit], invert(result[bit])));
    }
    return {result};
}

void GateDomain::add_signed(Total& total, const Bits& x, Literal negative, int lsb) {
    const Bits addend = slice(x, -lsb, width(total.word));
    total.word = add(total.word, invert_if(negative, addend), negative);
}

} // namespace discern::certificate
