#include "identify.hpp"

#include "names.hpp"
#include "nan_rule.hpp"
#include "nearest.hpp"
#include "offers.hpp"
#include "summation_order.hpp"

#include "models/batch.hpp"
#include "models/catalogue.hpp"
#include "models/notation.hpp"
#include "solver/decide/decide.hpp"
#include "solver/decide/patterns.hpp"

#include <algorithm>
#include <array>
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
constexpr int simple_vectors = 6;
constexpr double seconds_for_a_question = 2; ///< at least
constexpr double seconds_for_vectors = 0.4;  ///< for one structure, before the solver is asked
constexpr std::size_t vectors_for_a_member = 2000;
constexpr std::size_t few_structures = 12; ///< that are told apart with the details
constexpr std::size_t most_wanted = 20;
constexpr std::size_t nearest_units = 8, told_units = 3;              ///< where nothing fits: looked at, and told
constexpr std::uint64_t first_failures = 500, more_failures = 20'000; ///< vectors by which they are compared, told
constexpr double seconds_for_failures = 4;
constexpr std::size_t random_before_proofs = 1000; ///< vectors, before a unit is worth a proof
constexpr std::size_t first_nan = 3;               ///< vectors that tell whether there is more than one NaN
constexpr std::size_t most_observations = 600;
constexpr std::size_t validation_batch = 2000;
constexpr double seconds_for_a_late_answer = 1; ///< when the time is over
constexpr int most_late_rounds = 3; ///< of naming a unit that a random vector contradicts, when the time is over

/// No candidate gives what was observed.
struct Contradiction {};

/// The target, and everything that it said.
class Identification {
  public:
    Identification(const Shape& shape, Candidates candidates, const Ask& ask, const Options& options)
        : shape_(shape), candidates_(std::move(candidates)), ask_(ask), options_(options),
          limit_(Limit::after(options.timeout, options.stop)), random_(options.seed), probes_(shape, options.seed + 1) {
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
            if (!agrees_at_random() || !settle_doubts()) continue;
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
        require(candidates_.observe(v.inputs(), d,
                                    Limit::after(std::max(limit_.seconds_left(), seconds_for_a_late_answer))));
        progress(std::to_string(result_.observations.size()) + " observations, " +
                 std::to_string(candidates_.alive().size()) + " structures left");
    }

    static void require(Taken taken) {
        if (taken == Taken::contradicts) throw Contradiction{};
    }

    bool is_wanted(const Inputs& inputs) const { return !options_.finite || is_finite(shape_, inputs); }
    bool was_asked(const Vector& vector) const {
        return std::any_of(result_.observations.begin(), result_.observations.end(),
                           [&](const Observation& o) { return o.vector.same_inputs(vector); });
    }

    // --------------------------------------------------------------------------------------- choosing vectors

    /// Asks vectors of one to three terms, which every structure answers with few forks.
    void ask_simple() {
        if (options_.only) return;
        for (int i = 0; i < simple_vectors && !done(); ++i) ask_best(Aim::simple, std::nullopt);
    }

    /// Asks vectors that tell structures apart until few are left, or none is found.
    void ask_for_structure() {
        for (int quiet = 0; quiet < quiet_rounds && !done(); ++quiet) {
            if (candidates_.alive().size() <= few_structures) return;
            if (ask_best(Aim::structure, std::nullopt)) quiet = -1;
        }
    }

    /// Asks splitting vectors until none is found. The structures that are left take turns: what is a clear question to
    /// one may mix too many features of another.
    void ask_for_details() {
        std::size_t quiet = 0;
        for (std::size_t turn = 0; !done(); ++turn) {
            const auto alive = candidates_.alive();
            if (quiet >= quiet_rounds * alive.size()) return;
            quiet = ask_best(Aim::details, alive[turn % alive.size()]) ? 0 : quiet + 1;
        }
    }

    bool done() const { return limit_.reached() || result_.observations.size() >= most_observations; }

