#include "nearest.hpp"

#include "identify/candidates.hpp"
#include "models/batch.hpp"
#include "models/families.hpp"
#include "models/format.hpp"

#include <algorithm>

namespace discern::identify {

namespace {

constexpr std::size_t at_once = 1000;
constexpr std::size_t looked_at = 40; ///< failing vectors of which one product after the other is left out
constexpr std::size_t enough = 5;     ///< of these, to say anything

/// Patterns in the order of their numbers, −0 beside +0.
std::int64_t place(const Format& f, std::uint64_t pattern) {
    const std::uint64_t sign = 1ull << (f.width - 1);
    const auto magnitude = static_cast<std::int64_t>((pattern & (sign - 1)) >> f.padding_bits);
    return (pattern & sign) != 0 ? -magnitude : magnitude;
}

/// The one product without which the unit is right, on all of the vectors.
std::optional<std::size_t> lane_of(const Unit& unit, const std::vector<Vector>& failing, const Ask& ask) {
    if (failing.size() < enough) return std::nullopt;
    const Evaluator evaluate(unit);
    std::optional<std::size_t> lane;
    for (std::size_t k = 0; k < failing.front().a.size(); ++k) {
        std::vector<Vector> without = failing;
        std::vector<Inputs> batch;
        for (Vector& v : without) {
            v.a[k] = v.b[k] = 0;
            batch.push_back(v.inputs());
        }
        const auto answers = ask(batch);
        std::size_t right = 0;
        for (std::size_t i = 0; i < batch.size(); ++i)
            if (answers[i] && without_nan_bits(unit.d, *answers[i]) == without_nan_bits(unit.d, evaluate(batch[i])))
                ++right;
        if (right < batch.size()) continue;
        if (lane) return std::nullopt;
        lane = k;
    }
    return lane;
}

} // namespace

bool is_finite(const Shape& shape, const Inputs& in) {
    const auto all = [](FormatId id, std::span<const std::uint64_t> patterns) {
        const Format& f = format(id);
        return std::all_of(patterns.begin(), patterns.end(), [&f](std::uint64_t pattern) {
            return decode(f, pattern).number_class == NumberClass::finite;
        });
    };
    const bool scales = !shape.scale || (all(shape.scale->format, in.sa) && all(shape.scale->format, in.sb));
    return all(shape.a, in.a) && all(shape.b, in.b) && scales && (!shape.c || all(*shape.c, std::span(&in.c, 1)));
}

Difference difference_of(const Format& d, std::uint64_t one, std::uint64_t other) {
    const Decoded x = decode(d, one), y = decode(d, other);
    if (x.number_class != NumberClass::finite || y.number_class != NumberClass::finite) return Difference::special;
    if (x.is_zero() && y.is_zero()) return Difference::zero_sign;
    const std::int64_t apart = place(d, one) - place(d, other);
    return apart == 1 || apart == -1 ? Difference::one_ulp : Difference::other;
}

void count_failures(Near& near, const Ask& ask, const Options& options, std::uint64_t vectors, double seconds) {
    const Unit& unit = near.unit;
    const Shape shape = shape_of(unit);
    const Format& d = format(unit.d);
    const Evaluator evaluate(unit);
    const auto start = Limit::Clock::now();
    std::vector<InputGenerator> generators;
    for (const Family family : families) generators.emplace_back(unit, family, options.seed + 177);
    std::vector<Vector> failing;
    std::vector<InputBuffer> buffers(at_once);
    for (std::uint64_t done = 0; done < vectors && seconds_since(start) < seconds && !options.stop.stop_requested();) {
        std::vector<Inputs> batch;
        for (std::size_t i = 0; i < std::min<std::uint64_t>(at_once, vectors - done); ++i) {
            generators[i % generators.size()].next(buffers[i]);
            if (!options.finite || is_finite(shape, buffers[i].inputs())) batch.push_back(buffers[i].inputs());
        }
        done += std::min<std::uint64_t>(at_once, vectors - done);
        const auto answers = ask(batch);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (!answers[i]) continue;
            ++near.of;
            const std::uint64_t one = without_nan_bits(unit.d, *answers[i]);
            const std::uint64_t other = without_nan_bits(unit.d, evaluate(batch[i]));
            if (one == other) continue;
            ++near.mismatches;
            ++near.kinds[static_cast<std::size_t>(difference_of(d, one, other))];
            if (failing.size() < looked_at) failing.push_back(vector_of(shape, batch[i]));
        }
    }
    near.lane = lane_of(unit, failing, ask);
}

} // namespace discern::identify
