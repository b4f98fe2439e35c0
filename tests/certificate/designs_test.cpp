// Certificates of designs: circuits in AIGER beside a unit, and what is refused of them.
#include "certificate/aiger.hpp"
#include "made.hpp"
#include "sweep.hpp"

#include "models/error.hpp"
#include "models/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace discern::tests {
namespace {

using namespace certificate;

constexpr const char* small_unit = "e2m1*e2m1+e4m3->e4m3 K=1 L=1 nan=7f : round[e4m3 rne](fuse[exact](p*, c))";

/// A unit's own reference circuit, as a design.
AndCircuit design_of(const Unit& unit) {
    Netlist n(input_bits(unit));
    Bits d = reference_circuit(n, unit, operands(n, unit));
    const Netlist needed = without_unused(n, d);
    return and_circuit(needed, d, true);
}

std::vector<std::uint64_t> values_of(const AndCircuit& design, std::span<const std::uint64_t> inputs) {
    std::vector<std::uint64_t> values = {0};
    values.insert(values.end(), inputs.begin(), inputs.end());
    for (const auto& [x, y] : design.gates) values.push_back(value_of(values, x) & value_of(values, y));
    return values;
}

/// Whether two circuits over the same twenty inputs or fewer are the same, on all of them.
bool are_same(const AndCircuit& one, const AndCircuit& other) {
    for (std::uint64_t first = 0; first < std::uint64_t{1} << one.inputs; first += 64) {
        std::vector<std::uint64_t> words(one.inputs);
        for (std::uint64_t v = 0; v < 64; ++v)
            for (std::size_t i = 0; i < words.size(); ++i) words[i] |= (((first + v) >> i) & 1u) << v;
        const auto mine = values_of(one, words), theirs = values_of(other, words);
        for (std::size_t i = 0; i < one.outputs.size(); ++i)
            if (value_of(mine, one.outputs[i]) != value_of(theirs, other.outputs[i])) return false;
    }
    return true;
}

std::size_t index_below(Random& random, std::size_t end) {
    return static_cast<std::size_t>(random.below(static_cast<int>(end)));
}

class CertifiedSides : public ::testing::Test {
  protected:
    Unit unit_ = parse_unit(small_unit);
    AndCircuit design_ = design_of(unit_);
    testing::Folder folder_;
    int folders_ = 0;

