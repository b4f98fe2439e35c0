// See gate_sweep.hpp. The recipe's numbers were measured: merges beyond a few hundred conflicts rarely end, and below a
// hundred too many are missed.
#include "gate_sweep.hpp"

#include "encodings/graph/gates.hpp"
#include "models/random.hpp"
#include "solver/backend/clauses.hpp"
#include "solver/backend/simulation.hpp"

#include <algorithm>
#include <unordered_map>

namespace discern {

namespace {

constexpr std::size_t first_words = 16; ///< of 64 patterns each, to begin with
/// Conflicts for one pair of gates, in the first round and the later ones; then the whole question has all the time.
constexpr int conflicts_a_pair[] = {300, 3000};
constexpr int tries_a_gate = 6;        ///< other gates that it is compared with before it is left alone
constexpr std::size_t many_open = 400; ///< gates given up, after which a round ends
constexpr std::size_t gates_a_report = 200;

/// The circuit with what was proved equal merged, its patterns and its clauses.
struct Net {
    explicit Net(std::uint64_t seed) : solver(make_clause_solver(seed, true)) {}
    Gates gates;
    Simulation simulation{gates};
    std::unique_ptr<ClauseSolver> solver;
    ClauseWriter writer{gates, [this](std::initializer_list<int> clause) { solver->add(clause); }};
};

class Sweeper {
  public:
    Sweeper(const GateSweep& question, const Limit& limit)
        : question_(question), limit_(limit), blaster_(question.terms, question.layout), random_(question.seed + 1) {}

