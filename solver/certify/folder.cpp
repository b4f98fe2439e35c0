#include "folder.hpp"

#include "files.hpp"
#include "words.hpp"

#include "certificate/aiger.hpp"
#include "certificate/claim.hpp"
#include "certificate/sha256.hpp"
#include "models/evaluate.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"

#include <algorithm>

namespace discern::certificate {

namespace {

using Json = nlohmann::ordered_json;

/// d of a design.
std::uint64_t result_of(const AndCircuit& design, const Unit& unit, const InputBuffer& x) {
    std::vector<std::uint64_t> values(1 + design.inputs), words(design.inputs);
    put(unit, x, 0, words);
    std::copy(words.begin(), words.end(), values.begin() + 1);
    for (const auto& [one, other] : design.gates) values.push_back(value_of(values, one) & value_of(values, other));
    std::uint64_t d = 0;
    for (std::size_t i = 0; i < design.outputs.size(); ++i) d |= (value_of(values, design.outputs[i]) & 1u) << i;
    return d;
}

} // namespace

Folder::Folder(const Certified& what, const Limits& limits, bool shared)
    : what_(what), limits_(limits), shared_(shared) {
    for (const CertifiedDesign& design : what.designs) add_file(name_of(design), design.text(what.any_unit()));
}

Folder::~Folder() {
    if (at_once_.empty()) return;
    std::error_code ignored;
    for (const auto& [name, digest] : digests_) std::filesystem::remove(at_once_ / name, ignored);
    if (made_folder_) std::filesystem::remove(at_once_, ignored);
}

void Folder::write_at_once(const std::filesystem::path& folder) {
    std::error_code ignored;
    made_folder_ = !std::filesystem::exists(folder, ignored);
    make_folder(folder);
    at_once_ = folder;
    for (const auto& [name, text] : waiting_) put_file(folder / name, text);
    waiting_.clear();
}

void Folder::add_file(const std::string& name, const std::string& text) {
    digests_[name] = sha256(text);
    if (at_once_.empty())
        waiting_[name] = text;
    else
        put_file(at_once_ / name, text);
}

void Folder::add_obligation(const std::string& name, const std::vector<Unit>& units, const Formula& formula,
                            const std::string& circuit, const std::string& proof) {
    add_file(name + ".cnf", to_dimacs(formula));
    add_file(name + ".aig", circuit);
    add_file(name + ".proof", proof);
    obligations_.push_back(Json{{"name", name},
                                {"units", lines(units)},
                                {"formula", name + ".cnf"},
                                {"circuit", name + ".aig"},
                                {"proof", name + ".proof"}});
}

void Folder::add_vectors(const std::vector<InputBuffer>& vectors) {
    const Unit& unit = what_.any_unit();
    std::string text = Json{{"discern", 1}, {"unit", to_string(unit)}}.dump() + '\n';
    std::vector<Evaluator> evaluators(what_.units.begin(), what_.units.end());
    for (const InputBuffer& x : vectors) {
        Json line;
        const auto row = [&](const char* name, const std::vector<std::uint64_t>& patterns, FormatId id) {
            for (const std::uint64_t pattern : patterns) line[name].push_back(to_hex(format(id), pattern));
        };
        row("a", x.a, unit.a);
        row("b", x.b, unit.b);
        if (unit.scale) {
            row("sa", x.sa, unit.scale->format);
            row("sb", x.sb, unit.scale->format);
        }
        if (unit.c) line["c"] = to_hex(format(*unit.c), x.c);
        std::vector<std::uint64_t> results;
        for (const Evaluator& evaluate : evaluators) results.push_back(evaluate(x.inputs()));
        for (const CertifiedDesign& design : what_.designs) // a handshake has no result of operands alone
            if (!design.handshake) results.push_back(result_of(design.circuit, unit, x));
        row("d", results, unit.d);
        text += line.dump() + '\n';
    }
    add_file("vectors.jsonl", text);
}

void Folder::write(const std::filesystem::path& folder, const char* claim, const std::string& combination) {
    add_file(
        "CHECK.md",
        "# How to check this certificate\n\n"
        "    discern-check DIR\n\n"
        "with the folder of this file as DIR. Exit status 0: accepted, with nothing assumed. The program is built\n"
        "from discern's sources by `certificate/build`; docs/certificates.md there says what it trusts. A .cnf "
        "file\n"
        "is DIMACS, an .aig file the same circuit as AIGER; both are made again by the checker from the units'\n"
        "lines in claim.json" +
            (what_.designs.empty() ? ".\n" : " and the designs' circuits.\n" + about_designs()));
    const bool any = std::any_of(what_.units.begin(), what_.units.end(), is_any_nan);
    Json json = {{"discern-certificate", 1},
                 {"claim", claim},
                 {"units", lines(what_.units)},
                 {"limits", limits_json(limits_)},
                 {"nan", any ? "every NaN equals every other" : "bits"},
                 {"combination", combination},
                 {"shared", shared_},
                 {"obligations", obligations_},
                 {"vectors", "vectors.jsonl"},
                 {"assumed", Json::array()}};
    for (const CertifiedDesign& design : what_.designs) {
        Json object = {{"circuit", name_of(design)}};
        for (const auto& [key, values] : design.about) object[key] = values;
        json["designs"].push_back(std::move(object));
    }
    if (!what_.assumed_of_units.empty()) json["assumed_of_units"] = what_.assumed_of_units;
    if (what_.units.empty()) json["shape"] = to_string(what_.any_unit());
    json.update(more_);
    for (const auto& [name, digest] : digests_) json["files"][name] = digest;
    if (at_once_.empty()) make_folder(folder);
    for (const auto& [name, contents] : waiting_) put_file(folder / name, contents);
    write_claim(folder, json);
    at_once_.clear();
}

std::string Folder::name_of(const CertifiedDesign& design) const {
    if (what_.designs.size() == 1) return "design.aag";
    return &design == &what_.designs.front() ? "first.aag" : "second.aag";
}

/// What CHECK.md says of designs: what is not checked, and where the circuits come from.
std::string Folder::about_designs() const {
    std::string text =
        "\n## What is trusted of a design\n\n"
        "The claim is about the circuit in the .aag file, which is ASCII AIGER: inputs are the bits of the "
        "operands\n"
        "(a0[3] is bit 3 of a's first element), outputs those of d; of a handshake in_valid, out_ready and reset, "
        "and\n"
        "in_ready and out_valid besides, with registers as latches. That this circuit is the design is not checked\n"
        "by discern-check. It rests on the program that read the design, and on discern, which made gates of the\n"
        "cells, with the ports, constants and clock edges below. Other programs can compare the two: docs/rtl.md\n"
        "has a command for yosys.\n";
    for (const CertifiedDesign& design : what_.designs) {
        text += "\n" + name_of(design) + ":\n\n";
        for (const auto& [key, values] : design.about)
            for (const std::string& value : values) text += "- " + key + ": " + value + "\n";
    }
    return text;
}

} // namespace discern::certificate
