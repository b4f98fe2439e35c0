// The flags of a sum are the disjunctions of its summands' flags. A NaN that infinities of opposite signs make is kept
// as both infinities, and is settled once, where the sum is rounded.
#include "special.hpp"

#include <vector>

namespace discern {

namespace {

constexpr Term Number::*flags[] = {&Number::nan, &Number::positive, &Number::negative, &Number::tentative_positive,
                                   &Number::tentative_negative};

} // namespace

CarriedNan first_carried(Terms& t, const CarriedNan& first, const CarriedNan& second) {
    return {t.bvor(first.present, second.present), t.ite(first.present, first.sign, second.sign),
            t.ite(first.present, first.payload, second.payload), t.bvor(first.factor, second.factor),
            t.bvor(first.invalid, second.invalid)};
}

void join_specials(Terms& t, Number& sum, std::span<const Number> summands) {
    for (const auto flag : flags) {
        std::vector<Term> all;
        for (const Number& n : summands) all.push_back(n.*flag);
        sum.*flag = t.any_of(all);
    }
    sum.carried = summands.front().carried;
    for (const Number& n : summands.subspan(1)) sum.carried = first_carried(t, sum.carried, n.carried);
}

void zero_sign_of_sum(Terms& t, Number& sum, std::span<const Number> summands,
                      const std::function<Term(std::size_t)>& is_zero) {
    std::vector<Term> negative, positive;
    for (std::size_t i = 0; i < summands.size(); ++i) {
        const Number& n = summands[i];
        const Term zero = is_zero(i);
        const Term minus = t.ite(n.zero, n.zero_negative, n.sign);
        const Term clear = t.bvand(zero, t.bvnot(t.bvand(n.zero, n.zero_mixed)));
        negative.push_back(t.bvand(clear, minus));
        positive.push_back(t.bvand(clear, t.bvnot(minus)));
    }
    sum.zero_negative = t.all_of(negative);
    sum.zero_mixed = t.bvnot(t.bvor(sum.zero_negative, t.all_of(positive)));
}

NanKind nan_kind(Terms& t, const Number& n) {
    const Term clash = t.bvand(n.positive, n.negative); // where nothing is kept, limits of products clash
    return {n.carried.factor, t.bvor(n.carried.invalid, t.bvor(clash, t.bvnot(n.carried.present)))};
}

void hide_infinities_beside_nan(Terms& t, Number& sum) {
    const Term clash = t.bvand(sum.positive, sum.negative), hidden = t.bvand(sum.carried.present, t.bvnot(clash));
    sum.positive = t.bvand(sum.positive, t.bvnot(hidden));
    sum.negative = t.bvand(sum.negative, t.bvnot(hidden));
    // A sum that adds the summands in its place has to see the same: they are all those of the first one.
    for (std::size_t i = 0; i < sum.summands.size(); ++i) {
        Number& n = sum.summands[i];
        for (const auto flag : flags) n.*flag = i == 0 ? sum.*flag : t.truth(false);
        n.carried = sum.carried;
        if (i > 0) n.carried.present = n.carried.factor = n.carried.invalid = t.truth(false);
    }
}

Settled settle(Terms& t, const Number& n) {
    const Term real = t.bvor(n.positive, n.negative), tentative = t.bvnot(real);
    const Term clash = t.bvand(n.positive, n.negative);
    const Term tentative_clash = t.bvand(tentative, t.bvand(n.tentative_positive, n.tentative_negative));
    const Term nan = t.bvor(n.nan, t.bvor(clash, tentative_clash));
    const Term valid = t.bvnot(nan);
    return {nan, t.bvand(valid, t.bvor(n.positive, t.bvand(tentative, n.tentative_positive))),
            t.bvand(valid, t.bvor(n.negative, t.bvand(tentative, n.tentative_negative)))};
}

} // namespace discern
