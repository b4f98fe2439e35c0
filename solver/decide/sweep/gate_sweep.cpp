// The recipe's numbers were measured: merges beyond a few hundred conflicts rarely end, and below a
// hundred too many are missed.
#include "gate_sweep.hpp"

#include "encodings/graph/gates.hpp"
#include "models/random.hpp"
#include "solver/backend/clauses.hpp"
#include "solver/sweep/signatures.hpp"

#include <algorithm>

namespace discern {

namespace {

using certificate::no, certificate::yes, certificate::node_of, certificate::invert_if, certificate::is_inverted;

constexpr std::size_t first_words = 16; ///< of 64 patterns each, to begin with
/// Conflicts for one pair of gates, in the first round and the later ones; then the whole question has all the time.
constexpr int conflicts_a_pair[] = {300, 3000};
constexpr std::size_t tries_a_gate = 6; ///< other gates that it is compared with before it is left alone
constexpr std::size_t many_open = 400;  ///< gates given up, after which a round ends
constexpr std::size_t gates_a_report = 200;

/// The circuit with what was proved equal merged, its patterns and its clauses.
struct Net {
    Net(std::uint64_t seed, std::size_t inputs)
        : solver(make_clause_solver(seed, true)), signatures(gates.netlist().nodes(), inputs) {
        while (gates.netlist().inputs() < inputs) gates.input();
    }
    GateBuilder gates;
    std::unique_ptr<ClauseSolver> solver;
    certificate::Signatures signatures;
    ClauseWriter writer{gates.netlist(), [this](std::initializer_list<int> clause) { solver->add(clause); }};
};

class Sweeper {
  public:
    Sweeper(const GateSweep& question, const Limit& limit)
        : question_(question), limit_(limit), blaster_(question.terms, question.layout), random_(question.seed + 1) {}

    GateSweepResult run() {
        assume_ = blaster_.bits(question_.assume)[0];
        const std::vector<Literal> first = blaster_.bits(question_.first);
        const std::size_t of_first = nodes().size();
        blaster_.bits(question_.second);
        differ_ = blaster_.bits(question_.differ)[0];
        for (const Term v : question_.variables) blaster_.bits(v);
        find_cone();
        result_.gates = order_.size();
        for (const int conflicts : conflicts_a_pair) {
            if (round(of_first, conflicts) || limit_.reached()) break;
        }
        return std::move(result_);
    }

  private:
    const std::vector<Netlist::Node>& nodes() const { return blaster_.netlist().nodes(); }

    void find_cone() {
        std::vector<bool> needed(nodes().size());
        needed[node_of(assume_)] = needed[node_of(differ_)] = true;
        for (std::size_t g = nodes().size(); g-- > 0;) {
            if (!needed[g]) continue;
            for (const Literal in : nodes()[g].in) needed[node_of(in)] = true;
            order_.push_back(static_cast<std::uint32_t>(g));
        }
        std::reverse(order_.begin(), order_.end());
        for (const std::uint32_t g : order_)
            if (blaster_.netlist().is_input(g)) inputs_.push_back(g);
    }

    /// All gates once. @return whether the question is settled
    bool round(std::size_t of_first, int conflicts) {
        begin_round();
        conflicts_ = conflicts;
        result_.open = 0;
        std::size_t done = 0;
        for (const std::uint32_t g : order_) {
            if (limit_.reached()) return true;
            if (question_.progress && done++ % gates_a_report == 0) question_.progress(done, order_.size());
            place(g, g >= of_first);
        }
        const Literal differ = image_of(differ_), assume = image_of(assume_);
        if (differ == no || assume == no) {
            result_.outcome = Outcome::unsat;
            return true;
        }
        // What is left is asked at once: soon after a round that left little open, else after another round.
        const bool last = conflicts == conflicts_a_pair[std::size(conflicts_a_pair) - 1];
        net_->writer.define(differ);
        const int assumed[] = {ClauseWriter::dimacs(differ)};
        result_.outcome = net_->solver->solve(assumed, last || result_.open == 0 ? -1 : 20 * conflicts, limit_);
        if (result_.outcome == Outcome::sat) keep_solution();
        return result_.outcome != Outcome::unknown;
    }

    void begin_round() {
        net_ = std::make_unique<Net>(question_.seed, inputs_.size());
        image_.assign(nodes().size(), no);
        for (std::size_t i = 0; i < inputs_.size(); ++i) image_[inputs_[i]] = net_->gates.netlist().input(i);
        looked_at_ = 1;
        // The condition first: patterns count only where it holds.
        condition_ = copy(assume_);
        of_condition_ = net_->gates.netlist().nodes().size();
        net_->signatures.add_gates();
        if (patterns_.empty())
            for (std::size_t w = 0; w < first_words; ++w) patterns_.push_back(first_patterns());
        for (const Words& words : patterns_) add(words);
        net_->writer.define(condition_);
        net_->solver->add({ClauseWriter::dimacs(condition_)});
        enter(no);
    }

    using Words = std::vector<std::uint64_t>; ///< 64 patterns: of each input, in the order of inputs_

    Words first_patterns() {
        Words words(inputs_.size());
        for (int i = 0; i < 64; ++i)
            for (const auto& [variable, value] : question_.pattern()) {
                const std::vector<Literal>& bits = blaster_.bits(variable);
                for (std::size_t b = 0; b < bits.size(); ++b) {
                    const auto input = std::lower_bound(inputs_.begin(), inputs_.end(), node_of(bits[b]));
                    if (((value >> b) & 1) != 0 && input != inputs_.end() && *input == node_of(bits[b]))
                        words[static_cast<std::size_t>(input - inputs_.begin())] |= 1ull << i;
                }
            }
        return words;
    }

