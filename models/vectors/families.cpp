#include "models/families.hpp"

#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace discern {

namespace {

std::uint64_t low_ones(int n) { return n <= 0 ? 0 : (n >= 64 ? ~0ull : (1ull << n) - 1); }

/// x · 2^n. Within the exponents of normal numbers one multiplication does what the library's function does.
double scaled(double x, int n) {
    constexpr int bias = 1023;
    if (n <= -bias || n > bias) return std::ldexp(x, n);
    return x * std::bit_cast<double>(static_cast<std::uint64_t>(n + bias) << 52);
}

/// The value of a finite pattern; NaN and infinity count as zero. Every finite pattern is exact in a double.
double value_of(const Format& f, std::uint64_t bits) {
    const Decoded x = decode(f, bits);
    if (x.number_class != NumberClass::finite) return 0;
    const double magnitude = scaled(static_cast<double>(x.significand), x.exponent - f.mantissa_bits);
    return x.negative ? -magnitude : magnitude;
}

/// Collects the exponents that a tree names, floors, constants of zeros and limits, and its fraction bits.
void collect_landmarks(const Node& tree, std::vector<int>& landmarks, std::vector<int>& fractions) {
    for_each_node(tree, [&](const Node& node, const Child* child) {
        if (child != nullptr && child->zero.kind == ZeroExponent::Kind::constant)
            landmarks.push_back(child->zero.value);
        if (child != nullptr && child->F) fractions.push_back(*child->F);
        if (const auto* product = std::get_if<Product>(&node.kind); product != nullptr && product->limit)
            landmarks.push_back(*product->limit - 1);
        if (const auto* group = std::get_if<Group>(&node.kind);
            group != nullptr && group->empty.kind == ZeroExponent::Kind::constant)
            landmarks.push_back(group->empty.value);
        if (const auto* fuse = std::get_if<Fuse>(&node.kind); fuse != nullptr && fuse->floor)
            landmarks.push_back(*fuse->floor);
    });
}

} // namespace

std::optional<Family> family_from_name(std::string_view text) {
    const auto* found = std::find(family_names.begin(), family_names.end(), text);
    if (found == family_names.end()) return std::nullopt;
    return families[static_cast<std::size_t>(found - family_names.begin())];
}

InputGenerator::InputGenerator(const Unit& unit, Family family, std::uint64_t seed)
    : unit_(unit), family_(family), random_(seed), a_(format(unit.a)), b_(format(unit.b)), d_(format(unit.d)),
      c_(unit.c ? &format(*unit.c) : nullptr), scale_(unit.scale ? &format(unit.scale->format) : nullptr) {
    collect_landmarks(unit.tree, landmarks_, fractions_);
}

void InputGenerator::next(InputBuffer& buffer) {
    const auto K = static_cast<std::size_t>(unit_.K), scales = static_cast<std::size_t>(unit_.scales());
    buffer.a.assign(K, 0);
    buffer.b.assign(K, 0);
    buffer.sa.assign(scales, 0);
    buffer.sb.assign(scales, 0);
    buffer.c = 0;
    static constexpr std::array fill = {&InputGenerator::normal, &InputGenerator::cancelling,
                                        &InputGenerator::uniform_bits, &InputGenerator::subnormals_and_zeros,
                                        &InputGenerator::floor_exponents};
    (this->*fill[static_cast<std::size_t>(family_)])(buffer);
}

// ------------------------------------------------------------------------------------------------ single numbers

/// A finite number with that exponent, as far as the format has it: below emin it becomes subnormal or zero, above emax
/// the exponent is emax.
std::uint64_t InputGenerator::number(const Format& f, std::optional<bool> sign, int exponent, Bits bits) {
    const bool negative = random_.sign(sign);
    const int m = f.mantissa_bits;
    std::uint64_t fraction = 0;
    if (bits == Bits::random) fraction = random_.bits() & low_ones(m);
    if (bits == Bits::ones)
        fraction = low_ones(m) & ~(random_.bits() & random_.bits() & low_ones(m / 2)); // the upper half is set
    Decoded x;
    x.negative = negative;
    x.significand = (1ull << m) | fraction;
    x.exponent = std::clamp(exponent, f.emin(), f.emax());
    if (x.exponent == f.emax()) x.significand = std::min(x.significand, f.max_significand());
    if (exponent < f.emin() && f.has_zero) x.significand >>= std::min(f.emin() - exponent, m + 1);
    return pack(f, x);
}

