#include "sweep.hpp"

#include "carries.hpp"
#include "cones.hpp"
#include "given.hpp"
#include "prover.hpp"
#include "structure.hpp"
#include "vectors.hpp"

#include <algorithm>

namespace discern::certificate {

namespace {

class Sweeper {
  public:
    Sweeper(const Miter& miter, const Formula& formula, const SweepOptions& options, const Given& given, ProofLog& log)
        : miter_(miter), nodes_(miter.netlist.nodes()), options_(options), given_(given), formula_(formula), log_(log),
          prover_(formula.variables + given.gates().size(), log), signatures_(nodes_, miter.netlist.inputs()),
          vectors_(miter, given, signatures_, options.seed), representative_(nodes_.size() + given.gates().size()),
          carries_(nodes_, representative_), cones_(nodes_, representative_), equal_(representative_.size()) {
        nodes_.insert(nodes_.end(), given.gates().begin(), given.gates().end());
        for (std::size_t i = 0; i < nodes_.size(); ++i) representative_[i] = positive(i);
        cones_.grow();
    }

    /// @return the clause that the last of the circuits' formula has no solution, if the answer is that they are the
    /// same: the empty one, or that what is assumed does not hold
    Swept run(const std::vector<std::vector<std::uint64_t>>& vectors, ClauseId& refuted) {
        add_given();
        for (const auto& words : vectors) vectors_.add(words);
        Swept result;
        if (!given_.units.empty()) {
            const Prover::Result found = prover_.solve({}, given_.cone(), 100000);
            const bool possible = found.answer == Prover::Answer::possible && vectors_.walk_from_found(prover_);
            if (!possible && found.answer == Prover::Answer::impossible) {
                refuted = found.id;
                result.verdict = Swept::Verdict::equivalent;
            }
            if (!possible) return result;
        }
        if (are_different()) return different();
        for (std::size_t i = 0; i <= inputs(); ++i) enter(i);
        gate_clauses_.clear();
        for (std::size_t i = formula_.variables + 1; i < nodes_.size(); ++i) find_place(i);
        const std::size_t end = formula_.variables + 1, end_of_one = gates_of_first();
        ClauseId clause = 1;
        const auto all_until = [&](std::size_t limit) {
            for (; next_ < limit && !late() && !are_different(); ++next_) add_gate(next_, clause);
        };
        next_ = inputs() + 1;
        all_until(end_of_one);
        for (std::size_t i = 0; i < options_.between.count && !late() && !are_different(); ++i)
            add_circuit(options_.between.circuit(i));
        past_circuits_ = true;
        all_until(end);
        for (std::size_t i = 0; i < miter_.same.size(); ++i)
            if (represented(miter_.same[i]) != yes) result.apart.push_back(i);
        if (!late() && !are_different()) finish(result, refuted);
        if (are_different()) return different();
        result.merged = merged_;
        result.steps = log_.size();
        return result;
    }

  private:
    static Literal positive(std::size_t node) { return static_cast<Literal>(2 * node); }
    std::size_t inputs() const { return miter_.netlist.inputs(); }
    bool late() const {
        return options_.stop.stop_requested() ||
               (options_.deadline && std::chrono::steady_clock::now() > *options_.deadline);
    }

    /// Whether there are circuits between the two units.
    bool between() const { return options_.between.count != 0 && !past_circuits_; }

    bool are_different() const { return !vectors_.telling().empty() && !options_.believe; }
    Swept different() const {
        Swept result;
        result.verdict = Swept::Verdict::different;
        result.inputs = vectors_.telling();
        return result;
    }

    /// The end of the first unit's gates: without unused ones, its result depends on the last of them.
    std::size_t gates_of_first() const {
        std::size_t end = inputs() + 1;
        for (const Literal bit : miter_.results.front()) end = std::max<std::size_t>(end, node_of(bit) + 1);
        return end;
    }

    // ---------------------------------------------------------------------------------------- representatives

    Literal represented(Literal x) const { return invert_if(is_inverted(x), representative_[node_of(x)]); }
    Netlist::Node over_representatives(Netlist::Node node) const {
        for (std::size_t k = 0; k < inputs_of(node.gate); ++k) node.in[k] = represented(node.in[k]);
        return node;
    }

    /// The node is one of those that others may be equal to.
    void enter(std::size_t i) {
        cones_.enter(i);
        signatures_.enter(static_cast<std::uint32_t>(i));
    }

