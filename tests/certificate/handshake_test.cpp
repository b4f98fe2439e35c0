// Certificates of handshakes: what is accepted is right in random runs too, and what is changed of a certificate is
// refused.
#include "certificate/claim.hpp"
#include "handshakes.hpp"
#include "made.hpp"
#include "sweep.hpp"

#include "solver/certify/handshake_states.hpp"
#include "solver/certify/proof/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace discern::tests {
namespace {

using Claim = nlohmann::ordered_json;

class CertifiedHandshakes : public ::testing::Test {
  protected:
    testing::Folder folder_;
    int folders_ = 0;
    std::filesystem::path at_;

    std::filesystem::path next_folder() { return folder_.path("certificate" + std::to_string(++folders_)); }

    Written write(const MadeDesign& made, const std::filesystem::path& path, int cycles, const Limits& limits = {}) {
        Certified what{{unit_of_handshakes()}, {{made.circuit.edge, {}, {}}}};
        what.designs.front().handshake = {made.circuit.registers, cycles, true, true};
        return write_certificate(what, limits, path, {});
    }

    /// Why it is refused after a change, which is taken back.
    std::string refusal(const std::filesystem::path& path, const std::function<void(Claim&)>& change) {
        at_ = next_folder();
        std::filesystem::copy(path, at_);
        auto claim = Claim::parse(testing::read_file(at_ / "claim.json"));
        change(claim);
        reseal(at_, [&](Claim& other) { other = claim; });
        return check_certificate(at_).refused;
    }

