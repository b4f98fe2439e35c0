#include "handshake.hpp"

#include "handshake_states.hpp"

#include "solver/certify/folder.hpp"
#include "solver/certify/proof/sweep.hpp"
#include "solver/certify/words.hpp"

#include "certificate/aiger.hpp"
#include "certificate/claim.hpp"
#include "models/random.hpp"

namespace discern::certificate {

namespace {

constexpr std::size_t words_simulated = 24; ///< of 64 each, with which a question is simulated
constexpr std::size_t words_apart = 5;      ///< of two operations in one word; no divisor of these, so that they differ
constexpr int conflicts_at_first = 3000, conflicts_at_last = 30'000;

class WritingHandshake {
  public:
    WritingHandshake(const Certified& what, const Limits& limits, const WriteOptions& options)
        : what_(what), limits_(limits), options_(options), unit_(what.units.front()),
          asked_(*what.designs.front().handshake), design_{what.designs.front().circuit,
                                                           what.designs.front().handshake->registers} {}

    Written run(const std::filesystem::path& folder, const std::vector<InputBuffer>& vectors) {
        written_.combination = "handshake";
        const auto found = states();
        if (!found) return std::move(written_);
        written_.states = found->handshake.states.size();
        const Induction needed = make_induction(unit_, limits_, design_, found->handshake, found->circuit);
        Folder files(what_, limits_, true);
        const std::size_t operations = found->handshake.most_operations() + 1; // with that at the ports
        if (!prove("reset", needed.reset, 0, files) || !prove("step", needed.step, operations, files))
            return std::move(written_);
        for (std::size_t i = 0; i < needed.results.size(); ++i)
            if (!prove("result" + std::to_string(i), needed.results[i], operations, files)) return std::move(written_);
        files.add_file("states.aag", states_to_aiger(found->circuit, unit_, found->handshake.most_operations()));
        nlohmann::ordered_json json = handshake_json(found->handshake);
        json["circuit"] = "states.aag";
        files.say("handshake", std::move(json));
        files.add_vectors(vectors);
        files.write(folder, "equivalent", written_.combination);
        written_.verdict = Written::Verdict::equivalent;
        return std::move(written_);
    }

  private:
    /// After a reset of one edge, or of as many as reach each stage.
    std::optional<FoundStates> states() {
        for (const int edges : asked_.has_reset ? std::vector{1, asked_.cycles + 1} : std::vector{0}) {
            auto found = find_states(
                operations_for_simulation(), design_, asked_, edges, [this] { return options_.limit.reached(); },
                written_.why);
            if (found) {
                written_.why.clear();
                return found;
            }
        }
        return std::nullopt;
    }

    /// @param operations  so many the inputs begin with
    bool prove(const std::string& name, const Miter& miter, std::size_t operations, Folder& files) {
        SweepOptions how;
        how.seed = options_.seed;
        how.limit = options_.limit;
        how.only_and_gates = !miter.results.empty();
        Swept swept;
        for (const int conflicts : {conflicts_at_first, conflicts_at_last}) {
            how.conflicts = conflicts;
            swept = sweep(miter, vectors_of(miter, operations), how);
            if (swept.verdict != Swept::Verdict::open) break;
        }
        if (swept.verdict != Swept::Verdict::equivalent) {
            // What is different here is so in a state that may never come.
            if (swept.verdict == Swept::Verdict::different)
                written_.why = "its states, as far as they are told apart, are not enough for a proof (" + name + ")";
            return false;
        }
        const Formula formula = to_formula(miter);
        written_.gates += formula.variables - miter.netlist.inputs();
        written_.proof_bytes += swept.proof.size();
        files.add_obligation(name, what_.units, formula, without_names(miter), swept.proof);
        return true;
    }

    /// Vectors of the unit's families, 64 in a word.
    std::vector<OperationWords> operations_for_simulation() const {
        std::vector<InputGenerator> generators;
        for (const Family family : families) generators.emplace_back(unit_, family, options_.seed);
        std::size_t at = 0;
        return words_of(unit_, input_bits(unit_), words_simulated, options_.seed,
                        [&](InputBuffer& x) { generators[at++ % generators.size()].next(x); });
    }

    /// Vectors of the unit for each operation at the inputs' beginning, and random bits for all else.
    /// @param operations  so many of them
    std::vector<std::vector<std::uint64_t>> vectors_of(const Miter& miter, std::size_t operations) const {
        Random random(options_.seed);
        const std::vector<OperationWords> from = operations_for_simulation();
        std::vector<std::vector<std::uint64_t>> words(words_simulated);
        for (std::size_t w = 0; w < words.size(); ++w) {
            for (std::size_t i = 0; i < operations; ++i) {
                const OperationWords& own = from[(w + words_apart * i) % from.size()];
                words[w].insert(words[w].end(), own.begin(), own.end());
            }
            while (words[w].size() < miter.netlist.inputs()) words[w].push_back(random.bits());
        }
        return words;
    }

    const Certified& what_;
    const Limits& limits_;
    const WriteOptions& options_;
    const Unit& unit_;
    const CertifiedHandshake& asked_;
    const ClockedCircuit design_;
    Written written_;
};

} // namespace

Written write_handshake(const Certified& what, const Limits& limits, const std::filesystem::path& folder,
                        const std::vector<InputBuffer>& vectors, const WriteOptions& options) {
    return WritingHandshake(what, limits, options).run(folder, vectors);
}

} // namespace discern::certificate
