// Restrictions of the inputs under which solvers often find a witness sooner, each tried beside the whole question.
#include "portfolio.hpp"

#include "models/error.hpp"
#include "sweep/gate_sweep.hpp"
#include "sweep/patterns.hpp"
#include "sweep/sweep.hpp"

#include <functional>

namespace discern {

namespace {

// ---- restrictions of the inputs: each a name, and the condition on one operand's patterns

template <bool ones> // or all zeros
std::vector<Term> mantissas_are(Circuit& circuit, const Unit& unit) {
    const Format& f = format(unit.b);
    Terms& t = circuit.terms;
    std::vector<Term> conditions(circuit.inputs.b.size(), t.truth(true));
    for (std::size_t k = 0; k < conditions.size() && f.mantissa_bits > 0; ++k) {
        const Term mantissa = t.extract(circuit.inputs.b[k], f.padding_bits, f.mantissa_bits);
        conditions[k] = t.eq(mantissa, t.constant(ones ? Bits::ones(f.mantissa_bits) : Bits(f.mantissa_bits)));
    }
    return conditions;
}

std::vector<Term> positive_terms(Circuit& circuit, const Unit& unit) {
    std::vector<Term> conditions;
    const auto positive = [&](FormatId id, Term pattern) {
        const Format& f = format(id);
        if (f.is_signed) conditions.push_back(circuit.terms.bvnot(circuit.terms.bit(pattern, f.width - 1)));
    };
    for (const Term a : circuit.inputs.a) positive(unit.a, a);
    for (const Term b : circuit.inputs.b) positive(unit.b, b);
    if (unit.c) positive(*unit.c, *circuit.inputs.c);
    return conditions;
}

struct Restriction {
    const char* name;
    std::vector<Term> (*conditions)(Circuit& circuit, const Unit& unit);
};

constexpr Restriction restrictions[] = {
    {"b powers of two", mantissas_are<false>},
    {"all terms positive", positive_terms},
    {"b of largest significands", mantissas_are<true>},
};

constexpr double seconds_a_restriction = 3;

// ---- attempts side by side

class Portfolio {
  public:
    Portfolio(const SpaceQuestion& question, std::uint64_t seed, const CrossCheck* cross)
        : question_(question), seed_(seed), cross_(cross), kind_(backends().front()) {
        const auto whole_question = [this](std::uint64_t more) {
            add(more == 0 ? "" : " seed " + std::to_string(seed_ + more),
                [this, more](const Limit& l) { return whole(more, l); });
        };
        const auto restriction = [this](std::size_t i) {
            add(std::string(", ") + restrictions[i].name, [this, i](const Limit& l) { return restricted(i, l); });
            approaches_.back().is_restricted = true;
        };
        if (cross == nullptr) // its lemmas are too many to be asked again
            add(" by sweeping gates", [this](const Limit& l) { return swept_by_gates(l); });
        restriction(0);
        whole_question(0);
        if (question.first.is_unit() && question.second.is_unit())
            add(" by sweeping", [this](const Limit& l) { return swept(l); });
        for (std::size_t i = 1; i < std::size(restrictions); ++i) restriction(i);
        for (std::uint64_t more = 1; more < 3; ++more) whole_question(more);
    }

    const std::vector<Approach<Solution>>& approaches() const { return approaches_; }

  private:
    void add(const std::string& suffix, std::function<SolverResult(const Limit&)> run) {
        approaches_.push_back({kind_.name + suffix, std::move(run)});
    }

    // Each attempt has a graph of its own, since graphs grow while they are used.
    SolverResult whole(std::uint64_t more, const Limit& limit) const {
        const Circuit circuit(question_);
        SolverResult result = solve_with(question_, circuit, kind_, seed_ + more, limit, {}, cross_);
        // A question that was confirmed, or was not, has two attempts, whose names begin with the back-end's.
        if (more != 0)
            for (Attempt& attempt : result.attempts)
                attempt.name.insert(kind_.name.size(), " seed " + std::to_string(seed_ + more));
        return result;
    }

    SolverResult restricted(std::size_t i, const Limit& limit) const {
        Circuit circuit(question_);
        const std::vector<Term> conditions = restrictions[i].conditions(circuit, question_.first.frame());
        return solve_with(question_, circuit, kind_, seed_, limit.within(seconds_a_restriction), conditions);
    }

    SolverResult swept(const Limit& limit) const {
        const Question units{only_member(question_.first), only_member(question_.second), question_.limits};
        SweepResult sweep =
            prove_by_sweeping(units, kind_, seed_, limit, {.order = Terms::Order::canonical, .cross = cross_});
        SolverResult result{sweep.outcome, {}, "", {}, sweep.cross, {}};
        if (sweep.inputs)
            result.solution =
                Solution{std::move(*sweep.inputs), parametric::Structure::first_of(question_.first.boxes.front()),
                         parametric::Structure::first_of(question_.second.boxes.front())};
        return result;
    }

    SolverResult swept_by_gates(const Limit& limit) const {
        const Circuit circuit(question_);
        SweepPatterns patterns(question_, circuit, seed_);
        const GateSweepResult sweep =
            sweep_gates({circuit.terms, circuit.d1, circuit.d2, circuit.differ, circuit.assume, circuit.variables(),
                         [&] { return patterns.next(); }, seed_},
                        limit);
        SolverResult result;
        result.outcome = sweep.outcome;
        if (sweep.outcome == Outcome::sat) result.solution = solution_of(question_, circuit, value_in(sweep.solution));
        return result;
    }

    const SpaceQuestion& question_;
    std::uint64_t seed_;
    const CrossCheck* cross_;
    const BackendKind& kind_;
    std::vector<Approach<Solution>> approaches_;
};

} // namespace

SolverResult solve_with(const SpaceQuestion& question, const Circuit& circuit, const BackendKind& kind,
                        std::uint64_t seed, const Limit& limit, std::span<const Term> assume, const CrossCheck* cross) {
    auto start = Limit::Clock::now();
    const auto backend = kind.make(circuit.terms, seed);
    backend->require(circuit.differ);
    for (const Term condition : assume) backend->require(condition);
    SolverResult result;
    result.by = kind.name;
    result.outcome = backend->check(limit);
    if (result.outcome == Outcome::sat) result.solution = solution(*backend, question, circuit);
    result.attempts.push_back({result.by, result.outcome, seconds_since(start)});
    if (cross == nullptr || result.outcome != Outcome::unsat) return result;
    start = Limit::Clock::now();
    Confirmation confirmation(cross, circuit, kind.name, seed);
    confirmation.require(circuit.differ);
    for (const Term condition : assume) confirmation.require(condition);
    if (!confirmation.unsat(limit)) result.outcome = Outcome::unknown;
    result.cross = confirmation.count();
    result.attempts.push_back({confirmation.stage_name(kind.name), result.outcome, seconds_since(start)});
    return result;
}

SolverResult solve_portfolio(const SpaceQuestion& question, std::uint64_t seed, const Limit& limit, unsigned threads,
                             const CrossCheck* cross) {
    if (backends().empty()) throw Error("this build has no solver: only random search is possible (--solver random)");
    return side_by_side(Portfolio(question, seed, cross).approaches(), threads, limit);
}

} // namespace discern
