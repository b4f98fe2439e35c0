#include "check.hpp"

#include "aiger.hpp"
#include "proof.hpp"
#include "sha256.hpp"

#include "models/error.hpp"
#include "models/format.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"

#include <nlohmann/json.hpp>

#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

namespace discern::certificate {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse(const std::string& sentence) { throw Error(sentence); }

std::string contents(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    if (in) text << in.rdbuf();
    if (!in) refuse(file.filename().string() + " cannot be read");
    return std::move(text).str();
}

/// A member of an object, of a type.
const Json& member(const Json& object, const char* name, bool (Json::*is_right)() const noexcept) {
    const auto found = object.find(name);
    if (found == object.end() || !((*found).*is_right)())
        refuse(std::string("claim.json: '") + name + "' is missing, or not of the right type");
    return *found;
}
const std::string& text(const Json& object, const char* name) {
    return member(object, name, &Json::is_string).get_ref<const std::string&>();
}
bool flag(const Json& object, const char* name) { return member(object, name, &Json::is_boolean).get<bool>(); }
int number(const Json& object, const char* name) {
    const Json& value = member(object, name, &Json::is_number_integer);
    const int x = value.get<int>();
    if (value != Json(x)) refuse(std::string("claim.json: '") + name + "' is too large");
    return x;
}
const Json& list(const Json& object, const char* name) { return member(object, name, &Json::is_array); }
std::vector<std::string> texts(const Json& array) {
    std::vector<std::string> all;
    for (const Json& one : array) {
        if (!one.is_string()) refuse("claim.json: a list has something else than texts");
        all.push_back(one.get_ref<const std::string&>());
    }
    return all;
}
std::vector<std::string> texts(const Json& object, const char* name) { return texts(list(object, name)); }

Json parsed(const std::string& text, const std::string& where) {
    Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object()) refuse(where + " is not a JSON object");
    return json;
}

/// The folder with its claim; every file is the one that the claim names.
class Certificate {
  public:
    explicit Certificate(const std::filesystem::path& folder) : folder_(folder) {
        const std::string claim = contents(folder / "claim.json");
        if (contents(folder / "claim.sha256") != sha256(claim) + "  claim.json\n")
            refuse("claim.json is not the file whose digest is in claim.sha256");
        json_ = parsed(claim, "claim.json");
        if (number(json_, "discern-certificate") != 1) refuse("claim.json: only certificates of version 1 are known");
        for (const auto& [name, digest] : member(json_, "files", &Json::is_object).items()) {
            require_plain(name);
            if (digest != sha256(contents(folder / name)))
                refuse(name + " is not the file whose digest is in the claim");
        }
    }

    const Json& claim() const { return json_; }
    /// A folder beside the claim.
    std::filesystem::path folder(const std::string& name) const {
        require_plain(name);
        return folder_ / name;
    }
    /// The contents of a file, which the claim must list with its digest.
    std::string file(const std::string& name) const {
        if (!json_.at("files").contains(name)) refuse("claim.json names " + name + " without its digest");
        return contents(folder_ / name);
    }

  private:
    static void require_plain(const std::string& name) {
        if (name.empty() || name[0] == '.' || name.find_first_of("/\\") != std::string::npos)
            refuse("claim.json: a file has the name '" + name + "', which is no plain name");
    }

    std::filesystem::path folder_;
    Json json_;
};

/// A pattern as hexadecimal digits.
std::uint64_t pattern_in(const Json& object, const char* name) {
    const std::string& digits = text(object, name);
    std::uint64_t pattern = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), pattern, 16);
    if (error != std::errc() || end != digits.data() + digits.size())
        refuse(std::string("claim.json: '") + name + "' is no pattern: " + digits);
    return pattern;
}

Limits limits_of(const Json& claim) {
    const Json& json = member(claim, "limits", &Json::is_object);
    Limits limits;
    limits.finite = flag(json, "finite");
    limits.no_subnormals = flag(json, "no_subnormals");
    for (const Json& range : list(json, "ranges"))
        limits.ranges.push_back({text(range, "operand"), number(range, "low"), number(range, "high")});
    for (const Json& range : list(json, "numbers"))
        limits.numbers.push_back({text(range, "operand"), pattern_in(range, "low"), pattern_in(range, "high")});
    return limits;
}

/// A line of the notation, which is how to_string writes that unit: there is one text for each.
Unit unit_of(const std::string& line) {
    Unit unit = parse_unit(line);
    if (to_string(unit) != line) refuse("the line of a unit is not as it is printed: " + to_string(unit));
    return unit;
}

using Units = std::vector<Unit>;

Units units_of(const Json& object) {
    Units units;
    for (const std::string& line : texts(object, "units")) units.push_back(unit_of(line));
    if (units.size() < 2) refuse("claim.json: 'units' has to be two lines or more");
    return units;
}

/// Makes the formula of some units again and checks the proof of it.
void check_obligation(const Certificate& certificate, const Json& obligation, const Units& units,
                      const Limits& limits) {
    const std::string& name = text(obligation, "name");
    if (units_of(obligation) != units) refuse("obligation " + name + " is about other units than the claim needs");
    const Miter miter = make_miter(units, limits, flag(certificate.claim(), "shared"));
    Formula formula = to_formula(miter);
    const std::string &formula_name = text(obligation, "formula"), &circuit = text(obligation, "circuit");
    if (certificate.file(formula_name) != to_dimacs(formula))
        refuse(formula_name + " is not the formula of the units of obligation " + name);
    if (certificate.file(circuit) != to_aiger(miter, units.front()))
        refuse(circuit + " is not the circuit of the units of obligation " + name);
    const std::string proof = certificate.file(text(obligation, "proof"));
    try {
        check_proof(std::move(formula), proof);
    } catch (const Error& error) {
        refuse("obligation " + name + ": " + error.what());
    }
}

