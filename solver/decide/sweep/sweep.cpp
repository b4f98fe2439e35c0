// Terms are grouped by signatures, which are their values on the vectors so far; a counterexample refines all groups.
#include "sweep.hpp"

#include "encodings/number/number.hpp"
#include "models/vectors/mixture.hpp"
#include "solver/question/solution.hpp"

#include <algorithm>
#include <unordered_map>

namespace discern {

namespace {

constexpr int first_vectors = 600; // simulated before anything is proved
// Seconds for one pair: a pair that takes longer is left open. What depends on an open pair is probably hard only
// because of it, so a round ends after a few open pairs, and the next one has more time for each.
constexpr double seconds_a_pair[] = {0.05, 0.3, 2, 10, 60};
// A second solver may be slower, and may be a program that has to be started.
constexpr double confirmation_times = 4, confirmation_at_least = 1;
constexpr std::size_t open_a_round = 6;

// What each term was on all vectors so far, as one number of 64 bits, also where a size_t has fewer.
class Signatures {
  public:
    Signatures(const Circuit& circuit, std::vector<Term> nodes, Term assume)
        : circuit_(circuit), nodes_(std::move(nodes)), assume_(assume), evaluator_(circuit.terms, with(nodes_, assume)),
          hash_(nodes_.size(), 0) {}

    void add(const Inputs& inputs) {
        set_inputs(evaluator_, circuit_.inputs, inputs);
        evaluator_.run();
        if (evaluator_.low(assume_) == 0) return;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const std::uint64_t value =
                circuit_.terms.width(nodes_[i]) <= 64 ? evaluator_.low(nodes_[i]) : evaluator_.value(nodes_[i]).hash();
            hash_[i] = (hash_[i] ^ value) * 0x9e3779b97f4a7c15ull;
            hash_[i] ^= hash_[i] >> 29;
        }
    }

    /// Of the i-th node.
    std::uint64_t operator[](std::size_t i) const { return hash_[i]; }

  private:
    static std::vector<Term> with(std::vector<Term> nodes, Term more) {
        nodes.push_back(more);
        return nodes;
    }

    const Circuit& circuit_;
    std::vector<Term> nodes_;
    Term assume_;
    TermEvaluator evaluator_;
    std::vector<std::uint64_t> hash_;
};

class Sweep {
  public:
    Sweep(Circuit& circuit, const Pair& pair, const BackendKind& kind, Term assume, std::uint64_t seed,
          const Limit& limit, const CrossCheck* cross)
        : circuit_(circuit), terms_(circuit.terms), limit_(limit), nodes_(terms_.cone(std::span(&circuit.differ, 1))),
          signatures_(circuit, nodes_, assume), backend_(kind.make(terms_, seed)),
          confirmation_(cross, circuit, kind.name, seed) {
        backend_->require(assume);
        confirmation_.require(assume);
        of_first_.resize(terms_.size(), false);
        for (const Term t : terms_.cone(std::span(&circuit.d1, 1))) of_first_[t.id] = true;
        simulate(pair, seed);
    }

    SweepResult run() {
        for (const double seconds : seconds_a_pair) {
            round(seconds);
            if (result_.open == 0 || limit_.reached()) break;
        }
        if (!limit_.reached()) finish();
        result_.cross = confirmation_.count();
        return result_;
    }

  private:
    void finish() {
        const Term rest[] = {merged_.at(circuit_.differ.id)};
        if (rest[0] == terms_.truth(false)) {
            result_.outcome = Outcome::unsat;
            return;
        }
        result_.outcome = backend_->check(limit_, rest);
        if (result_.outcome == Outcome::sat) result_.inputs = solution(*backend_, circuit_.inputs);
        if (result_.outcome == Outcome::unsat && !confirmation_.unsat(limit_, rest)) result_.outcome = Outcome::unknown;
    }

    void simulate(const Pair& pair, std::uint64_t seed) {
        const Unit* units[] = {&pair.first(), &pair.second()};
        InputMixture mixture(units, seed);
        for (const Inputs& inputs : mixture.batch(first_vectors)) signatures_.add(inputs);
    }

    // All nodes once. Pairs that were proved before are the same term by now, or are in proved_.
    void round(double seconds) {
        seconds_ = seconds;
        result_.open = 0;
        merged_.clear();
        representative_.clear();
        for (std::size_t i = 0; i < nodes_.size() && !limit_.reached(); ++i) merge(i);
    }

