// Probes of what is beside a tie: how near it a product of two significands comes.
#include "probes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace discern {

/// A product of these, if the formats have them.
void ProbeMaker::factors(std::size_t k, const Decoded& a, const Decoded& b) {
    const auto fits = [](const Format& f, const Decoded& x) {
        return x.exponent < f.emax() || x.significand <= f.max_significand();
    };
    if (!fits(a_, a) || !fits(b_, b)) return;
    v_.a[k] = pack(a_, a);
    v_.b[k] = pack(b_, b);
}

/// A product with a long run of equal digits below 2^last, and something below them.
bool ProbeMaker::nearest_product(std::size_t k, bool negative, int last) {
    if (digits_ == nullptr) return false;
    const auto& examples = digits_->examples(static_cast<DigitRun>(random_.below(digit_runs)));
    // The last example has the longest run.
    const ProductDigits::Example& p = random_.one_in(2) ? examples.back() : any_of(examples);
    if (p.a == 0) return false;
    return product_of(k, negative, {p.a, p.b}, last - p.bit);
}

/// The product of two significands, the last bit of which weighs 2^last, of normal numbers. @return whether there is
/// one
bool ProbeMaker::product_of(std::size_t k, bool negative, std::array<std::uint64_t, 2> significands, int last) {
    const auto normal = [](const Format& f, std::uint64_t significand) {
        return significand << (f.mantissa_bits + 1 - static_cast<int>(std::bit_width(significand)));
    };
    Decoded a{.significand = normal(a_, significands[0])}, b{.significand = normal(b_, significands[1])};
    a.negative = random_.one_in(2);
    b.negative = a.negative != negative;
    // The exponent of a·b with which the last bit of the product of these weighs 2^last.
    const auto moved = static_cast<int>(std::countr_zero(a.significand) - std::countr_zero(significands[0]) +
                                        std::countr_zero(b.significand) - std::countr_zero(significands[1]));
    const int e = last - moved + a_.mantissa_bits + b_.mantissa_bits - scale_exponent(k);
    const int low = std::max(a_.emin(), e - b_.emax() + 1), high = std::min(a_.emax() - 1, e - b_.emin());
    if (low > high) return false;
    a.exponent = random_.between(low, high);
    b.exponent = e - a.exponent;
    factors(k, a, b);
    return true;
}

/// A product that is itself a tie, or off by a bit or two of its last ones; the leading bit weighs 2^X.
bool ProbeMaker::tie_product(std::size_t k, bool negative, int X) {
    constexpr int tries = 16;
    const int of_a = a_.mantissa_bits + 1, of_b = b_.mantissa_bits + 1;
    const auto odd = [&](int width) { return 1ull << (width - 1) | (random_.bits() & ones(width - 1)) | 1; };
    const bool is_off = random_.one_in(3);
    // A tie has one more bit than a result; what is off has all bits that a product can have.
    const int bits = is_off ? of_a + of_b - random_.below(2) : precision_ + 1, low = bits - precision_;
    const int least = is_off ? of_a : std::max(1, bits - of_b), most = std::min(of_a, bits);
    if (least > most || low < 1 || low > of_b || bits > 64) return false;
    const int off = random_.below(std::max(1, std::min(low - 1, 3)));
    const std::uint64_t half = 1ull << (low - 1), end = random_.one_in(2) ? half + (1ull << off) : half - (1ull << off);
    for (int i = 0; i < tries; ++i) {
        const int width = random_.between(least, most);
        const std::uint64_t x = odd(width);
        std::uint64_t y = odd(std::min(of_b, bits + 1 - width));
        if (is_off) { // x·y ≡ end modulo 2^low: Newton's iteration for 1/x
            std::uint64_t inverse = x;
            for (int n = 0; n < 6; ++n) inverse *= 2 - x * inverse;
            y = (y & ~ones(low)) | (inverse * end & ones(low));
        }
        if (y != 0 && static_cast<int>(std::bit_width(x * y)) == bits)
            return product_of(k, negative, {x, y}, X - bits + 1);
    }
    return false;
}

/// A product that is a tie, or nearly, and a much smaller term beside it, which alignment may lose: it decides to which
/// side the sum is rounded. @return false if no product of two significands is a tie
bool ProbeMaker::small_beside_tie(int block) {
    const auto elements = shuffled_elements(block);
    const Reach r = reach(elements[0]);
    const int low = std::max(d_.emin(), r.low), high = std::min(d_.emax(), r.high);
    if (low > high) return false;
    const int X = random_.one_in(2) ? high - random_.below(2) : random_.between(low, high);
    const bool negative = random_.one_in(2);
    if (!tie_product(elements[0], negative, X)) return false;
    const int small = random_.one_in(2) ? -1000 : near_lsb(X, -3, 1);
    const bool c_is_small = c_ != nullptr && block == 0 && around_->place == AccumulatorPlace::chained;
    if (c_is_small && (elements.size() == 1 || random_.one_in(2)))
        accumulator(any_sign, small, some_bits());
    else if (elements.size() > 1)
        product(elements[1], any_sign, small);
    else if (block > 0)
        product(static_cast<std::size_t>(around_->element(block - 1, 0)), any_sign, small);
    return true;
}

