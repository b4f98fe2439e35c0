// synth, prove and smt2 as a person runs them.
#include "program.hpp"

#include "certificate/check.hpp"
#include "models/catalogue.hpp"
#include "models/evaluate.hpp"
#include "models/vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace discern::testing {
namespace {

// Reads what synth printed and runs both units on it.
void expect_witnesses(const std::string& text, const std::string& first, const std::string& second,
                      std::size_t at_least) {
    std::istringstream in(text);
    const Unit one = resolve_unit(first), two = resolve_unit(second);
    VectorReader reader(in, "synth", ReadAs{first, shape_of(one)});
    Vector v;
    std::size_t count = 0;
    for (; reader.next(v); ++count) {
        ASSERT_EQ(v.d.size(), 2u);
        EXPECT_NE(v.d[0], v.d[1]);
        EXPECT_EQ(evaluate_exactly(one, v.inputs()), v.d[0]);
        EXPECT_EQ(evaluate_exactly(two, v.inputs()), v.d[1]);
    }
    EXPECT_GE(count, at_least);
}

TEST(Synth, PrintsVectorsOnWhichTheUnitsDiffer) {
    for (const char* solver : {"portfolio", "random", "z3", "sat"}) {
        const Outcome outcome = discern({"synth", volta, turing, "--solver", solver});
        if (outcome.status == 2 && outcome.err.find("there is no solver") != std::string::npos) continue;
        EXPECT_EQ(outcome.status, 1) << solver << ": " << outcome.err;
        expect_witnesses(outcome.out, volta, turing, 1);
    }
    const Outcome many = discern({"synth", volta, turing, "-n", "5"});
    EXPECT_EQ(many.status, 1);
    expect_witnesses(many.out, volta, turing, 5);
}

TEST(Synth, OneSeedOneAnswer) {
    const std::vector<std::string> command = {"synth", volta, turing, "--seed", "7", "-n", "3"};
    EXPECT_EQ(discern(command).out, discern(command).out);
}

TEST(Synth, JsonSaysWhoAnswered) {
    const Outcome outcome = discern({"synth", volta, turing, "--json"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(outcome.out.starts_with("{\"verdict\":\"different\",\"same_tree\":false,\"vectors\":[{\"a\":["))
        << outcome.out;
    EXPECT_NE(outcome.out.find("\"by\":\"random\""), std::string::npos) << outcome.out;
}

TEST(Prove, EqualUnitsEndWithStatusZero) {
    const Outcome same = discern({"prove", volta, volta + "{carry=3}"});
    EXPECT_EQ(same.status, 0);
    EXPECT_EQ(same.out, "equivalent: both units are the same computation of the inputs\n");
    const Outcome less = discern({"prove", volta, volta + "{carry=2}"});
    EXPECT_EQ(less.status, 1);
    expect_witnesses(less.out, volta, volta + "{carry=2}", 1);
}

TEST(Prove, UnknownIsSaidToBeUnknown) {
    const std::string one = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=12 rz carry=0](p*))";
    const std::string two = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=10 rz carry=0](p*))";
    const Outcome outcome = discern({"prove", one, two, "--solver", "random"}); // which cannot prove anything
    EXPECT_EQ(outcome.status, 3);
    EXPECT_TRUE(outcome.out.starts_with("unknown: ")) << outcome.out;
    EXPECT_EQ(discern({"prove", one, two}).status, 0);
}

TEST(Prove, WhatIsWrongIsASentenceAndStatusTwo) {
    const std::vector<std::vector<std::string>> wrong = {
        {"synth", "H100/e4m3", "H100/e5m2"},
        {"synth", volta, turing, "--solver", "z4"},
        {"synth", volta, turing, "--timeout", "-1"},
        {"synth", volta, turing, "-n", "0"},
        {"synth", volta},
        {"prove", volta, turing, "--certificate", "/dev/null"},
        {"smt2", volta, "volta/nosuch"},
    };
    for (const auto& command : wrong) {
        const Outcome outcome = discern(command);
        EXPECT_EQ(outcome.status, 2) << command.back();
        EXPECT_TRUE(outcome.err.starts_with("discern: ")) << outcome.err;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
}

TEST(Prove, WritesACertificateThatIsAccepted) {
    const Folder folder;
    const std::string one = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=12](p*))";
    const std::string two = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=10](p1, p0))";
    const std::string three = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=1](p*))";
    EXPECT_EQ(discern({"prove", one, two, "--certificate", folder.path("same")}).status, 0);
    EXPECT_EQ(discern({"prove", one, three, "--certificate", folder.path("other")}).status, 1);
    for (const char* name : {"same", "other"}) {
        const auto checked = certificate::check_certificate(folder.path(name));
        EXPECT_EQ(checked.refused, "");
        EXPECT_STREQ(checked.claim(), name == std::string("same") ? "equivalent" : "different");
    }
    // Limits of the inputs are part of the claim: numbers and no subnormals, without which the two differ.
    const std::vector<std::string> limited = {"prove",          one, three, "--values", "a:1..1.2,b:-1.9..1.5",
                                              "--no-subnormals"};
    std::vector<std::string> with_certificate = limited;
    with_certificate.insert(with_certificate.end(), {"--certificate", folder.path("limited")});
    ASSERT_EQ(discern(with_certificate).status, 0);
    const auto within = certificate::check_certificate(folder.path("limited"));
    EXPECT_STREQ(within.verdict(), "accepted") << within.refused;
    EXPECT_EQ(within.limits, (certificate::Limits{.no_subnormals = true, .numbers = {{"a", 2, 2}, {"b", 0xb, 3}}}));
    const Outcome again = discern({"prove", one, two, "--certificate", folder.path("same")});
    EXPECT_EQ(again.status, 2);
    EXPECT_NE(again.err.find("new or an empty folder"), std::string::npos) << again.err;
    // Nothing is written of what is not known.
    const std::string carry = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=12 rz carry=0](p*))";
    const std::string other = "e2m1*e2m1->f32 K=2 : round[f32 rz](fuse[F=10 rz carry=0](p*))";
    const Outcome unknown =
        discern({"prove", carry, other, "--solver", "random", "--certificate", folder.path("none")});
    EXPECT_EQ(unknown.status, 3);
    EXPECT_EQ(unknown.err, "discern: there is no certificate: the answer is not known\n");
    EXPECT_FALSE(std::filesystem::exists(folder.path("none")));
    // Of classes: a suite and its audit.
    const std::string vectors = folder.path("suite.jsonl");
    const Outcome suite = discern({"suite", one, two, three, "-o", vectors, "--certificate", folder.path("classes")});
    EXPECT_EQ(suite.status, 0) << suite.err;
    const std::string space = "@" + folder.path("space");
    std::ofstream(folder.path("space")) << one << '\n' << two << '\n' << three << '\n';
    EXPECT_EQ(discern({"audit", vectors, "--space", space, "--certificate", folder.path("audit")}).status, 0);
    for (const char* name : {"classes", "audit"}) {
        const auto checked = certificate::check_certificate(folder.path(name));
        EXPECT_STREQ(checked.verdict(), "accepted") << checked.refused;
        EXPECT_EQ(checked.classes.size(), 1U);
        EXPECT_EQ(checked.merges, 1U);
    }
}

TEST(Smt2, WritesTheQuestion) {
    const Outcome outcome = discern({"smt2", volta, turing});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("(set-logic QF_BV)"), std::string::npos);
    EXPECT_NE(outcome.out.find("(declare-fun a3 () (_ BitVec 16))"), std::string::npos);
}

} // namespace
} // namespace discern::testing
