// The stages, as solver/decide/decide.cpp has them for two units, with cut points, and simulators that replay.
#include "one_result.hpp"

#include "cases/cases.hpp"
#include "clocked/operations.hpp"
#include "cuts.hpp"
#include "designs/clocked/patterns.hpp"
#include "more_vectors.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/unit/sentence.hpp"
#include "solver/backend/backend.hpp"
#include "solver/decide/deciding.hpp"
#include "solver/decide/random_search.hpp"
#include "solver/decide/sweep/gate_sweep.hpp"
#include "solver/witness/shrink.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace discern::rtl {

namespace {

constexpr std::uint64_t vectors_to_challenge = 512; ///< a proof; the netlist is slower than units are
constexpr std::uint64_t first_products = 200'000;   ///< of random vectors before a solver is asked
constexpr double share_of_random = 0.2;             ///< … and at most this part of the time
constexpr double share_of_a_cut = 0.5;              ///< of the time that is left, for a cut point
constexpr double share_before_cases = 0.15;         ///< of the time that is left, for the whole question …
constexpr double least_before_cases = 45;           ///< … or so many seconds, if that is more
constexpr double share_of_operations = 0.4;         ///< of the time that is left, for operations from the reset on

/// Of a design and the unit of its question, or another design.
class DecidingDesign : Deciding<Answer> {
  public:
    /// @param beside  nullptr: the unit
    DecidingDesign(const ReadDesignOf& design, const ReadDesignOf* beside, const DiscriminateOptions& options)
        : Deciding(options), question_(design.question), options_(options), start_(Limit::Clock::now()),
          design_(design, options.seed, limit_), unit_(question_.unit), cuts_(question_.cuts) {
        if (beside != nullptr) beside_.emplace(*beside, options.seed + 1, limit_);
        // Without a reset, or with one before each operation, nothing can have gone before.
        state_matters_ =
            !beside_ && design_.depends_on_state() && question_.connection.has_reset && !question_.connection.once;
    }

    Answer run() {
        read_sides();
        ask_stages(
            {{.name = "terms", .run = [&](const Limit&) { ask_terms(); }},
             {.name = "operations from the reset",
              .share = share_of_random,
              .applies = [&] { return state_matters_; },
              .run = [&](const Limit& limit) { search_operations(limit); }},
             {.name = "random", .share = share_of_random, .run = [&](const Limit& limit) { search(limit); }},
             {.applies = [&] { return options_.solver != "random"; }, .run = [&](const Limit&) { ask_solvers(); }}});
        if (result_.verdict == Verdict::equivalent) require_same_conditions();
        add_others();
        if (!beside_ && !result_.by.empty()) result_.by += of_connection();
        result_.seconds = seconds_since(start_);
        return std::move(result_);
    }

  private:
    /// The unit, or its flags.
    Side wanted() const {
        if (!question_.flags) return side_of(question_.unit);
        const auto exactly = [this](const Inputs& inputs) { return question_.exactly(inputs); };
        return {"the flags of " + to_string(question_.flags->unit),
                [exactly](std::span<const Inputs> inputs) {
                    Side::Results flags;
                    for (const Inputs& one : inputs) flags.emplace_back(exactly(one));
                    return flags;
                },
                exactly};
    }

    Claim claim() override {
        const Unit& u = question_.unit;
        return {beside_ ? beside_->claimed() : wanted(),
                1,
                [this](auto) { return design_.claimed(); },
                u.d,
                {question_.operation()},
                question_.limits,
                vectors_to_challenge};
    }

