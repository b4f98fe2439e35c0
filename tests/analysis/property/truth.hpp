// What is true of a unit, by going through all inputs of units so small that they can be tried; or, of larger ones,
// through some that are given.
//
// Each property is said once more here, of one vector, as docs/property.md has it. Results are those of the integer
// evaluator; nothing of claims, theorems, terms and solvers is used, but for the unit that is the exact sum.
#pragma once

#include "analysis/property/claims.hpp"
#include "analysis/property/elements.hpp"
#include "analysis/property/numbers.hpp"

#include "analysis/measure/exact_sum.hpp"
#include "models/evaluate.hpp"
#include "models/unit/tree_shape.hpp"
#include "models/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace discern::property {

/// All inputs of a unit without scales, numbered: a0 lowest, then the other a, b and c.
class AllInputs {
  public:
    explicit AllInputs(const Unit& unit)
        : K_(static_cast<std::size_t>(unit.K)), a_(format(unit.a).width), b_(format(unit.b).width),
          c_(unit.c ? format(*unit.c).width : 0) {}

    /// Whether so many bits number them all.
    static int bits(const Unit& unit) {
        return unit.K * (format(unit.a).width + format(unit.b).width) + (unit.c ? format(*unit.c).width : 0);
    }
    std::uint64_t size() const { return 1ull << (static_cast<int>(K_) * (a_ + b_) + c_); }

    const Vector& vector(std::uint64_t i, Vector& v) const {
        const auto take = [&](int width) {
            const std::uint64_t field = i & ((1ull << width) - 1);
            i >>= width;
            return field;
        };
        v.a.resize(K_);
        v.b.resize(K_);
        for (auto* row : {&v.a, &v.b})
            for (std::uint64_t& pattern : *row) pattern = take(row == &v.a ? a_ : b_);
        if (c_ > 0) v.c = take(c_);
        return v;
    }
    std::uint64_t index(const Vector& v) const {
        std::uint64_t i = v.c.value_or(0);
        for (std::size_t k = K_; k-- > 0;) i = i << b_ | v.b[k];
        for (std::size_t k = K_; k-- > 0;) i = i << a_ | v.a[k];
        return i;
    }

  private:
    std::size_t K_;
    int a_, b_, c_;
};

/// What is true of a unit, by going through all of its inputs, or through those that are given.
class Truth {
  public:
    explicit Truth(const Unit& unit) : Truth(unit, nullptr) {
        d_of_.resize(all_.size());
        Vector v;
        for (std::uint64_t i = 0; i < d_of_.size(); ++i) d_of_[i] = evaluator_(all_.vector(i, v).inputs());
    }
    /// @param some  vectors, which must outlive this; what is said is that they show nothing else
    Truth(const Unit& unit, const std::vector<Vector>& some) : Truth(unit, &some) {}

    /// The last vector that was looked at: where something does not hold, one that shows it.
    const Vector& shown() const { return shown_; }

