// The probe of sums that are a boundary of the result exactly, but for one product far below: its sign decides on which
// side they are, unless alignment loses it. Where the largest products only just add up to the smallest subnormal
// number, this vector shows to how many bits they are truncated.
#include "probes.hpp"

#include "models/unit/tree_shape.hpp"

#include <algorithm>

namespace discern {

namespace {

constexpr int most_bits = 100; ///< of sums

/// A product a/4 · b/4 · 2^exponent.
struct Term {
    int exponent;
    unsigned a, b;
};
/// Their sums are 1 or 3: by as small exponents as so many products can have, or larger ones.
const std::vector<std::vector<Term>> sums_of_one_or_three = {
    {{-1, 4, 4}, {-1, 4, 4}},
    {{-2, 7, 4}, {-2, 6, 6}},
    {{-2, 6, 4}, {-2, 6, 4}, {-2, 4, 4}},
    {{-3, 7, 7}, {-3, 7, 7}, {-3, 5, 6}},
    {{-2, 4, 4}, {-2, 4, 4}, {-2, 4, 4}, {-2, 4, 4}},
    {{-3, 6, 6}, {-3, 6, 6}, {-3, 4, 7}, {-3, 4, 7}},
    {{1, 4, 4}, {0, 4, 4}},
    {{0, 6, 4}, {0, 6, 4}},
    {{0, 4, 4}, {0, 4, 4}, {0, 4, 4}},
    {{-1, 7, 6}, {-1, 6, 5}, {-1, 6, 4}},
    {{-1, 6, 4}, {-1, 6, 4}, {-1, 6, 4}, {-1, 6, 4}},
};

/// The number times n/4, if it has the bits for that.
std::uint64_t times_quarters(const Format& f, std::uint64_t bits, unsigned n) {
    Decoded x = decode(f, bits);
    const std::uint64_t significand = x.significand * n / 4;
    if (significand * 4 != x.significand * n) return bits;
    x.significand = significand;
    return pack(f, x);
}

} // namespace

/// The elements of one block in random order, those that share scales together.
std::vector<ProbeMaker::Elements> ProbeMaker::elements_by_scale() {
    const auto elements = shuffled_elements(random_.below(around_->blocks()));
    if (scale_ == nullptr) return {elements};
    const auto scale_of = [&](std::size_t k) { return k / static_cast<std::size_t>(shape_.scale->block); };
    std::vector<Elements> result;
    for (const std::size_t k : elements) {
        const auto at = std::find_if(result.begin(), result.end(),
                                     [&](const auto& group) { return scale_of(group.front()) == scale_of(k); });
        if (at == result.end())
            result.push_back({k});
        else
            at->push_back(k);
    }
    return result;
}

void ProbeMaker::put(std::size_t k, bool negative, const SmallProducts::Product& p) {
    v_.a[k] = negative && a_.is_signed ? negated(a_, p.a) : p.a;
    v_.b[k] = p.b;
}

/// An ulp of d, or a half, or three of that: the smallest scales, or a little more, and the products up to some
/// exponent, with which so many elements can reach it. Nothing if none can.
std::optional<ProbeMaker::Reaching> ProbeMaker::reaching(std::size_t elements) {
    const Rounding mode = std::get<Round>(around_->tree.kind).mode;
    const bool to_nearest = is_nearest(mode);
    const int lsb = d_.emin() - (precision_ - 1) - (random_.one_in(to_nearest ? 2 : 8) ? 1 : 0);
    const int times = random_.one_in(4) ? 3 : 1;
    const int low = small_.lowest_exponent(), high = small_.highest_exponent();
    Reaching r;
    r.top = scale_ == nullptr ? low : random_.one_in(2) ? high : random_.between(low, high);
    r.products = small_.up_to(r.top);
    const auto most = [&] { return r.products.back().value * static_cast<wide::i128>(elements); };
    if (scale_ != nullptr) {
        r.scales = lsb - small_.lsb() - (wide::bit_length(most() / times) - 1);
        if (random_.one_in(2)) r.scales += random_.below(4);
        if (r.scales < 2 * scale_->lsb() || r.scales > 2 * (scale_->emax() - 1)) return std::nullopt;
    }
    const int bits = lsb - r.scales - small_.lsb();
    if (bits < 0 || bits > most_bits) return std::nullopt;
    r.target = wide::i128{times} << bits;
    if (scale_ == nullptr) { // the smallest exponent of products that can, or more
        while (most() < r.target && r.top < high) r.products = small_.up_to(++r.top);
        if (random_.one_in(2)) r.products = small_.up_to(r.top = random_.between(r.top, high));
    }
    return r;
}

/// The same with powers of two, for formats with too many products to look among: in one of the roundings, and with
/// one or two terms about as small as the last bit that alignment keeps.
void ProbeMaker::smallest_results() {
    std::vector<const Round*> roundings;
    for_each_node(around_->tree, [&](const Node& node) {
        if (const auto* round = std::get_if<Round>(&node.kind)) roundings.push_back(round);
    });
    const Round& round = *any_of(roundings);
    const bool to_nearest = is_nearest(round.mode);
    const Format& f = format(round.format);
    const int lsb = f.lsb() - (random_.one_in(8) != to_nearest ? 1 : 0);
    const auto elements = shuffled_elements(random_.below(around_->blocks()));
    const auto& terms = any_of(sums_of_one_or_three);
    if (terms.size() >= elements.size()) return floors();
    const bool negative = random_.one_in(4);
    std::size_t next = 0;
    for (const Term& term : terms) {
        const std::size_t k = elements[next++];
        product(k, negative, lsb + term.exponent);
        v_.a[k] = times_quarters(a_, v_.a[k], term.a);
        v_.b[k] = times_quarters(b_, v_.b[k], term.b);
    }
    const int lowest = lsb + terms.front().exponent - fraction();
    product(elements[next++], any_sign, lowest + random_.between(-2, 1));
    if (next < elements.size() && random_.one_in(2)) product(elements[next], any_sign, lowest + random_.between(-2, 1));
}

void ProbeMaker::boundary() {
    if (small_.empty()) return random_.one_in(2) ? smallest_results() : floors();
    const auto by_scale = elements_by_scale();
    const auto scale_of = [&](std::size_t k) { return k / static_cast<std::size_t>(shape_.scale->block); };
    // Some of the scales, mostly not the last, which is then for the product that is far below.
    const int all = static_cast<int>(by_scale.size());
    const int some = all > 1 && !random_.one_in(4) ? random_.between(1, all - 1) : all;
    const bool apart = some < all;
    Elements elements;
    for (std::size_t g = 0; g < static_cast<std::size_t>(some); ++g)
        elements.insert(elements.end(), by_scale[g].begin(), by_scale[g].end());
    if (!apart && elements.size() < 2) return floors();
    const std::size_t n = elements.size() - (apart ? 0 : 1);
    const auto r = reaching(n);
    const auto sum = r ? SmallProducts::sum(r->products, r->target, n, random_) : std::nullopt;
    if (!sum) return floors();

    const bool negative = random_.one_in(2);
    if (scale_ != nullptr)
        for (const std::size_t k : elements) scale_pair(scale_of(k), r->scales, false);
    for (std::size_t i = 0; i < sum->size(); ++i) put(elements[i], negative, (*sum)[i]);

    // At the last bit that the sum keeps, or not far above; the exponent comes from scales or from products.
    const int E = r->scales + (apart && random_.one_in(2) ? 0 : r->top);
    const int lowest = E - fraction(), lsb = lowest + (random_.one_in(2) ? 0 : random_.below(30));
    const SmallProducts::Product* last = &r->products.front();
    for (std::size_t g = static_cast<std::size_t>(some); g < by_scale.size(); ++g)
        scale_pair(scale_of(by_scale[g].front()), lsb - small_.lsb(), false);
    if (!apart) {
        const int bit = std::clamp(lsb - r->scales - small_.lsb(), 0, most_bits);
        for (const SmallProducts::Product& p : r->products)
            if (p.value <= wide::i128{1} << bit) last = &p;
    }
    const std::size_t k = apart ? by_scale.back().front() : elements.back();
    put(k, random_.one_in(4) ? negative : !negative, *last);
}

} // namespace discern