    /// The gates of the cases, and what holds of them. Their clauses stay, since they say what it means.
    void add_given() {
        for (std::size_t k = 0; k < given_.gates().size(); ++k) {
            const Formula own = given_.clauses(k);
            ClauseId id = given_.first_clause(k);
            for (std::size_t j = 0; j < own.size(); ++j) prover_.add(own[j], id++);
        }
        for (const Given::Unit& unit : given_.units) {
            const std::int32_t x = in_formula(unit.holds);
            prover_.add(std::span(&x, 1), unit.id);
        }
    }

    /// A gate with its clauses, for which earlier gates of its value are looked for.
    void find_place(std::size_t i) {
        if (merge(i)) {
            ++merged_;
        } else {
            enter(i);
            structure_.enter(over_representatives(nodes_[i]), positive(i));
        }
        if (!between() || are_different() || in_helper_) return;
        in_helper_ = true;
        for (const auto& [one, other] : carries_.enter(i))
            if (node_of(one) != node_of(other) && node_of(one) != 0 && node_of(other) != 0)
                for (const Gate gate : {Gate::xor_, Gate::and_}) gate_of({gate, {one, other, no}});
        in_helper_ = false;
    }

    /// Adds a gate of the formula.
    /// @param clause  the number of its first clause, and then of the next gate's
    void add_gate(std::size_t i, ClauseId& clause) {
        Formula own;
        std::array<std::int32_t, 3> in{};
        const std::size_t count = inputs_of(nodes_[i].gate);
        for (std::size_t k = 0; k < count; ++k) in[k] = in_formula(nodes_[i].in[k]);
        add_gate_clauses(own, nodes_[i].gate, static_cast<std::int32_t>(i), std::span(in.data(), count));
        gate_clauses_.clear();
        for (std::size_t k = 0; k < own.size(); ++k, ++clause) add_represented(own[k], clause);
        find_place(i);
    }

    void add_represented(std::span<const std::int32_t> literals, ClauseId id) {
        std::vector<std::int32_t> over;
        std::vector<ClauseId> hints;
        for (const std::int32_t x : literals) {
            const auto node = static_cast<std::size_t>(x < 0 ? -x : x);
            const Literal y = invert_if(x < 0, representative_[node]);
            if (y == yes) return; // the clause always holds
            if (y != no && std::find(over.begin(), over.end(), -in_formula(y)) != over.end()) return;
            if (y != no && std::find(over.begin(), over.end(), in_formula(y)) == over.end())
                over.push_back(in_formula(y));
            // From y's opposite follows x's; of a constant that is a unit clause. A clause may have x twice.
            if (y == (invert_if(x < 0, positive(node)))) continue;
            const ClauseId equal = equal_[node][x > 0 ? 0 : 1];
            if (std::find(hints.begin(), hints.end(), equal) == hints.end()) hints.push_back(equal);
        }
        if (!hints.empty()) {
            hints.push_back(id);
            id = log_.add(over, hints);
        }
        add_gate_clause(over, id);
    }

    void add_gate_clause(std::span<const std::int32_t> literals, ClauseId id) {
        prover_.add(literals, id);
        gate_clauses_.push_back({{literals.begin(), literals.end()}, id});
    }

    // ------------------------------------------------------------------------------------------- definitions

    /// The representative of a gate over representatives; it is defined unless it is there already.
    Literal gate_of(const Netlist::Node& gate) {
        if (const auto known = structure_.find(gate)) return *known;
        const std::size_t i = nodes_.size();
        std::array<std::int32_t, 3> in{};
        const std::size_t count = inputs_of(gate.gate);
        for (std::size_t k = 0; k < count; ++k) in[k] = in_formula(gate.in[k]);
        ClauseId id = log_.define(gate.gate, std::span(in.data(), count));
        nodes_.push_back(gate);
        representative_.push_back(positive(i));
        equal_.emplace_back();
        cones_.grow();
        signatures_.add_gates();
        prover_.grow(i);
        Formula own;
        add_gate_clauses(own, gate.gate, static_cast<std::int32_t>(i), std::span(in.data(), count));
        gate_clauses_.clear();
        for (std::size_t k = 0; k < own.size(); ++k, ++id) add_gate_clause(own[k], id);
        find_place(i);
        return representative_[i];
    }

