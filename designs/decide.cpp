// The stages for a design, as solver/decide/decide.cpp has them for two units, with cut points, and simulators that
// replay.
#include "decide.hpp"

#include "cases/cases.hpp"
#include "clocked/operations.hpp"
#include "clocked/simulate.hpp"
#include "conditions.hpp"
#include "cuts.hpp"
#include "designs/clocked/patterns.hpp"
#include "handshake_answer.hpp"
#include "more_vectors.hpp"
#include "same_reading.hpp"
#include "side.hpp"

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/unit/sentence.hpp"
#include "solver/backend/backend.hpp"
#include "solver/decide/deciding.hpp"
#include "solver/witness/shrink.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace discern::rtl {

namespace {

constexpr std::size_t vectors_to_read = 64;         ///< on which the reading of a design is compared with a simulator
constexpr std::uint64_t vectors_to_challenge = 512; ///< a proof; the netlist is slower than units are
constexpr std::uint64_t first_products = 200'000;   ///< of random vectors before a solver is asked
constexpr double share_of_random = 0.2;             ///< … and at most this part of the time
constexpr double share_of_a_cut = 0.5;              ///< of the time that is left, for a cut point
constexpr double share_before_cases = 0.15;         ///< of the time that is left, for the whole question …
constexpr double least_before_cases = 45;           ///< … or so many seconds, if that is more
constexpr double share_of_operations = 0.4;         ///< of the time that is left, for operations from the reset on

class DecidingDesign : Deciding<Answer> {
  public:
    DecidingDesign(const DesignQuestion& question, const Sources& sources, const DiscriminateOptions& options)
        : Deciding(options), question_(question), sources_(sources), options_(options), start_(Limit::Clock::now()),
          unit_(question.unit), random_(options.seed + 5), cuts_(question.cuts) {}

    Answer run() {
        DesignCircuit circuit(question_);
        DesignEvaluator design(circuit);
        note("reading by " + question_.reader, "read", start_);
        require_same_reading(design);
        stage("terms", [&] {
            if (circuit.differ != circuit.terms.truth(false)) return;
            equivalent("terms", by_terms, circuit.terms.facts());
            result_.same_tree = true;
        });
        // Without a reset, or with one before each operation, nothing can have gone before.
        state_matters_ =
            circuit.design.depends_on_state() && question_.connection.has_reset && !question_.connection.once;
        if (is_open() && state_matters_) stage("operations from the reset", [&] { search_operations(); });
        if (is_open()) stage("random", [&] { search(design); });
        if (is_open() && options_.solver != "random") ask_solvers(design);
        if (result_.verdict == Verdict::equivalent) require_same_conditions(design);
        add_others(design);
        if (!result_.by.empty() && question_.cycles_found)
            result_.by += sentence(", after ", counted(static_cast<std::size_t>(question_.connection.cycles), "edge"));
        if (!result_.by.empty() && question_.connection.state) result_.by += of_state();
        if (!result_.by.empty() && question_.reader != "yosys") result_.by += ", read by " + question_.reader;
        result_.seconds = seconds_since(start_);
        return std::move(result_);
    }

  private:
    Claim claim() override {
        const Side design = side_of(question_, options_.seed, [this](const Vector& v) {
            std::string why_not;
            const auto simulated = run_simulator({v}, why_not);
            return simulated ? known(simulated->d.front()) : std::nullopt;
        });
        const Unit& u = question_.unit;
        return {side_of(u), 1, [design](auto) { return design; }, u.d, {u}, question_.limits, vectors_to_challenge};
    }

    /// What is c and what is d.
    std::string of_state() const {
        const std::string& name = question_.connection.state->name;
        std::string others; // outputs that are not the state
        for (const Port& port : question_.design.ports)
            if (!port.is_input && question_.connection.result_is_state && port.bits != question_.connection.state->bits)
                others += (others.empty() ? "; not asked about: output " : ", ") + port.name;
        return question_.connection.result_is_state ? sentence(", ", name, " being c before and d after", others)
                                                    : sentence(", ", name, " being c before, and port ",
                                                               question_.connection.outputs.front().first, " d after");
    }

