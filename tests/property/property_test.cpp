// Properties against all inputs of units so small that they can be tried.
#include "ask.hpp"

#include "property/numbers.hpp"
#include "property/property.hpp"

#include "encodings/graph/term_eval.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/vectors/mixture.hpp"
#include "solver/backend/backend.hpp"
#include "solver/decide/input_limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace discern::property {
namespace {

// ---- all inputs

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

/// Units of two products of four bits; on each side of every property there is one.
const std::vector<std::string> trees = {
    "round[e3m1ieee rne](fuse[exact](p*, c))",
    "round[e3m1ieee rz](fuse[F=2 rz](p*, c))",
    "round[e3m1ieee rne](fuse[F=3 rd](p*, c))",
    "round[e3m1ieee rz overflow=inf](fuse[F=2 rz floor=1 zero=emin](p*, c))",
    "round[e3m1ieee ru](fuse[F=4 rz](round[e3m1ieee rne](fuse[exact](p0, p1)), c))",
    "round[e3m1ieee rne](fuse[exact](p*[ftz], c[ftz]))",
    "round[e3m1ieee rne](fuse[exact](p*[limit=2], c))",
    "round[e3m1ieee rne](fuse[exact](round[e2m2ieee rne](p0), p1, c))",
};

Unit small(const std::string& tree, bool chain) {
    return parse_unit("e2m1ieee*e2m1ieee+e3m1ieee->e3m1ieee K=2" + std::string(chain ? " L=1" : "") + " : " + tree);
}

class SmallUnits : public ::testing::TestWithParam<std::pair<std::string, bool>> {};

TEST_P(SmallUnits, AreWhatAllInputsSay) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const auto& [tree, chain] = GetParam();
    const Unit unit = small(tree, chain);
    const Truth truth(unit);
    const std::map<std::string_view, bool (Truth::*)() const> rows = {{"negation", &Truth::negation},
                                                                      {"swap", &Truth::swap},
                                                                      {"order-in-block", &Truth::order},
                                                                      {"order-across-blocks", &Truth::order},
                                                                      {"monotonic", &Truth::monotonic},
                                                                      {"faithful", &Truth::faithful},
                                                                      {"no-false-overflow", &Truth::no_false_overflow},
                                                                      {"specials", &Truth::specials},
                                                                      {"zero-neutral", &Truth::zero_neutral},
                                                                      {"split", &Truth::split}};
    std::size_t asked = 0;
    for (const Property& p : properties()) {
        if (!p.why_not(unit).empty()) continue;
        ++asked;
        const Finding f = ask(unit, p.name, 1500); // so few that solvers find some too
        const std::string what = std::string(p.name) + " of " + to_string(unit) + ", by " + f.by;
        if (const auto row = rows.find(p.name); row != rows.end()) {
            EXPECT_EQ(f.verdict, (truth.*row->second)() ? Verdict::proved : Verdict::refuted) << what;
            EXPECT_EQ(f.vector.has_value(), f.verdict == Verdict::refuted) << what;
        } else if (p.name == "exact-region") {
            const int n = truth.exact_region();
            EXPECT_EQ(f.verdict, n < 0 ? Verdict::refuted : Verdict::proved) << what;
            if (n == 99) { // whatever the exponents
                EXPECT_FALSE(f.limit) << what;
            } else if (n >= 0) {
                EXPECT_EQ(f.value, n) << what;
                EXPECT_EQ(f.limit, n + 1) << what;
            }
        } else {
            const auto k = truth.max_error();
            EXPECT_EQ(f.verdict, k ? Verdict::proved : Verdict::refuted) << what;
            if (k) {
                EXPECT_EQ(f.value, *k) << what;
            }
        }
    }
    EXPECT_GE(asked, 10u);
}

