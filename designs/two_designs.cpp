// The stages for two designs: terms, random vectors by gates, solvers over the gates of both.
#include "two_designs.hpp"

#include "clocked/simulate.hpp"
#include "designs/clocked/patterns.hpp"
#include "more_vectors.hpp"
#include "same_reading.hpp"
#include "target.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "solver/backend/backend.hpp"
#include "solver/decide/deciding.hpp"
#include "solver/decide/sweep/gate_sweep.hpp"
#include "solver/witness/shrink.hpp"

#include <array>
#include <optional>
#include <stdexcept>

namespace discern::rtl {

namespace {

constexpr std::uint64_t first_vectors = 400'000; ///< random ones, before a solver is asked
constexpr double share_of_random_vectors = 0.2;  ///< … and at most this part of the time
constexpr std::size_t vectors_at_once = 64;

/// Both designs over the same inputs.
struct Both {
    Both(const ReadDesignOf& first, const ReadDesignOf& second, const InputLimits& limits)
        : inputs(input_variables(terms, first.question.unit)),
          one(unroll(terms, first.question.design, first.question.connection, inputs, first.question.reached, {},
                     "one")),
          other(unroll(terms, second.question.design, second.question.connection, inputs, second.question.reached, {},
                       "other")),
          assume(allowed(terms, limits, first.question.unit, inputs)),
          differ(terms.bvand(assume, terms.bvnot(terms.eq(one.d, other.d)))) {}

    std::vector<Term> variables() const {
        std::vector<Term> all;
        for (const auto* row : {&inputs.a, &inputs.b, &inputs.sa, &inputs.sb})
            all.insert(all.end(), row->begin(), row->end());
        if (inputs.c) all.push_back(*inputs.c);
        for (const DesignTerm* design : {&one, &other})
            for (const Open& open : design->open) all.push_back(open.variable);
        return all;
    }

    Terms terms;
    InputTerms inputs;
    DesignTerm one, other;
    Term assume, differ;
};

class DecidingTwo : Deciding<Answer> {
  public:
    DecidingTwo(const ReadDesignOf& first, const ReadDesignOf& second, const DiscriminateOptions& options)
        : Deciding(options), designs_{first, second}, options_(options), start_(Limit::Clock::now()),
          shape_(shape_of(first.question.unit)) {}

    Answer run() {
        for (const ReadDesignOf& design : designs_) {
            const Connection& connection = design.question.connection;
            if (connection.state && !connection.result_is_state)
                throw Error(sentence("--state: of two designs the state itself is compared; --map d=",
                                     connection.state->name, " says so of module ", design.question.design.top));
            if (connection.handshake)
                throw Error("--valid: a handshake is asked about beside a unit, not of two designs");
            report("simulation");
            const auto start = Limit::Clock::now();
            targets_.push_back(
                make_design_target(design.question, design.sources, [this] { return limit_.reached(); }));
            for (const auto& [field, value] : targets_.back()->identity())
                if (field == "compared")
                    note(sentence("module ", design.question.design.top, ", read by ", design.question.reader,
                                  ", compared ", value),
                         "as it was read", start);
        }
        stage("terms", [&] {
            Both both(designs_[0], designs_[1], options_.limits);
            if (both.differ != both.terms.truth(false)) return;
            equivalent("terms", by_terms, both.terms.facts());
            result_.same_tree = true;
        });
        if (is_open()) stage("random", [&] { search(); });
        if (is_open() && options_.solver != "random") ask_solvers();
        add_others();
        result_.seconds = seconds_since(start_);
        return std::move(result_);
    }

  private:
    Claim claim() override {
        const auto side = [this](std::size_t design) {
            const auto run = [this, design](std::span<const Inputs> batch) {
                Side::Results d;
                for (const TargetAnswer& answer : results(design, batch))
                    d.push_back(answer.ok() ? std::optional(answer.d) : std::nullopt);
                return d;
            };
            return Side{"module " + designs_[design].question.design.top, run,
                        [run](const Inputs& inputs) { return run(std::span(&inputs, 1)).front(); }};
        };
        const Unit& unit = designs_[0].question.unit;
        return {side(0), 1, [side](std::size_t) { return side(1); }, unit.d, {unit}, options_.limits};
    }