    bool differ(std::uint64_t d1, std::uint64_t d2) const { return !same_result(question_.unit, d1, d2); }
    bool allows(const Inputs& inputs) const {
        return question_.limits.none() || discern::allows(question_.limits, question_.unit, inputs);
    }

    /// A design is read twice: by yosys and us, and by a simulator.
    void require_same_reading(DesignEvaluator& design) {
        const Shape shape = shape_of(question_.unit);
        Stream stream(question_.unit, options_.seed + 3);
        std::vector<Vector> vectors;
        while (vectors.size() < vectors_to_read) vectors.push_back(vector_of(shape, stream.next().inputs()));
        compare_with_simulator(design, vectors, "");
    }

    /// "Equivalent" rests on the reading alone: it has to hold wherever the design does something of its own.
    void require_same_conditions(DesignEvaluator& design) {
        report("vectors for all conditions");
        const ConditionVectors made = vectors_for_conditions(question_, options_.seed + 9, limit_);
        if (!made.vectors.empty()) compare_with_simulator(design, made.vectors, ", on vectors with " + made.text());
    }

    void compare_with_simulator(DesignEvaluator& design, const std::vector<Vector>& vectors, const std::string& on) {
        const auto start = Limit::Clock::now();
        report("simulation");
        std::string why_not;
        const auto simulated = run_simulator(vectors, why_not);
        if (!simulated) {
            note("simulation", "nothing", start);
            return;
        }
        for (std::size_t i = 0; i < vectors.size(); ++i)
            require_same(design, vectors[i], simulated->by, simulated->d[i], false);
        note("simulation by " + simulated->by + on, "as it was read", start);
    }

    std::optional<Simulated> run_simulator(const std::vector<Vector>& vectors, std::string& why_not,
                                           bool one_run = false) const {
        return simulate(
            sources_, question_.design, question_.connection, vectors, [this] { return limit_.reached(); }, why_not, "",
            one_run);
    }

    void require_same(DesignEvaluator& design, const Vector& v, const std::string& by, const std::string& digits,
                      bool must_be_known) {
        const auto simulated = known(digits);
        if (!simulated && must_be_known)
            throw Error(sentence(by, " gives ", excerpt(digits, 80), " for the vector ", json(v),
                                 ": the design's result is not defined there"));
        const std::uint64_t d = design(v.inputs(), random_);
        if ((simulated && d == *simulated) || design.depends_on(v.inputs(), random_) != nullptr) return;
        const Format& of = format(question_.unit.d);
        throw Error(sentence("simulation and synthesis make different things of the design: for ", json(v), " ", by,
                             " gives ", simulated ? to_hex(of, *simulated) : excerpt(digits, 80), ", and the netlist ",
                             to_hex(of, d)));
    }

    std::string json(const Vector& v) const { return to_json(shape_of(question_.unit), v); }

    void search(DesignEvaluator& design) {
        const Limit sooner = share(share_of_random);
        Stream stream(question_.unit, options_.seed);
        const std::uint64_t tries = first_products / static_cast<std::uint64_t>(question_.unit.K);
        for (std::uint64_t i = 0; i < tries && !sooner.reached(); ++i) {
            const Inputs inputs = stream.next().inputs();
            if (!allows(inputs) || !differ(unit_(inputs), design(inputs, random_))) continue;
            if (state_matters_ && rests_on_state(design.depends_on(inputs, random_))) continue;
            if (offer(vector_of(shape_of(question_.unit), inputs), design, "random")) return;
        }
    }

    static bool rests_on_state(const Open* open) { return open != nullptr && open->kind == Open::Kind::state; }

    // ---- results that depend on what went before

    void search_operations() {
        const Limit sooner = share(share_of_random);
        if (auto found = Operations(question_).search(options_.seed + 41, sooner)) show(std::move(*found), "random");
    }

