// Random vectors first, then a solver for each value that none of them has; around each solution, others with the same
// value, since what is wrong may depend on the rest of the operands.
#include "conditions.hpp"

#include "designs/clocked/patterns.hpp"
#include "read/cells.hpp"

#include "encodings/graph/term_eval.hpp"
#include "models/format.hpp"
#include "models/unit/sentence.hpp"
#include "solver/backend/backend.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace discern::rtl {

namespace {

constexpr int random_vectors = 256;         ///< before a solver is asked
constexpr std::size_t most_bits = 20'000;   ///< of a design
constexpr int tries_around = 48;            ///< of changed solutions …
constexpr int kept_around = 5;              ///< … and how many are kept
constexpr double longest_for_a_value = 0.2; ///< seconds of the solver

/// What cells give, as far as d comes from it. An expression in a wide context is a wide cell, so all widths count;
/// narrow words come first.
std::vector<std::vector<Net>> words_of(const Design& design, const Connection& connection) {
    std::vector<Net> left = result_nets(design, connection);
    std::vector<std::vector<Net>> found;
    std::unordered_set<std::size_t> seen;
    while (!left.empty()) {
        const Net bit = left.back();
        left.pop_back();
        const auto driver = design.drivers.find(bit);
        if (driver == design.drivers.end() || driver->second.is_port || !seen.insert(driver->second.cell).second)
            continue;
        const Cell& cell = design.cells[driver->second.cell];
        const bool is_state = is_register(cell);
        if (!is_state) found.push_back(cell.pin("Y"));
        for (const std::string& pin : is_state ? std::vector<std::string>{"D"} : inputs_of(cell))
            left.insert(left.end(), cell.pin(pin).begin(), cell.pin(pin).end());
    }
    std::ranges::stable_sort(found, {}, [](const std::vector<Net>& word) { return word.size(); });
    std::size_t bits = 0;
    const auto end = std::ranges::find_if(found, [&](const auto& word) { return (bits += word.size()) > most_bits; });
    found.erase(end, found.end());
    return found;
}

/// A value that a bit of a word is to have.
struct Goal {
    Term word;
    int bit = 0;
    bool value = false;
    enum class State { open, taken, impossible } state = State::open;
};

class Making {
  public:
    Making(const DesignQuestion& question, std::uint64_t seed, const Limit& limit)
        : q_(question), limit_(limit), inputs_(input_variables(t_, question.unit)), stream_(question.unit, seed),
          random_(seed + 1) {
        std::vector<Term> words;
        add_words(question.design, question.connection, "open", words);
        if (question.simulated) add_words(*question.simulated, question.connection_simulated, "simulated", words);
        evaluator_.emplace(t_, std::move(words));
    }

    ConditionVectors run() {
        for (int i = 0; i < random_vectors && !limit_.reached(); ++i) {
            const InputBuffer& inputs = stream_.next();
            if (takes_any(inputs)) keep(inputs);
        }
        if (!backends().empty()) ask();
        result_.conditions = goals_.size();
        for (const Goal& goal : goals_) {
            if (goal.state == Goal::State::taken) ++result_.taken;
            if (goal.state == Goal::State::impossible) ++result_.impossible;
        }
        return std::move(result_);
    }

  private:
    /// Of each word that depends on operands, and of a pipeline in the cycle in which it first does.
    void add_words(const Design& design, const Connection& connection, const std::string& prefix,
                   std::vector<Term>& words) {
        const DesignTerm term =
            unroll(t_, design, connection, inputs_, q_.reached, words_of(design, connection), prefix);
        std::vector<Term> all;
        for (const std::vector<Term>& cycles : term.watched) all.insert(all.end(), cycles.begin(), cycles.end());
        std::unordered_set<std::uint32_t> depend;
        for (const Term x : inputs_.all()) depend.insert(x.id);
        for (const Term x : t_.cone(all)) // each after those that it is made of
            if (std::ranges::any_of(t_.args(x), [&](Term arg) { return depend.contains(arg.id); })) depend.insert(x.id);
        for (const std::vector<Term>& cycles : term.watched) {
            const auto word = std::ranges::find_if(cycles, [&](Term x) { return depend.contains(x.id); });
            if (word == cycles.end() || !seen_.insert(word->id).second) continue;
            words.push_back(*word);
            for (int bit = 0; bit < t_.width(*word); ++bit) {
                const Term alone = t_.bit(*word, bit);
                if (t_.is_constant(alone) || !seen_bits_.insert(alone.id).second) continue;
                for (const bool value : {false, true}) goals_.push_back({*word, bit, value});
            }
        }
    }

