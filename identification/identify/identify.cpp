// The loop: ask the most informative vector, filter the candidates by its result, and settle the last ones with a
// solver.
#include "identify.hpp"

#include "doubts.hpp"
#include "names.hpp"
#include "nan_rule.hpp"
#include "nearest.hpp"
#include "offers.hpp"
#include "steadiness.hpp"
#include "summation_order.hpp"

#include "models/batch.hpp"
#include "models/notation.hpp"
#include "models/vectors/mixture.hpp"

#include <algorithm>
#include <set>

namespace discern::identify {

namespace {

constexpr std::size_t sampled = 96;        ///< candidates whose results score a vector
constexpr int quiet_rounds = 4;            ///< without any vector that splits, before the solver is asked
constexpr std::size_t few_structures = 12; ///< so few are distinguished together with their parameters
constexpr std::size_t most_wanted = 20;
constexpr std::size_t random_before_proofs = 1000; ///< vectors on which a unit has to agree before a proof is tried
constexpr std::size_t first_nan = 2;               ///< vectors that show whether there is more than one NaN
constexpr std::size_t most_observations = 600;
constexpr std::size_t validation_batch = 2000;
constexpr double seconds_for_a_late_answer = 1; ///< when the time is over
constexpr int most_late_rounds = 3; ///< of naming a unit that a random vector contradicts, when the time is over

/// No candidate gives what was observed, or the target gives what it did not give before.
struct Contradiction {};

/// The target, and everything that it said.
class Identification {
  public:
    Identification(const Shape& shape, Candidates candidates, const Ask& ask, const Options& options)
        : shape_(shape), candidates_(std::move(candidates)), ask_(ask), options_(options),
          limit_(Limit::after(options.timeout, options.stop)), random_(options.seed), probes_(shape, options.seed + 1),
          doubts_(shape, options, limit_) {
        candidates_.use_threads(options.threads);
        std::vector<Unit> named; // instructions that people know come first among candidates that agree
        for (NamedUnit& one : units_with_names(shape, options)) named.push_back(std::move(one.unit));
        candidates_.prefer(named);
        for (const Unit& unit : named)
            if (std::ranges::none_of(likely_, [&](const Sample& s) { return s.unit.tree == unit.tree; }))
                likely_.push_back({unit});
        how_.threads = options.threads;
    }

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
            if (!candidates_.all_used()) {
                require(candidates_.use_all(limit_));
                ask_for_details();
            }
            if (!agrees_at_random()) continue;
            if (!asked_nan_ && !options_.only && !options_.finite) ask_nan();
            if (!settle_doubts()) continue;
            if (!is_steady()) throw Contradiction{};
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
            // After the end of the time no answer is waited for: that is not the target's doing.
            if (!options_.stop.stop_requested()) ++result_.unanswered;
            return false;
        }
        take(std::move(vector), *d, purpose);
        return true;
    }

    void take(Vector vector, std::uint64_t d, const std::string& purpose) {
        vector.d = {d};
        result_.observations.push_back({std::move(vector), purpose});
        const Vector& seen = result_.observations.back().vector;
        std::erase_if(likely_, [&](const Sample& one) {
            const std::uint64_t own = Evaluator(one.unit)(seen.inputs());
            return without_nan_bits(shape_.d, own) != without_nan_bits(shape_.d, d);
        });
        require(candidates_.observe(seen.inputs(), d,
                                    Limit::after(std::max(limit_.seconds_left(), seconds_for_a_late_answer))));
        progress(std::to_string(result_.observations.size()) + " observations, " +
                 std::to_string(candidates_.alive().size()) + " structures left");
    }

    static void require(Taken taken) {
        if (taken == Taken::contradicts) throw Contradiction{};
    }

    bool is_wanted(const Inputs& inputs) const { return !options_.finite || is_finite(shape_, inputs); }
    std::vector<Inputs> wanted_of(std::vector<Inputs> batch) const {
        std::erase_if(batch, [&](const Inputs& inputs) { return !is_wanted(inputs); });
        return batch;
    }
    bool was_asked(const Vector& vector) const {
        return std::ranges::any_of(result_.observations,
                                   [&](const Observation& o) { return o.vector.same_inputs(vector); });
    }

    // --------------------------------------------------------------------------------------- choosing vectors

    /// Asks a vector of one to three terms, which every structure answers with few forks.
    void ask_simple() {
        if (!options_.only && !done()) ask_best(Aim::simple, std::nullopt);
    }

    /// Asks vectors that distinguish structures, until few structures are left or no such vector is found.
    void ask_for_structure() {
        for (int quiet = 0; quiet < quiet_rounds && !done(); ++quiet) {
            if (candidates_.alive().size() <= few_structures) return;
            if (ask_best(Aim::structure, std::nullopt)) quiet = -1;
        }
    }