/// Those that take seconds, or the others, which only a sweep runs.
std::vector<std::pair<std::string, bool>> small_units(bool quick) {
    std::vector<std::pair<std::string, bool>> all;
    for (const std::string& tree : trees)
        for (const bool chain : {false, true}) {
            const bool is_quick = chain ? tree == trees[1] : tree == trees[0] || tree == trees[3];
            if (is_quick == quick && !(chain && tree.find("p0") != std::string::npos)) all.emplace_back(tree, chain);
        }
    return all;
}
INSTANTIATE_TEST_SUITE_P(Property, SmallUnits, ::testing::ValuesIn(small_units(true)));
INSTANTIATE_TEST_SUITE_P(MoreProperty, SmallUnits, ::testing::ValuesIn(small_units(false)));

// ---- claims: what is said of vectors is what is said of terms

TEST(Property, ClaimsAboutVectorsAndTermsAreTheSame) {
    const std::vector<std::string> units = {
        "e2m1ieee*e2m1ieee+e3m1ieee->e3m1ieee K=4 L=2 : round[e3m1ieee rz](fuse[F=2 rz](p*, c))",
        "e4m3fnuz*e5m2fnuz+f16->f16 K=2 L=1 : round[f16 rne](fuse[F=9 rd](p*, c))",
        "e2m1*e2m1+f16->f16 K=4 L=2 scale=ue4m3/2 : round[f16 rne](fuse[F=9 rz](p*, c))",
        "e3m2*e2m3->e4m3 K=2 : round[e4m3 rz overflow=inf](fuse[F=3 rd](p*))",
    };
    for (const std::string& text : units) {
        const Unit unit = parse_unit(text);
        std::size_t violations = 0;
        for (const Property& p : properties()) {
            if (!p.why_not(unit).empty()) continue;
            const Claims claims = p.claims != nullptr        ? p.claims(unit, Scope::unit)
                                  : p.name == "exact-region" ? exact_region(unit, 1)
                                                             : error_within(unit, 2);
            const Models models(claims.units, Models::Which::evaluator), oracle(claims.units, Models::Which::oracle);
            for (std::size_t i = 0; i < std::min<std::size_t>(claims.all.size(), 3); ++i) {
                const Claim& claim = claims.all[i];
                Terms t;
                const InputTerms x = input_variables(t, unit);
                const Statement s = claim.state(t, x);
                TermEvaluator evaluator(t, {s.violated, s.assume});
                InputMixture mixture(unit, 7);
                Random random(5);
                InputBuffer buffer;
                for (int n = 0; n < 300; ++n) {
                    mixture.next(buffer);
                    Vector v = vector_of(shape_of(unit), buffer.inputs()), y = v;
                    if (claim.propose) claim.propose(v, y, random);
                    if (claim.follow) y = claim.follow(models, v, y);
                    set_inputs(evaluator, x, v.inputs());
                    bool violated = false;
                    if (p.name == "exact-region") { // for some value of the variable that is the largest exponent
                        for (std::uint64_t e = 0; e < 1ull << t.width(s.more.front()) && !violated; ++e) {
                            evaluator.set(s.more.front(), e);
                            evaluator.run();
                            violated = (evaluator.low(s.violated) & evaluator.low(s.assume)) != 0;
                        }
                    } else {
                        if (p.name == "monotonic") {
                            const std::size_t k = std::stoul(claim.what.substr(claim.what.find(' ')));
                            evaluator.set(s.more[0], y.a[k]);
                            evaluator.set(s.more[1], y.b[k]);
                        }
                        evaluator.run();
                        violated = (evaluator.low(s.violated) & evaluator.low(s.assume)) != 0;
                    }
                    EXPECT_EQ(claim.violated(models, v, y), violated)
                        << p.name << " of " << text << ", " << to_json(shape_of(unit), v);
                    EXPECT_EQ(claim.violated(oracle, v, y), violated) << p.name << " of " << text;
                    violations += violated ? 1 : 0;
                }
            }
        }
        EXPECT_GT(violations, 20u) << text;
    }
}

} // namespace
} // namespace discern::property
