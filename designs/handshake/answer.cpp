// All states of the handshake first; then one result, as of a pipeline; then that all other results are that one.
#include "answer.hpp"

#include "designs/clocked/patterns.hpp"
#include "handshake.hpp"
#include "stream.hpp"

#include "models/error.hpp"
#include "models/evaluate.hpp"
#include "models/unit/sentence.hpp"
#include "solver/backend/backend.hpp"
#include "solver/decide/deciding.hpp"
#include "solver/decide/sweep/gate_sweep.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace discern::rtl {

namespace {

constexpr double share_of_states = 0.4;       ///< of the time, for the states of the handshake
constexpr double share_of_a_first_try = 0.03; ///< of the time that is left, for each way to prove a result
constexpr double share_of_a_result = 0.3;     ///< of the time that is left, for a result of other stalls
constexpr double share_of_stream = 0.2;       ///< of the time, for random operations where latencies differ
constexpr std::size_t operations_of_a_batch = 4000, batches_streamed = 5;
constexpr std::size_t vectors_to_challenge_streams = 512; ///< a proof; the netlist is slower than units are
constexpr std::size_t edges_of_first = 64;                ///< until the first operands are taken, at most
constexpr int edges_simulated = 400;                      ///< of random stalls, in a simulator, at least

class DecidingHandshake : Deciding<Answer> {
  public:
    DecidingHandshake(const DesignQuestion& question, const Sources& sources, const DiscriminateOptions& options)
        : Deciding(options), question_(question), sources_(sources), options_(options), start_(Limit::Clock::now()),
          inputs_(input_variables(terms_, question.unit)), stream_(question.unit, options.seed + 51),
          random_(options.seed + 52) {}

    Answer run(const std::function<Answer(const DesignQuestion&, const DiscriminateOptions&)>& one_result) {
        report("states of the handshake");
        const Explored explored = explore(terms_, question_, inputs_, share(share_of_states));
        note("states of the handshake", explored.wrong ? "different" : explored.complete ? "all" : "some", start_);
        if (explored.is_split || !explored.missing.empty()) {
            ask_stages({{.name = "operations with stalls", .share = share_of_stream, .run = [&](const Limit& limit) {
                             stream(limit);
                         }}});
            if (is_open()) ask_about_each(explored);
        } else if (explored.wrong)
            replay_and_take(with_operands(explored.wrong->offers, explored.wrong->waits), explored.wrong->fault,
                            "states of the handshake");
        else if (!explored.latency)
            result_.missing = "no result came";
        else
            ask_about_results(explored, one_result);
        if (is_open() || result_.verdict == Verdict::equivalent) simulate_stalls();
        result_.seconds = seconds_since(start_);
        return std::move(result_);
    }

  private:
    void ask_about_results(const Explored& explored,
                           const std::function<Answer(const DesignQuestion&, const DiscriminateOptions&)>& one_result) {
        // One that depends on more than its operands is not defined by them, and wrong if other values show it.
        for (const Explored::Result& one : explored.results)
            if (has_more_than_operands(one.d, explored.undefined) && is_refuted(one)) return;
        DesignQuestion first = question_;
        first.connection.cycles = *explored.latency;
        DiscriminateOptions rest = options_;
        rest.timeout = limit_.seconds_left();
        Answer answer = one_result(first, rest);
        answer.stages.insert(answer.stages.begin(), result_.stages.begin(), result_.stages.end());
        result_ = std::move(answer);
        if (result_.verdict != Verdict::equivalent) return;
        const Term d = numbered_anew(unroll(terms_, first.design, first.connection, inputs_, {}, {}, "first").d);
        for (const Explored::Result& other : explored.results)
            if (!is_the_same(d, other)) return;
        result_.by += of_states(explored);
    }

    static std::string of_states(const Explored& explored) {
        return explored.complete
                   ? sentence(", whatever waits (", counted(explored.states, "state"),
                              " of the handshake, each of which takes operands again)")
                   : sentence(", whatever waits within ", counted(static_cast<std::size_t>(explored.edges), "edge"),
                              " from the reset; that operands are taken is claimed of the first edge alone");
    }

    // ---- results of other latencies

