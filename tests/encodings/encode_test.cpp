// The encoder agrees with the executable models on concrete inputs: for every arithmetic of the catalogue, and for
// random trees that use every field of the notation.
#include "encodings/encode.hpp"

#include "models/catalogue.hpp"
#include "models/differential.hpp"
#include "models/notation.hpp"
#include "models/random_tree.hpp"

#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <set>

namespace discern {
namespace {

using namespace tests;

/// The circuit of a unit, evaluated without a solver.
class Circuit {
  public:
    explicit Circuit(const Unit& unit)
        : inputs_(input_variables(terms_, unit)), d_(encode(terms_, unit, inputs_)), evaluator_(terms_, {d_}) {}
    std::uint64_t operator()(const Inputs& inputs) {
        set_inputs(evaluator_, inputs_, inputs);
        evaluator_.run();
        return evaluator_.low(d_);
    }

  private:
    Terms terms_;
    InputTerms inputs_;
    Term d_;
    TermEvaluator evaluator_;
};

/// The first vector of any family on which the circuit differs from the evaluator or from the oracle.
std::optional<std::string> circuit_difference(const Unit& unit, std::uint64_t seed, int vectors) {
    Circuit circuit(unit);
    const Evaluator model(unit);
    const auto by_circuit = [&](const Inputs& x) { return circuit(x); };
    for (const Family family : families) {
        if (auto report = first_difference(
                unit, by_circuit, [&](const Inputs& x) { return model(x); }, family, seed, vectors))
            return "circuit and evaluator: " + *report;
        if (auto report = first_difference(
                unit, by_circuit, [&](const Inputs& x) { return evaluate_exactly(unit, x); }, family, seed + 1,
                vectors))
            return "circuit and oracle: " + *report;
    }
    return std::nullopt;
}

/// The first instruction of each arithmetic of the catalogue, by family (T-FDPA, …).
std::map<std::string, std::vector<const CatalogueEntry*>> arithmetics_by_family() {
    std::map<std::string, std::vector<const CatalogueEntry*>> result;
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue())
        if (seen.insert(arithmetic_hash(entry.unit)).second) result[entry.family].push_back(&entry);
    return result;
}

// In a sweep, DISCERN_SWEEP vectors or more in each family of the catalogue, shared by its arithmetics.
TEST(Encode, AgreesWithTheModelsOnEveryArithmeticOfTheCatalogue) {
    constexpr int runs = 2 * static_cast<int>(std::size(families)); // of one circuit_difference
    const auto by_family = arithmetics_by_family();
    EXPECT_GT(by_family.size(), 8u);
    for (const auto& [family, entries] : by_family) {
        const int each = sweep(0) / (runs * static_cast<int>(entries.size())) + 1;
        for (const CatalogueEntry* entry : entries) {
            const int quick = entry->unit.a == FormatId::f64 ? 3 : 20;
            const auto difference = circuit_difference(entry->unit, 1, std::max(each, quick));
            EXPECT_FALSE(difference) << entry->name << ": " << *difference;
        }
    }
}

TEST(Encode, AgreesWithTheModelsOnRandomTrees) {
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= 800 && failures < 5; ++seed) {
        const Unit unit = UnitGenerator(seed, true).next();
        const auto difference = circuit_difference(unit, seed, sweep(8));
        EXPECT_FALSE(difference) << "unit seed " << seed << ": " << *difference;
        failures += difference ? 1 : 0;
    }
}

/// A term that was dropped shows in the sticky place alone, which is where the largest exponent puts it, whoever has
/// it.
TEST(Encode, TheStickyPlaceOfWhatWasDropped) {
    for (const char* text :
         {"e4m3*e4m3+f16->f16 K=5 : round[f16 rna](fuse[F=30 rz floor=-1 sticky](fuse[F=14 rna](p*), c @[drop=4]))",
          "e4m3*e4m3+f16->f16 K=2 : round[f16 ru](fuse[F=20 sticky](p*, c @[drop=9]))"}) {
        const auto difference = circuit_difference(parse_unit(text), 374, 300);
        EXPECT_FALSE(difference) << *difference;
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
