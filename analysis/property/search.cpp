// Searches with random inputs of all families and the claim's own proposals, and simplifies what is found.
#include "search.hpp"

#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/shape.hpp"
#include "models/stimulus/probes/probes.hpp"
#include "models/vectors/mixture.hpp"
#include "solver/witness/shrink.hpp"

#include <stdexcept>

namespace discern::property {

namespace {

const Vector& second(const Witness& w) { return w.y ? *w.y : w.x; }

/// @throws std::logic_error with units and vectors if the witness does not hold
void require_replay(const Claims& claims, const Witness& w, const std::string& by) {
    const Models one(claims.units, Models::Which::evaluator), other(claims.units, Models::Which::oracle);
    const auto same_results = [&](std::size_t unit, const Vector& v) {
        return same_result(claims.units[unit], one(unit, v), other(unit, v));
    };
    bool agree = !w.y || same_results(claims.other_unit, *w.y);
    for (std::size_t i = 0; i < claims.units.size(); ++i)
        agree = agree && (shape_of(claims.units[i]) != shape_of(claims.units.front()) || same_results(i, w.x));
    if (agree && violates(claims, one, w) && violates(claims, other, w)) return;
    const Shape shape = shape_of(claims.units.front()), shape_of_y = shape_of(claims.units[claims.other_unit]);
    throw std::logic_error("a vector found by '" + by +
                           "' does not hold when it is replayed: " + to_string(claims.units.front()) + " " +
                           to_json(shape, w.x) + (w.y ? " " + to_json(shape_of_y, *w.y) : ""));
}

} // namespace

bool violates(const Claims& claims, const Models& models, const Witness& w) {
    return claims.all[w.claim].violated(models, w.x, second(w));
}

std::optional<Witness> search(const Claims& claims, const Models& models, std::uint64_t seed, std::uint64_t tries,
                              const Limit& limit) {
    if (claims.all.empty()) return std::nullopt;
    const Unit& unit = claims.units.front();
    const Shape shape = shape_of(unit);
    InputMixture mixture(unit, seed);
    ProbeMaker probes(shape, seed);
    Random random(seed);
    InputBuffer buffer;
    for (std::uint64_t i = 0; i < tries; ++i) {
        if (i % 64 == 0 && limit.reached()) break;
        if (i % 2 == 1)
            buffer = probes.make(static_cast<Probe>(i / 2 % probe_kinds), unit);
        else
            mixture.next(buffer);
        Witness w{vector_of(shape, buffer.inputs()), std::nullopt,
                  static_cast<std::size_t>(random.below(static_cast<int>(claims.all.size())))};
        const Claim& claim = claims.all[w.claim];
        Vector y = w.x;
        if (claim.propose) claim.propose(w.x, y, random);
        if (claim.follow) w.y = claim.follow(models, w.x, y);
        if (violates(claims, models, w)) return w;
    }
    return std::nullopt;
}

Witness shrunk(const Claims& claims, const Models& models, Witness w, const std::string& by) {
    require_replay(claims, w, by);
    const Claim& claim = claims.all[w.claim];
    const auto still_violates = [&](const Vector& x) {
        Witness next{x, w.y, w.claim};
        if (claim.follow) next.y = claim.follow(models, x, second(w));
        if (!violates(claims, models, next)) return false;
        w = std::move(next); // the vector that is tried next begins with this one
        return true;
    };
    simplified(claims.units.front(), w.x, still_violates);
    require_replay(claims, w, by);
    return w;
}

} // namespace discern::property
