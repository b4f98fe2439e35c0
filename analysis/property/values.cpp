// Properties with a value: the largest n, or the smallest k, for which something holds.
#include "asking.hpp"
#include "theorems.hpp"
#include "tree/errors.hpp"
#include "tree/sizes.hpp"

#include <algorithm>
#include <cmath>

namespace discern::property {

namespace {

/// The largest n that can matter: the widest distance between exponents of two terms.
int widest(const Unit& unit) {
    int low = format(unit.a).emin() + format(unit.b).emin(), high = format(unit.a).emax() + format(unit.b).emax();
    if (unit.scale) {
        low += 2 * format(unit.scale->format).emin();
        high += 2 * format(unit.scale->format).emax();
    }
    if (unit.c) low = std::min(low, format(*unit.c).emin()), high = std::max(high, format(*unit.c).emax());
    return high - low;
}

double in_ulp(std::int64_t k) { return k == half_ulp ? 0.5 : static_cast<double>(k); }

} // namespace

/// Tries n from small to large ones until a vector is found that is not exact; then bisects.
Finding ask_exact_region(const Property&, const Unit& unit, const Options& options) {
    const Asking asking(options);
    const int most = widest(unit);
    const Models models(exact_region(unit, 0).units, Models::Which::evaluator);
    std::optional<Finding> shown; // that `refuted` is too much
    int refuted = most + 1, held = -1;
    const auto look = [&](int n) {
        const Claims claims = exact_region(unit, n);
        const auto w = property::search(claims, models, options.seed, options.tries / 3,
                                        asking.limit().within(std::min(seconds_of_search, options.timeout) / 8));
        if (!w) return false;
        refuted = n;
        shown = asking.refuted(claims, models, *w, "random");
        return true;
    };
    if (!look(0) && options.theorems && is_rounded_once(unit, asking.half()))
        return Asking::proved(by_rounding_once(unit), most);
    if (!shown) held = 0;
    for (int n = 1; n <= most && !shown && !look(n); n = 2 * n) held = n;
    if (!shown) look(most);
    while (refuted - held > 1 && !asking.limit().reached()) {
        const int middle = held + (refuted - held) / 2;
        if (!look(middle)) held = middle;
    }
    Finding f;
    const int sure = options.theorems ? std::min(exact_within(unit).value_or(-1), most) : -1;
    if (shown && refuted == 0 && sure < 0) return *shown;
    if (shown && sure >= refuted) contradict("exact-region", unit);
    if (sure >= 0) f = Asking::proved(by_nothing_lost, sure);
    for (int n = refuted - 1; n > sure && !asking.limit().reached();) {
        const Claims claims = exact_region(unit, n);
        std::optional<Witness> w;
        Basis basis;
        const Outcome outcome = asking.prove_all(claims, asking.half(), w, basis);
        if (outcome == Outcome::unsat) {
            f = Asking::proved(basis, n);
            break;
        }
        if (w) {
            refuted = n;
            shown = asking.refuted(claims, models, std::move(*w), basis.by);
            --n;
        } else {
            n = n > 0 ? n / 2 : -1;
        }
    }
    if (shown && refuted == 0) return *shown;
    if (shown) {
        f.vector = shown->vector;
        f.limit = refuted;
    }
    return f;
}

/// The largest error that random vectors show is a lower bound; then solvers are asked for more until there is none.
Finding ask_max_error(const Property&, const Unit& unit, const Options& options) {
    const Asking asking(options);
    const Claims shape = error_within(unit, half_ulp);
    const Models models(shape.units, Models::Which::evaluator);
    std::int64_t measured = half_ulp;
    std::optional<Finding> shown;
    const auto show = [&](Witness w, const std::string& by) {
        const auto is_beyond = [](const std::optional<std::int64_t>& error) {
            return !error || *error > largest_error;
        };
        const auto error = error_of(models, w.x);
        if (error) measured = std::max(measured, *error);
        const std::int64_t less = measured <= 1 ? half_ulp : measured - 1; // simpler, and still shows as much
        shown = asking.refuted(error_within(unit, is_beyond(error) ? largest_error : less), models, std::move(w), by);
        const auto simple = error_of(models, *shown->vector); // or more
        if (simple) measured = std::max(measured, *simple);
        shown->value = simple ? std::optional(in_ulp(*simple)) : std::nullopt;
        return is_beyond(simple);
    };
    const Limit searching = asking.search_limit();
    for (std::uint64_t round = 0; !searching.reached() && round < 40; ++round) {
        const Claims claims = error_within(unit, measured);
        auto w = property::search(claims, models, options.seed + round, options.tries, searching);
        if (!w) break;
        if (show(std::move(*w), "random")) return *shown;
    }
    Finding f;
    const auto off = options.theorems ? most_numbers_off(unit, largest_error) : std::nullopt;
    if (off) {
        if (measured > *off) contradict("max-error", unit);
        f = Asking::proved(by_few_ulps_lost, in_ulp(*off));
    } else if (options.theorems && is_rounded_once(unit, asking.half())) {
        const Rounding mode = last_rounding(unit).mode;
        const std::int64_t most = is_nearest(mode) ? half_ulp : 1;
        if (measured > most) contradict("max-error", unit);
        return Asking::proved(by_rounding_once(unit), in_ulp(most));
    }
    for (std::int64_t k = measured; k <= largest_error && f.value != in_ulp(k) && !asking.limit().reached();) {
        const Claims claims = error_within(unit, k);
        std::optional<Witness> w;
        Basis basis;
        const Outcome outcome = asking.prove_all(claims, asking.half(), w, basis);
        if (outcome == Outcome::unsat) {
            f = Asking::proved(basis, in_ulp(k));
            if (k <= measured + 1) break;
            k = measured + (k - measured) / 2; // perhaps less will do
            continue;
        }
        if (w) {
            if (show(std::move(*w), basis.by)) return *shown;
            k = measured;
            continue;
        }
        if (f.value) break;
        k = std::max<std::int64_t>(2 * k, 1);
    }
    if (shown) {
        f.vector = shown->vector;
        f.limit = in_ulp(measured);
    }
    return f;
}

/// The bound that the steps of the tree add up to, and the largest that vectors come to.
Finding ask_error_of_terms(const Property& property, const Unit& unit, const Options& options) {
    const Asking asking(options);
    std::optional<double> most;
    if (options.theorems) most = most_ulps_off(unit);
    std::optional<Finding> shown;
    double measured = 0;
    // Exact sums are known as f64, which has to be finer than an ulp by as much as a sum is above its terms.
    if (format(unit.d).mantissa_bits <= 40) {
        const Models models(within_ulps(unit, 0).units, Models::Which::evaluator);
        const Limit searching = asking.search_limit();
        for (std::uint64_t round = 0; !searching.reached() && round < 60; ++round) {
            const Claims claims = within_ulps(unit, measured * 1.0001);
            auto w = property::search(claims, models, options.seed + round, options.tries, searching);
            if (!w) break;
            const double found = ulps_off(models, w->x);
            shown = asking.refuted(within_ulps(unit, found * 0.999), models, std::move(*w), "random");
            measured = std::max(found, ulps_off(models, *shown->vector));
        }
    }
    if (most && measured > *most) contradict(property.name, unit);
    Finding f;
    if (most) f = Asking::proved(by_losses, *most);
    if (shown) {
        f.vector = shown->vector;
        f.limit =
            std::floor(ulps_off(Models(within_ulps(unit, 0).units, Models::Which::oracle), *shown->vector) * 1000) /
            1000;
    }
    return f;
}

} // namespace discern::property
