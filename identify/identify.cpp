#include "identify.hpp"

#include "known_same.hpp"
#include "names.hpp"
#include "nan_rule.hpp"
#include "questions.hpp"
#include "steady.hpp"

#include "models/batch.hpp"
#include "models/notation.hpp"
#include "solver/decide/discriminate.hpp"
#include "solver/theorems/at_rest.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace discern::identify {

namespace {

using Clock = Limit::Clock;

constexpr std::size_t sampled = 48; ///< candidates by which vectors are judged
/// In how many ways a vector may be evaluated for what is left, and how many of the best are tried: one that mixes too
/// many features is not asked, and clear questions come first.
struct Clarity {
    std::size_t paths, tried;
};
constexpr std::array<Clarity, 2> clear_first = {{{60, pool_size}, {1500, 40}}};
constexpr int quiet_rounds = 4; ///< without any vector that splits, before the solver is asked
constexpr int simple_questions = 6;
constexpr double seconds_for_a_pair = 2;
constexpr std::size_t vectors_for_a_pair = 400'000; ///< tried on two candidates before the solver
constexpr std::size_t few_structures = 12;          ///< that are told apart with the details
constexpr std::size_t most_members = 4'000'000;     ///< that are proved one by one
constexpr std::size_t most_open = 20;               ///< that are told
constexpr std::size_t most_observations = 600;
constexpr std::size_t validation_batch = 2000;
constexpr double seconds_for_a_late_answer = 1; ///< when the time is over
constexpr int most_late_rounds = 3; ///< of naming a unit that a random vector contradicts, when the time is over

/// No candidate gives what was observed.
struct Contradiction {};

/// The target, and everything that it said.
class Identification {
  public:
    Identification(const Shape& shape, std::unique_ptr<Candidates> candidates, const Ask& ask, const Options& options)
        : shape_(shape), candidates_(std::move(candidates)), ask_(ask), options_(options),
          limit_(Limit::after(options.timeout, options.stop)), random_(options.seed), probes_(shape, options.seed + 1),
          questions_(shape, options_.only, probes_, random_) {}

    Result run() {
        try {
            search();
        } catch (const Contradiction&) {
            unexplained();
        }
        result_.seconds = seconds_since(start_);
        return std::move(result_);
    }

  private:
    void search() {
        for (;;) {
            ask_simple();
            ask_for_structure();
            ask_for_details();
            if (!candidates_->all_used()) {
                require(candidates_->use_all(limit_));
                ask_for_details();
            }
            if (!settle_doubts()) continue;
            if (!is_steady()) return;
            if (!name_unit() || validate()) break;
            if (done() && ++late_rounds_ == most_late_rounds) {
                result_.unit.reset();
                break;
            }
        }
        conclude();
    }

    void progress(const std::string& stage) const {
        if (options_.progress) options_.progress(stage);
    }

    // ------------------------------------------------------------------------------------------- observations

    /// Asks one vector and drops what contradicts the answer. @return whether the target answered
    bool observe(Vector vector, const std::string& purpose) {
        const Inputs inputs = vector.inputs();
        const auto d = ask_(std::span(&inputs, 1)).front();
        if (!d) {
            ++result_.unanswered;
            return false;
        }
        take(std::move(vector), *d, purpose);
        return true;
    }

    void take(Vector vector, std::uint64_t d, const std::string& purpose) {
        vector.d = {d};
        result_.observations.push_back({std::move(vector), purpose});
        const Vector& v = result_.observations.back().vector;
        require(candidates_->observe(v.inputs(), d,
                                     Limit::after(std::max(limit_.seconds_left(), seconds_for_a_late_answer))));
        progress(std::to_string(result_.observations.size()) + " observations, " +
                 std::to_string(candidates_->alive().size()) + " structures left");
    }

    static void require(Taken taken) {
        if (taken == Taken::contradicts) throw Contradiction{};
    }

    bool was_asked(const Vector& vector) const {
        return std::any_of(result_.observations.begin(), result_.observations.end(),
                           [&](const Observation& o) { return o.vector.same_inputs(vector); });
    }

    // --------------------------------------------------------------------------------------- choosing vectors

    /// Asks vectors of one to three terms, which every structure answers with few forks.
    void ask_simple() {
        if (options_.only) return;
        for (int i = 0; i < simple_questions && !done(); ++i) ask_best(Aim::simple, std::nullopt);
    }

