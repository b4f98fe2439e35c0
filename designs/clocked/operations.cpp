// Sequences of operations on the netlist: evaluated, asked of a solver, and shortened.
#include "operations.hpp"

#include "patterns.hpp"

#include "models/evaluate.hpp"
#include "models/format.hpp"
#include "solver/backend/backend.hpp"

#include <algorithm>
#include <map>

namespace discern::rtl {

namespace {

constexpr std::size_t operations_of_a_run = 256;
constexpr int runs = 12;
constexpr int deepest = 24;

/// Every bit of the operands inverted.
Vector inverted(const Unit& unit, Vector v) {
    for (const Operand operand : all_operands)
        if (const Format* const f = format_of(unit, operand))
            for (std::uint64_t& x : row_of<std::uint64_t>(v, operand)) x = ~x & f->mask();
    return v;
}

} // namespace

Operations::Operations(const DesignQuestion& question) : question_(question) {}

Operations::Values Operations::results(const std::vector<Vector>& operations, Values* states) const {
    const Connection& connection = question_.connection;
    Terms t;
    const InputTerms inputs = input_variables(t, question_.unit);
    const std::vector<Net> nets = observed_nets(question_.design, connection);
    Machine fresh(t, question_.design, connection, nets, "reset"), machine(t, question_.design, connection, nets);
    fresh.reset();
    const Start begin = start(t, machine, {});
    machine.evaluate({.reset = false, .operands = &inputs});
    const Term d = machine.word(result_nets(question_.design, connection));
    const Term held = connection.state ? machine.word(connection.state->bits) : d; // before the edge
    machine.edge();
    std::vector<Term> roots = {d, held};
    std::vector<Term> first;
    for (const std::size_t r : machine.registers()) {
        roots.push_back(machine.state(r));
        first.push_back(fresh.state(r));
    }
    TermEvaluator after_reset(t, first), evaluator(t, roots);
    Values results(operations.size()), left(operations.size());
    const std::uint64_t fills[] = {0, ~0ull, 0x5555555555555555u};
    for (const std::uint64_t fill : fills) {
        for (const Term variable : t.variables()) {
            evaluator.set(variable, fill);
            after_reset.set(variable, fill);
        }
        after_reset.run();
        std::map<std::size_t, Bits> state;
        for (const std::size_t r : machine.registers()) state.emplace(r, after_reset.value(fresh.state(r)));
        const auto look = [&](const Vector& v) {
            set_inputs(evaluator, inputs, v.inputs());
            for (const auto& [r, variables] : begin.variables)
                for (std::size_t i = 0; i < variables.size(); ++i) evaluator.set(variables[i], state.at(r).words()[i]);
            evaluator.run();
        };
        const auto edge = [&] {
            for (auto& [r, value] : state) value = evaluator.value(machine.state(r));
        };
        const auto note = [&](Values& values, std::size_t operation, Term of) {
            const std::uint64_t value = evaluator.low(of);
            if (fill == fills[0]) values[operation] = value;
            if (values[operation] != value) values[operation].reset();
        };
        const auto cycles = static_cast<std::size_t>(connection.cycles);
        if (connection.hold) {
            for (std::size_t i = 0; i < operations.size(); ++i) {
                for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
                    look(operations[i]);
                    if (cycle == 0) note(left, i, held);
                    edge();
                }
                look(operations[i]);
                note(results, i, d);
            }
            continue;
        }
        const Vector rest = operations.empty() ? Vector{} : inverted(question_.unit, operations.back());
        for (std::size_t i = 0; i < operations.size() + cycles; ++i) {
            look(i < operations.size() ? operations[i] : rest);
            if (i >= cycles) note(results, i - cycles, d);
            if (connection.state && i + 1 >= cycles && i + 1 - cycles < operations.size())
                note(left, i + 1 - cycles, held);
            edge();
        }
    }
    if (states != nullptr) *states = std::move(left);
    return results;
}

bool Operations::is_allowed(const Vector& v) const {
    return question_.limits.none() || allows(question_.limits, question_.unit, v.inputs());
}

std::optional<Sequence> Operations::checked(std::vector<Vector> operations) const {
    Values states;
    const auto designs = results(operations, &states);
    Evaluator unit(question_.unit);
    if (question_.connection.state)
        for (std::size_t i = 0; i < operations.size(); ++i) operations[i].c = states[i].value_or(0);
    for (std::size_t i = 0; i < operations.size(); ++i) {
        if (!designs[i]) continue;
        if (question_.connection.state && (!states[i] || !is_allowed(operations[i]))) continue;
        const std::uint64_t d = unit(operations[i].inputs());
        if (same_result(question_.unit, d, *designs[i])) continue;
        return Sequence{std::move(operations), i};
    }
    return std::nullopt;
}

