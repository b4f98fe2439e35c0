// The checker of proofs on small formulas, and formula and AIGER file of a miter against its simulation.
#include "certificate/proof.hpp"
#include "certificate/sha256.hpp"
#include "plain_unit.hpp"

#include "models/error.hpp"

#include <gtest/gtest.h>

#include <sstream>

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
        {"5 1 -1 0 1 2 0\n", "proof, line 1: the clause has a literal and its opposite"},
        {"5 1 0 1 5 0\n", "proof, line 1: there is no clause 5"},
        {"5 d 1 0\n5 1 0 1 2 0\n", "proof, line 2: there is no clause 1"},
        {"5 d 9 0\n", "proof, line 1: there is no clause 9"},
        {"5 e and 2 1 1 0\n", "proof, line 1: the next variable is 3"},
        {"5 e and 3 1 3 0\n", "proof, line 1: there is no literal 3"},
        {"5 e nand 3 1 2 0\n", "proof, line 1: there is no such gate; and, xor, ite or maj are right"},
        {"5 1 0 1 x 0\n", "proof, line 1: a number is expected"},
        {"5 1 0 1 99999999999999999999 0\n", "proof, line 1: a number is expected"},
    };
    for (const auto& [proof, sentence] : cases) EXPECT_EQ(refusal(formula, proof), sentence) << proof;
}