    /// Asks vectors that tell structures apart until few are left, or none is found.
    void ask_for_structure() {
        for (int quiet = 0; quiet < quiet_rounds && !done(); ++quiet) {
            if (candidates_->alive().size() <= few_structures) return;
            if (ask_best(Aim::structure, std::nullopt)) quiet = -1;
        }
    }

    /// Asks splitting vectors until none is found. The structures that are left take turns: what is a clear question to
    /// one may mix too many features of another.
    void ask_for_details() {
        std::size_t quiet = 0;
        for (std::size_t turn = 0; !done(); ++turn) {
            const auto alive = candidates_->alive();
            if (quiet >= quiet_rounds * alive.size()) return;
            quiet = ask_best(Aim::details, alive[turn % alive.size()]) ? 0 : quiet + 1;
        }
    }

    bool done() const { return limit_.reached() || result_.observations.size() >= most_observations; }

    /// Asks one of the vectors that tell most apart. @return whether there was one
    bool ask_best(Aim aim, std::optional<std::size_t> focus) {
        const auto samples = candidates_->draw(sampled, focus, random_);
        if (samples.size() < 2) return false;
        std::vector<Question> questions = questions_.ranked(samples, aim);
        std::erase_if(questions, [&](const Question& q) { return was_asked(q.vector); });
        // To all structures, if possible; else to the one whose turn it is.
        std::vector<std::optional<std::size_t>> turns = {std::nullopt};
        if (focus) turns.push_back(focus);
        for (const auto& whose : turns)
            for (const auto [paths, tried] : clear_first)
                for (std::size_t i = 0; i < std::min(questions.size(), tried) && !done(); ++i)
                    if (candidates_->can_observe(questions[i].vector.inputs(), whose, paths))
                        return observe(std::move(questions[i].vector), questions[i].purpose);
        return aim == Aim::structure && !questions.empty() &&
               observe(std::move(questions.front().vector), questions.front().purpose);
    }

    // ------------------------------------------------------------------------------------- the solver's word

    /// Proves the remaining candidates equal to the preferred one. @return false if a vector that tells some apart was
    /// found and asked: then the search goes on
    bool settle_doubts() {
        result_.proved.clear();
        result_.open.clear();
        result_.wanted.clear();
        const std::optional<Unit> preferred = candidates_->preferred();
        if (!preferred) return true;
        const Unit& named = *preferred;
        same_texts_ = {known_same_.text(named)};
        bool asked = false;
        std::set<std::string> open_texts;
        const auto settle = [&](const Doubt& doubt) {
            const std::string text = known_same_.text(doubt.other);
            if (same_texts_.count(text) != 0) return Compared::equal;
            if (open_texts.count(text) != 0) return Compared::unknown;
            const Compared outcome = compare(named, doubt, text);
            if (outcome == Compared::asked) asked = true;
            if (outcome == Compared::unknown) {
                open_texts.insert(text);
                result_.open.push_back(doubt.what);
            }
            if (outcome == Compared::equal) same_texts_.insert({text, known_same_.text(named)});
            return outcome;
        };
        const std::vector<Doubt> doubts = candidates_->doubts();
        for (std::size_t i = 0; i < doubts.size(); ++i) {
            if (result_.open.size() >= most_open && (options_.only || limit_.reached())) {
                result_.open.push_back(std::to_string(doubts.size() - i) + " more, which were not looked at");
                break;
            }
            if (settle(doubts[i]) == Compared::equal) result_.proved.push_back(doubts[i].what);
            if (asked) return false;
        }
        // Values that change nothing alone may change something together.
        if (!result_.open.empty()) return true;
        std::size_t visited = 0;
        const bool all = candidates_->visit_members(most_members, random_, [&](const Doubt& doubt) {
            settle(doubt);
            ++visited;
            return !asked && result_.open.size() < most_open && !limit_.reached();
        });
        if (asked) return false;
        if (!all && result_.open.empty())
            result_.open.push_back("of the combinations of these values, " + std::to_string(visited) +
                                   " that were looked at were proved, the others not");
        return true;
    }

    enum class Compared : std::uint8_t { equal, asked, unknown };

