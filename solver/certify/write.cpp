#include "write.hpp"

#include "cases.hpp"
#include "exponents.hpp"
#include "files.hpp"
#include "orders.hpp"
#include "shifts.hpp"
#include "solver/certify/proof/sweep.hpp"

#include "certificate/aiger.hpp"
#include "certificate/check.hpp"
#include "certificate/claim.hpp"
#include "certificate/sha256.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/format.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace discern::certificate {

namespace {

using Json = nlohmann::ordered_json;

/// The order of a vector's patterns in a netlist's inputs: visit(format, pattern).
template <typename Buffer, typename Visit>
void each_pattern(const Unit& unit, Buffer& x, Visit visit) {
    for (auto& pattern : x.a) visit(format(unit.a), pattern);
    for (auto& pattern : x.b) visit(format(unit.b), pattern);
    for (auto& pattern : x.sa) visit(format(unit.scale->format), pattern);
    for (auto& pattern : x.sb) visit(format(unit.scale->format), pattern);
    if (unit.c) visit(format(*unit.c), x.c);
}

/// A bit of each pattern in a word, as a netlist takes them.
void put(const Unit& unit, const InputBuffer& x, std::size_t vector, std::vector<std::uint64_t>& words) {
    std::size_t next = 0;
    each_pattern(unit, x, [&](const Format& f, std::uint64_t pattern) {
        for (int i = 0; i < f.width; ++i) words[next++] |= ((pattern >> i) & 1u) << vector;
    });
}

InputBuffer vector_of(const Unit& unit, const std::vector<std::uint64_t>& bits) {
    InputBuffer x;
    x.a.resize(static_cast<std::size_t>(unit.K));
    x.b = x.a;
    x.sa.resize(static_cast<std::size_t>(unit.scales()));
    x.sb = x.sa;
    std::size_t next = 0;
    each_pattern(unit, x, [&](const Format& f, std::uint64_t& pattern) {
        for (int i = 0; i < f.width; ++i) pattern |= (bits[next++] & 1u) << i;
    });
    return x;
}

std::vector<InputBuffer> some_vectors(const Unit& unit, std::uint64_t seed, int of_each_family) {
    std::vector<InputBuffer> list;
    for (const Family family : families) {
        InputGenerator generator(unit, family, seed);
        for (int i = 0; i < of_each_family; ++i) generator.next(list.emplace_back());
    }
    return list;
}

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

/// The reference circuit alone.
Netlist circuit_of(const Unit& unit) {
    Netlist n(input_bits(unit));
    Bits d = reference_circuit(n, unit, operands(n, unit));
    return without_unused(n, d);
}

/// Of a pair of gates: designs are less like a reference circuit than two of those are like each other, and where one
/// pair stays open, all that depend on it do.
constexpr int conflicts_of_designs = 3000;

/// One of the ways to a proof. What one leaves open, the next one tries. Cases and lemmas are rarely needed. Where they
/// are, the circuits differ so much without them that many pairs of gates stay open: then the first way is given up
/// soon.
struct Attempt {
    int conflicts;         ///< of a pair of gates
    std::size_t most_open; ///< pairs of gates: it is given up when so many are
    int tries = 0;         ///< of the results, if some of them stay open
    std::vector<Case> cases = {};
    std::optional<Lemmas> lemmas = {};
};
constexpr std::size_t few_open = 30, many_open = 400, any_number = ~std::size_t{};

/// Of a pair of gates: most are found equal by fewer than a hundred. Subtractions of exponents take more, and some
/// sums of many terms more than these.
constexpr int few_conflicts = 300, conflicts_of_exponents = 1000, many_conflicts = 2000;
constexpr int many_tries = 200;

/// The ways to show that two units are the same, or more than two without the cases and the lemmas.
/// @param reordered  whether they have terms in another order
std::vector<Attempt> attempts(const std::vector<Unit>& units, bool reordered,
                              const std::vector<std::vector<std::uint64_t>>& words, bool shared) {
    std::vector<Case> floors, exponents;
    if (units.size() == 2) {
        floors = cases(units.front(), units.back());
        exponents = cases_of_exponents(units.front(), units.back(), words, shared);
    }
    std::vector<Attempt> list = {{few_conflicts, reordered ? many_open : few_open}};
    // Where terms are exchanged, the sums' signs depend on whether an aligned term is zero.
    if (reordered && is_exact(units.front().tree))
        list.push_back({few_conflicts, any_number, 0, {}, any_bits_of_shifts(units.front())});
    if (!exponents.empty()) {
        exponents.insert(exponents.begin(), floors.begin(), floors.end());
        list.push_back({conflicts_of_exponents, any_number, many_tries, std::move(exponents)});
    }
    if (!floors.empty()) {
        list.push_back({many_conflicts, few_open});
        list.push_back({few_conflicts, many_open, many_tries, std::move(floors)});
    }
    list.push_back({many_conflicts, any_number, many_tries});
    return list;
}

/// @param unit  of the shape of all
Swept prove(const Unit& unit, const std::vector<Unit>& units, bool has_designs, const Miter& miter,
            const WriteOptions& options) {
    std::vector<std::vector<std::uint64_t>> words;
    const auto vectors = some_vectors(unit, options.seed, 128);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        if (i % 64 == 0) words.emplace_back(miter.netlist.inputs());
        put(unit, vectors[i], i % 64, words.back());
    }
    Random random(options.seed);
    for (std::vector<std::uint64_t>& word : words) // what designs leave open
        for (std::size_t i = input_bits(unit); i < word.size(); ++i) word[i] = random.bits();
    std::vector<Unit> between;
    if (units.size() == 2) between = exchanges(units.front(), units.back());
    SweepOptions how;
    how.seed = options.seed;
    how.deadline = options.deadline;
    how.stop = options.stop;
    how.only_and_gates = has_designs;
    if (has_designs) how.conflicts = conflicts_of_designs;
    how.between = {between.size(), [&](std::size_t i) { return circuit_of(between[i]); }};
    if (!between.empty()) how.between.of_sums = gates_of_sums(units.front(), options.shared);
    if (has_designs) {
        Swept swept = sweep(miter, words, how);
        how.conflicts = 10 * conflicts_of_designs;
        return swept.verdict == Swept::Verdict::open ? sweep(miter, words, how) : swept;
    }
    Swept swept;
    for (Attempt& attempt : attempts(units, !between.empty(), words, options.shared)) {
        how.conflicts = attempt.conflicts;
        how.most_open = attempt.most_open;
        how.tries = attempt.tries;
        how.cases = std::move(attempt.cases);
        how.lemmas = std::move(attempt.lemmas);
        swept = sweep(miter, words, how);
        if (swept.verdict != Swept::Verdict::open) break;
    }
    return swept;
}

