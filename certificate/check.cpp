#include "check.hpp"

#include "aiger.hpp"
#include "claim.hpp"
#include "handshake.hpp"
#include "miter.hpp"
#include "proof.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace discern::certificate {

namespace {

using Json = nlohmann::json;
using Units = std::vector<Unit>;

/// What a claim is about.
struct Sides {
    Units units; ///< two or more; beside a design one, and beside two none
    std::vector<AndCircuit> designs;
    std::optional<ClockedCircuit> clocked; ///< the design of a handshake, which is none of these
    Unit shape;                            ///< a unit of the formats of all
    bool shared = false;

    /// A unit of the shape of these, or of the designs if there are no units.
    const Unit& shape_of(const Units& some) const { return some.empty() ? shape : some.front(); }
    Miter miter(const Units& some, const Limits& limits) const {
        return make_miter(shape_of(some), some, designs, limits, shared);
    }
};

/// A design is the circuit in a file of the certificate.
Sides sides_of(const Certificate& certificate, Checked& checked) {
    const Json& claim = certificate.claim();
    Sides sides;
    sides.units = units_of(claim);
    sides.shared = flag(claim, "shared");
    for (const Unit& unit : sides.units) checked.units.push_back(to_string(unit));
    const Json designs = claim.contains("designs") ? list(claim, "designs") : Json::array();
    if (designs.size() > 2 ||
        (sides.units.size() != 2 - designs.size() && (!designs.empty() || sides.units.size() < 2)))
        refuse("claim.json: a claim is about two units or more, a unit and a design, or two designs");
    if (designs.size() == 2) checked.shape = text(claim, "shape");
    sides.shape = designs.size() == 2 ? unit_of(checked.shape) : sides.units.front();
    const bool is_clocked = text(claim, "combination") == "handshake";
    if (is_clocked && designs.size() != 1) refuse("claim.json: a handshake is claimed of a unit and a design");
    for (const Json& design : designs) {
        const std::string& name = text(design, "circuit");
        if (is_clocked)
            sides.clocked = clocked_from_aiger(certificate.file(name), sides.shape, name);
        else
            sides.designs.push_back(design_from_aiger(certificate.file(name), sides.shape, name));
        checked.designs.push_back(certificate.digest_of(name));
    }
    return sides;
}

/// Checks the proof of a formula that was built anew. @param units  of the claim, or blocks of them
/// @param circuit_text  the same as AIGER
void check_obligation(const Certificate& certificate, const Json& obligation, const Units& units, Formula formula,
                      const std::string& circuit_text) {
    const std::string& name = text(obligation, "name");
    if (units_of(obligation) != units) refuse("obligation " + name + " is about other units than the claim needs");
    const std::string &formula_name = text(obligation, "formula"), &circuit = text(obligation, "circuit");
    if (!certificate.has(formula_name, to_dimacs(formula)))
        refuse(formula_name + " is not the formula of the units of obligation " + name);
    if (!certificate.has(circuit, circuit_text))
        refuse(circuit + " is not the circuit of the units of obligation " + name);
    const std::string proof = certificate.file(text(obligation, "proof"));
    try {
        check_proof(std::move(formula), proof);
    } catch (const Error& error) {
        refuse("obligation " + name + ": " + error.what());
    }
}

/// The blocks that a proof about a chain has to cover: the first one and a later one, or a single one if they are the
/// same.
std::vector<Units> blocks_of(const Units& units) {
    Units first, later;
    for (const Unit& unit : units) {
        first.push_back(block_of(unit, false));
        later.push_back(block_of(unit, true));
    }
    return later == first ? std::vector<Units>{first} : std::vector<Units>{first, later};
}

void require_count(const Json& obligations, std::size_t needed) {
    if (obligations.size() != needed)
        refuse("the claim needs " + std::to_string(needed) + " obligations and has " +
               std::to_string(obligations.size()));
}

/// Of each case that results are the same there, and last that the cases are all inputs. So it is no matter what a case
/// is.
void check_cases(const Certificate& certificate, const Sides& sides, const Limits& limits) {
    const Json& obligations = list(certificate.claim(), "obligations");
    const std::string& name = text(certificate.claim(), "cases");
    const AndCircuit cases = cases_from_aiger(certificate.file(name), sides.shape, name);
    require_count(obligations, cases.outputs.size() + 1);
    const Miter miter = sides.miter(sides.units, limits);
    for (std::size_t i = 0; i < cases.outputs.size(); ++i) {
        const Condition one = condition_of(cases, i, miter.netlist.inputs());
        check_obligation(certificate, obligations[i], sides.units, to_formula(miter, one),
                         to_aiger(restricted(miter, one), sides.shape));
    }
    const Miter cover = make_cover(sides.shape, cases, limits);
    check_obligation(certificate, obligations.back(), sides.units, to_formula(cover), to_aiger(cover, sides.shape));
}

/// That the reset leads into the states of the list, that no edge leads out of them, and that results in them are the
/// unit's. So it is no matter how the states were found.
Handshake check_handshake(const Certificate& certificate, const Sides& sides, const Limits& limits) {
    const auto member = certificate.claim().find("handshake");
    if (member == certificate.claim().end() || !member->is_object()) refuse("claim.json: 'handshake' is missing");
    Handshake handshake = handshake_of(*member);
    const std::string& name = text(*member, "circuit");
    const AndCircuit states = states_from_aiger(certificate.file(name), sides.shape, handshake.most_operations(),
                                                handshake.outputs(sides.clocked->registers), name);
    const Induction needed = make_induction(sides.units.front(), limits, *sides.clocked, handshake, states);
    std::vector<const Miter*> miters = {&needed.reset, &needed.step};
    for (const Miter& miter : needed.results) miters.push_back(&miter);
    const Json& obligations = list(certificate.claim(), "obligations");
    require_count(obligations, miters.size());
    for (std::size_t i = 0; i < miters.size(); ++i)
        check_obligation(certificate, obligations[i], sides.units, to_formula(*miters[i]), without_names(*miters[i]));
    return handshake;
}

void check_obligations(const Certificate& certificate, const Sides& sides, const Limits& limits) {
    const Json& obligations = list(certificate.claim(), "obligations");
    const std::string& combination = text(certificate.claim(), "combination");
    if (combination == "cases") return check_cases(certificate, sides, limits);
    std::vector<Units> needed;
    if (combination == "whole") {
        needed = {sides.units};
    } else if (combination == "chain" && sides.designs.empty()) {
        if (const std::string why = against_chain(sides.units, limits); !why.empty())
            refuse("the units cannot be compared block by block: " + why);
        needed = blocks_of(sides.units);
    } else {
        refuse(
            "claim.json: 'combination' has to be whole, cases, or, of units alone, chain, or, of a unit and a design, "
            "handshake");
    }
    require_count(obligations, needed.size());
    for (std::size_t i = 0; i < needed.size(); ++i) {
        const Miter miter = sides.miter(needed[i], limits);
        check_obligation(certificate, obligations[i], needed[i], to_formula(miter),
                         to_aiger(miter, sides.shape_of(needed[i])));
    }
}

/// The inputs' bits of a vector, in the netlist's order.
std::vector<std::uint64_t> input_words(const Unit& unit, const Json& vector) {
    std::vector<std::uint64_t> words;
    for (const Row& row : rows(unit)) {
        const bool is_c = row.patterns == &Operands::c; // the only one that is no list
        const auto patterns = is_c ? std::vector{text(vector, row.name)} : texts(vector, row.name);
        if (patterns.size() != static_cast<std::size_t>(row.count))
            refuse(std::string("a vector has the wrong number of ") + row.name);
        for (const std::string& digits : patterns) {
            const auto pattern = parse_pattern(*row.format, digits);
            if (!pattern) refuse("a vector: " + pattern_complaint(*row.format, digits));
            for (int i = 0; i < row.format->width; ++i) words.push_back((*pattern >> i) & 1u);
        }
    }
    return words;
}

std::string result(const Unit& unit, std::span<const std::uint64_t> values, const Bits& d) {
    std::uint64_t pattern = 0;
    for (std::size_t i = 0; i < d.size(); ++i) pattern |= (value_of(values, d[i]) & 1u) << i;
    return to_hex(format(unit.d), pattern);
}

/// Simulates the circuits: each vector has the results of all.
/// @return whether they differ on some vector within the limits
bool check_vectors(const Certificate& certificate, const Sides& sides, const Limits& limits) {
    const Miter miter = sides.miter(sides.units, limits);
    std::istringstream lines(certificate.file(text(certificate.claim(), "vectors")));
    std::string line;
    std::getline(lines, line);
    if (number(parsed(line, "the first line of the vectors"), "discern") != 1)
        refuse("the vectors have no header with \"discern\":1");
    bool different = false;
    for (int at = 2; std::getline(lines, line); ++at) {
        const std::string where = "the vectors, line " + std::to_string(at);
        const Json vector = parsed(line, where);
        auto words = input_words(sides.shape, vector);
        words.resize(miter.netlist.inputs()); // what a design leaves open is 0 here
        const auto values = simulate(miter.netlist, words);
        std::vector<std::string> results;
        for (const Bits& d : miter.results) results.push_back(result(sides.shape, values, d));
        if (texts(vector, "d") != results) refuse(where + ": the circuits give other results");
        different = different || (value_of(values, miter.different) & 1u) != 0;
    }
    return different;
}

/// @throws Error with a sentence if anything is not as it should be
void check_units(const Certificate& certificate, Checked& checked) {
    const Json& claim = certificate.claim();
    const Sides sides = sides_of(certificate, checked);
    const Limits& limits = checked.limits;
    const bool equivalent = checked.claimed == Checked::Claim::equivalent;
    checked.obligations = list(claim, "obligations").size();
    if (!equivalent && checked.obligations != 0) refuse("a claim that units differ has no obligations");
    const bool any = std::any_of(sides.units.begin(), sides.units.end(), is_any_nan);
    if (claim.contains("nan") && text(claim, "nan") != (any ? "every NaN equals every other" : "bits"))
        refuse("claim.json: 'nan' is not what the units say");

    const bool different = check_vectors(certificate, sides, limits);
    if (equivalent && different) refuse("a vector shows that the units differ");
    if (equivalent && sides.clocked)
        checked.handshake = check_handshake(certificate, sides, limits);
    else if (equivalent)
        check_obligations(certificate, sides, limits);
    if (!equivalent && !different) refuse("no vector within the limits shows that the units differ");
}

// ------------------------------------------------------------------------------------------- classes of units

/// Units that merges join, by their lines.
class Joined {
  public:
    void join(const std::string& one, const std::string& other) { parent_[root(one)] = root(other); }
    bool same(const std::string& one, const std::string& other) { return root(one) == root(other); }