/// What a chain needs: the first block and a later one, or one where they are the same.
std::vector<Units> blocks_of(const Units& units) {
    Units first, later;
    for (const Unit& unit : units) {
        first.push_back(block_of(unit, false));
        later.push_back(block_of(unit, true));
    }
    return later == first ? std::vector<Units>{first} : std::vector<Units>{first, later};
}

void check_obligations(const Certificate& certificate, const Units& units, const Limits& limits) {
    const Json& obligations = list(certificate.claim(), "obligations");
    const std::string& combination = text(certificate.claim(), "combination");
    std::vector<Units> needed;
    if (combination == "whole") {
        needed = {units};
    } else if (combination == "chain") {
        if (const std::string why = against_chain(units, limits); !why.empty())
            refuse("the units cannot be compared block by block: " + why);
        needed = blocks_of(units);
    } else {
        refuse("claim.json: 'combination' has to be whole or chain");
    }
    if (obligations.size() != needed.size())
        refuse("the claim needs " + std::to_string(needed.size()) + " obligations and has " +
               std::to_string(obligations.size()));
    for (std::size_t i = 0; i < needed.size(); ++i) check_obligation(certificate, obligations[i], needed[i], limits);
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

/// Simulates the circuits: each vector has the results of all units.
/// @return whether the units differ on some vector within the limits
bool check_vectors(const Certificate& certificate, const Units& units, const Limits& limits) {
    const Miter miter = make_miter(units, limits, flag(certificate.claim(), "shared"));
    std::istringstream lines(certificate.file(text(certificate.claim(), "vectors")));
    std::string line;
    std::getline(lines, line);
    if (number(parsed(line, "the first line of the vectors"), "discern") != 1)
        refuse("the vectors have no header with \"discern\":1");
    bool different = false;
    for (int at = 2; std::getline(lines, line); ++at) {
        const std::string where = "the vectors, line " + std::to_string(at);
        const Json vector = parsed(line, where);
        const auto values = simulate(miter.netlist, input_words(units.front(), vector));
        std::vector<std::string> results;
        for (const Bits& d : miter.results) results.push_back(result(units.front(), values, d));
        if (texts(vector, "d") != results) refuse(where + ": the plain circuits give other results");
        different = different || (value_of(values, miter.different) & 1u) != 0;
    }
    return different;
}

/// @throws Error with a sentence if anything is not as it should be
void check_units(const Certificate& certificate, Checked& checked) {
    const Json& claim = certificate.claim();
    const Units units = units_of(claim);
    const Limits& limits = checked.limits;
    const bool equivalent = checked.claimed == Checked::Claim::equivalent;
    for (const Unit& unit : units) checked.units.push_back(to_string(unit));
    checked.obligations = list(claim, "obligations").size();

    const bool different = check_vectors(certificate, units, limits);
    if (equivalent && different) refuse("a vector shows that the units differ");
    if (equivalent) check_obligations(certificate, units, limits);
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

bool any_nan(const std::string& line) { return unit_of(line).nan.kind == NanRule::Kind::any; }

/// The units of each class are joined by merges, each with a certificate of its own or assumed. A unit with nan=any is
/// the same as others that need not be the same as each other: those are joined without it.
void check_classes(const Certificate& certificate, Checked& checked) {
    const Json& claim = certificate.claim();
    Joined but_for_nan, all_bits;
    const auto join = [&](const Json& merge) {
        const std::vector<std::string> units = texts(merge, "units");
        if (units.size() < 2) refuse("claim.json: a merge has no two units");
        for (const std::string& unit : units) { // each is the same as the first
            but_for_nan.join(units.front(), unit);
            if (!any_nan(units.front()) && !any_nan(unit)) all_bits.join(units.front(), unit);
        }
        return units;
    };
    for (const Json& merge : list(claim, "merges")) {
        const auto units = join(merge);
        const std::filesystem::path folder = certificate.folder(text(merge, "folder"));
        const std::string name = "the certificate in " + folder.filename().string();
        if (sha256(contents(folder / "claim.json")) != text(merge, "sha256"))
            refuse(name + " is not the one whose digest is in the claim");
        const Checked part = check_certificate(folder);
        if (!part.refused.empty()) refuse(folder.filename().string() + ": " + part.refused);
        if (part.claimed != Checked::Claim::equivalent || part.units != units || part.limits != checked.limits)
            refuse(name + " is about something else than the merge");
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
        ++checked.classes;
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
        // A later block is taken with every accumulator, and a NaN as good as another.
        if (unit.nan.kind == NanRule::Kind::propagate) return "a NaN carries an operand's bits";
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

std::string to_json(const Checked& checked, double seconds) {
    Json json = {{"verdict", checked.verdict()}};
    if (!checked.refused.empty()) {
        json["reason"] = checked.refused;
    } else {
        json["claim"] = checked.claim();
        if (checked.claimed == Checked::Claim::classes)
            json.update({{"classes", checked.classes}, {"merges", checked.merges}});
        else
            json["units"] = checked.units;
        json["obligations"] = checked.obligations;
        json["assumed"] = checked.assumed;
    }
    json["seconds"] = seconds;
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace discern::certificate
