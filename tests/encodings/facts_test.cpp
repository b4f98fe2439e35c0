// What the encoder claims of numbers holds: of the arithmetics of the catalogue, of random trees, and of spaces, in
// which a fact has to hold for every choice.
#include "fact_walker.hpp"
#include "written_units.hpp"

#include "models/catalogue.hpp"
#include "models/differential.hpp"
#include "models/notation.hpp"
#include "models/random_tree.hpp"

#include <gtest/gtest.h>

#include <set>

namespace discern {
namespace {

using namespace tests;

/// The first claim that is false of a member of a space of units, on inputs of every family and at the ends of formats.
std::optional<std::string> false_claim(const std::vector<Unit>& units, std::uint64_t seed, int vectors,
                                       std::uint64_t* compared = nullptr) {
    const auto family = parametric::family_of(units);
    if (!family) return "no units of one form";
    FactWalker walker(*family);
    Random random(seed);
    for (std::size_t i = 0; i < units.size(); ++i) {
        const InputBits bits(units[i]);
        InputBuffer x;
        const auto check = [&]() -> std::optional<std::string> {
            const auto wrong = walker(i, x.inputs());
            if (!wrong) return std::nullopt;
            return *wrong + ": " + describe(units[i], x, 0, 0);
        };
        for (const discern::Family kind : families) {
            InputGenerator generator(units[i], kind, seed);
            for (int n = 0; n < vectors; ++n) {
                generator.next(x);
                if (auto wrong = check()) return wrong;
            }
        }
        for (int n = 0; n < 4 * vectors; ++n) {
            if (n % 2 == 0) bits.edges(random, x);
            // The same in all elements: sums are as large as they can be.
            std::fill(x.a.begin(), x.a.end(), x.a.front());
            std::fill(x.b.begin(), x.b.end(), x.b.front());
            if (auto wrong = check()) return wrong;
        }
    }
    if (compared != nullptr) *compared += walker.compared();
    return std::nullopt;
}

TEST(Facts, HoldForTheCatalogue) {
    std::set<std::uint64_t> seen;
    std::uint64_t compared = 0;
    for (const CatalogueEntry& entry : catalogue()) {
        if (!seen.insert(arithmetic_hash(entry.unit)).second) continue;
        const auto wrong = false_claim({entry.unit}, 1, entry.unit.a == FormatId::f64 ? 1 : sweep(3), &compared);
        EXPECT_FALSE(wrong) << entry.name << ": " << *wrong;
    }
    EXPECT_GT(compared, 100000u);
}

TEST(Facts, HoldForRandomTrees) {
    for (int n = 0; n < sweep(400); ++n) {
        UnitGenerator generator(static_cast<std::uint64_t>(n), n % 2 == 0, n % 3 == 0);
        const auto wrong = false_claim({generator.next()}, static_cast<std::uint64_t>(n), 6);
        EXPECT_FALSE(wrong) << "seed " << n << ": " << *wrong;
    }
}

} // namespace
} // namespace discern
