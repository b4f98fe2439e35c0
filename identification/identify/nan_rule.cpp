// Vectors that give NaN with and without payloads, and the rule that agrees with all of the NaN observed.
#include "nan_rule.hpp"

#include "zeros.hpp"

#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/format.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace discern::identify {

namespace {

std::uint64_t infinity(const Format& f, bool negative) {
    return pack(f, {.number_class = NumberClass::infinite, .negative = negative});
}
std::uint64_t nan(const Format& f, bool negative, std::uint64_t payload) {
    return pack(f, {.number_class = NumberClass::nan, .negative = negative, .payload = payload});
}

/// Those by which a result depends on what a NaN of the operands carries.
constexpr std::array rules_that_keep = {NanRule::Kind::propagate, NanRule::Kind::rdna};

/// Nothing if the unit cannot have the rule.
std::optional<Unit> with_rule(Unit unit, NanRule::Kind kind) {
    unit.nan = {kind, 0};
    try {
        validate(unit);
    } catch (const Error&) {
        return std::nullopt;
    }
    return unit;
}

} // namespace

std::vector<Vector> nan_vectors(const Shape& shape) {
    const Format &a = format(shape.a), &b = format(shape.b);
    const Format* c = shape.c ? &format(*shape.c) : nullptr;
    Vector plain = zeros_of(shape);
    std::ranges::fill(plain.a, one(a));
    std::ranges::fill(plain.b, one(b));
    if (c != nullptr) plain.c = one(*c);
    std::vector<Vector> vectors;
    const auto add = [&](auto change) {
        vectors.push_back(plain);
        change(vectors.back());
    };
    const bool ieee_a = a.specials == Specials::ieee && a.mantissa_bits > 1;
    const bool ieee_b = b.specials == Specials::ieee && b.mantissa_bits > 1;
    const std::size_t last = plain.a.size() - 1;
    // The first few show whether there is more than one NaN: two that operands bring, and one that is made.
    if (a.has_nan()) add([&](Vector& v) { v.a[0] = ieee_a ? nan(a, true, 1) : quiet_nan(a); });
    if (c != nullptr && c->has_nan())
        add([&](Vector& v) { v.c = nan(*c, true, (1ull << (c->mantissa_bits - 1)) | 5); });
    if (a.has_infinity()) add([&](Vector& v) { v.a[0] = infinity(a, false), v.b[0] = 0; });
    if (b.has_nan())
        add([&](Vector& v) { v.b[last] = ieee_b ? nan(b, false, (1ull << (b.mantissa_bits - 1)) | 2) : quiet_nan(b); });
    if (ieee_a && c != nullptr && c->has_nan())
        add([&](Vector& v) { v.a[last] = nan(a, false, 3), v.c = nan(*c, true, 6); });
    if (ieee_a && ieee_b) add([&](Vector& v) { v.a[0] = nan(a, true, 2), v.b[0] = nan(b, false, 3); });
    if (a.has_infinity() && c != nullptr && c->has_infinity())
        add([&](Vector& v) { v.a[0] = infinity(a, false), v.c = infinity(*c, true); });
    if (a.has_infinity() && c != nullptr && c->has_nan())
        add([&](Vector& v) { v.a[0] = infinity(a, false), v.b[0] = 0, v.c = nan(*c, false, 7); });
    return vectors;
}

bool is_own_nan(const Unit& unit, const Vector& observed) {
    const std::uint64_t d = observed.d.front();
    if (decode(format(unit.d), d).number_class != NumberClass::nan) return false;
    return std::ranges::none_of(rules_that_keep, [&](NanRule::Kind kind) {
        const auto kept = with_rule(unit, kind);
        return kept && Evaluator(*kept)(observed.inputs()) == d;
    });
}

NanRule nan_rule(const Unit& unit, const std::vector<const Vector*>& observations) {
    const Format& d = format(unit.d);
    std::set<std::uint64_t> patterns;
    for (const Vector* v : observations)
        if (decode(d, v->d.front()).number_class == NumberClass::nan) patterns.insert(v->d.front());
    if (patterns.size() == 1) return {NanRule::Kind::pattern, *patterns.begin()};
    if (patterns.empty()) return {};
    for (const NanRule::Kind kind : rules_that_keep) {
        const auto kept = with_rule(unit, kind);
        if (!kept) continue;
        const Evaluator evaluate(*kept);
        if (std::ranges::all_of(observations, [&](const Vector* v) { return evaluate(v->inputs()) == v->d.front(); }))
            return kept->nan;
    }
    return {};
}

} // namespace discern::identify
