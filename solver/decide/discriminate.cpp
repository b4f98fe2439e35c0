// The stages, cheapest first: equal terms, random vectors, the solver. See discriminate.hpp.
#include "discriminate.hpp"

#include "circuit.hpp"
#include "cross_check.hpp"
#include "decide.hpp"
#include "part.hpp"
#include "portfolio.hpp"
#include "random_search.hpp"
#include "solver/backend/backend.hpp"
#include "solver/witness/more_kinds.hpp"
#include "solver/witness/replay.hpp"
#include "solver/witness/witness_set.hpp"

#include "models/notation.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace discern {

namespace {

// Random vectors before a solver is asked: a few milliseconds to a few hundred, by the unit.
constexpr std::uint64_t first_products = 400'000;
// Of these, vectors in succession that are no new kind of witness before the search ends.
constexpr int fruitless = 24;
// For the second solver to find a difference too, which has been replayed already.
constexpr double seconds_to_find_too = 10;

class Discrimination {
  public:
    Discrimination(const Unit& first, const Unit& second, const DiscriminateOptions& options)
        : options_(options), start_(Limit::Clock::now()),
          limit_(Limit::after(options.timeout, options.stop)), question_{first, second, options.limits},
          pair_(question_), witnesses_(pair_, options.count, options.shrink,
                                       [this](const Vector& v, const auto& by) { return require_replay(v, by); }) {
        if (options.cross_check.empty()) return;
        cross_ = {second_solver(options.cross_check, options.solver), options.reports};
        answer_.cross_check = {cross_->second.name, 0, 0};
    }

