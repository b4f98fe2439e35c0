// The stages, cheapest first: equal terms, random vectors, the solver. See discriminate.hpp.
#include "discriminate.hpp"

#include "random_search.hpp"
#include "solver/backend/backend.hpp"
#include "solver/question/circuit.hpp"
#include "solver/question/cross_check.hpp"
#include "solver/witness/more_kinds.hpp"
#include "solver/witness/witness_set.hpp"

#include <algorithm>

namespace discern {

namespace {

// Random vectors before a solver is asked: a few milliseconds to a few hundred, by the unit.
constexpr std::uint64_t first_products = 400'000;
// Of these, vectors in succession that are no new kind of witness before the search ends.
constexpr int fruitless_vectors = 24;
// For the second solver to find a difference too, which has been replayed already.
constexpr double seconds_to_find_too = 10;

DecideOptions deciding_within(double seconds, const DiscriminateOptions& options) {
    DecideOptions deciding;
    static_cast<SolvingOptions&>(deciding) = options;
    deciding.timeout = seconds;
    if (options.solver == "random") deciding.solver = "none";
    return deciding;
}

class Discrimination {
  public:
    Discrimination(const Unit& first, const Unit& second, const DiscriminateOptions& options)
        : options_(options), start_(Limit::Clock::now()),
          limit_(Limit::after(options.timeout, options.stop)), question_{first, second, options.limits},
          pair_(question_), witnesses_(pair_, options.count, options.shrink, [this](const Vector& v, const auto& by) {
              return require_replay(question_, v, by, options_.reports);
          }) {
        if (options.cross_check.empty()) return;
        cross_ = {second_solver(options.cross_check, options.solver), options.reports};
        answer_.cross_check = Answer::Check{{}, cross_->second.name};
    }

    Answer run() {
        DecideOptions deciding = deciding_within(options_.timeout, options_);
        deciding.cross = cross();
        if (options_.solver == "portfolio" || options_.solver == "random")
            deciding.search = [this](const Limit& limit) { return search(limit); };
        Decision decision = decide(as_spaces(question_), deciding);
        static_cast<Answered&>(answer_) = decision;
        answer_.same_tree = decision.folded;
        count(decision.cross);
        if (decision.verdict == Verdict::different && witnesses_.empty()) {
            witnesses_.take(std::move(*decision.witness), decision.by, false);
            if (cross_) find_too(decision.by);
        }
        if (options_.solver != "random" && !witnesses_.empty() && !witnesses_.enough()) ask_for_more();
        answer_.witnesses = witnesses_.witnesses();
        answer_.seconds = seconds_since(start_);
        return std::move(answer_);
    }

  private:
    /// Random vectors of every kind that is wanted.
    std::optional<Vector> search(const Limit& limit) {
        const std::uint64_t tries = worthwhile_tries(pair_.first(), first_products);
        int in_vain = 0;
        random_search(pair_, options_.seed, tries, limit, [&](Vector v) {
            in_vain = witnesses_.offer(std::move(v), "random") ? 0 : in_vain + 1;
            return !witnesses_.enough() && in_vain < fruitless_vectors;
        });
        witnesses_.fill(limit);
        if (witnesses_.empty()) return std::nullopt;
        return witnesses_.witnesses().front();
    }

    // The witness holds whatever the second solver answers. If that answers unsat, the solver or its formula is wrong.
    void find_too(const std::string& by) {
        const auto start = Limit::Clock::now();
        Confirmation confirmation(cross(), circuit(), by, options_.seed);
        confirmation.require(circuit().differ);
        const Outcome outcome = confirmation.sat(limit_.within(seconds_to_find_too)) ? Outcome::sat : Outcome::unknown;
        count(confirmation.count());
        answer_.stages.push_back({confirmation.stage_name(by), std::string(name(outcome)), seconds_since(start)});
    }

    void ask_for_more() {
        if (backends().empty() && options_.solver == "portfolio") return;
        const BackendKind kind = options_.solver == "portfolio" ? backends().front() : require_backend(options_.solver);
        const std::string stage = kind.name + ", more kinds";
        if (options_.progress) options_.progress(stage);
        const auto start = Limit::Clock::now();
        const std::size_t before = witnesses_.witnesses().size();
        find_more_kinds(witnesses_, circuit(), pair_.first(), kind, options_.seed, limit_);
        const bool found = witnesses_.witnesses().size() > before;
        answer_.stages.push_back(
            {stage, std::string(found ? name(Verdict::different) : "nothing"), seconds_since(start)});
    }

    const CrossCheck* cross() const { return cross_ ? &*cross_ : nullptr; }

    void count(const CrossCount& more) {
        if (answer_.cross_check) *answer_.cross_check += more;
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
        DecideOptions deciding = deciding_within(std::max(limit.seconds_left(), 0.0), options);
        deciding.progress = nullptr;
        Decision decision = decide({space_of(first), space, options.limits, {}}, deciding);
        answer.stages.insert(answer.stages.end(), decision.stages.begin(), decision.stages.end());
        also(answer, decision.by, decision.ground);
        answer.challenged += decision.challenged;
        all = all && decision.verdict == Verdict::equivalent;
        if (decision.verdict != Verdict::different) continue;
        answer.verdict = Verdict::different;
        answer.by = decision.by;
        answer.ground = {};
        answer.witnesses = {std::move(*decision.witness)};
        break;
    }
    if (all && answer.verdict == Verdict::unknown) answer.verdict = Verdict::equivalent;
    if (answer.verdict == Verdict::unknown) answer.ground = {};
    answer.seconds = seconds_since(start);
    return answer;
}

} // namespace discern