/// A number of the format near a value: truncated to its precision, and to its largest.
std::uint64_t InputGenerator::nearby(const Format& f, double value) {
    if (value == 0) return f.has_zero ? pack(f, {.negative = std::signbit(value)}) : 0;
    Decoded x;
    x.negative = std::signbit(value);
    x.exponent = std::max(std::ilogb(value), f.emin());
    if (x.exponent > f.emax()) return number(f, x.negative, f.emax(), Bits::ones);
    x.significand = static_cast<std::uint64_t>(scaled(std::abs(value), f.mantissa_bits - x.exponent));
    if (!f.has_zero) x.significand = 1; // a power of two
    if (x.exponent == f.emax()) x.significand = std::min(x.significand, f.max_significand());
    return pack(f, x);
}

std::uint64_t InputGenerator::finite_pattern(const Format& f) {
    for (;;)
        if (const std::uint64_t bits = random_.bits() & f.mask(); decode(f, bits).number_class == NumberClass::finite)
            return bits;
}

/// An infinity or NaN if the format has one, else a finite number.
std::uint64_t InputGenerator::special_pattern(const Format& f) {
    if (f.has_infinity() && random_.one_in(2))
        return pack(f, {.number_class = NumberClass::infinite, .negative = random_.one_in(2)});
    if (!f.has_nan()) return finite_pattern(f);
    return pack(f, {.number_class = NumberClass::nan,
                    .negative = random_.one_in(2),
                    .payload = random_.bits() & low_ones(f.mantissa_bits)});
}

/// A number from the edges of the format, of either sign.
std::uint64_t InputGenerator::edge(const Format& f) {
    const bool negative = random_.one_in(2);
    const auto subnormal = [&](std::uint64_t fraction) {
        return pack(f, {.negative = negative, .significand = fraction, .exponent = f.emin()});
    };
    const std::uint64_t fractions = low_ones(f.mantissa_bits);
    const int kind = random_.below(8);
    if (f.has_zero && f.mantissa_bits > 0) {
        if (kind == 0) return subnormal(1);
        if (kind == 1) return subnormal(fractions);
        if (kind == 2 || kind == 3) return subnormal(random_.bits() & fractions);
    }
    if (kind == 4) return number(f, negative, f.emin(), Bits::power_of_two);
    if (kind == 5) return number(f, negative, f.emin() + random_.below(3), Bits::random);
    if (kind == 6) return number(f, negative, f.emax() - random_.below(3), Bits::random);
    return number(f, negative, random_.between(-2, 2), Bits::random);
}

// ------------------------------------------------------------------------------------------ products and their scales

void InputGenerator::scales_near_one(InputBuffer& buffer) {
    for (auto* scales : {&buffer.sa, &buffer.sb})
        for (std::uint64_t& s : *scales) s = number(*scale_, false, random_.between(-3, 3), Bits::random);
}

/// Approximately the sum of all products; exactly for short ones. An operand times its scales is exact, and what is
/// added is fused, so that no compiler has a choice.
double InputGenerator::sum_of(const InputBuffer& buffer) const {
    double sum = 0;
    for (std::size_t k = 0; k < buffer.a.size(); ++k) {
        double a = value_of(a_, buffer.a[k]);
        if (scale_ != nullptr) {
            const std::size_t i = k / static_cast<std::size_t>(unit_.scale->block);
            a *= value_of(*scale_, buffer.sa[i]) * value_of(*scale_, buffer.sb[i]);
        }
        sum = std::fma(a, value_of(b_, buffer.b[k]), sum);
    }
    return sum;
}

int InputGenerator::scale_exponent(const InputBuffer& buffer, std::size_t k) const {
    if (scale_ == nullptr) return 0;
    const std::size_t i = k / static_cast<std::size_t>(unit_.scale->block);
    const Decoded sa = decode(*scale_, buffer.sa[i]), sb = decode(*scale_, buffer.sb[i]);
    return sa.exponent + sb.exponent;
}

