// See property.hpp.
#include "property.hpp"

#include "prove.hpp"
#include "theorems.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"
#include "solver/decide/part.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace discern::property {

namespace {

constexpr double seconds_of_search = 10; ///< at most; the number of tries is the limit where the machine is not busy

Limit sooner(const Limit& limit, double seconds) {
    Limit one = Limit::after(seconds, limit.stop);
    one.end = std::min(one.end, limit.end);
    return one;
}

/// One property of one unit, being asked about.
class Asking {
  public:
    Asking(const Unit& unit, const Options& options)
        : unit_(unit), options_(options), limit_(Limit::after(options.timeout, options.stop)) {}

    const Limit& limit() const { return limit_; }
    Limit search_limit() const { return sooner(limit_, std::min(seconds_of_search, options_.timeout / 4)); }
    Limit half() const { return sooner(limit_, limit_.seconds_left() / 2); }
    Proving proving() const { return {options_.seed, options_.second}; }
    const Options& options() const { return options_; }

    std::optional<Witness> search(const Claims& claims, const Models& models) const {
        return property::search(claims, models, options_.seed, options_.tries, search_limit());
    }

    /// Whether all of the claims hold; a witness that was found instead is kept.
    Outcome prove_all(const Claims& claims, const Limit& limit, std::optional<Witness>& witness,
                      std::string& by) const {
        Outcome all = Outcome::unsat;
        for (std::size_t i = 0; i < claims.all.size() && all == Outcome::unsat; ++i) {
            Proved one = prove(claims.units.front(), claims.all[i], proving(), limit);
            all = one.outcome;
            if (one.by.size() > by.size() || by.empty()) by = one.by; // the longest says most
            if (!one.witness) continue;
            witness = std::move(one.witness);
            witness->claim = i;
        }
        return all;
    }

    /// A refutation; the witness is made simple and replayed.
    Finding refuted(const Claims& claims, const Models& models, Witness w, const std::string& by) const {
        require_replay(claims, w, by);
        w = shrunk(claims, models, std::move(w));
        require_replay(claims, w, by);
        Finding f;
        f.verdict = Verdict::refuted;
        f.by = by;
        f.what = claims.all[w.claim].what;
        f.vector = w.x;
        f.vector->d = {models(0, w.x)};
        f.other_shape = shape_of(claims.units[claims.other_unit]);
        if (w.y) {
            f.other = w.y;
            f.other->d = {models(claims.other_unit, *w.y)};
        }
        return f;
    }

    static Finding proved(const std::string& by) {
        Finding f;
        f.verdict = Verdict::proved;
        f.by = by;
        return f;
    }

