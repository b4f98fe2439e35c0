// Chooses factors for products of given magnitudes, within the exponents that the formats have.
#include "placing.hpp"

#include "models/format.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <bit>

namespace discern::property {

std::uint64_t number_at(const Format& f, bool negative, std::uint64_t significand, int lsb) {
    const int bits = static_cast<int>(std::bit_width(significand)), shift = f.mantissa_bits + 1 - bits;
    const int exponent = lsb + bits - 1;
    if (exponent < f.emin()) { // a subnormal number, if it has that last bit
        if (lsb < f.lsb()) return 0;
        return pack(f, {.negative = negative, .significand = significand << (lsb - f.lsb()), .exponent = f.emin()});
    }
    if (shift < 0 || exponent > f.emax()) return 0;
    if (exponent == f.emax() && (significand << shift) > f.max_significand()) return 0;
    return pack(f, {.negative = negative, .significand = significand << shift, .exponent = exponent});
}

int block_of(const Unit& unit, std::size_t k) {
    for (int block = 0; block < unit.blocks(); ++block)
        for (int l = 0; l < unit.L; ++l)
            if (static_cast<std::size_t>(unit.element(block, l)) == k) return block;
    return 0;
}

Placing::Placing(const Unit& unit, Vector& x, Random& random)
    : unit_(unit), x_(x), random_(random), low_(format(unit.a).emin() + format(unit.b).emin()),
      high_(format(unit.a).emax() + format(unit.b).emax()) {
    std::ranges::fill(x.a, 0);
    std::ranges::fill(x.b, 0);
    if (unit.c) x.c = 0;
    if (!unit.scale) return;
    const Format& s = format(unit.scale->format);
    for (auto* row : {&x.sa, &x.sb})
        std::ranges::fill(*row, pack(s, {.significand = 1ull << s.mantissa_bits, .exponent = 0}));
}

void Placing::scale_to(int exponent) {
    if (!unit_.scale) return;
    const Format& s = format(unit_.scale->format);
    const int both = std::clamp(exponent - high_, 2 * s.emin(), 2 * s.emax());
    const int one = random_.between(std::max(s.emin(), both - s.emax()), std::min(s.emax(), both - s.emin()));
    std::ranges::fill(x_.sa, pack(s, {.significand = 1ull << s.mantissa_bits, .exponent = one}));
    std::ranges::fill(x_.sb, pack(s, {.significand = 1ull << s.mantissa_bits, .exponent = both - one}));
    scales_ = both;
}

std::uint64_t Placing::number(const Format& f, bool negative, int exponent, Fraction fraction) {
    exponent = std::clamp(exponent, f.lsb(), f.emax());
    if (exponent < f.emin()) return number_at(f, negative && f.is_signed, 1, exponent);
    const std::uint64_t one = 1ull << f.mantissa_bits, all = one - 1;
    const std::uint64_t below = fraction == Fraction::ones    ? all
                                : fraction == Fraction::last  ? (all & 1)
                                : fraction == Fraction::twice ? (all & 2)
                                : fraction == Fraction::any   ? (random_.bits() & all)
                                                              : 0;
    std::uint64_t significand = one + below;
    if (exponent == f.emax()) significand = std::min(significand, f.max_significand());
    return pack(f, {.negative = f.is_signed && negative, .significand = significand, .exponent = exponent});
}

void Placing::product(std::size_t k, std::optional<bool> sign, int exponent, Fraction of_a, Fraction of_b) {
    const bool negative = random_.sign(sign);
    const Format &a = format(unit_.a), &b = format(unit_.b);
    const int e = std::clamp(exponent - scales_, a.lsb() + b.lsb(), high_);
    int low = std::max(a.emin(), e - b.emax()), high = std::min(a.emax(), e - b.emin());
    if (low > high) low = a.lsb(), high = a.emin(); // a subnormal factor, or two
    const int exponent_of_a = random_.between(low, high);
    const bool by_a = a.is_signed && (!b.is_signed || random_.one_in(2)); // whose sign the product's is
    x_.a[k] = number(a, negative && by_a, exponent_of_a, of_a);
    x_.b[k] = number(b, negative && !by_a, e - exponent_of_a, of_b);
}

void Placing::c(std::optional<bool> sign, int exponent, Fraction fraction) {
    const bool negative = random_.sign(sign);
    if (unit_.c) x_.c = number(format(*unit_.c), negative, exponent, fraction);
}

std::vector<std::size_t> Placing::elements(int block) {
    std::vector<std::size_t> all;
    for (int i = block < 0 ? 0 : block; i < (block < 0 ? unit_.blocks() : block + 1); ++i)
        for (int l = 0; l < unit_.L; ++l) all.push_back(static_cast<std::size_t>(unit_.element(i, l)));
    for (std::size_t i = all.size(); i > 1; --i)
        std::swap(all[i - 1], all[static_cast<std::size_t>(random_.below(static_cast<int>(i)))]);
    return all;
}

int Placing::some_F() {
    std::vector<int> found = {format(unit_.d).mantissa_bits};
    for_each_node(unit_.tree, [&](const Node& node) {
        if (const auto* fuse = std::get_if<Fuse>(&node.kind))
            for (const Child& child : fuse->children)
                if (child.F && std::ranges::find(found, *child.F) == found.end()) found.push_back(*child.F);
    });
    const int one = random_.below(static_cast<int>(found.size()));
    return found[static_cast<std::size_t>(one)] + (random_.one_in(3) ? random_.between(-2, 2) : 0);
}

std::optional<int> Placing::some_lsb_of_floor() {
    std::vector<int> found;
    for_each_node(unit_.tree, [&](const Node& node) {
        const auto* fuse = std::get_if<Fuse>(&node.kind);
        if (fuse == nullptr || !fuse->floor) return;
        for (const Child& child : fuse->children)
            if (child.F) found.push_back(*fuse->floor - *child.F);
    });
    if (found.empty()) return std::nullopt;
    return found[static_cast<std::size_t>(random_.below(static_cast<int>(found.size())))];
}

} // namespace discern::property