    std::filesystem::path next_folder() { return folder_.path("certificate" + std::to_string(++folders_)); }
    Checked made(const Certified& what, Written::Verdict expected, const Limits& limits = {}) {
        const std::filesystem::path path = next_folder();
        EXPECT_EQ(write_certificate(what, limits, path, {}).verdict, expected);
        return check_certificate(path);
    }
    std::string refusal_of(const std::string& text) const {
        try {
            design_from_aiger(text, unit_, "design.aag");
            return "";
        } catch (const Error& error) {
            return error.what();
        }
    }
};

TEST_F(CertifiedSides, AreAccepted) {
    const Checked beside_a_unit = made({{unit_}, {{design_, {}}}, {}}, Written::Verdict::equivalent);
    EXPECT_EQ(beside_a_unit.verdict(), std::string("accepted")) << beside_a_unit.refused;
    EXPECT_EQ(beside_a_unit.units, std::vector<std::string>{small_unit});
    EXPECT_EQ(beside_a_unit.designs, std::vector<std::string>{sha256(design_to_aiger(design_, unit_))});
    EXPECT_NE(to_text(beside_a_unit).find(beside_a_unit.designs.front()), std::string::npos);

    const Checked two = made({{}, {{design_, {}}, {design_, {}}}, unit_}, Written::Verdict::equivalent);
    EXPECT_EQ(two.verdict(), std::string("accepted")) << two.refused;
    EXPECT_EQ(two.designs.size(), 2u);
    EXPECT_EQ(two.shape, small_unit);
}

TEST_F(CertifiedSides, ThatDifferAreAcceptedAsDifferent) {
    const Unit other = parse_unit("e2m1*e2m1+e4m3->e4m3 K=1 L=1 nan=7f : round[e4m3 rz](fuse[exact](p*, c))");
    const Checked checked = made({{other}, {{design_, {}}}, {}}, Written::Verdict::different);
    EXPECT_EQ(checked.verdict(), std::string("accepted")) << checked.refused;
    EXPECT_EQ(checked.claim(), std::string("different"));
}

TEST_F(CertifiedSides, AreTheUnitWithinLimitsOrUpToNaN) {
    // The last bit of d is another one where c is NaN.
    const Unit any = parse_unit("e2m1*e2m1+e4m3->e4m3 K=1 L=1 nan=any : round[e4m3 rne](fuse[exact](p*, c))");
    AndCircuit wrong_for_nan = design_;
    const auto conjunction = [&](Literal x, Literal y) {
        wrong_for_nan.gates.push_back({std::max(x, y), std::min(x, y)});
        return wrong_for_nan.gate(wrong_for_nan.gates.size() - 1);
    };
    Literal nan = yes;
    for (std::size_t i = 8; i < 15; ++i) { // of c, after two operands of four bits
        const auto bit = static_cast<Literal>(2 * (i + 1));
        nan = nan == yes ? bit : conjunction(nan, bit);
    }
    Literal& sign = wrong_for_nan.outputs.back(); // xor: NaN has two signs
    const Literal both = conjunction(nan, sign);
    const Literal neither = conjunction(invert(nan), invert(sign));
    sign = conjunction(invert(both), invert(neither));

    const auto verdict_of = [&](const Unit& unit, const Limits& limits, Written::Verdict expected) {
        const Checked checked = made({{unit}, {{wrong_for_nan, {}}}, {}}, expected, limits);
        EXPECT_EQ(checked.verdict(), std::string("accepted")) << checked.refused;
        return std::string(checked.claim());
    };
    EXPECT_EQ(verdict_of(unit_, {}, Written::Verdict::different), "different");
    EXPECT_EQ(verdict_of(unit_, {.finite = true}, Written::Verdict::equivalent), "equivalent");
    EXPECT_EQ(verdict_of(any, {}, Written::Verdict::equivalent), "equivalent");
}

TEST_F(CertifiedSides, MayLeaveBitsOpenThatDoNotCount) {
    AndCircuit open = design_;
    const std::size_t first = open.inputs++;
    const auto moved = [&](Literal x) { return node_of(x) > first ? x + 2 : x; };
    for (auto& gate : open.gates)
        for (Literal& x : gate) x = moved(x);
    for (Literal& x : open.outputs) x = moved(x);
    const auto bit = static_cast<Literal>(2 * (first + 1));
    const auto masked = [&](AndCircuit circuit, bool counts) { // d[0] or (open and not d[0]), and with d[0]
        const Literal d = circuit.outputs[0];
        circuit.gates.push_back({std::max(d, bit), std::min(d, bit)});
        if (counts) circuit.outputs[0] = circuit.gate(circuit.gates.size() - 1);
        return circuit;
    };
    const std::string text = design_to_aiger(masked(open, true), unit_);
    EXPECT_NE(text.find("open[0]"), std::string::npos);
    EXPECT_EQ(made({{unit_}, {{masked(open, false), {}}}, {}}, Written::Verdict::equivalent).verdict(),
              std::string("accepted"));
    const std::filesystem::path path = next_folder();
    EXPECT_NE(write_certificate({{unit_}, {{masked(open, true), {}}}, {}}, {}, path, {}).verdict,
              Written::Verdict::equivalent);

    // An open bit of one design is not that of another.
    const AndCircuit counts = masked(open, true);
    EXPECT_NE(write_certificate({{}, {{counts, {}}, {counts, {}}}, unit_}, {}, next_folder(), {}).verdict,
              Written::Verdict::equivalent);
    EXPECT_EQ(make_miter(unit_, {}, {counts, counts}, {}, true).netlist.inputs(), input_bits(unit_) + 2);
}

TEST_F(CertifiedSides, AreReadAsTheyAreWritten) {
    const std::string text = design_to_aiger(design_, unit_);
    const AndCircuit again = design_from_aiger(text, unit_, "design.aag");
    EXPECT_EQ(again.gates, design_.gates);
    EXPECT_EQ(again.outputs, design_.outputs);
    EXPECT_EQ(refusal_of(text + "c\nwhatever\n"), "");
    const auto replaced = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        const auto at = changed.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return changed.replace(at, from.size(), to);
    };
    const std::string gate = std::to_string(design_.gate(0)) + ' ';
    const std::string two_inputs = "i0 a0[0]\ni1 a0[1]\n";
    const struct {
        std::string text, why;
    } wrong[] = {
        {"", "no AIGER"},
        {"aig" + text.substr(3), "no AIGER"},
        {text.substr(0, text.size() / 3), "number is expected"},
        {text.substr(0, text.size() - 1), "not as such a circuit"},
        {text + "more\n", "not as such a circuit"},
        {replaced(" 0 8 ", " 1 8 "), "latches"},
        {replaced(" 0 8 ", " 0 7 "), "outputs"},
        {replaced("aag ", "aag 1"), "first number"},
        {replaced(" 16 0", " 15 0"), "inputs"},
        {replaced("\n2\n4\n", "\n4\n2\n"), "not as such a circuit"},
        {replaced(two_inputs, "i0 a0[1]\ni1 a0[0]\n"), "not as such a circuit"},
        {replaced("i0 a0[0]", "i0 b0[0]"), "not as such a circuit"},
        {replaced('\n' + gate, "\n" + gate + "999999 "), "not before it"},
        {replaced("\n2\n", "\n2 \n"), "not as such a circuit"},
        {replaced("\n2\n", "\n99999999999999999999\n"), "number is expected"},
    };
    for (const auto& [changed, why] : wrong)
        EXPECT_NE(refusal_of(changed).find(why), std::string::npos) << why << ": " << refusal_of(changed);
}

