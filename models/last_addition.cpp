#include "last_addition.hpp"

#include "machine.hpp"

#include <optional>

namespace discern::integer {

namespace {

template <typename Int>
std::optional<Decoded> add(const Frame& frame, const Decoded& d, const Decoded& c) {
    Term<Int> sum;
    const Term<Int> terms[2] = {operand_term<Int>(*frame.d, d), operand_term<Int>(*frame.c, c)};
    SpecialSum specials;
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
    Round ieee;
    ieee.format = frame.d->id;
    return round_term(ieee, *frame.d, sum);
}

} // namespace

Decoded add_last(const Frame& frame, const Decoded& d, const Decoded& c) {
    if (const auto sum = add<wide::i128>(frame, d, c)) return *sum;
    if (const auto sum = add<wide::Medium>(frame, d, c)) return *sum;
    return *add<wide::Big>(frame, d, c);
}

} // namespace discern::integer
