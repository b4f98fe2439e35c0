// One property of one unit, being asked about: what all ways to ask have in common.
#pragma once

#include "property.hpp"

#include "prove.hpp"

#include "models/notation.hpp"
#include "models/shape.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace discern::property {

/// At most; the number of tries is the limit where the machine is not busy.
inline constexpr double seconds_of_search = 30;

/// One property of one unit, being asked about.
class Asking {
  public:
    explicit Asking(const Options& options) : options_(options), limit_(Limit::after(options.timeout, options.stop)) {}

    const Limit& limit() const { return limit_; }
    Limit search_limit() const { return limit_.within(std::min(seconds_of_search, options_.timeout / 2)); }
    Limit half() const { return limit_.share(0.5); }

    /// @param tries  random vectors at most
    std::optional<Witness> search(const Claims& claims, const Models& models, std::uint64_t tries) const {
        return property::search(claims, models, options_.seed, tries, search_limit());
    }

    /// Whether all of the claims hold; a witness that was found instead is kept.
    Outcome prove_all(const Claims& claims, const Limit& limit, std::optional<Witness>& witness, Basis& basis) const {
        Outcome all = Outcome::unsat;
        for (std::size_t i = 0; i < claims.all.size() && all == Outcome::unsat; ++i) {
            Proved one = prove(claims.units.front(), claims.all[i], {options_.seed, options_.second}, limit);
            all = one.outcome;
            basis.ground = weakest(basis.ground, one.ground);
            if (one.by.size() > basis.by.size()) basis.by = one.by; // the longest says most
            if (!one.witness) continue;
            witness = std::move(one.witness);
            witness->claim = i;
        }
        return all;
    }

    /// A refutation; the witness is made simple and replayed.
    Finding refuted(const Claims& claims, const Models& models, Witness w, const std::string& by) const {
        w = shrunk(claims, models, std::move(w), by);
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

    static Finding proved(const Basis& basis, std::optional<double> value = std::nullopt) {
        Finding f;
        f.verdict = Verdict::proved;
        f.value = value;
        f.by = basis.by;
        f.ground = basis.ground;
        return f;
    }

  private:
    const Options& options_;
    Limit limit_;
};

/// A theorem has said what a vector says is not so.
[[noreturn]] inline void contradict(std::string_view property, const Unit& unit) {
    throw std::logic_error(std::string(property) + ": a vector refutes what the tree proves: " + to_string(unit));
}

// Properties that have a value.
Finding ask_exact_region(const Property& property, const Unit& unit, const Options& options);
Finding ask_max_error(const Property& property, const Unit& unit, const Options& options);
Finding ask_error_of_terms(const Property& property, const Unit& unit, const Options& options);

} // namespace discern::property