    /// Asks one of the vectors that tell most apart. @return whether there was one
    bool ask_best(Aim aim, std::optional<std::size_t> focus) {
        const auto samples = candidates_.draw(sampled, focus, random_);
        if (samples.size() < 2) return false;
        std::vector<Offer> best = offers(shape_, samples, aim, options_.only, probes_, random_);
        std::erase_if(best, [&](const Offer& o) { return was_asked(o.vector) || !is_wanted(o.vector.inputs()); });
        // To all structures, if possible; else to the one whose turn it is.
        std::vector<std::optional<std::size_t>> turns = {std::nullopt};
        if (focus) turns.push_back(focus);
        for (const auto& whose : turns)
            for (const auto [paths, tried] : clear_first)
                for (std::size_t i = 0; i < std::min(best.size(), tried) && !done(); ++i)
                    if (candidates_.can_observe(best[i].vector.inputs(), whose, paths))
                        return observe(std::move(best[i].vector), best[i].purpose);
        return aim == Aim::structure && !best.empty() && observe(std::move(best.front().vector), best.front().purpose);
    }

    /// Random vectors, which are cheap, before any proof: of each unit that is preferred, a thousand.
    /// @return false if one was not as predicted and was taken as an observation
    bool agrees_at_random() {
        if (options_.only || done()) return true;
        std::optional<Unit> preferred = candidates_.preferred();
        if (!preferred || preferred->tree == agreed_) return true;
        preferred->nan = {};
        const Evaluator evaluate(*preferred);
        std::vector<InputGenerator> generators;
        for (const Family family : families) generators.emplace_back(*preferred, family, options_.seed + ++rounds_);
        std::vector<InputBuffer> buffers(random_before_proofs);
        std::vector<Inputs> batch;
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            generators[i % generators.size()].next(buffers[i]);
            if (is_wanted(buffers[i].inputs())) batch.push_back(buffers[i].inputs());
        }
        progress("random vectors");
        const auto answers = ask_(batch);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (!answers[i] ||
                without_nan_bits(shape_.d, *answers[i]) == without_nan_bits(shape_.d, evaluate(batch[i])))
                continue;
            mismatch(batch[i], *answers[i]);
            return false;
        }
        agreed_ = preferred->tree;
        return true;
    }

    // ------------------------------------------------------------------------------------- the solver's word

    /// Asks whether anything that remains differs from the preferred candidate: one question for each structure.
    /// @return false if a vector that tells some apart was found and asked: then the search goes on
    bool settle_doubts() {
        result_.proved.clear();
        result_.by.clear();
        result_.open.clear();
        result_.wanted.clear();
        result_.same.clear();
        result_.same_unlisted.clear();
        const std::optional<Unit> preferred = candidates_.preferred();
        if (!preferred) return true;
        Unit named = *preferred;
        named.nan = {}; // settled apart
        const std::vector<Remaining> remaining = candidates_.remaining();
        // Of recorded vectors none is asked; what is wanted is told, however late it is.
        for (const Remaining& one : remaining)
            if (const auto found = done() && !options_.only ? std::nullopt : vector_between(named, one);
                found && asked(found->first, found->second))
                return false;
        for (const Remaining& one : remaining) {
            progress("is anything left that differs: " + one.what);
            DecideOptions solving;
            const double part = &one == &remaining.back() ? 1.25 : 3; // of one question alone, nearly all
            solving.timeout = std::max(seconds_for_a_question, limit_.seconds_left() / part);
            solving.stop = options_.stop;
            solving.seed = options_.seed;
            Decision decision;
            InputLimits inputs;
            inputs.finite = options_.finite;
            if (!limit_.reached()) decision = decide({space_of(named), one.space, inputs, one.put_off}, solving);
            if (decision.verdict == Verdict::different && asked(std::move(*decision.witness), "solver")) return false;
            const bool same = decision.verdict == Verdict::equivalent;
            if (same) result_.by.insert(decision.by);
            (same ? result_.proved : result_.open).push_back(one.what);
            if (same && options_.list_same) list_same(named, one);
        }
        return true;
    }

    /// The unit and all that is the same, as units.
    void list_same(const Unit& named, const Remaining& rest) {
        std::vector<Unit> units = {named};
        if (const auto members = members_of(rest)) {
            units.insert(units.end(), members->begin(), members->end());
            result_.same.push_back(std::move(units));
        } else {
            result_.same_unlisted.push_back(to_string(named) + " is the same as all that is left of " + rest.what);
        }
    }

    /// Looks among vectors made around the unit and around random members for one on which they differ.
    /// @return the vector, and what it was made for
    std::optional<std::pair<Vector, std::string>> vector_between(const Unit& named, const Remaining& rest) {
        if (rest.space.is_unit() &&
            rest.space.structure.member(Structure::first_of(rest.space.boxes.front())).tree == named.tree)
            return std::nullopt;
        const Evaluator one(named);
        const auto start = Clock::now();
        for (bool first = true; first || (seconds_since(start) < seconds_for_vectors && !limit_.reached());
             first = false) {
            const Unit other = rest.space.structure.member(random_member(rest.space, random_));
            const Evaluator two(other);
            if (!std::all_of(rest.put_off.begin(), rest.put_off.end(), [&](const Vector& v) {
                    return without_nan_bits(shape_.d, two(v.inputs())) == v.d.front();
                }))
                continue;
            for (std::size_t i = 0; i < vectors_for_a_member; ++i) {
                const auto probe = static_cast<Probe>(i % probe_kinds);
                const InputBuffer v = probes_.make(probe, i / probe_kinds % 2 == 0 ? named : other);
                if (!is_wanted(v.inputs())) continue;
                const std::uint64_t x = without_nan_bits(shape_.d, one(v.inputs()));
                if (x == without_nan_bits(shape_.d, two(v.inputs()))) continue;
                Vector vector = vector_of(shape_, v.inputs());
                if (!was_asked(vector)) return std::pair(std::move(vector), std::string(name(probe)));
            }
        }
        return std::nullopt;
    }

    /// Asks a vector that tells two candidates apart, or tells that it is wanted where the target cannot answer.
    bool asked(Vector vector, const std::string& purpose) {
        vector.clear_results();
        if (was_asked(vector)) return false;
        if (!options_.only && observe(vector, purpose)) return true;
        if (result_.wanted.size() < most_wanted) result_.wanted.push_back({std::move(vector), purpose});
        return false;
    }

    // --------------------------------------------------------------------------------------------- the end

    /// Asks everything again: a function gives the same answers. In reverse, so that what depends on the order shows;
    /// and in order after two vectors more, for a fault in every so many answers may fall on the same vectors in
    /// reverse.
    bool is_steady() {
        std::vector<const Vector*> order;
        for (const Observation& o : result_.observations) order.insert(order.begin(), &o.vector);
        if (order.empty()) return true;
        const bool backwards = gives_again(order);
        std::reverse(order.begin(), order.end());
        order.insert(order.begin(), 2, order.back());
        if (backwards && gives_again(order)) return true;
        result_.conclusion = Conclusion::unexplained;
        result_.unit.reset();
        return false;
    }
    bool gives_again(const std::vector<const Vector*>& observed) {
        std::vector<Inputs> batch;
        for (const Vector* v : observed) batch.push_back(v->inputs());
        const auto again = ask_(batch);
        for (std::size_t i = 0; i < batch.size() && !result_.unsteady; ++i)
            if (again[i] && *again[i] != observed[i]->d.front())
                result_.unsteady = {*observed[i], observed[i]->d.front(), *again[i]};
        return !result_.unsteady;
    }

    /// @return whether there is a unit that gives all that was observed
    bool name_unit() {
        result_.unit.reset();
        if (!asked_nan_ && !options_.only && !options_.finite) ask_nan();
        std::optional<Unit> unit = candidates_.preferred();
        if (!unit) return false;
        std::vector<const Vector*> seen;
        for (const Observation& o : result_.observations) seen.push_back(&o.vector);
        unit->nan = nan_rule(*unit, seen);
        result_.unit = std::move(unit);
        return true;
    }

    /// Which NaN it gives: a few vectors if these agree, else all.
    void ask_nan() {
        asked_nan_ = true;
        std::set<std::uint64_t> seen;
        std::size_t asked = 0;
        for (Vector& v : nan_vectors(shape_)) {
            if (asked++ >= first_nan && seen.size() == 1) return;
            if (observe(std::move(v), "NaN")) seen.insert(result_.observations.back().vector.d.front());
        }
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
                    if (is_wanted(buffers[i].inputs())) batch.push_back(buffers[i].inputs());
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
            result_.open.push_back("the time was over before a unit was found that gives all that was observed");
            return;
        }
        result_.names = catalogue_names(*result_.unit, result_.observations, options_, limit_);
        if (options_.list_same)
            for (const std::string& name : result_.names) {
                const auto known = std::find_if(options_.known.begin(), options_.known.end(),
                                                [&](const auto& one) { return one.first == name; });
                const Unit unit = known != options_.known.end() ? known->second : resolve_unit(name);
                Unit found = *result_.unit;
                if (unit.nan.kind == NanRule::Kind::any) found.nan = unit.nan;
                result_.same.push_back({found, unit});
            }
        result_.conclusion = !result_.open.empty()     ? Conclusion::open
                             : candidates_.bits() == 0 ? Conclusion::unique
                                                       : Conclusion::several;
    }

    /// Why: an answer that changes, or a unit that is not in the space.
    void unexplained() {
        result_.conclusion = Conclusion::unexplained;
        result_.unit.reset();
        result_.proved.clear();
        result_.open.clear();
        if (result_.unsteady || !is_steady()) return;
        result_.near = with_failures(candidates_.nearest(nearest_units), result_.observations);
        std::stable_sort(result_.near.begin(), result_.near.end(),
                         [](const Near& x, const Near& y) { return x.fails.size() < y.fails.size(); });
        if (options_.only) {
            result_.near.resize(std::min(result_.near.size(), told_units));
            return;
        }
        progress("how often the nearest fail");
        for (Near& near : result_.near) count_failures(near, ask_, options_, first_failures, seconds_for_failures);
        std::stable_sort(result_.near.begin(), result_.near.end(),
                         [](const Near& x, const Near& y) { return x.mismatches < y.mismatches; });
        result_.near.resize(std::min(result_.near.size(), told_units));
        if (!result_.near.empty()) {
            Near again;
            again.unit = result_.near.front().unit;
            again.fails = result_.near.front().fails;
            count_failures(again, ask_, options_, more_failures, seconds_for_failures);
            result_.near.front() = std::move(again);
        }
        result_.order = summation_order(shape_, ask_).value_or("");
    }

    const Shape& shape_;
    Candidates candidates_;
    const Ask& ask_;
    const Options& options_;
    Clock::time_point start_ = Clock::now();
    Limit limit_;
    Random random_;
    ProbeMaker probes_;
    Result result_;
    bool asked_nan_ = false;
    Node agreed_;              ///< the tree of the unit that agreed with random vectors last
    std::uint64_t rounds_ = 0; ///< of these
    int late_rounds_ = 0;
};

} // namespace

std::string_view name(Conclusion conclusion) {
    constexpr std::array<std::string_view, 4> names = {"unique", "class", "open", "unexplained"};
    return names[static_cast<std::size_t>(conclusion)];
}

Result identify_target(const Shape& shape, Candidates candidates, const Ask& ask, const Options& options) {
    return Identification(shape, std::move(candidates), ask, options).run();
}

} // namespace discern::identify