    /// A solver's difference rests on what registers hold. Is there one after a reset?
    void ask_about_operations(const Open& open) {
        const auto start = Limit::Clock::now();
        const Limit sooner = share(share_of_operations);
        int asked = 0;
        report("operations from the reset");
        std::optional<Vector> undefined;
        auto found = Operations(question_).solve(asked, undefined, sooner);
        note("operations from the reset, by " + backends().front().name, found ? "different" : "nothing", start);
        if (found && show(std::move(*found), backends().front().name)) return;
        if (undefined)
            throw Error(sentence("the design's result is not defined by the operands for ", json(*undefined),
                                 ", operation ", asked + 1, " from the reset: ", open.why));
        result_.missing = sentence(
            open.why, "; the first ", counted(static_cast<std::size_t>(asked), "operation"),
            " from the reset on were proved, and of the states that registers reach later too little is known for all "
            "others; --once asks about the first one after each reset alone");
    }

    bool show(Sequence sequence, const std::string& by) {
        std::string why_not;
        const auto simulated = run_simulator(sequence.operations, why_not, true);
        if (!simulated && limit_.reached()) return false;
        const Vector& wrong = sequence.operations[sequence.wrong];
        if (!simulated)
            throw Error(sentence("the unit and the design differ after some operations, on ", json(wrong),
                                 ", but no simulator could confirm it", why_not.empty() ? "" : ": " + why_not));
        if (evaluate_exactly(question_.unit, wrong.inputs()) != wrong.d.at(0))
            throw std::logic_error("the models of the unit contradict each other on " + json(wrong));
        if (known(simulated->d[sequence.wrong]) != wrong.d.at(1))
            throw Error(sentence("simulation and synthesis make different things of the design: for ", json(wrong),
                                 ", operation ", sequence.wrong + 1, " from the reset, ", simulated->by, " gives ",
                                 excerpt(simulated->d[sequence.wrong], 80)));
        result_.verdict = Verdict::different;
        result_.by = sentence(by, ", operation ", sequence.wrong + 1, " from the reset, replayed by ", simulated->by);
        result_.witnesses.push_back(wrong);
        if (sequence.operations.size() > 1) result_.sequence = std::move(sequence.operations);
        return true;
    }

    /// A proposed vector is simplified, replayed, and shown if it holds.
    /// @param found  open values with which it was found
    bool offer(Vector v, DesignEvaluator& design, const std::string& by, const OpenValues& found = {}) {
        const Open* const open = design.depends_on(v.inputs(), random_, found);
        if (state_matters_ && rests_on_state(open)) {
            ask_about_operations(*open);
            return !is_open();
        }
        require_defined(v, open);
        if (options_.shrink) v = shrunk(std::move(v), design);
        const std::uint64_t d1 = unit_(v.inputs()), d2 = design(v.inputs(), random_);
        const std::uint64_t exact = evaluate_exactly(question_.unit, v.inputs());
        if (!same_result(question_.unit, d1, exact) || !differ(d1, d2) || !allows(v.inputs()))
            throw std::logic_error("a vector found by '" + by + "' does not hold when it is replayed: " + json(v));
        std::string why_not;
        const auto simulated = run_simulator({v}, why_not);
        if (!simulated && limit_.reached()) return false;
        if (!simulated)
            throw Error(sentence("the unit and the design differ on ", json(v), ", but no simulator could confirm it",
                                 why_not.empty() ? "" : ": " + why_not));
        require_same(design, v, simulated->by, simulated->d.front(), true);
        v.d = {d1, d2};
        v.d_is_list = true;
        result_.verdict = Verdict::different;
        result_.by = by + ", replayed by " + simulated->by;
        result_.witnesses.push_back(std::move(v));
        return true;
    }

    /// Vectors of other kinds, where more than one is wanted. They need not have been found by what found the first.
    void add_others(DesignEvaluator& design) {
        if (result_.witnesses.size() != 1 || options_.count < 2 || !result_.sequence.empty()) return;
        report("vectors of other kinds");
        const auto differs = [&](const Vector& x) {
            return allows(x.inputs()) && differ(unit_(x.inputs()), design(x.inputs(), random_)) &&
                   design.depends_on(x.inputs(), random_) == nullptr;
        };
        std::vector<Vector> others = vectors_of_other_kinds(question_.unit, result_.witnesses.front(),
                                                            options_.count - 1, differs, options_.seed, limit_);
        std::string why_not;
        if (others.empty()) return;
        const auto simulated = run_simulator(others, why_not);
        for (std::size_t i = 0; simulated && i < others.size(); ++i) {
            const std::uint64_t d1 = evaluate_exactly(question_.unit, others[i].inputs());
            const auto d2 = known(simulated->d[i]);
            if (!d2 || !differ(d1, *d2)) continue;
            others[i].d = {d1, *d2};
            others[i].d_is_list = true;
            result_.witnesses.push_back(std::move(others[i]));
        }
    }

