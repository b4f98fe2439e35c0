#include "one_sweep.hpp"

#include "carries.hpp"
#include "cones.hpp"
#include "parts.hpp"
#include "prover.hpp"
#include "recovered.hpp"
#include "representatives.hpp"
#include "structure.hpp"

#include "solver/sweep/merger.hpp"

#include <algorithm>

namespace discern::certificate {

namespace {

/// How many of the gates on which two depend are asked about first; lemmas are about whole words.
constexpr std::size_t nearby_to_gates = 200, nearby_to_lemmas = 4000;

class Sweeper : public GateAnswers {
  public:
    Sweeper(const Miter& miter, const Formula& formula, const SweepOptions& options, const Given& given, ProofLog& log)
        : miter_(miter), nodes_(miter.netlist.nodes()), options_(options), given_(given), formula_(formula), log_(log),
          prover_(formula.variables + given.gates().size() + given.earlier.size(), log),
          signatures_(nodes_, miter.netlist.inputs()),
          vectors_(
              signatures_, miter.different, [this](auto inputs) { return given_.vectors(inputs); }, options.seed),
          carries_(nodes_, representatives_.all()), cones_(nodes_, representatives_.all()),
          merger_(signatures_, vectors_, *this, {.asks_last = true, .is_over = [this] { return is_over(); }}) {
        nodes_.insert(nodes_.end(), given.gates().begin(), given.gates().end());
        nodes_.insert(nodes_.end(), given.earlier.begin(), given.earlier.end());
        given_nodes_ = nodes_.size();
        representatives_.grow(nodes_.size());
        ClauseId next = 1;
        for (std::size_t i = 0; i <= formula.variables; ++i) {
            first_clauses_.push_back(next);
            if (nodes_[i].gate != Gate::input) next += number_of_clauses(nodes_[i].gate);
        }
        cones_.grow();
    }

    Swept run(const std::vector<std::vector<std::uint64_t>>& vectors, ClauseId& refuted) {
        add_given();
        for (const auto& words : vectors) vectors_.add(words);
        Swept result;
        if (!given_.units.empty()) {
            const Prover::Result found = prover_.solve({}, given_.cone(), 100000);
            const bool possible = found.answer == Prover::Answer::possible &&
                                  vectors_.walk_from([this](std::size_t input) { return value_found(input); });
            if (!possible && found.answer == Prover::Answer::impossible) {
                refuted = found.id;
                result.verdict = Swept::Verdict::equivalent;
            }
            if (!possible) return result;
        }
        if (are_different()) return different();
        merger_.keep_inputs();
        const std::size_t end = formula_.variables + 1;
        place_all(end, end + given_.gates().size());
        if (options_.lemmas) add_lemmas(*options_.lemmas);
        const std::vector<bool> begin = options_.between.from_last
                                            ? gates_of(miter_.results.back(), miter_.netlist, end)
                                            : gates_of_first(miter_, end);
        place_some(begin, true);
        for (std::size_t i = 0; i < options_.between.count && !is_over(); ++i) {
            add_circuit(options_.between.circuit(i), [&](std::size_t) { return options_.between.exchanges || i == 0; });
        }
        past_circuits_ = true;
        if (options_.only_and_gates)
            place_and_gates(end_of_first(miter_), end);
        else
            place_some(begin, false);
        for (std::size_t i = 0; i < miter_.same.size(); ++i)
            if (representatives_.of(miter_.same[i]) != yes) result.apart.push_back(i);
        if (!is_over()) finish(result, refuted);
        if (are_different()) return different();
        result.merged = merger_.count().merged;
        result.steps = log_.size();
        return result;
    }

    /// The gates that were defined.
    std::span<const Netlist::Node> defined() const { return std::span(nodes_).subspan(given_nodes_); }

    // ----------------------------------------------------------------------------------------- of GateAnswers

    /// The clauses of a gate over representatives. Those of the cases' gates are there already, and stay.
    void add(std::uint32_t gate) override {
        const bool defined = gate > formula_.variables;
        gate_clauses_.clear();
        if (defined && gate <= formula_.variables + given_.gates().size()) return;
        const Formula own = clauses_of(gate);
        ClauseId id = defined ? next_defined_ : first_clauses_[gate];
        for (std::size_t k = 0; k < own.size(); ++k, ++id)
            if (defined)
                add_gate_clause(own[k], id);
            else
                add_represented(own[k], id);
    }