    bool allows(const Inputs& inputs) const {
        return options_.limits.none() || discern::allows(options_.limits, designs_[0].question.unit, inputs);
    }
    std::vector<TargetAnswer> results(std::size_t design, std::span<const Inputs> batch) {
        std::vector<TargetAnswer> answers;
        targets_[design]->run(batch, answers);
        return answers;
    }
    /// d of both; @throws Error if one is not defined
    std::array<std::uint64_t, 2> both(const Vector& v) {
        std::array<std::uint64_t, 2> d{};
        for (std::size_t i = 0; i < d.size(); ++i) {
            const Inputs inputs = v.inputs();
            const TargetAnswer answer = results(i, std::span(&inputs, 1)).front();
            if (!answer.ok())
                throw Error(sentence("module ", designs_[i].question.design.top, ", for ", to_json(shape_, v), ": ",
                                     answer.error));
            d[i] = answer.d;
        }
        return d;
    }

    void search() {
        const Limit sooner = share(share_of_random_vectors);
        Stream stream(designs_[0].question.unit, options_.seed);
        for (std::uint64_t done = 0; done < first_vectors && !sooner.reached(); done += vectors_at_once) {
            std::vector<InputBuffer> buffers;
            std::vector<Inputs> batch;
            while (buffers.size() < vectors_at_once) buffers.push_back(stream.next());
            for (const InputBuffer& buffer : buffers) batch.push_back(buffer.inputs());
            const auto one = results(0, batch), other = results(1, batch);
            for (std::size_t i = 0; i < batch.size(); ++i) {
                if (!one[i].ok() || !other[i].ok() || one[i].d == other[i].d || !allows(batch[i])) continue;
                show(vector_of(shape_, batch[i]), "random");
                return;
            }
        }
    }

    Asked<Vector> sweep(const std::string& name, const Limit& limit) {
        Both both(designs_[0], designs_[1], options_.limits);
        Stream stream(designs_[0].question.unit, options_.seed + 7);
        Random random(options_.seed + 8);
        const auto pattern = [&] {
            const InputBuffer& buffer = stream.next();
            Valuation values;
            const auto put = [&](const std::vector<Term>& terms, const std::vector<std::uint64_t>& patterns) {
                for (std::size_t i = 0; i < terms.size(); ++i) values.emplace_back(terms[i], patterns[i]);
            };
            put(both.inputs.a, buffer.a);
            put(both.inputs.b, buffer.b);
            put(both.inputs.sa, buffer.sa);
            put(both.inputs.sb, buffer.sb);
            if (both.inputs.c) values.emplace_back(*both.inputs.c, buffer.c);
            for (const DesignTerm* design : {&both.one, &both.other})
                for (const Open& open : design->open) values.emplace_back(open.variable, random.bits());
            return values;
        };
        const GateSweepResult swept = sweep_gates(
            {both.terms, both.one.d, both.other.d, both.differ, both.assume, both.variables(), pattern, options_.seed,
             Layout::balanced,
             [&](std::size_t done, std::size_t of) { report(sentence(name, ": ", done, " of ", of, " gates")); }},
            limit);
        Asked<Vector> asked;
        asked.outcome = swept.outcome;
        asked.facts = both.terms.facts();
        if (asked.outcome == Outcome::sat)
            asked.solution = vector_from(both.inputs, [&](Term x) {
                for (const auto& [variable, value] : swept.solution)
                    if (variable == x) return value;
                return std::uint64_t{0};
            });
        return asked;
    }

    Asked<Vector> ask(const BackendKind& kind, const Limit& limit) const {
        const Both both(designs_[0], designs_[1], options_.limits);
        const auto backend = kind.make(both.terms, options_.seed);
        backend->require(both.differ);
        Asked<Vector> asked;
        asked.outcome = backend->check(limit);
        asked.facts = both.terms.facts();
        if (asked.outcome == Outcome::sat)
            asked.solution = vector_from(both.inputs, [&](Term x) { return backend->value(x).low(); });
        return asked;
    }

