// How a product is presented to the sum: shifted when its significand is 2 or more, or normalised; and whether it is
// rounded by itself first.
#include "alignment.hpp"
#include "models/sentence.hpp"

#include <algorithm>

namespace discern::probe {

namespace {

/// A ladder whose large terms are both products.
std::optional<Ladder> ladder_of_products(const Structure& structure) {
    const auto three = ladder_of(structure, false, false);
    if (three && three->plus != at_c) return three;
    return ladder_of(structure, true, false);
}

/// By how many places more than F a small term survives beside products of these factors, relative to their value.
std::optional<int> places_beyond(Session& session, const Ladder& ladder, const Alignment& alignment, const Amount& a,
                                 const Amount& b, int top) {
    const Alignment seen = ladder.climb(session, top, std::pair(a, b));
    if (!seen.F || seen.lossless) return std::nullopt;
    return *seen.F - *alignment.F;
}

void normalisation(Session& session, const Structure& structure, const Alignment& alignment) {
    Feature feature{
        .key = "product_normalisation", .title = "normalisation of products", .value = {}, .why = {}, .decided_by = {}};
    const std::size_t first = session.count();
    const auto ladder = ladder_of_products(structure);
    if (!ladder || !alignment.F || alignment.lossless) {
        feature.why = "it shows only in sums of three terms that lose something";
        session.add(std::move(feature));
        return;
    }
    const Span span = span_of(session.shape());
    const Format &a = format(session.shape().a), &b = format(session.shape().b);
    // 1.5 · 1.5 = 2.25, whose exponent is one more than the sum of the factors'
    const int sum = span.high - 1, of_a = std::clamp(sum >> 1, std::max(a.emin(), sum - b.emax()), a.emax());
    const auto two =
        places_beyond(session, *ladder, alignment, amount(3, of_a - 1), amount(3, sum - of_a - 1), span.high);
    // half of the smallest normal number, whose exponent field says one more than its value
    const int of_b = std::min(b.emax(), span.high - (a.emin() - 1));
    const auto subnormal =
        places_beyond(session, *ladder, alignment, power(a.emin() - 1), power(of_b), a.emin() - 1 + of_b);
    if (two == 1 && (!subnormal || subnormal == -1)) {
        feature.value = "raw";
        feature.why = "as multiplied: a significand of 2 or more keeps the exponent of the factors";
    } else if (two == 0 && subnormal == -1) {
        feature.value = "carry";
        feature.why = "shifted by one place when the significand is 2 or more";
    } else if (two == 0 && subnormal == 0) {
        feature.value = "full";
        feature.why = "normalised, subnormal factors included";
    } else {
        feature.why = two == 0 && !subnormal ? "shifted when 2 or more; with subnormal factors it cannot be seen"
                                             : "the answers fit no normalisation";
    }
    if (feature.value) feature.decided_by = indices(first, session.count());
    session.add(std::move(feature));
}

void rounding(Session& session, const Structure& structure, const Alignment& alignment) {
    Feature feature{
        .key = "product_rounding", .title = "rounding of products", .value = {}, .why = {}, .decided_by = {}};
    const std::size_t first = session.count();
    const Shape& shape = session.shape();
    const int s = std::min(format(shape.a).mantissa_bits, format(shape.b).mantissa_bits);
    if (2 * s + 1 <= session.d().mantissa_bits) {
        feature.value = "fits d";
        feature.why = sentence("a product has at most ", 2 * s + 2, " bits, which d holds");
    } else {
        // (1 + 2^-s)² = 1 + 2^(1−s) + 2^-2s; the last bit is what remains, unless it was rounded off before the sum.
        const int top = std::min(span_of(shape).high, std::max(0, session.d().emin() + 2 * s));
        const int of_a = top >> 1;
        const Amount most = amount((std::int64_t{1} << (s - 1)) + 1, top + 1 - s), rest = power(top - 2 * s);
        const bool with_c = structure.c == CPlace::early || structure.c == CPlace::single || shape.K == 1;
        const int other = with_c                                                     ? at_c
                          : structure.known() && structure.blocks.front().size() > 1 ? structure.blocks.front()[1]
                                                                                     : 1;
        if (other < shape.K && (other != at_c || shape.c)) {
            Scene scene(shape);
            scene.put_factors(0, amount((std::int64_t{1} << s) + 1, of_a - s),
                              amount((std::int64_t{1} << s) + 1, top - of_a - s));
            scene.put(other, -most);
            const auto asked = session.ask(scene);
            const auto d = session.value(asked);
            if (d == rest) {
                feature.value = "none";
                feature.why = "the last bit of a product is there after the rest has cancelled";
            } else if (d && d->is_zero() && alignment.F >= 2 * s) {
                feature.value = "rounded";
                feature.why = "the last bit of a product is lost before the sum";
            } else {
                feature.why = "the last bit of a product is lost, but it may be the alignment that loses it";
            }
            if (feature.value) feature.decided_by = indices(first, session.count());
        }
    }
    session.add(std::move(feature));
}

} // namespace

void probe_products(Session& session, const Structure& structure, const Alignment& alignment) {
    normalisation(session, structure, alignment);
    rounding(session, structure, alignment);
}

} // namespace discern::probe
