// Changes of a vector, each of which keeps what the others made: alike first, then signs, ends, and a few changed bits.
#include "challenge_vectors.hpp"

#include <algorithm>

namespace discern {

namespace {

/// Of all challenges, so that a claim is always challenged with the same.
constexpr std::uint64_t seed_of_all = 20'261'127;

std::uint64_t of_one_sign(const Format& f, std::uint64_t pattern, bool negative) {
    const Decoded x = decode(f, pattern);
    return x.number_class == NumberClass::nan || x.negative == negative || !f.is_signed ? pattern : negated(f, pattern);
}

/// The number that is so many nearer to zero.
std::uint64_t smaller(const Format& f, std::uint64_t pattern, int steps) {
    if (decode(f, pattern).number_class != NumberClass::finite) return pattern;
    const std::int64_t place = place_of(f, pattern);
    return pattern_at_place(f, place < 0 ? std::min<std::int64_t>(place + steps, 0)
                                         : std::max<std::int64_t>(place - steps, 0));
}

} // namespace

ChallengeVectors::ChallengeVectors(std::span<const Unit> views, const InputLimits& limits)
    : unit_(views.front()), aimed_(views, seed_of_all), random_(seed_of_all), limited_(!limits.none()) {
    for (const Operand operand : all_operands)
        if (const Format* const f = format_of(unit_, operand))
            rows_.push_back({operand, f, numbers_left(limits, operand, *f), is_finite(limits, operand)});
}

Vector ChallengeVectors::next() {
    v_ = aimed_.next();
    // Of eight vectors the other three are as they come.
    const std::uint64_t turn = made_++ % 8;
    if (turn < 2) change();
    if (turn == 2) make_large();
    if (turn == 3 || turn == 4) draw_all();
    if (limited_) keep_within();
    return std::move(v_);
}

void ChallengeVectors::change() {
    if (random_.one_in(3)) make_alike();
    if (random_.one_in(3)) make_one_sign();
    if (random_.one_in(3)) set_ends();
    if (random_.one_in(2)) change_some();
    if (v_.c && random_.one_in(4)) v_.c = 0; // it hides what is rounded before it comes
}

/// Any patterns: of small formats that is most inputs there are.
void ChallengeVectors::draw_all() {
    for (const Row& row : rows_)
        for (std::uint64_t& x : patterns(row.operand)) x = random_.bits() & row.format->mask();
}

/// All products are one of the largest, with the largest scales or scales of the largest significands; but one or two
/// are a little smaller, so that the last bit of their sum is not always zero.
void ChallengeVectors::make_large() {
    const bool largest_products = random_.one_in(2);
    for (const Row& row : rows_) {
        const bool is_factor = row.operand == Operand::a || row.operand == Operand::b;
        const bool is_largest = is_factor ? largest_products : random_.one_in(4);
        const std::uint64_t large = is_largest ? largest(row) : of_most_bits(row);
        for (std::uint64_t& x : patterns(row.operand)) x = large;
    }
    for (int n = random_.below(3); n > 0; --n) {
        const auto k = static_cast<std::size_t>(random_.below(unit_.K));
        const int steps_a = random_.below(3), steps_b = random_.below(3);
        v_.a[k] = smaller(format(unit_.a), v_.a[k], steps_a);
        v_.b[k] = smaller(format(unit_.b), v_.b[k], steps_b);
    }
    if (v_.c && random_.one_in(2)) v_.c = 0;
}

/// All elements, and all scales.
void ChallengeVectors::make_alike() {
    const auto k = static_cast<std::size_t>(random_.below(unit_.K));
    std::fill(v_.a.begin(), v_.a.end(), std::uint64_t{v_.a[k]});
    std::fill(v_.b.begin(), v_.b.end(), std::uint64_t{v_.b[k]});
    if (v_.sa.empty()) return;
    const std::size_t s = k / static_cast<std::size_t>(unit_.scale->block);
    std::fill(v_.sa.begin(), v_.sa.end(), std::uint64_t{v_.sa[s]});
    std::fill(v_.sb.begin(), v_.sb.end(), std::uint64_t{v_.sb[s]});
}

/// All products, and often c.
void ChallengeVectors::make_one_sign() {
    const bool negative = random_.one_in(2);
    for (std::uint64_t& a : v_.a) a = of_one_sign(format(unit_.a), a, negative);
    for (std::uint64_t& b : v_.b) b = of_one_sign(format(unit_.b), b, false);
    if (v_.c && !random_.one_in(4)) v_.c = of_one_sign(format(*unit_.c), *v_.c, negative);
}

/// The operands of one kind, or of some, are ends of their formats.
void ChallengeVectors::set_ends() {
    const bool scales = unit_.scale && random_.one_in(2); // of both factors
    const std::size_t first = scales ? 2 : static_cast<std::size_t>(random_.below(static_cast<int>(rows_.size())));
    for (std::size_t i = first; i < first + (scales ? 2 : 1); ++i) {
        const std::uint64_t end = end_of(rows_[i]);
        for (std::uint64_t& x : patterns(rows_[i].operand)) x = end;
    }
}

/// The largest and the smallest number, the largest significand of some exponent, or one.
std::uint64_t ChallengeVectors::end_of(const Row& row) {
    switch (random_.below(5)) {
    case 0: return pattern_at_place(*row.format, row.numbers.back().last);
    case 1: return pattern_at_place(*row.format, row.numbers.front().first);
    case 2: return one(*row.format);
    default: return of_most_bits(row);
    }
}

std::uint64_t ChallengeVectors::of_most_bits(const Row& row) {
    const Format& f = *row.format;
    return drawn(row) | ((std::uint64_t{1} << f.mantissa_bits) - 1) << f.padding_bits;
}

/// Of the largest magnitude.
std::uint64_t ChallengeVectors::largest(const Row& row) {
    const std::int64_t first = row.numbers.front().first, last = row.numbers.back().last;
    return pattern_at_place(*row.format, first < -last ? first : last);
}

void ChallengeVectors::change_some() {
    for (int n = random_.between(1, 3); n > 0; --n) {
        const Row& row = any_of(rows_);
        const std::span<std::uint64_t> of_row = patterns(row.operand);
        std::uint64_t& x = any_of(of_row);
        x = neighbour(row, x);
    }
}

/// The next number or the one after, another last bit, or any other bit.
std::uint64_t ChallengeVectors::neighbour(const Row& row, std::uint64_t pattern) {
    const Format& f = *row.format;
    const int kind = random_.below(4);
    if (kind == 0) return pattern ^ (1ull << f.padding_bits);
    if (kind == 1) return pattern ^ (1ull << random_.below(f.width));
    if (decode(f, pattern).number_class != NumberClass::finite) return drawn(row);
    const PlaceRange all = all_numbers(f).front();
    const int step = random_.one_in(2) ? 1 : 2;
    return pattern_at_place(f, std::clamp(place_of(f, pattern) + (kind == 2 ? step : -step), all.first, all.last));
}

std::uint64_t ChallengeVectors::drawn(const Row& row) {
    const PlaceRange& range = any_of(row.numbers);
    const auto first = static_cast<std::uint64_t>(range.first); // of binary64 there are more than an int64 can count
    const std::uint64_t size = static_cast<std::uint64_t>(range.last) - first + 1;
    const std::uint64_t at = size == 0 ? random_.bits() : random_.bits() % size;
    return pattern_at_place(*row.format, static_cast<std::int64_t>(first + at));
}

bool ChallengeVectors::Row::holds(std::uint64_t pattern) const {
    if (decode(*format, pattern).number_class != NumberClass::finite) return !finite;
    const std::int64_t place = place_of(*format, pattern);
    return std::any_of(numbers.begin(), numbers.end(),
                       [&](const PlaceRange& range) { return range.first <= place && place <= range.last; });
}

/// What is outside the limits becomes the nearest number that is inside, which leaves sums that cancel as they are; or
/// any that is.
void ChallengeVectors::keep_within() {
    const bool nearest = random_.one_in(2);
    const auto inside = [&](const Row& row, std::uint64_t pattern) {
        if (!nearest || decode(*row.format, pattern).number_class != NumberClass::finite) return drawn(row);
        const std::int64_t place = place_of(*row.format, pattern);
        const auto above = std::find_if(row.numbers.begin(), row.numbers.end(),
                                        [place](const PlaceRange& range) { return place <= range.last; });
        if (above == row.numbers.begin()) return pattern_at_place(*row.format, above->first);
        const std::int64_t below = std::prev(above)->last;
        const bool is_above = above != row.numbers.end() && above->first - place < place - below;
        return pattern_at_place(*row.format, is_above ? above->first : below);
    };
    for (const Row& row : rows_)
        for (std::uint64_t& x : patterns(row.operand))
            if (!row.holds(x)) x = inside(row, x);
}

} // namespace discern
