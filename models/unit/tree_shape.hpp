// The parts of a tree that parameters speak of, found by shape.
//
//   product fuse    a fuse with a product or group among its children: the fused sum of every FDPA
//   sum fuse        a fuse with a fuse among its children: the two-level sums of TR- and GTR-FDPA
//   final rounds    the rounds with a product fuse below them and no fuse of rounds between. Of a round whose child is
//                   a round, the outer one. Without any product fuse (FTZ-AddMul): every round, since all of them
//                   are the same adder
#pragma once

#include "models/unit.hpp"
#include "parameters.hpp"

#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace discern {

/// The deepest tree: of recursions with room to spare on a stack of 8 MiB, sanitizers included.
inline constexpr int max_depth = 700;
/// Levels of nodes, the root's included.
int depth(const Node& node);

/// Visits a node and everything below it, parents first: visit(node), or visit(node, edge) with the child of a fuse
/// that the node is, nullptr if it is none. What is below a node is visited as the visitor left it.
/// @param node  const or not, and so are those that are visited
template <typename AnyNode, typename Visit>
void for_each_node(AnyNode& node, Visit&& visit) {
    using Edge = std::conditional_t<std::is_const_v<AnyNode>, const Child, Child>;
    const auto walk = [&visit](const auto& self, AnyNode& at, Edge* edge) -> void {
        if constexpr (std::is_invocable_v<Visit&, AnyNode&, Edge*>)
            visit(at, edge);
        else
            visit(at);
        if (auto* fuse = std::get_if<Fuse>(&at.kind))
            for (Edge& child : fuse->children) self(self, child.get(), &child);
        if (auto* round = std::get_if<Round>(&at.kind)) self(self, round->get(), nullptr);
    };
    walk(walk, node, nullptr);
}

/// Whether some part of the tree, a child of a fuse included, has the parameter of that kind and word, other than as
/// usual.
bool has_unusual(const Node& node, parametric::OwnerKind kind, std::string_view word);
bool has_accumulator(const Node& node);
/// Whether scales multiply rounded sums (Child::scaled), and therefore no products.
bool has_scaled_sums(const Node& tree);
/// Makes the scales 1, and no operands.
void remove_scales(Unit& unit);
/// The first element of the block that is below the node; nothing: it has no products.
std::optional<int> first_element(const Node& node);

std::vector<Fuse*> product_fuses(Unit& unit);
std::vector<Fuse*> sum_fuses(Unit& unit);
std::vector<Fuse*> aligning_fuses(Unit& unit); ///< both, one after the other
std::vector<Round*> final_rounds(Unit& unit);
std::vector<Round*> all_rounds(Unit& unit);
std::vector<Product*> products(Unit& unit);
std::vector<Group*> groups(Unit& unit);
Accumulator* accumulator(Unit& unit);
/// The child that is the accumulator, or nullptr.
Child* accumulator_child(Unit& unit);

/// How many of n elements, or groups, a leaf stands for.
inline int count(const Selection& which, int n) {
    return which.step == 0 ? 1 : (n - which.first + which.step - 1) / which.step;
}

/// Visits them.
template <typename Visit>
void for_each(const Selection& which, int n, Visit visit) {
    for (int l = which.first; l < n; l += which.step) {
        visit(l);
        if (which.step == 0) break;
    }
}

bool is_fuse(const Node& node);
bool is_round(const Node& node);
bool is_accumulator(const Node& node);
bool is_product_or_group(const Node& node);

/// Whether c is added after the block's own rounding: root = round(fuse(round(…), c)).
bool has_late_accumulator(const Unit& unit);

/// The tree of FTZ-AddMul (Xie et al., Algorithm 2): P products, rounded each, summed pairwise, then added to c.
/// @param rounding   used at every node
/// @param with_c     false: without the last addition (x86 DPPS)
Node pairwise_tree(int P, const Round& rounding, const Product& product, bool with_c, const Accumulator& c);

} // namespace discern
