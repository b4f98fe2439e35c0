#include "handshake_states.hpp"

#include "certificate/aiger.hpp"

#include "models/random.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

namespace discern::certificate {

namespace {

constexpr std::size_t most_states = 5000;
constexpr Literal unsaid = ~Literal{0}; ///< a register may hold anything

/// Gates over other inputs: those over inputs that have no other name are left out.
class Renamed {
  public:
    /// @param names  of the inputs of `from`, by their nodes, as literals of `to`
    Renamed(const Netlist& from, Netlist& to, std::map<std::uint32_t, Literal> names)
        : from_(from), to_(to), names_(std::move(names)) {
        names_[0] = no;
    }

    Literal operator()(Literal x) {
        std::vector<std::uint32_t> left = {node_of(x)};
        while (!left.empty()) {
            const std::uint32_t node = left.back();
            if (names_.contains(node)) {
                left.pop_back();
                continue;
            }
            const Netlist::Node gate = from_.nodes()[node]; // a copy, since `to` may be `from`
            if (gate.gate == Gate::input) {
                names_[node] = unsaid;
                continue;
            }
            const auto one = names_.find(node_of(gate.in[0])), other = names_.find(node_of(gate.in[1]));
            if (one == names_.end()) left.push_back(node_of(gate.in[0]));
            if (other == names_.end()) left.push_back(node_of(gate.in[1]));
            if (one == names_.end() || other == names_.end()) continue;
            names_[node] = made(gate, one->second, other->second);
        }
        return of(names_.at(node_of(x)), x);
    }

  private:
    static Literal of(Literal name, Literal x) { return name == unsaid ? unsaid : invert_if(is_inverted(x), name); }
    /// All gates are and-gates.
    Literal made(const Netlist::Node& gate, Literal name_of_one, Literal name_of_other) {
        const Literal x = of(name_of_one, gate.in[0]), y = of(name_of_other, gate.in[1]);
        if (x == no || y == no) return no;
        if (x == unsaid || y == unsaid) return unsaid;
        return to_.make_and(std::max(x, y), std::min(x, y));
    }

    const Netlist& from_;
    Netlist& to_;
    std::map<std::uint32_t, Literal> names_;
};

/// Gates on some vectors twice: with random values of what is open, and with 0.
class Simulation {
  public:
    static constexpr std::size_t words = 8;
    struct Values {
        std::array<std::uint64_t, words> random, zero;
    };

    explicit Simulation(const Netlist& n) : n_(n) {}

    void set(Literal input, const Values& values) { inputs_[node_of(input)] = values; }

    /// Of each gate whether the two are the same on all vectors.
    std::vector<bool> are_the_same(const Bits& gates) const {
        std::vector<std::uint32_t> cone = cone_of(gates);
        std::sort(cone.begin(), cone.end()); // inputs of gates come before them
        std::unordered_map<std::uint32_t, Values> values;
        for (const std::uint32_t node : cone) values[node] = value(node, values);
        std::vector<bool> same;
        for (const Literal x : gates) same.push_back(values[node_of(x)].random == values[node_of(x)].zero);
        return same;
    }

  private:
    std::vector<std::uint32_t> cone_of(const Bits& gates) const {
        std::vector<std::uint32_t> cone, left;
        std::unordered_map<std::uint32_t, bool> seen;
        for (const Literal x : gates) left.push_back(node_of(x));
        while (!left.empty()) {
            const std::uint32_t node = left.back();
            left.pop_back();
            if (!seen.emplace(node, true).second) continue;
            cone.push_back(node);
            const Netlist::Node& gate = n_.nodes()[node];
            if (node == 0 || gate.gate == Gate::input) continue;
            for (std::size_t i = 0; i < 2; ++i) left.push_back(node_of(gate.in[i]));
        }
        return cone;
    }

    Values value(std::uint32_t node, const std::unordered_map<std::uint32_t, Values>& values) const {
        if (node == 0) return {};
        const Netlist::Node& gate = n_.nodes()[node];
        if (gate.gate == Gate::input) return inputs_.at(node);
        const Values &one = values.at(node_of(gate.in[0])), &other = values.at(node_of(gate.in[1]));
        const auto of = [&](Literal x, std::uint64_t word) { return is_inverted(x) ? ~word : word; };
        Values both;
        for (std::size_t w = 0; w < words; ++w) {
            both.random[w] = of(gate.in[0], one.random[w]) & of(gate.in[1], other.random[w]);
            both.zero[w] = of(gate.in[0], one.zero[w]) & of(gate.in[1], other.zero[w]);
        }
        return both;
    }

