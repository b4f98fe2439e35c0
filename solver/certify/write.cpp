#include "write.hpp"

#include "by_cases.hpp"
#include "cases.hpp"
#include "exponents.hpp"
#include "files.hpp"
#include "folder.hpp"
#include "handshake.hpp"
#include "orders.hpp"
#include "shifts.hpp"
#include "solver/certify/proof/sweep.hpp"
#include "words.hpp"

#include "certificate/aiger.hpp"
#include "certificate/check.hpp"

namespace discern::certificate {

namespace {

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

/// Which attempts are made: before and after a proof by cases, or all.
enum class Which : std::uint8_t { all, but_last, last };

/// The ways to show that two units are the same, or more than two without the cases and the lemmas.
/// @param reordered  whether they have terms in another order
/// @param which      the last of them takes all the time that there is
std::vector<Attempt> attempts(const std::vector<Unit>& units, bool reordered,
                              const std::vector<std::vector<std::uint64_t>>& words, bool shared, Which which) {
    const Attempt last = {many_conflicts, any_number, many_tries};
    if (which == Which::last) return {last};
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
    if (which == Which::all) list.push_back(last);
    return list;
}

/// @param unit  of the shape of all
Swept prove(const Unit& unit, const std::vector<Unit>& units, bool has_designs, const Miter& miter,
            const WriteOptions& options, Which which) {
    const auto vectors = some_vectors(unit, options.seed, 128);
    std::size_t at = 0;
    const auto words = words_of(unit, miter.netlist.inputs(), vectors.size() / 64, options.seed,
                                [&](InputBuffer& x) { x = vectors[at++]; });
    std::vector<Unit> between;
    if (units.size() == 2) between = exchanges(units.front(), units.back());
    SweepOptions how;
    how.seed = options.seed;
    how.limit = options.limit;
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
    for (Attempt& attempt : attempts(units, !between.empty(), words, options.shared, which)) {
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

/// The units of one block: of the first, or of a later one.
std::vector<Unit> blocks_of(const std::vector<Unit>& units, bool later) {
    std::vector<Unit> blocks;
    for (const Unit& unit : units) blocks.push_back(block_of(unit, later));
    return blocks;
}

} // namespace

std::string CertifiedDesign::text(const Unit& unit) const {
    return handshake ? clocked_to_aiger({circuit, handshake->registers}, unit) : design_to_aiger(circuit, unit);
}

std::vector<AndCircuit> Certified::circuits() const {
    std::vector<AndCircuit> all;
    for (const CertifiedDesign& design : designs) all.push_back(design.circuit);
    return all;
}

Written write_certificate(const Certified& what, const Limits& limits, const std::filesystem::path& folder,
                          const WriteOptions& options) {
    const std::vector<Unit>& units = what.units;
    if (!what.designs.empty() && what.designs.front().handshake)
        return write_handshake(what, limits, folder, some_vectors(what.any_unit(), options.seed + 1, 20), options);
    const auto attempt = [&](bool chain, Which which = Which::all) {
        Written written;
        written.combination = chain ? "chain" : "whole";
        Folder files(what, limits, options.shared);
        for (const bool later : {false, true}) {
            const std::vector<Unit> needed = chain ? blocks_of(units, later) : units;
            if (later && (!chain || needed == blocks_of(units, false))) break;
            const Unit& shape = chain ? needed.front() : what.any_unit();
            const Miter miter = make_miter(shape, needed, what.circuits(), limits, options.shared);
            Swept swept = prove(shape, needed, !what.designs.empty(), miter, options, which);
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
            files.add_obligation(name, needed, to_formula(miter), to_aiger(miter, shape), swept.proof);
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
    const bool of_units = what.designs.empty();
    if (!what.by_cases || (!of_units && !options.by_cases)) return attempt(false);
    if (of_units)
        if (Written written = attempt(false, Which::but_last); written.verdict != Written::Verdict::open)
            return written;
    Written written =
        write_by_cases(what, limits, folder, some_vectors(what.any_unit(), options.seed + 1, 20), options);
    return of_units && written.verdict == Written::Verdict::open ? attempt(false, Which::last) : written;
}

void write_difference(const Certified& what, const Limits& limits, const std::vector<InputBuffer>& vectors,
                      const std::filesystem::path& folder) {
    Folder files(what, limits, false);
    files.add_vectors(vectors);
    files.write(folder, "different", "whole");
}

} // namespace discern::certificate