    /// Operations back to back with random stalls, on the netlist.
    void stream(const Limit& limit) {
        StreamTarget target(question_, sources_, options_.seed, [&limit] { return limit.reached(); });
        const Evaluator unit(question_.unit);
        std::vector<TargetAnswer> answers;
        std::optional<HandshakeRun> wrong;
        try {
            for (std::size_t batch = 0; batch < batches_streamed && !wrong; ++batch) {
                std::vector<InputBuffer> buffers;
                std::vector<Inputs> inputs;
                while (buffers.size() < operations_of_a_batch) {
                    if (limit.reached()) return; // of narrow limits random operands are seldom within
                    buffers.push_back(stream_.next());
                    if (!is_allowed(buffers.back().inputs())) buffers.pop_back();
                }
                for (const InputBuffer& buffer : buffers) inputs.push_back(buffer.inputs());
                answers.clear();
                target.run(inputs, answers);
                for (std::size_t i = 0; i < answers.size() && !wrong; ++i)
                    if (answers[i].ok() && !same_result(question_.unit, unit(inputs[i]), answers[i].d))
                        wrong = target.run_to(batch * operations_of_a_batch + i);
            }
        } catch (const HandshakeFault&) {
            wrong = target.faulty();
        } catch (const Stopped&) {
            return;
        }
        if (!wrong) return;
        Answer shown = target.shown(std::move(*wrong), limit_);
        shown.stages = std::move(result_.stages);
        result_ = std::move(shown);
    }

    /// Each result for the operands for which it comes after so many edges.
    void ask_about_each(const Explored& explored) {
        if (!explored.missing.empty()) {
            result_.missing = explored.missing;
            return;
        }
        if (explored.wrong) {
            result_.missing = sentence("it was not excluded that ", what(explored.wrong->fault), ", ",
                                       in_words(explored.wrong->offers), "; of random operations none shows it");
            return;
        }
        if (explored.results.empty()) {
            result_.missing = "no result came";
            return;
        }
        // Of operands whose results come later nothing is known, not even of the first operation.
        if (!explored.complete) {
            result_.missing =
                sentence("its latency depends on operands, and within the time only ",
                         counted(static_cast<std::size_t>(explored.edges), "edge"),
                         " from the reset were looked at; a result may take ", question_.connection.cycles);
            return;
        }
        const Term unit = encode(terms_, question_.unit, inputs_);
        for (const Explored::Result& one : explored.results) {
            const Term d = numbered_anew(one.d);
            Term assume = allowed(terms_, question_.limits, question_.unit, inputs_);
            for (const Term when : one.when) assume = terms_.bvand(assume, when);
            const Term differ = results_differ(terms_, question_.unit, question_.unit, unit, d);
            const Term reference = reference_term(terms_, question_.unit, inputs_);
            const Term differ_too = results_differ(terms_, question_.unit, question_.unit, reference, d);
            bool is_proved = terms_.bvand(differ, assume) == terms_.truth(false);
            for (const double part : {share_of_a_first_try, share_of_a_result})
                is_proved = is_proved || sweep(unit, d, differ, assume, part) == Outcome::unsat ||
                            solve(terms_, terms_.bvand(differ, assume), part).first == Outcome::unsat ||
                            sweep(reference, d, differ_too, assume, part, Layout::chained) == Outcome::unsat;
            if (is_proved) continue;
            result_.missing = sentence("a result that comes after ", counted(one.offers.size() - 1, "edge"),
                                       " from the reset was not proved to be the unit's");
            return;
        }
        equivalent(sentence(backends().front().name, " by sweeping gates, ", counted(explored.results.size(), "result"),
                            " of different latencies or stalls"),
                   by_a_solver, terms_.facts());
        result_.by += of_states(explored);
    }

    /// The netlist, an operation after the other; and a simulator.
    Claim claim() override {
        const auto run = [this](std::span<const Inputs> batch) {
            std::vector<TargetAnswer> answers;
            StreamTarget(question_, sources_, options_.seed + 1, [this] {
                return limit_.stop.stop_requested();
            }).run(batch, answers);
            Side::Results d;
            for (const TargetAnswer& answer : answers)
                d.push_back(answer.ok() ? std::optional(answer.d) : std::nullopt);
            return d;
        };
        const auto exactly = [this](const Inputs& inputs) -> std::optional<std::uint64_t> {
            const auto edges = static_cast<std::size_t>(question_.connection.cycles) + edges_of_first;
            HandshakeRun alone{Offers(edges, {true, true}), {}, 0};
            alone.operands.assign(edges, vector_of(shape_of(question_.unit), inputs));
            std::string why_not;
            const auto simulated = simulate_run(
                question_, sources_, alone, [] { return false; }, why_not);
            if (!simulated) return std::nullopt;
            for (const std::string& digits : simulated->d)
                if (digits[1] == '1') return known(digits.substr(2));
            return std::nullopt;
        };
        const Unit& u = question_.unit;
        return {side_of(u),
                1,
                [run, exactly, this](auto) {
                    return Side{"module " + question_.design.top, run, exactly};
                },
                u.d,
                {u},
                question_.limits,
                vectors_to_challenge_streams};
    }