    // Builds the i-th node from its merged operands, and merges it with an earlier node if both are proved equal.
    void merge(std::size_t i) {
        const Term t = nodes_[i];
        std::vector<Term> operands;
        for (const Term a : terms_.args(t)) operands.push_back(merged_.at(a.id));
        const Term own = operands.empty() ? t : terms_.rebuild(terms_.op(t), terms_.width(t), operands, terms_.low(t));
        merged_.emplace(t.id, own);
        if (const auto it = proved_.find(own.id); it != proved_.end()) {
            merged_.insert_or_assign(t.id, it->second);
            return;
        }
        if (of_first_[t.id]) { // the second unit's nodes are compared with the first one's
            representative_.try_emplace(Key{terms_.width(t), signatures_[i]}, Entry{own, terms_.width(t), i});
            return;
        }
        while (!terms_.is_constant(own) && result_.open < open_a_round) {
            const auto it = representative_.find(Key{terms_.width(t), signatures_[i]});
            if (it == representative_.end() || it->second.term == own) return;
            const Term unequal[] = {terms_.bvnot(terms_.eq(it->second.term, own))};
            const Outcome outcome = ask(unequal);
            if (outcome == Outcome::unsat) {
                ++result_.lemmas;
                proved_.emplace(own.id, it->second.term);
                merged_.insert_or_assign(t.id, it->second.term);
                return;
            }
            if (outcome == Outcome::unknown) {
                ++result_.open;
                return;
            }
            ++result_.refuted;
            refine();
        }
    }

    // Unsat is believed if a second solver, where there is one, finds it too.
    Outcome ask(std::span<const Term> unequal) {
        if (terms_.is_constant(unequal[0]) && terms_.value(unequal[0]).is_zero()) return Outcome::unsat;
        const Outcome outcome = backend_->check(limit_.within(seconds_), unequal);
        if (outcome != Outcome::unsat) return outcome;
        const double seconds = std::max(confirmation_times * seconds_, confirmation_at_least);
        return confirmation_.unsat(limit_.within(seconds), unequal) ? Outcome::unsat : Outcome::unknown;
    }

    // On a solution the two nodes differ, and perhaps many others.
    void refine() {
        signatures_.add(solution(*backend_, circuit_.inputs).inputs());
        std::unordered_map<Key, Entry, KeyHash> again;
        for (const auto& [key, entry] : representative_)
            again.emplace(Key{entry.width, signatures_[entry.node]}, entry);
        representative_ = std::move(again);
    }

    struct Key {
        int width;
        std::uint64_t signature;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const Key& k) const {
            return static_cast<std::size_t>(k.signature) ^ static_cast<std::size_t>(k.width);
        }
    };
    struct Entry {
        Term term;
        int width;
        std::size_t node;
    };

    Circuit& circuit_;
    Terms& terms_;
    const Limit& limit_;
    std::vector<Term> nodes_;
    Signatures signatures_;
    std::unique_ptr<Backend> backend_;
    Confirmation confirmation_;
    std::vector<bool> of_first_;                     ///< by id: whether d of the first unit depends on it
    double seconds_ = 0;                             ///< for a pair
    std::unordered_map<std::uint32_t, Term> proved_; ///< the term that a rebuilt term was proved equal to
    std::unordered_map<std::uint32_t, Term> merged_; ///< the rebuilt term of an original one
    std::unordered_map<Key, Entry, KeyHash> representative_;
    SweepResult result_;
};

// Whether all products and c are zero.
Term all_zero(Circuit& circuit, const Unit& unit) {
    Terms& t = circuit.terms;
    const auto zero = [&](FormatId id, Term pattern) { return decode_term(t, format(id), pattern).zero; };
    std::vector<Term> zeros;
    for (std::size_t k = 0; k < circuit.inputs.a.size(); ++k)
        zeros.push_back(t.bvor(zero(unit.a, circuit.inputs.a[k]), zero(unit.b, circuit.inputs.b[k])));
    if (unit.c) zeros.push_back(zero(*unit.c, *circuit.inputs.c));
    return t.all_of(zeros);
}

} // namespace

SweepResult sweep(Circuit& circuit, const Pair& pair, const BackendKind& kind, Term assume, std::uint64_t seed,
                  const Limit& limit, const CrossCheck* cross) {
    return Sweep(circuit, pair, kind, assume, seed, limit, cross).run();
}

SweepResult prove_by_sweeping(const Question& question, const BackendKind& kind, std::uint64_t seed, const Limit& limit,
                              const SweepOptions& options) {
    const Pair pair(question);
    Circuit circuit(question, options.order);
    circuit.terms.set_order(Terms::Order::canonical); // substituted sums are compared whatever their order was
    const Term zero = all_zero(circuit, question.first), others = circuit.terms.bvnot(zero);
    SweepResult total;
    for (const Term assume : {zero, others}) {
        const SweepResult part = sweep(circuit, pair, kind, assume, seed, limit, options.cross);
        total.lemmas += part.lemmas;
        total.refuted += part.refuted;
        total.open += part.open;
        total.cross += part.cross;
        total.outcome = part.outcome;
        total.inputs = part.inputs;
        if (part.outcome != Outcome::unsat) break; // a proof needs both cases
    }
    return total;
}

} // namespace discern
