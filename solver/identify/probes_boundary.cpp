// The probe of sums that are a boundary of the result exactly, but for one product far below: its sign decides on which
// side they are, unless alignment loses it. Where the largest products only just add up to the smallest subnormal
// number, it is the vector that shows at which place they are cut.
#include "probes.hpp"

#include <algorithm>
#include <bit>

namespace discern::identify {

namespace {

constexpr int most_bits = 100; ///< of sums

int bit_width(wide::i128 value) {
    int width = 0;
    for (; value != 0; value >>= 1) ++width;
    return width;
}

} // namespace

/// The elements of one block in random order, those that share scales together.
std::vector<std::vector<std::size_t>> ProbeMaker::elements_by_scale() {
    const auto elements = shuffled_elements(*around_, random_.below(around_->blocks()));
    if (scale_ == nullptr) return {elements};
    const auto scale_of = [&](std::size_t k) { return k / static_cast<std::size_t>(shape_.scale->block); };
    std::vector<std::vector<std::size_t>> result;
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

/// Scales of one element whose exponents add up to that, if the format has them.
void ProbeMaker::scale_one(InputBuffer& v, std::size_t k, int together) {
    const std::size_t s = k / static_cast<std::size_t>(shape_.scale->block);
    const int least = lowest(*scale_), most = scale_->emax() - 1;
    together = std::clamp(together, 2 * least, 2 * most);
    const int first = random_.between(std::max(least, together - most), std::min(most, together - least));
    v.sa[s] = number(*scale_, false, first, Bits::zeros);
    v.sb[s] = number(*scale_, false, together - first, Bits::zeros);
}

void ProbeMaker::put(InputBuffer& v, std::size_t k, bool negative, const SmallProducts::Product& p) const {
    v.a[k] = p.a | (negative && a_.is_signed ? 1ull << (a_.width - 1) : 0);
    v.b[k] = p.b;
}

void ProbeMaker::boundary(InputBuffer& v) {
    if (small_.empty()) return floors(v);
    const auto by_scale = elements_by_scale();
    // Some of the scales, mostly not the last, which is then for the product that is far below.
    const int all = static_cast<int>(by_scale.size());
    const int some = all > 1 && !random_.one_in(4) ? random_.between(1, all - 1) : all;
    std::vector<std::size_t> elements;
    for (int i = 0; i < some; ++i)
        elements.insert(elements.end(), by_scale[static_cast<std::size_t>(i)].begin(),
                        by_scale[static_cast<std::size_t>(i)].end());
    const bool apart = some < all;
    if (!apart && elements.size() < 2) return floors(v);
    const std::size_t n = elements.size() - (apart ? 0 : 1);

    // A last place of d or so, and the smallest scales with which so many products can reach it.
    const int place = d_.emin() - (precision_ - 1) - (random_.one_in(3) ? 1 : 0);
    const int odd = random_.one_in(3) ? 3 : 1;
    int top = random_.one_in(2) ? small_.highest_exponent()
                                : random_.between(small_.lowest_exponent(), small_.highest_exponent());
    auto products = small_.up_to(top);
    const auto most = [&] { return products.back().value * static_cast<wide::i128>(n); };
    int scales = 0; // the sum of their exponents
    if (scale_ != nullptr) {
        scales =
            place - small_.last_place() - (bit_width(most() / odd) - 1) + (random_.one_in(2) ? 0 : random_.below(4));
        if (scales < 2 * lowest(*scale_) || scales > 2 * (scale_->emax() - 1)) return floors(v);
    }
    const int bits = place - scales - small_.last_place();
    if (bits < 0 || bits > most_bits) return floors(v);
    const wide::i128 target = wide::i128{odd} << bits;
    if (scale_ == nullptr) { // the smallest exponent of products that can, or more
        top = small_.lowest_exponent();
        products = small_.up_to(top);
        while (most() < target && top < small_.highest_exponent()) products = small_.up_to(++top);
        if (random_.one_in(2)) products = small_.up_to(random_.between(top, small_.highest_exponent()));
    }
    const auto sum = SmallProducts::sum(products, target, n, random_);
    if (!sum) return floors(v);

    const bool negative = random_.one_in(2);
    if (scale_ != nullptr)
        for (const std::size_t k : elements) scale_one(v, k, scales);
    for (std::size_t i = 0; i < sum->size(); ++i) put(v, elements[i], negative, (*sum)[i]);
    const bool other_sign = random_.one_in(4) ? negative : !negative;
    if (!apart) {
        const int few = static_cast<int>(std::min<std::size_t>(products.size(), 12));
        return put(v, elements.back(), other_sign, products[static_cast<std::size_t>(random_.below(few))]);
    }
    // Its last bit at a place that the sum itself does not lose, or not far above.
    const int E = scales + (random_.one_in(2) ? 0 : top);
    const int bit = E - fraction() + (random_.one_in(2) ? 0 : random_.below(30));
    for (std::size_t g = static_cast<std::size_t>(some); g < by_scale.size(); ++g)
        scale_one(v, by_scale[g].front(), bit - small_.last_place());
    put(v, by_scale.back().front(), other_sign, products.front());
}

} // namespace discern::identify