/// A certificate in the making: files, and what the claim says of them.
class Folder {
  public:
    Folder(const Certified& what, const Limits& limits, bool shared) : what_(what), limits_(limits), shared_(shared) {
        for (const CertifiedDesign& design : what.designs)
            add_file(name_of(design), design_to_aiger(design.circuit, what.any_unit()));
    }

    void add_file(const std::string& name, std::string text) { files_[name] = std::move(text); }

    /// @param shape  a unit of the shape of these
    void add_obligation(const std::string& name, const Unit& shape, const std::vector<Unit>& units, const Miter& miter,
                        std::string proof) {
        add_file(name + ".cnf", to_dimacs(to_formula(miter)));
        add_file(name + ".aig", to_aiger(miter, shape));
        add_file(name + ".proof", std::move(proof));
        obligations_.push_back(Json{{"name", name},
                                    {"units", lines(units)},
                                    {"formula", name + ".cnf"},
                                    {"circuit", name + ".aig"},
                                    {"proof", name + ".proof"}});
    }

    void add_vectors(const std::vector<InputBuffer>& vectors) {
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
            for (const CertifiedDesign& design : what_.designs) results.push_back(result_of(design.circuit, unit, x));
            row("d", results, unit.d);
            text += line.dump() + '\n';
        }
        add_file("vectors.jsonl", text);
    }

    void write(const std::filesystem::path& folder, const char* claim, const std::string& combination) {
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
        for (const auto& [name, text] : files_) json["files"][name] = sha256(text);
        make_folder(folder);
        for (const auto& [name, contents] : files_) put_file(folder / name, contents);
        write_claim(folder, json);
    }

  private:
    std::string name_of(const CertifiedDesign& design) const {
        if (what_.designs.size() == 1) return "design.aag";
        return &design == &what_.designs.front() ? "first.aag" : "second.aag";
    }

    /// What CHECK.md says of designs: what is not checked, and where the circuits come from.
    std::string about_designs() const {
        std::string text =
            "\n## What is trusted of a design\n\n"
            "The claim is about the circuit in the .aag file, which is ASCII AIGER: inputs are the bits of the "
            "operands\n"
            "(a0[3] is bit 3 of a's first element), outputs those of d. That this circuit is the design is not "
            "checked\n"
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

    const Certified& what_;
    const Limits& limits_;
    bool shared_;
    std::map<std::string, std::string> files_;
    Json obligations_ = Json::array();
};

