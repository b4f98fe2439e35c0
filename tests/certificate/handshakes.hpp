// Small designs with handshakes as circuits, and an evaluator of them that shares nothing with certificates: it counts
// what is owed by itself, and asks the evaluator of units what results have to be.
#pragma once

#include "certificate/aiger.hpp"
#include "solver/certify/write.hpp"

#include "models/evaluate.hpp"
#include "models/notation.hpp"
#include "models/random.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace discern::tests {

using namespace certificate;

/// Of eight bits of operands.
inline const Unit& unit_of_handshakes() {
    static const Unit unit = parse_unit("e2m1*e2m1->e4m3 K=1 L=1 nan=7f : round[e4m3 rne](fuse[exact](p*))");
    return unit;
}
constexpr std::size_t bits_of_operands = 8, bits_of_d = 8;

/// What is at the ports and in the registers before an edge; what is to come out, and to be held after it.
struct Edge {
    Netlist n;
    Bits operands, open, held;
    Literal valid, ready, reset;
    Literal in_ready = yes, out_valid = no;
    Bits d, after;

    explicit Edge(std::size_t registers, std::size_t opens = 0) : n(bits_of_operands + 3 + opens + registers, true) {
        for (std::size_t i = 0; i < bits_of_operands; ++i) operands.push_back(n.input(i));
        valid = n.input(bits_of_operands);
        ready = n.input(bits_of_operands + 1);
        reset = n.input(bits_of_operands + 2);
        for (std::size_t i = 0; i < opens; ++i) open.push_back(n.input(bits_of_operands + 3 + i));
        for (std::size_t i = 0; i < registers; ++i) held.push_back(n.input(bits_of_operands + 3 + opens + i));
    }
    Bits part(std::size_t first, std::size_t count) const {
        const auto begin = held.begin() + static_cast<std::ptrdiff_t>(first);
        return {begin, begin + static_cast<std::ptrdiff_t>(count)};
    }
    Bits mux(Literal condition, const Bits& then, const Bits& otherwise) {
        Bits all;
        for (std::size_t i = 0; i < then.size(); ++i) all.push_back(n.make_mux(condition, then[i], otherwise[i]));
        return all;
    }
    /// The unit's result.
    Bits product(const Bits& of) {
        Operands in;
        in.a = {Bits(of.begin(), of.begin() + 4)};
        in.b = {Bits(of.begin() + 4, of.end())};
        return reference_circuit(n, unit_of_handshakes(), in);
    }
    void hold(const Bits& bits) { after.insert(after.end(), bits.begin(), bits.end()); }
    void hold_unless_reset(Literal x) { after.push_back(n.make_and(invert(reset), x)); }

    ClockedCircuit circuit() const {
        Bits outputs = d;
        outputs.insert(outputs.end(), {in_ready, out_valid});
        outputs.insert(outputs.end(), after.begin(), after.end());
        return {and_circuit(n, outputs, true), held.size()};
    }
};

struct MadeDesign {
    std::string name;
    ClockedCircuit circuit;
    int cycles;
};

/// A register for the result. @param change  of what it is to hold @param opens  inputs that are open, for that
inline MadeDesign one_stage(const std::string& name = "one stage", std::size_t opens = 0,
                            const std::function<void(Edge&, Bits&)>& change = {}) {
    Edge e(1 + bits_of_d, opens);
    const Literal full = e.held[0];
    e.in_ready = e.n.make_or(invert(full), e.ready);
    e.out_valid = full;
    e.d = e.part(1, bits_of_d);
    e.hold_unless_reset(e.n.make_mux(e.in_ready, e.valid, full));
    Bits product = e.product(e.operands);
    if (change) change(e, product);
    e.hold(e.mux(e.in_ready, product, e.d));
    return {name, e.circuit(), 1};
}

/// Registers for operands and result; an empty stage takes what comes.
inline MadeDesign two_stages() {
    Edge e(2 + bits_of_operands + bits_of_d);
    const Literal first = e.held[0], second = e.held[1];
    const Bits taken = e.part(2, bits_of_operands);
    e.d = e.part(2 + bits_of_operands, bits_of_d);
    const Literal moves = e.n.make_or(invert(second), e.ready);
    e.in_ready = e.n.make_or(invert(first), moves);
    e.out_valid = second;
    e.hold_unless_reset(e.n.make_mux(e.in_ready, e.valid, first));
    e.hold_unless_reset(e.n.make_mux(moves, first, second));
    e.hold(e.mux(e.in_ready, e.operands, taken));
    e.hold(e.mux(moves, e.product(taken), e.d));
    return {"two stages", e.circuit(), 2};
}

/// A register beside the result, for when it is taken too late to stop the operands.
inline MadeDesign with_skid() {
    Edge e(2 + 2 * bits_of_d);
    const Literal full = e.held[0], beside = e.held[1];
    e.d = e.part(2, bits_of_d);
    const Bits other = e.part(2 + bits_of_d, bits_of_d);
    e.in_ready = invert(beside);
    e.out_valid = full;
    const Literal takes = e.n.make_and(e.valid, e.in_ready), moves = e.n.make_or(invert(full), e.ready);
    const Bits product = e.product(e.operands);
    const Literal next = e.n.make_or(beside, takes);
    e.hold_unless_reset(e.n.make_mux(moves, next, full));
    e.hold_unless_reset(e.n.make_and(invert(moves), next));
    e.hold(e.mux(moves, e.mux(beside, other, product), e.d));
    e.hold(e.mux(takes, product, other));
    return {"skid", e.circuit(), 1};
}

