// The table of all products of two positive numbers, and choices of products whose sum is a given number.
#include "small_products.hpp"

#include <algorithm>
#include <tuple>

namespace discern {

namespace {

struct Number {
    std::uint64_t bits;
    Decoded value;
};

std::vector<Number> positive_numbers(const Format& f) {
    std::vector<Number> numbers;
    for (std::uint64_t bits = 0; bits < (1ull << (f.width - (f.is_signed ? 1 : 0))); ++bits) {
        const Decoded value = decode(f, bits);
        if (value.number_class == NumberClass::finite && value.significand != 0) numbers.push_back({bits, value});
    }
    return numbers;
}

} // namespace

SmallProducts::SmallProducts(const Format& a, const Format& b)
    : lsb_(a.lsb() + b.lsb()), lowest_(a.emin() + b.emin()), highest_(a.emax() + b.emax()) {
    if (a.width > 8 || b.width > 8) return;
    for (const Number& x : positive_numbers(a))
        for (const Number& y : positive_numbers(b)) {
            const int exponent = x.value.exponent + y.value.exponent;
            const wide::i128 significand = x.value.significand * y.value.significand;
            products_.push_back({significand << (exponent - lowest_), exponent, x.bits, y.bits});
        }
    std::sort(products_.begin(), products_.end(), [](const Product& x, const Product& y) {
        return std::tie(x.value, x.exponent) < std::tie(y.value, y.exponent);
    });
    const auto same = [](const Product& x, const Product& y) { return x.value == y.value; };
    products_.erase(std::unique(products_.begin(), products_.end(), same), products_.end());
}

std::vector<SmallProducts::Product> SmallProducts::up_to(int exponent) const {
    std::vector<Product> result;
    for (const Product& p : products_)
        if (p.exponent <= exponent) result.push_back(p);
    return result;
}

std::optional<std::vector<SmallProducts::Product>>
SmallProducts::sum(const std::vector<Product>& products, wide::i128 target, std::size_t n, Random& random) {
    // The last product that is not above the value, or the end.
    const auto at_most = [&](wide::i128 value) {
        const auto above = std::upper_bound(products.begin(), products.end(), value,
                                            [](wide::i128 v, const Product& p) { return v < p.value; });
        return above == products.begin() ? products.end() : above - 1;
    };
    const bool varied = random.one_in(2);
    std::vector<Product> chosen;
    wide::i128 rest = target;
    while (rest != 0 && chosen.size() < n) {
        const auto largest = at_most(rest);
        if (largest == products.end()) return std::nullopt;
        const Product* next = &*largest;
        if (varied && random.one_in(4))
            next = &products[static_cast<std::size_t>(random.below(static_cast<int>(largest - products.begin()) + 1))];
        const bool two_may_do = chosen.size() + 2 <= n && next->value < rest && rest <= 2 * products.back().value;
        if (two_may_do)
            for (const Product& p : products) {
                if (p.value >= rest) break;
                const auto other = at_most(rest - p.value);
                if (other == products.end() || other->value != rest - p.value) continue;
                chosen.push_back(p);
                next = &*other;
                rest -= p.value;
                break;
            }
        rest -= next->value;
        chosen.push_back(*next);
    }
    if (rest != 0) return std::nullopt;
    return chosen;
}

} // namespace discern
