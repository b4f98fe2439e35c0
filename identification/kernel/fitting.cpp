// Which scales and roundings follow a sum: each way is tried, with the numbers of f32 that alpha can be.
//
// A result grows with alpha where its sum is positive, and falls where it is negative. So each result bounds alpha on
// both sides, and the numbers between the bounds are those that give all results.
#include "epilogue.hpp"

#include "identification/identify/zeros.hpp"
#include "models/format.hpp"
#include "models/random.hpp"
#include "models/vectors.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace discern::kernels {

namespace {

/// Finite numbers of f32 by whole numbers in the same order.
float at_place(std::int64_t i) { return std::bit_cast<float>(static_cast<std::uint32_t>(i >= 0 ? i : 0x80000000 - i)); }
constexpr std::int64_t most_places = 0x7f7fffff;

/// Results in order: where there is no infinity, NaN stands for one.
double ordered(FormatId d, std::uint64_t bits, float sum_sign) {
    const double y = to_double(format(d), bits);
    return std::isnan(y) ? std::copysign(HUGE_VAL, sum_sign) : y;
}

/// The first place in (low, high] for which the predicate holds; high + 1 if there is none.
template <typename Holds>
std::int64_t first_that(std::int64_t low, std::int64_t high, const Holds& holds) {
    ++high;
    while (low < high) {
        const std::int64_t middle = low + (high - low) / 2;
        if (holds(middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

bool gives_all(const Epilogue& e, std::span<const Seen> seen) {
    return std::ranges::all_of(seen, [&](const Seen& one) {
        const std::uint64_t d = e(one.sum);
        if (d == one.d) return true;
        return !e.nan && std::isnan(to_double(format(e.d), d)) && std::isnan(to_double(format(e.d), one.d));
    });
}

/// The number between two of one sign whose significand has the fewest digits.
float fewest_digits(std::int64_t low, std::int64_t high) {
    if (low <= 0 && high >= 0) return 0;
    if (high < 0) return -fewest_digits(-high, -low);
    for (int digits = 23; digits > 0; --digits)
        if (const std::int64_t cut = high >> digits << digits; cut >= low) return at_place(cut);
    return at_place(high);
}

/// The way with all that alpha can be.
std::optional<Fitting> with_alpha(Epilogue e, std::span<const Seen> seen) {
    std::int64_t low = -most_places, high = most_places;
    for (const Seen& one : seen) {
        if (one.sum == 0 || !std::isfinite(one.sum)) continue;
        const double wanted = ordered(e.d, one.d, one.sum);
        if (std::isnan(to_double(format(e.d), one.d)) && format(e.d).has_infinity()) return std::nullopt;
        const auto value = [&](std::int64_t i) {
            e.alpha = at_place(i);
            const float product = one.sum * e.alpha;
            return ordered(e.d, e(one.sum), product);
        };
        const bool grows = one.sum > 0;
        low = first_that(low, high, [&](std::int64_t i) { return grows ? value(i) >= wanted : value(i) <= wanted; });
        high = first_that(low, high, [&](std::int64_t i) { return grows ? value(i) > wanted : value(i) < wanted; }) - 1;
        if (low > high) return std::nullopt;
    }
    e.alpha = fewest_digits(low, high);
    if (!gives_all(e, seen)) return std::nullopt;
    return Fitting{e, at_place(low), at_place(high)};
}

/// Two factors, one after the other, of results in f32: the first from 1 to 2, since a power of two changes no digit.
/// Adds all that give what was seen; none if there are too many.
void add_two_factors(Epilogue e, std::span<const Seen> seen, std::vector<Fitting>& ways) {
    constexpr std::size_t most = 16;
    const auto unit = std::ranges::find_if(seen, [](const Seen& one) { return one.sum == 1; });
    if (unit == seen.end()) return;
    const double both = to_double(format(e.d), unit->d) - e.bias;
    if (!std::isfinite(both) || both == 0) return;
    std::vector<Fitting> pairs;
    for (std::uint32_t bits = 0x3f800000; bits < 0x40000000; ++bits) {
        e.alpha = std::bit_cast<float>(bits);
        const auto other = static_cast<float>(both / e.alpha);
        for (const float second : {other, std::nextafter(other, 0.0F), std::nextafter(other, 2 * other)}) {
            e.second = second;
            if (!gives_all(e, seen)) continue;
            pairs.push_back({e, e.alpha, e.alpha});
            if (pairs.size() > most) return;
        }
    }
    ways.insert(ways.end(), pairs.begin(), pairs.end());
}

constexpr std::size_t first_sums = 400, more_sums = 40;
constexpr int rounds_of_more = 12;

/// Products of few digits at the first two places of a vector, whose sum is exact in every order and every unit.
class ExactSums {
  public:
    ExactSums(const Shape& shape, std::uint64_t seed)
        : shape_(shape), random_(seed), base_(identify::zeros_of(shape)) {}

    /// +0, and 1.
    std::pair<Vector, float> plain(bool is_one) const {
        Vector v = base_;
        if (is_one) {
            v.a[0] = one(format(shape_.a));
            v.b[0] = one(format(shape_.b));
        }
        return {v, is_one ? 1.0F : 0.0F};
    }
    std::pair<Vector, float> next() {
        const Format &a = format(shape_.a), &b = format(shape_.b);
        // Sums that results of f32 can still show: within 2^±60.
        const int lowest = std::max(a.emin() + b.emin(), -60), highest = std::min(a.emax() + b.emax(), 60);
        const int top = random_.between(std::min(lowest + below_, highest), highest);
        Vector v = base_;
        const double first = product(v, 0, top),
                     second = random_.one_in(4) ? 0 : product(v, 1, top - random_.between(0, below_));
        return {v, static_cast<float>(first + second)};
    }

  private:
    static constexpr int below_ = 5; ///< how far the second product is below the first

    /// Puts a product of about 2^exponent there.
    double product(Vector& v, std::size_t k, int exponent) {
        const Format &a = format(shape_.a), &b = format(shape_.b);
        exponent = std::max(exponent, a.emin() + b.emin());
        const int of_a =
            random_.between(std::max(a.emin(), exponent - b.emax()), std::min(a.emax(), exponent - b.emin()));
        v.a[k] = few_digits(a, of_a);
        v.b[k] = few_digits(b, exponent - of_a);
        return to_double(a, v.a[k]) * to_double(b, v.b[k]);
    }
    std::uint64_t few_digits(const Format& f, int exponent) {
        const int free = std::min(f.mantissa_bits, 3);
        const bool negative = f.is_signed && random_.one_in(2);
        const auto digits = static_cast<std::uint64_t>(random_.below(1 << free));
        const std::uint64_t significand = (1ull << f.mantissa_bits) + (digits << (f.mantissa_bits - free));
        const bool fits = exponent < f.emax() || significand <= f.max_significand();
        return pack(
            f,
            {.negative = negative, .significand = fits ? significand : 1ull << f.mantissa_bits, .exponent = exponent});
    }

    const Shape& shape_;
    Random random_;
    Vector base_;
};

void ask_for(const Ask& ask, std::span<const std::pair<Vector, float>> sums, std::vector<Seen>& seen) {
    std::vector<Inputs> batch;
    for (const auto& [vector, sum] : sums) batch.push_back(vector.inputs());
    const auto answers = ask(batch);
    for (std::size_t i = 0; i < sums.size(); ++i)
        if (answers[i]) seen.push_back({sums[i].second, *answers[i]});
}

} // namespace

std::vector<Fitting> fitting(FormatId d, std::span<const Seen> seen) {
    Epilogue plain;
    plain.d = d;
    for (const Seen& one : seen) {
        const bool is_nan = std::isnan(to_double(format(d), one.d));
        if (std::isnan(one.sum) && is_nan) plain.nan = one.d;
        if (one.sum == 0 && !is_nan) plain.bias = static_cast<float>(to_double(format(d), one.d));
    }
    std::vector<Epilogue> ways;
    const bool narrow = d != FormatId::f32, can_saturate = format(d).width <= 8;
    for (const bool saturates : {true, false})
        for (const bool once : {false, true})
            for (const Addition addition : {Addition::fused, Addition::none, Addition::after}) {
                if ((saturates && !can_saturate) || (once && (!narrow || addition == Addition::after))) continue;
                // +0 after a rounding is +0 before it
                if (plain.bias == 0 ? addition == Addition::after : addition == Addition::none) continue;
                Epilogue e = plain;
                e.saturates = saturates;
                e.once = once;
                e.addition = addition;
                ways.push_back(e);
            }
    std::vector<Fitting> found;
    for (const Epilogue& way : ways)
        if (auto one = with_alpha(way, seen)) found.push_back(*one);
    if (!found.empty() || narrow) return found;
    for (const Epilogue& way : ways)
        if (way.addition != Addition::fused || way.bias == 0) add_two_factors(way, seen, found);
    return found;
}

std::vector<Fitting> fitting_still(std::span<const Fitting> ways, std::span<const Seen> seen) {
    std::vector<Fitting> still;
    for (Fitting way : ways) {
        for (const Seen& one : seen)
            if (std::isnan(one.sum) && std::isnan(to_double(format(way.epilogue.d), one.d))) way.epilogue.nan = one.d;
        if (way.epilogue.second) {
            if (gives_all(way.epilogue, seen)) still.push_back(way);
        } else if (auto again = with_alpha(way.epilogue, seen)) {
            still.push_back(*again);
        }
    }
    return still;
}

bool can_be_behind(const Shape& shape) {
    const Format &a = format(shape.a), &b = format(shape.b), &d = format(shape.d);
    return !shape.c && shape.K > 1 && d.width <= 32 && !d.is_fixed_point() && d.is_signed && d.has_nan() &&
           to_double(a, one(a)) == 1 && to_double(b, one(b)) == 1;
}

std::vector<Seen> seen_sums(const Shape& shape, const Ask& ask, std::uint64_t seed) {
    ExactSums exact(shape, seed);
    std::vector<std::pair<Vector, float>> sums = {exact.plain(false), exact.plain(true)};
    while (sums.size() < first_sums) sums.push_back(exact.next());
    std::vector<Seen> seen;
    ask_for(ask, sums, seen);
    // Sums whose results say where between its bounds alpha is.
    for (int round = 0; round < rounds_of_more; ++round) {
        const std::vector<Fitting> ways = fitting(shape.d, seen);
        if (ways.empty() || ways.front().least == ways.front().greatest) break;
        Epilogue low = ways.front().epilogue, high = low;
        low.alpha = ways.front().least;
        high.alpha = ways.front().greatest;
        sums.clear();
        for (int tries = 0; tries < 20'000 && sums.size() < more_sums; ++tries) {
            auto one = exact.next();
            if (low(one.second) != high(one.second)) sums.push_back(std::move(one));
        }
        if (sums.empty()) break;
        ask_for(ask, sums, seen);
    }
    return seen;
}

} // namespace discern::kernels
