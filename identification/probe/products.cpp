// How a product is presented to the sum: shifted when its significand is 2 or more, or normalised; and whether it is
// rounded by itself first.
#include "alignment.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::probe {

namespace {

/// A ladder whose large terms are both products.
std::optional<Ladder> ladder_of_products(const Structure& structure) {
    const auto three = ladder_of(structure, false, false);
    if (three && three->plus != at_c) return three;
    return ladder_of(structure, true, false);
}

void normalisation(Session& session, const Structure& structure, const Alignment& alignment) {
    const std::size_t first = session.count();
    const auto ladder = ladder_of_products(structure);
    if (!ladder || !alignment.F || alignment.lossless)
        return session.report("product_normalisation", {{}, "it shows only in sums of three terms that lose something"},
                              first);
    // By how many bits more than F a small term survives beside products of these factors, relative to their value.
    const auto bits_beyond = [&](int top, const Amount& of_a, const Amount& of_b) -> std::optional<int> {
        const Alignment seen = ladder->climb(session, {top, std::pair(of_a, of_b)});
        if (!seen.F || seen.lossless) return std::nullopt;
        return *seen.F - *alignment.F;
    };
    const Span span = span_of(session.shape());
    const Format &a = format(session.shape().a), &b = format(session.shape().b);
    // 1.5 · 1.5 = 2.25, whose exponent is one more than the sum of the factors'
    const int sum = span.high - 1, of_a = std::clamp(sum >> 1, std::max(a.emin(), sum - b.emax()), a.emax());
    const auto two = bits_beyond(span.high, amount(3, of_a - 1), amount(3, sum - of_a - 1));
    // half of the smallest normal number, whose exponent field says one more than its value
    const int of_b = std::min(b.emax(), span.high - (a.emin() - 1));
    const auto subnormal = bits_beyond(a.emin() - 1 + of_b, power(a.emin() - 1), power(of_b));
    Told told{{}, "the answers fit no normalisation"};
    if (two == 1 && (!subnormal || subnormal == -1))
        told = {"raw", "as multiplied: a significand of 2 or more keeps the exponent of the factors"};
    else if (two == 0 && subnormal == -1)
        told = {"carry", "shifted by one bit when the significand is 2 or more"};
    else if (two == 0 && subnormal == 0)
        told = {"full", "normalised, subnormal factors included"};
    else if (two == 0 && !subnormal)
        told.why = "shifted when 2 or more; with subnormal factors it cannot be seen";
    session.report("product_normalisation", std::move(told), first);
}

/// Another term of the sum that lane 0 is in: c or a lane; nothing if there is none.
std::optional<int> beside_the_first(const Shape& shape, const Structure& structure) {
    if (structure.c == CPlace::early || structure.c == CPlace::single || shape.K == 1)
        return shape.c ? std::optional(at_c) : std::nullopt;
    return structure.known() && structure.blocks.front().size() > 1 ? structure.blocks.front()[1] : 1;
}

void rounding(Session& session, const Structure& structure, const Alignment& alignment) {
    const std::size_t first = session.count();
    const Shape& shape = session.shape();
    const int s = std::min(format(shape.a).mantissa_bits, format(shape.b).mantissa_bits);
    Told told;
    if (2 * s + 1 <= session.d().mantissa_bits) {
        told = {"fits d", sentence("a product has at most ", 2 * s + 2, " bits, which d holds")};
    } else if (const auto other = beside_the_first(shape, structure)) {
        // (1 + 2^-s)² = 1 + 2^(1−s) + 2^-2s; the last bit is what remains, unless it was rounded off before the sum.
        const int top = std::min(span_of(shape).high, std::max(0, session.d().emin() + 2 * s));
        const std::int64_t more = (std::int64_t{1} << s) + 1;
        const Amount most = amount((std::int64_t{1} << (s - 1)) + 1, top + 1 - s);
        const Answer d =
            session.ask(session.scene()
                            .put_factors(0, amount(more, (top >> 1) - s), amount(more, top - (top >> 1) - s))
                            .put(*other, -most));
        if (d.is(power(top - 2 * s)))
            told = {"none", "the last bit of a product is there after the rest has cancelled"};
        else if (d.is_zero() && alignment.F >= 2 * s)
            told = {"rounded", "the last bit of a product is lost before the sum"};
        else
            told.why = "the last bit of a product is lost, but it may be the alignment that loses it";
    }
    session.report("product_rounding", std::move(told), first);
}

} // namespace

void probe_products(Session& session, const Structure& structure, const Alignment& alignment) {
    normalisation(session, structure, alignment);
    rounding(session, structure, alignment);
}

} // namespace discern::probe