    std::optional<std::uint32_t> twin(std::uint32_t gate) override {
        if (made_ && made_->first == gate) return made_->second;
        const Folded folded(representatives_.of(nodes_[gate]));
        if (!folded.gate) return node_of(folded.literal);
        const auto found = structure_.find(*folded.gate);
        return found ? std::optional(node_of(*found)) : std::nullopt;
    }

    Answer merge(std::uint32_t gate, Literal earlier) override {
        const Answer answer = prove_equal(gate, earlier);
        if (answer != Answer::same) return answer;
        replace_clauses(gate);
        exchange_carries(gate);
        return answer;
    }

    void keep(std::uint32_t node) override {
        cones_.enter(node);
        if (node <= inputs()) return;
        const Folded folded(representatives_.of(nodes_[node]));
        if (folded.gate) structure_.enter(*folded.gate, invert_if(is_inverted(folded.literal), positive(node)));
        exchange_carries(node);
    }

    std::optional<bool> value_found(std::size_t input) override {
        return prover_.value_found(node_of(miter_.netlist.input(input)));
    }

  private:
    static Literal positive(std::size_t node) { return static_cast<Literal>(2 * node); }
    std::size_t inputs() const { return miter_.netlist.inputs(); }
    bool is_over() const {
        return are_different() || merger_.count().open > options_.most_open || options_.limit.reached();
    }

    /// Whether there are circuits between the two units.
    bool between() const { return options_.between.count != 0 && options_.between.exchanges && !past_circuits_; }

    /// Whether terms may be exchanged in the addition to which a gate belongs.
    bool has_exchanged_carries(std::size_t i) const {
        if (between()) return in_sum_;
        const auto& listed = options_.between.of_sums;
        return options_.between.count != 0 && !options_.between.exchanges &&
               (i > formula_.variables || (i < listed.size() && listed[i]));
    }

    bool are_different() const { return !vectors_.telling().empty() && !options_.believe; }
    Swept different() const {
        Swept result;
        result.verdict = Swept::Verdict::different;
        result.inputs = vectors_.telling();
        return result;
    }

    /// The gates of the units with which to begin, or the others. Where terms are exchanged between the units, those
    /// of sums are compared with each other.
    void place_some(const std::vector<bool>& begin, bool those) {
        const std::vector<bool>& sums = options_.between.of_sums;
        for (std::size_t i = inputs() + 1; i < begin.size() && !is_over(); ++i) {
            if (begin[i] != those) continue;
            in_sum_ = i >= sums.size() || sums[i];
            merger_.place(static_cast<std::uint32_t>(i), !those || (between() && in_sum_));
        }
        in_sum_ = true;
    }
    void place_all(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end && !is_over(); ++i) merger_.place(static_cast<std::uint32_t>(i));
    }

    /// The second circuit's gates, where these are and-gates. What they make up is defined first, which may be a gate
    /// of the first circuit; then they are that. Parts of it have no like in the first circuit and are not asked about.
    void place_and_gates(std::size_t begin, std::size_t end) {
        const Recovered gates = recovered(miter_.netlist, begin);
        for (std::size_t i = begin; i < end && !is_over(); ++i) {
            const auto found = gates.made.find(i);
            const auto own = static_cast<std::uint32_t>(i);
            if (found != gates.made.end()) {
                keeps_ways_ = true;
                const Literal x = folded_gate(representatives_.of(found->second.gate));
                made_ = {own, node_of(representatives_.of(x))};
                keeps_ways_ = false;
            }
            merger_.place(own, !gates.is_part[i]);
            made_.reset();
        }
    }

    // ---------------------------------------------------------------------------------------- representatives

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

    /// The pairs of carries that a gate completes become gates where circuits lie between the units (carries.hpp).
    void exchange_carries(std::size_t i) {
        if (!has_exchanged_carries(i) || in_helper_ || are_different()) return;
        in_helper_ = true;
        for (const auto& [one, other] : carries_.enter(i)) {
            if (node_of(one) == node_of(other) || node_of(one) == 0 || node_of(other) == 0) continue;
            for (const Gate gate : {Gate::xor_, Gate::and_}) gate_of({gate, {one, other, no}});
            // What is a carry if a constant is added may be its negation here.
            if (!options_.between.exchanges)
                for (const auto& [x, y] : {std::pair(invert(one), other), std::pair(one, invert(other)),
                                           std::pair(invert(one), invert(other))})
                    gate_of({Gate::and_, {x, y, no}});
        }
        in_helper_ = false;
    }

    Formula clauses_of(std::size_t gate) const {
        Formula own;
        add_gate_clauses(own, nodes_[gate].gate, static_cast<std::int32_t>(gate), inputs_in_formula(nodes_[gate]));
        return own;
    }