    /// Asks splitting vectors until none is found. The remaining structures take turns, since a vector that asks for
    /// one feature of one structure may mix too many features of another.
    void ask_for_details() {
        std::size_t quiet = 0;
        for (std::size_t turn = 0; !done(); ++turn) {
            const auto alive = candidates_.alive();
            if (quiet >= quiet_rounds * alive.size()) return;
            quiet = ask_best(Aim::details, alive[turn % alive.size()]) ? 0 : quiet + 1;
        }
    }

    bool done() const { return limit_.reached() || result_.observations.size() >= most_observations; }

    /// Asks one of the vectors that distinguish the most candidates. @return whether there was one
    bool ask_best(Aim aim, std::optional<std::size_t> focus) {
        const auto samples = candidates_.draw(sampled, focus, random_);
        if (samples.size() < 2) return false;
        std::vector<Offer> best = offers(shape_, samples, likely_, aim, options_.only, probes_, random_);
        std::erase_if(best, [&](const Offer& o) { return was_asked(o.vector) || !is_wanted(o.vector.inputs()); });
        if (const auto clear = first_clear(best, candidates_, focus, limit_))
            return observe(std::move(best[*clear].vector), best[*clear].purpose);
        return aim == Aim::structure && !best.empty() && observe(std::move(best.front().vector), best.front().purpose);
    }

    /// Random vectors, which are cheap, before any proof: of each unit that is preferred, a thousand.
    /// @return false if one was not as predicted and was taken as an observation
    bool agrees_at_random() {
        if (options_.only || done()) return true;
        std::optional<Unit> preferred = candidates_.preferred();
        if (!preferred || preferred->tree == agreed_) return true;
        preferred->nan = {};
        InputMixture mixture(*preferred, options_.seed + ++rounds_);
        progress("random vectors");
        BatchEvaluator predict(*preferred, how_);
        if (!are_as_predicted(*preferred, predict, wanted_of(mixture.batch(random_before_proofs, options_.threads))))
            return false;
        agreed_ = preferred->tree;
        return true;
    }