    GateSweepResult run() {
        assume_ = blaster_.bits(question_.assume)[0];
        const std::vector<Literal> first = blaster_.bits(question_.first);
        const std::size_t of_first = blaster_.gates().size();
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
    void find_cone() {
        const Gates& gates = blaster_.gates();
        std::vector<bool> needed(gates.size());
        needed[assume_ / 2] = needed[differ_ / 2] = true;
        for (std::size_t g = gates.size(); g-- > 0;) {
            if (!needed[g]) continue;
            for (const Literal in : gates.gate(static_cast<std::uint32_t>(g)).in) needed[in / 2] = true;
            order_.push_back(static_cast<std::uint32_t>(g));
        }
        std::reverse(order_.begin(), order_.end());
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
        if (differ == Gates::no || assume == Gates::no) {
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
        net_ = std::make_unique<Net>(question_.seed);
        image_.assign(blaster_.gates().size(), Gates::no);
        classes_.clear();
        looked_at_ = 1;
        for (const std::uint32_t g : order_)
            if (blaster_.gates().gate(g).kind == Gates::Kind::input) image_[g] = net_->gates.input();
        if (patterns_.empty())
            for (std::size_t w = 0; w < first_words; ++w) patterns_.push_back(first_patterns());
        for (const auto& inputs_of_word : patterns_) net_->simulation.add(of_net(inputs_of_word));
        // The condition first: patterns count only where it holds.
        const Literal condition = copy(assume_);
        net_->simulation.update();
        net_->simulation.require(condition);
        net_->writer.define(condition);
        net_->solver->add({ClauseWriter::dimacs(condition)});
        enter(Gates::no);
    }

    using Words = std::unordered_map<std::uint32_t, std::uint64_t>; ///< of inputs, by gate of the blaster

    Words first_patterns() {
        Words words;
        for (int i = 0; i < 64; ++i)
            for (const auto& [variable, value] : question_.pattern()) {
                const std::vector<Literal>& bits = blaster_.bits(variable);
                for (std::size_t b = 0; b < bits.size(); ++b)
                    if (((value >> b) & 1) != 0) words[bits[b] / 2] |= 1ull << i;
            }
        return words;
    }

    std::vector<std::uint64_t> of_net(const Words& words) const {
        std::vector<std::uint64_t> inputs(net_->gates.size());
        for (const auto& [gate, word] : words)
            if (image_[gate] / 2 < inputs.size()) inputs[image_[gate] / 2] = word;
        return inputs;
    }

    /// The gates of a literal's cone in the net, as they are.
    Literal copy(Literal root) {
        std::vector<std::uint32_t> cone;
        std::vector<bool> seen(root / 2 + 1);
        seen[root / 2] = true;
        for (std::uint32_t g = root / 2 + 1; g-- > 0;) {
            if (!seen[g]) continue;
            cone.push_back(g);
            for (const Literal in : blaster_.gates().gate(g).in) seen[in / 2] = true;
        }
        for (std::size_t i = cone.size(); i-- > 0;) image_[cone[i]] = built(cone[i]);
        return image_of(root);
    }

    Literal image_of(Literal literal) const { return image_[literal / 2] ^ (literal & 1); }

    /// The gate from the images of its inputs.
    Literal built(std::uint32_t g) {
        const Gates::Gate& gate = blaster_.gates().gate(g);
        const auto& in = gate.in;
        const auto input = [&](std::size_t i) { return image_of(in[i]); };
        switch (gate.kind) {
        case Gates::Kind::constant: return Gates::no;
        case Gates::Kind::input: return image_[g];
        case Gates::Kind::conjunction: return net_->gates.conjunction(input(0), input(1));
        case Gates::Kind::exclusive_or: return net_->gates.exclusive_or(input(0), input(1));
        case Gates::Kind::choice: return net_->gates.choice(input(0), input(1), input(2));
        case Gates::Kind::majority: return net_->gates.majority(input(0), input(1), input(2));
        }
        return Gates::no;
    }

    void place(std::uint32_t g, bool compared) {
        const Literal own = built(g);
        image_[g] = own;
        net_->simulation.update();
        const std::uint32_t gate = own / 2;
        if (gate < looked_at_) return; // an earlier gate, or known
        for (; looked_at_ <= gate; ++looked_at_) {
            const Literal literal = 2 * looked_at_;
            if (!compared || looked_at_ != gate) {
                enter(literal);
                continue;
            }
            if (const Literal same = merged(literal); same != literal)
                image_[g] = same ^ (own & 1);
            else
                enter(literal);
        }
    }

    // ----------------------------------------------------------------------------------------------- classes

    /// What is the same for a literal and its negation.
    std::uint64_t signature(Literal literal, bool& flipped) const {
        std::uint64_t hash = 0;
        flipped = false;
        bool first = true;
        for (std::size_t w = 0; w < first_words; ++w) {
            const std::uint64_t valid = net_->simulation.valid(w);
            if (valid == 0) continue;
            std::uint64_t word = net_->simulation.word(w, literal) & valid;
            if (first) flipped = (word & (valid & -valid)) != 0;
            first = false;
            if (flipped) word = ~word & valid;
            hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
            hash ^= hash >> 29;
        }
        return hash;
    }

    bool looks_equal(Literal a, Literal b) const {
        for (std::size_t w = net_->simulation.words(); w-- > 0;)
            if (((net_->simulation.word(w, a) ^ net_->simulation.word(w, b)) & net_->simulation.valid(w)) != 0)
                return false;
        return true;
    }

    void enter(Literal literal) {
        bool flipped = false;
        const std::uint64_t key = signature(literal, flipped);
        classes_[key].push_back(literal ^ (flipped ? 1u : 0u));
    }

    /// An earlier literal that is proved equal, or the literal itself.
    Literal merged(Literal literal) {
        bool flipped = false;
        const auto found = classes_.find(signature(literal, flipped));
        if (found == classes_.end()) return literal;
        const Literal own = literal ^ (flipped ? 1u : 0u);
        int tries = 0;
        for (const Literal other : found->second) {
            if (!looks_equal(own, other)) continue;
            const Outcome outcome = unequal(own, other, conflicts_);
            if (outcome == Outcome::unsat) {
                ++result_.merged;
                return other ^ (flipped ? 1u : 0u);
            }
            if (outcome == Outcome::unknown) ++result_.open;
            if (outcome == Outcome::sat) learn();
            if (++tries == tries_a_gate || outcome == Outcome::unknown) break;
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

    /// A solution tells two gates apart, and its neighbours perhaps others.
    void learn() {
        Words words;
        for (const std::uint32_t g : order_) {
            if (blaster_.gates().gate(g).kind != Gates::Kind::input) continue;
            const bool set = net_->solver->value(ClauseWriter::dimacs(image_[g]));
            words[g] = set ? ~0ull : 0;
        }
        std::vector<std::uint32_t> inputs;
        for (const auto& [gate, word] : words) inputs.push_back(gate);
        std::sort(inputs.begin(), inputs.end());
        for (int i = 1; i < 64; ++i)
            for (int flips = 1 + random_.below(3); flips > 0; --flips)
                words[inputs[static_cast<std::size_t>(random_.below(static_cast<int>(inputs.size())))]] ^= 1ull << i;
        net_->simulation.add(of_net(words));
        patterns_.push_back(std::move(words));
        ++result_.refuted;
    }

    void keep_solution() {
        for (const Term v : question_.variables) {
            std::uint64_t value = 0;
            const std::vector<Literal>& bits = blaster_.bits(v);
            for (std::size_t b = 0; b < bits.size(); ++b)
                if (image_[bits[b] / 2] != Gates::no && net_->solver->value(ClauseWriter::dimacs(image_[bits[b] / 2])))
                    value |= 1ull << b;
            result_.solution.emplace_back(v, value);
        }
    }

    const GateSweep& question_;
    const Limit& limit_;
    Blaster blaster_;
    std::unique_ptr<Net> net_;
    Random random_;
    Literal assume_ = Gates::yes, differ_ = Gates::no;
    std::vector<std::uint32_t> order_; ///< the gates of the question, inputs of gates first
    std::vector<Literal> image_;       ///< in the net, of the blaster's gates
    std::vector<Words> patterns_;
    std::unordered_map<std::uint64_t, std::vector<Literal>> classes_;
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