    void add_represented(std::span<const std::int32_t> literals, ClauseId id) {
        Representatives::Clause over = representatives_.of(literals);
        if (over.holds) return;
        if (!over.hints.empty()) {
            over.hints.push_back(id);
            id = log_.add(over.literals, over.hints);
        }
        add_gate_clause(over.literals, id);
    }

    void add_gate_clause(std::span<const std::int32_t> literals, ClauseId id) {
        prover_.add(literals, id);
        gate_clauses_.push_back({{literals.begin(), literals.end()}, id});
    }

    // ------------------------------------------------------------------------------------------- definitions

    /// The representative of a gate over representatives; it is defined unless it is there already.
    Literal gate_of(const Netlist::Node& gate) {
        if (const auto known = structure_.find(gate)) return *known;
        const auto i = static_cast<std::uint32_t>(nodes_.size());
        next_defined_ = log_.define(gate.gate, inputs_in_formula(gate));
        nodes_.push_back(gate);
        representatives_.grow(nodes_.size());
        cones_.grow();
        signatures_.add_gates();
        prover_.grow(i);
        merger_.place(i, compares_);
        return representatives_.of(positive(i));
    }

    void add_lemmas(const Lemmas& lemmas) {
        std::vector<bool> compared(lemmas.circuit.nodes().size());
        for (const Literal x : lemmas.compared) compared[node_of(x)] = true;
        in_sum_ = false;
        nearby_ = nearby_to_lemmas;
        add_circuit(lemmas.circuit, [&](std::size_t i) { return compared[i]; });
        nearby_ = nearby_to_gates;
        in_sum_ = true;
    }

    /// The gates of a circuit: most are there already.
    template <typename Compares>
    void add_circuit(const Netlist& circuit, Compares compares) {
        const auto& gates = circuit.nodes();
        std::vector<Literal> names(gates.size());
        for (std::size_t i = 0; i <= circuit.inputs(); ++i) names[i] = positive(i);
        const auto named = [&](Literal x) { return invert_if(is_inverted(x), names[node_of(x)]); };
        for (std::size_t i = circuit.inputs() + 1; i < gates.size() && !is_over(); ++i) {
            const Literal x = named(gates[i].in[0]), y = named(gates[i].in[1]), z = named(gates[i].in[2]);
            compares_ = compares(i);
            names[i] = folded_gate({gates[i].gate, {x, y, z}});
        }
        compares_ = true;
    }

    /// A gate over representatives, or the literal that it is if inputs are constant or the same.
    Literal folded_gate(const Netlist::Node& gate) {
        const Folded folded(gate);
        return folded.gate ? invert_if(is_inverted(folded.literal), gate_of(*folded.gate)) : folded.literal;
    }

    // ------------------------------------------------------------------------------------------- equal gates

