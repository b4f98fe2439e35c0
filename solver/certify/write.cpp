#include "write.hpp"

#include "cases.hpp"
#include "files.hpp"
#include "orders.hpp"
#include "sweep.hpp"

#include "certificate/aiger.hpp"
#include "certificate/check.hpp"
#include "certificate/claim.hpp"
#include "certificate/sha256.hpp"
#include "models/evaluate.hpp"
#include "models/families.hpp"
#include "models/format.hpp"
#include "models/hex.hpp"
#include "models/notation.hpp"

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

/// The reference circuit alone.
Netlist circuit_of(const Unit& unit) {
    Netlist n(input_bits(unit));
    Bits d = reference_circuit(n, unit, operands(n, unit));
    return without_unused(n, d);
}

Swept prove(const std::vector<Unit>& units, const Miter& miter, const WriteOptions& options) {
    std::vector<std::vector<std::uint64_t>> words;
    const auto vectors = some_vectors(units.front(), options.seed, 128);
    for (std::size_t i = 0; i < vectors.size(); ++i) {
        if (i % 64 == 0) words.emplace_back(miter.netlist.inputs());
        put(units.front(), vectors[i], i % 64, words.back());
    }
    std::vector<Unit> between;
    std::vector<Case> apart;
    if (units.size() == 2) {
        between = exchanges(units.front(), units.back());
        apart = cases(units.front(), units.back());
    }
    SweepOptions how;
    how.seed = options.seed;
    how.deadline = options.deadline;
    how.stop = options.stop;
    how.between = {between.size(), [&](std::size_t i) { return circuit_of(between[i]); }};
    if (apart.empty()) return sweep(miter, words, how);
    // Cases are rarely needed. Where they are, the circuits differ so much that asking for all results at once is
    // hopeless.
    how.tries = 0;
    Swept swept = sweep(miter, words, how);
    if (swept.verdict != Swept::Verdict::open) return swept;
    how.tries = 200;
    how.cases = std::move(apart);
    return sweep(miter, words, how);
}

/// A certificate in the making: files, and what the claim says of them.
class Folder {
  public:
    Folder(const std::vector<Unit>& units, const Limits& limits, bool shared)
        : units_(units), limits_(limits), shared_(shared) {}

    void add_file(const std::string& name, std::string text) { files_[name] = std::move(text); }

    void add_obligation(const std::string& name, const std::vector<Unit>& units, const Miter& miter,
                        std::string proof) {
        add_file(name + ".cnf", to_dimacs(to_formula(miter)));
        add_file(name + ".aig", to_aiger(miter, units.front()));
        add_file(name + ".proof", std::move(proof));
        obligations_.push_back(Json{{"name", name},
                                    {"units", lines(units)},
                                    {"formula", name + ".cnf"},
                                    {"circuit", name + ".aig"},
                                    {"proof", name + ".proof"}});
    }

    void add_vectors(const std::vector<InputBuffer>& vectors) {
        const Unit& unit = units_.front();
        std::string text = Json{{"discern", 1}, {"unit", to_string(unit)}}.dump() + '\n';
        std::vector<Evaluator> evaluators(units_.begin(), units_.end());
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
            "lines in claim.json.\n");
        const bool any = std::any_of(units_.begin(), units_.end(),
                                     [](const Unit& unit) { return unit.nan.kind == NanRule::Kind::any; });
        Json json = {{"discern-certificate", 1},
                     {"claim", claim},
                     {"units", lines(units_)},
                     {"limits", limits_json(limits_)},
                     {"nan", any ? "every NaN equals every other" : "bits"},
                     {"combination", combination},
                     {"shared", shared_},
                     {"obligations", obligations_},
                     {"vectors", "vectors.jsonl"},
                     {"assumed", Json::array()}};
        for (const auto& [name, text] : files_) json["files"][name] = sha256(text);
        make_folder(folder);
        for (const auto& [name, contents] : files_) put_file(folder / name, contents);
        write_claim(folder, json);
    }

  private:
    const std::vector<Unit>& units_;
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

Written write_certificate(const std::vector<Unit>& units, const Limits& limits, const std::filesystem::path& folder,
                          const WriteOptions& options) {
    const auto attempt = [&](bool chain) {
        Written written;
        written.combination = chain ? "chain" : "whole";
        Folder files(units, limits, options.shared);
        for (const bool later : {false, true}) {
            const std::vector<Unit> needed = chain ? blocks_of(units, later) : units;
            if (later && (!chain || needed == blocks_of(units, false))) break;
            const Miter miter = make_miter(needed, limits, options.shared);
            Swept swept = prove(needed, miter, options);
            written.gates += miter.netlist.nodes().size() - miter.netlist.inputs() - 1;
            written.proof_bytes += swept.proof.size();
            if (swept.verdict == Swept::Verdict::open) {
                for (const std::size_t i : swept.apart) written.apart.push_back(units[i]);
                return written;
            }
            if (swept.verdict == Swept::Verdict::different) {
                // If two blocks differ, the units need not.
                if (chain) return written;
                write_difference(units, limits, {vector_of(units.front(), swept.inputs)}, folder);
                written.verdict = Written::Verdict::different;
                return written;
            }
            const char* name = !chain ? "whole" : later ? "later" : "first";
            files.add_obligation(name, needed, miter, std::move(swept.proof));
        }
        files.add_vectors(some_vectors(units.front(), options.seed + 1, 20));
        files.write(folder, "equivalent", written.combination);
        written.verdict = Written::Verdict::equivalent;
        return written;
    };
    if (options.by_blocks && against_chain(units, limits).empty()) {
        const Written written = attempt(true);
        const bool some_were_shown = units.size() > 2 && !written.apart.empty();
        if (written.verdict != Written::Verdict::open || some_were_shown) return written;
    }
    return attempt(false);
}

void write_difference(const std::vector<Unit>& units, const Limits& limits, const std::vector<InputBuffer>& vectors,
                      const std::filesystem::path& folder) {
    Folder files(units, limits, false);
    files.add_vectors(vectors);
    files.write(folder, "different", "whole");
}

} // namespace discern::certificate
