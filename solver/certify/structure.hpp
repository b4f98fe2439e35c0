// Gates found by what they are made of: which gate has these inputs?
#pragma once

#include "certificate/netlist.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>

namespace discern::certificate {

/// A gate over some literals in a form that equal ones share, and whether its opposite has that form.
struct Form {
    Netlist::Node node;
    bool opposed = false;

    explicit Form(Netlist::Node gate) : node(gate) {
        auto& in = node.in;
        if (node.gate == Gate::both && in[0] > in[1]) std::swap(in[0], in[1]);
        if (node.gate == Gate::different) {
            opposed = is_opposite(in[0]) != is_opposite(in[1]);
            for (int i : {0, 1}) in[static_cast<std::size_t>(i)] &= ~1u;
            if (in[0] > in[1]) std::swap(in[0], in[1]);
        }
        if (node.gate == Gate::choice) {
            if (is_opposite(in[0])) {
                in[0] = opposite(in[0]);
                std::swap(in[1], in[2]);
            }
            oppose_if(is_opposite(in[1]), 1);
        }
        if (node.gate == Gate::majority) {
            std::sort(in.begin(), in.end());
            oppose_if(is_opposite(in[0]), 0);
            std::sort(in.begin(), in.end());
        }
    }

  private:
    void oppose_if(bool condition, std::size_t first) {
        if (!condition) return;
        opposed = true;
        for (std::size_t i = first; i < 3; ++i) node.in[i] = opposite(node.in[i]);
    }
};

class Structure {
  public:
    /// The literal that is such a gate.
    std::optional<Literal> find(const Netlist::Node& gate) const {
        const Form form(gate);
        const auto found = gates_.find(form.node);
        if (found == gates_.end()) return std::nullopt;
        return opposite_if(form.opposed, found->second);
    }
    /// The first that enters is found.
    void enter(const Netlist::Node& gate, Literal x) {
        const Form form(gate);
        gates_.emplace(form.node, opposite_if(form.opposed, x));
    }

  private:
    struct Hash {
        std::size_t operator()(const Netlist::Node& node) const {
            std::uint64_t x = static_cast<std::uint64_t>(node.gate);
            for (const Literal in : node.in) {
                x = (x ^ in) * 0x9e3779b97f4a7c15ull;
                x ^= x >> 31;
            }
            return x;
        }
    };
    std::unordered_map<Netlist::Node, Literal, Hash> gates_;
};

} // namespace discern::certificate