/// A product of that exponent that is nearly a multiple of 2^last: the nearest of some whose factors are drawn. As it
/// can be, if its operands are subnormal, or too short to be near anything.
void ProbeMaker::near_product(std::size_t k, std::optional<bool> sign, int exponent, int last) {
    const bool negative = random_.sign(sign);
    if (random_.one_in(2) && nearest_product(k, negative, last)) return;
    product(k, negative, exponent);
    Decoded a = decode(a_, v_.a[k]), b = decode(b_, v_.b[k]);
    const int fraction = a_.mantissa_bits + b_.mantissa_bits, multiple = last - (exponent - fraction);
    const std::uint64_t one_a = 1ull << a_.mantissa_bits, one_b = 1ull << b_.mantissa_bits;
    if (a.significand != one_a || b.significand != one_b || fraction > 60 || multiple < 1 || multiple > fraction)
        return;
    const std::uint64_t target = (1ull << fraction) + ((random_.bits() & ones(fraction)) >> multiple << multiple);
    std::uint64_t nearest = ~0ull;
    for (int i = 0; i < 64; ++i) {
        const std::uint64_t y = one_b + (random_.bits() & ones(b_.mantissa_bits));
        const std::uint64_t x = target / y + random_.bits() % 2;
        const std::uint64_t off = x * y > target ? x * y - target : target - x * y;
        if (x < one_a || x >= 2 * one_a || off == 0 || off >= nearest) continue;
        nearest = off;
        a.significand = x;
        b.significand = y;
    }
    factors(k, a, b);
}

/// Half an ulp of a term and one bit far below it, in two blocks before that term's, where c cannot be that.
void ProbeMaker::tie_before(int block) {
    const auto element = [&](int of) { return static_cast<std::size_t>(around_->element(of, 0)); };
    const bool negative = random_.one_in(2);
    const int e = random_.between(reach(element(block)).low + precision_, 1000);
    product(element(block), negative, e, some_bits());
    const int lsb = leading_bit(element(block)) - precision_ + random_.between(-1, 1);
    product(element(block - 2), any_sign, lsb);
    product(element(block - 1), any_sign, lsb - precision_ + 1 + random_.below(3));
}

/// As large a sum of all blocks before as their products make, half an ulp of it, and some of the smallest
/// products there are: the accumulator is nowhere larger where there is no other c.
void ProbeMaker::tie_below_all(int block) {
    const bool negative = random_.one_in(2), all = random_.one_in(2);
    double sum = 0;
    for (int before = 0; before < block; ++before)
        for (int l = 0; l < around_->L; ++l) {
            const auto k = static_cast<std::size_t>(around_->element(before, l));
            if (!all && random_.one_in(2)) continue;
            v_.a[k] = number(a_, negative, a_.emax(), Bits::ones);
            v_.b[k] = number(b_, false, b_.emax(), Bits::ones);
            sum += std::ldexp(1.5, leading_bit(k));
        }
    if (sum == 0) return;
    const auto elements = shuffled_elements(block);
    product(elements[0], any_sign, std::ilogb(sum) - precision_ + random_.between(-1, 1));
    for (std::size_t n = 1; n < elements.size() && n <= 3; ++n)
        product(elements[n], any_sign, reach(elements[n]).low + (random_.one_in(2) ? 0 : random_.below(4)));
}

/// Few terms, of which the last is a multiple of half an ulp of the result, but for as little as a product of two
/// significands can be off.
void ProbeMaker::ties() {
    const int block = random_.below(around_->blocks());
    const bool from_zero = c_ == nullptr || around_->place == AccumulatorPlace::last;
    if (from_zero && block > 1 && random_.one_in(4)) return tie_before(block);
    if (from_zero && block > 0 && around_->L > 1 && random_.one_in(6)) return tie_below_all(block);
    if (random_.one_in(4) && small_beside_tie(block)) return;
    auto elements = shuffled_elements(block);
    if (block > 0 && (elements.size() == 1 || random_.one_in(4))) { // beside the result of the block before, or it
        elements.insert(elements.begin(), static_cast<std::size_t>(around_->element(block - 1, 0)));
        if (random_.one_in(2)) std::swap(elements[0], elements[1]);
    }
    const bool negative = random_.one_in(2), is_small = random_.one_in(4);
    const bool c_is_base = c_ != nullptr && (elements.size() == 1 || random_.one_in(3));
    if (!c_is_base && elements.size() == 1) return rounding();
    if (c_is_base && elements.size() == 1 && random_.one_in(4)) { // and the other way round
        const Reach r = reach(elements[0]);
        const int e = random_.between(r.low, r.high);
        product(elements[0], negative, e, some_bits());
        return accumulator(any_sign, leading_bit(elements[0]) - precision_ + random_.between(-1, 1), Bits::last);
    }
    const std::size_t last = elements[c_is_base ? 0 : 1];
    int lsb = d_.lsb() - (random_.one_in(4) ? 0 : 1); // half of the smallest number
    int X = lsb + random_.below(precision_ + 2);      // exponent of the base's leading bit
    if (c_is_base) {
        const Reach r = reach(last);
        if (!is_small) X = std::clamp(random_.between(r.low, r.high) + precision_, c_->lsb(), c_->emax());
        accumulator(negative, X, some_bits());
        if (is_small && random_.one_in(4)) v_.c = 0; // and E may be the exponent of a zero
    } else {
        const int e = is_small ? X : random_.between(reach(elements[0]).low + precision_, 1000);
        if (!is_small && random_.one_in(2))
            tiny_times_some(elements[0], negative);
        else
            product(elements[0], negative, e, some_bits());
        X = leading_bit(elements[0]);
    }
    if (!is_small) lsb = X - precision_ + random_.between(-1, 1);
    if (random_.one_in(6)) return product(last, any_sign, -1000); // the smallest
    if (c_ != nullptr && !c_is_base && random_.one_in(4)) return accumulator(any_sign, lsb, Bits::last);
    near_product(last, any_sign, lsb + random_.below(8), lsb);
    if (c_ != nullptr && !c_is_base && random_.one_in(4)) accumulator(any_sign, X + random_.between(-60, 2));
}

} // namespace discern
