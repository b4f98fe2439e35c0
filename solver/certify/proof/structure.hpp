// Structural hashing: gates found by their kind and inputs.
#pragma once

#include "certificate/circuit/netlist.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace discern::certificate {

/// The normal form of a gate over some literals, and whether it is the gate's negation that has this form.
struct Form {
    Netlist::Node node;
    bool inverted = false;

    explicit Form(Netlist::Node gate) : node(gate) {
        auto& in = node.in;
        if (node.gate == Gate::and_ && in[0] > in[1]) std::swap(in[0], in[1]);
        if (node.gate == Gate::xor_) {
            inverted = is_inverted(in[0]) != is_inverted(in[1]);
            for (int i : {0, 1}) in[static_cast<std::size_t>(i)] &= ~1u;
            if (in[0] > in[1]) std::swap(in[0], in[1]);
        }
        if (node.gate == Gate::mux) {
            if (is_inverted(in[0])) {
                in[0] = invert(in[0]);
                std::swap(in[1], in[2]);
            }
            invert_if(is_inverted(in[1]), 1);
        }
        if (node.gate == Gate::majority) {
            std::sort(in.begin(), in.end());
            invert_if(is_inverted(in[0]), 0);
            std::sort(in.begin(), in.end());
        }
    }

  private:
    void invert_if(bool condition, std::size_t first) {
        if (!condition) return;
        inverted = true;
        for (std::size_t i = first; i < 3; ++i) node.in[i] = invert(node.in[i]);
    }
};

/// What a gate is if inputs of it are constants, or the same.
struct Folded {
    std::optional<Netlist::Node> gate; ///< none: it is the literal
    Literal literal;                   ///< … of a gate only whether it is inverted counts

    static constexpr Literal positive = 2;
    explicit Folded(const Netlist::Node& node) : gate(node), literal(positive) {
        const auto x = node_of(node.in[0]), y = node_of(node.in[1]), z = node_of(node.in[2]);
        const bool three = inputs_of(node.gate) == 3;
        if (x != 0 && y != 0 && x != y && (!three || (z != 0 && x != z && y != z))) return;
        gate.reset();
        Netlist list(0);
        literal = list.make(node.gate, node.in[0], node.in[1], node.in[2]);
        if (list.nodes().size() > 1) gate = list.nodes().back();
    }
};

class Structure {
  public:
    /// The literal that is such a gate.
    std::optional<Literal> find(const Netlist::Node& gate) const {
        const Form form(gate);
        const auto found = gates_.find(form.node);
        if (found == gates_.end()) return std::nullopt;
        return invert_if(form.inverted, found->second);
    }
    /// The first that enters is found.
    void enter(const Netlist::Node& gate, Literal x) {
        const Form form(gate);
        gates_.emplace(form.node, invert_if(form.inverted, x));
    }

  private:
    std::unordered_map<Netlist::Node, Literal, Netlist::Hash> gates_;
};

} // namespace discern::certificate
