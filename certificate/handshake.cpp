#include "handshake.hpp"

#include "aiger.hpp"

#include "models/error.hpp"
#include "models/format.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace discern::certificate {

namespace {

Bits inputs_from(const Netlist& n, std::size_t first, std::size_t count) {
    Bits bits;
    for (std::size_t i = 0; i < count; ++i) bits.push_back(n.input(first + i));
    return bits;
}

void add(Bits& to, const Bits& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Whether registers hold what a state says of them. @param of_states  the outputs of the circuit of states
Literal is_state(Netlist& n, const Bits& of_states, std::size_t state, const Bits& registers) {
    std::size_t at = state * (1 + 2 * registers.size());
    Literal all = of_states[at++];
    for (const Literal holds : registers) {
        if (all == no) break;
        const Literal differs = n.make_xor(holds, of_states[at]);
        all = n.make_and(all, invert(n.make_and(of_states[at + 1], differs)));
        at += 2;
    }
    return all;
}

Miter miter_of(const Netlist& n, Literal different, const Bits& result = {}) {
    Bits roots = result;
    roots.push_back(different);
    Miter miter{without_unused(n, roots), {}, {}, yes, no};
    miter.different = roots.back();
    roots.pop_back();
    if (!roots.empty()) miter.results.push_back(roots);
    return miter;
}

class Steps {
  public:
    Steps(const Unit& unit, const Limits& limits, const ClockedCircuit& design, const Handshake& handshake,
          const AndCircuit& states)
        : unit_(unit), design_(design), handshake_(handshake), states_(states), bits_(input_bits(unit)),
          operations_(handshake.most_operations()),
          n_((operations_ + 1) * bits_ + design.open(bits_) + design.registers, true),
          open_(inputs_from(n_, (operations_ + 1) * bits_, design.open(bits_))),
          registers_(inputs_from(n_, (operations_ + 1) * bits_ + open_.size(), design.registers)) {
        require_inputs(limits, unit);
        reference(operations_ > 0 ? 0 : at_ports());
        for (std::size_t i = 0; i <= operations_; ++i) {
            const Operands in = operands(n_, unit, i * bits_);
            allowed_.push_back(allowed(n_, limits, unit, in));
        }
    }

    void run() {
        const Bits on_their_way = inputs_from(n_, 0, operations_ * bits_);
        const Bits of_states = placed(n_, states_, on_their_way);
        for (std::size_t i = 0; i < handshake_.states.size(); ++i) {
            std::size_t at = i * (1 + 2 * registers_.size());
            Literal holds = of_states[at++];
            for (std::size_t k = 0; k < handshake_.states[i].left.size(); ++k) holds = n_.make_and(holds, allowed_[k]);
            Bits registers; // that hold anything where nothing is said
            for (const Literal anything : registers_) {
                registers.push_back(n_.make_mux(of_states[at + 1], of_states[at], anything));
                at += 2;
            }
            for (const bool valid : {true, false})
                for (const bool ready : {true, false})
                    if (ready || handshake_.can_wait) edge(i, holds, registers, valid, ready);
        }
    }

    Miter step() const { return miter_of(n_, wrong_); }
    std::vector<Miter> results() const {
        std::vector<Miter> all;
        for (const auto& [differs, place] : wrong_results_) all.push_back(miter_of(n_, differs, references_.at(place)));
        return all;
    }

  private:
    /// What holds at an edge, and what comes of it.
    struct Edge {
        std::size_t from;
        bool valid, ready, taken, given; ///< at the ports; operands are taken, and a result
        Literal happens;
        Bits d, after;
    };

    std::size_t at_ports() const { return operations_; } ///< the place of the operands that are there

    /// The unit's result of an operation.
    const Bits& reference(std::size_t place) {
        const auto found = references_.find(place);
        if (found != references_.end()) return found->second;
        return references_.emplace(place, reference_circuit(n_, unit_, operands(n_, unit_, place * bits_)))
            .first->second;
    }

    void edge(std::size_t from, Literal holds, const Bits& registers, bool valid, bool ready) {
        Bits in = inputs_from(n_, at_ports() * bits_, bits_);
        add(in, {valid ? yes : no, ready ? yes : no, no});
        add(in, open_);
        add(in, registers);
        const Bits out = placed(n_, design_.edge, in);
        const auto width = static_cast<std::ptrdiff_t>(out.size() - registers_.size() - ClockedCircuit::ports_out);
        const auto after_ports = out.begin() + width + static_cast<std::ptrdiff_t>(ClockedCircuit::ports_out);
        const Literal takes = valid ? *(out.begin() + width) : no, gives = ready ? *(out.begin() + width + 1) : no;
        for (const bool taken : {false, true})
            for (const bool given : {false, true}) {
                Literal happens = n_.make_and(holds, invert_if(!taken, takes));
                happens = n_.make_and(happens, invert_if(!given, gives));
                if (taken) happens = n_.make_and(happens, allowed_[at_ports()]);
                if (happens == no) continue;
                arrive({from,
                        valid,
                        ready,
                        taken,
                        given,
                        happens,
                        {out.begin(), out.begin() + width},
                        {after_ports, out.end()}});
            }
    }

    void arrive(const Edge& edge) {
        const Handshake::State& state = handshake_.states[edge.from];
        const auto left = handshake_.owed_after(state.left, edge.ready, edge.taken, edge.given);
        if (!left) return wrong(edge.happens);
        if (edge.given) result(edge, state.left.empty() ? at_ports() : 0);
        const bool is_waiting = edge.valid && edge.ready && !edge.taken;
        const Bits& of_states = states_after(state.left.size(), edge.taken, edge.given);
        Literal known = no; // it is a state of the list
        for (std::size_t i = 0; i < handshake_.states.size() && known != yes; ++i) {
            const Handshake::State& next = handshake_.states[i];
            if (next.left != *left || (is_waiting && next.patience >= state.patience)) continue;
            const Literal is_this = is_state(n_, of_states, i, edge.after);
            known = n_.make_or(known, is_this);
        }
        wrong(n_.make_and(edge.happens, invert(known)));
    }

    void wrong(Literal x) { wrong_ = n_.make_or(wrong_, x); }

    void result(const Edge& edge, std::size_t place) {
        const Result own{reference(place), is_any_nan(unit_)};
        const Literal same = same_result(n_, format(unit_.d), own, {edge.d, false});
        const Literal differs = n_.make_and(edge.happens, invert(same));
        if (differs == no || std::any_of(wrong_results_.begin(), wrong_results_.end(),
                                         [&](const auto& known) { return known.first == differs; }))
            return;
        wrong_results_.emplace_back(differs, place);
    }

    /// The circuit of states over what is on its way after an edge: without the oldest, if its result was taken, and
    /// with those at the ports, if they were. What is no operation is 0.
    const Bits& states_after(std::size_t before, bool taken, bool given) {
        const auto found = after_.find({before, taken, given});
        if (found != after_.end()) return found->second;
        Bits in;
        for (std::size_t i = given ? 1 : 0; i < before; ++i) add(in, inputs_from(n_, i * bits_, bits_));
        if (taken && !(given && before == 0)) add(in, inputs_from(n_, at_ports() * bits_, bits_));
        in.resize(operations_ * bits_, no); // if they are more than in any state, none is the next
        return after_.emplace(std::tuple(before, taken, given), placed(n_, states_, in)).first->second;
    }

    const Unit& unit_;
    const ClockedCircuit& design_;
    const Handshake& handshake_;
    const AndCircuit& states_;
    std::size_t bits_, operations_;
    Netlist n_; ///< inputs: the operations on their way, the operands at the ports, what is open, the registers
    Bits open_, registers_;
    std::vector<Literal> allowed_; ///< of each operation, those at the ports last: they are within the limits
    std::map<std::size_t, Bits> references_;
    std::map<std::tuple<std::size_t, bool, bool>, Bits> after_;
    Literal wrong_ = no;
    std::vector<std::pair<Literal, std::size_t>> wrong_results_; ///< each once, with the place of its operation
};

/// That the edges of a reset lead from any contents of the registers to a state of the list with nothing on its way.
Miter make_reset(const Unit& unit, const ClockedCircuit& design, const Handshake& handshake, const AndCircuit& states) {
    const std::size_t bits = input_bits(unit), open = design.open(bits), of_an_edge = bits + 2 + open;
    const auto edges = static_cast<std::size_t>(handshake.reset_edges);
    Netlist n(design.registers + edges * of_an_edge, true);
    Bits registers = inputs_from(n, 0, design.registers);
    for (std::size_t i = 0; i < edges; ++i) {
        const std::size_t first = design.registers + i * of_an_edge;
        Bits in = inputs_from(n, first, bits + 1);
        add(in, {handshake.can_wait ? n.input(first + bits + 1) : yes, yes});
        add(in, inputs_from(n, first + bits + 2, open));
        add(in, registers);
        const Bits out = placed(n, design.edge, in);
        registers.assign(out.end() - static_cast<std::ptrdiff_t>(design.registers), out.end());
    }
    const Bits of_states = placed(n, states, Bits(states.inputs, no));
    Literal known = no;
    for (std::size_t i = 0; i < handshake.states.size() && known != yes; ++i) {
        if (!handshake.states[i].left.empty()) continue;
        const Literal is_this = is_state(n, of_states, i, registers);
        known = n.make_or(known, is_this);
    }
    return miter_of(n, invert(known));
}

} // namespace

std::optional<std::vector<int>> Handshake::owed_after(std::vector<int> left, bool ready, bool taken, bool given) const {
    std::size_t older = left.size();
    if (taken) left.push_back(cycles + static_cast<int>(older));
    if (given) {
        if (left.empty()) return std::nullopt;
        left.erase(left.begin());
        if (older > 0) --older;
    }
    if (!ready) return left;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (i < older) --left[i];
        if (left[i] <= 0) return std::nullopt;
    }
    return left;
}