  private:
    const Unit& unit_;
    const Options& options_;
    Limit limit_;
};

/// What a block shows, in the whole unit.
std::optional<Witness> in_unit(const Claims& claims, const Models& models, const Unit& unit, const Unit& part,
                               const Witness& w) {
    std::vector<Vector> xs, ys;
    const auto all = [&](const Vector& v, std::vector<Vector>& into) {
        visit_in_unit(unit, part, v, [&](const Vector& whole) {
            into.push_back(whole);
            return true;
        });
    };
    all(w.x, xs);
    all(w.y.value_or(w.x), ys);
    for (std::size_t i = 0; i < xs.size(); ++i)
        for (std::size_t c = 0; c < claims.all.size(); ++c) {
            Witness whole{xs[i], std::nullopt, c};
            if (claims.all[c].follow) whole.y = claims.all[c].follow(models, xs[i], ys[i]);
            if (violates(claims, models, whole)) return whole;
        }
    return std::nullopt;
}

Finding ask_claims(const Property& property, const Unit& unit, const Options& options) {
    const Asking asking(unit, options);
    const Claims claims = property.claims(unit, Scope::unit);
    const Models models(claims.units, Models::Which::evaluator);
    if (auto w = asking.search(claims, models)) {
        if (!theorem_for(property.name, unit, true).empty())
            throw std::logic_error(std::string(property.name) +
                                   ": a vector refutes what the tree proves: " + to_string(unit));
        return asking.refuted(claims, models, std::move(*w), "random");
    }
    if (const std::string by = theorem_for(property.name, unit); !by.empty()) return Asking::proved(by);
    std::optional<Witness> witness;
    std::string by;
    if (const auto part = property.blocks_inherit ? part_of(unit, unit.tree) : std::nullopt) {
        const Claims of_block = property.claims(*part, Scope::block);
        const Outcome outcome = asking.prove_all(of_block, asking.half(), witness, by);
        if (outcome == Outcome::unsat) return Asking::proved(by + (unit.blocks() > 1 ? ", one block" : ""));
        if (witness)
            if (auto whole = in_unit(claims, models, unit, *part, *witness))
                return asking.refuted(claims, models, std::move(*whole), by + ", one block");
        witness.reset();
        by.clear();
    }
    const Outcome outcome = asking.prove_all(claims, asking.limit(), witness, by);
    if (outcome == Outcome::unsat) return Asking::proved(by);
    if (witness) return asking.refuted(claims, models, std::move(*witness), by);
    return {};
}

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

/// From small n to large ones until a vector is found that is not exact; then between.
Finding ask_exact_region(const Property&, const Unit& unit, const Options& options) {
    const Asking asking(unit, options);
    const int most = widest(unit);
    if (is_rounded_once(unit)) {
        Finding f = Asking::proved(by_rounded_once);
        f.value = most;
        return f;
    }
    const Models models(exact_region(unit, 0).units, Models::Which::evaluator);
    std::optional<Finding> shown; // that `refuted` is too much
    int refuted = most + 1, held = -1;
    const auto look = [&](int n) {
        const Claims claims = exact_region(unit, n);
        const auto w = property::search(claims, models, options.seed, options.tries / 3,
                                        sooner(asking.limit(), std::min(seconds_of_search, options.timeout) / 4));
        if (!w) return false;
        refuted = n;
        shown = asking.refuted(claims, models, *w, "random");
        return true;
    };
    for (int n = 0; n <= most && !look(n); n = n == 0 ? 1 : 2 * n) held = n;
    if (refuted > most) look(most);
    while (refuted - held > 1 && !asking.limit().reached()) {
        const int middle = held + (refuted - held) / 2;
        if (!look(middle)) held = middle;
    }
    Finding f;
    const int sure = exact_within(unit).value_or(-1);
    if (sure >= refuted)
        throw std::logic_error("exact-region: a vector refutes what the tree proves: " + to_string(unit));
    if (sure >= 0) {
        f = Asking::proved(by_nothing_cut);
        f.value = sure;
    }
    for (int n = refuted - 1; n > sure && !asking.limit().reached();) {
        const Claims claims = exact_region(unit, n);
        std::optional<Witness> w;
        std::string by;
        const Outcome outcome = asking.prove_all(claims, asking.half(), w, by);
        if (outcome == Outcome::unsat) {
            f = Asking::proved(by);
            f.value = n;
            break;
        }
        if (w) {
            refuted = n;
            shown = asking.refuted(claims, models, std::move(*w), by);
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

double in_ulp(std::int64_t k) { return k == half_ulp ? 0.5 : static_cast<double>(k); }

/// The largest error that random vectors show is a lower bound; then solvers are asked for more until there is none.
Finding ask_max_error(const Property&, const Unit& unit, const Options& options) {
    const Asking asking(unit, options);
    const Claims shape = error_within(unit, half_ulp);
    const Models models(shape.units, Models::Which::evaluator);
    std::int64_t measured = half_ulp;
    std::optional<Finding> shown;
    const auto show = [&](Witness w, const std::string& by) {
        const auto error = error_of(models, w.x);
        const bool is_beyond = !error || *error > largest_error;
        if (error) measured = std::max(measured, *error);
        const std::int64_t less = measured <= 1 ? half_ulp : measured - 1; // simpler, and still shows as much
        shown = asking.refuted(error_within(unit, is_beyond ? largest_error : less), models, std::move(w), by);
        const auto simple = error_of(models, *shown->vector);
        shown->value = simple ? std::optional(in_ulp(*simple)) : std::nullopt;
        return is_beyond;
    };
    const Limit searching = asking.search_limit();
    for (std::uint64_t round = 0; !searching.reached() && round < 40; ++round) {
        const Claims claims = error_within(unit, measured);
        auto w = property::search(claims, models, options.seed + round, options.tries, searching);
        if (!w) break;
        if (show(std::move(*w), "random")) return *shown;
    }
    if (is_rounded_once(unit)) {
        const Rounding mode = last_rounding(unit).mode;
        const std::int64_t most = mode == Rounding::rne || mode == Rounding::rna ? half_ulp : 1;
        if (measured > most)
            throw std::logic_error("max-error: a vector refutes what the tree proves: " + to_string(unit));
        Finding f = Asking::proved(by_rounded_once);
        f.value = in_ulp(most);
        return f;
    }
    Finding f;
    for (std::int64_t k = measured; k <= largest_error && !asking.limit().reached();) {
        const Claims claims = error_within(unit, k);
        std::optional<Witness> w;
        std::string by;
        const Outcome outcome = asking.prove_all(claims, asking.half(), w, by);
        if (outcome == Outcome::unsat && k > measured + 1 && f.value != in_ulp(k)) { // perhaps less will do
            f = Asking::proved(by);
            f.value = in_ulp(k);
            k = measured + (k - measured) / 2;
            continue;
        }
        if (outcome == Outcome::unsat) {
            f = Asking::proved(by);
            f.value = in_ulp(k);
            break;
        }
        if (w) {
            if (show(std::move(*w), by)) return *shown;
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

std::string always(const Unit&) { return ""; }

constexpr auto table = std::to_array<Property>({
    {"negation", "-a and -c give -d; zeros of either sign count as one", always, ask_claims, negation, true},
    {"swap", "a and b exchanged, formats and scales too, give the same d", no_swap, ask_claims, swap, true},
    {"order-in-block", "two products of one block exchanged give the same d", no_order_in_block, ask_claims,
     order_in_block, true},
    {"order-across-blocks", "two products of different blocks exchanged give the same d", no_order_across_blocks,
     ask_claims, order_across_blocks, false},
    {"monotonic", "a larger product never lowers d", always, ask_claims, monotonic, true},
    {"faithful", "d is the exact result or one of its two neighbours", always, ask_claims, faithful, false},
    {"exact-region", "d is the exact sum rounded once while the exponents of all terms lie within n", always,
     ask_exact_region, nullptr, false},
    {"no-false-overflow", "d of finite inputs is finite unless the exact result is beyond the largest number", always,
     ask_claims, no_false_overflow, false},
    {"specials", "d is infinite or NaN as IEEE 754 has it of infinite and NaN inputs, and never NaN of finite ones",
     always, ask_claims, specials, false},
    {"zero-neutral", "a product of 0 and x changes d no more than one of 0 and 0", always, ask_claims, zero_neutral,
     true},
    {"split", "K in two halves, the second one on top of the first, gives the same d", no_split, ask_claims, split,
     false},
    {"max-error", "d is at most the k-th number from the exact result", always, ask_max_error, nullptr, false},
});

} // namespace

std::string_view name(Verdict verdict) {
    static constexpr std::string_view names[] = {"proved", "refuted", "unknown"};
    return names[static_cast<std::size_t>(verdict)];
}

std::span<const Property> properties() { return table; }

const Property& require_property(std::string_view wanted) {
    std::vector<std::string> names;
    for (const Property& p : table) {
        if (p.name == wanted) return p;
        names.emplace_back(p.name);
    }
    std::string all;
    for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
    throw Error(sentence("there is no property ", excerpt(wanted), did_you_mean(wanted, names), "; there are ", all));
}

} // namespace discern::property