    /// What is c and what is d, and how that was found.
    std::string of_connection() const {
        const Connection& connection = question_.connection;
        std::string text;
        if (question_.cycles_found)
            text += sentence(", after ", counted(static_cast<std::size_t>(connection.cycles), "edge"));
        if (connection.state) {
            const std::string& name = connection.state->name;
            std::string others; // outputs that are not the state
            for (const Port& port : question_.design.ports)
                if (!port.is_input && connection.result_is_state && port.bits != connection.state->bits)
                    others += (others.empty() ? "; not asked about: output " : ", ") + port.name;
            text += connection.result_is_state ? sentence(", ", name, " being c before and d after", others)
                                               : sentence(", ", name, " being c before, and port ",
                                                          connection.outputs.front().first, " d after");
        }
        if (question_.reader != "yosys") text += ", read by " + question_.reader;
        return text;
    }

    // ---- both sides

    std::vector<DesignSide*> designs() {
        if (beside_) return {&*beside_, &design_};
        return {&design_};
    }
    const char* sides() const { return beside_ ? "the designs" : "the unit and the design"; }

    std::uint64_t first(const Inputs& inputs) {
        if (beside_) return (*beside_)(inputs);
        return question_.flags ? question_.exactly(inputs) : unit_(inputs);
    }
    bool allows(const Inputs& inputs) const {
        return question_.limits.none() || discern::allows(question_.limits, question_.unit, inputs);
    }
    bool may_differ(const Inputs& inputs) {
        return allows(inputs) && !same_result(question_.unit, first(inputs), design_(inputs));
    }
    /// Whether a vector is one that answers: its results are defined, and differ.
    bool differs(const Vector& v) {
        if (!may_differ(v.inputs())) return false;
        return std::ranges::all_of(designs(), [&](DesignSide* d) { return d->depends_on(v.inputs()) == nullptr; });
    }
    std::string json(const Vector& v) const { return design_.json(v); }

    void read_sides() {
        for (DesignSide* const design : designs()) {
            const std::string of = beside_ ? " of " + design->name() : "";
            note("reading" + of + " by " + design->question().reader, "read", start_);
            report("simulation");
            result_.stages.push_back(design->compared());
        }
    }

    /// "Equivalent" rests on the reading alone: it has to hold wherever a design does something of its own.
    void require_same_conditions() {
        for (DesignSide* const design : designs()) {
            report("vectors for all conditions");
            if (auto stage = design->compared_on_conditions(limit_)) result_.stages.push_back(std::move(*stage));
        }
    }

    void ask_terms() {
        DesignCircuit circuit = this->circuit();
        if (circuit.differ != circuit.terms.truth(false)) return;
        equivalent("terms", by_terms, circuit.terms.facts());
        result_.same_tree = true;
    }

    DesignCircuit circuit(Reading reading = Reading::term, const std::vector<CutPoint>& cuts = {}) const {
        return DesignCircuit(question_, reading, cuts, beside_ ? &beside_->question() : nullptr);
    }

    void search(const Limit& limit) {
        Stream stream(question_.operation(), options_.seed);
        const std::uint64_t tries = worthwhile_tries(question_.unit, first_products);
        std::array<InputBuffer, TermEvaluator::most_lanes> drawn;
        for (std::uint64_t i = 0; i < tries && !limit.reached(); i += drawn.size()) {
            std::vector<Inputs> inputs;
            for (InputBuffer& one : drawn) inputs.push_back((one = stream.next()).inputs());
            const std::vector<std::uint64_t> results = design_(inputs);
            for (std::size_t j = 0; j < inputs.size(); ++j)
                if (allows(inputs[j]) && !same_result(question_.unit, first(inputs[j]), results[j]) &&
                    offer_drawn(inputs[j]))
                    return;
        }
    }

    bool offer_drawn(const Inputs& inputs) {
        if (state_matters_ && rests_on_state(design_.depends_on(inputs))) return false;
        const Vector v = vector_of(shape_of(question_.unit), inputs);
        // Of two designs, neither of which is right by itself, a vector with two results is looked for first.
        return (!beside_ || differs(v)) && offer(v, "random");
    }

    static bool rests_on_state(const Open* open) { return open != nullptr && open->kind == Open::Kind::state; }

    // ---- results that depend on what went before

