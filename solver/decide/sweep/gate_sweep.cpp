// The recipe's numbers were measured: merges beyond a few hundred conflicts rarely end, and below a
// hundred too many are missed.
#include "gate_sweep.hpp"

#include "encodings/graph/gates.hpp"
#include "solver/backend/clauses.hpp"
#include "solver/sweep/merger.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern {

namespace {

using certificate::no, certificate::yes, certificate::node_of, certificate::invert_if, certificate::is_inverted;

constexpr std::size_t first_words = 16; ///< of 64 patterns each, to begin with
/// The first round and the later ones; then the whole question has all the time.
constexpr SweepRound rounds[] = {{300, 400}, {3000, 400}};
constexpr std::size_t gates_a_report = 200;

/// Answers by a SAT solver. The gates are made again over those that were found equal before, in a normal form, so that
/// most of them are found equal without a question.
class SolverAnswers : public certificate::GateAnswers {
  public:
    SolverAnswers(const Netlist& netlist, std::uint64_t seed, int conflicts, const Limit& limit)
        : nodes_(netlist.nodes()), solver_(make_clause_solver(seed, true)), conflicts_(conflicts), limit_(limit),
          image_(nodes_.size(), no) {
        for (std::size_t i = 0; i < netlist.inputs(); ++i) image_[node_of(netlist.input(i))] = gates_.input();
    }

    /// From now on only solutions of which a literal holds count. @param cone  its gates
    void require(Literal condition, std::span<const std::uint32_t> cone) {
        for (const std::uint32_t gate : cone) add(gate);
        const Literal image = image_of(condition);
        writer_.define(image);
        solver_->add({ClauseWriter::dimacs(image)});
    }

    void add(std::uint32_t g) override {
        const auto& [gate, in] = nodes_[g];
        if (gate == Gate::input) return; // or the constant
        const Literal x = image_of(in[0]), y = image_of(in[1]), z = image_of(in[2]);
        image_[g] = gates_.make(gate, x, y, z);
    }

    std::optional<std::uint32_t> twin(std::uint32_t gate) override {
        const auto found = first_.find(node_of(image_[gate]));
        return found == first_.end() ? std::nullopt : std::optional(found->second);
    }

    Answer merge(std::uint32_t gate, Literal earlier) override {
        const Literal own = image_[gate], same = image_of(earlier);
        if (own == same) return Answer::same;
        const Outcome outcome = unequal(own, same);
        if (outcome == Outcome::unsat) image_[gate] = same;
        return outcome == Outcome::unsat ? Answer::same : outcome == Outcome::sat ? Answer::different : Answer::open;
    }

    void keep(std::uint32_t node) override { first_.try_emplace(node_of(image_[node]), node); }

    std::optional<bool> value_found(std::size_t input) override { return value(gates_.netlist().input(input)); }

    /// What stands for a literal: over the gates that were found equal, a constant perhaps.
    Literal image_of(Literal literal) const { return invert_if(is_inverted(literal), image_[node_of(literal)]); }

    /// Whether a literal, given by what stands for it, can hold.
    Outcome possible(Literal image, int conflicts) {
        writer_.define(image);
        const int assumed[] = {ClauseWriter::dimacs(image)};
        return solver_->solve(assumed, conflicts, limit_);
    }

  private:
    bool value(Literal image) { return solver_->value(ClauseWriter::dimacs(image)); }

    Outcome unequal(Literal a, Literal b) {
        writer_.define(a);
        writer_.define(b);
        const int x = ClauseWriter::dimacs(a), y = ClauseWriter::dimacs(b);
        for (const auto& [p, q] : {std::pair(x, -y), std::pair(-x, y)}) {
            const int assumed[] = {p, q};
            const Outcome outcome = solver_->solve(assumed, conflicts_, limit_);
            if (outcome != Outcome::unsat) return outcome;
            solver_->add({-p, -q});
        }
        return Outcome::unsat;
    }

    const std::vector<Netlist::Node>& nodes_;
    GateBuilder gates_; ///< the gates again, with what was found equal merged
    std::unique_ptr<ClauseSolver> solver_;
    ClauseWriter writer_{gates_.netlist(), [this](std::initializer_list<int> clause) { solver_->add(clause); }};
    int conflicts_; ///< for a pair of gates
    const Limit& limit_;
    std::vector<Literal> image_;                             ///< among gates_, of the nodes
    std::unordered_map<std::uint32_t, std::uint32_t> first_; ///< of nodes of gates_: of which node it is the image
};

class Sweeper {
  public:
    Sweeper(const GateSweep& question, const Limit& limit)
        : question_(question), limit_(limit), blaster_(question.terms, question.layout) {
        for (const Term v : question.variables) blaster_.bits(v); // the inputs come first
        assume_ = blaster_.bits(question.assume)[0];
        blaster_.bits(question.first);
        of_first_ = nodes().size();
        blaster_.bits(question.second);
        differ_ = blaster_.bits(question.differ)[0];
        const Literal all[] = {assume_, differ_};
        order_ = cone(all);
        condition_ = cone(std::span(all, 1));
        result_.gates = order_.size();
    }

    GateSweepResult run() {
        certificate::Signatures signatures(nodes(), blaster_.netlist().inputs());
        certificate::SweepVectors vectors(
            signatures, differ_, [this](auto words) { return allowed(words); }, question_.seed + 1);
        for (std::size_t w = 0; w < first_words; ++w) vectors.add(first_patterns());
        if (signatures.empty() && !find_vectors(vectors)) return std::move(result_);
        if (question_.only)
            round(signatures, vectors, *question_.only, false);
        else
            for (const SweepRound& one : rounds)
                if (round(signatures, vectors, one, &one == std::end(rounds) - 1) || limit_.reached()) break;
        return std::move(result_);
    }