    /// @param text  of the other unit, as a unit that is known to be the same
    Compared compare(const Unit& named, const Doubt& doubt, const std::string& text) {
        const std::string of_named = known_same_.text(named);
        const std::pair key(std::min(of_named, text), std::max(of_named, text));
        if (const auto known = compared_.find(key); known != compared_.end()) return known->second;
        const auto found = vector_between(named, doubt.other);
        if (found && asked(found->first, found->second)) return Compared::asked;
        Compared outcome = Compared::unknown;
        if (!found) {
            progress("proving " + doubt.what);
            for (const Unit& nearer : doubt.nearer())
                if (outcome == Compared::unknown && same_texts_.count(known_same_.text(nearer)) != 0 &&
                    known_same_.text(nearer) != of_named)
                    outcome = prove(nearer, doubt.other, seconds_for_a_pair);
            if (outcome == Compared::unknown)
                outcome = prove(named, doubt.other, std::max(seconds_for_a_pair, limit_.seconds_left() / 6));
        }
        if (outcome != Compared::asked) compared_.emplace(key, outcome);
        return outcome;
    }

    /// The solver's word on a pair, of which the first is, or is known to be the same as, the one that is named. At
    /// rest each is simpler; as they are, they may have more in common, such as how terms are aligned.
    Compared prove(const Unit& same, const Unit& other, double seconds) {
        for (const bool rest : {true, false}) {
            const double left = limit_.seconds_left();
            if (left < 0.1 || options_.stop.stop_requested()) break;
            DiscriminateOptions solving;
            solving.timeout = std::min(rest ? seconds : seconds / 2, left);
            solving.stop = options_.stop;
            solving.seed = options_.seed;
            const Answer answer =
                rest ? discriminate(at_rest(same), at_rest(other), solving) : discriminate(same, other, solving);
            if (answer.part) known_same_.learn(*answer.part);
            if (answer.verdict == discern::Verdict::equivalent) return Compared::equal;
            if (answer.verdict == discern::Verdict::different)
                return asked(answer.witnesses.front(), "solver") ? Compared::asked : Compared::unknown;
        }
        return Compared::unknown;
    }

    /// Looks among many vectors made around either unit for one on which they differ.
    /// @return the vector, and what it was made for
    std::optional<std::pair<Vector, std::string>> vector_between(const Unit& named, const Unit& other) {
        const Evaluator one(named), two(other);
        const auto start = Clock::now();
        for (std::size_t i = 0; i < vectors_for_a_pair; ++i) {
            if (i % 256 == 0 && (limit_.reached() || seconds_since(start) > seconds_for_a_pair)) break;
            const auto probe = static_cast<Probe>(i % probe_kinds);
            const InputBuffer v = probes_.make(probe, i / probe_kinds % 2 == 0 ? named : other);
            const std::uint64_t x = without_nan_bits(shape_.d, one(v.inputs()));
            if (x == without_nan_bits(shape_.d, two(v.inputs()))) continue;
            Vector vector = vector_of(shape_, v.inputs());
            if (!was_asked(vector)) return std::pair(std::move(vector), std::string(name(probe)));
        }
        return std::nullopt;
    }

    /// Asks a vector that tells two candidates apart, or tells that it is wanted where the target cannot answer.
    bool asked(Vector vector, const std::string& purpose) {
        vector.clear_results();
        if (was_asked(vector)) return false;
        if (!options_.only && observe(vector, purpose)) return true;
        if (result_.wanted.size() < most_open) result_.wanted.push_back({std::move(vector), purpose});
        return false;
    }

    // --------------------------------------------------------------------------------------------- the end

    bool is_steady() {
        result_.unsteady = two_answers(result_.observations, ask_);
        if (!result_.unsteady) return true;
        result_.verdict = Verdict::unexplained;
        result_.unit.reset();
        return false;
    }

    /// @return whether there is a unit that gives all that was observed
    bool name_unit() {
        result_.unit.reset();
        std::vector<Inputs> batch;
        std::vector<Vector> asked = nan_vectors(shape_);
        if (options_.only) asked.clear();
        for (const Vector& v : asked) batch.push_back(v.inputs());
        if (!asked_nan_ && !batch.empty()) {
            asked_nan_ = true;
            const auto answers = ask_(batch);
            for (std::size_t i = 0; i < asked.size(); ++i)
                if (answers[i])
                    take(asked[i], *answers[i], "NaN");
                else
                    ++result_.unanswered;
        }
        std::optional<Unit> unit = candidates_->preferred();
        if (!unit) return false;
        std::vector<const Vector*> seen;
        for (const Observation& o : result_.observations) seen.push_back(&o.vector);
        unit->nan = nan_rule(*unit, seen);
        result_.unit = std::move(unit);
        return true;
    }

