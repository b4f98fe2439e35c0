// What is true of a unit, by going through all inputs of units so small that they can be tried.
#pragma once

#include "property/claims.hpp"
#include "property/numbers.hpp"

#include "models/evaluate.hpp"
#include "models/vectors.hpp"
#include "solver/decide/input_limits.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace discern::property {

/// d of all inputs of a unit of two products without scales: fields of one number, a0 lowest.
class Table {
  public:
    explicit Table(const Unit& unit)
        : unit_(unit), a_(format(unit.a).width), b_(format(unit.b).width), c_(unit.c ? format(*unit.c).width : 0) {
        const Evaluator evaluator(unit);
        d_.resize(std::size_t{1} << bits());
        Vector v;
        for (std::uint64_t i = 0; i < d_.size(); ++i) d_[i] = evaluator(vector(i, v).inputs());
    }

    int bits() const { return 2 * (a_ + b_) + c_; }
    std::uint64_t size() const { return d_.size(); }
    std::uint64_t d(std::uint64_t i) const { return d_[i]; }
    std::uint64_t d(const Vector& v) const { return d_[index(v)]; }

    const Vector& vector(std::uint64_t i, Vector& v) const {
        const auto take = [&](int width) {
            const std::uint64_t field = i & ((1ull << width) - 1);
            i >>= width;
            return field;
        };
        v.a.resize(2);
        v.b.resize(2);
        for (auto* row : {&v.a, &v.b})
            for (std::uint64_t& pattern : *row) pattern = take(row == &v.a ? a_ : b_);
        if (unit_.c) v.c = take(c_);
        return v;
    }
    std::uint64_t index(const Vector& v) const {
        std::uint64_t i = v.c.value_or(0);
        for (const auto& [pattern, width] : {std::pair(v.b[1], b_), {v.b[0], b_}, {v.a[1], a_}, {v.a[0], a_}})
            i = i << width | pattern;
        return i;
    }

  private:
    Unit unit_;
    int a_, b_, c_;
    std::vector<std::uint64_t> d_;
};

/// What is true of a unit, by going through all of its inputs.
class Truth {
  public:
    explicit Truth(const Unit& unit)
        : unit_(unit), d_(format(unit.d)), table_(unit), down_(exact(Rounding::rd)), up_(exact(Rounding::ru)),
          nearest_(exact(Rounding::rne)), away_(exact(Rounding::rna)), once_(exact_unit(unit, last_rounding(unit))) {}