    /// The gates of a circuit: most are there already.
    void add_circuit(const Netlist& circuit) {
        const auto& gates = circuit.nodes();
        std::vector<Literal> names(gates.size());
        for (std::size_t i = 0; i <= circuit.inputs(); ++i) names[i] = positive(i);
        const auto named = [&](Literal x) { return invert_if(is_inverted(x), names[node_of(x)]); };
        Netlist folded(0); // its nodes are those of this circuit, by number, and what is made to fold a gate
        for (std::size_t i = circuit.inputs() + 1; i < gates.size() && !late() && !are_different(); ++i) {
            const Literal x = named(gates[i].in[0]), y = named(gates[i].in[1]), z = named(gates[i].in[2]);
            const std::size_t before = folded.nodes().size();
            const Literal simple = folded.make(gates[i].gate, x, y, z);
            const bool is_gate = folded.nodes().size() != before;
            names[i] = is_gate ? invert_if(is_inverted(simple), gate_of(folded.nodes().back())) : simple;
        }
    }

    // ------------------------------------------------------------------------------------------- equal gates

    /// Looks for an earlier gate of the same value.
    bool merge(std::size_t i) {
        constexpr std::size_t most_tries = 3;
        std::vector<std::uint32_t> tried;
        const auto attempt = [&](std::uint32_t other) {
            tried.push_back(other);
            if (!prove_equal(i, other)) return false;
            replace_clauses(i);
            return true;
        };
        // A gate of the same inputs first.
        if (const auto twin = structure_.find(over_representatives(nodes_[i])))
            if (attempt(node_of(*twin))) return true;
        while (tried.size() < most_tries && !are_different()) {
            const auto other = signatures_.like(i, tried);
            if (!other) return false;
            if (attempt(*other)) return true;
        }
        return false;
    }

    /// The clauses of a gate that is another are not needed; but where circuits lie between the two, that the other can
    /// also be made so: it is what the next circuit is near to.
    void replace_clauses(std::size_t i) {
        prover_.forget(gate_ids());
        const Literal y = representative_[i];
        if (!between() || node_of(y) == 0) return;
        const auto g = static_cast<std::int32_t>(i);
        for (auto& [literals, id] : gate_clauses_) {
            const auto own = std::find_if(literals.begin(), literals.end(), [g](auto x) { return x == g || x == -g; });
            if (own == literals.end()) continue;
            const std::array<ClauseId, 2> hints = {equal_[i][*own > 0 ? 0 : 1], id};
            *own = *own > 0 ? in_formula(y) : -in_formula(y);
            prover_.add(literals, log_.add(literals, hints));
        }
        cones_.add_way(node_of(y), i);
    }

    std::vector<ClauseId> gate_ids() const {
        std::vector<ClauseId> ids;
        for (const OfGate& clause : gate_clauses_) ids.push_back(clause.id);
        return ids;
    }

    ClauseId believed_lemma(std::vector<std::int32_t> assumptions) {
        for (std::int32_t& x : assumptions) x = -x;
        return log_.add(assumptions, gate_ids());
    }

