#include "sweep.hpp"

#include "prover.hpp"

#include "models/random.hpp"

#include <algorithm>
#include <unordered_map>

namespace discern::certificate {

namespace {

class Sweeper {
  public:
    Sweeper(const Miter& miter, const SweepOptions& options)
        : miter_(miter), nodes_(miter.netlist.nodes()), options_(options), random_(options.seed),
          formula_(to_formula(miter)), log_(formula_.size()), prover_(formula_.variables, log_),
          representative_(nodes_.size()), equal_(nodes_.size()), signature_(nodes_.size()), phase_(nodes_.size()),
          visited_(nodes_.size()) {
        for (std::size_t i = 0; i < nodes_.size(); ++i) representative_[i] = static_cast<Literal>(2 * i);
    }

    Swept run(const std::vector<std::vector<std::uint64_t>>& vectors) {
        for (const auto& words : vectors)
            if (simulate_more(words)) return different();
        Swept result;
        ClauseId clause = 1;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (i > miter_.netlist.inputs()) {
                if (late()) return result;
                add_gate(i, clause);
                if (merge(i)) ++result.merged;
                if (found_different_) return different();
            }
            if (representative_[i] == static_cast<Literal>(2 * i))
                classes_[signature_[i]].push_back(static_cast<std::uint32_t>(i));
        }
        finish(result);
        if (found_different_) return different();
        result.steps = log_.size();
        return result;
    }

  private:
    bool late() const { return options_.deadline && std::chrono::steady_clock::now() > *options_.deadline; }

    Swept different() const {
        Swept result;
        result.verdict = Swept::Verdict::different;
        result.inputs = inputs_found_;
        return result;
    }

    // ------------------------------------------------------------------------------------------- simulation

    /// Adds 64 vectors to the signatures. @return whether the units differ on one of them
    bool simulate_more(const std::vector<std::uint64_t>& words) {
        const auto values = simulate(miter_.netlist, words);
        const bool first = !simulated_;
        simulated_ = true;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (first) phase_[i] = (values[i] & 1u) != 0;
            std::uint64_t x = signature_[i] ^ (phase_[i] ? ~values[i] : values[i]);
            x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15ull;
            signature_[i] = x ^ (x >> 29);
        }
        const std::uint64_t differ = value_of(values, miter_.different);
        if (differ == 0) return false;
        int vector = 0;
        while (((differ >> vector) & 1u) == 0) ++vector;
        inputs_found_.clear();
        for (const std::uint64_t word : words) inputs_found_.push_back((word >> vector) & 1u);
        return true;
    }

    /// The values that the prover found, and 63 vectors near them.
    void learn_from_values() {
        std::vector<std::uint64_t> words;
        for (std::size_t i = 0; i < miter_.netlist.inputs(); ++i) {
            const auto value = prover_.value_found(static_cast<std::uint32_t>(i + 1));
            std::uint64_t word = random_.bits();
            if (value) word = (*value ? ~0ull : 0) ^ (random_.bits() & random_.bits() & random_.bits() & ~1ull);
            words.push_back(word);
        }
        found_different_ = simulate_more(words);
        std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> classes;
        for (const auto& [old, members] : classes_)
            for (const std::uint32_t member : members) classes[signature_[member]].push_back(member);
        for (auto& [signature, members] : classes) std::sort(members.begin(), members.end());
        classes_ = std::move(classes);
    }

    // ---------------------------------------------------------------------------------------- representatives

    Literal represented(Literal x) const { return opposite_if(is_opposite(x), representative_[node_of(x)]); }

    /// Adds the clauses of a gate over the representatives of its inputs.
    /// @param clause  the number of its first clause, and then of the next gate's
    void add_gate(std::size_t i, ClauseId& clause) {
        Formula own;
        std::array<std::int32_t, 3> in{};
        const std::size_t count = inputs_of(nodes_[i].gate);
        for (std::size_t k = 0; k < count; ++k) in[k] = in_formula(nodes_[i].in[k]);
        add_gate_clauses(own, nodes_[i].gate, static_cast<std::int32_t>(i), std::span(in.data(), count));
        gate_clauses_.clear();
        for (std::size_t k = 0; k < own.size(); ++k, ++clause) add_represented(own[k], clause);
    }