    bool is_allowed(const Inputs& inputs) const {
        return question_.limits.none() || allows(question_.limits, question_.unit, inputs);
    }

    /// @return whether the question is still one of equivalence
    bool is_the_same(Term d, const Explored::Result& other) {
        const Term other_d = numbered_anew(other.d);
        if (other_d == d) return true;
        const Term differ = results_differ(terms_, question_.unit, question_.unit, d, other_d);
        const Term assume = allowed(terms_, question_.limits, question_.unit, inputs_);
        if (sweep(d, other_d, differ, assume) == Outcome::unsat ||
            solve(terms_, terms_.bvand(differ, assume)).first == Outcome::unsat) {
            also(result_, backends().front().name, by_a_solver);
            return true;
        }
        if (is_refuted(other)) return false;
        result_.verdict = Verdict::unknown;
        result_.by.clear();
        result_.same_tree = false;
        result_.missing = sentence("a result after ", counted(other.offers.size(), "edge"),
                                   " from the reset was not proved to be that of its operands; it waits so: ",
                                   digits(other.offers, &Offer::ready));
        return false;
    }

    /// Results after other stalls are mostly the same gates in another order: one after the other is merged.
    Outcome sweep(Term d, Term other, Term differ, Term assume, double part = share_of_a_result,
                  Layout layout = Layout::balanced) {
        report("sweeping gates of a result after other stalls");
        std::vector<Term> variables;
        for (const Term x : terms_.cone(std::array{d, other, differ, assume}))
            if (terms_.op(x) == Op::variable) variables.push_back(x);
        const auto own = operands();
        const auto pattern = [&] {
            Valuation values = valuation(inputs_, stream_.next());
            for (const Term x : variables)
                if (!own.contains(x.id)) values.emplace_back(x, random_.bits());
            return values;
        };
        return sweep_gates({.terms = terms_,
                            .first = d,
                            .second = other,
                            .differ = differ,
                            .assume = assume,
                            .variables = variables,
                            .pattern = pattern,
                            .seed = options_.seed,
                            .layout = layout},
                           share(part))
            .outcome;
    }

    std::unordered_set<std::uint32_t> operands() const {
        std::unordered_set<std::uint32_t> ids;
        for (const Term x : inputs_.all()) ids.insert(x.id);
        return ids;
    }

    /// Beside operands, variables stand for what may be anything: they are numbered in the order in which they come, so
    /// that two results have the same where they are the same. What is proved of one for all of its values is proved of
    /// the other.
    Term numbered_anew(Term d) {
        const auto own = operands();
        std::unordered_map<std::uint32_t, Term> renaming;
        for (const Term x : terms_.cone(std::span(&d, 1)))
            if (terms_.op(x) == Op::variable && !own.contains(x.id))
                renaming.emplace(
                    x.id, terms_.variable(sentence("any ", renaming.size(), " of ", terms_.width(x)), terms_.width(x)));
        return terms_.substitute(d, renaming);
    }

    bool has_more_than_operands(Term d, const std::unordered_set<std::uint32_t>& undefined) {
        const auto own = operands();
        const auto cone = terms_.cone(std::span(&d, 1));
        return std::ranges::any_of(cone, [&](Term x) {
            return terms_.op(x) == Op::variable && !own.contains(x.id) && !undefined.contains(x.id);
        });
    }

    /// Whether a result is wrong for some operands at the edges that lead to it, without what was replaced.
    bool is_refuted(const Explored::Result& one) {
        Terms t;
        const InputTerms like = input_variables(t, question_.unit);
        const Followed followed = follow(t, question_, like, one.offers);
        const InputTerms& own = followed.operands.at(followed.taken.at(followed.result));
        Term wrong = results_differ(t, question_.unit, question_.unit, encode(t, question_.unit, own), followed.d);
        for (const std::size_t i : followed.taken)
            wrong = t.bvand(wrong, allowed(t, question_.limits, question_.unit, followed.operands[i]));
        const auto [outcome, solver] = solve(t, wrong);
        if (outcome != Outcome::sat) return false;
        HandshakeRun run{one.offers, {}, 0};
        for (const InputTerms& operands : followed.operands) run.operands.push_back(solution(*solver, operands));
        replay_and_take(std::move(run), Fault::wrong, backends().front().name);
        return true;
    }