/// One operation at a time, three edges long.
inline MadeDesign three_edges() {
    Edge e(2 + bits_of_d);
    const Literal low = e.held[0], high = e.held[1];
    const Literal idle = e.n.make_and(invert(low), invert(high)), done = e.n.make_and(low, high);
    e.d = e.part(2, bits_of_d);
    e.in_ready = idle;
    e.out_valid = done;
    const Literal waits = e.n.make_and(done, invert(e.ready)), goes = e.n.make_and(idle, e.valid);
    const Literal second = e.n.make_and(high, invert(low)), first = e.n.make_and(low, invert(high));
    const Literal to_low = e.n.make_or(goes, second), to_high = e.n.make_or(first, second);
    e.hold_unless_reset(e.n.make_or(waits, to_low));
    e.hold_unless_reset(e.n.make_or(waits, to_high));
    e.hold(e.mux(idle, e.product(e.operands), e.d));
    return {"three edges", e.circuit(), 3};
}

/// No registers.
inline MadeDesign combinational() {
    Edge e(0);
    e.in_ready = e.ready;
    e.out_valid = e.valid;
    e.d = e.product(e.operands);
    return {"combinational", e.circuit(), 0};
}

/// What is open is in the gates of a result, and in none of its values.
inline MadeDesign with_open() {
    return one_stage("open", 1, [](Edge& e, Bits& product) {
        const Bits& x = e.operands;
        const Literal parity = e.n.make_xor(e.n.make_xor(x[0], x[1]), x[2]);
        const Literal again = e.n.make_xor(x[0], e.n.make_xor(x[1], x[2]));
        const Literal never = e.n.make_and(parity, invert(again));
        for (Literal& bit : product) bit = e.n.make_mux(never, e.open[0], bit);
    });
}

inline std::vector<MadeDesign> right_designs() {
    return {one_stage(), two_stages(), with_skid(), three_edges(), combinational(), with_open()};
}

/// What is wrong in random runs from the reset, as the claim says it; empty: nothing was seen.
/// @param takes_within  after so many edges with all offered and taken, operands are taken
inline std::string fault_of(const ClockedCircuit& design, int cycles, int reset_edges, int takes_within,
                            std::uint64_t seed, int runs = 40, int edges = 60) {
    Random random(seed);
    const Evaluator unit(unit_of_handshakes());
    const std::size_t inputs = design.edge.inputs - design.registers;
    struct Owed {
        std::uint64_t d;
        int passed = 0, most;
    };
    for (int run = 0; run < runs; ++run) {
        std::vector<std::uint64_t> registers;
        while (registers.size() < design.registers) registers.push_back(random.bits() & 1u);
        std::deque<Owed> owed;
        int offered_in_vain = 0;
        std::uint64_t mostly = random.bits();
        for (int at = 0; at < reset_edges + edges; ++at) {
            if (at % 8 == 0) mostly = random.bits();
            const bool in_reset = at < reset_edges;
            const bool valid = random.one_in(3) ? random.one_in(2) : (mostly & 1u) != 0;
            const bool ready = random.one_in(3) ? random.one_in(2) : (mostly & 2u) != 0;
            InputBuffer x;
            x.a = {random.bits() & 15u};
            x.b = {random.bits() & 15u};
            std::vector<std::uint64_t> values = {0};
            for (std::size_t i = 0; i < 4; ++i) values.push_back((x.a[0] >> i) & 1u);
            for (std::size_t i = 0; i < 4; ++i) values.push_back((x.b[0] >> i) & 1u);
            values.insert(values.end(), {valid ? 1u : 0u, ready ? 1u : 0u, in_reset ? 1u : 0u});
            while (values.size() < 1 + inputs) values.push_back(random.bits() & 1u); // what is open
            values.insert(values.end(), registers.begin(), registers.end());
            const auto value = [&](Literal y) { return (values[node_of(y)] ^ y) & 1u; };
            for (const auto& [one, other] : design.edge.gates) values.push_back(value(one) & value(other));
            std::vector<std::uint64_t> out;
            for (const Literal y : design.edge.outputs) out.push_back(value(y));
            registers.assign(out.end() - static_cast<std::ptrdiff_t>(design.registers), out.end());
            if (in_reset) continue;
            const bool taken = valid && out[bits_of_d] != 0, given = ready && out[bits_of_d + 1] != 0;
            const std::size_t older = owed.size();
            if (taken) owed.push_back({unit(x.inputs()), 0, cycles + static_cast<int>(older)});
            offered_in_vain = valid && ready && !taken ? offered_in_vain + 1 : 0;
            if (offered_in_vain >= takes_within) return "no operands are taken";
            if (given) {
                if (owed.empty()) return "a result is not owed";
                std::uint64_t d = 0;
                for (std::size_t i = 0; i < bits_of_d; ++i) d |= out[i] << i;
                if (d != owed.front().d) return "a result is wrong";
                owed.pop_front();
            }
            if (!ready) continue;
            const std::size_t kept_new = taken && !(given && older == 0) ? 1 : 0;
            for (std::size_t i = 0; i < owed.size(); ++i) {
                if (i + kept_new < owed.size()) ++owed[i].passed; // it was there before
                if (owed[i].passed >= owed[i].most) return "a result is late";
            }
        }
    }
    return "";
}

} // namespace discern::tests