  private:
    std::string root(std::string unit) {
        for (auto up = parent_.find(unit); up != parent_.end() && up->second != unit; up = parent_.find(unit))
            unit = up->second;
        return unit;
    }
    std::map<std::string, std::string> parent_;
};

bool any_nan(const std::string& line) { return is_any_nan(unit_of(line)); }

/// The units of each class are joined by merges, each with a certificate of its own, or assumed. A unit with nan=any
/// may equal two units that differ from each other; these are joined without it.
void check_classes(const Certificate& certificate, Checked& checked) {
    const Json& claim = certificate.claim();
    Joined but_for_nan, all_bits;
    const auto join = [&](const Json& merge) {
        const std::vector<std::string> units = texts(merge, "units");
        if (units.size() < 2) refuse("claim.json: a merge has no two units");
        std::string exact; // the first without nan=any
        for (const std::string& unit : units) {
            but_for_nan.join(units.front(), unit);
            if (any_nan(unit)) continue;
            if (exact.empty()) exact = unit;
            all_bits.join(exact, unit); // miter.hpp: those have the same bits
        }
        return units;
    };
    for (const Json& merge : list(claim, "merges")) {
        const auto units = join(merge);
        const std::string folder = text(merge, "folder"), name = "the certificate in " + folder;
        const std::filesystem::path path = certificate.folder(folder);
        Checked part;
        try {
            const Certificate one(path);
            if (one.digest() != text(merge, "sha256")) refuse(name + " is not the one whose digest is in the claim");
            part.limits = limits_of(one.claim());
            part.assumed = texts(one.claim(), "assumed");
            if (text(one.claim(), "claim") != "equivalent" || texts(one.claim(), "units") != units ||
                part.limits != checked.limits)
                refuse(name + " is about something else than the merge");
            check_units(one, part);
        } catch (const Error& why) {
            throw std::string(why.what()).starts_with(name) ? why : Error(folder + ": " + why.what());
        }
        checked.obligations += part.obligations;
        checked.assumed.insert(checked.assumed.end(), part.assumed.begin(), part.assumed.end());
        ++checked.merges;
    }
    for (const Json& merge : list(claim, "unproved")) {
        const auto units = join(merge);
        for (std::size_t i = 1; i < units.size(); ++i)
            checked.assumed.push_back(units.front() + "  is the same as  " + units[i]);
    }
    for (const Json& one : list(claim, "classes")) {
        const std::vector<std::string> units = texts(one);
        if (units.empty()) refuse("claim.json: a class has no unit");
        std::string exact; // the first without nan=any
        for (const std::string& unit : units) {
            if (!but_for_nan.same(units.front(), unit)) refuse("no merge shows that a unit is of its class: " + unit);
            if (any_nan(unit)) continue;
            if (exact.empty()) exact = unit;
            if (!all_bits.same(exact, unit)) refuse("only a unit with nan=any joins a unit to its class: " + unit);
        }
        require_inputs(checked.limits, unit_of(units.front()));
        checked.classes.push_back(units);
    }
}

void check(const Certificate& certificate, Checked& checked) {
    const Json& claim = certificate.claim();
    checked.limits = limits_of(claim);
    checked.assumed = texts(claim, "assumed");
    const std::string& kind = text(claim, "claim");
    for (const auto known : {Checked::Claim::equivalent, Checked::Claim::different, Checked::Claim::classes}) {
        checked.claimed = known;
        if (kind != checked.claim()) continue;
        if (known == Checked::Claim::classes) return check_classes(certificate, checked);
        return check_units(certificate, checked);
    }
    refuse("claim.json: 'claim' has to be equivalent, different or classes");
}

} // namespace

Unit block_of(const Unit& unit, bool later) {
    Unit block = unit;
    block.K = unit.L;
    if (later) block.c = unit.d;
    return block;
}

std::string against_chain(const std::vector<Unit>& units, const Limits& limits) {
    for (const Unit& unit : units) {
        if (unit.blocks() == 1 || unit.L != units.front().L)
            return "they have one block, or blocks of different lengths";
        if (!unit.c || unit.place != AccumulatorPlace::chained) return "c does not enter in the first block";
        if (unit.interleave != 0) return "blocks share their elements";
        // Every block has the same number of scales, of the same elements.
        if (unit.scale && unit.L % unit.scale->block != 0) return "blocks share their scales";
        // A later block is proved for every accumulator, and one NaN there counts as any other.
        if (unit.nan.keeps_operands()) return "a NaN carries an operand's bits";
    }
    return limits == Limits{} ? "" : "the inputs are limited";
}

Checked check_certificate(const std::filesystem::path& folder) {
    Checked checked;
    try {
        check(Certificate(folder), checked);
    } catch (const Error& why) {
        checked.refused = why.what();
    }
    return checked;
}

} // namespace discern::certificate