    bool prove_equal(std::size_t i, std::uint32_t other) {
        const Literal y = invert_if(signatures_.inverted(i, other), positive(other));
        const auto g = static_cast<std::int32_t>(i);
        std::array<ClauseId, 2> ids{};
        for (const bool up : {true, false}) {                 // g implies y, and its opposite y's
            if (other == 0 && up == is_inverted(y)) continue; // that a constant is at least no, or at most yes
            std::vector<std::int32_t> assumptions = {up ? g : -g};
            if (other != 0) assumptions.push_back(up ? -in_formula(y) : in_formula(y));
            const bool believed = options_.believe && options_.believe(i, other);
            const auto lemma = believed ? std::optional(believed_lemma(assumptions)) : refute(assumptions, i, other);
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
        Prover::Result result = prover_.solve(assumptions, cones_.inputs(i, other), options_.conflicts);
        const auto try_with = [&](const std::vector<std::uint32_t>& branches) {
            result = prover_.solve(assumptions, branches, options_.conflicts);
        };
        if (result.answer == Prover::Answer::possible && between()) try_with(cones_.by_any_way(i, other));
        if (result.answer == Prover::Answer::possible) try_with(cones_.all(i, other, 200));
        // A gate of a circuit in between is of use only if it equals a nearby gate.
        const bool defined = i > formula_.variables;
        if (result.answer == Prover::Answer::possible && defined) return std::nullopt;
        if (result.answer == Prover::Answer::possible) try_with(with_given(cones_.all(i, other, nodes_.size())));
        if (result.answer == Prover::Answer::possible) vectors_.add_found(prover_);
        if (result.answer != Prover::Answer::impossible) return std::nullopt;
        return weakened(assumptions, result);
    }

    /// With all that is given depends on: values that are found are then those of an allowed vector.
    std::vector<std::uint32_t> with_given(std::vector<std::uint32_t> list) {
        const auto more = given_.cone();
        list.insert(list.end(), more.begin(), more.end());
        return list;
    }

    /// The lemma as a clause over all assumptions: a subset of them says more, and then that clause is a hint enough.
    ClauseId weakened(const std::vector<std::int32_t>& assumptions, const Prover::Result& result) {
        if (result.lemma.size() == assumptions.size()) return result.id;
        std::vector<std::int32_t> clause;
        for (const std::int32_t x : assumptions) clause.push_back(-x);
        return log_.add(clause, std::span(&result.id, 1));
    }

    void finish(Swept& result, ClauseId& refuted) {
        std::vector<ClauseId> hints = {static_cast<ClauseId>(formula_.size())};
        const std::uint32_t node = node_of(miter_.different);
        const Literal output = represented(miter_.different);
        if (output != miter_.different) hints.push_back(equal_[node][is_inverted(miter_.different) ? 1 : 0]);
        if (output == yes || (output != no && result.apart.size() > 1)) return; // too different to ask for all at once
        if (output != no) {
            const std::int32_t x = in_formula(output);
            const auto all = with_given(cones_.all(node_of(output), 0, nodes_.size()));
            Prover::Result answer{Prover::Answer::open, {}, 0};
            for (int tries = 0; tries < options_.tries && answer.answer == Prover::Answer::open && !late(); ++tries)
                answer = prover_.solve(std::span(&x, 1), all, 3000);
            if (answer.answer == Prover::Answer::possible) vectors_.add_found(prover_);
            if (answer.answer != Prover::Answer::impossible) return;
            if (answer.lemma.empty()) hints.clear();
            hints.push_back(answer.id);
        }
        refuted = log_.add({}, hints);
        result.verdict = Swept::Verdict::equivalent;
    }

    const Miter& miter_;
    std::vector<Netlist::Node> nodes_; ///< those of the formula, then those that are defined
    const SweepOptions& options_;
    const Given& given_;
    const Formula& formula_;
    ProofLog& log_;
    Prover prover_;
    Signatures signatures_;
    Vectors vectors_;
    Structure structure_; ///< of gates over representatives
    std::vector<Literal> representative_;
    Carries carries_;
    Cones cones_;
    /// Of a node with another representative y: (−node or y), and (node or −y); of a constant only one of them, a unit.
    std::vector<std::array<ClauseId, 2>> equal_;
    std::size_t next_ = 0, merged_ = 0;
    bool in_helper_ = false, past_circuits_ = false;
    struct OfGate {
        std::vector<std::int32_t> literals;
        ClauseId id;
    };
    std::vector<OfGate> gate_clauses_; ///< of the last gate
};

} // namespace

Swept sweep(const Miter& miter, const std::vector<std::vector<std::uint64_t>>& vectors, const SweepOptions& options) {
    const Formula formula = to_formula(miter);
    ProofLog log(formula);
    Given given(formula.variables);
    Swept result;
    ClauseId refuted = 0;
    if (miter.different <= yes) { // the formula's last clause is empty, or there is none
        if (miter.different == yes) return result;
        const auto last = static_cast<ClauseId>(formula.size());
        result.proof = log.text(log.add({}, std::span(&last, 1)));
        result.verdict = Swept::Verdict::equivalent;
        return result;
    }
    std::vector<Literal> cases;
    for (const Case& one : options.cases) cases.push_back(given.define(one.circuit, one.holds, log));
    SweepOptions apart = options;
    apart.between = {};
    for (const Literal holds : cases) {
        if (holds <= yes) continue;
        given.units.push_back({holds, log.assume(in_formula(holds))});
        result = Sweeper(miter, formula, apart, given, log).run(vectors, refuted);
        if (result.verdict != Swept::Verdict::equivalent) return result;
        const bool conditional = log.is_conditional(refuted);
        log.drop_assumption();
        if (!conditional) break; // of all inputs, then
        given.units.back() = {invert(holds), refuted};
        refuted = 0;
    }
    if (refuted == 0) result = Sweeper(miter, formula, options, given, log).run(vectors, refuted);
    if (result.verdict == Swept::Verdict::equivalent) result.proof = log.text(refuted);
    return result;
}

} // namespace discern::certificate
