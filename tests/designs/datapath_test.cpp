// The datapath of a unit, from which all forms are printed, computes what the evaluator computes; and so does each
// form.
#include "made.hpp"

#include "encodings/datapath/datapath.hpp"
#include "models/catalogue.hpp"
#include "models/random_tree.hpp"
#include "sweep.hpp"

#include <set>

namespace discern::rtl::testing {
namespace {

using tests::sweep;

/// Of the first vector on which the datapath differs.
std::string difference(const Unit& unit, std::size_t vectors, std::uint64_t seed) {
    const Datapath datapath(unit);
    TermEvaluator evaluator(datapath.terms, {datapath.d});
    const Evaluator model(unit);
    for (const Vector& v : some_vectors(unit, vectors, seed)) {
        set_inputs(evaluator, datapath.inputs, v.inputs());
        evaluator.run();
        if (!same_result(unit, evaluator.low(datapath.d), model(v.inputs())))
            return to_string(unit) + "\n" + to_json(shape_of(unit), v);
    }
    return "";
}

TEST(Datapath, IsTheUnitForEveryArithmeticOfTheCatalogue) {
    std::set<std::uint64_t> seen;
    for (const CatalogueEntry& entry : catalogue()) {
        if (!seen.insert(arithmetic_hash(entry.unit)).second) continue;
        EXPECT_EQ(difference(entry.unit, static_cast<std::size_t>(sweep(10)), 1), "") << entry.name;
    }
    EXPECT_GT(seen.size(), 100u);
}

TEST(Datapath, IsTheUnitForRandomTrees) {
    tests::UnitGenerator generator(21, true);
    for (int i = 0; i < sweep(60); ++i)
        EXPECT_EQ(difference(generator.next(), 20, static_cast<std::uint64_t>(i)), "") << "tree " << i;
}

} // namespace
} // namespace discern::rtl::testing
