#include "recovered.hpp"

#include <array>
#include <optional>
#include <utility>

namespace discern::certificate {

namespace {

class Finder {
  public:
    Finder(const Netlist& netlist, std::size_t first) : nodes_(netlist.nodes()), first_(first) {}

    Recovered run() {
        Recovered result;
        std::vector<std::size_t> readers(nodes_.size()), readers_that_are_made(nodes_.size());
        for (std::size_t i = first_; i < nodes_.size(); ++i) {
            for (std::size_t k = 0; k < inputs_of(nodes_[i].gate); ++k) ++readers[node_of(nodes_[i].in[k])];
            const auto found = made_of(i);
            if (!found) continue;
            result.made.emplace(i, *found);
            for (const Literal part : nodes_[i].in)
                if (is_gate(part)) ++readers_that_are_made[node_of(part)];
        }
        result.is_part.resize(nodes_.size());
        for (std::size_t i = first_; i < nodes_.size(); ++i)
            result.is_part[i] = readers[i] != 0 && readers[i] == readers_that_are_made[i];
        return result;
    }

  private:
    bool is_gate(Literal x) const { return node_of(x) >= first_ && nodes_[node_of(x)].gate == Gate::and_; }
    /// The inputs of a nand.
    std::optional<std::array<Literal, 2>> nand(Literal x) const {
        if (!is_inverted(x) || !is_gate(x)) return std::nullopt;
        const auto& in = nodes_[node_of(x)].in;
        return std::array{in[0], in[1]};
    }

    /// Of an and-gate that reads two nands: what the four literals make.
    std::optional<Recovered::Made> made_of(std::size_t i) const {
        if (nodes_[i].gate != Gate::and_) return std::nullopt;
        const auto one = nand(nodes_[i].in[0]), other = nand(nodes_[i].in[1]);
        if (!one || !other) return std::nullopt;
        const auto [x, y] = *one;
        const auto [u, v] = *other;
        if ((u == invert(x) && v == invert(y)) || (u == invert(y) && v == invert(x)))
            return Recovered::Made{{Gate::xor_, {x, y, no}}, false};
        for (const auto& [condition, then] : {std::pair(x, y), std::pair(y, x)})
            for (const auto& [opposite, otherwise] : {std::pair(u, v), std::pair(v, u)})
                if (opposite == invert(condition))
                    return Recovered::Made{{Gate::mux, {condition, then, otherwise}}, true};
        for (const auto& [two, rest] : {std::pair(*one, *other), std::pair(*other, *one)})
            for (const auto& [third, either] : {std::pair(rest[0], rest[1]), std::pair(rest[1], rest[0])}) {
                const auto neither = nand(either);
                if (neither && ((neither->at(0) == invert(two[0]) && neither->at(1) == invert(two[1])) ||
                                (neither->at(0) == invert(two[1]) && neither->at(1) == invert(two[0]))))
                    return Recovered::Made{{Gate::majority, {two[0], two[1], third}}, true};
            }
        return std::nullopt;
    }

    const std::vector<Netlist::Node>& nodes_;
    std::size_t first_;
};

} // namespace

Recovered recovered(const Netlist& netlist, std::size_t first) { return Finder(netlist, first).run(); }

} // namespace discern::certificate
