#include "orders.hpp"

#include "proof/parts.hpp"

#include "certificate/reference.hpp"
#include "models/unit/tree_shape.hpp"

#include <algorithm>
#include <string>

namespace discern::certificate {

namespace {

/// Every leaf that stands for many becomes many.
void expand(Node& node, int L) {
    if (auto* round = std::get_if<Round>(&node.kind)) expand(round->get(), L);
    auto* fuse = std::get_if<Fuse>(&node.kind);
    if (fuse == nullptr) return;
    std::vector<Child> children;
    const auto one_by_one = [&](const Child& child, const auto& leaf, int count) {
        for_each(leaf.which, count, [&](int i) {
            children.push_back(child);
            auto one = leaf;
            one.which = {i, 0};
            children.back().get().kind = one;
        });
    };
    for (Child& child : fuse->children) {
        if (const auto* product = std::get_if<Product>(&child.get().kind))
            one_by_one(child, *product, L);
        else if (const auto* group = std::get_if<Group>(&child.get().kind))
            one_by_one(child, *group, L / group->size);
        else
            expand(children.emplace_back(std::move(child)).get(), L);
    }
    fuse->children = std::move(children);
}

/// What a node is a sum of, in any order.
std::string terms(const Node& node) {
    if (const auto* product = std::get_if<Product>(&node.kind)) return "p" + std::to_string(product->which.first);
    if (const auto* group = std::get_if<Group>(&node.kind)) return "g" + std::to_string(group->which.first);
    if (const auto* round = std::get_if<Round>(&node.kind)) return "r(" + terms(round->get()) + ")";
    if (const auto* fuse = std::get_if<Fuse>(&node.kind)) {
        std::vector<std::string> list;
        for (const Child& child : fuse->children) list.push_back(terms(child.get()));
        std::sort(list.begin(), list.end());
        std::string all = "(";
        for (const std::string& one : list) all += one + " ";
        return all + ")";
    }
    return "c";
}

class Exchanges {
  public:
    explicit Exchanges(const Unit& from) : unit_(from) { expand(unit_.tree, unit_.L); }

    std::vector<Unit> towards(Unit to) {
        expand(to.tree, to.L);
        arrange(unit_.tree, to.tree);
        return std::move(units_);
    }

  private:
    void arrange(Node& node, const Node& goal) {
        if (auto* round = std::get_if<Round>(&node.kind); round != nullptr && std::holds_alternative<Round>(goal.kind))
            arrange(round->get(), std::get<Round>(goal.kind).get());
        auto* fuse = std::get_if<Fuse>(&node.kind);
        const auto* other = std::get_if<Fuse>(&goal.kind);
        if (fuse == nullptr || other == nullptr || terms(node) != terms(goal)) return;
        auto& children = fuse->children;
        for (std::size_t i = 0; i < children.size(); ++i) {
            const std::string wanted = terms(other->children[i].get());
            std::size_t at = i;
            while (terms(children[at].get()) != wanted) ++at;
            for (; at > i; --at) {
                std::swap(children[at], children[at - 1]);
                units_.push_back(unit_);
            }
            arrange(children[i].get(), other->children[i].get());
        }
    }

    Unit unit_;
    std::vector<Unit> units_;
};

/// Notes which gates are those of sums.
class Sums : public circuit::NoObserver<GateDomain> {
  public:
    explicit Sums(const Netlist& netlist) : n_(netlist) {}
    void product(int, int, const circuit::ProductStages<GateDomain>&) { until_now(false); }
    void group(int, const Group&, const circuit::GroupStages<GateDomain>&) { until_now(false); }
    void accumulator(const circuit::AccumulatorStages<GateDomain>&) { until_now(false); }
    void sum(const Fuse&, const circuit::SumStages<GateDomain>&) { until_now(true); }
    void round(const Round&, const circuit::RoundStages<GateDomain>&) { until_now(false); }
    void last(const circuit::SumStages<GateDomain>&, const circuit::RoundStages<GateDomain>&) { until_now(false); }
    void until_now(bool of_sum) { kinds.resize(n_.nodes().size(), of_sum); }

    std::vector<bool> kinds; ///< by node

  private:
    const Netlist& n_;
};

} // namespace

std::vector<Unit> exchanges(const Unit& from, const Unit& to) {
    if (from.L != to.L || from.nan.keeps_operands()) return {};
    return Exchanges(from).towards(to);
}

std::vector<bool> gates_of_sums(const Unit& unit, bool shared) {
    Netlist n(input_bits(unit), shared);
    GateDomain gates(n);
    Sums seen(n);
    const Operands in = operands(n, unit);
    const Bits d = circuit::unit_circuit(gates, unit, in, seen);
    seen.until_now(false);
    return marks_without_unused(seen.kinds, d, n);
}

} // namespace discern::certificate