/// Gives all scales exponents with which products can have the exponent, as far as the formats reach.
void InputGenerator::steer_scales(InputBuffer& buffer, int exponent) {
    for (std::size_t i = 0; i < buffer.sa.size(); ++i) {
        const int middle = random_.between(a_.lsb() + b_.lsb(), a_.emax() + b_.emax());
        const int both = std::clamp(exponent - middle, 2 * scale_->emin(), 2 * scale_->emax());
        const int one = random_.between(std::max(scale_->emin(), both - scale_->emax()),
                                        std::min(scale_->emax(), both - scale_->emin()));
        buffer.sa[i] = number(*scale_, false, one, Bits::random);
        buffer.sb[i] = number(*scale_, false, both - one, Bits::random);
    }
}

/// Sets a_k and b_k so that their product (with the scales as they are) has the exponent, as far as the formats reach.
/// Mostly no operand is more subnormal than it must be, because the exponent as multiplied is larger then.
void InputGenerator::place_product(InputBuffer& buffer, std::size_t k, std::optional<bool> sign, int exponent,
                                   Bits bits) {
    const bool negative = random_.sign(sign);
    const int low_a = a_.lsb(), low_b = b_.lsb();
    const int own = std::clamp(exponent - scale_exponent(buffer, k), low_a + low_b, a_.emax() + b_.emax());
    int low = std::max(low_a, own - b_.emax()), high = std::min(a_.emax(), own - low_b); // of a's exponent
    if (!random_.one_in(4)) {
        if (own >= a_.emin() + b_.emin()) {
            low = std::max(low, a_.emin());
            high = std::min(high, own - b_.emin());
        } else {
            low = high = random_.one_in(2) ? std::min(a_.emin(), high) : std::max(own - b_.emin(), low);
        }
    }
    const int ea = random_.between(low, high);
    const bool first_negative = random_.one_in(2);
    buffer.a[k] = number(a_, first_negative, ea, bits);
    buffer.b[k] = number(b_, first_negative != negative, own - ea, bits);
}

// ------------------------------------------------------------------------------------------------------- families

void InputGenerator::normal(InputBuffer& buffer) {
    const bool outliers = random_.one_in(4);
    const auto draw = [&] {
        const double x = random_.normal();
        return outliers && random_.one_in(1000) ? x + 10 * random_.normal() : x;
    };
    scales_near_one(buffer);
    for (std::uint64_t& a : buffer.a) a = nearby(a_, draw());
    for (std::uint64_t& b : buffer.b) b = nearby(b_, draw());
    if (c_ != nullptr) buffer.c = nearby(*c_, draw());
}

/// All zero but U and −U at two elements of a block and a small term at a third, or in c: what is left of it shows
/// where the terms beside U are truncated, also where every sum without cancellation overflows d.
void InputGenerator::lone_pair(InputBuffer& buffer) {
    scales_near_one(buffer);
    const int block = random_.below(unit_.blocks());
    const auto element = [&] { return static_cast<std::size_t>(unit_.element(block, random_.below(unit_.L))); };
    const std::size_t one = element(), other = element(), third = element();
    const int lowest = a_.emin() + b_.emin(), largest = a_.emax() + b_.emax();
    const int large = random_.one_in(2) ? largest - random_.below(3) : random_.between(lowest, largest);
    place_product(buffer, one, any_sign, large, Bits::random);
    buffer.a[other] = negated(a_, buffer.a[one]);
    buffer.b[other] = buffer.b[one];
    const int cut = fractions_.empty()
                        ? random_.below(60)
                        : fractions_[static_cast<std::size_t>(random_.below(static_cast<int>(fractions_.size())))];
    const int small = large - cut + random_.between(-4, 2);
    if (c_ != nullptr && random_.one_in(3))
        buffer.c = number(*c_, any_sign, small, Bits::random);
    else if (third != one && third != other)
        place_product(buffer, third, any_sign, small, random_.one_in(2) ? Bits::power_of_two : Bits::random);
}