    void add_represented(std::span<const std::int32_t> literals, ClauseId id) {
        std::vector<std::int32_t> over;
        std::vector<ClauseId> hints;
        for (const std::int32_t x : literals) {
            const auto node = static_cast<std::size_t>(x < 0 ? -x : x);
            const Literal y = opposite_if(x < 0, representative_[node]);
            if (y == yes) return; // the clause always holds
            if (y != no && std::find(over.begin(), over.end(), -in_formula(y)) != over.end()) return;
            if (y != no && std::find(over.begin(), over.end(), in_formula(y)) == over.end())
                over.push_back(in_formula(y));
            // From y's opposite follows x's; of a constant that is a unit clause. A clause may have x twice.
            if (y == (opposite_if(x < 0, static_cast<Literal>(2 * node)))) continue;
            const ClauseId equal = equal_[node][x > 0 ? 0 : 1];
            if (std::find(hints.begin(), hints.end(), equal) == hints.end()) hints.push_back(equal);
        }
        if (!hints.empty()) {
            hints.push_back(id);
            id = log_.add(over, hints);
        }
        prover_.add(over, id);
        gate_clauses_.push_back(id);
    }

    /// Looks for an earlier gate of the same value.
    bool merge(std::size_t i) {
        constexpr int most_tries = 3;
        std::vector<std::uint32_t> tried;
        for (int tries = 0; tries < most_tries && !found_different_; ++tries) {
            const auto found = classes_.find(signature_[i]);
            if (found == classes_.end()) return false;
            const auto other = std::find_if(found->second.begin(), found->second.end(), [&](std::uint32_t x) {
                return std::find(tried.begin(), tried.end(), x) == tried.end();
            });
            if (other == found->second.end()) return false;
            tried.push_back(*other);
            if (prove_equal(i, *other)) {
                prover_.forget(gate_clauses_);
                return true;
            }
        }
        return false;
    }

    bool prove_equal(std::size_t i, std::uint32_t other) {
        const Literal y = opposite_if(phase_[i] != phase_[other], static_cast<Literal>(2 * other));
        const auto g = static_cast<std::int32_t>(i);
        std::array<ClauseId, 2> ids{};
        for (const bool up : {true, false}) {                 // g implies y, and its opposite y's
            if (other == 0 && up == is_opposite(y)) continue; // that a constant is at least no, or at most yes
            std::vector<std::int32_t> assumptions = {up ? g : -g};
            if (other != 0) assumptions.push_back(up ? -in_formula(y) : in_formula(y));
            const auto lemma = refute(assumptions, i, other);
            if (!lemma) return false;
            ids[up ? 0 : 1] = *lemma;
        }
        representative_[i] = y;
        equal_[i] = ids;
        return true;
    }

    /// The clause that not all assumptions hold.
    std::optional<ClauseId> refute(const std::vector<std::int32_t>& assumptions, std::size_t i, std::uint32_t other) {
        // Gates over the same inputs need no more than these.
        std::vector<std::uint32_t> near = {static_cast<std::uint32_t>(i), other};
        for (const std::size_t node : {i, static_cast<std::size_t>(other)})
            for (std::size_t k = 0; k < inputs_of(nodes_[node].gate); ++k)
                near.push_back(node_of(represented(nodes_[node].in[k])));
        std::erase(near, 0u);
        Prover::Result result = prover_.solve(assumptions, near, options_.conflicts);
        for (const std::size_t most : {std::size_t{200}, nodes_.size()})
            if (result.answer == Prover::Answer::possible)
                result = prover_.solve(assumptions, cone(i, other, most), options_.conflicts);
        if (result.answer == Prover::Answer::possible) learn_from_values();
        if (result.answer != Prover::Answer::impossible) return std::nullopt;
        return weakened(assumptions, result);
    }

