// Certificates by cases: each case has its proof, and the cases are all inputs. What is changed of them is refused.
#include "certificate/aiger.hpp"
#include "certificate/file.hpp"
#include "made.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

namespace discern::tests {
namespace {

using namespace certificate;
using Claim = nlohmann::ordered_json;
using Ask = std::function<Written::Verdict(const ProofCase&)>;

constexpr const char* unit_of_cases = "e2m1*e2m1+e4m3->e4m3 K=1 L=1 nan=7f : round[e4m3 rne](fuse[exact](p*, c))";
constexpr std::size_t sign_of_a = 3, sign_of_c = 15; // among the bits of the operands: four of a, four of b, eight of c

AndCircuit circuit_as_design(const Unit& unit) {
    Netlist n(input_bits(unit));
    Bits d = reference_circuit(n, unit, operands(n, unit));
    const Netlist needed = without_unused(n, d);
    return and_circuit(needed, d, true);
}

/// Bits of the operands that have these values.
using Values = std::vector<std::pair<std::size_t, bool>>;

Condition condition(const Unit& unit, const Values& values) {
    Netlist n(input_bits(unit));
    Literal all = yes;
    for (const auto& [bit, value] : values) all = n.make_and(all, invert_if(!value, n.input(bit)));
    return {n, all};
}

class CertifiedCases : public ::testing::Test {
  protected:
    Unit unit_ = parse_unit(unit_of_cases);
    AndCircuit design_ = circuit_as_design(unit_);
    testing::Folder folder_;
    int folders_ = 0;
    const std::vector<Values> cases_ = {
        {{sign_of_c, true}}, {{sign_of_c, false}, {sign_of_a, true}}, {{sign_of_c, false}, {sign_of_a, false}}};

    std::filesystem::path next_folder() { return folder_.path("certificate" + std::to_string(++folders_)); }

    /// Asks about these, and says that they are all.
    SplitProof split(const std::vector<Values>& cases) const {
        return [this, cases](const Ask& ask, const Limit&) {
            for (const Values& one : cases) {
                InputGenerator generator(unit_, Family::normal, 5);
                const ProofCase asked{condition(unit_, one), [&](InputBuffer& x) { generator.next(x); }, 2000, 1000,
                                      true};
                if (ask(asked) != Written::Verdict::equivalent) return false;
            }
            return true;
        };
    }

    Written write(const std::filesystem::path& path, const std::vector<Values>& cases, const AndCircuit& design,
                  const Limits& limits = {}) {
        Certified what{{unit_}, {{design, {}}}, {}};
        what.by_cases = split(cases);
        WriteOptions options;
        options.by_cases = true;
        return write_certificate(what, limits, path, options);
    }

    /// Why it is refused after a change, which is taken back.
    std::string refusal(const std::filesystem::path& path, const std::function<void(Claim&)>& change) {
        const std::filesystem::path copy = next_folder();
        std::filesystem::copy(path, copy);
        auto claim = Claim::parse(testing::read_file(copy / "claim.json"));
        at_ = copy;
        change(claim);
        reseal(copy, [&](Claim& other) { other = claim; });
        return check_certificate(copy).refused;
    }
    AndCircuit cases_of(const std::filesystem::path& path) const {
        return cases_from_aiger(testing::read_file(path / "cases.aag"), unit_, "cases.aag");
    }
    /// Other cases, with all formulas as these need them: what is left wrong is the proofs.
    void set_cases(const AndCircuit& cases) const {
        put_file(at_ / "cases.aag", cases_to_aiger(cases, unit_));
        const Miter cover = make_cover(unit_, cases, {}), miter = make_miter(unit_, {unit_}, {design_}, {});
        put_file(at_ / "cover.cnf", to_dimacs(to_formula(cover)));
        put_file(at_ / "cover.aig", to_aiger(cover, unit_));
        for (std::size_t i = 0; i < cases.outputs.size(); ++i) {
            const Condition one = condition_of(cases, i, miter.netlist.inputs());
            const std::string name = "case" + std::to_string(i);
            put_file(at_ / (name + ".cnf"), to_dimacs(to_formula(miter, one)));
            put_file(at_ / (name + ".aig"), to_aiger(restricted(miter, one), unit_));
        }
    }

