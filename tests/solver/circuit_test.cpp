// The report that is written when a vector does not hold: whole enough to reproduce the trouble elsewhere.
#include "solver/question/circuit.hpp"

#include "models/notation.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <unistd.h>

namespace discern {
namespace {

TEST(Report, HoldsTheQuestionTheVectorAndAllResults) {
    const std::string tree = "f16*f16->f32 K=1 nan=any : round[f32 rz](fuse[F=24 rz](p*))";
    const Question question{parse_unit(tree), parse_unit("f16*f16->f32 K=1 : round[f32 rz](fuse[F=5 rz](p*))"), {}};
    Vector same; // 1 · 1, on which the units do not differ
    same.a = same.b = {0x3c00};
    char pattern[] = "/tmp/discern-report-XXXXXX";
    const std::filesystem::path folder = ::mkdtemp(pattern);
    std::filesystem::path file;
    try {
        require_replay(question, same, "somebody", folder);
        FAIL() << "it does not hold";
    } catch (const std::logic_error& error) {
        file = std::filesystem::directory_iterator(folder)->path();
        EXPECT_EQ(std::string(error.what()),
                  "a vector found by 'somebody' does not hold when it is replayed; see the report " + file.string());
    }
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    for (const std::string part : {"somebody", "f16*f16->f32 K=1", R"("a":["3c00"])", "exact oracle: 3f800000 3f800000",
                                   "terms: 3f800000 3f800000", "(set-logic QF_BV)", "(check-sat)"})
        EXPECT_NE(text.str().find(part), std::string::npos) << part << " is not in\n" << text.str().substr(0, 800);
    std::filesystem::remove_all(folder);
}

} // namespace
} // namespace discern
