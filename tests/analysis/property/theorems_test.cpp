// What each theorem needs, one by one, and that what it says is so: on all inputs of units that are small enough.
#include "ask.hpp"
#include "truth.hpp"

#include "analysis/property/elements.hpp"
#include "analysis/property/theorems.hpp"
#include "analysis/property/tree/errors.hpp"
#include "analysis/property/tree/sizes.hpp"

#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

namespace discern::property {
namespace {

Unit tree(const std::string& text) { return parse_unit("f16*f16+f32->f32 K=4 : " + text); }

TEST(Theorems, NeedWhatTheySay) {
    const Unit plain = tree("round[f32 rz](fuse[F=24 rz](p*, c))");
    EXPECT_TRUE(is_symmetric_in_signs(plain));
    EXPECT_TRUE(forgets_zeros(plain));
    for (const char* other :
         {"round[f32 rd](fuse[F=24 rz](p*, c))", "round[f32 rz](fuse[F=24 ru](p*, c))",
          "round[f32 rz](fuse[F=24 rz](p*, c @ [rd]))", "round[f32 rz](fuse[F=24 rz sticky](p*, c))",
          "round[f32 rz](fuse[F=24 rz carry=2](p*, c))", "round[f32 rz](fuse[F=24 rz frame=c](p*, c))"})
        EXPECT_FALSE(is_symmetric_in_signs(tree(other))) << other;
    for (const char* alike : {"round[f32 rne](fuse[exact](p*, c))", "round[f32 rna](fuse[F=9 odd](p*, c))",
                              "round[f32 rz](fuse[F=24 rz zero=emin floor=-9](p*, c))"})
        EXPECT_TRUE(is_symmetric_in_signs(tree(alike))) << alike;
    EXPECT_FALSE(forgets_zeros(tree("round[f32 rz](fuse[F=24 rz zero=emin](p*, c))")));
    EXPECT_FALSE(forgets_zeros(tree("round[f32 rz](fuse[F=24 rz frame=c](p*, c))")));
    EXPECT_TRUE(forgets_zeros(tree("round[f32 rz](fuse[F=24 rz](p*, c @ [zero=emin]))")));
    EXPECT_TRUE(forgets_zeros(tree("round[f32 rz](fuse[F=24 rz zero=-99](p*, c))")));
}

TEST(Theorems, OfOrder) {
    EXPECT_TRUE(knows_no_order(tree("round[f32 rz](fuse[F=24 rz](p*, c))")));
    EXPECT_TRUE(knows_no_order(tree("round[f32 rz](fuse[F=24 rz](p0, c, p2, p1, p3))")));
    EXPECT_FALSE(knows_no_order(tree("round[f32 rz](fuse[F=24 rz](p0, c, p2, p1 @ [rne], p3))")));
    const Unit pairs = tree("round[f32 rne](fuse[exact](round[f32 rne](fuse[exact](p0, p1)), "
                            "round[f32 rne](fuse[exact](p2, p3)), c))");
    EXPECT_TRUE(are_alike(pairs, 0, 1));
    EXPECT_FALSE(are_alike(pairs, 1, 2));
    EXPECT_FALSE(knows_no_order(pairs));
    const auto groups = [](const char* scale) {
        return parse_unit(std::string("e2m1*e2m1+f32->f32 K=8 ") + scale +
                          " : round[f32 rz](fuse[F=35 rz](g*[G=2], c))");
    };
    EXPECT_TRUE(knows_no_order(groups("scale=ue4m3/2"))) << "only products of one group share their scales";
    EXPECT_FALSE(knows_no_order(groups("scale=ue4m3/4")));
    EXPECT_TRUE(are_alike(groups("scale=ue4m3/4"), 2, 3));
    EXPECT_FALSE(are_alike(groups("scale=ue4m3/4"), 1, 2));
}

TEST(Theorems, OfHalves) {
    const auto unit = [](const char* words) {
        return parse_unit(std::string("f16*f16+f32->f32 ") + words + " : round[f32 rz](fuse[F=24 rz](p*, c))");
    };
    EXPECT_TRUE(is_chain_of_halves(unit("K=16 L=4")));
    EXPECT_TRUE(is_chain_of_halves(unit("K=16 L=4 interleave=2")));
    EXPECT_FALSE(is_chain_of_halves(unit("K=8 L=4 interleave=2"))) << "the halves are not those of the runs";
    EXPECT_FALSE(is_chain_of_halves(unit("K=8 L=8")));
    EXPECT_FALSE(is_chain_of_halves(unit("K=12 L=4")));
    EXPECT_FALSE(is_chain_of_halves(unit("K=16 L=4 c=last")));
}

TEST(Theorems, OfLargeNumbers) {
    EXPECT_TRUE(never_overflows(tree("round[f32 rz overflow=inf](fuse[F=24 rz](p*, c))")));
    EXPECT_TRUE(never_overflows(tree("round[f32 rne](fuse[F=32 rd](p*, c))")));
    EXPECT_FALSE(never_overflows(tree("round[f32 rne](fuse[F=24 rd](p*, c))")))
        << "small products are cut away from zero";
    EXPECT_FALSE(never_overflows(tree("round[f32 ru](fuse[F=24 rz](p*, c))"))) << "c and a little are more than c";
    EXPECT_FALSE(never_overflows(tree("round[f32 rne](fuse[F=22 rd](p*, c))"))) << "c is cut away from zero";
    EXPECT_FALSE(
        never_overflows(parse_unit("bf16*bf16+f32->f32 K=4 : round[f32 rz overflow=inf](fuse[F=24 rz](p*, c))")));
    EXPECT_TRUE(
        never_overflows(parse_unit("bf16*bf16+f32->f32 K=4 : round[f32 rz overflow=max](fuse[F=24 rz](p*, c))")));
    const auto chain = [](const char* words) {
        return parse_unit(std::string("e4m3*e4m3+f16->f16 ") + words +
                          " : round[f16 rne overflow=inf](fuse[F=25 rz](p*, c))");
    };
    EXPECT_FALSE(never_overflows(chain("K=4")));
    EXPECT_TRUE(never_overflows_within(chain("K=4"))) << "nothing is added to what may overflow";
    EXPECT_FALSE(never_overflows_within(chain("K=4 L=2")));
    EXPECT_TRUE(loses_less_than_overflow(chain("K=4")));
    EXPECT_FALSE(loses_less_than_overflow(chain("K=4 L=2")));
    EXPECT_TRUE(propagates_specials(chain("K=4")));
    EXPECT_FALSE(propagates_specials(chain("K=4 L=2")));
    EXPECT_FALSE(propagates_specials(tree("round[f32 rz](fuse[F=24 rz](p*[ftz], c))"))) << "infinity times subnormal";
    EXPECT_TRUE(propagates_specials(tree("round[f32 rz](fuse[F=24 rz](p*[limit=128], c))"))) << "out of reach";
    EXPECT_FALSE(propagates_specials(tree("round[f32 rz](fuse[F=24 rz](p*[limit=31], c))")));
}

/// Whether d never falls while the one product grows, for any c. Of finite inputs.
bool grows(const Unit& unit) {
    const Format &a = format(unit.a), &b = format(unit.b), &c = format(*unit.c), &d = format(unit.d);
    const Evaluator evaluator(unit);
    std::map<double, std::vector<std::pair<std::uint64_t, std::uint64_t>>> factors;
    for (std::uint64_t x = 0; x <= a.mask(); ++x)
        for (std::uint64_t y = 0; y <= b.mask(); ++y)
            if (is_finite(a, x) && is_finite(b, y)) factors[to_double(a, x) * to_double(b, y)].emplace_back(x, y);
    for (std::uint64_t z = 0; z <= c.mask(); ++z) {
        if (!is_finite(c, z)) continue;
        std::optional<std::int64_t> highest; // of smaller products
        for (const auto& [product, all] : factors) {
            std::int64_t most = INT64_MIN;
            for (const auto& [x, y] : all) {
                const std::int64_t place = place_of(d, evaluator({{&x, 1}, {&y, 1}, {}, {}, z}));
                if (highest && place < *highest) return false;
                most = std::max(most, place);
            }
            highest = std::max(highest.value_or(most), most);
        }
    }
    return true;
}

// Wherever the theorem says so, it is so; and there are such F, and F at which it is not.
TEST(Theorems, BitsToSpareAreEnough) {
    for (const char* formats : {"e4m1*e4m1+e4m2->e4m2", "e4m2*e4m1+e5m1->e5m1"}) {
        int enough = 0, too_few = 0;
        for (int F = 1; F <= 14; ++F) {
            const Unit unit = parse_unit(std::string(formats) + " K=1 : round[" + std::string(formats).substr(16) +
                                         " rz](fuse[F=" + std::to_string(F) + " rz](p*, c))");
            const bool holds = grows(unit);
            EXPECT_TRUE(holds || !has_bits_to_spare(unit)) << to_string(unit);
            enough += has_bits_to_spare(unit) ? 1 : 0;
            too_few += holds ? 0 : 1;
        }
        EXPECT_GT(enough, 3) << formats;
        EXPECT_GT(too_few, 0) << formats;
    }
}

/// The largest n up to `most` within which d is the exact sum rounded once, of two products, by 1 and by 1.5; −1: none.
int exact_up_to(const Unit& unit, int most) {
    const Format &a = format(unit.a), &c = format(*unit.c), &d = format(unit.d);
    const Evaluator evaluator(unit), once(exact_unit(unit, last_rounding(unit)));
    const std::uint64_t one = pack(format(unit.b), {.significand = 2, .exponent = 0}), more = one + 1;
    int n = most;
    for (std::uint64_t x = 0; x <= a.mask(); ++x)
        for (std::uint64_t y = 0; y <= a.mask(); ++y)
            for (std::uint64_t z = 0; z <= c.mask(); ++z) {
                if (!is_finite(a, x) || !is_finite(a, y) || !is_finite(c, z)) continue;
                Vector v;
                v.a = {x, y};
                v.b = {one, more};
                v.c = z;
                if (alike(d, evaluator(v.inputs()), once(v.inputs()), Zeros::alike)) continue;
                while (n >= 0 && exponents_within(unit, v.inputs(), n)) --n;
            }
    return n;
}

// A floor may truncate products whose sum with all terms near them is rounded to zero anyway; both such floors, and
// floors that are too high for that.
TEST(Theorems, NothingIsTruncatedThatCounts) {
    int by_floor = 0, too_high = 0, next_fails = 0;
    for (int F = 2; F <= 5; ++F)
        for (int place = -8; place <= -2; ++place)
            for (const auto& [mode, cut] : {std::pair("rz", "rz"), std::pair("rne", "rz"), std::pair("rz", "rd")}) {
                const std::string floor = std::to_string(place + F), sum = std::to_string(F);
                const Unit unit =
                    parse_unit("e4m1ieee*e2m1ieee+e3m1ieee->e3m1ieee K=2 : round[e3m1ieee " + std::string(mode) +
                               "](fuse[F=" + sum + " " + cut + " floor=" + floor + "](p*, c))");
                const std::optional<int> n = exact_within(unit);
                const int most = exact_up_to(unit, 20);
                EXPECT_GE(most, n.value_or(-1)) << to_string(unit);
                if (cut == std::string("rd")) { // what is truncated may grow
                    EXPECT_FALSE(n && place > -8) << to_string(unit);
                }
                by_floor += n && place > -8 ? 1 : 0; // products are multiples of 2^−8
                too_high += most < 0 ? 1 : 0;
                next_fails += n && most == *n ? 1 : 0;
            }
    EXPECT_GT(by_floor, 2);
    EXPECT_GT(too_high, 4);
    EXPECT_GT(next_fails, 4);
}

// Of trees of two products of four bits: whatever a tree alone proves is true of all inputs.
TEST(Theorems, AreTrueOfAllInputs) {
    static constexpr std::pair<const char*, bool (Truth::*)() const> rows[] = {
        {"negation", &Truth::negation},
        {"swap", &Truth::swap},
        {"order-in-block", &Truth::order_in_block},
        {"monotonic", &Truth::monotonic},
        {"specials", &Truth::specials},
        {"no-false-overflow", &Truth::no_false_overflow},
        {"zero-neutral", &Truth::zero_neutral},
        {"split", &Truth::split}};
    std::map<std::string, int> proved;
    std::vector<const char*> texts = {"L=2 : round[e3m1ieee rz overflow=inf](fuse[F=3 rz](p0, p1, c))",
                                      "L=1 : round[e3m1ieee rz](fuse[F=8 rz](p*, c))"};
    if (tests::sweeping())
        texts.insert(texts.end(),
                     {"L=2 : round[e3m1ieee rne overflow=inf](fuse[F=8 rz](p*, c))",
                      "L=2 : round[e4m1ieee rz overflow=inf](fuse[F=3 rz floor=1](p*, c))",
                      "L=1 : round[e4m1ieee rne](fuse[F=1 rd](p*, c))",
                      "L=2 : round[e4m1ieee rne](fuse[F=1 rd](p*, c))",
                      "L=2 : round[e4m1ieee rne](fuse[exact](round[e3m1ieee rne](fuse[exact](p0, p1)), c))"});
    for (const char* text : texts) {
        const std::string d = std::string(text).substr(std::string(text).find('[') + 1, 8);
        const Unit unit = parse_unit("e2m1ieee*e2m1ieee+" + d + "->" + d + " K=2 " + text);
        const Truth truth(unit);
        for (const auto& [name, is_true] : rows) {
            if (!require_property(name).why_not(unit).empty() || !theorem_for(name, unit, std::nullopt)) continue;
            ++proved[name];
            EXPECT_TRUE((truth.*is_true)()) << name << " of " << to_string(unit);
        }
        if (const auto most = most_numbers_off(unit, largest_error)) {
            ++proved["max-error"];
            EXPECT_LE(truth.max_error().value_or(1e9), static_cast<double>(*most)) << to_string(unit);
        }
    }
    for (const auto& [name, is_true] : rows) EXPECT_GT(proved[name], 0) << name << ": no unit has it";
    EXPECT_GT(proved["max-error"], 0);
}

// ---- edges at which theorems were once said of what is not so; and what lies on the other side of each

TEST(Theorems, OfInfinityTimesZero) {
    const auto of = [](const char* formats, const char* words) {
        return is_symmetric_in_signs(
            parse_unit(std::string(formats) + " K=1 : round[f32 rz](fuse[F=24 rz](p*[" + words + "], c))"));
    };
    for (const char* words : {"infzero", "ftz infzero", "ftz=pos", "ftz=plus"})
        EXPECT_TRUE(of("tf32*tf32+f32->f32", words)) << words;
    for (const char* words : {"ftz=pos infzero", "ftz=plus infzero"}) {
        EXPECT_FALSE(of("tf32*tf32+f32->f32", words)) << words;
        EXPECT_TRUE(of("tf32*e4m3+f32->f32", words)) << "b is never infinite: " << words;
    }
    EXPECT_FALSE(of("e5m2fnuz*e5m2+f32->f32", "infzero")) << "a zero has no sign";
    EXPECT_TRUE(of("e5m2*e5m2fnuz+f32->f32", "infzero")) << "nor has one of b, but a is negated";
}

// What is all ones is NaN, and what is truncated to it, or rounded to odd from below it, is beyond the largest number.
TEST(Theorems, OfLargeNumbersWithoutInfinity) {
    const auto of = [](const std::string& rounding, const char* products) {
        return never_overflows(parse_unit("e3m8f*e3m8f->e5m7fn K=" + std::string(products) + " : round[e5m7fn " +
                                          rounding + "](fuse[exact](p*))"));
    };
    for (const char* rounding : {"rz overflow=inf", "odd overflow=inf", "rne", "ru overflow=inf"}) {
        EXPECT_FALSE(of(rounding, "128")) << rounding;
        EXPECT_TRUE(of(rounding, "126")) << rounding;
    }
    for (const auto& [mode, never] : {std::pair("rz", true), std::pair("odd", false)})
        EXPECT_EQ(never_overflows(parse_unit(std::string("e2m1f*e2m1f->e4m1fn K=8 : round[e4m1fn ") + mode +
                                             " overflow=inf](fuse[exact](p*))")),
                  never)
            << mode << ": 288 is above the largest number, 256, and below the next one, 384";
    EXPECT_TRUE(of("rz", "128")) << "the largest number is given";
}

// A result that was made the largest number, and to which something is added, is as far off as can be.
TEST(Theorems, OfTheLargestNumberInsteadOfOneBeyond) {
    const auto of = [](const std::string& words) {
        return most_ulps_off(parse_unit("e4m3*e4m3+f16->f16 " + words)).has_value();
    };
    EXPECT_FALSE(of("K=2 L=1 : round[f16 rz](fuse[F=20 rz](p*, c))"));
    EXPECT_FALSE(of("K=2 L=1 : round[f16 rne overflow=max](fuse[F=20 rz](p*, c))"));
    EXPECT_TRUE(of("K=2 L=1 : round[f16 rz overflow=inf](fuse[F=20 rz](p*, c))"));
    EXPECT_TRUE(of("K=2 : round[f16 rz](fuse[F=20 rz](p*, c))")) << "nothing is added to it";
    EXPECT_FALSE(of("K=2 c=last : round[f16 rz](fuse[F=20 rz](p*, c))"));
    EXPECT_TRUE(of("K=2 : round[f16 rz](round[e8m20 rz](fuse[F=20 rz](p*, c)))"));
    EXPECT_FALSE(of("K=2 : round[f16 rz](round[e4m10ieee rz](fuse[F=20 rz](p*, c)))")) << "from smaller numbers";
    EXPECT_TRUE(of("K=2 : round[f16 rne](fuse[exact](round[f32 rz](p0), p1, c))")) << "so large is no product";
    EXPECT_FALSE(never_saturates_within(resolve_unit("ampere/mma.m8n8k4.f64.f64.f64.f64{round=rz}")));
    for (const char* unit : {"ampere/mma.m8n8k4.f64.f64.f64.f64", "cdna3/v_mfma_f32_32x32x8_bf16"})
        EXPECT_TRUE(never_saturates_within(resolve_unit(unit))) << unit;
}

// Units of which some theorem, or bound, was not true; all of their inputs, or many of them.
TEST(Theorems, AreTrueAtTheEdges) {
    using Holds = bool (Truth::*)() const;
    static const std::map<std::string_view, Holds> rows = {{"negation", &Truth::negation},
                                                           {"monotonic", &Truth::monotonic},
                                                           {"no-false-overflow", &Truth::no_false_overflow},
                                                           {"specials", &Truth::specials}};
    for (const char* text : {
             // infinity times a zero whose sign was lost
             "e2m2fnuz*e2m1ieee->e4m4ieee K=1 : round[e4m4ieee rz](fuse[F=9 rz](p*[infzero]))",
             "e2m1ieee*e2m1ieee->e4m3ieee K=2 : round[e4m3ieee rne](fuse[F=6 rne](p*[ftz=pos infzero]))",
             "e2m1ieee*e2m1ieee->e4m3ieee K=2 : round[e4m3ieee rne](fuse[F=6 rne](p*[ftz=plus infzero]))",
             // the pattern above the largest number
             "e2m2f*e2m2fnuz->e3m2fn K=1 : round[e3m2fn odd overflow=inf](fuse[exact](p*))",
             "e2m2f*e2m1fn->e3m2fn K=1 : round[e3m2fn rz overflow=inf](fuse[exact](p*))",
             "e2m2f*e2m1f->e3m2inuz K=1 : round[e3m2inuz odd overflow=inf](fuse[F=3 rz](p*))",
             "e2m1inuz*e2m1inuz->e3m1inuz K=2 : round[e3m1inuz odd overflow=inf](fuse[F=2 rz](p*))",
             "e2m1inuz*e2m1inuz->e3m2inuz K=2 : round[e3m2inuz rne](fuse[F=4 rz](p*[infzero]))",
             // saturated, and then added to
             "e2m1ieee*e2m1ieee+e2m1ieee->e2m4ieee K=2 L=1 : round[e2m4ieee rz](fuse[exact](p*, c))",
             // a zero that an inner round made, of an exponent above all others
             "e4m2ieee*e2m1ieee->e5m4ieee K=1 : round[e5m4ieee rne](fuse[F=4 rz](p*, round[e2m2ieee rne](c)))",
             // the exponent of a zero sum of products truncates c
             "e2m1ieee*e2m1ieee+e4m4ieee->e4m4ieee K=1 : round[e4m4ieee rz](fuse[F=7 rz](p* @ [exact zero=12], c))",
             // NaN that becomes a number
             "e2m2ieee*e2m2ieee->e3m3ieee K=1 : round[e3m3ieee rne](fuse[exact](round[fix6.2 rne](round[e2m2fn "
             "rne](p0))))",
             // a group that is dropped, of an exponent that says nothing of its size
             "e2m1f*e2m1f+e5m1ieee->e5m3ieee K=1 : round[e5m3ieee rne](fuse[exact](g*[G=1 empty=ignore] @ [drop=4], "
             "c))",
         }) {
        const Unit unit = parse_unit(text);
        ASSERT_LE(AllInputs::bits(unit), 20) << text;
        const Truth truth(unit);
        for (const auto& [name, holds] : rows) {
            std::optional<Basis> basis = theorem_for(name, unit, std::nullopt);
            if (!basis) basis = theorem_for(name, unit, Limit::after(60));
            if (!basis) continue;
            EXPECT_TRUE((truth.*holds)()) << name << " of " << text << ", by " << basis->by;
        }
        if (const auto k = most_ulps_off(unit)) {
            EXPECT_LE(truth.error_of_terms(), *k) << text;
        }
        if (const auto k = most_numbers_off(unit, largest_error)) {
            EXPECT_LE(truth.max_error().value_or(1e9), static_cast<double>(*k)) << text;
        }
    }
    const Unit deep = parse_unit("bf16*bf16->f64 K=1 : round[f64 rne](fuse[F=52 rz](p*, round[e3m2ieee rne](c)))");
    EXPECT_GE(most_ulps_off(deep).value_or(1e99), 0x1p52) << "2^-126 is cut where the zero is";
}

} // namespace
} // namespace discern::property
