#include "specials.hpp"

#include "models/hex.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <set>

namespace discern::probe {

namespace {

constexpr const char *kept = "kept", *flushed = "flushed", *one_flushed = "flushed in c or d";

/// Reports a feature that these decided, if it has a value.
void report(Session& session, std::string_view key, Told told, std::initializer_list<Answer> answers) {
    std::set<std::size_t> decided_by;
    for (const Answer& answer : answers)
        if (told.value && answer.index) decided_by.insert(*answer.index);
    session.report(key, std::move(told), {decided_by.begin(), decided_by.end()});
}

/// A subnormal factor whose product is an ordinary number.
void subnormal_factor(Session& session, bool of_b) {
    const Format &a = format(session.shape().a), &b = format(session.shape().b);
    const Format &small = of_b ? b : a, &large = of_b ? a : b;
    const int subnormal = small.emin() - 1, other = std::clamp(-subnormal, large.emin(), large.emax());
    const Answer d =
        session.ask(session.scene().put_factors(0, power(of_b ? other : subnormal), power(of_b ? subnormal : other)));
    Told told{{}, "a subnormal factor gives neither its product nor zero"};
    if (const bool right = d.is(power(subnormal + other)); right || d.is_zero())
        told = {right ? kept : flushed,
                sentence("2^", subnormal, " times 2^", other, right ? " is right" : " is zero")};
    report(session, of_b ? "subnormal_b" : "subnormal_a", std::move(told), {d});
}

/// c and d, which are often of one format, so that a subnormal c alone gives a subnormal d.
///
/// A lost value is no proof of a flush, as alignment may have truncated it. The control is 1.5 times the smallest
/// normal value, whose last bit has the same weight.
void subnormal_c_and_d(Session& session) {
    const Shape& shape = session.shape();
    const auto see = [&](int place, const Amount& value) { return session.ask(session.scene().put(place, value)); };
    const Amount below = power(session.d().emin() - 1), more = amount(3, session.d().emin() - 1);
    // In the last lane too: what the first block gives may be flushed as the accumulator of the next.
    const int last = shape.K - 1;
    const Answer first = see(0, below), result = first.is(below) ? first : see(last, below);
    const Answer control = see(last, more);
    const bool truncated = !control.is(more);
    Answer alone, normal, beside;
    bool both_subnormal = false, alone_right = false, alone_lost = false, beside_right = false, truncates = false;
    if (shape.c) {
        const int of_c = format(*shape.c).emin() - 1;
        alone = see(at_c, power(of_c));
        normal = see(at_c, amount(3, of_c));
        beside = session.ask(session.scene().put(0, power(of_c + 1)).put(at_c, power(of_c)));
        both_subnormal = of_c < session.d().emin();
        alone_right = alone.is(power(of_c));
        alone_lost = alone.is_zero() && normal.is(amount(3, of_c));
        beside_right = beside.is(amount(3, of_c));
        truncates = !truncated && beside.is(power(of_c + 1));
    }
    const bool one_of_them = alone_lost && both_subnormal;
    const bool lost = result.is_zero() && !truncated, before_c = lost && alone_right && both_subnormal;
    const char *c = nullptr, *d = nullptr;
    if (alone_right || beside_right)
        c = kept;
    else if (truncates || (alone_lost && !both_subnormal))
        c = flushed;
    else if (one_of_them)
        c = one_flushed;
    if (!before_c) {
        if (result.is(below) || (alone_right && both_subnormal))
            d = kept;
        else if (lost || (one_of_them && beside_right))
            d = flushed;
        else if (one_of_them)
            d = one_flushed;
    }
    const auto told = [](const char* value, const char* why) {
        return Told{value != nullptr ? std::optional<std::string>(value) : std::nullopt, why};
    };
    if (shape.c)
        report(
            session, "subnormal_c",
            told(c, c == one_flushed
                        ? "a subnormal c is lost on the way to a subnormal d; no product is as small as to tell where"
                        : "a subnormal c, alone and beside a product"),
            {alone, normal, beside});
    report(session, "subnormal_d",
           told(d, d != nullptr ? "a subnormal result, of a product or of c"
                   : before_c   ? "a subnormal product is flushed, a subnormal c is not"
                                : "the formats reach no subnormal result, or it is truncated to zero"),
           {first, result, control, alone, normal, beside});
}

/// A second position, if there is one: lane 1, or c.
std::optional<int> second_place(const Shape& shape, bool c_first) {
    if (shape.c && (c_first || shape.K == 1)) return at_c;
    return shape.K > 1 ? std::optional(1) : std::nullopt;
}

void zero_sum(Session& session) {
    const auto other = second_place(session.shape(), false);
    const Answer d = other ? session.ask(session.scene().put(0, power(0)).put(*other, -power(0))) : Answer{};
    Told told{{}, other ? "1 − 1 is not zero" : ""};
    if (d.is_zero()) told = {decode(session.d(), *d.bits).negative ? "-0" : "+0", "1 − 1"};
    report(session, "zero_sum", std::move(told), {d});
}

void overflow(Session& session) {
    const Format& d = session.d();
    const auto other = second_place(session.shape(), true);
    const Amount top = power(d.emax());
    const Answer asked = other ? session.ask(session.scene().put(0, top).put(*other, top)) : Answer{};
    Told told{{}, "the largest products and c do not reach beyond d"};
    if (asked.bits) {
        const Decoded result = decode(d, *asked.bits);
        told.why = sentence("2^", d.emax(), " + 2^", d.emax());
        if (result.number_class == NumberClass::infinite)
            told.value = "infinity";
        else if (result.number_class == NumberClass::nan)
            told.value = "NaN";
        else if (result.exponent == d.emax() && result.significand == d.max_significand())
            told.value = "largest";
    }
    report(session, "overflow", std::move(told), {asked});
}

/// A vector with a quiet NaN somewhere is no sum of amounts: it is made from one.
void nan_bits(Session& session) {
    const Format &a = format(session.shape().a), &d = session.d();
    const bool there = a.has_nan() && d.has_nan();
    const Answer asked = there ? session.ask(session.scene().put(0, power(0)).put_pattern(0, quiet_nan(a))) : Answer{};
    Told told{{}, there ? "with a quiet NaN in a" : "the formats have no NaN"};
    if (asked.bits && decode(d, *asked.bits).number_class == NumberClass::nan) told.value = to_hex(d, *asked.bits);
    report(session, "nan", std::move(told), {asked});
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