    void search_operations(const Limit& limit) {
        if (auto found = Operations(question_).search(options_.seed + 41, limit)) show(std::move(*found), "random");
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
        const auto simulated = design_.simulated(sequence.operations, why_not, true);
        if (!simulated && limit_.reached()) return false;
        const Vector& wrong = sequence.operations[sequence.wrong];
        if (!simulated)
            throw Error(sentence("the unit and the design differ after some operations, on ", json(wrong),
                                 ", but no simulator could confirm it", why_not.empty() ? "" : ": " + why_not));
        if (question_.exactly(wrong.inputs()) != wrong.d.at(0))
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
    bool offer(Vector v, const std::string& by, const OpenValues& found = {}) {
        const Open* const open = design_.depends_on(v.inputs(), found);
        if (state_matters_ && rests_on_state(open)) {
            ask_about_operations(*open);
            return !is_open();
        }
        require_defined(v, design_, open);
        if (beside_) require_defined(v, *beside_, beside_->depends_on(v.inputs()));
        if (options_.shrink)
            v = simplified(question_.unit, std::move(v),
                           [&](const Vector& x) { return !limit_.reached() && differs(x); });
        const std::optional<std::string> simulators = replay(v, by);
        if (!simulators) return false;
        result_.verdict = Verdict::different;
        result_.by = by + ", replayed by " + *simulators;
        result_.witnesses.push_back(std::move(v));
        return true;
    }

    /// @throws Error if d is nothing definite for the vector
    void require_defined(const Vector& v, const DesignSide& design, const Open* open) const {
        if (open != nullptr)
            throw Error(sentence("the design's result is not defined by the operands", beside_ ? ", " : "",
                                 beside_ ? design.name() : "", " for ", json(v), ": ", open->why));
    }

    /// Sets d to the results of both sides, by both models of a unit, and a simulator for each design.
    /// @return which simulators; nothing if the time was over
    std::optional<std::string> replay(Vector& v, const std::string& by) {
        const std::uint64_t d1 = first(v.inputs()), d2 = design_(v.inputs());
        const bool is_exact = beside_ || same_result(question_.unit, d1, question_.exactly(v.inputs()));
        if (!is_exact || same_result(question_.unit, d1, d2) || !allows(v.inputs()))
            throw std::logic_error("a vector found by '" + by + "' does not hold when it is replayed: " + json(v));
        std::string simulators;
        for (DesignSide* const design : designs()) {
            std::string why_not;
            const auto simulated = design->simulated({v}, why_not);
            if (!simulated && limit_.reached()) return std::nullopt;
            if (!simulated)
                throw Error(sentence(sides(), " differ on ", json(v), ", but no simulator could confirm it",
                                     why_not.empty() ? "" : ": " + why_not));
            design->require_same(v, simulated->by, simulated->d.front(), true);
            if (simulators.find(simulated->by) == std::string::npos)
                simulators += (simulators.empty() ? "" : " and ") + simulated->by;
        }
        v.d = {d1, d2};
        v.d_is_list = true;
        return simulators;
    }

    /// Vectors of other kinds, where more than one is wanted. They need not have been found by what found the first.
    void add_others() {
        if (result_.witnesses.size() != 1 || options_.count < 2 || !result_.sequence.empty()) return;
        report("vectors of other kinds");
        for (Vector& v : vectors_of_other_kinds(
                 question_.unit, result_.witnesses.front(), options_.count - 1,
                 [&](const Vector& x) { return differs(x); }, options_.seed, limit_)) {
            if (!replay(v, "vectors of other kinds")) return;
            result_.witnesses.push_back(std::move(v));
        }
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
        DesignCircuit circuit = this->circuit(reading, cuts_);
        Terms& terms = circuit.terms;
        DesignPatterns patterns(circuit, question_.unit, options_.seed + 7);
        const GateSweepResult result = sweep_gates(
            {terms, circuit.first.d, circuit.design.d, circuit.differ, circuit.assume, circuit.variables(),
             [&] { return patterns.next(); }, options_.seed,
             reading == Reading::reference ? Layout::chained : Layout::balanced,
             [&](std::size_t done, std::size_t of) { report(sentence(name, ": ", done, " of ", of, " gates")); }},
            limit);
        Asked<Found> asked;
        asked.outcome = result.outcome;
        asked.facts = terms.facts();
        if (asked.outcome == Outcome::sat) asked.solution = found_from(circuit, value_in(result.solution));
        return asked;
    }

    Asked<Found> ask(const BackendKind& kind, const Limit& limit) const {
        const DesignCircuit circuit = this->circuit(Reading::term, cuts_);
        const auto backend = kind.make(circuit.terms, options_.seed);
        backend->require(circuit.differ);
        Asked<Found> asked;
        asked.outcome = backend->check(limit);
        asked.facts = circuit.terms.facts();
        if (asked.outcome == Outcome::sat)
            asked.solution = found_from(circuit, [&](Term t) { return backend->value(t).low(); });
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
        std::vector<Approach<Found>> all = {sweeping("", Reading::term), asking(backends().front())};
        if (!beside_ && !question_.flags)
            all.insert(all.begin(), sweeping(" of the reference circuit", Reading::reference));
        return all;
    }

    /// By cases, with all threads.
    void ask_by_cases() {
        const std::string name = backends().front().name + " by cases";
        report(name);
        const auto start = Limit::Clock::now();
        CasesResult result =
            rtl::ask_by_cases(question_, cuts_,
                              {.seed = options_.seed,
                               .threads = threads_for_cases(options_.threads),
                               .progress =
                                   [&](std::size_t proved, std::size_t waiting) {
                                       report(sentence(name, ": ", proved, " proved, ", waiting, " left"));
                                   }},
                              limit_);
        const std::string count = counted(result.proved, "case");
        result_.stages.push_back({name, std::string(discern::name(result.outcome)), seconds_since(start)});
        if (result.outcome == Outcome::unsat) equivalent(sentence(name, " (", count, ")"), by_a_solver, result.facts);
        if (result.outcome == Outcome::sat) offer(std::move(result.solution->vector), name, result.solution->open);
        if (result.outcome == Outcome::unknown)
            result_.missing = sentence(count, " proved, ", result.open.size(),
                                       " open, among them: ", result.open.front(), "; --json has all of them");
        result_.cases = {.proved = result.proved, .open = std::move(result.open)};
    }

    /// All approaches at once: the readings of the unit differ in what they are near to. Then cases, if there are any.
    void ask_solvers() {
        prove_cuts();
        if (limit_.reached()) return;
        const bool splits =
            !beside_ && options_.solver == "portfolio" && can_be_split(question_.operation()) && !backends().empty();
        if (!splits || !question_.by_cases) {
            const std::vector<Approach<Found>> list = approaches();
            report(list.front().name);
            const double before_cases = std::max(limit_.seconds_left() * share_before_cases, least_before_cases);
            const Limit sooner = splits ? limit_.within(before_cases) : limit_;
            take(side_by_side(list, static_cast<unsigned>(list.size()), sooner),
                 [&](Found found, const std::string& by) { offer(std::move(found.vector), by, found.open); });
        }
        if (splits && is_open() && !limit_.reached()) ask_by_cases();
    }

    const DesignQuestion& question_;
    const DiscriminateOptions& options_;
    Limit::Clock::time_point start_;
    DesignSide design_;
    std::optional<DesignSide> beside_; ///< the first side, where it is no unit
    Evaluator unit_;
    bool state_matters_ = false; ///< results may depend on operations before them
    std::vector<CutPoint> cuts_;
};

} // namespace

Answer decide_one_result(const ReadDesignOf& design, const ReadDesignOf* beside, const DiscriminateOptions& options) {
    return DecidingDesign(design, beside, options).run();
}

} // namespace discern::rtl
