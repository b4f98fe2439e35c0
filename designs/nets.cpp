// The unrolled design with all of its nets watched, and the datapath of the unit, on the same vectors.
#include "nets.hpp"

#include "clocked/machine.hpp"
#include "designs/clocked/patterns.hpp"

#include "encodings/datapath/datapath.hpp"
#include "models/error.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace discern::rtl {

namespace {

constexpr std::size_t most_nets = 2000;
constexpr std::size_t random_vectors = 256;
constexpr double nearly_all = 0.9;      ///< of the random vectors, for net and wire to be the same signal
constexpr std::size_t least_values = 4; ///< that a signal must have, for this to mean something

using History = std::vector<Bits>; ///< on the vector that is asked about, then on random ones

/// Words that can be read: what reaches them has drivers, and no loop.
std::vector<std::pair<std::string, std::vector<Net>>> readable(const DesignQuestion& question) {
    std::vector<std::pair<std::string, std::vector<Net>>> words;
    std::set<std::vector<Net>> seen;
    for (const Port& port : question.design.ports)
        if (port.is_input) seen.insert(port.bits);
    for (const auto& [name, bits] : question.design.words) {
        if (words.size() == most_nets) break;
        if (std::all_of(bits.begin(), bits.end(), net::is_constant) || !seen.insert(bits).second) continue;
        try {
            Terms t;
            const Machine machine(t, question.design, question.connection, bits);
        } catch (const Error&) {
            continue;
        }
        words.emplace_back(name, bits);
    }
    return words;
}

std::size_t distinct(const History& history) {
    std::set<std::string> values;
    for (const Bits& value : history) values.insert(value.hex());
    return values.size();
}

double agreement(const History& one, const History& other) {
    std::size_t same = 0;
    for (std::size_t i = 1; i < one.size(); ++i) same += one[i] == other[i] ? 1 : 0;
    return static_cast<double>(same) / static_cast<double>(one.size() - 1);
}

struct Wire {
    const Datapath::Line* line;
    History history = {};
};

} // namespace

std::vector<NetValue> nets_on(const DesignQuestion& question, const Inputs& inputs, const Unit* unit,
                              std::uint64_t seed) {
    const auto words = readable(question);
    std::vector<std::vector<Net>> watched;
    for (const auto& [name, bits] : words) watched.push_back(bits);
    Terms terms;
    const InputTerms operands = input_variables(terms, question.unit);
    const DesignTerm design = unroll(terms, question.design, question.connection, operands, question.reached, watched);
    std::vector<Term> roots;
    for (const std::vector<Term>& cycles : design.watched) roots.insert(roots.end(), cycles.begin(), cycles.end());
    std::unordered_set<std::uint32_t> open;
    for (const Open& one : design.open) open.insert(one.variable.id);
    const auto is_open = [&](Term x) {
        const auto cone = terms.cone(std::span(&x, 1));
        return std::any_of(cone.begin(), cone.end(), [&](Term y) { return open.contains(y.id); });
    };
    TermEvaluator evaluator(terms, roots);
    std::vector<std::vector<History>> nets(words.size());
    for (std::size_t w = 0; w < words.size(); ++w) nets[w].resize(design.watched[w].size());

    std::vector<Wire> wires;
    std::unique_ptr<const Datapath> datapath;
    std::unique_ptr<TermEvaluator> of_unit;
    if (unit != nullptr) {
        datapath = std::make_unique<Datapath>(*unit);
        std::vector<Term> all;
        for (const Datapath::Line& line : datapath->lines)
            if (!line.name.empty()) {
                wires.push_back({&line});
                all.push_back(line.term);
            }
        of_unit = std::make_unique<TermEvaluator>(datapath->terms, all);
    }
    Stream stream(question.unit, seed);
    const auto take = [&](const Inputs& of) {
        set_inputs(evaluator, operands, of);
        evaluator.run();
        for (std::size_t w = 0; w < nets.size(); ++w)
            for (std::size_t cycle = 0; cycle < nets[w].size(); ++cycle)
                nets[w][cycle].push_back(evaluator.value(design.watched[w][cycle]));
        if (!of_unit) return;
        set_inputs(*of_unit, datapath->inputs, of);
        of_unit->run();
        for (Wire& wire : wires) wire.history.push_back(of_unit->value(wire.line->term));
    };
    take(inputs);
    for (std::size_t i = 0; unit != nullptr && i < random_vectors; ++i) take(stream.next().inputs());

    std::erase_if(wires, [](const Wire& wire) { return distinct(wire.history) < least_values; });
    std::vector<std::pair<std::size_t, NetValue>> found;
    for (std::size_t w = 0; w < words.size(); ++w) {
        std::set<std::uint32_t> shown; // a register holds in the next cycle what its net held before
        for (std::size_t cycle = 0; cycle < nets[w].size(); ++cycle) {
            const Term term = design.watched[w][cycle];
            if (is_open(term) || !shown.insert(term.id).second) continue;
            const History& history = nets[w][cycle];
            NetValue net{.name = words[w].first, .cycle = static_cast<int>(cycle), .value = history.front().hex()};
            std::size_t order = wires.size();
            if (unit != nullptr && distinct(history) >= least_values)
                for (std::size_t i = 0; i < wires.size(); ++i) {
                    if (wires[i].history.front().width() != history.front().width()) continue;
                    const double agrees = agreement(history, wires[i].history);
                    if (agrees < nearly_all || agrees <= net.agreement) continue;
                    net.agreement = agrees;
                    net.wire = wires[i].line->name;
                    net.wire_value = wires[i].history.front().hex();
                    order = i;
                }
            found.emplace_back(order, std::move(net));
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
    std::vector<NetValue> values;
    for (auto& [order, net] : found) values.push_back(std::move(net));
    return values;
}

} // namespace discern::rtl