    Answer run() {
        if (!ask_terms()) {
            ask_random();
            if (options_.solver == "portfolio" && witnesses_.empty()) ask_part();
            if (options_.solver != "random" && witnesses_.empty() && answer_.verdict == Verdict::unknown) ask_solver();
            if (options_.solver != "random" && !witnesses_.empty() && !witnesses_.enough()) ask_for_more();
        }
        answer_.witnesses = witnesses_.witnesses();
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

    void ask_random() {
        if (options_.solver != "portfolio" && options_.solver != "random") return;
        stage("random", [&] {
            const std::uint64_t tries = first_products / static_cast<std::uint64_t>(pair_.first().K);
            int in_vain = 0;
            random_search(pair_, options_.seed, tries, limit_, [&](Vector v) {
                in_vain = witnesses_.offer(std::move(v), "random") ? 0 : in_vain + 1;
                return !witnesses_.enough() && in_vain < fruitless;
            });
            witnesses_.fill(limit_);
            if (!witnesses_.empty()) answer_.by = "random";
            return witnesses_.empty() ? "nothing" : settled(Verdict::different);
        });
    }

    /// A proof about one block, or what is rounded inside it, is one about the units.
    void ask_part() {
        if (!options_.limits.none()) return; // of the first block alone
        const auto part = smallest_part(question_.first, question_.second);
        if (!part || !part->smaller) return;
        stage("one block", [&] {
            DiscriminateOptions options = options_;
            options.timeout = limit_.seconds_left() / 2;
            options.shrink = false;
            options.count = 1;
            options.progress = {};
            const Answer answer = discriminate(part->first, part->second, options);
            if (answer.verdict == Verdict::equivalent) {
                if (answer.cross_check) count({answer.cross_check->confirmed, answer.cross_check->unconfirmed});
                answer_.by = answer.by + ", one block";
                answer_.part = answer.part ? answer.part : part;
                return settled(Verdict::equivalent);
            }
            if (answer.verdict == Verdict::different)
                visit_in_unit(question_.first, *part, answer.witnesses.front(), [&](const Vector& v) {
                    if (pair_.tells(v.inputs())) witnesses_.take(v, "one block", false);
                    return witnesses_.empty();
                });
            if (witnesses_.empty()) return std::string("nothing");
            answer_.by = "one block";
            return settled(Verdict::different);
        });
    }

    void ask_solver() {
        const std::string& asked = options_.solver;
        const SolverResult result =
            asked == "portfolio"
                ? solve_portfolio(as_spaces(question_), options_.seed, limit_, threads(), cross())
                : solve_with(as_spaces(question_), circuit(), answering(), options_.seed, limit_, {}, cross());
        for (const Attempt& attempt : result.attempts)
            answer_.stages.push_back({attempt.name, std::string(name(attempt.outcome)), attempt.seconds});
        if (result.outcome == Outcome::unsat) settled(Verdict::equivalent);
        count(result.cross);
        if (result.outcome == Outcome::unknown) return;
        answer_.by = result.by;
        if (result.outcome == Outcome::unsat) return;
        witnesses_.take(result.solution->inputs, result.by, false);
        settled(Verdict::different);
        if (cross_) find_too(result.by);
    }

    // The witness holds whatever the second solver says; if it says that there is none, something is wrong with it or
    // with what it was told.
    void find_too(const std::string& by) {
        const auto start = Limit::Clock::now();
        Confirmation confirmation(cross(), circuit(), by, options_.seed);
        confirmation.require(circuit().differ);
        Limit limit = Limit::after(seconds_to_find_too, limit_.stop);
        limit.end = std::min(limit.end, limit_.end);
        const Outcome outcome = confirmation.sat(limit) ? Outcome::sat : Outcome::unknown;
        count(confirmation.count());
        answer_.stages.push_back({confirmation.stage_name(by), std::string(name(outcome)), seconds_since(start)});
    }

    void ask_for_more() {
        if (backends().empty() && options_.solver == "portfolio") return;
        const BackendKind kind = answering();
        stage(kind.name + ", more kinds", [&] {
            const std::size_t before = witnesses_.witnesses().size();
            find_more_kinds(witnesses_, circuit(), pair_.first(), kind, options_.seed, limit_);
            return std::string(witnesses_.witnesses().size() > before ? name(Verdict::different) : "nothing");
        });
    }

    BackendKind answering() const {
        if (options_.solver != "portfolio") return require_backend(options_.solver);
        return backends().front();
    }

    const CrossCheck* cross() const { return cross_ ? &*cross_ : nullptr; }

    void count(const CrossCount& more) {
        if (!answer_.cross_check) return;
        answer_.cross_check->confirmed += more.confirmed;
        answer_.cross_check->unconfirmed += more.unconfirmed;
    }

    // Two at least: the whole question must not wait for a restriction, nor a proof for either.
    static unsigned threads() { return std::clamp(std::thread::hardware_concurrency(), 2u, 4u); }

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
    WitnessSet witnesses_;
    std::optional<CrossCheck> cross_;
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

Answer discriminate(const Unit& first, std::span<const Unit* const> others, const DiscriminateOptions& options) {
    if (others.size() == 1) return discriminate(first, *others.front(), options);
    Answer answer;
    if (options.solver != "portfolio" || !options.cross_check.empty()) return answer;
    const auto start = Limit::Clock::now();
    const Limit limit = Limit::after(options.timeout, options.stop);
    bool all = true;
    for (const auto& [space, members] : spaces_of(others)) {
        const double left = std::max(limit.seconds_left(), 0.0);
        Decision decision =
            decide({space_of(first), space, options.limits}, {left, options.stop, options.seed, options.reports});
        answer.stages.insert(answer.stages.end(), decision.stages.begin(), decision.stages.end());
        answer.by = decision.by;
        all = all && decision.verdict == Verdict::equivalent;
        if (decision.verdict != Verdict::different) continue;
        answer.verdict = Verdict::different;
        answer.witnesses = {std::move(*decision.witness)};
        break;
    }
    if (all && answer.verdict == Verdict::unknown) answer.verdict = Verdict::equivalent;
    answer.seconds = seconds_since(start);
    return answer;
}

} // namespace discern