    bool negation() const {
        return every([&](const Vector& x, std::uint64_t d) {
            Vector& y = other_ = x;
            for (std::uint64_t& a : y.a) a = negated(format(unit_.a), a);
            if (y.c) y.c = negated(format(*unit_.c), *y.c);
            return alike(d_, d, negated(d_, result(y)), Zeros::alike);
        });
    }
    bool swap() const {
        Unit exchanged = unit_;
        std::swap(exchanged.a, exchanged.b);
        const Evaluator other(exchanged);
        return every([&](Vector y, std::uint64_t d) {
            std::swap(y.a, y.b);
            std::swap(y.sa, y.sb);
            return alike(d_, d, other(y.inputs()), Zeros::by_sign);
        });
    }
    bool order_in_block() const { return order(true); }
    bool order_across_blocks() const { return order(false); }
    bool zero_neutral() const {
        return every([&](const Vector& x, std::uint64_t d) {
            for (std::size_t k = 0; k < x.a.size(); ++k) {
                if ((x.a[k] != 0 && x.b[k] != 0) || !is_finite(format(unit_.a), x.a[k]) ||
                    !is_finite(format(unit_.b), x.b[k]) || !scales_are_finite(x, k))
                    continue;
                Vector& y = other_ = x;
                y.a[k] = y.b[k] = 0;
                if (!alike(d_, d, result(y), Zeros::alike)) return false;
            }
            return true;
        });
    }
    bool monotonic() const { return monotonic_of(std::numeric_limits<std::size_t>::max()); }
    /// For each value of everything else, d does not fall while the product grows.
    /// @param most  so many vectors of others at most, of some that are given
    bool monotonic_of(std::size_t most) const {
        const Format &a = format(unit_.a), &b = format(unit_.b);
        std::map<double, std::vector<std::pair<std::uint64_t, std::uint64_t>>> factors;
        for (std::uint64_t x = 0; x <= a.mask(); ++x)
            for (std::uint64_t y = 0; y <= b.mask(); ++y)
                if (is_finite(a, x) && is_finite(b, y)) factors[to_double(a, x) * to_double(b, y)].emplace_back(x, y);
        return every_finite([&](Vector v, std::uint64_t) {
            for (std::size_t k = 0; k < v.a.size(); ++k) {
                if (some_ == nullptr ? v.a[k] != 0 || v.b[k] != 0 : most == 0) continue; // once for all others
                if (some_ != nullptr) --most;
                std::optional<std::int64_t> highest; // of smaller products
                for (const auto& [product, all] : factors) {
                    std::optional<std::int64_t> here;
                    for (const auto& [x, y] : all) {
                        Vector& w = other_ = v;
                        w.a[k] = x;
                        w.b[k] = y;
                        const std::uint64_t d = result(w);
                        if (is_nan(d_, d)) continue;
                        const std::int64_t place = place_of(d_, d);
                        if (highest && place < *highest) {
                            shown_ = w;
                            return false;
                        }
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
        return every_finite([&](const Vector& x, std::uint64_t d) { return is_finite(d_, d) || is_beyond(x); });
    }
    bool specials() const {
        return every([&](const Vector& x, std::uint64_t d) {
            bool nan = false, plus = false, minus = false;
            const auto term = [&](std::initializer_list<double> factors) {
                double product = 1; // of factors reduced to what matters beside an infinity: 0, ±1, infinite
                for (const double f : factors) product *= f == 0 || !std::isfinite(f) ? f : f < 0 ? -1.0 : 1.0;
                nan = nan || std::isnan(product);
                plus = plus || (std::isinf(product) && product > 0);
                minus = minus || (std::isinf(product) && product < 0);
            };
            for (std::size_t k = 0; k < x.a.size(); ++k)
                term({to_double(format(unit_.a), x.a[k]), to_double(format(unit_.b), x.b[k]), scale(x.sa, k),
                      scale(x.sb, k)});
            if (x.c) term({to_double(format(*unit_.c), *x.c)});
            nan = nan || (plus && minus);
            if (nan || is_nan(d_, d)) return nan && is_nan(d_, d);
            const double of_d = to_double(d_, d);
            return (!plus && !minus) || (std::isinf(of_d) && (of_d > 0) == plus);
        });
    }
    bool split() const {
        const Unit half = half_of(unit_);
        const Evaluator evaluator(half);
        const auto size = static_cast<std::ptrdiff_t>(half.K), scales = static_cast<std::ptrdiff_t>(half.scales());
        return every([&](const Vector& x, std::uint64_t d) {
            Vector y = x;
            for (const std::ptrdiff_t i : {0, 1}) {
                const auto part = [&](const std::vector<std::uint64_t>& row, std::ptrdiff_t from, std::ptrdiff_t n) {
                    return std::vector<std::uint64_t>(row.begin() + from, row.begin() + from + n);
                };
                y.a = part(x.a, i * size, size);
                y.b = part(x.b, i * size, size);
                if (unit_.scale) {
                    const std::ptrdiff_t from = i * size / unit_.scale->block;
                    y.sa = part(x.sa, from, scales);
                    y.sb = part(x.sb, from, scales);
                }
                y.c = evaluator(y.inputs());
            }
            return alike(d_, d, *y.c, Zeros::by_sign);
        });
    }
    bool carry_bits() const {
        Unit wide = unit_;
        for_each_node(wide.tree, [](Node& node) {
            if (auto* fuse = std::get_if<Fuse>(&node.kind)) fuse->carry = std::nullopt;
        });
        const Evaluator evaluator(wide);
        return every(
            [&](const Vector& x, std::uint64_t d) { return alike(d_, d, evaluator(x.inputs()), Zeros::by_sign); });
    }
    /// The largest n, −1 if there is none; no_limit if it holds for all.
    static constexpr int no_limit = 1 << 20;
    int exact_region() const {
        int n = no_limit;
        every_finite([&](const Vector& x, std::uint64_t d) {
            if (alike(d_, d, once_(x.inputs()), Zeros::alike)) return true;
            const auto exponents = exponents_of_terms(x);
            const int apart = exponents ? exponents->second - exponents->first : 0;
            if (apart <= n) shown_most_ = x;
            n = std::min(n, apart - 1);
            return true;
        });
        return n;
    }
    /// In ulp; nothing: a result is no number, where the exact one is.
    std::optional<double> max_error() const {
        double most = 0.5;
        const bool bounded = every_finite([&](const Vector& x, std::uint64_t d) {
            const std::uint64_t low = down_(x.inputs()), high = up_(x.inputs());
            if (is_infinite(d_, low) || is_infinite(d_, high)) return true;
            if (!is_finite(d_, d)) {
                shown_most_ = x;
                return false;
            }
            if (alike(d_, d, nearest_(x.inputs()), Zeros::alike) || alike(d_, d, away_(x.inputs()), Zeros::alike))
                return true;
            const std::int64_t place = place_of(d_, d);
            const double off = std::max(
                {1.0, static_cast<double>(place - place_of(d_, low)), static_cast<double>(place_of(d_, high) - place)});
            if (off > most) shown_most_ = x;
            most = std::max(most, off);
            return true;
        });
        return bounded ? std::optional(most) : std::nullopt;
    }

    /// In ulps of the largest term; of results that are finite. A little less than it is where d has about as
    /// many bits as an f64.
    double error_of_terms() const {
        double most = 0;
        measure::ExactSums exact(shape_of(unit_));
        every_finite([&](const Vector& x, std::uint64_t d) {
            const auto exponents = exponents_of_terms(x);
            if (!exponents || !is_finite(d_, d)) return true;
            const double sum = exact(x.inputs()).to_odd(), largest = to_double(d_, largest_number());
            if (std::fabs(sum) > largest) return true;
            const int place = std::max(exponents->second, d_.emin()) - d_.mantissa_bits;
            const double off = std::ldexp(std::fabs(to_double(d_, d) - sum), -place);
            if (off > most) shown_most_ = x;
            most = std::max(most, off);
            return true;
        });
        return most;
    }
    /// Of the last call of those three: the vector that shows most.
    const Vector& shown_most() const { return shown_most_; }

  private:
    Truth(const Unit& unit, const std::vector<Vector>* some)
        : unit_(unit), d_(format(unit.d)), some_(some), all_(unit), evaluator_(unit), down_(exact(Rounding::rd)),
          up_(exact(Rounding::ru)), nearest_(exact(Rounding::rnz)), away_(exact(Rounding::rna)),
          once_(exact_unit(unit, last_rounding(unit))) {}

    std::uint64_t result(const Vector& v) const {
        return d_of_.empty() ? evaluator_(v.inputs()) : d_of_[all_.index(v)];
    }
    Evaluator exact(Rounding mode) const { return Evaluator(exact_unit(unit_, plain_rounding(unit_, mode))); }
    std::uint64_t largest_number() const {
        return pack(d_, {.significand = d_.max_significand(), .exponent = d_.emax()});
    }
    bool is_beyond(const Vector& x) const {
        return is_infinite(d_, down_(x.inputs())) || is_infinite(d_, up_(x.inputs()));
    }
    double scale(const std::vector<std::uint64_t>& row, std::size_t k) const {
        return unit_.scale ? to_double(format(unit_.scale->format), row[scale_of(unit_, k)]) : 1;
    }
    /// The least and the largest exponent of terms that are not zero.
    std::optional<std::pair<int, int>> exponents_of_terms(const Vector& x) const {
        std::vector<int> all;
        const auto exponent = [](FormatId id, std::uint64_t bits) { return decode(format(id), bits).exponent; };
        for (std::size_t k = 0; k < x.a.size(); ++k) {
            const double product = to_double(format(unit_.a), x.a[k]) * to_double(format(unit_.b), x.b[k]);
            if (product == 0 || scale(x.sa, k) == 0 || scale(x.sb, k) == 0) continue;
            all.push_back(exponent(unit_.a, x.a[k]) + exponent(unit_.b, x.b[k]));
            if (unit_.scale)
                all.back() += exponent(unit_.scale->format, x.sa[scale_of(unit_, k)]) +
                              exponent(unit_.scale->format, x.sb[scale_of(unit_, k)]);
        }
        if (x.c && to_double(format(*unit_.c), *x.c) != 0) all.push_back(exponent(*unit_.c, *x.c));
        if (all.empty()) return std::nullopt;
        const auto [least, most] = std::minmax_element(all.begin(), all.end());
        return std::pair(*least, *most);
    }
    bool scales_are_finite(const Vector& x, std::size_t k) const {
        return std::isfinite(scale(x.sa, k)) && std::isfinite(scale(x.sb, k));
    }
    bool order(bool in_block) const {
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (int i = 0; i < unit_.K; ++i)
            for (int j = i + 1; j < unit_.K; ++j) {
                const std::size_t k = element(unit_, i / unit_.L, i % unit_.L),
                                  m = element(unit_, j / unit_.L, j % unit_.L);
                if ((i / unit_.L == j / unit_.L) == in_block && scale_of(unit_, k) == scale_of(unit_, m))
                    pairs.emplace_back(k, m);
            }
        return every([&](const Vector& x, std::uint64_t d) {
            return std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) {
                Vector& y = other_ = x;
                std::swap(y.a[pair.first], y.a[pair.second]);
                std::swap(y.b[pair.first], y.b[pair.second]);
                return alike(d_, d, result(y), Zeros::by_sign);
            });
        });
    }
    template <typename Holds>
    bool every(Holds holds) const {
        const std::uint64_t count = some_ != nullptr ? some_->size() : all_.size();
        for (std::uint64_t i = 0; i < count; ++i) {
            if (some_ != nullptr)
                shown_ = (*some_)[i];
            else
                all_.vector(i, shown_);
            if (!holds(shown_, d_of_.empty() ? evaluator_(shown_.inputs()) : d_of_[i])) return false;
        }
        return true;
    }
    /// Of vectors without infinity and NaN.
    template <typename Holds>
    bool every_finite(Holds holds) const {
        return every([&](const Vector& x, std::uint64_t d) {
            bool finite = !x.c || is_finite(format(*unit_.c), *x.c);
            for (std::size_t k = 0; k < x.a.size(); ++k)
                finite = finite && is_finite(format(unit_.a), x.a[k]) && is_finite(format(unit_.b), x.b[k]) &&
                         scales_are_finite(x, k);
            return !finite || holds(x, d);
        });
    }

    Unit unit_;
    const Format& d_;
    const std::vector<Vector>* some_; ///< nullptr: all
    AllInputs all_;
    std::vector<std::uint64_t> d_of_; ///< of all inputs
    Evaluator evaluator_, down_, up_, nearest_, away_, once_;
    mutable Vector shown_, shown_most_, other_; ///< the last one: that is compared with it
};

} // namespace discern::property
