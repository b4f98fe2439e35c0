// One run of the machine: the operands at the ports, so many edges, and d from the nets.
#include "unroll.hpp"

#include "state.hpp"

#include <algorithm>
#include <unordered_set>

namespace discern::rtl {

bool DesignTerm::depends_on_state() const {
    return std::any_of(open.begin(), open.end(), [](const Open& o) { return o.kind == Open::Kind::state; });
}

DesignTerm unroll(Terms& t, const Design& design, const Connection& connection, const InputTerms& inputs,
                  const Reached& reached, const std::vector<std::vector<Net>>& watched, const std::string& prefix) {
    const std::vector<Net> result = result_nets(design, connection);
    std::vector<Net> roots = observed_nets(design, connection);
    for (const std::vector<Net>& word : watched) roots.insert(roots.end(), word.begin(), word.end());
    Machine machine(t, design, connection, roots, prefix);
    if (connection.once)
        machine.reset();
    else
        start(t, machine, reached);
    DesignTerm term;
    term.watched.resize(watched.size());
    for (int cycle = 0; cycle <= connection.cycles; ++cycle) {
        if (connection.state && cycle == connection.state->cycle)
            set_state(t, machine, design, *connection.state, *inputs.c);
        const bool is_there = cycle == 0 || connection.hold;
        machine.evaluate({.reset = false, .operands = is_there ? &inputs : nullptr});
        for (std::size_t i = 0; i < watched.size(); ++i) term.watched[i].push_back(machine.word(watched[i]));
        if (cycle == connection.cycles)
            term.d = machine.word(result);
        else
            machine.edge();
    }
    std::vector<Term> terms = {term.d};
    for (const std::vector<Term>& cycles : term.watched) terms.insert(terms.end(), cycles.begin(), cycles.end());
    std::unordered_set<std::uint32_t> needed;
    for (const Term x : t.cone(terms)) needed.insert(x.id);
    for (const Open& open : machine.open())
        if (needed.contains(open.variable.id)) term.open.push_back(open);
    return term;
}

std::vector<Term> one_edge(Terms& t, const Design& design, const Connection& connection, const InputTerms& inputs) {
    const std::vector<Net> nets = observed_nets(design, connection);
    std::vector<Term> all;
    for (const bool reset : {false, true}) {
        Machine machine(t, design, connection, nets, "edge");
        machine.forget();
        machine.evaluate({.reset = reset, .operands = &inputs, .valid = {}, .ready = {}});
        all.push_back(machine.word(nets));
        machine.edge();
        for (const std::size_t r : machine.registers()) all.push_back(machine.state(r));
    }
    return all;
}

} // namespace discern::rtl
