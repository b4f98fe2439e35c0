// The encoder agrees with the executable models on concrete inputs: for every arithmetic of the catalogue, and for
// random trees that use every field of the notation.
#include "encodings/encode.hpp"

#include "models/catalogue.hpp"
#include "random_units.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

namespace discern {
namespace {

using namespace tests;

std::string hex_row(const std::vector<std::uint64_t>& row) {
    std::string text;
    char buffer[20];
    for (const std::uint64_t x : row) {
        std::snprintf(buffer, sizeof buffer, "%llx ", static_cast<unsigned long long>(x));
        text += buffer;
    }
    return text;
}

std::string describe(const Unit& unit, const Vector& v) {
    return to_string(unit) + "\na: " + hex_row(v.a) + "\nb: " + hex_row(v.b) + "\nsa: " + hex_row(v.sa) +
           "\nsb: " + hex_row(v.sb) + "\nc: " + hex_row({v.c.value_or(0)});
}

class Circuit {
  public:
    explicit Circuit(const Unit& unit)
        : inputs_(input_variables(terms_, unit)), d_(encode(terms_, unit, inputs_)), evaluator_(terms_, {d_}) {}
    std::uint64_t operator()(const Vector& v) {
        set_inputs(evaluator_, inputs_, v.inputs());
        evaluator_.run();
        return evaluator_.low(d_);
    }

  private:
    Terms terms_;
    InputTerms inputs_;
    Term d_;
    TermEvaluator evaluator_;
};

TEST(Encode, AgreesWithTheModelsOnEveryArithmeticOfTheCatalogue) {
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue()) {
        if (!seen.insert(arithmetic_hash(entry.unit)).second) continue;
        Circuit circuit(entry.unit);
        const Evaluator model(entry.unit);
        Random random(1);
        const int vectors = entry.unit.a == FormatId::f64 ? 8 : 120;
        for (int i = 0; i < vectors; ++i) {
            const Vector v = random_vector(random, entry.unit);
            const std::uint64_t expected = evaluate_exactly(entry.unit, v.inputs());
            ASSERT_EQ(circuit(v), expected) << entry.name << " against the oracle, vector " << i << "\n"
                                            << describe(entry.unit, v);
            ASSERT_EQ(model(v.inputs()), expected) << entry.name << ", the two models\n" << describe(entry.unit, v);
        }
    }
    EXPECT_GT(seen.size(), 30u);
}

TEST(Encode, AgreesWithTheModelsOnRandomTrees) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
        Random random(seed);
        const Unit unit = random_unit(random);
        Circuit circuit(unit);
        const Evaluator model(unit);
        // The oracle flushes results that are zero already; the notation says that only others are flushed.
        const bool has_oracle = to_string(unit).find("ftz=result") == std::string::npos;
        for (int i = 0; i < 40; ++i) {
            const Vector v = random_vector(random, unit);
            const std::uint64_t d = circuit(v);
            ASSERT_EQ(d, model(v.inputs())) << "the model, seed " << seed << ", vector " << i << "\n"
                                            << describe(unit, v);
            if (!has_oracle) continue;
            ASSERT_EQ(d, evaluate_exactly(unit, v.inputs())) << "the oracle, seed " << seed << ", vector " << i << "\n"
                                                             << describe(unit, v);
        }
    }
}

TEST(Encode, TheSameArithmeticIsTheSameTerm) {
    const Unit one = parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](p*, c))");
    Terms terms;
    const InputTerms inputs = input_variables(terms, one);
    const Term d1 = encode(terms, one, inputs);
    const Unit reordered = parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24](c, p(1::2), p(0::2)))");
    const Term d2 = encode(terms, reordered, inputs);
    EXPECT_EQ(d1, d2);
    const Unit wider = parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=24 carry=5](p*, c))");
    EXPECT_EQ(encode(terms, wider, inputs), d1); // the register never wraps
    const Unit another = parse_unit("f16*f16+f32->f32 K=4 : round[f32 rz](fuse[F=23](p*, c))");
    EXPECT_NE(encode(terms, another, inputs), d1);
}

} // namespace
} // namespace discern
