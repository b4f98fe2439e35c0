#include "by_cases.hpp"

#include "folder.hpp"
#include "proof/sweep.hpp"
#include "words.hpp"

#include "certificate/aiger.hpp"

#include <algorithm>
#include <mutex>

namespace discern::certificate {

namespace {

constexpr std::size_t words_of_vectors = 24; ///< of 64 each, with which a case is simulated
constexpr int tries_until_split = 2, tries_of_last = 200;
constexpr int conflicts_before_results = 20; ///< of a pair of gates, where the results matter more

class WritingCases {
  public:
    WritingCases(const Certified& what, const Limits& limits, const std::filesystem::path& folder,
                 const WriteOptions& options)
        : what_(what), limits_(limits), folder_(folder), options_(options), shape_(what.any_unit()),
          miter_(make_miter(shape_, what.units, what.circuits(), limits, options.shared)),
          files_(what, limits, options.shared), conditions_(input_bits(shape_), true) {}

    Written run(const std::vector<InputBuffer>& vectors) {
        written_.combination = "cases";
        files_.write_at_once(folder_);
        const bool all = what_.by_cases([this](const ProofCase& one) { return ask(one); }, options_.limit);
        if (written_.verdict == Written::Verdict::different || !all) return std::move(written_);
        Bits outputs = cases_;
        const Netlist needed = without_unused(conditions_, outputs);
        const AndCircuit cases = and_circuit(needed, outputs);
        const Miter cover = make_cover(shape_, cases, limits_);
        std::size_t at = 0;
        const auto next = [&](InputBuffer& x) { x = vectors[at++ % vectors.size()]; };
        const Swept swept = sweep(cover, vectors_of(next, cover.netlist.inputs()), how());
        if (swept.verdict != Swept::Verdict::equivalent) return std::move(written_);
        add("cover", to_formula(cover), to_aiger(cover, shape_), swept.proof);
        files_.add_file("cases.aag", cases_to_aiger(cases, shape_));
        files_.say("cases", "cases.aag");
        files_.add_vectors(vectors);
        files_.write(folder_, "equivalent", written_.combination);
        written_.verdict = Written::Verdict::equivalent;
        return std::move(written_);
    }

    /// After `different`: a vector.
    const std::vector<std::uint64_t>& apart() const { return apart_; }

  private:
    SweepOptions how() const {
        SweepOptions how;
        how.seed = options_.seed;
        how.limit = options_.limit;
        return how;
    }

    /// From any thread.
    Written::Verdict ask(const ProofCase& one) {
        SweepOptions how = this->how();
        how.only_and_gates = !what_.designs.empty();
        how.conflicts = one.conflicts;
        how.most_open = one.most_open;
        how.tries = one.is_last ? tries_of_last : tries_until_split;
        Literal holds = no;
        const Condition condition = entered(one.condition, holds);
        how.condition = &condition;
        Swept swept = sweep(miter_, vectors_of(one.next, miter_.netlist.inputs()), how);
        if (swept.verdict == Swept::Verdict::open && !one.is_last) {
            // Where inputs are special or a term is zero, results may be the same although little before them is.
            how.conflicts = conflicts_before_results;
            how.most_open = ~std::size_t{};
            swept = sweep(miter_, vectors_of(one.next, miter_.netlist.inputs()), how);
        }
        if (swept.verdict == Swept::Verdict::open) return Written::Verdict::open;
        const Formula formula = to_formula(miter_, condition);
        const std::string circuit = to_aiger(restricted(miter_, condition), shape_);
        const std::scoped_lock lock(mutex_);
        if (swept.verdict == Swept::Verdict::different) {
            written_.verdict = Written::Verdict::different;
            apart_ = swept.inputs;
            return written_.verdict;
        }
        cases_.push_back(holds);
        add("case" + std::to_string(cases_.size() - 1), formula, circuit, swept.proof);
        ++written_.cases;
        return Written::Verdict::equivalent;
    }

    void add(const std::string& name, const Formula& formula, const std::string& circuit, const std::string& proof) {
        written_.gates += formula.variables - miter_.netlist.inputs();
        written_.proof_bytes += proof.size();
        files_.add_obligation(name, what_.units, formula, circuit, proof);
    }

    /// A case's condition as it comes to be among those of all, which share gates. Gates come behind those that there
    /// are, so what is written in the end has the same ones in the same order.
    Condition entered(const Condition& one, Literal& holds) {
        const AndCircuit own = and_circuit(one.circuit, {one.holds}, true);
        const std::scoped_lock lock(mutex_);
        Bits names = {no};
        for (std::size_t i = 0; i < own.inputs; ++i) names.push_back(conditions_.input(i));
        const auto named = [&](Literal x) { return invert_if(is_inverted(x), names[node_of(x)]); };
        for (const auto& [one_in, other_in] : own.gates) {
            const auto [low, high] = std::minmax({named(one_in), named(other_in)});
            names.push_back(conditions_.make_and(high, low));
        }
        holds = named(own.outputs.front());
        Bits root = {holds};
        const Netlist needed = without_unused(conditions_, root);
        return condition_of(and_circuit(needed, root), 0, miter_.netlist.inputs());
    }

    /// Vectors of a case, and of random bits what designs leave open.
    std::vector<std::vector<std::uint64_t>> vectors_of(const std::function<void(InputBuffer&)>& next,
                                                       std::size_t inputs) const {
        return words_of(shape_, inputs, words_of_vectors, options_.seed, next);
    }

    const Certified& what_;
    const Limits& limits_;
    const std::filesystem::path& folder_;
    const WriteOptions& options_;
    const Unit& shape_;
    const Miter miter_;
    std::mutex mutex_; // of all below
    Folder files_;
    Netlist conditions_;
    Bits cases_; ///< those that are proved, in the order of their obligations
    Written written_;
    std::vector<std::uint64_t> apart_;
};

} // namespace

Written write_by_cases(const Certified& what, const Limits& limits, const std::filesystem::path& folder,
                       const std::vector<InputBuffer>& vectors, const WriteOptions& options) {
    std::vector<std::uint64_t> apart;
    Written written;
    {
        WritingCases cases(what, limits, folder, options);
        written = cases.run(vectors);
        apart = cases.apart();
    }
    if (written.verdict == Written::Verdict::different)
        write_difference(what, limits, {vector_of(what.any_unit(), apart)}, folder);
    return written;
}

} // namespace discern::certificate