TEST(Proof, DefinitionsSayWhatTheGateIs) {
    // Of all values of the inputs and the new variable, the clauses leave those in which it is the gate's value.
    for (const Gate gate : {Gate::both, Gate::different, Gate::choice, Gate::majority}) {
        Formula formula;
        const std::int32_t in[] = {1, -2, 3};
        add_gate_clauses(formula, gate, 4, std::span(in, inputs_of(gate)));
        for (unsigned values = 0; values < 16; ++values) {
            const auto value = [&](std::int32_t x) { return (((values >> (std::abs(x) - 1)) & 1u) != 0) == (x > 0); };
            bool holds = true;
            for (std::size_t i = 0; i < formula.size(); ++i)
                holds = holds && std::any_of(formula[i].begin(), formula[i].end(), value);
            const bool x = value(1), y = value(-2), z = value(3);
            const bool result = gate == Gate::both        ? x && y
                                : gate == Gate::different ? x != y
                                : gate == Gate::choice    ? (x ? y : z)
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

/// A reader of binary AIGER without latches.
struct Aiger {
    std::size_t inputs = 0;
    std::uint32_t output = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> gates;
    std::string symbols;

    explicit Aiger(const std::string& text) {
        std::istringstream in(text);
        std::string magic;
        std::size_t most = 0, latches = 0, outputs = 0, count = 0;
        in >> magic >> most >> inputs >> latches >> outputs >> count >> output;
        in.get();
        EXPECT_EQ(magic, "aig");
        EXPECT_EQ(most, inputs + count);
        const auto number = [&] {
            std::uint32_t x = 0;
            for (int shift = 0;; shift += 7) {
                const int byte = in.get();
                x |= static_cast<std::uint32_t>(byte & 127) << shift;
                if ((byte & 128) == 0) return x;
            }
        };
        for (std::size_t i = 0; i < count; ++i) {
            const auto left = static_cast<std::uint32_t>(2 * (inputs + 1 + i));
            const std::uint32_t x = left - number(), y = x - number();
            EXPECT_LT(x, left);
            EXPECT_LE(y, x);
            gates.emplace_back(x, y);
        }
        symbols.assign(std::istreambuf_iterator<char>(in), {});
    }

    bool operator()(std::uint64_t in) const {
        std::vector<bool> values = {false};
        for (std::size_t i = 0; i < inputs; ++i) values.push_back(((in >> i) & 1u) != 0);
        const auto value = [&](std::uint32_t x) { return values[x / 2] != ((x & 1u) != 0); };
        for (const auto& [x, y] : gates) values.push_back(value(x) && value(y));
        return value(output);
    }
};

TEST(Miter, OfManyUnitsAndWithinLimits) {
    // The last has the gates of the first for another result, and one with nan=any differs from it in NaN.
    std::vector<Unit> units;
    for (const char* text :
         {"nan=7f : round[e4m3 rne](fuse[F=1](p*, c))", "nan=any : round[e4m3 rne](fuse[F=1](p*, c))",
          "nan=7f : round[e4m3 rne](fuse[F=2](p*, c))", "nan=7f : round[e4m3 rz](fuse[F=1](p*, c))"})
        units.push_back(parse_unit("e3m2*e2m1+e4m3->e4m3 K=1 " + std::string(text)));
    std::vector<Evaluator> evaluators(units.begin(), units.end());
    const Format &fa = format(units[0].a), &fb = format(units[0].b), &fc = format(*units[0].c);
    // a from −3 to 2.5, b from 0 on, c from −0.25 to 0.
    const Limits all[] = {{},
                          {.no_subnormals = true},
                          {.numbers = {{"a", 0x32, 0x11}}},
                          {.finite = true, .numbers = {{"b", 0, 7}, {"c", 0xa8, 0}}},
                          {.no_subnormals = true, .ranges = {{"a", 0, 2}}, .numbers = {{"a", 0x31, 0x1f}}}};
    for (const Limits& limits : all) {
        const Miter plain = make_miter(units, limits), shared = make_miter(units, limits, true);
        EXPECT_LT(shared.netlist.nodes().size(), plain.netlist.nodes().size() / 2);
        int outside = 0, differences = 0;
        for (std::uint64_t in = 0; in < 1 << 18; in += 29) {
            const std::uint64_t a = in & 63u, b = (in >> 6) & 15u, c = in >> 10;
            const auto is_within = [&](const char* operand, const Format& f, std::uint64_t pattern) {
                const Decoded x = decode(f, pattern);
                const bool finite = x.number_class == NumberClass::finite;
                bool good = finite || !limits.finite;
                if (limits.no_subnormals && finite && !x.is_zero() && x.significand >> f.mantissa_bits == 0)
                    good = false;
                for (const auto& range : limits.ranges)
                    if (range.operand == operand)
                        good = good && finite && (x.is_zero() || (range.low <= x.exponent && x.exponent <= range.high));
                for (const auto& range : limits.numbers)
                    if (range.operand == operand)
                        good = good && finite && to_double(f, range.low) <= to_double(f, pattern) &&
                               to_double(f, pattern) <= to_double(f, range.high);
                return good;
            };
            const bool allowed = is_within("a", fa, a) && is_within("b", fb, b) && is_within("c", fc, c);
            const Inputs inputs{std::span(&a, 1), std::span(&b, 1), {}, {}, c};
            std::vector<std::uint64_t> words;
            for (int i = 0; i < 18; ++i) words.push_back((in >> i) & 1u);
            std::vector<bool> same;
            for (std::size_t i = 0; i < units.size(); ++i) {
                const std::uint64_t first = evaluators[0](inputs), d = evaluators[i](inputs);
                same.push_back(d == first || (i == 1 && same_result(units[1], d, first)));
            }
            const bool differ = std::find(same.begin(), same.end(), false) != same.end();
            outside += allowed ? 0 : 1;
            for (const Miter* miter : {&plain, &shared}) {
                const auto values = simulate(miter->netlist, words);
                for (std::size_t i = 0; i < units.size(); ++i)
                    ASSERT_EQ((value_of(values, miter->same[i]) & 1u) != 0, same[i]) << in << ", unit " << i;
                ASSERT_EQ((value_of(values, miter->allowed) & 1u) != 0, allowed) << in;
                ASSERT_EQ((value_of(values, miter->different) & 1u) != 0, allowed && differ) << in;
                differences += allowed && differ ? 1 : 0;
            }
        }
        EXPECT_GT(differences, 0);
        EXPECT_EQ(outside > 0, limits != Limits{});
    }
    EXPECT_THROW(make_miter(units, {.numbers = {{"c", 0, 0x7f}}}), Error); // NaN
    EXPECT_THROW(make_miter(units, {.numbers = {{"b", 0, 0x17}}}), Error); // five bits
    EXPECT_THROW(make_miter(units, {.numbers = {{"sb", 0, 0}}}), Error);
}

TEST(Miter, FormulaAndCircuitSayWhetherTheUnitsDiffer) {
    const Unit one = parse_unit("e2m1*e2m1+e2m1->e4m3 K=1 nan=any : round[e4m3 rne](fuse[F=1](p*, c))");
    const Unit other = parse_unit("e2m1*e2m1+e2m1->e4m3 K=1 nan=7f : round[e4m3 rne](fuse[F=2](p*, c))");
    const Limits limits{.finite = true, .ranges = {{"a", 1, 2}, {"c", 0, 1}}};
    const Miter miter = make_miter({one, other}, limits);
    const Formula formula = to_formula(miter);
    const Aiger aiger(to_aiger(miter, one));
    EXPECT_EQ(aiger.symbols.substr(0, 9), "i0 a0[0]\n");
    EXPECT_NE(aiger.symbols.find("\ni11 c[3]\no0 different\n"), std::string::npos);
    const Evaluator first(one), second(other);
    int differences = 0;
    for (std::uint64_t in = 0; in < 4096; ++in) {
        const std::uint64_t a = in & 15u, b = (in >> 4) & 15u, c = in >> 8;
        const Inputs inputs{std::span(&a, 1), std::span(&b, 1), {}, {}, c};
        const auto exponent = [](std::uint64_t x) { return decode(format(FormatId::e2m1), x).exponent; };
        const bool allowed = ((a & 7u) == 0 || exponent(a) >= 1) && ((c & 7u) == 0 || exponent(c) <= 1);
        const bool differ = allowed && first(inputs) != second(inputs);
        differences += differ ? 1 : 0;
        ASSERT_EQ(aiger(in), differ) << in;
        std::vector<std::uint64_t> words;
        for (int i = 0; i < 12; ++i) words.push_back((in >> i) & 1u);
        const auto values = simulate(miter.netlist, words);
        // Every clause holds of the values that the gates have, but for the last, which says that the units differ.
        for (std::size_t i = 0; i < formula.size(); ++i) {
            const bool holds = std::any_of(formula[i].begin(), formula[i].end(), [&](std::int32_t x) {
                return ((values[static_cast<std::size_t>(std::abs(x))] & 1u) != 0) == (x > 0);
            });
            ASSERT_EQ(holds, i + 1 < formula.size() || differ) << in << ", clause " << i + 1;
        }
    }
    EXPECT_GT(differences, 0);
    EXPECT_EQ(to_dimacs(formula_of({{1, -2}, {}}, 2)), "p cnf 2 2\n1 -2 0\n0\n");
    EXPECT_THROW(make_miter({one, other}, {.ranges = {{"sa", 0, 1}}}), Error);
    EXPECT_THROW(make_miter({one, parse_unit("e2m1*e2m1->e4m3 K=1 : round[e4m3 rne](p0)")}, {}), Error);
}

} // namespace
} // namespace discern::tests