std::optional<Sequence> Operations::search(std::uint64_t seed, const Limit& limit) const {
    const Shape shape = shape_of(question_.unit);
    Stream stream(question_.unit, seed);
    for (int run = 0; run < runs && !limit.reached(); ++run) {
        std::vector<Vector> operations;
        for (std::size_t i = 0; i < operations_of_a_run; ++i) {
            Vector vector = vector_of(shape, stream.next().inputs());
            if (question_.connection.state) vector.c = 0; // it is what is there
            if (is_allowed(vector)) operations.push_back(std::move(vector));
        }
        if (operations.empty()) continue;
        if (auto found = checked(std::move(operations))) return shortened(std::move(*found), limit);
    }
    return std::nullopt;
}

std::optional<Sequence> Operations::solve(int& asked, std::optional<Vector>& undefined, const Limit& limit) const {
    if (backends().empty()) return std::nullopt;
    const Connection& connection = question_.connection;
    for (asked = 0; asked < deepest && !limit.reached(); ++asked) {
        Terms t;
        const InputTerms inputs = input_variables(t, question_.unit);
        Machine machine(t, question_.design, connection, observed_nets(question_.design, connection));
        machine.reset();
        std::vector<InputTerms> operations;
        const auto of = [&](int i) -> const InputTerms& {
            if (i == asked) return inputs;
            while (static_cast<int>(operations.size()) <= i)
                operations.push_back(numbered(t, inputs, static_cast<int>(operations.size())));
            return operations[static_cast<std::size_t>(i)];
        };
        const int last = connection.hold ? asked : asked + connection.cycles;
        operations.reserve(static_cast<std::size_t>(last) + 1);
        const int each = connection.hold ? connection.cycles : 1; // edges from one operation to the next
        const int edges = asked * each + connection.cycles; // … and to the result of the one that is asked about
        InputTerms unit_inputs = inputs;
        for (int i = 0; i < edges; ++i) {
            machine.evaluate({.reset = false, .operands = &of(i / std::max(each, 1))});
            if (connection.state && i == asked * each + connection.state->cycle)
                unit_inputs.c = machine.word(connection.state->bits);
            machine.edge();
        }
        machine.evaluate({.reset = false, .operands = &of(last)});
        const Term d1 = encode(t, question_.unit, unit_inputs);
        const Term d2 = machine.word(result_nets(question_.design, connection));
        Term differ = results_differ(t, question_.unit, question_.unit, d1, d2);
        for (int i = 0; i <= last; ++i)
            differ = t.bvand(differ, allowed(t, question_.limits, question_.unit, i == asked ? unit_inputs : of(i)));
        if (differ == t.truth(false)) continue;
        const auto backend = backends().front().make(t, 0);
        backend->require(differ);
        const Outcome outcome = backend->check(limit);
        if (outcome == Outcome::unknown) break;
        if (outcome == Outcome::unsat) continue;
        std::vector<Vector> found;
        for (int i = 0; i <= last; ++i) found.push_back(solution(*backend, of(i)));
        if (auto sequence = checked(found)) return shortened(std::move(*sequence), limit);
        undefined = std::move(found[static_cast<std::size_t>(asked)]);
        break;
    }
    return std::nullopt;
}

Sequence Operations::shortened(Sequence sequence, const Limit& limit) const {
    const auto cycles = static_cast<std::size_t>(question_.connection.hold ? 0 : question_.connection.cycles);
    const auto attempt = [&](std::size_t first, std::size_t end) {
        const auto at = [&](std::size_t i) { return sequence.operations.begin() + static_cast<std::ptrdiff_t>(i); };
        auto found = checked({at(first), at(end)});
        if (found) sequence = std::move(*found);
        return found.has_value();
    };
    // Nothing behind it; then as little as possible before it.
    if (!attempt(0, sequence.wrong + 1)) attempt(0, std::min(sequence.wrong + 1 + cycles, sequence.operations.size()));
    for (std::size_t before = 0; before < sequence.wrong && !limit.reached(); before = before * 2 + 1)
        if (attempt(sequence.wrong - before, sequence.operations.size())) break;
    while (sequence.wrong > 0 && !limit.reached() && attempt(1, sequence.operations.size())) {
    }
    for (std::size_t i = 0; i < sequence.operations.size() && !limit.reached(); ++i) {
        Sequence simpler = sequence;
        Vector& v = simpler.operations[i];
        for (auto* row : {&v.a, &v.b})
            for (std::uint64_t& x : *row) x = 0;
        if (v.c) v.c = 0;
        if (!is_allowed(v)) continue;
        if (auto found = checked(std::move(simpler.operations))) sequence = std::move(*found);
    }
    const auto designs = results(sequence.operations);
    Evaluator unit(question_.unit);
    for (std::size_t i = 0; i < sequence.operations.size(); ++i) {
        Vector& v = sequence.operations[i];
        if (!designs[i]) continue;
        v.d = {unit(v.inputs()), *designs[i]};
        v.d_is_list = true;
    }
    return sequence;
}

} // namespace discern::rtl
