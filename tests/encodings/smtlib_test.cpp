// Scripts for other solvers: their form, and, where such programs are installed, their answers.
#include "encodings/graph/smtlib.hpp"

#include "encodings/encode.hpp"
#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace discern {
namespace {

std::string script(const Unit& first, const Unit& second) {
    Terms terms;
    const InputTerms inputs = input_variables(terms, first);
    const Term differ[] = {
        results_differ(terms, first, second, encode(terms, first, inputs), encode(terms, second, inputs))};
    std::ostringstream out;
    write_smtlib(out, terms, differ, "first line\nsecond line", false);
    return out.str();
}

TEST(Smtlib, DeclaresEveryVariableAndAsksOnce) {
    const Unit one = parse_unit("e4m3*e4m3+f32->f32 K=2 : round[f32 rz](fuse[F=13 rz](p*, c))");
    const Unit two = parse_unit("e4m3*e4m3+f32->f32 K=2 : round[f32 rz](fuse[F=14 rd](p*, c))");
    const std::string text = script(one, two);
    EXPECT_TRUE(text.starts_with("; first line\n; second line\n(set-logic QF_BV)\n")) << text.substr(0, 100);
    for (const char* declaration :
         {"(declare-fun a0 () (_ BitVec 8))", "(declare-fun b1 () (_ BitVec 8))", "(declare-fun c () (_ BitVec 32))"})
        EXPECT_NE(text.find(declaration), std::string::npos) << declaration;
    EXPECT_EQ(std::count(text.begin(), text.end(), '('), std::count(text.begin(), text.end(), ')'));
    EXPECT_TRUE(text.ends_with("(check-sat)\n(exit)\n"));
}

// Both questions use every operation that the encoder does; the answers are known from the formats: products of e2m1
// span 12 places.
TEST(Smtlib, OtherSolversReadItAndAgree) {
    const Unit one = parse_unit("e2m1*e2m1->f16 K=2 : round[f16 rd](fuse[F=12 rz](p*[full]))");
    const Unit same = parse_unit("e2m1*e2m1->f16 K=2 : round[f16 rd](fuse[exact](p*))");
    const Unit other = parse_unit("e2m1*e2m1->f16 K=2 : round[f16 rne](fuse[F=3 rd zero=emin](p*))");
    char pattern[] = "/tmp/discern-smtlib-XXXXXX";
    const std::string folder = ::mkdtemp(pattern);
    int asked = 0;
    for (const char* program : {"z3", "cvc5", "boolector"}) {
        if (std::system(("command -v " + std::string(program) + " > /dev/null").c_str()) != 0) continue;
        for (const auto& [unit, expected] : {std::pair(same, "unsat"), std::pair(other, "sat")}) {
            const std::string file = folder + "/q.smt2", answer = folder + "/answer";
            std::ofstream(file) << script(one, unit);
            std::system((std::string(program) + " " + file + " > " + answer + " 2>&1").c_str());
            std::string line;
            std::ifstream in(answer);
            std::getline(in, line);
            EXPECT_EQ(line, expected) << program;
            ++asked;
        }
    }
    std::system(("rm -r " + folder).c_str());
    if (asked == 0) GTEST_SKIP() << "neither z3 nor cvc5 nor boolector is installed as a program";
}

} // namespace
} // namespace discern