    /// Those patterns of which the condition holds.
    void add(Words words) {
        const auto& of_net = net_->gates.netlist().nodes();
        std::vector<std::uint64_t> values(std::max(of_condition_, words.size() + 1));
        std::copy(words.begin(), words.end(), values.begin() + 1);
        for (std::size_t i = words.size() + 1; i < of_condition_; ++i) values[i] = gate_value(of_net[i], values);
        const std::uint64_t allowed = certificate::value_of(values, condition_);
        if (allowed == 0) return;
        certificate::keep_only(allowed, words);
        net_->signatures.add_vectors(words);
    }

    /// The gates of a literal's cone in the net, as they are.
    Literal copy(Literal root) {
        std::vector<std::uint32_t> cone;
        std::vector<bool> seen(node_of(root) + 1);
        seen[node_of(root)] = true;
        for (std::uint32_t g = node_of(root) + 1; g-- > 0;) {
            if (!seen[g]) continue;
            cone.push_back(g);
            for (const Literal in : nodes()[g].in) seen[node_of(in)] = true;
        }
        for (std::size_t i = cone.size(); i-- > 0;) image_[cone[i]] = built(cone[i]);
        return image_of(root);
    }

    Literal image_of(Literal literal) const { return invert_if(is_inverted(literal), image_[node_of(literal)]); }

    /// The gate from the images of its inputs.
    Literal built(std::uint32_t g) {
        const auto& [gate, in] = nodes()[g];
        if (gate == Gate::input) return image_[g]; // or the constant
        const Literal x = image_of(in[0]), y = image_of(in[1]), z = image_of(in[2]);
        return net_->gates.make(gate, x, y, z);
    }

    void place(std::uint32_t g, bool compared) {
        const Literal own = built(g);
        image_[g] = own;
        net_->signatures.add_gates();
        const std::uint32_t gate = node_of(own);
        if (gate < looked_at_) return; // an earlier gate, or known
        for (; looked_at_ <= gate; ++looked_at_) {
            if (!compared || looked_at_ != gate) {
                enter(looked_at_);
                continue;
            }
            const Literal literal = 2 * gate, same = merged(gate);
            if (same != literal)
                image_[g] = invert_if(is_inverted(own), same);
            else
                enter(gate);
        }
    }

    void enter(std::uint32_t node) { net_->signatures.enter(node); }

    /// An earlier literal that is proved equal to a node of the net, or the node's own.
    Literal merged(std::uint32_t node) {
        const Literal literal = 2 * node;
        const auto& signatures = net_->signatures;
        std::vector<std::uint32_t> tried;
        while (tried.size() < tries_a_gate) {
            const auto other = signatures.like(node, tried);
            if (!other) break;
            tried.push_back(*other);
            const Literal own = signatures.zero_at_first(node), same = signatures.zero_at_first(*other);
            const Outcome outcome = unequal(own, same, conflicts_);
            if (outcome == Outcome::unsat) {
                ++result_.merged;
                return invert_if(is_inverted(own), same);
            }
            if (outcome == Outcome::unknown) {
                ++result_.open;
                break;
            }
            learn();
        }
        return literal;
    }

    Outcome unequal(Literal a, Literal b, int conflicts) {
        if (result_.open >= many_open) return Outcome::unknown;
        net_->writer.define(a);
        net_->writer.define(b);
        const int x = ClauseWriter::dimacs(a), y = ClauseWriter::dimacs(b);
        for (const auto& [p, q] : {std::pair(x, -y), std::pair(-x, y)}) {
            const int assumed[] = {p, q};
            const Outcome outcome = net_->solver->solve(assumed, conflicts, limit_);
            if (outcome != Outcome::unsat) return outcome;
            net_->solver->add({-p, -q});
        }
        return Outcome::unsat;
    }

    /// On a solution two gates differ, and perhaps others on vectors that are similar to it.
    void learn() {
        Words words;
        for (const std::uint32_t g : inputs_)
            words.push_back(net_->solver->value(ClauseWriter::dimacs(image_[g])) ? ~0ull : 0);
        for (int i = 1; i < 64; ++i)
            for (int flips = 1 + random_.below(3); flips > 0; --flips)
                words[static_cast<std::size_t>(random_.below(static_cast<int>(words.size())))] ^= 1ull << i;
        patterns_.push_back(words);
        add(std::move(words));
        ++result_.refuted;
    }

    void keep_solution() {
        for (const Term v : question_.variables) {
            std::uint64_t value = 0;
            const std::vector<Literal>& bits = blaster_.bits(v);
            for (std::size_t b = 0; b < bits.size(); ++b)
                if (image_[node_of(bits[b])] != no &&
                    net_->solver->value(ClauseWriter::dimacs(image_[node_of(bits[b])])))
                    value |= 1ull << b;
            result_.solution.emplace_back(v, value);
        }
    }

    const GateSweep& question_;
    const Limit& limit_;
    Blaster blaster_;
    std::unique_ptr<Net> net_;
    Random random_;
    Literal assume_ = yes, differ_ = no;
    Literal condition_ = yes;          ///< the image of assume_
    std::size_t of_condition_ = 0;     ///< the end of its gates in the net
    std::vector<std::uint32_t> order_, ///< the gates of the question, inputs of gates first
        inputs_;                       ///< … of them those that are inputs
    std::vector<Literal> image_;       ///< in the net, of the blaster's gates
    std::vector<Words> patterns_;
    std::uint32_t looked_at_ = 1;
    int conflicts_ = 0;
    GateSweepResult result_;
};

} // namespace

GateSweepResult sweep_gates(const GateSweep& question, const Limit& limit) {
    if (make_clause_solver(0, true) == nullptr) return {};
    return Sweeper(question, limit).run();
}

} // namespace discern
