// The checker of proofs on small formulas: what it accepts, what it refuses, and with which sentence.
#include "certificate/proof.hpp"
#include "certificate/sha256.hpp"

#include "models/error.hpp"

#include <gtest/gtest.h>

namespace discern::tests {
namespace {

using namespace certificate;

/// Whether the checker accepts; the sentence if not.
std::string refusal(const Formula& formula, const std::string& proof) {
    try {
        check_proof(formula, proof);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

Formula formula_of(std::initializer_list<std::vector<std::int32_t>> clauses, std::size_t variables) {
    Formula formula;
    formula.variables = variables;
    for (const auto& clause : clauses) formula.add(clause);
    return formula;
}

TEST(Proof, Steps) {
    const Formula formula = formula_of({{1, 2}, {1, -2}, {-1, 2}, {-1, -2}}, 2);
    EXPECT_EQ(refusal(formula, "5 1 0 1 2 0\n6 0 5 3 4 0\n"), "");
    EXPECT_EQ(refusal(formula, "5 1 0 1 2 0\n5 d 1 2 0\n6 0 5 3 4 0\n"), "");
    // With a definition: 3 is 1 and 2.
    EXPECT_EQ(refusal(formula, "5 e and 3 1 2 0\n8 2 3 0 1 5 0\n"),
              "proof, line 2: clause 5 is named as a hint, but has "
              "more than one literal left");
    EXPECT_EQ(refusal(formula, "5 e and 3 1 2 0\n8 -3 0 5 6 4 0\n9 1 0 1 2 0\n10 0 9 3 7 8 0\n"), "");
    // A clause may have a literal twice.
    EXPECT_EQ(refusal(formula_of({{1, 1}, {-1, -1}}, 1), "3 0 1 2 0\n"), "");
}

TEST(Proof, RefusesWhatIsNone) {
    const Formula formula = formula_of({{1, 2}, {1, -2}, {-1, 2}, {-1, -2}}, 2);
    const struct {
        const char *proof, *sentence;
    } cases[] = {
        {"", "proof, line 1: the proof ends before the empty clause"},
        {"5 1 0 1 2 0\n", "proof, line 2: the proof ends before the empty clause"},
        {"5 1 0 1 2 0\n6 0 5 3 4 0", "proof, line 2: the end of the line is expected"},
        {"5 1 0 1 2 0\n6 0 5 3 4 0\n\n", "proof, line 2: there is text after the empty clause"},
        {"5 0 1 2 3 4 0\n", "proof, line 1: clause 1 is named as a hint, but has more than one literal left"},
        {"5 1 0 0\n", "proof, line 1: the hints do not show that the clause follows"},
        {"5 1 0 1 0\n", "proof, line 1: the hints do not show that the clause follows"},
        {"5 1 0 1 2 3 0\n", "proof, line 1: there are hints after the conflict"},
        {"6 1 0 1 2 0\n", "proof, line 1: the next clause has the number 5"},
        {"5 3 0 1 2 0\n", "proof, line 1: there is no literal 3"},
        {"5 -3 0 1 2 0\n", "proof, line 1: there is no literal -3"},
        {"5 1 -1 0 1 2 0\n", "proof, line 1: the clause has a literal and its opposite"},
        {"5 1 0 1 5 0\n", "proof, line 1: there is no clause 5"},
        {"5 d 1 0\n5 1 0 1 2 0\n", "proof, line 2: there is no clause 1"},
        {"5 d 9 0\n", "proof, line 1: there is no clause 9"},
        {"5 1 0 1 -2 0\n", "proof, line 1: there is no clause -2"},
        {"5 e and 2 1 1 0\n", "proof, line 1: the next variable is 3"},
        {"5 e and 3 1 3 0\n", "proof, line 1: there is no literal 3"},
        {"5 e and 3 0 1 0\n", "proof, line 1: there is no literal 0"},
        {"5 e and 3 1 2 1 0\n", "proof, line 1: 0 is expected after the inputs of a gate"},
        {"5 e nand 3 1 2 0\n", "proof, line 1: there is no such gate; and, xor, ite or maj are right"},
        {"5 1 0 1 x 0\n", "proof, line 1: a number is expected"},
        {"5 1 0 1 2x 0\n", "proof, line 1: a number is expected"},
        {"5 1 0 1 99999999999999999999 0\n", "proof, line 1: a number is expected"},
    };
    for (const auto& [proof, sentence] : cases) EXPECT_EQ(refusal(formula, proof), sentence) << proof;
}

TEST(Proof, DefinitionsSayWhatTheGateIs) {
    // Of all values of the inputs and the new variable, the clauses leave those in which it is the gate's value.
    for (const Gate gate : {Gate::and_, Gate::xor_, Gate::mux, Gate::majority}) {
        Formula formula;
        const std::int32_t in[] = {1, -2, 3};
        add_gate_clauses(formula, gate, 4, std::span(in, inputs_of(gate)));
        for (unsigned values = 0; values < 16; ++values) {
            const auto value = [&](std::int32_t x) { return (((values >> (std::abs(x) - 1)) & 1u) != 0) == (x > 0); };
            bool holds = true;
            for (std::size_t i = 0; i < formula.size(); ++i)
                holds = holds && std::any_of(formula[i].begin(), formula[i].end(), value);
            const bool x = value(1), y = value(-2), z = value(3);
            const bool result = gate == Gate::and_   ? x && y
                                : gate == Gate::xor_ ? x != y
                                : gate == Gate::mux  ? (x ? y : z)
                                                     : int(x) + int(y) + int(z) >= 2;
            EXPECT_EQ(holds, value(4) == result);
        }
    }
}

TEST(Proof, Digests) {
    EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

} // namespace
} // namespace discern::tests