void InputGenerator::cancelling(InputBuffer& buffer) {
    if (unit_.L > 1 && random_.one_in(4)) return lone_pair(buffer);
    const int kind = random_.below(3);
    const int low = random_.between(-8, 6), high = kind == 2 ? low : low + random_.below(10);
    scales_near_one(buffer);
    for (std::size_t k = 0; k < buffer.a.size(); ++k) {
        buffer.a[k] = number(a_, any_sign, random_.between(low, high), Bits::random);
        buffer.b[k] = number(b_, any_sign, random_.between(-high, -low), Bits::random);
    }
    const auto flip_last_bit = [&](const Format& f, std::uint64_t& bits) {
        const std::uint64_t flipped = bits ^ (1ull << f.padding_bits);
        if (decode(f, flipped).number_class == NumberClass::finite) bits = flipped;
    };
    if (kind == 0 || c_ == nullptr) { // pairs, dealt over all elements; with an odd number one product is left
        std::vector<std::size_t> order(buffer.a.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        for (std::size_t i = order.size(); i > 1; --i)
            std::swap(order[i - 1], order[static_cast<std::size_t>(random_.below(static_cast<int>(i)))]);
        const bool exact = random_.one_in(2);
        for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
            const std::size_t k = order[i], partner = order[i + 1];
            buffer.a[partner] = negated(a_, buffer.a[k]);
            buffer.b[partner] = buffer.b[k];
            if (!exact && random_.one_in(4)) flip_last_bit(a_, buffer.a[partner]);
        }
        if (c_ != nullptr)
            buffer.c = random_.one_in(4) ? 0 : number(*c_, any_sign, random_.between(-30, 0), Bits::random);
        return;
    }
    buffer.c = nearby(*c_, -sum_of(buffer));
    if (random_.one_in(2)) flip_last_bit(*c_, buffer.c);
}

void InputGenerator::uniform_bits(InputBuffer& buffer) {
    const int kind = random_.below(4); // 0, 1: finite; 2: sparse specials; 3: anything
    const bool narrow = kind != 3 && random_.one_in(2);
    const int width = 1 << random_.between(0, 5);
    const auto fill = [&](const Format& f, std::vector<std::uint64_t>& patterns) {
        const int centre = random_.between(f.emin(), f.emax());
        for (std::uint64_t& p : patterns) {
            if (kind == 3) {
                p = random_.bits() & f.mask();
            } else if (narrow) {
                p = number(f, any_sign, centre + random_.between(-width, width), Bits::random);
                p |= random_.bits() & low_ones(f.padding_bits);
            } else {
                p = finite_pattern(f);
            }
        }
    };
    fill(a_, buffer.a);
    fill(b_, buffer.b);
    if (scale_ != nullptr) {
        fill(*scale_, buffer.sa);
        fill(*scale_, buffer.sb);
    }
    std::vector<std::uint64_t> c(1);
    if (c_ != nullptr) {
        fill(*c_, c);
        // Elsewhere in the exponent range c decides alone, or has no influence: often it is near the products.
        if (const double sum = sum_of(buffer); kind != 3 && random_.one_in(2) && std::isfinite(sum) && sum != 0)
            c[0] = number(*c_, any_sign, std::ilogb(sum) + random_.between(-30, 10), Bits::random);
    }
    for (int i = kind == 2 ? random_.between(1, 2) : 0; i > 0; --i) {
        const int where = random_.below(5);
        const auto inject = [&](const Format& f, std::vector<std::uint64_t>& patterns) {
            patterns[static_cast<std::size_t>(random_.below(static_cast<int>(patterns.size())))] = special_pattern(f);
        };
        if (where == 0 && c_ != nullptr)
            inject(*c_, c);
        else if (where == 1 && scale_ != nullptr)
            inject(*scale_, random_.one_in(2) ? buffer.sa : buffer.sb);
        else if (where <= 2)
            inject(a_, buffer.a);
        else
            inject(b_, buffer.b);
    }
    buffer.c = c[0];
}

