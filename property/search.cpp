// See search.hpp.
#include "search.hpp"

#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/shape.hpp"
#include "models/vectors/mixture.hpp"
#include "stimulus/probes/probes.hpp"

#include <stdexcept>

namespace discern::property {

namespace {

const Vector& second(const Witness& w) { return w.y ? *w.y : w.x; }

/// Greedy, in passes, until a pass changes nothing: zeros, then ones, then shorter significands and no signs.
class Shrinker {
  public:
    Shrinker(const Claims& claims, const Models& models, Witness w)
        : claims_(claims), claim_(claims.all[w.claim]), models_(models), w_(std::move(w)) {}

    Witness run() {
        const Unit& unit = claims_.units.front();
        do {
            changed_ = false;
            for (std::size_t k = 0; k < w_.x.a.size(); ++k) try_with([k](Vector& v) { v.a[k] = v.b[k] = 0; });
            if (w_.x.c) try_with([](Vector& v) { v.c = 0; });
            for (std::size_t k = 0; k < w_.x.a.size(); ++k) {
                simplify(format(unit.b), [k](Vector& v) -> std::uint64_t& { return v.b[k]; });
                simplify(format(unit.a), [k](Vector& v) -> std::uint64_t& { return v.a[k]; });
            }
            for (std::size_t s = 0; s < w_.x.sa.size(); ++s) {
                simplify(format(unit.scale->format), [s](Vector& v) -> std::uint64_t& { return v.sa[s]; });
                simplify(format(unit.scale->format), [s](Vector& v) -> std::uint64_t& { return v.sb[s]; });
            }
            if (w_.x.c) simplify(format(*unit.c), [](Vector& v) -> std::uint64_t& { return *v.c; });
        } while (changed_);
        return std::move(w_);
    }

  private:
    template <typename Change>
    bool try_with(Change change) {
        Witness next = w_;
        change(next.x);
        if (next.x.same_inputs(w_.x)) return false;
        if (claim_.follow) next.y = claim_.follow(models_, next.x, second(w_));
        if (!violates(claims_, models_, next)) return false;
        w_ = std::move(next);
        return changed_ = true;
    }

    /// Every step goes to a pattern of which there are finitely many before: 1, no sign, fewer bits.
    template <typename At>
    void simplify(const Format& f, At at) {
        const std::uint64_t pattern = at(w_.x), one = static_cast<std::uint64_t>(f.bias)
                                                      << (f.mantissa_bits + f.padding_bits);
        if (pattern == 0 || pattern == one) return;
        const auto replace = [&](std::uint64_t with) { return try_with([&](Vector& v) { at(v) = with; }); };
        if (replace(one)) return;
        if (f.is_signed) replace(at(w_.x) & ((1ull << (f.width - 1)) - 1));
        const int places = f.mantissa_bits + f.padding_bits;
        for (int cut = places; cut > 0; --cut)
            if (const std::uint64_t kept = at(w_.x) >> cut << cut; kept != at(w_.x) && replace(kept)) break;
        for (int i = places; i-- > 0;)
            if (((at(w_.x) >> i) & 1) != 0) replace(at(w_.x) & ~(1ull << i));
    }

    const Claims& claims_;
    const Claim& claim_;
    const Models& models_;
    Witness w_;
    bool changed_ = false;
};

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

Witness shrunk(const Claims& claims, const Models& models, Witness w) {
    return Shrinker(claims, models, std::move(w)).run();
}

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

} // namespace discern::property