    /// The clauses of a gate that is another are not needed; but where circuits lie between the two, that the other can
    /// also be made so: it is what the next circuit is near to.
    void replace_clauses(std::size_t i) {
        prover_.forget(gate_ids());
        const Literal y = representatives_.of(positive(i));
        if (!(between() || keeps_ways_) || node_of(y) == 0) return;
        const auto g = static_cast<std::int32_t>(i);
        for (auto& [literals, id] : gate_clauses_) {
            const auto own = std::find_if(literals.begin(), literals.end(), [g](auto x) { return x == g || x == -g; });
            if (own == literals.end()) continue;
            const std::array<ClauseId, 2> hints = {representatives_.implied(i, *own > 0), id};
            *own = *own > 0 ? in_formula(y) : -in_formula(y);
            prover_.add(literals, log_.add(literals, hints));
        }
        cones_.add_way(node_of(y), i);
        // A further circuit finds this gate by its inputs, and has the one that it equals. Where none follows, the
        // search was only slower.
        if (options_.between.count < 2) return;
        const Folded folded(representatives_.of(nodes_[i]));
        if (folded.gate) structure_.enter(*folded.gate, invert_if(is_inverted(folded.literal), y));
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

    Answer prove_equal(std::size_t i, Literal y) {
        const std::uint32_t other = node_of(y);
        const auto g = static_cast<std::int32_t>(i);
        std::array<ClauseId, 2> ids{};
        for (const bool up : {true, false}) {                 // g implies y, and its opposite y's
            if (other == 0 && up == is_inverted(y)) continue; // that a constant is at least no, or at most yes
            std::vector<std::int32_t> assumptions = {up ? g : -g};
            if (other != 0) assumptions.push_back(up ? -in_formula(y) : in_formula(y));
            ClauseId& id = ids[up ? 0 : 1];
            if (options_.believe && options_.believe(i, other))
                id = believed_lemma(assumptions);
            else if (const Answer answer = refute(assumptions, i, other, id); answer != Answer::same)
                return answer;
        }
        representatives_.replace(i, y, ids[0], ids[1]);
        return Answer::same;
    }

    /// Whether not all assumptions hold; if so, @p lemma is the clause that says it.
    Answer refute(const std::vector<std::int32_t>& assumptions, std::size_t i, std::uint32_t other, ClauseId& lemma) {
        // Gates over the same inputs need no more than these.
        Prover::Result result = prover_.solve(assumptions, cones_.inputs(i, other), options_.conflicts);
        const auto try_with = [&](const std::vector<std::uint32_t>& branches) {
            result = prover_.solve(assumptions, branches, options_.conflicts);
        };
        if (result.answer == Prover::Answer::possible && (between() || made_)) try_with(cones_.by_any_way(i, other));
        if (result.answer == Prover::Answer::possible) try_with(cones_.all(i, other, nearby_));
        // A gate of a circuit in between is of use only if it equals a nearby gate.
        const bool defined = i > formula_.variables;
        if (result.answer == Prover::Answer::possible && defined) return Answer::far;
        if (result.answer == Prover::Answer::possible) try_with(with_given(cones_.all(i, other, nodes_.size())));
        if (result.answer == Prover::Answer::possible) return Answer::different;
        if (result.answer != Prover::Answer::impossible) return Answer::open;
        lemma = weakened(assumptions, result);
        return Answer::same;
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
        const Literal output = representatives_.of(miter_.different);
        if (output != miter_.different) hints.push_back(representatives_.implied(node, !is_inverted(miter_.different)));
        if (output == yes || (output != no && result.apart.size() > 1)) return; // too different to ask for all at once
        if (output != no) {
            const std::int32_t x = in_formula(output);
            const auto all = with_given(cones_.all(node_of(output), 0, nodes_.size()));
            Prover::Result answer{Prover::Answer::open, {}, 0};
            for (int tries = 0; tries < options_.tries && answer.answer == Prover::Answer::open && !is_over(); ++tries)
                answer = prover_.solve(std::span(&x, 1), all, 3000);
            if (answer.answer == Prover::Answer::possible)
                vectors_.add_near([this](std::size_t input) { return value_found(input); });
            if (answer.answer != Prover::Answer::impossible) return;
            if (answer.lemma.empty()) hints.clear();
            hints.push_back(answer.id);
        }
        refuted = log_.add({}, hints);
        result.verdict = Swept::Verdict::equivalent;
    }

    const Miter& miter_;
    std::vector<Netlist::Node> nodes_; ///< those of the formula, then those that are given, and that are defined
    std::size_t given_nodes_ = 0;
    const SweepOptions& options_;
    const Given& given_;
    const Formula& formula_;
    ProofLog& log_;
    Prover prover_;
    Signatures signatures_;
    SweepVectors vectors_;
    Structure structure_; ///< of gates over representatives
    Representatives representatives_;
    Carries carries_;
    Cones cones_;
    std::vector<ClauseId> first_clauses_; ///< by node of the formula
    ClauseId next_defined_ = 0;           ///< the first clause of the gate that is defined next
    GateMerger merger_;
    bool compares_ = true; ///< gates that are defined, with those that agree on the vectors
    std::size_t nearby_ = nearby_to_gates;
    bool in_sum_ = true, in_helper_ = false, past_circuits_ = false;
    bool keeps_ways_ = false; ///< of a gate that is found equal to another, that this can be made so
    std::optional<std::pair<std::uint32_t, std::uint32_t>> made_; ///< an and-gate, and the node of what it makes up
    struct OfGate {
        std::vector<std::int32_t> literals;
        ClauseId id;
    };
    std::vector<OfGate> gate_clauses_; ///< of the last gate
};

} // namespace

Swept sweep_once(const Miter& miter, const Formula& formula, const SweepOptions& options, Given& given, ProofLog& log,
                 const std::vector<std::vector<std::uint64_t>>& vectors, ClauseId& refuted) {
    Sweeper sweeper(miter, formula, options, given, log);
    Swept swept = sweeper.run(vectors, refuted);
    const auto defined = sweeper.defined();
    given.earlier.insert(given.earlier.end(), defined.begin(), defined.end());
    return swept;
}

} // namespace discern::certificate
