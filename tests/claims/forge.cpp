#include "forge.hpp"

#include "certificate/aiger.hpp"
#include "certificate/check.hpp"
#include "certificate/claim.hpp"
#include "certificate/sha256.hpp"
#include "folder.hpp"
#include "solver/certify/files.hpp"
#include "solver/certify/proof/sweep.hpp"
#include "solver/certify/write.hpp"

namespace discern::claims {

namespace {

using OrderedJson = nlohmann::ordered_json;
using namespace certificate;

constexpr std::chrono::milliseconds most(700); ///< for a proof

std::chrono::steady_clock::time_point deadline() { return std::chrono::steady_clock::now() + most; }

OrderedJson read(const std::filesystem::path& file) { return OrderedJson::parse(testing::read_file(file.string())); }

/// Digests of the files as they are, and of the certificates that a claim of classes names.
void seal(const std::filesystem::path& folder, OrderedJson claim) {
    if (claim.contains("files"))
        for (auto& [name, digest] : claim["files"].items())
            digest = sha256(testing::read_file((folder / name).string()));
    if (claim.contains("merges"))
        for (OrderedJson& merge : claim["merges"])
            if (merge.contains("folder"))
                merge["sha256"] =
                    sha256(testing::read_file((folder / merge["folder"].get<std::string>() / "claim.json").string()));
    write_claim(folder, claim);
}

OrderedJson claim_of(const char* kind, const Limits& limits) {
    return {{"discern-certificate", 1},
            {"claim", kind},
            {"limits", limits_json(limits)},
            {"assumed", OrderedJson::array()},
            {"files", OrderedJson::object()}};
}

/// A number of an operand, or a bit of one.
void change_limits(Random& random, OrderedJson& limits) {
    switch (random.below(5)) {
    case 0: limits["finite"] = !limits["finite"].get<bool>(); break;
    case 1: limits["no_subnormals"] = !limits["no_subnormals"].get<bool>(); break;
    case 2: limits["ranges"].clear(); break;
    case 3: limits["numbers"].clear(); break;
    default: {
        const int low = random.between(-3, 3);
        limits["ranges"].push_back(
            OrderedJson{{"operand", random.one_in(2) ? "a" : "c"}, {"low", low}, {"high", low + 1}});
    }
    }
}

/// A line in the place of another, everywhere or in one list.
void change_units(Random& random, OrderedJson& claim, const OrderedJson& lines) {
    const auto any = [&](OrderedJson& list) -> OrderedJson& {
        return list[static_cast<std::size_t>(random.below(static_cast<int>(list.size())))];
    };
    const std::string line = lines[static_cast<std::size_t>(random.below(static_cast<int>(lines.size())))];
    if (claim.contains("classes")) {
        if (claim["classes"].empty()) return;
        OrderedJson& list =
            random.one_in(2) || claim["merges"].empty() ? any(claim["classes"]) : any(claim["merges"])["units"];
        if (random.one_in(2))
            list.push_back(line);
        else
            any(list) = line;
        return;
    }
    const auto i = static_cast<std::size_t>(random.below(static_cast<int>(claim["units"].size())));
    claim["units"][i] = line;
    if (random.one_in(4)) return;
    for (OrderedJson& obligation : claim["obligations"])
        if (i < obligation["units"].size()) obligation["units"][i] = line;
}

} // namespace

bool forge_chain(const std::vector<Unit>& units, const Limits& limits, const std::filesystem::path& folder) {
    OrderedJson claim = claim_of("equivalent", limits);
    claim["units"] = lines(units);
    claim["combination"] = "chain";
    claim["shared"] = false;
    claim["obligations"] = OrderedJson::array();
    claim["vectors"] = "vectors.jsonl";
    make_folder(folder);
    const auto add = [&](const std::string& name, const std::string& text) {
        put_file(folder / name, text);
        claim["files"][name] = "";
    };
    add("vectors.jsonl", "{\"discern\":1}\n");
    std::vector<Unit> before;
    for (const bool later : {false, true}) {
        std::vector<Unit> blocks;
        for (const Unit& unit : units) blocks.push_back(block_of(unit, later));
        if (blocks == before) break;
        before = blocks;
        const Miter miter = make_miter(blocks, limits);
        SweepOptions how;
        how.limit.end = deadline();
        Random random(1);
        std::vector<std::vector<std::uint64_t>> vectors(8, std::vector<std::uint64_t>(miter.netlist.inputs()));
        for (auto& words : vectors)
            for (std::uint64_t& word : words) word = random.bits();
        const Swept swept = sweep(miter, vectors, how);
        if (swept.verdict != Swept::Verdict::equivalent && !later) return false;
        if (swept.verdict != Swept::Verdict::equivalent) break; // the first alone, then
        const std::string name = later ? "later" : "first";
        add(name + ".cnf", to_dimacs(to_formula(miter)));
        add(name + ".aig", to_aiger(miter, blocks.front()));
        add(name + ".proof", swept.proof);
        claim["obligations"].push_back(OrderedJson{{"name", name},
                                                   {"units", lines(blocks)},
                                                   {"formula", name + ".cnf"},
                                                   {"circuit", name + ".aig"},
                                                   {"proof", name + ".proof"}});
    }
    seal(folder, claim);
    return true;
}

bool forge_class(const std::vector<Unit>& units, const Limits& limits, const std::filesystem::path& folder) {
    OrderedJson claim = claim_of("classes", limits);
    claim["classes"] = OrderedJson::array({lines(units)});
    claim["merges"] = claim["unproved"] = OrderedJson::array();
    make_folder(folder);
    for (std::size_t i = 1; i < units.size(); ++i) {
        const std::vector<Unit> two = {units[i - 1], units[i]};
        WriteOptions how;
        how.limit.end = deadline();
        how.shared = true;
        const std::string name = std::to_string(i);
        if (write_certificate(two, limits, folder / name, how).verdict != Written::Verdict::equivalent) return false;
        claim["merges"].push_back(OrderedJson{{"units", lines(two)}, {"folder", name}, {"sha256", ""}});
    }
    seal(folder, claim);
    return true;
}

void change(Random& random, const std::filesystem::path& folder, const std::vector<Unit>& units,
            const std::filesystem::path& spare) {
    OrderedJson claim = read(folder / "claim.json");
    std::filesystem::path where = folder;
    const bool has_parts = claim.contains("merges") && !claim["merges"].empty();
    if (has_parts && random.one_in(2)) { // in one of its parts
        where /= claim["merges"][0]["folder"].get<std::string>();
        claim = read(where / "claim.json");
    }
    switch (random.below(4)) {
    case 0:
    case 1: change_units(random, claim, lines(units)); break;
    case 2: change_limits(random, claim["limits"]); break;
    default:
        for (const auto& entry : std::filesystem::directory_iterator(spare)) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with("claim.") && entry.is_regular_file() && random.one_in(2))
                std::filesystem::copy_file(entry.path(), where / name,
                                           std::filesystem::copy_options::overwrite_existing);
        }
    }
    if (random.one_in(4) && claim.contains("nan")) claim.erase("nan");
    seal(where, claim);
    if (where != folder) seal(folder, read(folder / "claim.json"));
}

void match_digests(const std::filesystem::path& folder) { seal(folder, read(folder / "claim.json")); }

} // namespace discern::claims
