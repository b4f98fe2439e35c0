// The closed loop on black boxes whose inside is known to the test alone.
#include "identification/identify/identify.hpp"
#include "identification/identify/space/space.hpp"

#include "models/catalogue.hpp"
#include "models/families.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/random.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>

namespace discern::identify {
namespace {

/// A target that is a function of the vector and of how often it was asked.
using Target = std::function<std::uint64_t(const Inputs&, std::uint64_t count)>;

Result identified(const Shape& shape, const Target& target, Options options,
                  std::optional<Candidates> candidates = std::nullopt) {
    std::uint64_t count = 0;
    const Ask ask = [&](std::span<const Inputs> batch) {
        std::vector<std::optional<std::uint64_t>> results;
        for (const Inputs& v : batch) results.emplace_back(target(v, count++));
        return results;
    };
    if (!candidates) candidates.emplace(default_space(shape, Modes::usual));
    return identify_target(shape, std::move(*candidates), ask, options);
}

Options quick() {
    Options options;
    options.validate = 2000;
    options.timeout = 120 * tests::slowness;
    return options;
}

Target model(const Evaluator& evaluate) {
    return [&evaluate](const Inputs& v, std::uint64_t) { return evaluate(v); };
}

/// Vectors of all families on which the two differ.
int differences(const Unit& truth, const Unit& named, int vectors) {
    const Evaluator one(truth), other(named);
    int count = 0;
    for (const Family family : families) {
        InputGenerator generator(truth, family, 99);
        InputBuffer v;
        for (int i = 0; i < vectors; ++i) {
            generator.next(v);
            if (!same_result(truth, one(v.inputs()), other(v.inputs()))) ++count;
        }
    }
    return count;
}

void expect_named(const std::string& unit, std::size_t most_observations) {
    const Unit truth = resolve_unit(unit);
    const Evaluator evaluate(truth);
    const Result r = identified(shape_of(truth), model(evaluate), quick());
    ASSERT_TRUE(r.unit) << unit;
    EXPECT_TRUE(r.conclusion == Conclusion::unique || r.conclusion == Conclusion::several)
        << unit << ": " << name(r.conclusion);
    EXPECT_NE(std::find(r.names.begin(), r.names.end(), unit), r.names.end()) << to_string(*r.unit);
    EXPECT_LE(r.observations.size(), most_observations) << unit;
    EXPECT_EQ(differences(truth, *r.unit, 400), 0) << to_string(*r.unit);
    for (const Observation& o : r.observations) EXPECT_EQ(o.vector.d.front(), evaluate(o.vector.inputs()));
}

/// Every third one of them, or in a sweep all.
void expect_each_named(std::initializer_list<const char*> units, std::size_t most_observations) {
    std::size_t i = 0;
    for (const char* const unit : units)
        if (tests::takes_part(i++, 3)) expect_named(unit, most_observations);
}

TEST(Identify, NamesUnitsOfTheCatalogue) {
    expect_each_named({"volta/mma.m8n8k4.f32.f16.f16.f32", "hopper/wgmma.m64n8k16.f32.f16.f16",
                       "cdna1/v_mfma_f32_32x32x4f16", "x86/vdpbf16ps", "x86/dpps", "x86/fma.f32"},
                      120);
}

/// Two lanes of multiply-adds that flush, and begin as the unit does; products that read infinities and NaN their own
/// way; fp8 that is read as f16.
TEST(Identify, UnitsThatReadOperandsTheirOwnWay) {
    expect_each_named({"x86/tdpbf16ps", "hopper/mma.m16n8k16.f32.e4m3.e5m2.f32", "mxfpga/dot_fp.e5m2"}, 120);
}

/// As long as a unit with a name gives all observations, the vectors are those that exclude the most candidates if the
/// target is that unit. So it is told after fewer of them than one without a name.
TEST(Identify, AUnitThatIsKnownTakesFewerObservations) {
    std::size_t known = 0, unknown = 0, i = 0;
    for (const char* changes : {"{F=21}", "{F=27,align=rne}", "{round=f32:rne,carry=3}"}) {
        if (!tests::takes_part(i++, 3)) continue;
        const Unit truth = with_overrides(resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32"), changes);
        const Evaluator evaluate(truth);
        for (const bool has_name : {false, true}) {
            Options options = quick();
            if (has_name) options.known = {{"mine", truth}};
            const Result r = identified(shape_of(truth), model(evaluate), options);
            ASSERT_TRUE(r.unit) << changes;
            EXPECT_EQ(differences(truth, *r.unit, 400), 0) << to_string(*r.unit);
            EXPECT_EQ(std::count(r.names.begin(), r.names.end(), "mine"), has_name ? 1 : 0) << changes;
            (has_name ? known : unknown) += r.observations.size();
        }
    }
    EXPECT_LE(5 * known, 4 * unknown) << known << " and " << unknown;
}

/// FMA units, and dot products of RDNA: beside each of them stay structures that differ in no result, or in few.
TEST(Identify, UnitsWithNearRivals) {
    expect_each_named({"rdna3/v_dot2_f32_bf16", "rdna4/v_dot4_f32_fp8_bf8", "apple/amx.fma16"}, 60);
}

/// Away from zero, and to nearest with ties that go up, down, toward zero or to odd: targets that align and round in
/// modes drawn among these, one, or DISCERN_SWEEP of them.
TEST(Identify, UnitsThatRoundInRareModes) {
    constexpr std::array bases = {"volta/mma.m8n8k4.f32.f16.f16.f32", "ampere/mma.m16n8k16.f32.bf16.bf16.f32",
                                  "hopper/wgmma.m64n8k16.f32.f16.f16", "hopper/wgmma.m64n8k32.f32.e5m2.e5m2"};
    constexpr std::array modes = {"ra", "rnu", "rnd", "rnz", "rno"};
    Random random(3);
    const auto drawn = [&](const auto& list) {
        return std::string(list[static_cast<std::size_t>(random.below(static_cast<int>(list.size())))]);
    };
    for (int i = 0; i < tests::sweep(1); ++i) {
        const std::string base = drawn(bases), align = drawn(modes);
        const Unit truth = resolve_unit(base + (tests::sweeping() ? "{K=16,align=" : "{K=4,align=") + align +
                                        ",round=f32:" + drawn(modes) + "}");
        const Evaluator evaluate(truth);
        if (tests::sweeping()) {
            EXPECT_EQ(identified(shape_of(truth), model(evaluate), quick()).conclusion, Conclusion::unexplained)
                << "in the usual modes alone: " << to_string(truth);
        }
        const Result r = identified(shape_of(truth), model(evaluate), quick(),
                                    Candidates(default_space(shape_of(truth), Modes::all)));
        ASSERT_TRUE(r.unit) << to_string(truth);
        EXPECT_TRUE(r.conclusion == Conclusion::unique || r.conclusion == Conclusion::several)
            << to_string(truth) << ": " << name(r.conclusion);
        EXPECT_EQ(differences(truth, *r.unit, 400), 0) << to_string(truth) << " named " << to_string(*r.unit);
    }
}

/// The loop `s += a[k] * b[k]`, with products that are rounded (numpy), and with fused ones. Of the structures that
/// agree with it the loop is named.
TEST(Identify, LoopsThatAreWrittenMostAreNamed) {
    const std::array<std::pair<const char*, const char*>, 3> loops = {{
        {"bf16*bf16+f32->f32 K=4 L=1 nan=7fc00000 : round[f32 rne](fuse[exact](c, round[f32 rne](fuse[exact](p*))))",
         "rounded products, added one by one"},
        {"f16*f16+f16->f16 K=4 L=1 nan=7e00 : round[f16 rne](fuse[exact](p*, c))", "exact additions of products"},
        {"bf16*bf16+f32->f32 K=8 L=1 nan=7fc00000 : round[f32 rne](fuse[exact](p*, c))", "exact additions of products"},
    }};
    for (const auto& [text, structure] : std::span(loops).first(tests::sweeping() ? 3 : 1)) {
        const Unit truth = parse_unit(text);
        const Evaluator evaluate(truth);
        const Result r = identified(shape_of(truth), model(evaluate), quick());
        ASSERT_TRUE(r.unit) << text;
        EXPECT_EQ(r.conclusion, Conclusion::several) << text;
        EXPECT_EQ(r.structure, structure) << text;
        EXPECT_EQ(differences(truth, *r.unit, 400), 0) << to_string(*r.unit);
    }
}

/// What loops in C++ compute: the same as fused sums that truncate so far down that no product of two f16 comes as near
/// to a tie, and as trees of rounded sums.
TEST(Identify, LoopsOfSoftwareAreExplained) {
    for (const bool c_first : {true, false}) {
        if (!c_first && !tests::sweeping()) continue;
        const Shape shape = shape_of(parse_unit("f16*f16+f32->f32 K=4 L=1 : round[f32 rne](fuse[exact](p*, c))"));
        const Format& f16 = format(FormatId::f16);
        const auto loop = [&](const Inputs& v, std::uint64_t) -> std::uint64_t {
            const float c = std::bit_cast<float>(static_cast<std::uint32_t>(v.c));
            float sum = c_first ? c : 0;
            for (std::size_t k = 0; k < v.a.size(); ++k)
                sum = std::fma(static_cast<float>(to_double(f16, v.a[k])), static_cast<float>(to_double(f16, v.b[k])),
                               sum);
            return std::bit_cast<std::uint32_t>(c_first ? sum : sum + c);
        };
        Options options = quick();
        options.timeout = 6; // a long proof may be left open
        const Result r = identified(shape, loop, options);
        ASSERT_TRUE(r.unit);
        EXPECT_NE(
            r.conclusion,
            Conclusion::unexplained); // the proof that so wide a truncation is unobservable is long, and may stay open
        EXPECT_LE(r.observations.size(), 120u);
        const std::string chain = c_first ? "" : " c=last";
        const Unit truth = parse_unit("f16*f16+f32->f32 K=4 L=1" + chain +
                                      " nan=any : round[f32 rne overflow=inf](fuse[exact](p*, c))");
        Unit named = *r.unit;
        named.nan = truth.nan;
        EXPECT_EQ(differences(truth, named, 400), 0) << to_string(named);
        if (c_first) {
            EXPECT_EQ(canonical_text(named), canonical_text(truth));
        }
    }
}

/// A random member of the space, its parameters often those that decide nothing.
Unit random_unit(const std::vector<Structure>& space, Random& random) {
    const Structure& s = space[static_cast<std::size_t>(random.below(static_cast<int>(space.size())))];
    Assignment member;
    for (const Variable& v : s.variables)
        member.push_back(random.one_in(2) ? static_cast<std::size_t>(random.below(static_cast<int>(v.values.size())))
                                          : 0);
    return s.member(member);
}

TEST(Identify, NeverNamesAUnitThatDiffers) {
    const int count = tests::sweep(1);
    const std::uint64_t seed = 11;
    Random random(seed);
    const Shape shape = shape_of(resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32"));
    const std::vector<Structure> space = default_space(shape, Modes::usual);
    for (int i = 0; i < count; ++i) {
        const Unit truth = random_unit(space, random);
        const Evaluator evaluate(truth);
        Options options = quick();
        options.timeout = 4; // what is not proved by then is said to be open
        const Result r = identified(shape, model(evaluate), options);
        ASSERT_TRUE(r.unit) << "seed " << seed << " unit " << i << ": " << to_string(truth);
        EXPECT_NE(r.conclusion, Conclusion::unexplained);
        EXPECT_EQ(differences(truth, *r.unit, 400), 0)
            << "seed " << seed << " unit " << i << ": " << to_string(truth) << "\n"
            << to_string(*r.unit);
    }
}

TEST(Identify, AUnitOutsideOfTheSpaceIsUnexplained) {
    // Element 3 does not count when its factors are those of element 2: no tree does that.
    const Unit unit = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    const Evaluator evaluate(unit);
    Options options = quick();
    options.validate = 20'000;
    const Result r = identified(
        shape_of(unit),
        [&](const Inputs& v, std::uint64_t) {
            std::vector<std::uint64_t> a(v.a.begin(), v.a.end());
            if (a[2] == a[3] && v.b[2] == v.b[3]) a[3] = 0;
            return evaluate({a, v.b, v.sa, v.sb, v.c});
        },
        options);
    EXPECT_EQ(r.conclusion, Conclusion::unexplained);
    EXPECT_FALSE(r.unit);
    EXPECT_FALSE(r.observations.empty());
    EXPECT_FALSE(r.near.empty());
}

TEST(Identify, ATargetThatIsNotAFunctionIsTold) {
    const Unit unit = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    const Evaluator evaluate(unit);
    std::size_t i = 0;
    for (const std::uint64_t rate : {2, 3, 4, 1000, 5, 7}) { // one answer in so many has a wrong last bit
        if (!tests::takes_part(i++, 3)) continue;
        Options options = quick();
        options.validate = 20'000;
        const Result r = identified(
            shape_of(unit),
            [&](const Inputs& v, std::uint64_t count) { return evaluate(v) ^ (count % rate == rate - 1 ? 1u : 0u); },
            options);
        EXPECT_EQ(r.conclusion, Conclusion::unexplained) << rate;
        EXPECT_TRUE(r.unsteady) << rate;
        EXPECT_FALSE(r.unit);
    }
}

/// A library that gives another NaN for one vector than for many is a function in all else.
TEST(Identify, ANaNOfUnsteadyBitsIsAnyNaN) {
    const Unit unit = resolve_unit("bf16*bf16+f32->f32 K=4 L=4 nan=7fc00000 : round[f32 rne](fuse[exact](p*, c))");
    const Evaluator evaluate(unit);
    const auto target = [&](const Inputs& v, std::uint64_t count) {
        const std::uint64_t d = evaluate(v);
        return d == 0x7fc00000 && count % 3 == 2 ? 0xffc00000 : d;
    };
    const Result r = identified(shape_of(unit), target, quick());
    ASSERT_TRUE(r.unit);
    EXPECT_TRUE(r.conclusion == Conclusion::unique || r.conclusion == Conclusion::several) << name(r.conclusion);
    EXPECT_EQ(r.unit->nan, NanRule{});
    EXPECT_FALSE(r.unsteady);
    ASSERT_TRUE(r.unsteady_nan);
    EXPECT_NE(r.unsteady_nan->first, r.unsteady_nan->second);
    Unit any = unit;
    any.nan = {};
    EXPECT_EQ(differences(any, *r.unit, 400), 0) << to_string(*r.unit);
    // A NaN that is a number the next time is no function.
    const Result none = identified(
        shape_of(unit),
        [&](const Inputs& v, std::uint64_t count) {
            const std::uint64_t d = evaluate(v);
            return d == 0x7fc00000 && count % 3 == 2 ? 0 : d;
        },
        quick());
    EXPECT_EQ(none.conclusion, Conclusion::unexplained);
    EXPECT_FALSE(none.unit);
}

/// Answers that come late are put off, so that what is left may contradict them: such a unit is not named.
TEST(Identify, WithLittleTimeTheUnitThatIsNamedGivesAllThatWasObserved) {
    int named = 0, unnamed = 0;
    for (const char* unit : {"hopper/wgmma.m64n8k16.f16.f16.f16", "ada/mma.m8n8k4.f64.f64.f64.f64"})
        for (const double seconds : {0.0, 0.1}) {
            const Unit truth = resolve_unit(unit);
            const Evaluator evaluate(truth);
            Options options = quick();
            options.timeout = seconds;
            const Result r = identified(shape_of(truth), model(evaluate), options);
            EXPECT_NE(r.conclusion, Conclusion::unexplained) << unit << ", " << seconds << " s";
            if (!r.unit) {
                EXPECT_EQ(r.conclusion, Conclusion::open) << unit << ", " << seconds << " s";
                ++unnamed;
                continue;
            }
            ++named;
            const Evaluator of_named(*r.unit);
            for (const Observation& o : r.observations)
                EXPECT_TRUE(same_result(truth, of_named(o.vector.inputs()), o.vector.d.front()))
                    << unit << ", " << seconds << " s: " << to_string(*r.unit);
        }
    std::printf("%d named, %d not\n", named, unnamed);
}

TEST(Identify, AListedSpaceIsEnough) {
    const Unit base = resolve_unit("ampere/mma.m16n8k8.f32.f16.f16.f32");
    std::vector<std::pair<std::string, Unit>> members;
    for (const char* braces :
         {"{F=23}", "{F=24}", "{F=25}", "{F=24,round=rne}", "{L=4}", "{c=late}", "{F=24,floor=none}"})
        members.emplace_back(braces, with_overrides(base, braces));
    const Evaluator evaluate(with_overrides(base, "{c=late}"));
    const Result r = identified(shape_of(base), model(evaluate), quick(), Candidates(members));
    ASSERT_TRUE(r.unit);
    EXPECT_EQ(r.conclusion, Conclusion::unique);
    EXPECT_EQ(r.findings.front().value, "{c=late}");
}

// Members that differ in nothing but the NaN that they give: what the target gives decides, and none of them explains a
// fourth.
TEST(Identify, NaNOfMembersOfAList) {
    const Unit base = resolve_unit("e4m3ieee*e4m3ieee->e2m4ieee K=1 : round[e2m4ieee rz](fuse[F=12 rz](p*))");
    std::vector<std::pair<std::string, Unit>> members;
    for (const char* nan : {"any", "31", "33"})
        members.emplace_back(nan, with_overrides(base, "{nan=" + std::string(nan) + "}"));
    const Evaluator as_33(members[2].second);
    Options options = quick();
    options.list_same = true;
    const Result r = identified(shape_of(base), model(as_33), options, Candidates(members));
    EXPECT_EQ(r.conclusion, Conclusion::several);
    EXPECT_EQ(r.findings.front().value, "33");
    EXPECT_EQ(r.findings.front().also, std::vector<std::string>{"any"});
    members.erase(members.begin());
    const Evaluator as_35(with_overrides(base, "{nan=35}"));
    const Result none = identified(shape_of(base), model(as_35), quick(), Candidates(members));
    EXPECT_EQ(none.conclusion, Conclusion::unexplained);
    ASSERT_FALSE(none.near.empty());
    EXPECT_GT(none.near.front().mismatches, 0u);
}

TEST(Identify, OnlyTheGivenVectorsAreAsked) {
    const Unit unit = resolve_unit("volta/mma.m8n8k4.f32.f16.f16.f32");
    const Evaluator evaluate(unit);
    Options options = quick();
    options.timeout = 2;
    options.only.emplace();
    InputGenerator generator(unit, Family::cancelling, 5);
    InputBuffer v;
    for (int i = 0; i < 60; ++i) {
        generator.next(v);
        options.only->push_back(vector_of(shape_of(unit), v.inputs()));
    }
    const std::vector<Vector> known = *options.only;
    const Result r = identified(
        shape_of(unit),
        [&](const Inputs& in, std::uint64_t) {
            EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&](const Vector& k) {
                return std::equal(in.a.begin(), in.a.end(), k.a.begin()) && in.c == *k.c;
            }));
            return evaluate(in);
        },
        options);
    EXPECT_EQ(r.conclusion, Conclusion::open);
    ASSERT_TRUE(r.unit);
    for (const Vector& k : known) EXPECT_EQ(Evaluator(*r.unit)(k.inputs()), evaluate(k.inputs()));
}

} // namespace
} // namespace discern::identify
