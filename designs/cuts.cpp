// A cut point is proved like a unit: first simulation, which finds its cycle, and then a solver.
#include "cuts.hpp"

#include "designs/clocked/named_net.hpp"
#include "designs/clocked/patterns.hpp"
#include "encodings/datapath/datapath.hpp"

#include "models/error.hpp"
#include "models/hex.hpp"
#include "models/suggest.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>

namespace discern::rtl {

namespace {

constexpr int vectors_to_locate = 256; ///< on which the cycle of a net is looked for

std::string hex(const TermEvaluator& evaluator, Term x) { return "0x" + evaluator.value(x).hex(); }

[[noreturn]] void refuse(const DesignQuestion& question, const CutPoint& cut, const DesignCircuit& circuit, Term net,
                         Term wire, const Valuation& values) {
    TermEvaluator evaluator(circuit.terms, {net, wire});
    for (const auto& [variable, value] : values) evaluator.set(variable, value);
    evaluator.run();
    throw Error(sentence("--equal ", cut.text, " does not hold: for ",
                         to_json(shape_of(question.unit), vector_from(circuit.inputs, value_in(values))),
                         " the net is ", hex(evaluator, net), " and the wire ", hex(evaluator, wire)));
}

} // namespace

std::vector<CutPoint> read_cuts(const Unit& unit, const Design& design, const std::vector<std::string>& text) {
    if (text.empty()) return {};
    const Datapath datapath(unit);
    std::vector<CutPoint> cuts;
    for (const std::string& one : text) {
        const auto equals = one.rfind('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == one.size())
            throw Error(sentence("--equal: ", excerpt(one), " must be written NET=WIRE, such as sum=f0_sum"));
        CutPoint cut{.text = one,
                     .bits = bits_of_net(design, one.substr(0, equals), "--equal"),
                     .wire = one.substr(equals + 1),
                     .cycle = {},
                     .proved = false};
        std::vector<std::string> names;
        const Datapath::Line* found = nullptr;
        for (const Datapath::Line& line : datapath.lines) {
            if (line.name.empty()) continue;
            names.push_back(line.name);
            if (line.name == cut.wire) found = &line;
        }
        if (found == nullptr)
            throw Error(sentence("--equal: the unit has no wire ", excerpt(cut.wire), did_you_mean(cut.wire, names),
                                 "; discern export --as sv UNIT shows them"));
        if (const int width = datapath.terms.width(found->term); width != static_cast<int>(cut.bits.size()))
            throw Error(sentence("--equal ", one, ": the net has ", counted(cut.bits.size(), "bit"), " and the wire ",
                                 counted(static_cast<std::size_t>(width), "bit"),
                                 "; NET[HIGH:LOW] is a part of a net"));
        cuts.push_back(std::move(cut));
    }
    return cuts;
}

void prove_cut(const DesignQuestion& question, std::vector<CutPoint>& cuts, std::size_t which, std::uint64_t seed,
               const Limit& limit) {
    CutPoint& cut = cuts[which];
    DesignCircuit circuit(question, Reading::reference, cuts);
    const Term wire = circuit.wires[which];
    const std::vector<Term>& net = circuit.design.watched[which];
    DesignPatterns patterns(circuit, question.unit, seed + 21);
    // The cycle: the first one in which net and wire agree on all random vectors.
    std::vector<Term> roots = net;
    roots.push_back(wire);
    roots.push_back(circuit.assume);
    TermEvaluator evaluator(circuit.terms, roots);
    std::vector<bool> possible(net.size(), true);
    Valuation last; // which refuted the last cycle
    for (int i = 0; i < vectors_to_locate; ++i) {
        const Valuation values = patterns.next();
        for (const auto& [variable, value] : values) evaluator.set(variable, value);
        evaluator.run();
        if (evaluator.low(circuit.assume) == 0) continue;
        for (std::size_t cycle = 0; cycle < net.size(); ++cycle) {
            if (!possible[cycle] || evaluator.value(net[cycle]) == evaluator.value(wire)) continue;
            possible[cycle] = false;
            last = values;
        }
    }
    const auto cycle = static_cast<std::size_t>(std::find(possible.begin(), possible.end(), true) - possible.begin());
    if (cycle == net.size()) refuse(question, cut, circuit, net.back(), wire, last);
    const Term differ = circuit.terms.bvand(circuit.assume, circuit.terms.bvnot(circuit.terms.eq(net[cycle], wire)));
    const GateSweepResult result =
        sweep_gates({circuit.terms, wire, net[cycle], differ, circuit.assume, circuit.variables(),
                     [&] { return patterns.next(); }, seed, Layout::chained},
                    limit);
    if (result.outcome == Outcome::sat) refuse(question, cut, circuit, net[cycle], wire, result.solution);
    if (result.outcome != Outcome::unsat) return;
    cut.cycle = static_cast<int>(cycle);
    cut.proved = true;
}

} // namespace discern::rtl
