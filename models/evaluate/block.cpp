#include "block.hpp"

#include "models/unit/nan_rule.hpp"
#include "models/unit/tree_shape.hpp"
#include "terms.hpp"

#include <optional>

namespace discern::integer {

namespace {

template <typename Int>
std::optional<Decoded> add(const Frame& frame, const Decoded& d, const Decoded& c) {
    Term<Int> sum;
    const Term<Int> terms[2] = {operand_term<Int>(*frame.d, d), operand_term<Int>(*frame.c, c)};
    SpecialSum specials(frame.nan);
    ZeroSigns signs;
    for (const auto& term : terms) {
        specials.add(term);
        signs.add(term);
        signs.aligned(!wide::is_zero(term.value));
    }
    if (specials.any())
        sum = specials.result<Int>();
    else if (!exact_sum(terms, 2, sum))
        return std::nullopt;
    else
        sum.zero_sign = signs.of_zero_sum();
    return round_term({.format = frame.d->id, .child = {}}, *frame.d, sum);
}

} // namespace

Frame::Frame(const Unit& u)
    : a(&format(u.a)), b(&format(u.b)), c(u.c ? &format(*u.c) : nullptr), d(&format(u.d)),
      scale(u.scale && !has_scaled_sums(u.tree) ? &format(u.scale->format) : nullptr),
      sum_scale(u.scale && has_scaled_sums(u.tree) ? &format(u.scale->format) : nullptr),
      L(static_cast<std::size_t>(u.L)),
      scale_block(u.scale ? static_cast<std::size_t>(u.scale->block) : 1), nan{u.nan.kind == NanRule::Kind::rdna,
                                                                               u.nan.kind == NanRule::Kind::rdna &&
                                                                                       invalid_is_as_of_factor(u)
                                                                                   ? Special::factor_nan
                                                                                   : Special::invalid_nan},
      starts_with_c(u.c && u.place == AccumulatorPlace::chained), decode_a(*a), decode_b(*b) {
    for (int block = 0; block < u.blocks(); ++block)
        for (int l = 0; l < u.L; ++l) order.push_back(static_cast<std::size_t>(u.element(block, l)));
}

Decoded add_last(const Frame& frame, const Decoded& d, const Decoded& c) {
    if (const auto sum = add<wide::i128>(frame, d, c)) return *sum;
    if (const auto sum = add<wide::Medium>(frame, d, c)) return *sum;
    return *add<wide::Big>(frame, d, c);
}

} // namespace discern::integer