    /// Random vectors of all families. @return false if one was not as predicted and was taken as an observation
    bool validate() {
        BatchEvaluator predict(*result_.unit);
        std::vector<std::uint64_t> predicted;
        result_.validated = 0;
        const auto start = Clock::now();
        std::vector<InputGenerator> generators;
        for (const Family family : families) generators.emplace_back(*result_.unit, family, options_.seed + 77);
        std::vector<InputBuffer> buffers(validation_batch);
        std::size_t recorded = 0;
        while (result_.validated < options_.validate && seconds_since(start) < options_.validate_seconds &&
               !options_.stop.stop_requested()) {
            std::vector<Inputs> batch;
            if (options_.only) {
                for (; recorded < options_.only->size() && batch.size() < validation_batch; ++recorded)
                    batch.push_back((*options_.only)[recorded].inputs());
                if (batch.empty()) break;
            } else {
                const std::size_t first = result_.validated == 0 ? 200 : validation_batch;
                for (std::size_t i = 0; i < first && result_.validated + i < options_.validate; ++i) {
                    generators[i % generators.size()].next(buffers[i]);
                    batch.push_back(buffers[i].inputs());
                }
            }
            progress("validating " + result_.structure);
            const auto answers = ask_(batch);
            predicted.resize(batch.size());
            predict(batch, predicted);
            for (std::size_t i = 0; i < batch.size(); ++i) {
                if (!answers[i]) {
                    ++result_.unanswered;
                    continue;
                }
                ++result_.validated;
                if (same_result(*result_.unit, *answers[i], predicted[i])) continue;
                mismatch(batch[i], *answers[i]);
                return false;
            }
        }
        return true;
    }

    void mismatch(const Inputs& inputs, std::uint64_t d) {
        Vector vector = vector_of(shape_, inputs);
        for (int i = 0; i < 3; ++i)
            if (const auto again = ask_(std::span(&inputs, 1)).front(); again && *again != d) {
                result_.unsteady = {vector, d, *again};
                take_quietly(std::move(vector), d);
                throw Contradiction{};
            }
        take(std::move(vector), d, "validation");
    }
    void take_quietly(Vector vector, std::uint64_t d) {
        vector.d = {d};
        result_.observations.push_back({std::move(vector), "validation"});
    }

    void conclude() {
        result_.structure = candidates_->structure_name();
        result_.features = candidates_->features();
        if (!candidates_->all_used()) result_.open.push_back("some observations were too mixed to be used");
        if (!result_.unit) {
            result_.proved.clear();
            result_.open.push_back("the time was over before a unit was found that gives all that was observed");
            return;
        }
        const auto known_same = [&](Unit unit) {
            unit.nan = candidates_->preferred()->nan;
            return same_texts_.count(known_same_.text(unit)) != 0;
        };
        result_.names = catalogue_names(*result_.unit, result_.observations, known_same, options_, limit_);
        result_.verdict = !result_.open.empty()                                ? Verdict::open
                          : result_.proved.empty() && candidates_->bits() == 0 ? Verdict::unique
                                                                               : Verdict::several;
    }

    /// Why: an answer that changes, or a unit that is not in the space.
    void unexplained() {
        result_.verdict = Verdict::unexplained;
        result_.unit.reset();
        result_.proved.clear();
        result_.open.clear();
        if (result_.unsteady || !is_steady()) return;
        result_.near = with_failures(candidates_->nearest(3), result_.observations);
    }

    const Shape& shape_;
    std::unique_ptr<Candidates> candidates_;
    const Ask& ask_;
    const Options& options_;
    Clock::time_point start_ = Clock::now();
    Limit limit_;
    Random random_;
    ProbeMaker probes_;
    Questions questions_;
    Result result_;
    std::map<std::pair<std::string, std::string>, Compared> compared_;
    KnownSame known_same_;
    std::set<std::string> same_texts_; ///< of the units proved to be the preferred one
    bool asked_nan_ = false;
    int late_rounds_ = 0;
};

} // namespace

std::string_view name(Verdict verdict) {
    constexpr std::array<std::string_view, 4> names = {"unique", "class", "open", "unexplained"};
    return names[static_cast<std::size_t>(verdict)];
}

Result identify_target(const Shape& shape, std::unique_ptr<Candidates> candidates, const Ask& ask,
                       const Options& options) {
    return Identification(shape, std::move(candidates), ask, options).run();
}

} // namespace discern::identify
