// Encodes a claim and decides it: by folding, on gates, or by a solver on terms.
#include "prove.hpp"

#include "lemmas.hpp"

#include "models/vectors/mixture.hpp"
#include "solver/decide/sweep/patterns.hpp"
#include "solver/question/solution.hpp"

#include <exception>
#include <mutex>
#include <thread>

namespace discern::property {

namespace {

/// A graph with the claim in it; each attempt has its own, since graphs grow.
struct Graph {
    Terms terms;
    InputTerms x;
    Statement statement;
    Term condition; ///< violated, of inputs that are assumed
    InputMixture mixture;
    Random random;
    InputBuffer buffer;

    /// @param limit  which must outlive the graph
    /// @throws TimeIsOver when the limit is reached first
    Graph(const Unit& unit, const Claim& claim, std::uint64_t seed, const Limit& limit)
        : mixture(unit, seed), random(seed) {
        terms.stop_when([&limit] { return limit.reached(); });
        x = input_variables(terms, unit);
        statement = claim.state(terms, x);
        condition = terms.bvand(statement.violated, statement.assume);
    }

    std::vector<Term> variables() const {
        std::vector<Term> all = statement.more;
        const std::vector<Term> operands = x.all();
        all.insert(all.end(), operands.begin(), operands.end());
        return all;
    }

    /// Inputs of all families; of further variables anything.
    Valuation pattern() {
        mixture.next(buffer);
        Valuation values = valuation(x, buffer);
        for (const Term more : statement.more) {
            const int width = terms.width(more);
            values.emplace_back(more, random.bits() & (width >= 64 ? ~0ull : (1ull << width) - 1));
        }
        return values;
    }

    Witness witness(const Valuation& values) const {
        std::vector<Term> roots = {condition};
        for (const InputTerms& inputs : {x, statement.other.value_or(InputTerms())})
            for (const Term operand : inputs.all()) roots.push_back(operand);
        TermEvaluator evaluator(terms, roots);
        for (const auto& [variable, value] : values) evaluator.set(variable, value);
        evaluator.run();
        const auto value = [&](Term t) { return evaluator.low(t); };
        Witness w{vector_from(x, value), std::nullopt, 0};
        if (statement.other) w.y = vector_from(*statement.other, value);
        return w;
    }
};

Proved by_solver(const Unit& unit, const Claim& claim, const Proving& how, const Limit& limit) {
    Graph graph(unit, claim, how.seed, limit);
    Proved proved;
    proved.by = backends().front().name;
    proved.ground = by_a_solver;
    std::size_t lemmas = 0;
    Term condition = graph.condition;
    if (graph.statement.first != graph.statement.second) {
        const Limit sooner = limit.share(0.5);
        condition = with_equal_sums(graph.terms,
                                    {graph.statement.first, graph.statement.second, graph.statement.assume,
                                     [&] { return graph.pattern(); }, how.seed, how.second},
                                    condition, sooner, lemmas);
    }
    if (lemmas > 0) proved.by += ", equal sums";
    const auto backend = backends().front().make(graph.terms, how.seed);
    backend->require(condition);
    backend->require(graph.statement.assume); // under which the sums are equal
    proved.outcome = backend->check(limit);
    if (proved.outcome == Outcome::sat) {
        Valuation values;
        for (const Term variable : graph.variables()) values.emplace_back(variable, backend->value(variable).low());
        proved.witness = graph.witness(values);
    }
    if (proved.outcome == Outcome::unsat && how.second != nullptr) {
        const auto second = how.second->make(graph.terms, how.seed);
        second->require(condition);
        if (second->check(limit) != Outcome::unsat) proved.outcome = Outcome::unknown;
        proved.by += ", confirmed by " + how.second->name;
    }
    return proved;
}

Proved by_gates(const Unit& unit, const Claim& claim, const Proving& how, const Limit& limit) {
    Graph graph(unit, claim, how.seed, limit);
    const GateSweepResult sweep =
        sweep_gates({graph.terms, graph.statement.first, graph.statement.second, graph.condition,
                     graph.statement.assume, graph.variables(), [&] { return graph.pattern(); }, how.seed},
                    limit);
    Proved proved{sweep.outcome, std::nullopt, backends().front().name + " by sweeping gates", by_a_solver};
    if (sweep.outcome == Outcome::sat) proved.witness = graph.witness(sweep.solution);
    return proved;
}

/// Proved where the condition folds to nothing.
std::optional<Proved> by_terms(const Unit& unit, const Claim& claim, const Proving& how, const Limit& limit) {
    Graph graph(unit, claim, how.seed, limit);
    if (graph.condition != graph.terms.truth(false)) return std::nullopt;
    std::string by = "terms";
    for (const std::string& fact : graph.terms.facts()) by += ", " + fact;
    return Proved{Outcome::unsat, std::nullopt, by, discern::by_terms};
}

} // namespace

Proved prove(const Unit& unit, const Claim& claim, const Proving& how, const Limit& limit) {
    try {
        if (auto folded = by_terms(unit, claim, how, limit)) return *folded;
    } catch (const TimeIsOver&) {
        return {};
    }
    if (backends().empty()) return {};
    std::stop_source stop;
    const std::stop_callback forward(limit.stop, [&] { stop.request_stop(); });
    const Limit both{limit.end, stop.get_token()};
    std::mutex mutex;
    Proved answer;
    std::exception_ptr failure;
    const auto attempt = [&](auto ask) {
        try {
            Proved one = ask(unit, claim, how, both);
            const std::scoped_lock lock(mutex);
            if (one.outcome == Outcome::unknown || answer.outcome != Outcome::unknown) return;
            answer = std::move(one);
        } catch (const TimeIsOver&) {
            return; // the other attempt may still know
        } catch (...) {
            const std::scoped_lock lock(mutex);
            failure = std::current_exception();
        }
        stop.request_stop();
    };
    {
        std::jthread beside;
        if (how.second == nullptr) // whose lemmas are too many to be asked again
            beside = std::jthread([&] { attempt(by_gates); });
        attempt(by_solver);
    }
    if (failure) std::rethrow_exception(failure);
    return answer;
}

} // namespace discern::property
