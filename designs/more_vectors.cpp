// Changes of one or two operands of vectors that are known, by turns with random vectors.
#include "more_vectors.hpp"

#include "designs/clocked/patterns.hpp"

#include "models/format.hpp"
#include "solver/witness/kinds.hpp"
#include "solver/witness/shrink.hpp"

#include <set>

namespace discern::rtl {

namespace {

constexpr double share_of_time = 0.3; ///< that is left
constexpr int most_tries = 200'000;

/// Another pattern near one: a bit, its sign, or one of the few numbers beside it.
std::uint64_t near(std::uint64_t pattern, int width, Random& random) {
    const std::uint64_t mask = width >= 64 ? ~0ull : (1ull << width) - 1;
    switch (random.below(3)) {
    case 0: return pattern ^ (1ull << random.below(width));
    case 1: return pattern ^ (1ull << (width - 1));
    default: return (pattern + random.below(5) - 2) & mask;
    }
}

} // namespace

std::vector<Vector> vectors_of_other_kinds(const Unit& unit, const Vector& first, std::size_t count,
                                           const std::function<bool(const Vector&)>& differs, std::uint64_t seed,
                                           const Limit& limit) {
    const Limit sooner = limit.share(share_of_time);
    Random random(seed + 61);
    Stream stream(unit, seed + 62);
    const Shape shape = shape_of(unit);
    std::set<Kind> kinds = {kind_of(unit, first.inputs())};
    std::vector<Vector> known = {first}, found;
    const auto changed = [&] {
        Vector v = known[static_cast<std::size_t>(random.below(static_cast<int>(known.size())))];
        v.clear_results();
        const int changes = 1 + static_cast<int>(random.below(3));
        for (int i = 0; i < changes; ++i) {
            const auto k = static_cast<std::size_t>(random.below(unit.K));
            switch (random.below(4)) {
            case 0: v.a[k] = near(v.a[k], format(unit.a).width, random); break;
            case 1: v.b[k] = near(v.b[k], format(unit.b).width, random); break;
            case 2: {
                const InputBuffer& other = stream.next();
                v.a[k] = other.a[k];
                v.b[k] = other.b[k];
                break;
            }
            default:
                if (v.c) v.c = near(*v.c, format(*unit.c).width, random);
            }
        }
        return v;
    };
    for (int i = 0; i < most_tries && found.size() < count && !sooner.reached(); ++i) {
        Vector v = i % 2 == 0 ? changed() : vector_of(shape, stream.next().inputs());
        const auto is_new = [&](const Vector& x) { return !kinds.contains(kind_of(unit, x.inputs())) && differs(x); };
        if (!is_new(v)) continue;
        v = simplified(unit, std::move(v), [&](const Vector& x) { return !sooner.reached() && is_new(x); });
        kinds.insert(kind_of(unit, v.inputs()));
        known.push_back(v);
        found.push_back(std::move(v));
    }
    return found;
}

} // namespace discern::rtl