    void evaluate(const InputBuffer& inputs) {
        for (const auto& [variable, value] : valuation(inputs_, inputs)) evaluator_->set(variable, value);
        evaluator_->run();
    }

    bool takes(const Goal& goal) const {
        const bool is_narrow = t_.width(goal.word) <= 64;
        const bool bit = is_narrow ? ((evaluator_->low(goal.word) >> goal.bit) & 1u) != 0
                                   : evaluator_->value(goal.word).bit(goal.bit);
        return bit == goal.value;
    }

    /// Whether the vector takes a value that none has yet.
    bool takes_any(const InputBuffer& inputs) {
        evaluate(inputs);
        bool any = false;
        for (Goal& goal : goals_)
            if (goal.state == Goal::State::open && takes(goal)) {
                goal.state = Goal::State::taken;
                any = true;
            }
        return any;
    }

    void keep(const InputBuffer& inputs) { result_.vectors.push_back(vector_of(shape_of(q_.unit), inputs.inputs())); }

    void ask() {
        const auto backend = backends().front().make(t_, 1);
        for (Goal& goal : goals_) {
            if (goal.state != Goal::State::open) continue;
            if (limit_.reached()) return;
            const Term bit = t_.bit(goal.word, goal.bit);
            const Term wanted = goal.value ? bit : t_.bvnot(bit);
            const Outcome outcome = backend->check(limit_.within(longest_for_a_value), std::span(&wanted, 1));
            if (outcome == Outcome::unsat) goal.state = Goal::State::impossible;
            if (outcome != Outcome::sat) continue;
            InputBuffer inputs = stream_.next();
            for_each_input(inputs_, inputs, [&](Term x, std::uint64_t& pattern) { pattern = backend->value(x).low(); });
            const bool any = takes_any(inputs); // or it rests on what is open
            if (!any) continue;
            keep(inputs);
            around(inputs, goal);
        }
    }

    /// Others that take the value, with as much else changed as that allows.
    void around(const InputBuffer& solution, const Goal& goal) {
        int kept = 0;
        for (int i = 0; i < tries_around && kept < kept_around; ++i) {
            InputBuffer changed = solution;
            const Valuation other = valuation(inputs_, stream_.next());
            std::size_t at = 0;
            for_each_input(inputs_, changed, [&](Term x, std::uint64_t& pattern) {
                const std::uint64_t drawn = random_.one_in(2) ? other[at].second : random_.bits();
                const int width = t_.width(x);
                ++at;
                if (random_.one_in(2))
                    pattern = drawn & (~0ull >> (64 - width));
                else if (random_.one_in(3))
                    pattern ^= std::uint64_t{1} << random_.below(width);
            });
            evaluate(changed);
            if (!takes(goal)) continue;
            takes_any(changed);
            keep(changed);
            ++kept;
        }
    }

    const DesignQuestion& q_;
    const Limit& limit_;
    Terms t_;
    InputTerms inputs_;
    Stream stream_;
    Random random_;
    std::vector<Goal> goals_;
    std::unordered_set<std::uint32_t> seen_, seen_bits_;
    std::optional<TermEvaluator> evaluator_;
    ConditionVectors result_;
};

} // namespace

std::string ConditionVectors::text() const {
    const std::string nets = sentence(conditions, " values of ", counted(conditions / 2, "bit"));
    if (taken == conditions) return "all of " + nets;
    const std::size_t late = conditions - taken - impossible;
    return sentence(taken, " of ", nets, impossible == 0 ? "" : sentence(", ", impossible, " cannot be"),
                    late == 0 ? "" : sentence(", ", late, " not in time"));
}

ConditionVectors vectors_for_conditions(const DesignQuestion& question, std::uint64_t seed, const Limit& limit) {
    const Limit sooner = limit.within(longest_for_conditions);
    return Making(question, seed, sooner).run();
}

} // namespace discern::rtl