  private:
    const std::vector<Netlist::Node>& nodes() const { return blaster_.netlist().nodes(); }

    /// Where the condition excludes all patterns a solver looks for one that it allows.
    /// @return whether there is one; without one, or without an answer in time, that is the result
    bool find_vectors(certificate::SweepVectors& vectors) {
        SolverAnswers answers(blaster_.netlist(), question_.seed, -1, limit_);
        answers.require(assume_, condition_);
        const Outcome outcome = answers.possible(answers.image_of(assume_), -1);
        if (outcome == Outcome::unsat) result_.outcome = Outcome::unsat;
        return outcome == Outcome::sat &&
               vectors.walk_from([&](std::size_t input) { return answers.value_found(input); });
    }

    /// The gates on which some literals depend, each after those that it reads.
    std::vector<std::uint32_t> cone(std::span<const Literal> roots) const {
        std::vector<bool> needed(nodes().size());
        for (const Literal root : roots) needed[node_of(root)] = true;
        std::vector<std::uint32_t> gates;
        for (std::size_t g = nodes().size(); g-- > blaster_.netlist().inputs() + 1;) {
            if (!needed[g]) continue;
            if (blaster_.netlist().is_input(g)) throw std::logic_error("sweep_gates: a variable is not in the list");
            for (std::size_t k = 0; k < inputs_of(nodes()[g].gate); ++k) needed[node_of(nodes()[g].in[k])] = true;
            gates.push_back(static_cast<std::uint32_t>(g));
        }
        std::reverse(gates.begin(), gates.end());
        return gates;
    }

    /// All gates once. @return whether the question is settled
    bool round(certificate::Signatures& signatures, certificate::SweepVectors& vectors, const SweepRound& effort,
               bool is_last) {
        SolverAnswers answers(blaster_.netlist(), question_.seed, effort.conflicts, limit_);
        answers.require(assume_, condition_);
        const auto settled = [&] { return limit_.reached() || !vectors.telling().empty(); };
        certificate::GateMerger merger(signatures, vectors, answers,
                                       {.most_open = effort.most_open, .is_over = settled});
        merger.keep_inputs();
        std::size_t done = 0;
        for (const std::uint32_t g : order_) {
            if (settled()) break;
            if (question_.progress && done++ % gates_a_report == 0) question_.progress(done, order_.size());
            merger.place(g, g >= of_first_);
        }
        result_.merged += merger.count().merged;
        result_.refuted += merger.count().refuted;
        result_.open = merger.count().open;
        if (!vectors.telling().empty()) {
            result_.outcome = Outcome::sat;
            keep_solution([&](std::size_t input) { return vectors.telling()[input] != 0; });
            return true;
        }
        if (limit_.reached()) return true;
        const Literal differ = answers.image_of(differ_), assume = answers.image_of(assume_);
        if (differ == no || assume == no) {
            result_.outcome = Outcome::unsat;
            return true;
        }
        if (question_.only && result_.open >= effort.most_open) return true;
        // What is left is asked at once: soon after a round that left little open, else after another round.
        const bool has_all_time = !question_.only && (is_last || result_.open == 0);
        result_.outcome = answers.possible(differ, has_all_time ? -1 : 20 * effort.conflicts);
        if (result_.outcome == Outcome::sat)
            keep_solution([&](std::size_t input) { return *answers.value_found(input); });
        return result_.outcome != Outcome::unknown;
    }

    /// 64 patterns: a word for each input.
    std::vector<std::uint64_t> first_patterns() {
        std::vector<std::uint64_t> words(blaster_.netlist().inputs());
        for (int i = 0; i < 64; ++i)
            for (const auto& [variable, value] : question_.pattern()) {
                const std::vector<Literal>& bits = blaster_.bits(variable);
                for (std::size_t b = 0; b < bits.size(); ++b)
                    if (((value >> b) & 1) != 0) words[node_of(bits[b]) - 1] |= 1ull << i;
            }
        return words;
    }

    /// The patterns of which the condition holds.
    std::uint64_t allowed(std::span<const std::uint64_t> words) {
        values_.resize(nodes().size());
        std::copy(words.begin(), words.end(), values_.begin() + 1);
        for (const std::uint32_t g : condition_) values_[g] = gate_value(nodes()[g], values_);
        return certificate::value_of(values_, assume_);
    }

    template <typename Value>
    void keep_solution(Value value_of_input) {
        for (const Term v : question_.variables) {
            std::uint64_t value = 0;
            const std::vector<Literal>& bits = blaster_.bits(v);
            for (std::size_t b = 0; b < bits.size(); ++b)
                if (value_of_input(node_of(bits[b]) - 1)) value |= 1ull << b;
            result_.solution.emplace_back(v, value);
        }
    }

    const GateSweep& question_;
    const Limit& limit_;
    Blaster blaster_;
    Literal assume_ = yes, differ_ = no;
    std::size_t of_first_ = 0;                     ///< the end of the first one's gates
    std::vector<std::uint32_t> order_, condition_; ///< the gates of the question, and of `assume`
    std::vector<std::uint64_t> values_;            ///< of the gates of the condition
    GateSweepResult result_;
};

} // namespace

GateSweepResult sweep_gates(const GateSweep& question, const Limit& limit) {
    if (make_clause_solver(0, true) == nullptr) return {};
    return Sweeper(question, limit).run();
}

} // namespace discern
