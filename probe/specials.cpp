#include "specials.hpp"

#include "models/hex.hpp"
#include "models/sentence.hpp"

#include <algorithm>

namespace discern::probe {

namespace {

constexpr std::string_view kept = "kept", flushed = "flushed", one_flushed = "flushed in c or d";

/// A subnormal factor whose product is an ordinary number.
void subnormal_factor(Session& session, bool of_b) {
    Feature feature{.key = of_b ? "subnormal_b" : "subnormal_a",
                    .title = of_b ? "subnormal b" : "subnormal a",
                    .value = {},
                    .why = {},
                    .decided_by = {}};
    const Format &a = format(session.shape().a), &b = format(session.shape().b);
    const Format &small = of_b ? b : a, &large = of_b ? a : b;
    const int subnormal = small.emin() - 1, other = std::clamp(-subnormal, large.emin(), large.emax());
    Scene scene(session.shape());
    scene.put_factors(0, power(of_b ? other : subnormal), power(of_b ? subnormal : other));
    const auto asked = session.ask(scene);
    const auto d = session.value(asked);
    if (d == power(subnormal + other)) {
        feature.value = kept;
        feature.why = sentence("2^", subnormal, " times 2^", other, " is right");
    } else if (d && d->is_zero()) {
        feature.value = flushed;
        feature.why = sentence("2^", subnormal, " times 2^", other, " is zero");
    } else {
        feature.why = "a subnormal factor gives neither its product nor zero";
    }
    if (feature.value) feature.decided_by = {*asked};
    session.add(std::move(feature));
}

/// What happened to a value: lost if d is zero.
struct Seen {
    std::optional<std::size_t> asked;
    bool right = false, lost = false;
};

Seen see(Session& session, const Scene& scene, const Amount& expected) {
    Seen seen{.asked = session.ask(scene), .right = false, .lost = false};
    const auto d = session.value(seen.asked);
    seen.right = d == expected;
    seen.lost = d && d->is_zero();
    return seen;
}

void finish(Session& session, Feature feature, std::initializer_list<Seen> by,
            const std::optional<std::string_view>& value, std::string_view why) {
    feature.why = why;
    if (value) {
        feature.value = *value;
        for (const Seen& seen : by)
            if (seen.asked) feature.decided_by.push_back(*seen.asked);
        std::sort(feature.decided_by.begin(), feature.decided_by.end());
        feature.decided_by.erase(std::unique(feature.decided_by.begin(), feature.decided_by.end()),
                                 feature.decided_by.end());
    }
    session.add(std::move(feature));
}

/// c and d, which are often of one format, so that a subnormal c alone gives a subnormal d.
///
/// That a value is lost is no flush if the sum would have cut it anyway: so a control is the smallest value and a half
/// that is normal, which needs the same last place.
void subnormal_c_and_d(Session& session) {
    const Shape& shape = session.shape();
    const int below = session.d().emin() - 1;
    // In the last lane too: what the first block gives may be flushed as the accumulator of the next.
    const int last = shape.K - 1;
    const Seen first = see(session, Scene(shape).put(0, power(below)), power(below));
    const Seen result = first.right ? first : see(session, Scene(shape).put(last, power(below)), power(below));
    const Seen control = see(session, Scene(shape).put(last, amount(3, below)), amount(3, below));
    Seen alone, normal, beside;
    bool both_subnormal = false, cuts = false;
    if (shape.c) {
        const int of_c = format(*shape.c).emin() - 1;
        both_subnormal = of_c <= below;
        alone = see(session, Scene(shape).put(at_c, power(of_c)), power(of_c));
        normal = see(session, Scene(shape).put(at_c, amount(3, of_c)), amount(3, of_c));
        beside = see(session, Scene(shape).put(0, power(of_c + 1)).put(at_c, power(of_c)), amount(3, of_c));
        cuts = beside.asked && control.right && session.value(beside.asked) == power(of_c + 1);
    }
    const bool one_of_them = alone.lost && normal.right && both_subnormal;
    std::optional<std::string_view> c, d;
    if (alone.right || beside.right)
        c = kept;
    else if (cuts || (alone.lost && normal.right && !both_subnormal))
        c = flushed;
    else if (one_of_them)
        c = one_flushed;
    const bool before_c = result.lost && control.right && alone.right && both_subnormal;
    if (before_c)
        d = std::nullopt;
    else if (result.right || (alone.right && both_subnormal))
        d = kept;
    else if ((result.lost && control.right) || (one_of_them && beside.right))
        d = flushed;
    else if (one_of_them)
        d = one_flushed;
    if (shape.c)
        finish(session, {.key = "subnormal_c", .title = "subnormal c", .value = {}, .why = {}, .decided_by = {}},
               {alone, normal, beside}, c,
               c == one_flushed
                   ? "a subnormal c is lost on the way to a subnormal d; no product is as small as to tell where"
                   : "a subnormal c, alone and beside a product");
    finish(session, {.key = "subnormal_d", .title = "subnormal d", .value = {}, .why = {}, .decided_by = {}},
           {first, result, control, alone, normal, beside}, d,
           d          ? "a subnormal result, of a product or of c"
           : before_c ? "a subnormal product is flushed, a subnormal c is not"
                      : "the formats reach no subnormal result, or it is cut off");
}

void zero_sum(Session& session) {
    Feature feature{.key = "zero_sum", .title = "zero sum", .value = {}, .why = {}, .decided_by = {}};
    const bool two = session.shape().K > 1;
    if (two || session.shape().c) {
        const auto asked = session.ask(Scene(session.shape()).put(0, power(0)).put(two ? 1 : at_c, -power(0)));
        const auto bits = session.bits(asked);
        const Format& d = session.d();
        if (bits && session.value(*asked) == Amount{}) {
            const bool negative = decode(d, *bits).negative;
            feature.value = negative ? "-0" : "+0";
            feature.decided_by = {*asked};
        }
        feature.why = feature.value ? "1 − 1" : "1 − 1 is not zero";
    }
    session.add(std::move(feature));
}

void overflow(Session& session) {
    Feature feature{.key = "overflow", .title = "overflow", .value = {}, .why = {}, .decided_by = {}};
    const Format& d = session.d();
    const int other = session.shape().c ? at_c : 1;
    const Scene scene = other < session.shape().K
                            ? Scene(session.shape()).put(0, power(d.emax())).put(other, power(d.emax()))
                            : Scene(session.shape());
    const auto asked = other < session.shape().K ? session.ask(scene) : std::nullopt;
    const auto bits = session.bits(asked);
    if (!bits) {
        feature.why = "the largest products and c do not reach beyond d";
    } else {
        const Decoded result = decode(d, *bits);
        if (result.number_class == NumberClass::infinite)
            feature.value = "infinity";
        else if (result.number_class == NumberClass::nan)
            feature.value = "NaN";
        else if (result.exponent == d.emax() && result.significand == d.max_significand())
            feature.value = "largest";
        feature.why = sentence("2^", d.emax(), " + 2^", d.emax());
        if (feature.value) feature.decided_by = {*asked};
    }
    session.add(std::move(feature));
}

/// A vector with a quiet NaN somewhere is no sum of amounts: it is made from one.
void nan_bits(Session& session) {
    Feature feature{.key = "nan", .title = "NaN", .value = {}, .why = {}, .decided_by = {}};
    const Format &a = format(session.shape().a), &d = session.d();
    if (!a.has_nan() || !d.has_nan()) {
        feature.why = "the formats have no NaN";
    } else {
        const auto asked = session.ask(Scene(session.shape()).put(0, power(0)).put_pattern(0, quiet_nan(a)));
        const auto bits = session.bits(asked);
        feature.why = "with a quiet NaN in a";
        if (bits && decode(d, *bits).number_class == NumberClass::nan) {
            feature.value = to_hex(d, *bits);
            feature.decided_by = {*asked};
        }
    }
    session.add(std::move(feature));
}

} // namespace

void probe_subnormals(Session& session) {
    subnormal_factor(session, false);
    subnormal_factor(session, true);
    subnormal_c_and_d(session);
}

void probe_specials(Session& session) {
    zero_sum(session);
    overflow(session);
    nan_bits(session);
}

} // namespace discern::probe
