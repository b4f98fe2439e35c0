// Properties against all inputs of units so small that they can be tried.
#include "ask.hpp"
#include "truth.hpp"

#include "analysis/property/numbers.hpp"
#include "analysis/property/property.hpp"

#include "encodings/graph/term_eval.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/vectors/mixture.hpp"
#include "solver/backend/backend.hpp"
#include "solver/question/input_limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace discern::property {
namespace {

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
    "round[e3m1ieee rz](fuse[F=2 rz carry=0](p*, c))",
    "round[e3m1ieee rz](fuse[F=2 rz carry=2](p*, c))",
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
    const std::map<std::string_view, bool (Truth::*)() const> rows = {
        {"negation", &Truth::negation},
        {"swap", &Truth::swap},
        {"order-in-block", &Truth::order_in_block},
        {"order-across-blocks", &Truth::order_across_blocks},
        {"monotonic", &Truth::monotonic},
        {"faithful", &Truth::faithful},
        {"no-false-overflow", &Truth::no_false_overflow},
        {"specials", &Truth::specials},
        {"zero-neutral", &Truth::zero_neutral},
        {"split", &Truth::split},
        {"carry-bits", &Truth::carry_bits}};
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
            if (n == Truth::no_limit) { // whatever the exponents
                EXPECT_FALSE(f.limit) << what;
            } else if (n >= 0) {
                EXPECT_EQ(f.value, n) << what;
                EXPECT_EQ(f.limit, n + 1) << what;
            }
        } else if (p.name == "error-of-terms") {
            const double most = truth.error_of_terms();
            EXPECT_LE(most, f.value.value_or(1e9)) << what;
            EXPECT_GE(most + 1e-3, f.limit.value_or(0)) << what;
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
            const bool is_quick = chain ? tree == trees[1] : tree == trees[3];
            if (is_quick == quick && !(chain && tree.find("p0") != std::string::npos)) all.emplace_back(tree, chain);
        }
    return all;
}
INSTANTIATE_TEST_SUITE_P(Property, SmallUnits, ::testing::ValuesIn(small_units(true)));
INSTANTIATE_TEST_SUITE_P(MoreProperty, SmallUnits, ::testing::ValuesIn(small_units(false)));

// ---- claims: what is said of vectors is what is said of terms

TEST(Property, WithoutTheoremsTermsAndSolversProveTheSame) {
    if (!can_prove()) GTEST_SKIP() << "this build has no solver";
    const Unit unit = small(trees.front(), false);
    std::size_t by_tree = 0;
    for (const Property& p : properties()) {
        if (!p.why_not(unit).empty() || p.name == "error-of-terms") continue; // of which no solver is asked
        Options options;
        const Finding with = p.ask(p, unit, options);
        if (with.verdict != Verdict::proved || !with.by.starts_with("the tree")) continue;
        ++by_tree;
        EXPECT_TRUE(with.ground.alone || with.by.ends_with("proved in Rocq")) << p.name;
        options.theorems = false;
        const Finding without = p.ask(p, unit, options);
        EXPECT_EQ(without.verdict, Verdict::proved) << p.name;
        EXPECT_FALSE(without.by.starts_with("the tree")) << p.name << " by " << without.by;
        EXPECT_EQ(without.value, with.value) << p.name;
        EXPECT_TRUE(without.ground == by_terms || without.ground == by_a_solver) << p.name;
    }
    EXPECT_GT(by_tree, 0U);
}

// More numbers than there are in d's format: no result is as far off, and none is said to be.
TEST(Property, NoErrorIsLargerThanTheFormat) {
    const Unit unit = parse_unit(
        "e2m1*e2m1fn->e4m3fnuz K=2 : round[e4m3fnuz rne](fuse[exact](round[e5m2 rne](p0), round[e5m2 rne](p1)))");
    std::size_t violated = 0;
    for (const std::int64_t k : {2, 100, 255, 256, 300, 511, 512, 700, 1024}) {
        const Claim claim = error_within(unit, k).all.front();
        const Models models(error_within(unit, k).units, Models::Which::evaluator);
        Terms t;
        const InputTerms x = input_variables(t, unit);
        const Statement s = claim.state(t, x);
        TermEvaluator evaluator(t, {s.violated, s.assume});
        for (std::uint64_t i = 0; i < 1ull << 16; i += 7) {
            Vector v;
            v.a = {i & 15, i >> 4 & 15};
            v.b = {i >> 8 & 15, i >> 12};
            set_inputs(evaluator, x, v.inputs());
            evaluator.run();
            const bool said = (evaluator.low(s.violated) & evaluator.low(s.assume)) != 0;
            ASSERT_EQ(claim.violated(models, v, v), said) << k << " " << to_json(shape_of(unit), v);
            violated += said ? 1 : 0;
        }
    }
    EXPECT_GT(violated, 0U);
}

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
            if (!p.why_not(unit).empty() || p.name == "error-of-terms") continue; // of which no solver is asked
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