    /// @throws Error if d is nothing definite for the vector
    void require_defined(const Vector& v, const Open* open) const {
        if (open != nullptr)
            throw Error(sentence("the design's result is not defined by the operands for ", json(v), ": ", open->why));
    }

    /// Without what does not matter, as long as the results still differ and there is time.
    Vector shrunk(Vector v, DesignEvaluator& design) {
        return simplified(question_.unit, std::move(v), [&](const Vector& x) {
            return !limit_.reached() && allows(x.inputs()) && design.depends_on(x.inputs(), random_) == nullptr &&
                   differ(unit_(x.inputs()), design(x.inputs(), random_));
        });
    }

    // ---- solvers

    /// Proves the cut points that the user named, one after the other.
    void prove_cuts() {
        for (std::size_t i = 0; i < cuts_.size() && !limit_.reached(); ++i) {
            const std::string name = "--equal " + cuts_[i].text;
            report(name);
            const auto start = Limit::Clock::now();
            const Limit sooner = share(share_of_a_cut);
            prove_cut(question_, cuts_, i, options_.seed, sooner);
            note(name, cuts_[i].proved ? "proved" : "nothing", start);
        }
    }

    Asked<Found> sweep(Reading reading, const std::string& name, const Limit& limit) {
        DesignCircuit circuit(question_, reading, cuts_);
        Terms& terms = circuit.terms;
        DesignPatterns patterns(circuit, question_.unit, options_.seed + 7);
        const GateSweepResult result = sweep_gates(
            {terms, circuit.d1, circuit.design.d, circuit.differ, circuit.assume, circuit.variables(),
             [&] { return patterns.next(); }, options_.seed,
             reading == Reading::reference ? Layout::chained : Layout::balanced,
             [&](std::size_t done, std::size_t of) { report(sentence(name, ": ", done, " of ", of, " gates")); }},
            limit);
        Asked<Found> asked;
        asked.outcome = result.outcome;
        asked.facts = terms.facts();
        if (asked.outcome == Outcome::sat) asked.solution = found_from(circuit, result.solution);
        return asked;
    }

    Asked<Found> ask(const BackendKind& kind, const Limit& limit) const {
        const DesignCircuit circuit(question_, Reading::term, cuts_);
        const auto backend = kind.make(circuit.terms, options_.seed);
        backend->require(circuit.differ);
        Asked<Found> asked;
        asked.outcome = backend->check(limit);
        asked.facts = circuit.terms.facts();
        const auto value = [&](Term t) { return backend->value(t).low(); };
        if (asked.outcome == Outcome::sat)
            asked.solution = Found{vector_from(circuit, value), open_values(circuit, value)};
        return asked;
    }

    std::vector<Approach<Found>> approaches() {
        const auto asking = [this](const BackendKind& kind) {
            return Approach<Found>{kind.name, [this, kind](const Limit& limit) { return ask(kind, limit); }};
        };
        if (options_.solver != "portfolio") return {asking(require_backend(options_.solver))};
        if (backends().empty())
            throw Error("this build has no solver: only random search is possible (--solver random)");
        const auto sweeping = [this](const char* of, Reading reading) {
            const std::string name = backends().front().name + " by sweeping gates" + of;
            return Approach<Found>{name,
                                   [this, reading, name](const Limit& limit) { return sweep(reading, name, limit); }};
        };
        return {sweeping(" of the reference circuit", Reading::reference), sweeping("", Reading::term),
                asking(backends().front())};
    }