    /// Another list of states, with all formulas as these need them: what is left wrong is the proofs.
    std::string refusal_of(const std::filesystem::path& path, const ClockedCircuit& design, const Handshake& handshake,
                           const AndCircuit& states) {
        const Unit& unit = unit_of_handshakes();
        return refusal(path, [&](Claim& claim) {
            const Induction needed = make_induction(unit, {}, design, handshake, states);
            put_file(at_ / "design.aag", clocked_to_aiger(design, unit));
            put_file(at_ / "states.aag", states_to_aiger(states, unit, handshake.most_operations()));
            claim["handshake"] = handshake_json(handshake);
            claim["handshake"]["circuit"] = "states.aag";
            std::vector<Miter> miters = {needed.reset, needed.step};
            miters.insert(miters.end(), needed.results.begin(), needed.results.end());
            while (claim["obligations"].size() > miters.size()) claim["obligations"].erase(miters.size());
            for (std::size_t i = 0; i < claim["obligations"].size(); ++i) {
                const std::string name = claim["obligations"][i]["name"];
                put_file(at_ / (name + ".cnf"), to_dimacs(to_formula(miters[i])));
                put_file(at_ / (name + ".aig"), without_names(miters[i]));
            }
        });
    }
};

/// Whether some input makes a miter different.
bool is_possible(const Miter& miter) {
    Random random(3);
    std::vector<std::vector<std::uint64_t>> words(20, std::vector<std::uint64_t>(miter.netlist.inputs()));
    for (auto& word : words)
        for (std::uint64_t& bits : word) bits = random.bits();
    if (miter.different == yes) return true;
    const Swept swept = sweep(miter, words, {});
    EXPECT_NE(swept.verdict, Swept::Verdict::open);
    return swept.verdict == Swept::Verdict::different;
}
bool is_possible(const Induction& one) {
    return is_possible(one.reset) || is_possible(one.step) ||
           std::any_of(one.results.begin(), one.results.end(), [](const Miter& x) { return is_possible(x); });
}

FoundStates found(const MadeDesign& made) {
    std::string why_not;
    Random random(5);
    std::vector<OperationWords> operations(8, OperationWords(bits_of_operands));
    for (OperationWords& words : operations)
        for (std::uint64_t& word : words) word = random.bits();
    const auto states = find_states(
        operations, made.circuit, {made.circuit.registers, made.cycles, true, true}, 1, [] { return false; }, why_not);
    EXPECT_TRUE(states) << why_not;
    return *states;
}

TEST_F(CertifiedHandshakes, AreAccepted) {
    for (const MadeDesign& made : right_designs()) {
        SCOPED_TRACE(made.name);
        const auto path = next_folder();
        const Written written = write(made, path, made.cycles);
        ASSERT_EQ(written.verdict, Written::Verdict::equivalent) << written.why;
        const Checked checked = check_certificate(path);
        ASSERT_EQ(checked.verdict(), std::string("accepted")) << checked.refused;
        ASSERT_TRUE(checked.handshake);
        EXPECT_EQ(checked.handshake->cycles, made.cycles);
        EXPECT_EQ(checked.handshake->states.size(), written.states);
        EXPECT_EQ(checked.designs,
                  std::vector<std::string>{sha256(clocked_to_aiger(made.circuit, unit_of_handshakes()))});
        EXPECT_NE(to_text(checked).find("none is lost"), std::string::npos);
        const Handshake& claimed = *checked.handshake;
        EXPECT_EQ(fault_of(made.circuit, claimed.cycles, claimed.reset_edges, claimed.most_patience() + 1, 1), "");
    }
}

TEST_F(CertifiedHandshakes, ClaimsAreNotLooserThanDesigns) {
    for (const MadeDesign& made : right_designs()) {
        SCOPED_TRACE(made.name);
        if (made.cycles > 0) {
            EXPECT_NE(write(made, next_folder(), made.cycles - 1).verdict, Written::Verdict::equivalent);
            EXPECT_NE(fault_of(made.circuit, made.cycles - 1, 1, 100, 1), "");
        }
        EXPECT_EQ(write(made, next_folder(), made.cycles + 2).verdict, Written::Verdict::equivalent);
    }
}

// A gate is changed at random. Whatever has a certificate has no fault in random runs.
TEST_F(CertifiedHandshakes, OfBrokenDesignsThereAreNone) {
    Random random(11);
    int with_fault = 0, certified = 0;
    for (const MadeDesign& made : right_designs())
        for (int i = 0; i < 40; ++i) {
            MadeDesign broken = made;
            auto& gates = broken.circuit.edge.gates;
            // Those of the handshake are the first and the last ones.
            const auto count = static_cast<int>(gates.size());
            const int at = random.one_in(2) ? random.below(count) : (count - 1 - random.below(std::min(count, 60)));
            auto& gate = gates[static_cast<std::size_t>(at)];
            Literal& changed = gate[random.one_in(2) ? 0 : 1];
            changed = random.one_in(3) ? yes : invert(changed);
            if (gate[0] < gate[1]) std::swap(gate[0], gate[1]);
            const auto path = next_folder();
            const bool is_certified = write(broken, path, made.cycles).verdict == Written::Verdict::equivalent;
            const std::string fault = fault_of(broken.circuit, made.cycles, made.cycles + 1, 100, 5);
            if (is_certified) {
                EXPECT_EQ(check_certificate(path).refused, "");
                EXPECT_EQ(fault, "") << made.name << ", gate " << at;
            }
            certified += is_certified ? 1 : 0;
            with_fault += fault.empty() ? 0 : 1;
        }
    RecordProperty("with_fault", with_fault);
    RecordProperty("certified", certified);
    EXPECT_GT(with_fault, 40);
    EXPECT_GT(certified, 0) << "gates that do not count";
}

TEST_F(CertifiedHandshakes, ListsThatAreNotAllStatesAreRefused) {
    for (const MadeDesign& made : {one_stage(), two_stages(), with_skid(), three_edges()}) {
        SCOPED_TRACE(made.name);
        const Unit& unit = unit_of_handshakes();
        const auto path = next_folder();
        ASSERT_EQ(write(made, path, made.cycles).verdict, Written::Verdict::equivalent);
        const FoundStates states = found(made);
        const std::size_t each = 1 + 2 * made.circuit.registers;
        EXPECT_EQ(refusal_of(path, made.circuit, states.handshake, states.circuit), "");
        EXPECT_FALSE(is_possible(make_induction(unit, {}, made.circuit, states.handshake, states.circuit)));
        const auto is_refused = [&](const std::string& what, const Handshake& handshake, const AndCircuit& circuit) {
            EXPECT_TRUE(is_possible(make_induction(unit, {}, made.circuit, handshake, circuit))) << what;
            EXPECT_NE(refusal_of(path, made.circuit, handshake, circuit), "") << what;
        };
        for (std::size_t i = 0; i < states.handshake.states.size(); ++i) {
            SCOPED_TRACE(i);
            Handshake fewer = states.handshake;
            fewer.states.erase(fewer.states.begin() + static_cast<std::ptrdiff_t>(i));
            AndCircuit circuit = states.circuit;
            const auto first = circuit.outputs.begin() + static_cast<std::ptrdiff_t>(i * each);
            circuit.outputs.erase(first, first + static_cast<std::ptrdiff_t>(each));
            circuit.inputs = fewer.most_operations() * bits_of_operands;
            if (fewer.most_operations() == states.handshake.most_operations())
                is_refused("a state is left out", fewer, circuit);
            circuit = states.circuit;
            circuit.outputs[i * each] = no;
            is_refused("a state never is", states.handshake, circuit);
            Handshake other = states.handshake;
            if (!other.states[i].left.empty()) {
                --other.states[i].left[0];
                is_refused("less is owed", other, states.circuit);
                other.states[i].left[0] += 2;
                is_refused("more is owed", other, states.circuit);
            }
            circuit = states.circuit; // the first register says what is valid, or how far an operation is
            if (i == 0) {
                circuit.outputs[2] = no;
                is_refused("a weaker state", states.handshake, circuit);
                circuit.outputs[2] = yes;
            }
            circuit.outputs[i * each + 1] = invert(circuit.outputs[i * each + 1]);
            is_refused("another state", states.handshake, circuit);
        }
        Handshake sooner = states.handshake;
        --sooner.cycles;
        is_refused("sooner", sooner, states.circuit);
        Handshake at_once = states.handshake;
        at_once.reset_edges = 0;
        is_refused("without a reset", at_once, states.circuit);
        Handshake owing = states.handshake;
        owing.states[0].left = {1};
        EXPECT_TRUE(is_possible(make_induction(unit, {}, made.circuit, owing, states.circuit).reset));
        if (states.handshake.most_patience() > 0) {
            Handshake eager = states.handshake;
            for (Handshake::State& state : eager.states) state.patience = 0;
            is_refused("operands are taken at once", eager, states.circuit);
        }
        // Another design, and another reset value.
        ClockedCircuit other = made.circuit;
        other.edge.outputs[0] = invert(other.edge.outputs[0]);
        EXPECT_NE(refusal_of(path, other, states.handshake, states.circuit), "");
        other = made.circuit;
        other.edge.gates.push_back({}); // full after a reset, which is held here
        other.edge.gates.back() = {invert(other.edge.outputs[bits_of_d + 2]),
                                   invert(static_cast<Literal>(2 * (bits_of_operands + 3)))};
        if (other.edge.gates.back()[0] < other.edge.gates.back()[1])
            std::swap(other.edge.gates.back()[0], other.edge.gates.back()[1]);
        other.edge.outputs[bits_of_d + 2] = invert(other.edge.gate(other.edge.gates.size() - 1));
        EXPECT_TRUE(is_possible(make_induction(unit, {}, other, states.handshake, states.circuit).reset));
        EXPECT_NE(refusal_of(path, other, states.handshake, states.circuit), "");
    }
}

TEST_F(CertifiedHandshakes, ChangesAreRefused) {
    const auto path = next_folder();
    ASSERT_EQ(write(two_stages(), path, 2).verdict, Written::Verdict::equivalent);
    const auto has = [](const std::string& text, const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " is expected: " << text;
    };
    EXPECT_EQ(refusal(path, [](Claim&) {}), "");
    has(refusal(path, [](Claim& claim) { claim["obligations"].erase(0); }), "obligations");
    has(refusal(path, [](Claim& claim) { claim["obligations"].erase(2); }), "needs 3 obligations and has 2");
    has(refusal(path, [](Claim& claim) { claim["obligations"][1] = claim["obligations"][0]; }), "is not the formula");
    has(refusal(path, [](Claim& claim) { claim["obligations"][2]["proof"] = claim["obligations"][0]["proof"]; }),
        "obligation result0: ");
    has(refusal(path, [](Claim& claim) { claim["limits"]["no_subnormals"] = true; }), "needs 6 obligations and has 3");
    EXPECT_NE(refusal(path,
                      [](Claim& claim) {
                          claim["units"] = {"e2m1*e2m1->e4m3 K=1 L=1 nan=7f : round[e4m3 rz](fuse[F=0 rz](p*))"};
                      }),
              "");
    has(refusal(path, [](Claim& claim) { claim["combination"] = "whole"; }), "latches");
    has(refusal(path, [](Claim& claim) { claim.erase("handshake"); }), "'handshake' is missing");
    has(refusal(path, [](Claim& claim) { claim["handshake"]["circuit"] = "design.aag"; }), "latches");
    has(refusal(path, [](Claim& claim) { claim["handshake"]["states"].erase(1); }), "and states");
    has(refusal(path, [](Claim& claim) { claim["handshake"]["cycles"] = 3000; }), "from 0 to 2000");
    has(refusal(path, [](Claim& claim) { claim["handshake"]["reset_edges"] = -1; }), "from 0 to 2000");
    has(refusal(path, [](Claim& claim) { claim["handshake"]["states"][0]["patience"] = 2001; }), "from 0 to 2000");
    has(refusal(path, [](Claim& claim) { claim["claim"] = "different"; }), "has no obligations");
    has(refusal(path,
                [](Claim& claim) {
                    claim["claim"] = "different";
                    claim["obligations"] = Claim::array();
                }),
        "no vector");
    has(refusal(path, [](Claim& claim) { claim["units"].push_back(claim["units"][0]); }), "a unit and a design");
    // The AIGER text.
    const std::string design = testing::read_file(path / "design.aag");
    const auto with_design = [&](const std::string& from, const std::string& to) {
        std::string text = design;
        text.replace(text.find(from), from.size(), to);
        return refusal(path, [&](Claim&) { put_file(at_ / "design.aag", text); });
    };
    has(with_design("in_valid", "in_wrong"), "not as such a circuit");
    has(with_design(" 11 18 10 ", " 11 17 10 "), "design.aag");
    // A register that begins as 0: another claim, which is not made.
    const std::string own = std::to_string(2 * (bits_of_operands + 3 + 1));
    const std::size_t line = design.find('\n' + own + ' ') + 1, end = design.find('\n', line);
    const std::string latch = design.substr(line, end - line);
    has(with_design(latch, latch.substr(0, latch.rfind(' ')) + " 0"), "not as such a circuit");
}

/// With all of them less by one number each step still leads to less, and the largest would be too small a bound.
TEST_F(CertifiedHandshakes, PatienceDoesNotEndBelowZero) {
    const auto path = next_folder();
    ASSERT_EQ(write(three_edges(), path, 3).verdict, Written::Verdict::equivalent);
    const int most = check_certificate(path).handshake->most_patience();
    ASSERT_GT(most, 0);
    const std::string why = refusal(path, [most](Claim& claim) {
        for (auto& state : claim["handshake"]["states"]) state["patience"] = state["patience"].get<int>() - most;
    });
    EXPECT_NE(why.find("'patience' has to be from 0 to 2000"), std::string::npos) << why;
}

TEST_F(CertifiedHandshakes, LimitsAreOfOperandsThatAreTaken) {
    const auto path = next_folder();
    const Limits limits{.no_subnormals = true};
    ASSERT_EQ(write(two_stages(), path, 2, limits).verdict, Written::Verdict::equivalent);
    EXPECT_EQ(check_certificate(path).refused, "");
    // A design that is wrong for subnormal numbers alone: 0.5 is the only one of e2m1.
    const auto change = [](Edge& e, Bits& product) {
        const Literal low = e.n.make_and(e.operands[0], invert(e.operands[1]));
        product[0] = e.n.make_xor(product[0], e.n.make_and(low, invert(e.operands[2])));
    };
    const MadeDesign wrong = one_stage("wrong for 0.5", 0, change);
    EXPECT_NE(write(wrong, next_folder(), 1).verdict, Written::Verdict::equivalent);
    Edge without(0);
    without.in_ready = without.ready;
    without.out_valid = without.valid;
    without.d = without.product(without.operands);
    change(without, without.d);
    const MadeDesign at_once{"wrong at once for 0.5", without.circuit(), 0};
    EXPECT_NE(write(at_once, next_folder(), 0).verdict, Written::Verdict::equivalent);
    for (const MadeDesign& made : {wrong, at_once}) {
        const auto limited = next_folder();
        ASSERT_EQ(write(made, limited, made.cycles, limits).verdict, Written::Verdict::equivalent) << made.name;
        EXPECT_EQ(check_certificate(limited).refused, "");
    }
}

} // namespace
} // namespace discern::tests
