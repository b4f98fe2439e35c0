// The probes of what happens at the edges of the formats: subnormal and very large numbers, zeros, floors of the
// reference exponent, sums that fill their register, infinities and NaN. probes.cpp has what they are made of.
#include "probes.hpp"

#include <algorithm>
#include <bit>

namespace discern {

void ProbeMaker::edges() {
    if (random_.one_in(2)) scale_around(d_.emin() + random_.between(-d_.mantissa_bits, 2));
    const int kind = random_.below(8);
    if (kind == 7) { // negative zeros, and a product whose own result is rounded to zero, or nearly
        const bool negative = !random_.one_in(4);
        for (std::size_t k = 0; k < v_.a.size(); ++k) {
            v_.a[k] = number(a_, negative, a_.lsb() - 1, Bits::zeros);
            v_.b[k] = number(b_, false, b_.lsb() - 1, Bits::zeros);
        }
        const Bits bits = some_bits();
        const int exponent = d_.lsb() - random_.between(0, 12);
        const bool other = random_.one_in(4) != negative;
        product(any_element(), other, exponent, bits);
        if (c_ != nullptr) v_.c = number(*c_, !random_.one_in(4), c_->lsb() - 1, Bits::zeros);
        return;
    }
    if (kind == 6) { // just below the smallest normal number: what rounds up to it, and when it is flushed
        const bool negative = random_.one_in(2);
        // Any two elements in any order: lanes add up every second product, or fourth.
        const std::size_t large = any_element(), small = any_element();
        if (large == small || (c_ != nullptr && random_.one_in(2)))
            accumulator(negative, d_.emin());
        else
            product(large, negative, d_.emin());
        const Bits bits = some_bits();
        product(small, !negative, d_.lsb() - random_.between(0, 3), bits);
        return;
    }
    const auto zero = [&](const Format& f) { return f.has_minus_zero() ? random_.bits() % 2 << (f.width - 1) : 0; };
    const bool all_negative = random_.one_in(3);
    if (kind <= 2) // zeros of either sign elsewhere
        for (std::size_t k = 0; k < v_.a.size(); ++k) {
            v_.a[k] = zero(a_);
            v_.b[k] = zero(b_);
        }
    if (kind <= 2 && all_negative && a_.has_minus_zero()) { // where −0 is read as +0, −1 · 0 is −0 all the same
        const bool reads_plus = v_.a[0] != 0;
        std::fill(v_.a.begin(), v_.a.end(), reads_plus ? number(a_, true, 0, Bits::zeros) : 1ull << (a_.width - 1));
        std::fill(v_.b.begin(), v_.b.end(), 0);
    }
    const std::size_t i = any_element(), j = any_element();
    const bool negative = random_.one_in(2);
    if (kind == 0) { // nothing else, c zero
        if (c_ != nullptr) v_.c = all_negative && !c_->is_fixed_point() ? 1ull << (c_->width - 1) : zero(*c_);
        if (c_ != nullptr && random_.one_in(2)) v_.c |= subnormal(*c_, negative, Bits::zeros);
    } else if (kind == 1) { // cancels exactly
        const int U = random_.between(reach(i).low, reach(i).high);
        product(i, negative, U);
        if (c_ != nullptr && random_.one_in(2))
            accumulator(!negative, U);
        else if (i != j)
            product(j, !negative, U);
    } else if (kind == 2 || kind == 3) { // a subnormal operand
        const Bits bits = Bits::random;
        const bool of_a = random_.one_in(2);
        const Format &small = of_a ? a_ : b_, &other = of_a ? b_ : a_;
        (of_a ? v_.a : v_.b)[i] = subnormal(small, negative, bits);
        (of_a ? v_.b : v_.a)[i] = number(other, any_sign, random_.between(other.emin(), other.emax()), bits);
        if (random_.one_in(2)) accumulator(negative, random_.between(-8, 8));
    } else if (kind == 4) { // c subnormal
        if (c_ != nullptr) v_.c = subnormal(*c_, negative, Bits::random);
        if (random_.one_in(2)) product(i, any_sign, reach(i).low + random_.below(8));
    } else { // d around its smallest normal and subnormal numbers
        const int target = random_.one_in(2) ? d_.emin() - random_.below(3) : d_.lsb() - random_.between(-2, 3);
        accumulator(negative, target, some_bits());
        product(i, any_sign, target - random_.between(-2, d_.mantissa_bits + 2), Bits::random);
        if (random_.one_in(2)) product(j, any_sign, target, Bits::random);
    }
}

void ProbeMaker::overflow() {
    scale_around(d_.emax() - random_.between(-1, d_.mantissa_bits));
    const std::size_t i = any_element(), j = any_element();
    const bool negative = random_.one_in(2);
    const int top = d_.emax();
    if (random_.one_in(2)) {
        accumulator(negative, std::min(top, c_ != nullptr ? c_->emax() : top), Bits::ones);
        product(i, negative, top - d_.mantissa_bits - random_.between(-1, 4), Bits::random);
        if (random_.one_in(2)) product(j, any_sign, top - random_.between(0, d_.mantissa_bits), Bits::random);
        return;
    }
    const Bits bits = random_.one_in(2) ? Bits::ones : Bits::random;
    product(i, negative, top - random_.between(-2, 1), bits);
    if (i != j) product(j, any_sign, top - random_.between(-2, 1), Bits::random);
    if (random_.one_in(2)) accumulator(any_sign, top - random_.between(0, 2), Bits::random);
    if (random_.one_in(4) && c_ != nullptr && c_->has_infinity())
        v_.c = pack(*c_, {.number_class = NumberClass::infinite, .negative = random_.one_in(2)});
}

void ProbeMaker::zeros() {
    const bool constants = random_.one_in(3);
    if (constants) scale_around(random_.between(-160, -100));
    const int count = random_.between(1, 3);
    int E = -1000;
    for (int n = 0; n < count; ++n) {
        const std::size_t k = any_element();
        const bool a_zero = random_.one_in(2);
        const int e = random_.one_in(2) ? 1000 : random_.between(-20, 20);
        v_.a[k] = a_zero ? 0 : number(a_, any_sign, e, Bits::random);
        v_.b[k] = a_zero && !random_.one_in(4) ? number(b_, any_sign, e, Bits::random) : 0;
        E = std::max(E, decode(a_, v_.a[k]).exponent + decode(b_, v_.b[k]).exponent + scale_exponent(k));
    }
    if (c_ != nullptr && random_.one_in(3)) E = std::max(E, c_->emin());
    if (constants) {
        E = random_.between(-160, -100);
        E += random_.between(-1, 1);
    }
    const int x = near_lsb(E, -3, 8);
    if (c_ != nullptr && random_.one_in(2)) accumulator(any_sign, x, Bits::random);
    const std::size_t k = any_element();
    if (!random_.one_in(3)) product(k, any_sign, x, Bits::random);
}

/// Large significands of one smaller exponent that add up to nearly 2^q, and powers of two up to what is missing.
/// @return the exponent of the last of these, which is left out
int ProbeMaker::below_a_power(const Elements& elements, std::size_t& next, bool negative, int q) {
    const int fraction = a_.mantissa_bits + b_.mantissa_bits;
    const int e = q - random_.between(1, 12), unit = e - fraction;
    if (fraction > 40 || next >= elements.size()) return q;
    std::uint64_t rest = 1ull << (q - unit);
    const std::size_t kept = static_cast<std::size_t>(random_.between(6, 12));
    while (next + kept < elements.size()) {
        const std::size_t k = elements[next];
        product(k, negative, e, Bits::ones);
        const Decoded a = decode(a_, v_.a[k]), b = decode(b_, v_.b[k]);
        const std::uint64_t value = a.significand * b.significand;
        if (a.exponent + b.exponent + scale_exponent(k) != e || value >= rest) {
            v_.a[k] = v_.b[k] = 0;
            break;
        }
        rest -= value;
        ++next;
    }
    while (!std::has_single_bit(rest) && next < elements.size()) {
        const int bit = static_cast<int>(std::bit_width(rest)) - 1;
        product(elements[next++], negative, unit + bit);
        rest -= 1ull << bit;
    }
    return unit + static_cast<int>(std::bit_width(rest)) - 1;
}

/// One ulp of d, or a half, as a sum of terms down to a lowest bit, which is lost if the floor is too high.
void ProbeMaker::floors() {
    const int last = d_.emin() - (precision_ - 1);
    int q = last + (random_.one_in(3) ? random_.between(0, 3) : 0);
    const int x = q - random_.between(1, 40);
    if (random_.one_in(2))
        scale_around(q - random_.between(0, q - x));
    else // every exponent below q that the formats have
        scale_together(q - (a_.emax() + b_.emax()) + random_.between(-9, 4));
    const bool negative = random_.one_in(2);
    const int block = random_.below(around_->blocks());
    const auto elements = shuffled_elements(block);
    std::size_t next = 0;
    const bool half = random_.one_in(2);
    if (half) { // half an ulp and the lowest bit, of either sign
        product(elements[next++], negative, q - 1);
        if (random_.one_in(2)) accumulator(negative, q);
        if (next < elements.size()) product(elements[next++], random_.one_in(3) != negative, x);
        return;
    }
    if (random_.one_in(3)) q = below_a_power(elements, next, negative, q);
    // 2^q = (2^q − 2^(q−n)) + … + 2^x + 2^x, each a product of ones with a power of two.
    const int n = b_.mantissa_bits + 1;
    while (q - n > x && next + 2 < elements.size()) {
        const std::size_t k = elements[next++];
        const Reach r = reach(k);
        if (!r.contains(q - 1)) break;
        const int e = q - 1 - scale_exponent(k);
        const int ea = std::clamp(e - random_.between(b_.emin(), b_.emax()), a_.lsb(), a_.emax());
        v_.a[k] = number(a_, negative, ea, Bits::zeros);
        v_.b[k] = number(b_, false, e - ea, Bits::ones);
        q -= n;
    }
    while (q > x && next + 1 < elements.size()) product(elements[next++], negative, --q);
    if (next < elements.size()) product(elements[next++], negative, q);
    if (random_.one_in(3)) accumulator(negative, last + random_.below(3));
}

void ProbeMaker::carries() {
    if (around_->blocks() > 1 && random_.one_in(2)) { // with the largest result of a block before
        const bool negative = random_.one_in(2);
        const int e = random_.between(0, 4), block = random_.between(1, around_->blocks() - 1);
        product(static_cast<std::size_t>(around_->element(block - 1, 0)), negative, e - 1, Bits::ones);
        if (around_->L > 1 && random_.one_in(2)) // nearly the next power of two
            product(static_cast<std::size_t>(around_->element(block - 1, 1)), negative, e - 4, Bits::ones);
        for (int l = 0; l < around_->L; ++l)
            product(static_cast<std::size_t>(around_->element(block, l)), negative, e, Bits::ones);
        return;
    }
    const int n = random_.between(1, shape_.K);
    if (a_.is_fixed_point() && b_.is_fixed_point() && random_.one_in(2)) { // the least number of each, squared
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
            v_.a[k] = 1ull << (a_.width - 1);
            v_.b[k] = 1ull << (b_.width - 1);
        }
        return;
    }
    const bool negative = random_.one_in(2);
    int e = random_.one_in(2) ? a_.emax() + b_.emax() : random_.between(0, 6);
    if (scale_ != nullptr && random_.one_in(2)) e = random_.between(0, 4);
    for (int k = 0; k < n; ++k) product(static_cast<std::size_t>(k), negative, e, Bits::ones);
    if (random_.one_in(2)) accumulator(negative, e + random_.below(2), Bits::ones);
}

void ProbeMaker::specials() {
    const int count = random_.between(1, 3);
    for (std::size_t k = 0; k < v_.a.size(); ++k)
        if (random_.one_in(3)) product(k, any_sign, random_.between(-3, 3), Bits::random);
    for (int n = 0; n < count; ++n) {
        const std::size_t k = any_element();
        const int kind = random_.below(4);
        const auto special = [&](const Format& f) {
            if (f.has_infinity() && kind != 3)
                return pack(f, {.number_class = NumberClass::infinite, .negative = random_.one_in(2)});
            return f.has_nan() && kind == 3 ? quiet_nan(f) : number(f, any_sign, f.emax(), Bits::ones);
        };
        const bool of_a = !(kind == 0 && c_ != nullptr) && random_.one_in(2);
        if (kind == 0 && c_ != nullptr) {
            v_.c = special(*c_);
        } else {
            (of_a ? v_.a : v_.b)[k] = special(of_a ? a_ : b_);
            (of_a ? v_.b : v_.a)[k] =
                random_.one_in(4) ? 0 : number(of_a ? b_ : a_, random_.one_in(2), 0, Bits::random);
        }
    }
}

} // namespace discern
