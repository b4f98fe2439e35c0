// A design, read and connected, and what is known of its registers. See decide.hpp.
#include "clocked/latency.hpp"
#include "cuts.hpp"
#include "decide.hpp"
#include "read/reader.hpp"
#include "read/text.hpp"
#include "same_reading.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

namespace discern::rtl {

namespace {

constexpr double share_of_registers = 0.3;   ///< of the time, for what registers can hold …
constexpr double longest_for_registers = 30; ///< … and at most so many seconds

constexpr double share_of_readings = 0.3;   ///< of the time, to prove that two readings of a text are the same …
constexpr double longest_for_readings = 60; ///< … and at most so many seconds

/// What a design is: d, and where results rest on what registers held before, each edge of its clock: what a reset
/// makes of registers is a part of the proof then.
std::vector<Term> meaning(Terms& t, const Design& design, const Connection& connection, const InputTerms& inputs) {
    const DesignTerm term = unroll(t, design, connection, inputs);
    std::vector<Term> all = {term.d};
    if (!connection.state && !connection.handshake && !term.depends_on_state()) return all;
    for (const Term x : one_edge(t, design, connection, inputs)) all.push_back(x);
    return all;
}

/// The design as it is read otherwise.
struct Other {
    Design design;
    Connection connection;
    std::vector<Term> meaning;
};

Other other_reading(Terms& t, const OtherReading& read, const Unit& unit, const ConnectionText& text,
                    const InputTerms& inputs) {
    try {
        Other other{read_design(read.netlist), {}, {}};
        other.connection = connect(other.design, shape_of(unit), text);
        other.meaning = meaning(t, other.design, other.connection, inputs);
        return other;
    } catch (const Error& error) {
        throw Error(read.with_places(error.what()));
    }
}

} // namespace

DesignQuestion read_question(const Unit& unit, const Sources& sources, const ConnectionText& given,
                             const InputLimits& limits, const Limit& limit) {
    ConnectionText text = given;
    require_operands(limits, unit);
    const Netlists read = netlists(sources, [&] { return limit.reached(); });
    DesignQuestion question{
        unit, read_design(read.synthesised), {}, {}, limits, {}, read.by, text.by_cases, false, read.reader, {}};
    question.cycles_found = text.find_cycles;
    if (text.find_cycles && !text.valid.empty())
        throw Error("--valid: --cycles N says after how many edges a result is there that does not wait");
    if (text.find_cycles) text.cycles = find_latency(unit, question.design, text, limit);
    question.connection = connect(question.design, shape_of(unit), text);
    question.text = text;
    question.cuts = read_cuts(unit, question.design, text.equal);
    Terms t;
    const InputTerms inputs = input_variables(t, unit);
    const DesignTerm term = unroll(t, question.design, question.connection, inputs);
    const std::vector<Term> is = meaning(t, question.design, question.connection, inputs);
    for (const OtherReading& other : read.others) {
        Other simulated = other_reading(t, other, unit, text, inputs);
        if (simulated.meaning == is) continue;
        const ReadingsDiffer differ = readings_differ(t, unit, inputs, is, simulated.meaning,
                                                      limit.share(share_of_readings, longest_for_readings));
        if (differ.outcome == Outcome::unsat) {
            question.simulated = std::move(simulated.design);
            question.connection_simulated = std::move(simulated.connection);
            continue;
        }
        const std::string word = first_word_for_synthesis(sources);
        const std::string where =
            sentence(word.empty() ? "" : "; see " + word, other.where.empty() ? "" : "; see " + other.where);
        if (differ.outcome == Outcome::unknown)
            throw Error(
                sentence("simulation and synthesis may read different designs: as a simulator reads it it is "
                         "another netlist, which was not proved in time to be the same; --timeout gives it more",
                         where));
        throw Error(sentence("simulation and synthesis read different designs, as for ",
                             to_json(shape_of(unit), differ.vector), ": ", other.how, " it is another netlist", where));
    }
    if (term.depends_on_state())
        question.reached = find_reached(question.design, question.connection, unit, 11,
                                        limit.share(share_of_registers, longest_for_registers));
    return question;
}

} // namespace discern::rtl
