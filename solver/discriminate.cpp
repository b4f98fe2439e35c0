// The stages, cheapest first: equal terms, random vectors, the solver. See discriminate.hpp.
#include "discriminate.hpp"

#include "backend.hpp"
#include "circuit.hpp"
#include "portfolio.hpp"
#include "random_search.hpp"
#include "replay.hpp"
#include "shrink.hpp"

#include "models/notation.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace discern {

namespace {

// Random vectors before a solver is asked: a few milliseconds to a few hundred, by the unit.
constexpr std::uint64_t first_products = 400'000;

class Discrimination {
  public:
    Discrimination(const Unit& first, const Unit& second, const DiscriminateOptions& options)
        : options_(options), start_(Limit::Clock::now()),
          limit_(Limit::after(options.timeout, options.stop)), question_{first, second, options.limits},
          pair_(question_) {}

    Answer run() {
        if (!ask_terms() && !ask_random() && options_.solver != "random") ask_solver();
        answer_.seconds = seconds_since(start_);
        return std::move(answer_);
    }

  private:
    template <typename Ask>
    bool stage(const std::string& stage_name, Ask ask) {
        if (options_.progress) options_.progress(stage_name);
        const auto start = Limit::Clock::now();
        const std::string outcome = ask();
        answer_.stages.push_back({stage_name, outcome, seconds_since(start)});
        return outcome == name(Verdict::different) || outcome == name(Verdict::equivalent);
    }

    std::string settled(Verdict verdict) {
        answer_.verdict = verdict;
        return std::string(name(verdict));
    }

    bool ask_terms() {
        return stage("terms", [&] {
            const Unit &first = pair_.first(), &second = pair_.second();
            if (canonical_text(first) == canonical_text(second))
                answer_.same_tree = true;
            else {
                circuit_.emplace(question_);
                if (circuit_->differ == circuit_->terms.truth(false)) answer_.same_tree = true;
            }
            if (answer_.same_tree) answer_.by = "terms";
            return answer_.same_tree ? settled(Verdict::equivalent) : std::string("nothing");
        });
    }

    bool ask_random() {
        if (options_.solver != "portfolio" && options_.solver != "random") return false;
        return stage("random", [&] {
            const std::uint64_t tries = first_products / static_cast<std::uint64_t>(pair_.first().K);
            // More than wanted, since some become the same when they are simplified.
            const std::size_t enough = options_.shrink ? 8 * options_.count : options_.count;
            for (Vector& v : random_search(pair_, options_.seed, tries, enough, limit_))
                if (answer_.witnesses.size() < options_.count) witness(std::move(v), "random");
            if (!answer_.witnesses.empty()) answer_.by = "random";
            return answer_.witnesses.empty() ? "nothing" : settled(Verdict::different);
        });
    }

    void ask_solver() {
        const std::string& asked = options_.solver;
        const SolverResult result = asked == "portfolio"
                                        ? solve_portfolio(question_, options_.seed, limit_, threads())
                                        : solve_with(circuit(), require_backend(asked), options_.seed, limit_);
        for (const Attempt& attempt : result.attempts)
            answer_.stages.push_back({attempt.name, std::string(name(attempt.outcome)), attempt.seconds});
        if (result.outcome == Outcome::unsat) settled(Verdict::equivalent);
        if (result.outcome == Outcome::sat) {
            witness(*result.inputs, result.by);
            settled(Verdict::different);
        }
        answer_.by = result.by;
    }

    // Two at least: the whole question must not wait for a restriction, nor a proof for either.
    static unsigned threads() { return std::clamp(std::thread::hardware_concurrency(), 2u, 4u); }

    // Checks, simplifies and keeps a vector, unless it is there already.
    void witness(Vector v, const std::string& by) {
        require_replay(v, by);
        if (options_.shrink) v = shrunk(pair_, std::move(v));
        const Replay r = require_replay(v, by);
        for (const Vector& other : answer_.witnesses)
            if (other.same_inputs(v)) return;
        v.d = {r.d1, r.d2};
        v.d_is_list = true;
        answer_.witnesses.push_back(std::move(v));
    }

    Replay require_replay(const Vector& v, const std::string& by) {
        const Replay r = replay(pair_, v.inputs());
        if (!r.models_agree || !r.different) {
            const auto file = write_report(circuit(), pair_, v, r, by, options_.reports);
            throw std::logic_error("a vector found by '" + by + "' does not hold when it is replayed; see the report " +
                                   file.string());
        }
        return r;
    }

    Circuit& circuit() {
        if (!circuit_) circuit_.emplace(question_);
        return *circuit_;
    }

    const DiscriminateOptions& options_;
    Limit::Clock::time_point start_;
    Limit limit_;
    Question question_;
    Pair pair_;
    std::optional<Circuit> circuit_;
    Answer answer_;
};

} // namespace

Answer discriminate(const Unit& first, const Unit& second, const DiscriminateOptions& options) {
    require_comparable(first, second);
    require_operands(options.limits, first);
    if (options.solver != "portfolio" && options.solver != "random") require_backend(options.solver);
    return Discrimination(first, second, options).run();
}

} // namespace discern