    std::pair<Outcome, std::unique_ptr<Backend>> solve(Terms& t, Term condition, double part = share_of_a_result) {
        if (condition == t.truth(false)) return {Outcome::unsat, nullptr};
        if (backends().empty()) return {Outcome::unknown, nullptr};
        auto backend = backends().front().make(t, options_.seed);
        backend->require(condition);
        const Outcome outcome = backend->check(share(part));
        return {outcome, std::move(backend)};
    }

    HandshakeRun with_operands(const Offers& offers, std::size_t waits = 0) {
        HandshakeRun run{offers, {}, waits};
        while (run.operands.size() < offers.size()) {
            const Inputs inputs = stream_.next().inputs();
            if (is_allowed(inputs)) run.operands.push_back(vector_of(shape_of(question_.unit), inputs));
        }
        return run;
    }

    Replayed in_simulator(const HandshakeRun& run, std::string& why_not) {
        report("simulation");
        return replay(
            question_, sources_, run, [this] { return limit_.reached(); }, why_not);
    }

    /// A run of which the netlist says that it is wrong is shown if a simulator says so.
    void replay_and_take(HandshakeRun run, Fault fault, const std::string& by) {
        std::string why_not;
        const Replayed replayed = in_simulator(run, why_not);
        const std::string at = sentence(what(fault), ", ", in_words(run.offers));
        result_.verdict = Verdict::unknown;
        result_.by.clear();
        if (replayed.by.empty() && limit_.reached()) return;
        if (replayed.by.empty())
            throw Error(sentence(at, ", but no simulator could confirm it", why_not.empty() ? "" : ": " + why_not));
        if (!replayed.undefined.empty())
            throw Error(sentence(at, ": ", replayed.by, " says that ", replayed.undefined));
        if (!replayed.fault)
            throw Error(sentence("simulation and synthesis make different things of the design: in the netlist ", at,
                                 ", and ", replayed.by, " gives what is right"));
        take(std::move(run), replayed, by);
    }

    /// The shortest run that the netlist knows, if a simulator says that it is wrong, too.
    void take(HandshakeRun run, Replayed replayed, const std::string& by) {
        HandshakeRun shorter = shortened(question_, run, limit_);
        std::string why_not;
        Replayed again = in_simulator(shorter, why_not);
        if (again.fault && again.undefined.empty() && again.edge <= replayed.edge) {
            run = std::move(shorter);
            replayed = std::move(again);
        }
        show(result_, question_, std::move(run), replayed, by);
    }

    /// Random stalls, in a simulator: it has to say what was proved.
    void simulate_stalls() {
        const bool has_ready = !question_.connection.handshake->ready_out.empty();
        Offers offers;
        std::uint64_t mostly = 0;
        for (int i = 0; i < std::max(edges_simulated, 4 * question_.connection.cycles); ++i) {
            if (i % 40 == 0) mostly = random_.bits();
            const bool valid = random_.one_in(4) ? random_.one_in(2) : (mostly & 1u) != 0;
            const bool ready = random_.one_in(4) ? random_.one_in(2) : (mostly & 2u) != 0;
            offers.push_back({valid, ready || !has_ready});
        }
        HandshakeRun run = with_operands(offers);
        std::string why_not;
        const auto start = Limit::Clock::now();
        const Replayed replayed = in_simulator(run, why_not);
        if (replayed.by.empty()) return note("simulation", "nothing", start);
        if (result_.verdict == Verdict::equivalent && (replayed.fault || !replayed.undefined.empty()))
            throw Error(sentence("simulation and synthesis make different things of the design: it was proved, and "
                                 "with random stalls ",
                                 replayed.by, " says after ", counted(replayed.edge, "edge"), ": ",
                                 replayed.fault ? what(*replayed.fault) : replayed.undefined));
        note("simulation by " + replayed.by, replayed.fault ? "different" : "nothing", start);
        if (replayed.fault) take(std::move(run), replayed, "random");
    }

    const DesignQuestion& question_;
    const Sources& sources_;
    const DiscriminateOptions& options_;
    Limit::Clock::time_point start_;
    Terms terms_;
    InputTerms inputs_;
    Stream stream_;
    Random random_;
};

} // namespace

Answer decide_handshake(const DesignQuestion& question, const Sources& sources, const DiscriminateOptions& options,
                        const std::function<Answer(const DesignQuestion&, const DiscriminateOptions&)>& one_result) {
    return DecidingHandshake(question, sources, options).run(one_result);
}

} // namespace discern::rtl