TEST_F(CertifiedSides, ChangedFilesAreRefused) {
    const std::filesystem::path path = next_folder();
    ASSERT_EQ(write_certificate({{unit_}, {{design_, {}}}, {}}, {}, path, {}).verdict, Written::Verdict::equivalent);
    const auto verdict = [&] { return std::string(check_certificate(path).verdict()); };
    const std::string text = testing::read_file(path / "design.aag");
    ASSERT_EQ(verdict(), "accepted");
    Random random(3);
    // A gate or an output with another input, or an inverter more: with digests that match, the formula is another one.
    for (int i = 0; i < 60; ++i) {
        AndCircuit changed = design_;
        const auto place = index_below(random, changed.gates.size() + changed.outputs.size());
        Literal& x = place < changed.gates.size() ? changed.gates[place][index_below(random, 2)]
                                                  : changed.outputs[place - changed.gates.size()];
        x = random.below(2) == 0 ? invert(x) : static_cast<Literal>(index_below(random, x + 1));
        const std::string other = design_to_aiger(changed, unit_);
        put_file(path / "design.aag", other);
        if (other == text) continue;
        EXPECT_EQ(verdict(), "refused"); // its digest is not that of the claim
        reseal(path);
        EXPECT_EQ(verdict(), "refused") << "change " << i;
    }
    // A gate less: the last one that something reads.
    AndCircuit less = design_;
    less.gates.pop_back();
    for (Literal& x : less.outputs)
        if (node_of(x) > less.inputs + less.gates.size()) x = no;
    put_file(path / "design.aag", design_to_aiger(less, unit_));
    reseal(path);
    EXPECT_EQ(verdict(), "refused");
    put_file(path / "design.aag", text);
    reseal(path);
    EXPECT_EQ(verdict(), "accepted");

    // What the claim is about has to be said.
    using Claim = nlohmann::ordered_json;
    const auto refused_with = [&](const std::function<void(Claim&)>& change) {
        const std::string before = testing::read_file(path / "claim.json");
        reseal(path, change);
        const std::string why = check_certificate(path).refused;
        put_file(path / "claim.json", before);
        reseal(path);
        return why;
    };
    const auto has = [](const std::string& text_of, const char* part) {
        return text_of.find(part) != std::string::npos;
    };
    EXPECT_TRUE(has(refused_with([](Claim& claim) { claim.erase("designs"); }), "two units or more"));
    EXPECT_TRUE(has(refused_with([](Claim& claim) { claim["designs"].push_back(claim["designs"][0]); }), "two units"));
    EXPECT_TRUE(has(refused_with([](Claim& claim) { claim["units"].push_back(claim["units"][0]); }), "two units"));
    EXPECT_TRUE(has(refused_with([](Claim& claim) { claim["units"] = Claim::array(); }), "two units"));
    EXPECT_TRUE(has(refused_with([](Claim& claim) { claim["designs"][0]["circuit"] = "whole.cnf"; }), "AIGER"));
    EXPECT_TRUE(has(refused_with([](Claim& claim) { claim["combination"] = "chain"; }), "of units alone"));
    EXPECT_FALSE(refused_with([](Claim& claim) { claim["files"].erase("design.aag"); }).empty());
    EXPECT_TRUE(refused_with([](Claim& claim) { claim["designs"][0]["module"] = "another"; }).empty()); // is not read
}

TEST_F(CertifiedSides, AWrongGateIsRefutedOrTheSame) {
    Random random(5);
    int same = 0, different = 0;
    for (int i = 0; i < fewer(30); ++i) {
        AndCircuit changed = design_;
        Literal& x = changed.gates[index_below(random, changed.gates.size())][index_below(random, 2)];
        x = invert(x);
        const std::filesystem::path path = next_folder();
        const Written written = write_certificate({{unit_}, {{changed, {}}}, {}}, {}, path, {});
        const bool are = are_same(design_, changed);
        ++(are ? same : different);
        EXPECT_EQ(written.verdict, are ? Written::Verdict::equivalent : Written::Verdict::different) << "change " << i;
        const Checked checked = check_certificate(path);
        EXPECT_EQ(checked.verdict(), std::string("accepted")) << checked.refused;
        EXPECT_EQ(checked.claim(), std::string(are ? "equivalent" : "different"));
    }
    EXPECT_GT(different, same);
}

} // namespace
} // namespace discern::tests