    const Netlist& n_;
    std::unordered_map<std::uint32_t, Values> inputs_;
};

class Finding {
  public:
    Finding(const std::vector<OperationWords>& operations, const ClockedCircuit& design,
            const CertifiedHandshake& asked, int reset_edges)
        : words_(operations), operands_(operations.front().size()), design_(design), n_(0, true), simulation_(n_),
          at_ports_(added_operation()), open_(added(design.open(operands_), true)),
          registers_(added(design.registers)) {
        found_.handshake = {asked.cycles, reset_edges, asked.can_wait, {}};
    }

    std::optional<FoundStates> run(const std::function<bool()>& must_stop, std::string& why_not) {
        add_first();
        for (std::size_t i = 0; i < states_.size(); ++i) {
            if (must_stop()) return std::nullopt;
            if (states_.size() > most_states)
                why_not_ = "its handshake has more than " + std::to_string(most_states) + " states";
            for (const bool valid : {true, false})
                for (const bool ready : {true, false})
                    if (why_not_.empty() && (ready || found_.handshake.can_wait)) edge(i, valid, ready);
            if (!why_not_.empty()) break;
        }
        if (why_not_.empty() && !set_patience()) why_not_ = "there is a state from which no operands are taken again";
        why_not = why_not_;
        if (!why_not.empty()) return std::nullopt;
        write_states();
        return std::move(found_);
    }

  private:
    struct State {
        Bits registers; ///< gates over operations on their way, or unsaid
        std::vector<int> left;
        std::vector<std::size_t> waits = {}; ///< states after an edge that could take operands, and does not
    };

    /// Inputs that may be anything, or, in the one of two simulations, are 0 if they are open.
    Bits added(std::size_t count, bool is_open = false) {
        Bits bits;
        while (bits.size() < count) {
            Simulation::Values values{};
            for (std::uint64_t& word : values.random) word = random_.bits();
            if (!is_open) values.zero = values.random;
            bits.push_back(n_.add_input());
            simulation_.set(bits.back(), values);
        }
        return bits;
    }

    Bits added_operation() {
        Bits bits;
        for (std::size_t i = 0; i < operands_; ++i) {
            Simulation::Values values{};
            for (std::size_t w = 0; w < Simulation::words; ++w)
                values.random[w] = values.zero[w] = words_[(next_word_ + w) % words_.size()][i];
            bits.push_back(n_.add_input());
            simulation_.set(bits.back(), values);
        }
        next_word_ += Simulation::words;
        return bits;
    }

    const Bits& operation(std::size_t place) {
        while (operations_.size() <= place) operations_.push_back(added_operation());
        return operations_[place];
    }

    Bits after_edge(const Bits& operands, Literal valid, Literal ready, Literal reset, const Bits& open,
                    const Bits& registers) {
        Bits in = operands;
        in.insert(in.end(), {valid, ready, reset});
        in.insert(in.end(), open.begin(), open.end());
        in.insert(in.end(), registers.begin(), registers.end());
        return placed(n_, design_.edge, in);
    }

    Bits registers_of(const Bits& outputs) const {
        return {outputs.end() - static_cast<std::ptrdiff_t>(registers_.size()), outputs.end()};
    }

    void add_first() {
        Bits registers = registers_;
        for (int i = 0; i < found_.handshake.reset_edges; ++i) {
            const Literal ready = found_.handshake.can_wait ? n_.add_input() : yes, valid = n_.add_input();
            registers = registers_of(after_edge(added(operands_), valid, ready, yes, added(open_.size()), registers));
        }
        for (Literal& x : registers)
            if (x > yes) x = unsaid;
        add({registers, {}});
    }

    void edge(std::size_t from, bool valid, bool ready) {
        const State state = states_[from]; // which moves as others come
        Bits holds = registers_;
        for (std::size_t i = 0; i < holds.size(); ++i)
            if (state.registers[i] != unsaid) holds[i] = state.registers[i];
        const Bits out = after_edge(at_ports_, valid ? yes : no, ready ? yes : no, no, open_, holds);
        const std::size_t ports = out.size() - registers_.size() - ClockedCircuit::ports_out;
        const Literal takes = valid ? out[ports] : no, gives = ready ? out[ports + 1] : no;
        if (takes > yes || gives > yes) {
            why_not_ = std::string(takes > yes ? "in_ready" : "out_valid") +
                       " depends on operands, or on what registers held before the reset";
            return;
        }
        const bool taken = takes == yes, given = gives == yes;
        const auto left = found_.handshake.owed_after(state.left, ready, taken, given);
        if (!left) {
            why_not_ = "a result is late, or not owed";
            return;
        }
        const auto before = state.left.size();
        const std::size_t next = add({registers_after(registers_of(out), before, taken, given), *left});
        if (valid && ready && !taken) states_[from].waits.push_back(next);
    }

