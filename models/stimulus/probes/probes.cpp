// The parts of every probe (numbers of a format, products and scales of a wanted exponent), and the probes of the
// structure, the alignment and the rounding of sums.
#include "probes.hpp"

#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <bit>

namespace discern {

const std::array<ProbeMaker::Row, probe_kinds> ProbeMaker::rows = {{{"thin", &ProbeMaker::thin},
                                                                    {"swamp", &ProbeMaker::swamp},
                                                                    {"ladder", &ProbeMaker::ladder},
                                                                    {"rounding", &ProbeMaker::rounding},
                                                                    {"ties", &ProbeMaker::ties},
                                                                    {"wide", &ProbeMaker::wide},
                                                                    {"two levels", &ProbeMaker::two_levels},
                                                                    {"edges", &ProbeMaker::edges},
                                                                    {"overflow", &ProbeMaker::overflow},
                                                                    {"zeros", &ProbeMaker::zeros},
                                                                    {"floors", &ProbeMaker::floors},
                                                                    {"boundary", &ProbeMaker::boundary},
                                                                    {"carries", &ProbeMaker::carries},
                                                                    {"specials", &ProbeMaker::specials},
                                                                    {"family", &ProbeMaker::family}}};

std::string_view name(Probe probe) { return ProbeMaker::rows[static_cast<std::size_t>(probe)].name; }

ProbeMaker::ProbeMaker(const Shape& shape, std::uint64_t seed)
    : shape_(shape), random_(seed), a_(format(shape.a)), b_(format(shape.b)), d_(format(shape.d)),
      c_(shape.c ? &format(*shape.c) : nullptr), scale_(shape.scale ? &format(shape.scale->format) : nullptr),
      small_(a_, b_), digits_(product_digits(a_, b_)) {}

InputBuffer ProbeMaker::make(Probe probe, const Unit& around) {
    around_ = &around;
    fractions_.clear();
    for_each_node(around.tree, [this](const Node&, const Child* child) {
        if (child != nullptr && child->F &&
            std::find(fractions_.begin(), fractions_.end(), *child->F) == fractions_.end())
            fractions_.push_back(*child->F);
    });
    precision_ = format(std::get<Round>(around.tree.kind).format).mantissa_bits + 1;
    blank();
    (this->*rows[static_cast<std::size_t>(probe)].make)();
    return v_;
}

// ------------------------------------------------------------------------------------------------- single numbers

/// Nothing but scales: of one, or powers of two from a narrow or a wide range.
void ProbeMaker::blank() {
    v_ = {};
    v_.a.assign(static_cast<std::size_t>(shape_.K), 0);
    v_.b = v_.a;
    v_.sa.assign(static_cast<std::size_t>(shape_.scales()), 0);
    v_.sb = v_.sa;
    if (scale_ == nullptr) return;
    if (random_.one_in(6)) return scale_together(random_.between(2 * scale_->lsb(), 2 * scale_->emax()));
    const int width = any_of(std::array{0, 0, 6, 40});
    const int top = std::min(scale_->emax() - 1, width), bottom = std::max(scale_->emin(), -width);
    for (auto* scales : {&v_.sa, &v_.sb})
        for (std::uint64_t& s : *scales) s = number(*scale_, false, random_.between(bottom, top), Bits::zeros);
}

/// Two scales whose exponents add up to that, as far as the format has them.
void ProbeMaker::scale_pair(std::size_t s, int together, bool with_bits) {
    const int least = scale_->lsb(), most = scale_->emax() - 1;
    together = std::clamp(together, 2 * least, 2 * most);
    const int first = random_.between(std::max(least, together - most), std::min(most, together - least));
    const Bits bits = with_bits && random_.one_in(4) ? Bits::random : Bits::zeros;
    v_.sa[s] = number(*scale_, false, first, bits);
    v_.sb[s] = number(*scale_, false, together - first, bits);
}

/// All of them; no change without scales.
void ProbeMaker::scale_together(int together) {
    for (std::size_t s = 0; s < v_.sa.size(); ++s) scale_pair(s, together, true);
}

/// Scales that bring the products to exponents of about e.
void ProbeMaker::scale_around(int e) {
    scale_together(e - random_.between((a_.lsb() + b_.lsb()) / 2, a_.emax() + b_.emax()));
}

int ProbeMaker::scale_exponent(std::size_t k) const {
    if (scale_ == nullptr) return 0;
    const std::size_t s = k / static_cast<std::size_t>(shape_.scale->block);
    return decode(*scale_, v_.sa[s]).exponent + decode(*scale_, v_.sb[s]).exponent;
}

/// Exponents that powers of two can have as products.
ProbeMaker::Reach ProbeMaker::reach(std::size_t k) const {
    const int s = scale_exponent(k);
    return {a_.lsb() + b_.lsb() + s, a_.emax() + b_.emax() + s};
}

/// A number with that exponent, as far as the format has it; 0 below its smallest.
std::uint64_t ProbeMaker::number(const Format& f, std::optional<bool> sign, int exponent, Bits bits) {
    const bool negative = random_.sign(sign);
    const int m = f.mantissa_bits;
    Decoded x;
    x.negative = negative && f.is_signed;
    x.exponent = std::clamp(exponent, f.emin(), f.emax());
    x.significand = 1ull << m;
    if (bits == Bits::random) x.significand |= random_.bits() & ones(m);
    if (bits == Bits::ones) x.significand |= ones(m);
    if (bits == Bits::last && m > 0) x.significand |= 1;
    if (x.exponent == f.emax()) x.significand = std::min(x.significand, f.max_significand());
    if (exponent < f.emin() && f.has_zero) x.significand >>= std::min(f.emin() - exponent, m + 1);
    return pack(f, x);
}

/// A number below the smallest normal one, or that one where there is none.
std::uint64_t ProbeMaker::subnormal(const Format& f, bool negative, Bits bits) {
    return number(f, negative, f.emin() - 1 - random_.below(std::max(1, f.mantissa_bits)), bits);
}

void ProbeMaker::product(std::size_t k, std::optional<bool> sign, int exponent, Bits bits) {
    const bool negative = random_.sign(sign);
    const Reach r = reach(k);
    const int e = std::clamp(exponent, r.low, r.high) - scale_exponent(k);
    // Normal operands where there are some, of about equal exponents or of any.
    const bool normal = e >= a_.emin() + b_.emin();
    int low = std::max(normal ? a_.emin() : a_.lsb(), e - b_.emax());
    int high = std::min(a_.emax(), e - (normal ? b_.emin() : b_.lsb()));
    if (!normal && random_.one_in(2)) high = std::max(low, std::min(high, a_.emin()));
    const int ea = random_.between(low, std::max(low, high));
    const bool first = random_.one_in(2);
    v_.a[k] = number(a_, first, ea, bits);
    v_.b[k] = number(b_, first != negative, e - ea, bits == Bits::ones && random_.one_in(4) ? Bits::zeros : bits);
}

/// The product of one of the smallest numbers and one of the largest, or the smallest: leading zeros below its
/// exponent.
void ProbeMaker::tiny_times_some(std::size_t k, bool negative) {
    const auto tiny = [&](const Format& f) {
        return f.lsb() + (random_.one_in(3) ? 0 : random_.below(std::max(1, f.mantissa_bits)));
    };
    const auto other = [&](const Format& f) {
        const int n = random_.below(3);
        return n == 2 ? f.lsb() : f.emax() - n;
    };
    const bool first = random_.one_in(2);
    const Bits bits = random_.one_in(3) ? Bits::zeros : Bits::random;
    v_.a[k] = number(a_, negative, first ? tiny(a_) : other(a_), bits);
    v_.b[k] = number(b_, false, first ? other(b_) : tiny(b_), bits);
}

/// The exponent of the first digit of a product that is not zero.
int ProbeMaker::leading_bit(std::size_t k) const {
    const Decoded a = decode(a_, v_.a[k]), b = decode(b_, v_.b[k]);
    const auto bits = static_cast<int>(std::bit_width(a.significand * b.significand));
    return a.exponent + b.exponent + scale_exponent(k) + bits - 1 - a_.mantissa_bits - b_.mantissa_bits;
}

void ProbeMaker::accumulator(std::optional<bool> sign, int exponent, Bits bits) {
    const bool negative = random_.sign(sign);
    if (c_ != nullptr) v_.c = number(*c_, negative, std::clamp(exponent, c_->lsb(), c_->emax()), bits);
}

ProbeMaker::Elements ProbeMaker::shuffled(Elements elements) {
    for (std::size_t i = elements.size(); i > 1; --i)
        std::swap(elements[i - 1], elements[static_cast<std::size_t>(random_.below(static_cast<int>(i)))]);
    return elements;
}
ProbeMaker::Elements ProbeMaker::shuffled_elements(int block) {
    Elements elements;
    for (int l = 0; l < around_->L; ++l) elements.push_back(static_cast<std::size_t>(around_->element(block, l)));
    return shuffled(std::move(elements));
}

/// The negative of a product of the same scales.
void ProbeMaker::cancel(std::size_t k, std::size_t of) {
    v_.a[k] = negated(a_, v_.a[of]);
    v_.b[k] = v_.b[of];
}

/// One of the unit's F, or any where it has none.
int ProbeMaker::fraction() { return fractions_.empty() ? random_.between(8, 56) : any_of(fractions_); }
int ProbeMaker::near_lsb(int top, int low, int high) {
    const int F = fraction();
    return top - F + random_.between(low, high);
}

// -------------------------------------------------------------------------------------------------------- probes

void ProbeMaker::thin() {
    const int kind = random_.below(5), x = random_.between(-4, 4);
    const int j = random_.one_in(2) ? random_.between(1, 30) : random_.between(20, 60);
    const bool negative = random_.one_in(2);
    // At the end, mostly: chained blocks before it then have nothing to round.
    const std::size_t K = v_.a.size();
    const std::size_t i = random_.one_in(4) ? any_element() : K - 1;
    const std::size_t next = (i + K - std::min<std::size_t>(K - 1, random_.one_in(2) ? 1 : 2)) % K;
    if (kind == 0 && c_ != nullptr) return accumulator(negative, x, Bits::random);
    if (kind == 1) return product(i, negative, x, Bits::random);
    const bool c_is_base = kind == 2 && c_ != nullptr;
    if (c_is_base)
        accumulator(negative, x);
    else if (next != i)
        product(next, negative, x, kind == 4 ? Bits::random : Bits::zeros);
    if (kind == 3 && c_ != nullptr)
        accumulator(any_sign, x - j);
    else
        product(i, any_sign, x - j);
    if (kind == 4 && c_ != nullptr) accumulator(any_sign, x - random_.between(20, 60));
}

/// Nothing in the other blocks.
void ProbeMaker::keep_block(int block) {
    std::vector<bool> kept(v_.a.size());
    for (int l = 0; l < around_->L; ++l) kept[static_cast<std::size_t>(around_->element(block, l))] = true;
    for (std::size_t k = 0; k < v_.a.size(); ++k)
        if (!kept[k]) v_.a[k] = v_.b[k] = 0;
}

int ProbeMaker::swamp_pair(std::size_t i, std::size_t j, Bits bits) {
    const Reach ri = reach(i), rj = reach(j);
    const int high = std::min(ri.high, rj.high), low = std::max(ri.low, rj.low);
    const int U = random_.one_in(2) ? high : random_.between(std::min(low + (high - low) / 2, high), high);
    product(i, false, U, bits);
    product(j, true, U, bits);
    if (bits != Bits::zeros && scale_exponent(i) == scale_exponent(j)) cancel(j, i); // the same significands
    return U;
}

void ProbeMaker::swamp() {
    const std::size_t K = v_.a.size();
    // The positions of the terms, in order of elements; K stands for c.
    std::size_t i = any_element(), j = any_element();
    if (random_.one_in(2)) { // within or at the edges of a block that is possible
        const auto of_block = shuffled_elements(random_.below(around_->blocks()));
        i = of_block.front();
        j = of_block.back();
    }
    int U;
    const bool c_too = c_ != nullptr && random_.one_in(3);
    if (c_too || i == j) {
        const Reach r = reach(i);
        U = random_.one_in(2) ? r.high : random_.between((r.low + r.high) / 2, r.high);
        const bool negative = random_.one_in(2);
        product(i, negative, U);
        accumulator(!negative, U);
        j = K;
    } else {
        U = swamp_pair(i, j, Bits::zeros);
        if (random_.one_in(2)) {
            std::swap(v_.a[i], v_.a[j]); // −U first
            std::swap(v_.b[i], v_.b[j]);
            if (scale_exponent(i) != scale_exponent(j)) std::swap(v_.a[i], v_.a[j]), std::swap(v_.b[i], v_.b[j]);
        }
    }
    // Distinct powers of two, as many as the output has bits for.
    const int window = precision_;
    const int top = random_.one_in(2) ? U - random_.between(26, 60) : U - random_.between(1, 30);
    Elements rest;
    for (std::size_t k = 0; k < K; ++k)
        if (k != i && k != j) rest.push_back(k);
    rest = shuffled(std::move(rest));
    int e = top;
    const bool with_c = c_ != nullptr && j != K && random_.one_in(2);
    if (with_c) accumulator(false, e--);
    for (const std::size_t k : rest) {
        if (top - e >= window) break;
        const Reach r = reach(k);
        if (!r.contains(e)) {
            if (r.low > e) continue; // not that small here
            e = r.high;
        }
        product(k, false, e--);
    }
}

void ProbeMaker::ladder(Bits bits) {
    const int block = random_.below(around_->blocks());
    const auto elements = shuffled_elements(block);
    const bool c_is_U = c_ != nullptr && block == 0 && (elements.size() < 2 || random_.one_in(4));
    int U;
    std::size_t next = 0;
    if (elements.size() < 2 || c_is_U) {
        const Reach r = reach(elements[0]);
        U = random_.between((r.low + r.high) / 2, r.high);
        product(elements[0], false, U, bits == Bits::zeros ? Bits::zeros : bits);
        accumulator(true, U);
        next = 1;
    } else {
        U = swamp_pair(elements[0], elements[1], bits);
        next = 2;
        if (c_ != nullptr && random_.one_in(2)) {
            const int x = near_lsb(U, -3, c_->mantissa_bits + 2);
            accumulator(any_sign, x, Bits::random);
            if (random_.one_in(2)) return;
        }
    }
    const int count = random_.between(1, 3);
    const bool tie = random_.one_in(3);
    for (int n = 0; n < count && next < elements.size(); ++n, ++next) {
        const int x = tie ? near_lsb(U, -2, 0) : near_lsb(U, -3, 12);
        product(elements[next], any_sign, x, tie ? Bits::zeros : Bits::random);
    }
    if (random_.one_in(4) && block + 1 < around_->blocks()) { // something that stays
        const auto other = shuffled_elements(block + 1);
        product(other[0], any_sign, near_lsb(U, 0, 20), Bits::random);
    }
}

void ProbeMaker::rounding() {
    const int p = precision_ + (random_.one_in(2) ? 0 : random_.between(-1, 1));
    const int top = std::min(40, d_.emax());
    const int x = random_.one_in(3)   ? random_.between(-6, 6)
                  : random_.one_in(2) ? random_.between(std::max(-40, d_.emin()), top)
                                      : top - random_.below(3);
    const bool negative = random_.one_in(2);
    const auto elements = shuffled_elements(random_.below(around_->blocks()));
    std::size_t next = 0;
    const auto put = [&](std::optional<bool> sign, int e) {
        const bool is_negative = random_.sign(sign);
        if (next < elements.size()) product(elements[next++], is_negative, e);
    };
    if (c_ != nullptr && random_.one_in(2)) {
        accumulator(negative, x, some_bits());
    } else {
        put(negative, x);
    }
    if (random_.one_in(2)) put(random_.one_in(4) != negative, x - p + 1); // makes it odd
    put(random_.one_in(4) != negative, x - p);                            // half an ulp
    if (random_.one_in(3)) put(any_sign, near_lsb(x, -3, 1));
    if (random_.one_in(3)) return put(any_sign, -1000); // the smallest product there is
    if (random_.one_in(2)) put(any_sign, x - p - random_.between(1, 6));
    if (random_.one_in(4)) put(any_sign, x - p - random_.between(1, 20));
}

void ProbeMaker::wide() {
    if (random_.one_in(3)) { // a subnormal factor, and a small term
        const auto elements = shuffled_elements(random_.below(around_->blocks()));
        std::size_t next = 1;
        tiny_times_some(elements[0], false);
        int U = decode(a_, v_.a[elements[0]]).exponent + decode(b_, v_.b[elements[0]]).exponent;
        if (elements.size() > 1 && random_.one_in(2)) {
            cancel(elements[1], elements[0]);
            next = 2;
        }
        U += scale_exponent(elements[0]);
        const int half = leading_bit(elements[0]) - precision_; // of an ulp
        if (c_ != nullptr && random_.one_in(4))                 // and a bit far below
            accumulator(any_sign, half, Bits::last);
        else if (c_ != nullptr && random_.one_in(2))
            accumulator(any_sign, near_lsb(U, -3, 8), Bits::random);
        else if (next < elements.size())
            product(elements[next], any_sign, near_lsb(U, -4, 8), Bits::random);
        else if (elements.size() == 1 && elements[0] >= 2) { // in the sum before it
            const bool negative = random_.one_in(2);
            product(elements[0] - 1, negative, half);
            product(elements[0] - 2, negative, half - random_.between(1, precision_ - 1));
        }
        return;
    }
    if (random_.one_in(4)) return below_a_power();
    ladder(Bits::ones);
}

/// A product of the largest significands, less the power of two above it: most of its bits are left.
void ProbeMaker::below_a_power() {
    const auto elements = shuffled_elements(0);
    const bool negative = random_.one_in(2);
    product(elements[0], negative, random_.between(reach(elements[0]).low, reach(elements[0]).high), Bits::ones);
    const int above = leading_bit(elements[0]) + 1;
    if (c_ != nullptr && (elements.size() == 1 || random_.one_in(2)))
        accumulator(!negative, above);
    else if (elements.size() > 1)
        product(elements[1], !negative, above);
}

void ProbeMaker::family() {
    const Family of = any_of(families);
    InputGenerator(*around_, of, random_.bits()).next(v_);
    if (random_.one_in(3)) keep_block(random_.below(around_->blocks()));
    if (random_.one_in(3)) v_.c = 0; // it hides what is rounded before it comes
}

/// c, half an ulp of it, and one or two bits that alignment may truncate. Ulps below a power of two are half of
/// those above.
void ProbeMaker::tie_below_c() {
    const auto elements = shuffled_elements(0);
    const Reach tie = reach(elements[0]);
    const int x = precision_ + random_.between(tie.low, tie.high), half = x - precision_;
    const bool negative = random_.one_in(2), below = random_.one_in(2);
    accumulator(negative, x, below ? Bits::zeros : some_bits());
    product(elements[0], below ? !negative : random_.one_in(2), below ? half - 1 : half);
    const std::size_t count = std::min<std::size_t>(elements.size(), 2 + (random_.one_in(4) ? 1 : 0));
    for (std::size_t n = 1; n < count; ++n) product(elements[n], any_sign, near_lsb(x, -3, 1));
}

void ProbeMaker::two_levels() {
    if (c_ != nullptr && random_.one_in(2)) return tie_below_c();
    const int x = random_.between(-4, 8);
    accumulator(any_sign, x, some_bits());
    const auto elements = shuffled_elements(0);
    const int count = std::min(static_cast<int>(elements.size()), random_.between(1, 4));
    for (int n = 0; n < count; ++n) {
        const int base = random_.one_in(2) ? x - fraction() : x - precision_;
        const Bits bits = some_bits();
        product(elements[static_cast<std::size_t>(n)], any_sign, base + random_.between(-8, 4), bits);
    }
    if (random_.one_in(3)) { // the roles the other way round
        accumulator(any_sign, near_lsb(x, -4, 4), Bits::random);
        product(elements[0], any_sign, x, Bits::random);
    }
}

} // namespace discern