/// The units of one block: of the first, or of a later one.
std::vector<Unit> blocks_of(const std::vector<Unit>& units, bool later) {
    std::vector<Unit> blocks;
    for (const Unit& unit : units) blocks.push_back(block_of(unit, later));
    return blocks;
}

} // namespace

std::vector<AndCircuit> Certified::circuits() const {
    std::vector<AndCircuit> all;
    for (const CertifiedDesign& design : designs) all.push_back(design.circuit);
    return all;
}

Written write_certificate(const Certified& what, const Limits& limits, const std::filesystem::path& folder,
                          const WriteOptions& options) {
    const std::vector<Unit>& units = what.units;
    const auto attempt = [&](bool chain) {
        Written written;
        written.combination = chain ? "chain" : "whole";
        Folder files(what, limits, options.shared);
        for (const bool later : {false, true}) {
            const std::vector<Unit> needed = chain ? blocks_of(units, later) : units;
            if (later && (!chain || needed == blocks_of(units, false))) break;
            const Unit& shape = chain ? needed.front() : what.any_unit();
            const Miter miter = make_miter(shape, needed, what.circuits(), limits, options.shared);
            Swept swept = prove(shape, needed, !what.designs.empty(), miter, options);
            written.gates += miter.netlist.nodes().size() - miter.netlist.inputs() - 1;
            written.proof_bytes += swept.proof.size();
            if (swept.verdict == Swept::Verdict::open) {
                for (const std::size_t i : swept.apart)
                    if (i < units.size()) written.apart.push_back(units[i]);
                return written;
            }
            if (swept.verdict == Swept::Verdict::different) {
                // If two blocks differ, the units need not.
                if (chain) return written;
                write_difference(what, limits, {vector_of(shape, swept.inputs)}, folder);
                written.verdict = Written::Verdict::different;
                return written;
            }
            const char* name = !chain ? "whole" : later ? "later" : "first";
            files.add_obligation(name, shape, needed, miter, std::move(swept.proof));
        }
        files.add_vectors(some_vectors(what.any_unit(), options.seed + 1, 20));
        files.write(folder, "equivalent", written.combination);
        written.verdict = Written::Verdict::equivalent;
        return written;
    };
    if (options.by_blocks && what.designs.empty() && against_chain(units, limits).empty()) {
        const Written written = attempt(true);
        const bool some_were_shown = units.size() > 2 && !written.apart.empty();
        if (written.verdict != Written::Verdict::open || some_were_shown) return written;
    }
    return attempt(false);
}

void write_difference(const Certified& what, const Limits& limits, const std::vector<InputBuffer>& vectors,
                      const std::filesystem::path& folder) {
    Folder files(what, limits, false);
    files.add_vectors(vectors);
    files.write(folder, "different", "whole");
}

} // namespace discern::certificate
