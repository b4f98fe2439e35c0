// A wrong prover is refused: lemmas that do not follow, and circuits between two units that compute something else, as
// a wrong rule for rewriting circuits would make them.
#include "certificate/proof.hpp"
#include "solver/certify/proof/sweep.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"
#include "sweep.hpp"

#include <gtest/gtest.h>

namespace discern::tests::liar_test {
namespace {

using namespace certificate;

const std::string small = "e2m1*e2m1+e5m2->e5m2 K=1 : round[e5m2 ";

Netlist circuit_of(const Unit& unit) {
    Netlist n(input_bits(unit));
    Bits d = reference_circuit(n, unit, operands(n, unit));
    return without_unused(n, d);
}

std::vector<std::vector<std::uint64_t>> no_vectors_that_tell(std::size_t inputs) {
    return {std::vector<std::uint64_t>(inputs)}; // all zero: every gate looks like a constant
}

bool accepted(const Miter& miter, const Swept& swept) {
    if (swept.verdict != Swept::Verdict::equivalent) return false;
    try {
        check_proof(to_formula(miter), swept.proof);
        return true;
    } catch (const Error&) {
        return false;
    }
}

TEST(Liar, WrongLemmas) {
    const Unit one = parse_unit(small + "rz](fuse[F=2](p*, c))"), other = parse_unit(small + "rne](fuse[F=2](p*, c))");
    const Miter miter = make_miter({one, other}, {});
    int proofs = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        // Some lemmas that do not follow, among those that do.
        auto random = std::make_shared<Random>(seed);
        SweepOptions options;
        options.seed = seed;
        options.believe = [random, seed](std::size_t, std::size_t) { return random->one_in(static_cast<int>(seed)); };
        const Swept swept = sweep(miter, no_vectors_that_tell(miter.netlist.inputs()), options);
        proofs += swept.verdict == Swept::Verdict::equivalent ? 1 : 0;
        EXPECT_FALSE(accepted(miter, swept)) << "seed " << seed;
    }
    EXPECT_GT(proofs, 0); // what looks like a proof, and is none
}

TEST(Liar, WrongCircuitsBetween) {
    const Unit one = parse_unit(small + "rz](fuse[F=2](p*, c))"), same = parse_unit(small + "rz](fuse[F=2](c, p*))"),
               other = parse_unit(small + "rne](fuse[F=2](p*, c))"),
               wrong = parse_unit(small + "ru](fuse[F=3](p*, c))");
    const CircuitsBetween between{2, [&](std::size_t i) { return circuit_of(i == 0 ? wrong : other); }};
    for (const Unit& second : {same, other}) {
        const Miter miter = make_miter({one, second}, {});
        SweepOptions options;
        options.between = between;
        EXPECT_EQ(accepted(miter, sweep(miter, no_vectors_that_tell(miter.netlist.inputs()), options)), second == same);
        options.believe = [&, i = 0](std::size_t, std::size_t) mutable { return ++i % 5 == 0; };
        if (second == other) {
            EXPECT_FALSE(accepted(miter, sweep(miter, no_vectors_that_tell(miter.netlist.inputs()), options)));
        }
    }
}

TEST(Liar, CasesOfAnyKind) {
    // Any bit of any circuit is a case, or two; what differs stays different, and what is the same the same.
    const Unit one = parse_unit(small + "rz](fuse[F=2](p*, c))"), same = parse_unit(small + "rz](fuse[F=2](c, p*))"),
               other = parse_unit(small + "rne](fuse[F=2](p*, c))"),
               wrong = parse_unit(small + "ru](fuse[F=3](p*, c))");
    Random random(4);
    for (int i = 0; i < (sweeping() ? 4 : 2); ++i) {
        SweepOptions options;
        options.tries = 3; // where lemmas that do not follow hide that the results are the same
        for (const Unit& unit : {wrong, other}) {
            Netlist circuit = circuit_of(unit);
            const auto holds =
                static_cast<Literal>(random.between(2, 2 * static_cast<int>(circuit.nodes().size()) - 1));
            options.cases.push_back({std::move(circuit), holds});
        }
        for (const Unit& second : {same, other}) {
            const Miter miter = make_miter({one, second}, {});
            const auto vectors = no_vectors_that_tell(miter.netlist.inputs());
            options.believe = {};
            EXPECT_EQ(accepted(miter, sweep(miter, vectors, options)), second == same) << i;
            options.believe = [&](std::size_t, std::size_t) { return random.one_in(5); };
            EXPECT_FALSE(second == other && accepted(miter, sweep(miter, vectors, options))) << i;
        }
    }
}

} // namespace
} // namespace discern::tests::liar_test
