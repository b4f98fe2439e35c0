// The table of properties, and how the claims of one become a finding.
#include "property.hpp"

#include "asking.hpp"
#include "theorems.hpp"

#include "models/error.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"
#include "solver/decide/part.hpp"

#include <algorithm>
#include <array>

namespace discern::property {

namespace {

/// A witness for one block as a witness for the whole unit, if it is one.
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
    const Asking asking(options);
    const Claims claims = property.claims(unit, Scope::unit);
    const Models models(claims.units, Models::Which::evaluator);
    const auto theorem = [&](const std::optional<Limit>& terms) {
        return options.theorems ? theorem_for(property.name, unit, terms) : std::nullopt;
    };
    const std::optional<Basis> known = theorem(std::nullopt);
    if (auto w = asking.search(claims, models, known ? options.tries / 10 : options.tries)) {
        if (known) contradict(property.name, unit);
        return asking.refuted(claims, models, std::move(*w), "random");
    }
    if (known) return Asking::proved(*known);
    if (const auto by = theorem(asking.half())) return Asking::proved(*by);
    std::optional<Witness> witness;
    Basis basis;
    if (const auto part = property.blocks_inherit ? part_of(unit, unit.tree) : std::nullopt) {
        const Claims of_block = property.claims(*part, Scope::block);
        const Outcome outcome = asking.prove_all(of_block, asking.half(), witness, basis);
        if (outcome == Outcome::unsat) {
            if (unit.blocks() > 1) basis.by += ", one block";
            return Asking::proved(basis);
        }
        if (witness)
            if (auto whole = in_unit(claims, models, unit, *part, *witness))
                return asking.refuted(claims, models, std::move(*whole), basis.by + ", one block");
        witness.reset();
        basis = {};
    }
    const Outcome outcome = asking.prove_all(claims, asking.limit(), witness, basis);
    if (outcome == Outcome::unsat) return Asking::proved(basis);
    if (witness) return asking.refuted(claims, models, std::move(*witness), basis.by);
    return {};
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
    {"no-false-overflow",
     "d of finite inputs is finite unless the exact result is beyond the largest number, and always in a format "
     "without infinity",
     always, ask_claims, no_false_overflow, false},
    {"specials", "d is infinite or NaN as IEEE 754 has it of infinite and NaN inputs, and never NaN of finite ones",
     always, ask_claims, specials, false},
    {"zero-neutral", "a product of 0 and x changes d no more than one of 0 and 0", always, ask_claims, zero_neutral,
     true},
    {"split", "K in two halves, the second one on top of the first, gives the same d", no_split, ask_claims, split,
     false},
    {"carry-bits", "no register of a sum wraps so that it shows: d is the same with any larger number of carry bits",
     no_carry_bits, ask_claims, carry_bits, true},
    {"max-error", "d is at most the k-th number from the exact result", always, ask_max_error, nullptr, false},
    {"error-of-terms", "d is at most k ulps of the largest term from the exact sum", always, ask_error_of_terms,
     nullptr, false},
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