    bool negation() const {
        return every([&](const Vector& x, std::uint64_t d) {
            Vector y = x;
            for (std::uint64_t& a : y.a) a = negated(format(unit_.a), a);
            if (y.c) y.c = negated(format(*unit_.c), *y.c);
            return alike(d_, d, negated(d_, table_.d(y)), Zeros::alike);
        });
    }
    bool swap() const {
        return every([&](Vector y, std::uint64_t d) {
            std::swap(y.a, y.b);
            return alike(d_, d, table_.d(y), Zeros::by_sign);
        });
    }
    bool order() const {
        return every([&](Vector y, std::uint64_t d) {
            std::swap(y.a[0], y.a[1]);
            std::swap(y.b[0], y.b[1]);
            return alike(d_, d, table_.d(y), Zeros::by_sign);
        });
    }
    bool zero_neutral() const {
        return every([&](const Vector& x, std::uint64_t d) {
            for (std::size_t k = 0; k < 2; ++k) {
                if ((x.a[k] != 0 && x.b[k] != 0) || !is_finite(format(unit_.a), x.a[k]) ||
                    !is_finite(format(unit_.b), x.b[k]))
                    continue;
                Vector y = x;
                y.a[k] = y.b[k] = 0;
                if (!alike(d_, d, table_.d(y), Zeros::alike)) return false;
            }
            return true;
        });
    }
    /// For each value of everything else, d does not fall while the product grows.
    bool monotonic() const {
        const Format &a = format(unit_.a), &b = format(unit_.b);
        std::map<double, std::vector<std::pair<std::uint64_t, std::uint64_t>>> factors;
        for (std::uint64_t x = 0; x <= a.mask(); ++x)
            for (std::uint64_t y = 0; y <= b.mask(); ++y)
                if (is_finite(a, x) && is_finite(b, y)) factors[to_double(a, x) * to_double(b, y)].emplace_back(x, y);
        return every_finite([&](Vector v, std::uint64_t) {
            for (std::size_t k = 0; k < 2; ++k) {
                if (v.a[k] != 0 || v.b[k] != 0) continue; // once for all others
                std::optional<std::int64_t> highest;      // of smaller products
                for (const auto& [product, all] : factors) {
                    std::optional<std::int64_t> here;
                    for (const auto& [x, y] : all) {
                        Vector w = v;
                        w.a[k] = x;
                        w.b[k] = y;
                        const std::uint64_t d = table_.d(w);
                        if (is_nan(d_, d)) continue;
                        const std::int64_t place = place_of(d_, d);
                        if (highest && place < *highest) return false;
                        here = std::max(here.value_or(place), place);
                    }
                    if (here) highest = std::max(highest.value_or(*here), *here);
                }
            }
            return true;
        });
    }
    bool faithful() const {
        return every_finite([&](const Vector& x, std::uint64_t d) {
            return alike(d_, d, down_(x.inputs()), Zeros::alike) || alike(d_, d, up_(x.inputs()), Zeros::alike);
        });
    }
    bool no_false_overflow() const {
        return every_finite([&](const Vector& x, std::uint64_t d) {
            return is_finite(d_, d) || is_infinite(d_, down_(x.inputs())) || is_infinite(d_, up_(x.inputs()));
        });
    }
    bool specials() const { // in doubles, which have all products and sums exactly
        return every([&](const Vector& x, std::uint64_t d) {
            double sum = x.c ? to_double(format(*unit_.c), *x.c) : 0;
            for (std::size_t k = 0; k < 2; ++k)
                sum += to_double(format(unit_.a), x.a[k]) * to_double(format(unit_.b), x.b[k]);
            if (std::isnan(sum) || is_nan(d_, d)) return std::isnan(sum) && is_nan(d_, d);
            return !std::isinf(sum) || to_double(d_, d) == sum;
        });
    }
    bool split() const {
        Unit half = unit_;
        half.K = 1;
        half.L = 1;
        const Evaluator evaluator(half);
        return every([&](const Vector& x, std::uint64_t d) {
            Vector y = x;
            for (const std::size_t k : {0u, 1u}) {
                y.a = {x.a[k]};
                y.b = {x.b[k]};
                y.c = evaluator(y.inputs());
            }
            return alike(d_, d, *y.c, Zeros::by_sign);
        });
    }
    /// The largest n, −1 if there is none.
    int exact_region() const {
        int n = 99;
        every_finite([&](const Vector& x, std::uint64_t d) {
            if (alike(d_, d, once_(x.inputs()), Zeros::alike)) return true;
            while (n >= 0 && exponents_within(unit_, x.inputs(), n)) --n;
            return true;
        });
        return n;
    }
    /// In ulp; nothing: there is no bound.
    std::optional<double> max_error() const {
        double most = 0.5;
        const bool bounded = every_finite([&](const Vector& x, std::uint64_t d) {
            const std::uint64_t low = down_(x.inputs()), high = up_(x.inputs());
            if (is_infinite(d_, low) || is_infinite(d_, high)) return true;
            if (!is_finite(d_, d)) return false;
            if (alike(d_, d, nearest_(x.inputs()), Zeros::alike) || alike(d_, d, away_(x.inputs()), Zeros::alike))
                return true;
            const std::int64_t place = place_of(d_, d);
            most = std::max({most, 1.0, static_cast<double>(place - place_of(d_, low)),
                             static_cast<double>(place_of(d_, high) - place)});
            return true;
        });
        return bounded ? std::optional(most) : std::nullopt;
    }

    /// In last places of the largest term; of results that are finite.
    double error_of_terms() const {
        double most = 0;
        every_finite([&](const Vector& x, std::uint64_t d) {
            double sum = x.c ? to_double(format(*unit_.c), *x.c) : 0; // exact, in doubles
            for (std::size_t k = 0; k < 2; ++k)
                sum += to_double(format(unit_.a), x.a[k]) * to_double(format(unit_.b), x.b[k]);
            const auto exponents = exponents_of(unit_, x.inputs());
            const double largest =
                to_double(d_, pack(d_, {.significand = d_.max_significand(), .exponent = d_.emax()}));
            if (!exponents || !is_finite(d_, d) || std::fabs(sum) > largest) return true;
            const int place = std::max(exponents->most, d_.emin()) - d_.mantissa_bits;
            most = std::max(most, std::ldexp(std::fabs(to_double(d_, d) - sum), -place));
            return true;
        });
        return most;
    }

  private:
    Evaluator exact(Rounding mode) const { return Evaluator(exact_unit(unit_, plain_rounding(unit_, mode))); }
    template <typename Holds>
    bool every(Holds holds) const {
        Vector v;
        for (std::uint64_t i = 0; i < table_.size(); ++i)
            if (!holds(table_.vector(i, v), table_.d(i))) return false;
        return true;
    }
    template <typename Holds>
    bool every_finite(Holds holds) const {
        return every([&](const Vector& x, std::uint64_t d) {
            return !allows(InputLimits{.finite = true}, unit_, x.inputs()) || holds(x, d);
        });
    }

    Unit unit_;
    const Format& d_;
    Table table_;
    Evaluator down_, up_, nearest_, away_, once_;
};

} // namespace discern::property