    void ask_solvers() {
        if (backends().empty())
            throw Error("this build has no solver: only random search is possible (--solver random)");
        const auto asking = [this](const BackendKind& kind) {
            return Approach<Vector>{kind.name, [this, kind](const Limit& limit) { return ask(kind, limit); }};
        };
        std::vector<Approach<Vector>> list;
        if (options_.solver == "portfolio") {
            const std::string name = backends().front().name + " by sweeping gates";
            list = {{name, [this, name](const Limit& limit) { return sweep(name, limit); }},
                    asking(backends().front())};
        } else {
            list = {asking(require_backend(options_.solver))};
        }
        report(list.front().name);
        take(side_by_side(list, static_cast<unsigned>(list.size()), limit_),
             [&](const Vector& found, const std::string& by) { show(found, by); });
    }

    bool differs(const Vector& x) {
        const Inputs inputs = x.inputs();
        const TargetAnswer one = results(0, std::span(&inputs, 1)).front(),
                           other = results(1, std::span(&inputs, 1)).front();
        return allows(inputs) && one.ok() && other.ok() && one.d != other.d;
    }

    /// Of other kinds, where more than one vector is wanted.
    void add_others() {
        if (result_.witnesses.size() != 1 || options_.count < 2) return;
        report("vectors of other kinds");
        for (Vector& v : vectors_of_other_kinds(
                 designs_[0].question.unit, result_.witnesses.front(), options_.count - 1,
                 [&](const Vector& x) { return differs(x); }, options_.seed, limit_)) {
            const std::array<std::uint64_t, 2> d = both(v);
            if (!replayed(v, d)) return;
            v.d = {d[0], d[1]};
            v.d_is_list = true;
            result_.witnesses.push_back(std::move(v));
        }
    }

    /// By which simulators the results were given; nothing if the time was over.
    std::optional<std::string> replayed(const Vector& v, const std::array<std::uint64_t, 2>& d) {
        std::string by;
        for (std::size_t i = 0; i < d.size(); ++i) {
            std::string why_not;
            const auto simulated = simulate(
                designs_[i].sources, designs_[i].question.design, designs_[i].question.connection, {v},
                [this] { return limit_.reached(); }, why_not);
            if (!simulated && limit_.reached()) return std::nullopt;
            if (!simulated || known(simulated->d.front()) != d[i])
                throw Error(sentence("the designs differ on ", to_json(shape_, v),
                                     ", but no simulator could confirm it", why_not.empty() ? "" : ": " + why_not));
            if (by.find(simulated->by) == std::string::npos) by += (i == 0 ? "" : " and ") + simulated->by;
        }
        return by;
    }

    /// Simplifies a vector, and replays it by a simulator for each design.
    void show(Vector v, const std::string& by) {
        // Which says what is not defined: of a vector among others, fewer open values were tried than of one alone.
        if (const auto [one, other] = both(v); one == other)
            throw std::logic_error("a vector found by '" + by + "' does not hold: " + to_json(shape_, v));
        if (options_.shrink)
            v = simplified(designs_[0].question.unit, std::move(v),
                           [&](const Vector& x) { return !limit_.reached() && differs(x); });
        const std::array<std::uint64_t, 2> d = both(v);
        const std::optional<std::string> by_simulators = replayed(v, d);
        if (!by_simulators) return;
        v.d = {d[0], d[1]};
        v.d_is_list = true;
        result_.verdict = Verdict::different;
        result_.by = by + ", replayed by " + *by_simulators;
        result_.witnesses.push_back(std::move(v));
    }

    const std::array<ReadDesignOf, 2> designs_;
    const DiscriminateOptions& options_;
    Limit::Clock::time_point start_;
    Shape shape_;
    std::vector<std::unique_ptr<Target>> targets_;
};

} // namespace

Answer decide_designs(const ReadDesignOf& first, const ReadDesignOf& second, const DiscriminateOptions& options) {
    Answer answer = DecidingTwo(first, second, options).run();
    if (answer.verdict != Verdict::equivalent) return answer;
    for (const ReadDesignOf* const design : {&first, &second})
        for (Stage& stage :
             compare_other_readers(design->question, design->sources,
                                   Limit::after(std::max(options.timeout - answer.seconds, 1.0), options.stop)))
            answer.stages.push_back(std::move(stage));
    return answer;
}

} // namespace discern::rtl
