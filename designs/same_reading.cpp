// Terms first; then random vectors and gates, as of any two circuits; and the programs that read designs, by turns.
#include "same_reading.hpp"

#include "designs/clocked/patterns.hpp"
#include "read/reader.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"
#include "solver/decide/sweep/gate_sweep.hpp"

#include <algorithm>

namespace discern::rtl {

namespace {

constexpr double share_of_a_reader = 0.2;   ///< of the time, for the comparison with another reader's netlist …
constexpr double longest_for_a_reader = 20; ///< … and at most so many seconds

} // namespace

ReadingsDiffer readings_differ(Terms& t, const Unit& unit, const InputTerms& inputs, const std::vector<Term>& one,
                               const std::vector<Term>& other, const Limit& limit) {
    const bool fit = std::equal(one.begin(), one.end(), other.begin(), other.end(),
                                [&](Term x, Term y) { return t.width(x) == t.width(y); });
    if (!fit) return {Outcome::sat, vector_from(inputs, [](Term) { return std::uint64_t{0}; })};
    std::vector<Term> first, second; // those that are not the same
    for (std::size_t i = 0; i < one.size(); ++i)
        if (one[i] != other[i]) {
            first.push_back(one[i]);
            second.push_back(other[i]);
        }
    if (first.empty()) return {Outcome::unsat, {}};
    const Term left = t.concat(first), right = t.concat(second);
    const Term differ = t.bvnot(t.eq(left, right));
    if (differ == t.truth(false)) return {Outcome::unsat, {}};
    std::vector<Term> variables = inputs.all(); // first: the patterns have all of them
    const std::size_t operands = variables.size();
    const Term roots[] = {left, right, differ};
    for (const Term x : t.cone(roots))
        if (t.op(x) == Op::variable && std::ranges::find(variables, x) == variables.end()) variables.push_back(x);
    Stream stream(unit, 61);
    Random random(62);
    const auto pattern = [&] {
        Valuation values = valuation(inputs, stream.next());
        for (std::size_t i = operands; i < variables.size(); ++i) values.emplace_back(variables[i], random.bits());
        return values;
    };
    const GateSweepResult swept = sweep_gates({t, left, right, differ, t.truth(true), variables, pattern, 63}, limit);
    ReadingsDiffer result{swept.outcome, {}};
    if (result.outcome == Outcome::sat) result.vector = vector_from(inputs, value_in(swept.solution));
    return result;
}

std::vector<Stage> compare_other_readers(const DesignQuestion& question, const Sources& sources, const Limit& limit) {
    std::vector<Stage> stages;
    if (!sources.reader.empty()) return stages; // one was asked for
    const std::vector<std::string> names = reader_names();
    // Those before the one that read it could not.
    for (auto name = std::next(std::ranges::find(names, question.reader_name)); name < names.end(); ++name) {
        const auto start = Limit::Clock::now();
        const Limit sooner = limit.share(share_of_a_reader, longest_for_a_reader);
        Sources by_other = sources;
        by_other.reader = *name;
        Terms t;
        const InputTerms inputs = input_variables(t, question.unit);
        std::string by = *name;
        ReadingsDiffer differ;
        try {
            const Netlists read = netlists(by_other, [&] { return sooner.reached(); });
            by = read.by;
            const Design design = read_design(read.synthesised);
            const Connection connection = connect(design, shape_of(question.unit), question.text);
            const DesignTerm one = unroll(t, question.design, question.connection, inputs, {}, {}, "one");
            const DesignTerm other = unroll(t, design, connection, inputs, {}, {}, "other");
            // Which registers of the two belong together is not known.
            if (one.depends_on_state() || other.depends_on_state()) throw Error("its result depends on registers");
            const auto of_other_cycle = [](const Open& open) { return open.kind == Open::Kind::other_cycle; };
            if (connection.handshake && std::ranges::any_of(one.open, of_other_cycle))
                throw Error("its result comes after other edges");
            differ = readings_differ(t, question.unit, inputs, {one.d}, {other.d}, sooner);
        } catch (const Error&) { // it does not take the design, or not as it is connected
            stages.push_back({"comparison with the netlist of " + by, "nothing", seconds_since(start)});
            continue;
        }
        if (differ.outcome == Outcome::sat)
            throw Error(sentence(question.reader, " and ", by, " read different designs: their netlists differ for ",
                                 to_json(shape_of(question.unit), differ.vector), "; --reader asks one of them alone"));
        stages.push_back({"comparison with the netlist of " + by,
                          differ.outcome == Outcome::unsat ? "the same" : "nothing", seconds_since(start)});
        return stages;
    }
    return stages;
}

} // namespace discern::rtl
