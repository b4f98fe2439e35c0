// `prove UNIT rtl:FILE --certificate DIR`: what discern-check accepts of a small design, against a simulator on all
// inputs: that the design is the unit, and that the circuit in the certificate is the design. A circuit that is changed
// behind the program's back is accepted only where it is the unit still.
#include "claims/ask.hpp"
#include "claims/designs/aiger.hpp"
#include "claims/designs/verilog.hpp"
#include "claims/draw.hpp"
#include "claims/forge.hpp"
#include "claims/inputs.hpp"
#include "claims/kinds.hpp"
#include "folder.hpp"

#include "certificate/check.hpp"

#include <fmt/format.h>

#include <fstream>

namespace discern::claims {

namespace {

using discern::testing::Folder;

constexpr int most_design_bits = 11;
constexpr int changes = 6; ///< of each circuit

Case drawn_design(Random& random) {
    Case asked;
    Size size;
    size.most_bits = random.one_in(3) ? 8 : most_design_bits;
    size.scales = random.one_in(4);
    const Unit unit = draw_unit(random, size);
    asked.units = {{unit, ""}};
    std::string base = ask({"export", "--as", "sv", asked.units.front().text()}).out;
    if (random.one_in(2)) base = with_mutant(random, base);
    const Wrapped wrapped = draw_wrapper(random, unit);
    asked.texts["design"] = base + wrapped.text;
    std::string how;
    for (const std::string& option : wrapped.timing.options()) how += (how.empty() ? "" : " ") + option;
    asked.texts["how"] = how;
    asked.texts["seed"] = std::to_string(random.bits() >> 1u);
    return asked;
}

/// What is wrong with what the circuit gives; empty: nothing.
/// @param expected  in binary, of each vector; "x" where anything may be
/// @param whatever_is_open  where d depends on what the design leaves open, that is wrong; else anything may be there
std::string wrong_circuit(const AigerCircuit& circuit, const Unit& unit, const std::vector<InputBuffer>& vectors,
                          const std::vector<std::string>& expected, bool whatever_is_open) {
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        if (expected[i].find_first_not_of("01") != std::string::npos) continue;
        const std::uint64_t e = std::stoull(expected[i], nullptr, 2);
        const std::uint64_t zeros = circuit(vectors[i].inputs(), false), ones = circuit(vectors[i].inputs(), true);
        if (zeros != ones && !whatever_is_open) continue;
        for (const std::uint64_t d : {zeros, ones})
            if (d != e && !same_result(unit, d, e))
                return fmt::format("{} gives {} and not {}", as_options(unit, vectors[i].inputs()),
                                   digits(d, result_width(unit)), expected[i]);
    }
    return "";
}

Compared compared_design(const Case& asked) {
    const Unit& unit = asked.units.front().unit;
    const Timing timing = Timing::of(asked.texts.at("how"));
    const Folder folder;
    const std::string design = folder.file("design.sv", asked.texts.at("design")), path = folder.path("certificate");
    std::vector<std::string> words = {"prove",         asked.units.front().text(),
                                      "rtl:" + design, "--top",
                                      "unit",          "--json",
                                      "--timeout",     "4",
                                      "--certificate", path};
    append(words, {asked.texts.at("how")});
    Compared result;
    const Answer answer = ask(words);
    words[2] = "rtl:design.sv";
    words[9] = "certificate";
    result.command = fmt::format("cat > design.sv <<'END'\n{}END\n  {}; discern-check certificate",
                                 asked.texts.at("design"), command_line(words));
    if (!std::filesystem::exists(path + "/claim.json")) return result; // refused, different, or not in time

    const certificate::Checked checked = certificate::check_certificate(path);
    if (!checked.refused.empty()) {
        result.wrong = "a certificate that was made is refused: " + checked.refused;
        return result;
    }
    const AllInputs inputs(unit, most_design_bits);
    const std::vector<InputBuffer> vectors = inputs.list();
    const std::vector<std::string> shown = simulated(unit, timing, vectors, design);
    if (shown.empty()) return result;
    const bool same = checked.claimed == certificate::Checked::Claim::equivalent;
    std::vector<std::string> right;
    std::string difference;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        const std::uint64_t d = evaluate_exactly(unit, vectors[i].inputs());
        right.push_back(digits(d, result_width(unit)));
        const bool is_number = shown[i].find_first_not_of("01") == std::string::npos;
        if (is_number && same_result(unit, d, std::stoull(shown[i], nullptr, 2))) continue;
        difference = fmt::format("{} gives {} and in simulation {}", as_options(unit, vectors[i].inputs()),
                                 right.back(), shown[i]);
    }
    result.claims = 2;
    // Where these are not all inputs, what differs may differ on another.
    if (same != difference.empty() && (same || inputs.complete())) {
        result.wrong = fmt::format("the checker accepts that they are {}; but {}", checked.claim(),
                                   same ? difference : "they are the same on all of these inputs");
        return result;
    }
    const std::string text = testing::read_file(path + "/design.aag");
    const AigerCircuit circuit(text);
    if (const std::string wrong = wrong_circuit(circuit, unit, vectors, shown, same); !wrong.empty()) {
        result.wrong = "the circuit of the certificate is not the design: " + wrong;
        return result;
    }

    Random random(std::stoull(asked.texts.at("seed")));
    for (int i = 0; i < changes; ++i) {
        const AigerCircuit changed = circuit.changed(random);
        std::ofstream(path + "/design.aag", std::ios::binary) << changed.text();
        match_digests(path);
        if (changed.text() == text || !certificate::check_certificate(path).refused.empty()) continue;
        ++result.claims;
        const std::string wrong = wrong_circuit(changed, unit, vectors, right, true);
        if (wrong.empty() == same || (!same && !inputs.complete())) continue;
        result.wrong = "the checker accepts a changed circuit, " + changed.what() + ", as " + checked.claim() + ": " +
                       (same ? wrong : "it is the unit");
        return result;
    }
    return result;
}

} // namespace

Kind certified_designs() {
    return {"rtl-certificate",
            "what discern-check accepts of a small design (prove rtl: --certificate), against simulation on all inputs",
            drawn_design,
            compared_design,
            nullptr,
            missing_tools};
}

} // namespace discern::claims