    std::filesystem::path at_; ///< what refusal() changes
};

TEST_F(CertifiedCases, AreAccepted) {
    const auto path = next_folder();
    const Written written = write(path, cases_, design_);
    ASSERT_EQ(written.verdict, Written::Verdict::equivalent);
    EXPECT_EQ(written.combination, "cases");
    EXPECT_EQ(written.cases, 3u);
    const Checked checked = check_certificate(path);
    EXPECT_EQ(checked.verdict(), std::string("accepted")) << checked.refused;
    EXPECT_EQ(checked.obligations, 4u);
    // Limits of the inputs count for the cover: negative c need no case where c is above 0.
    const Limits limits{.numbers = {{"c", 1, 0x70}}};
    const auto limited = next_folder();
    ASSERT_EQ(write(limited, {cases_[1], cases_[2]}, design_, limits).verdict, Written::Verdict::equivalent);
    EXPECT_EQ(check_certificate(limited).refused, "");
    // A case may be empty, or all inputs.
    const auto odd = next_folder();
    ASSERT_EQ(write(odd, {{{sign_of_c, true}, {sign_of_c, false}}, {}}, design_).verdict, Written::Verdict::equivalent);
    EXPECT_EQ(check_certificate(odd).refused, "");
}

TEST_F(CertifiedCases, ThatAreNotAllInputsAreNotWritten) {
    for (std::size_t left_out = 0; left_out < cases_.size(); ++left_out) {
        std::vector<Values> some = cases_;
        some.erase(some.begin() + static_cast<std::ptrdiff_t>(left_out));
        const auto path = next_folder();
        EXPECT_EQ(write(path, some, design_).verdict, Written::Verdict::open);
        EXPECT_FALSE(std::filesystem::exists(path)); // nothing is left of it
    }
    const auto path = next_folder();
    EXPECT_EQ(write(path, {}, design_).verdict, Written::Verdict::open);
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(CertifiedCases, ADesignThatIsWrongInOneIsNoUnit) {
    // The lowest bit of d is another one where all bits of the operands are 1, but for the sign of a.
    AndCircuit wrong = design_;
    const auto conjunction = [&](Literal x, Literal y) {
        wrong.gates.push_back({std::max(x, y), std::min(x, y)});
        return wrong.gate(wrong.gates.size() - 1);
    };
    Literal one_input = conjunction(4, 2);
    for (Literal bit = 2; bit < input_bits(unit_); ++bit)
        one_input = conjunction(one_input, invert_if(bit == sign_of_a, 2 * (bit + 1)));
    const Literal both = conjunction(one_input, wrong.outputs[0]);
    const Literal neither = conjunction(invert(one_input), invert(wrong.outputs[0]));
    wrong.outputs[0] = conjunction(invert(both), invert(neither));
    const auto path = next_folder();
    EXPECT_EQ(write(path, cases_, wrong).verdict, Written::Verdict::different);
    const Checked checked = check_certificate(path);
    EXPECT_EQ(checked.claim(), std::string("different"));
    EXPECT_EQ(checked.refused, "");
    // The circuit for other programs says so of the case that has the input alone.
    std::vector<std::uint64_t> input(input_bits(unit_), 1);
    input[sign_of_a] = 0;
    const Miter miter = make_miter(unit_, {unit_}, {wrong}, {});
    for (const Values& one : cases_) {
        const Miter of_case = restricted(miter, condition(unit_, one));
        const auto values = simulate(of_case.netlist, input);
        EXPECT_EQ(value_of(values, of_case.different) & 1u, &one == &cases_.front() ? 1u : 0u);
    }
    // Two of the cases are the unit's nevertheless.
    EXPECT_EQ(write(next_folder(), {cases_[1], cases_[2]}, wrong).verdict, Written::Verdict::open);
}

TEST_F(CertifiedCases, ChangesAreRefused) {
    const auto path = next_folder();
    ASSERT_EQ(write(path, cases_, design_).verdict, Written::Verdict::equivalent);
    const AndCircuit cases = cases_of(path);
    ASSERT_EQ(cases.outputs.size(), 3u);
    EXPECT_EQ(refusal(path, [](Claim&) {}), "");
    const auto has = [](const std::string& text, const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << part << " is expected: " << text;
    };

    // A case is left out: as it stands, and with all formulas made anew.
    AndCircuit fewer_cases = cases;
    fewer_cases.outputs.pop_back();
    const auto without_last = [](Claim& claim) {
        auto& all = claim["obligations"];
        all.erase(all.size() - 2);
    };
    has(refusal(path, without_last), "needs 4 obligations and has 3");
    has(refusal(path, [&](Claim&) { put_file(at_ / "cases.aag", cases_to_aiger(fewer_cases, unit_)); }),
        "needs 3 obligations and has 4");
    has(refusal(path,
                [&](Claim& claim) {
                    without_last(claim);
                    put_file(at_ / "cases.aag", cases_to_aiger(fewer_cases, unit_));
                }),
        "cover.cnf is not the formula");
    has(refusal(path,
                [&](Claim& claim) {
                    without_last(claim);
                    set_cases(fewer_cases);
                }),
        "obligation cover: ");

    // A condition holds for more inputs, or for fewer.
    for (const Literal other : {yes, no, cases.outputs[1]}) {
        AndCircuit changed = cases;
        changed.outputs[0] = other;
        has(refusal(path, [&](Claim&) { put_file(at_ / "cases.aag", cases_to_aiger(changed, unit_)); }),
            "case0.cnf is not the formula");
        EXPECT_NE(refusal(path, [&](Claim&) { set_cases(changed); }), "");
    }

    // The proof of another case.
    has(refusal(path,
                [](Claim& claim) { std::swap(claim["obligations"][0]["proof"], claim["obligations"][1]["proof"]); }),
        "obligation case0: ");
    has(refusal(path, [](Claim& claim) { std::swap(claim["obligations"][0], claim["obligations"][1]); }),
        "is not the formula");
    has(refusal(path, [](Claim& claim) { claim["obligations"][3] = claim["obligations"][0]; }), "is not the formula");

    // Other limits of the inputs, another way to put it together, another circuit of cases.
    has(refusal(path,
                [](Claim& claim) {
                    claim["limits"]["ranges"].push_back({{"operand", "c"}, {"low", -3}, {"high", 3}});
                }),
        "is not the formula");
    has(refusal(path, [](Claim& claim) { claim["limits"]["finite"] = true; }), "is not the formula");
    has(refusal(path, [](Claim& claim) { claim["combination"] = "whole"; }), "needs 1 obligations");
    has(refusal(path, [](Claim& claim) { claim.erase("cases"); }), "'cases' is missing");
    has(refusal(path, [](Claim& claim) { claim["cases"] = "design.aag"; }), "not as such a circuit");
    AndCircuit none = cases, many = cases, more_inputs = cases;
    none.outputs.clear();
    many.outputs.assign(most_cases_of_a_claim + 1, yes);
    more_inputs.inputs += 1;
    for (const AndCircuit& one : {none, many, more_inputs})
        has(refusal(path, [&](Claim&) { put_file(at_ / "cases.aag", cases_to_aiger(one, unit_)); }),
            "up to 10000 cases");
}

} // namespace
} // namespace discern::tests