    /// What registers hold, over operations by their places after an edge.
    Bits registers_after(const Bits& out, std::size_t before, bool taken, bool given) {
        const auto [names, is_new] = names_.try_emplace(std::tuple(before, taken, given));
        if (is_new) {
            std::map<std::uint32_t, Literal> with_zeros = names_after(before, taken, given);
            names->second.first = std::make_unique<Renamed>(n_, n_, with_zeros);
            for (const Literal x : open_) with_zeros[node_of(x)] = no;
            names->second.second = std::make_unique<Renamed>(n_, n_, std::move(with_zeros));
        }
        auto& [exactly, with_zeros] = names->second;
        Bits registers, doubtful;
        std::vector<std::size_t> places;
        for (const Literal x : out) {
            registers.push_back((*exactly)(x));
            if (registers.back() != unsaid || (*with_zeros)(x) == unsaid) continue;
            places.push_back(registers.size() - 1);
            doubtful.push_back(x);
        }
        const std::vector<bool> same = simulation_.are_the_same(doubtful);
        for (std::size_t i = 0; i < places.size(); ++i)
            if (same[i]) registers[places[i]] = (*with_zeros)(doubtful[i]);
        return registers;
    }

    std::map<std::uint32_t, Literal> names_after(std::size_t before, bool taken, bool given) {
        std::map<std::uint32_t, Literal> names;
        const auto rename = [&](const Bits& from, const Bits& to) {
            for (std::size_t i = 0; i < operands_; ++i) names[node_of(from[i])] = to[i];
        };
        std::size_t place = 0;
        for (std::size_t i = given ? 1 : 0; i < before; ++i) {
            const Bits to = operation(place++);
            rename(operation(i), to);
        }
        if (taken && !(given && before == 0)) rename(at_ports_, operation(place));
        return names;
    }

    std::size_t add(State state) {
        const auto [known, is_new] = known_.emplace(std::pair(state.registers, state.left), states_.size());
        if (is_new) states_.push_back(std::move(state));
        return known->second;
    }

    /// Of each state, at how many edges it may wait. @return whether there is a most
    bool set_patience() {
        std::vector<int> patience(states_.size());
        bool grows = true;
        for (std::size_t round = 0; grows; ++round) {
            if (round > states_.size()) return false;
            grows = false;
            for (std::size_t i = 0; i < states_.size(); ++i)
                for (const std::size_t next : states_[i].waits)
                    if (patience[i] <= patience[next]) {
                        patience[i] = patience[next] + 1;
                        grows = true;
                    }
        }
        for (std::size_t i = 0; i < states_.size(); ++i)
            found_.handshake.states.push_back({states_[i].left, patience[i]});
        return true;
    }

    void write_states() {
        Netlist own(found_.handshake.most_operations() * operands_, true);
        std::map<std::uint32_t, Literal> names;
        for (std::size_t i = 0; i < own.inputs(); ++i)
            names[node_of(operations_[i / operands_][i % operands_])] = own.input(i);
        Renamed renamed(n_, own, std::move(names));
        Bits outputs;
        for (const State& state : states_) {
            outputs.push_back(yes);
            for (const Literal x : state.registers) {
                const Literal held = x == unsaid ? unsaid : renamed(x);
                outputs.insert(outputs.end(), {held == unsaid ? no : held, held == unsaid ? no : yes});
            }
        }
        found_.circuit = and_circuit(own, outputs, true);
    }

    const std::vector<OperationWords>& words_;
    std::size_t operands_;
    const ClockedCircuit& design_;
    Netlist n_;
    Simulation simulation_;
    Random random_{1};
    std::size_t next_word_ = 0;
    Bits at_ports_, open_, registers_;
    std::vector<Bits> operations_; ///< on their way, the oldest first
    /// Exactly, where what depends on what is open has no name, and with 0 for that.
    using Names = std::pair<std::unique_ptr<Renamed>, std::unique_ptr<Renamed>>;
    std::map<std::tuple<std::size_t, bool, bool>, Names> names_;
    std::vector<State> states_;
    std::map<std::pair<Bits, std::vector<int>>, std::size_t> known_;
    FoundStates found_;
    std::string why_not_;
};

} // namespace

std::optional<FoundStates> find_states(const std::vector<OperationWords>& operations, const ClockedCircuit& design,
                                       const CertifiedHandshake& asked, int reset_edges,
                                       const std::function<bool()>& must_stop, std::string& why_not) {
    return Finding(operations, design, asked, reset_edges).run(must_stop, why_not);
}

} // namespace discern::certificate