    /// @return false if an answer was not as predicted and was taken as an observation
    bool are_as_predicted(const Unit& unit, BatchEvaluator& predict, const std::vector<Inputs>& batch) {
        std::vector<std::uint64_t> predicted(batch.size());
        predict(batch, predicted);
        const auto answers = ask_(batch);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (!answers[i]) {
                if (!options_.stop.stop_requested()) ++result_.unanswered;
                continue;
            }
            ++result_.validated;
            if (same_result(unit, *answers[i], predicted[i])) continue;
            mismatch(batch[i], *answers[i]);
            return false;
        }
        return true;
    }

    // ------------------------------------------------------------------------------------- proofs by a solver

    /// Whether nothing that remains differs from the preferred candidate, as far as is known.
    /// @return false if a distinguishing vector was found and asked: then the search goes on
    bool settle_doubts() {
        static_cast<LastWord&>(result_) = {};
        std::optional<Unit> preferred = candidates_.preferred();
        if (!preferred) return true;
        preferred->nan = {}; // identified separately
        const Doubts::Asking asking{
            .finds = [&](const Vector& v) { return is_wanted(v.inputs()) && !was_asked(v); },
            .asked = [&](Vector v, const std::string& purpose) { return asked(std::move(v), purpose); },
            // A recording answers no new vectors; the vector that is missing is reported, even after the time limit.
            .searches =
                [&](bool before_proofs) {
                    return before_proofs ? options_.only || !done() : !options_.only && !done();
                },
            .progress = [&](const std::string& stage) { progress(stage); },
        };
        return doubts_.settle(*preferred, candidates_.remaining(), asking, probes_, random_, result_);
    }

    /// Asks a vector that distinguishes two candidates, or reports that it is needed where the target cannot answer.
    bool asked(Vector vector, const std::string& purpose) {
        vector.clear_results();
        if (was_asked(vector)) return false;
        if (!options_.only && observe(vector, purpose)) return true;
        if (result_.wanted.size() < most_wanted) result_.wanted.push_back({std::move(vector), purpose});
        return false;
    }

    // --------------------------------------------------------------------------------------------- the end

    bool is_steady() {
        result_.unsteady = changed_answer(format(shape_.d), result_.observations, ask_, result_.unsteady_nan);
        return !result_.unsteady;
    }

    /// @return whether there is a unit that gives all that was observed
    bool name_unit() {
        result_.unit.reset();
        std::optional<Unit> unit = candidates_.preferred();
        if (!unit) return false;
        std::vector<const Vector*> seen;
        for (const Observation& o : result_.observations) seen.push_back(&o.vector);
        unit->nan = result_.unsteady_nan ? NanRule{} : nan_rule(*unit, seen);
        result_.unit = std::move(unit);
        return true;
    }

    /// Which NaN it gives: nothing if one was seen that is none of an operand's; a few vectors if these agree, else
    /// all.
    void ask_nan() {
        asked_nan_ = true;
        const std::optional<Unit> unit = candidates_.preferred();
        const auto is_own = [&](const Observation& o) { return unit && is_own_nan(*unit, o.vector); };
        std::set<std::uint64_t> seen;
        std::size_t asked = 0;
        for (Vector& v : nan_vectors(shape_)) {
            if (seen.size() <= 1 && std::ranges::any_of(result_.observations, is_own)) return;
            if (asked++ >= first_nan && seen.size() == 1) return;
            if (observe(std::move(v), "NaN")) seen.insert(result_.observations.back().vector.d.front());
        }
    }

    /// Random vectors of all families. @return false if one was not as predicted and was taken as an observation
    bool validate() {
        BatchEvaluator predict(*result_.unit, how_);
        result_.validated = 0;
        const auto start = Limit::Clock::now();
        InputMixture mixture(*result_.unit, options_.seed + 77);
        do {
            std::vector<Inputs> batch;
            if (options_.only) {
                for (const Vector& v : *options_.only) batch.push_back(v.inputs());
            } else {
                const std::size_t first = result_.validated == 0 ? 200 : validation_batch;
                batch = wanted_of(mixture.batch(std::min<std::uint64_t>(first, options_.validate - result_.validated),
                                                options_.threads));
            }
            progress("validating " + result_.structure);
            if (!are_as_predicted(*result_.unit, predict, batch)) return false;
        } while (!options_.only && result_.validated < options_.validate &&
                 seconds_since(start) < options_.validate_seconds && !options_.stop.stop_requested());
        return true;
    }

    void mismatch(const Inputs& inputs, std::uint64_t d) {
        Vector vector = vector_of(shape_, inputs);
        for (int i = 0; i < 3; ++i)
            if (const auto again = ask_(std::span(&inputs, 1)).front(); again && *again != d) {
                if (are_nan(format(shape_.d), d, *again)) {
                    vector.d = {d};
                    if (!result_.unsteady_nan) result_.unsteady_nan = Unsteady{vector, d, *again};
                    break;
                }
                result_.unsteady = {vector, d, *again};
                vector.d = {d};
                result_.observations.push_back({std::move(vector), "validation"}); // which explains nothing
                throw Contradiction{};
            }
        take(std::move(vector), d, "validation");
    }
    void conclude() {
        result_.structure = candidates_.structure_name();
        result_.findings = candidates_.findings();
        if (!candidates_.all_used()) result_.open.push_back("some observations were too mixed to be used");
        if (!result_.unit) {
            result_.proved.clear();
            result_.grounds.clear();
            result_.open.push_back("the time was over before a unit was found that gives all that was observed");
            return;
        }
        for (auto& [name, unit, ground] : catalogue_names(*result_.unit, result_.observations, options_, limit_)) {
            result_.names.push_back(std::move(name));
            result_.grounds_of_names.push_back(ground);
            if (!options_.list_same) continue;
            result_.same.push_back({*result_.unit, std::move(unit)});
            if (result_.same.back()[1].nan.kind == NanRule::Kind::any) result_.same.back()[0].nan = {};
        }
        result_.conclusion = !result_.open.empty()     ? Conclusion::open
                             : candidates_.bits() == 0 ? Conclusion::unique
                                                       : Conclusion::several;
    }

    /// The reason for a contradiction: an answer that changes, or a unit that is not in the space.
    void unexplained() {
        result_.conclusion = Conclusion::unexplained;
        result_.unit.reset();
        static_cast<LastWord&>(result_) = {};
        if (result_.unsteady || !is_steady()) return;
        progress("how often the nearest fail");
        result_.near = nearest(candidates_, result_.observations, ask_, options_);
        if (options_.only) return;
        result_.order = summation_order(shape_, ask_).value_or("");
    }

    const Shape& shape_;
    Candidates candidates_;
    std::vector<Sample> likely_; ///< units that have names and give all observations; perhaps no candidates
    const Ask& ask_;
    const Options& options_;
    GemmOptions how_; ///< how units predict results
    Limit::Clock::time_point start_ = Limit::Clock::now();
    Limit limit_;
    Random random_;
    ProbeMaker probes_;
    Result result_;
    bool asked_nan_ = false;
    Node agreed_;              ///< the tree of the unit that agreed with random vectors last
    std::uint64_t rounds_ = 0; ///< of random vectors
    int late_rounds_ = 0;
    Doubts doubts_;
};

} // namespace

Result identify_target(const Shape& shape, Candidates candidates, const Ask& ask, const Options& options) {
    return Identification(shape, std::move(candidates), ask, options).run();
}

} // namespace discern::identify
