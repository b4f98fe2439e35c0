// See sheet.hpp. The words of certificate/words.hpp, in words.
#include "sheet.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace discern::rtl {

namespace {

/// Bits that hold 0 … most.
int places_for(int most) { return std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(most)))); }

} // namespace

Term Sheet::wire(const std::string& name, Term term, const std::string& comment) {
    lines_.push_back({prefix_ + name, comment, term, false});
    return term;
}

Term Sheet::constant(std::uint64_t value, int width) {
    const std::uint64_t words[] = {value};
    return t.constant(Bits::from_words(width, words));
}

Term Sheet::resized(Term x, int width) { return t.width(x) < width ? t.zero_extend(x, width) : t.extract(x, 0, width); }

Term Sheet::part(Term x, int first, int count) {
    const int width = t.width(x), begin = std::max(first, 0), end = std::min(first + count, width);
    if (begin >= end) return constant(0, count);
    Term word = t.extract(x, begin, end - begin);
    if (begin > first) word = t.concat(word, constant(0, begin - first));
    return resized(word, count);
}

Term Sheet::any(Term x) { return t.width(x) == 1 ? x : t.bvnot(t.is_zero(x)); }

Term Sheet::all(Term x) { return t.width(x) == 1 ? x : t.eq(x, t.constant(Bits::ones(t.width(x)))); }

Term Sheet::only_if(Term condition, Term x) { return t.ite(condition, x, constant(0, t.width(x))); }

Term Sheet::reversed_if(Term condition, Term x) { return t.ite(condition, t.bvnot(x), x); }

Term Sheet::add(Term x, Term y, Term carry) {
    const Term operands[] = {x, y, resized(carry, t.width(x))};
    return t.bvadd(operands);
}

Term Sheet::increment(Term x, Term one) { return t.bvadd(x, resized(one, t.width(x))); }

Term Sheet::shift_left(Term x, Term amount) {
    return t.bvshl(resized(x, t.width(x) + (1 << t.width(amount)) - 1), amount);
}

Sheet::Shifted Sheet::shift_right(Term x, Term amount) {
    const Term kept = t.bvshl(t.constant(Bits::ones(t.width(x))), amount);
    return {t.bvlshr(x, amount), any(t.bvand(x, t.bvnot(kept)))};
}

Sheet::Normalised Sheet::normalise(const std::string& name, Term x) {
    const int width = t.width(x);
    if (width == 1) return {x, no()};
    const int stages = places_for(width - 1);
    Normalised result{x, no()};
    Term count = no();
    for (int stage = stages; stage-- > 0;) {
        const int by = 1 << stage;
        const Term shifts = opposite(any(part(result.word, width - by, by)));
        result.word =
            wire(name + "_by" + std::to_string(by), t.ite(shifts, part(result.word, -by, width), result.word));
        count = stage + 1 == stages ? shifts : t.concat(count, shifts);
    }
    result.count = count;
    return result;
}

// ------------------------------------------------------------------------------------------------ whole numbers

Term Sheet::rebased(const Integer& x, int low, int high) {
    const int places = places_for(high - low);
    return t.bvadd(resized(x.bits, places), constant(static_cast<std::uint64_t>(x.low - low), places));
}

Sheet::Integer Sheet::integer(const Terms& terms, Term bits, int offset) {
    return {bits, offset, offset + (1 << terms.width(bits)) - 1};
}

Sheet::Integer Sheet::moved(Integer x, int by) { return {x.bits, x.low + by, x.high + by}; }

Sheet::Integer Sheet::sum(const Integer& x, const Integer& y) {
    const int low = x.low + y.low, high = x.high + y.high, places = places_for(high - low);
    return {t.bvadd(resized(x.bits, places), resized(y.bits, places)), low, high};
}

Sheet::Integer Sheet::plus(const Integer& x, Term one) {
    return {increment(resized(x.bits, places_for(x.high + 1 - x.low)), one), x.low, x.high + 1};
}

Sheet::Integer Sheet::difference(const Integer& x, const Integer& y, int low, int high) {
    // Modulo 2^places, which is enough, since the difference is known to lie between the bounds.
    const int places = places_for(high - low);
    const Term without_bounds = t.bvsub(resized(x.bits, places), resized(y.bits, places));
    const auto offset = static_cast<std::uint64_t>(static_cast<std::int64_t>(x.low) - y.low - low);
    return {t.bvadd(without_bounds, constant(offset, places)), low, high};
}

Term Sheet::less(const Integer& x, const Integer& y) {
    const int low = std::min(x.low, y.low), high = std::max(x.high, y.high);
    const Term right = rebased(y, low, high);
    const Term left = rebased(x, low, high);
    return t.bvult(left, right);
}

Sheet::Integer Sheet::choose(Term condition, const Integer& then, const Integer& otherwise) {
    const int low = std::min(then.low, otherwise.low), high = std::max(then.high, otherwise.high);
    const Term second = rebased(otherwise, low, high);
    const Term first = rebased(then, low, high);
    return {t.ite(condition, first, second), low, high};
}

Sheet::Integer Sheet::largest(const std::vector<Integer>& numbers, const std::vector<Term>& take_part) {
    int low = numbers.front().low, high = numbers.front().high;
    for (const Integer& x : numbers) {
        low = std::min(low, x.low);
        high = std::max(high, x.high);
    }
    // Down to a power of two, as in the plain circuit, whose bits then are these bits.
    low = low < 0 ? -static_cast<int>(std::bit_ceil(static_cast<unsigned>(-low))) : 0;
    std::vector<Term> level;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        level.push_back(wire("rank" + std::to_string(i), only_if(take_part[i], rebased(numbers[i], low, high)),
                             "exponent above " + std::to_string(low) + ", or 0 if it does not take part"));
    for (int round = 0; level.size() > 1; ++round) { // by pairs
        std::vector<Term> next;
        for (std::size_t i = 0; i + 1 < level.size(); i += 2)
            next.push_back(wire("most" + std::to_string(round) + "_" + std::to_string(i / 2),
                                t.ite(t.bvult(level[i], level[i + 1]), level[i + 1], level[i])));
        if (level.size() % 2 != 0) next.push_back(level.back());
        level = std::move(next);
    }
    const Term result = level.front();
    return {result, low, high};
}

} // namespace discern::rtl