void InputGenerator::subnormals_and_zeros(InputBuffer& buffer) {
    static constexpr std::array zeros_of_8 = {0, 1, 4, 7, 8};
    const int zeros = zeros_of_8[static_cast<std::size_t>(random_.below(static_cast<int>(zeros_of_8.size())))];
    const auto draw = [&](const Format& f) {
        if (f.has_zero && random_.below(8) < zeros) return pack(f, {.negative = random_.one_in(2)});
        if (random_.one_in(4)) return nearby(f, random_.normal());
        return edge(f);
    };
    for (std::uint64_t& a : buffer.a) a = draw(a_);
    for (std::uint64_t& b : buffer.b) b = random_.one_in(4) ? nearby(b_, random_.normal()) : draw(b_);
    const bool ordinary_scales = random_.one_in(2);
    if (ordinary_scales)
        scales_near_one(buffer);
    else
        for (auto* scales : {&buffer.sa, &buffer.sb})
            for (std::uint64_t& s : *scales) s = random_.one_in(2) ? draw(*scale_) : edge(*scale_);
    if (c_ != nullptr) buffer.c = draw(*c_);
}

/// Products with a largest exponent from `low` to `high`, and c a zero, tiny, or like them.
void InputGenerator::exponents_around(InputBuffer& buffer, int low, int high) {
    static constexpr std::array spreads = {0, 4, 12, 30};
    const int top = random_.between(low, high), spread = spreads[static_cast<std::size_t>(random_.below(4))];
    steer_scales(buffer, top);
    const Bits bits = random_.one_in(4) ? Bits::ones : Bits::random;
    const bool one_sign = random_.one_in(4), sign = random_.one_in(2);
    // Half of the vectors consist of powers of two that are results of d, or half-way between two, and of a rest far
    // below. What an alignment discards of the rest then decides the last bit of d instead of being lost in it.
    const int lsb = d_.lsb() - 1;
    const bool coarse_and_fine = random_.one_in(2) && lsb <= top;
    const int rest = coarse_and_fine ? lsb - random_.below(30) : top;
    for (std::size_t k = 0; k < buffer.a.size(); ++k) {
        const bool negative = one_sign ? sign : random_.one_in(2);
        if (coarse_and_fine && random_.one_in(3))
            place_product(buffer, k, negative, random_.between(lsb, top), Bits::power_of_two);
        else
            place_product(buffer, k, negative, rest - random_.below(spread + 1), bits);
    }
    if (c_ == nullptr) return;
    switch (random_.below(4)) {
    case 0:
    case 1: buffer.c = pack(*c_, {.negative = random_.one_in(2)}); break;
    case 2: buffer.c = number(*c_, any_sign, random_.between(c_->lsb(), c_->emin() + 2), bits); break;
    default: buffer.c = number(*c_, one_sign ? std::optional(sign) : any_sign, random_.between(low, high), bits); break;
    }
}

/// Near-maximum significands of one sign at one exponent: the sums that fill every carry bit.
void InputGenerator::equal_maxima(InputBuffer& buffer) {
    scales_near_one(buffer);
    const bool sign = random_.one_in(2);
    const int ea = random_.between(std::max(a_.emin(), -14), std::min(a_.emax(), 14));
    const int eb = random_.between(std::max(b_.emin(), -14), std::min(b_.emax(), 14));
    for (auto* scales : {&buffer.sa, &buffer.sb})
        for (std::uint64_t& s : *scales) s = number(*scale_, false, 0, Bits::ones);
    for (std::size_t k = 0; k < buffer.a.size(); ++k) {
        const bool first_negative = random_.one_in(2);
        buffer.a[k] = number(a_, first_negative, ea, Bits::ones);
        buffer.b[k] = number(b_, first_negative != sign, eb, Bits::ones);
    }
    if (c_ != nullptr) buffer.c = number(*c_, sign, ea + eb + random_.between(-2, 1), Bits::ones);
}

void InputGenerator::floor_exponents(InputBuffer& buffer) {
    const int choice = random_.below(8);
    if (choice == 0) return equal_maxima(buffer);
    if (choice == 1) return exponents_around(buffer, d_.emax() - 5, d_.emax() + 1);
    if (choice <= 4 && !landmarks_.empty()) {
        const int landmark = landmarks_[static_cast<std::size_t>(random_.below(static_cast<int>(landmarks_.size())))];
        return exponents_around(buffer, landmark - 14, landmark + 2);
    }
    exponents_around(buffer, d_.lsb() - d_.mantissa_bits / 2, d_.emin() + 1);
}

} // namespace discern