    /// By cases, with all threads.
    void ask_by_cases(DesignEvaluator& design) {
        const std::string name = backends().front().name + " by cases";
        report(name);
        const auto start = Limit::Clock::now();
        CasesResult result = rtl::ask_by_cases(
            question_, cuts_,
            {.seed = options_.seed,
             .threads = options_.threads != 0 ? options_.threads : std::max(1u, std::thread::hardware_concurrency()),
             .progress =
                 [&](std::size_t proved, std::size_t waiting) {
                     report(sentence(name, ": ", proved, " proved, ", waiting, " left"));
                 }},
            limit_);
        const std::string count = counted(result.proved, "case");
        result_.stages.push_back({name, std::string(discern::name(result.outcome)), seconds_since(start)});
        if (result.outcome == Outcome::unsat) equivalent(sentence(name, " (", count, ")"), by_a_solver, result.facts);
        if (result.outcome == Outcome::sat)
            offer(std::move(result.solution->vector), design, name, result.solution->open);
        if (result.outcome == Outcome::unknown)
            result_.missing = sentence(count, " proved, ", result.open.size(),
                                       " open, among them: ", result.open.front(), "; --json has all of them");
        result_.cases = {.proved = result.proved, .open = std::move(result.open)};
    }

    /// All approaches at once: the readings of the unit differ in what they are near to. Then cases, if there are any.
    void ask_solvers(DesignEvaluator& design) {
        prove_cuts();
        if (limit_.reached()) return;
        const bool splits = options_.solver == "portfolio" && can_be_split(question_.unit) && !backends().empty();
        if (!splits || !question_.by_cases) {
            const std::vector<Approach<Found>> list = approaches();
            report(list.front().name);
            Limit sooner = limit_;
            if (splits)
                sooner =
                    Limit::after(std::max(limit_.seconds_left() * share_before_cases, least_before_cases), limit_.stop);
            sooner.end = std::min(sooner.end, limit_.end);
            take(side_by_side(list, static_cast<unsigned>(list.size()), sooner),
                 [&](Found found, const std::string& by) { offer(std::move(found.vector), design, by, found.open); });
        }
        if (splits && is_open() && !limit_.reached()) ask_by_cases(design);
    }

    const DesignQuestion& question_;
    const Sources& sources_;
    const DiscriminateOptions& options_;
    Limit::Clock::time_point start_;
    Evaluator unit_;
    Random random_;
    bool state_matters_ = false; ///< results may depend on operations before them
    std::vector<CutPoint> cuts_;
};

} // namespace

namespace {

Answer answer_to(const DesignQuestion& question, const Sources& sources, const DiscriminateOptions& options) {
    const auto decide_one = [&](const DesignQuestion& one, const DiscriminateOptions& within) {
        return DecidingDesign(one, sources, within).run();
    };
    if (question.connection.handshake) return decide_handshake(question, sources, options, decide_one);
    if (!question.connection.state || question.connection.result_is_state)
        return DecidingDesign(question, sources, options).run();
    // What the next operation finds has to be right, too.
    const auto start = Limit::Clock::now();
    DesignQuestion of_state = question;
    of_state.connection.result_is_state = true;
    Answer first = DecidingDesign(of_state, sources, options).run();
    if (first.verdict != Verdict::equivalent) return first;
    DiscriminateOptions rest = options;
    rest.timeout = std::max(options.timeout - seconds_since(start), 0.0);
    Answer answer = DecidingDesign(question, sources, rest).run();
    answer.same_tree = answer.same_tree && first.same_tree;
    if (answer.verdict == Verdict::equivalent) also(answer, first.by, first.ground);
    answer.seconds = seconds_since(start);
    answer.stages.insert(answer.stages.begin(), first.stages.begin(), first.stages.end());
    return answer;
}

} // namespace

Answer decide(const DesignQuestion& question, const Sources& sources, const DiscriminateOptions& options) {
    const auto start = Limit::Clock::now();
    Answer answer = answer_to(question, sources, options);
    // A difference was replayed by a simulator; "equivalent" rests on the reading.
    if (answer.verdict != Verdict::equivalent) return answer;
    const Limit limit = Limit::after(std::max(options.timeout - seconds_since(start), 1.0), options.stop);
    for (Stage& stage : compare_other_readers(question, sources, limit)) answer.stages.push_back(std::move(stage));
    answer.seconds = seconds_since(start);
    return answer;
}

} // namespace discern::rtl