std::size_t Handshake::most_operations() const {
    std::size_t most = 0;
    for (const State& state : states) most = std::max(most, state.left.size());
    return most;
}

int Handshake::most_patience() const {
    int most = 0;
    for (const State& state : states) most = std::max(most, state.patience);
    return most;
}

Bits placed(Netlist& n, const AndCircuit& circuit, const Bits& inputs) {
    Bits own = {no};
    add(own, inputs);
    const auto value = [&](Literal x) { return invert_if(is_inverted(x), own[node_of(x)]); };
    for (const auto& [x, y] : circuit.gates) {
        const Literal one = value(x), other = value(y);
        own.push_back(n.make_and(std::max(one, other), std::min(one, other)));
    }
    Bits outputs;
    for (const Literal x : circuit.outputs) outputs.push_back(value(x));
    return outputs;
}

Induction make_induction(const Unit& unit, const Limits& limits, const ClockedCircuit& design,
                         const Handshake& handshake, const AndCircuit& states) {
    Steps steps(unit, limits, design, handshake, states);
    steps.run();
    return {make_reset(unit, design, handshake, states), steps.step(), steps.results()};
}

std::string without_names(const Miter& miter) {
    return to_binary(and_circuit(miter.netlist, {miter.different})) + "o0 different\n";
}

} // namespace discern::certificate