    /// The lemma as a clause over all assumptions: a subset of them says more, and then that clause is a hint enough.
    ClauseId weakened(const std::vector<std::int32_t>& assumptions, const Prover::Result& result) {
        if (result.lemma.size() == assumptions.size()) return result.id;
        std::vector<std::int32_t> clause;
        for (const std::int32_t x : assumptions) clause.push_back(-x);
        return log_.add(clause, std::span(&result.id, 1));
    }

    /// The gates on which two depend, over representatives: the last ones, at most so many.
    std::vector<std::uint32_t> cone(std::size_t i, std::size_t other, std::size_t most) {
        ++visit_;
        std::vector<std::uint32_t> list;
        std::priority_queue<std::uint32_t> next;
        const auto visit = [&](std::size_t node) {
            if (node == 0 || visited_[node] == visit_) return;
            visited_[node] = visit_;
            next.push(static_cast<std::uint32_t>(node));
        };
        visit(i);
        visit(other);
        while (!next.empty() && list.size() < most) {
            const std::uint32_t node = next.top();
            next.pop();
            list.push_back(node);
            for (std::size_t k = 0; k < inputs_of(nodes_[node].gate); ++k)
                visit(node_of(represented(nodes_[node].in[k])));
        }
        return list;
    }

    void finish(Swept& result) {
        const auto last = static_cast<ClauseId>(formula_.size());
        if (miter_.different <= yes) { // the formula's last clause is empty, or there is none
            if (miter_.different == yes) return;
            result.proof = log_.text(log_.add({}, std::span(&last, 1)));
            result.verdict = Swept::Verdict::equivalent;
            return;
        }
        std::vector<ClauseId> hints = {last};
        const std::uint32_t node = node_of(miter_.different);
        const Literal output = represented(miter_.different);
        if (output != miter_.different) hints.push_back(equal_[node][is_opposite(miter_.different) ? 1 : 0]);
        if (output == yes) return;
        if (output != no) {
            const std::int32_t x = in_formula(output);
            const auto all = cone(node_of(output), 0, nodes_.size());
            Prover::Result answer{Prover::Answer::open, {}, 0};
            for (int tries = 0; tries < 200 && answer.answer == Prover::Answer::open && !late(); ++tries)
                answer = prover_.solve(std::span(&x, 1), all, 3000);
            if (answer.answer == Prover::Answer::possible) learn_from_values();
            if (answer.answer != Prover::Answer::impossible) return;
            if (answer.lemma.empty()) hints.clear();
            hints.push_back(answer.id);
        }
        result.proof = log_.text(log_.add({}, hints));
        result.verdict = Swept::Verdict::equivalent;
    }

    const Miter& miter_;
    const std::vector<Netlist::Node>& nodes_;
    SweepOptions options_;
    Random random_;
    Formula formula_;
    ProofLog log_;
    Prover prover_;

    std::vector<Literal> representative_;
    /// Of a node with another representative y: (−node or y), and (node or −y); of a constant only one of them, a unit.
    std::vector<std::array<ClauseId, 2>> equal_;
    std::vector<std::uint64_t> signature_; ///< of the values, or their opposites if that of the first vector is 1
    std::vector<bool> phase_;
    bool simulated_ = false, found_different_ = false;
    std::vector<std::uint64_t> inputs_found_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> classes_; ///< representatives, by signature
    std::vector<ClauseId> gate_clauses_;                                    ///< of the last gate
    std::vector<std::uint32_t> visited_;
    std::uint32_t visit_ = 0;
};

} // namespace

Swept sweep(const Miter& miter, const std::vector<std::vector<std::uint64_t>>& vectors, const SweepOptions& options) {
    return Sweeper(miter, options).run(vectors);
}

} // namespace discern::certificate
