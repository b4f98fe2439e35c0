// See written_out.hpp.
#include "written_out.hpp"

#include "models/tree_shape.hpp"

#include <algorithm>

namespace discern {

namespace {

/// The leaves of a block's tree, as leaves of the whole.
class Block {
  public:
    Block(const Unit& unit, int index) : unit_(unit), index_(index) {}

    /// @param before  what comes in as the accumulator; nullptr: +0, which is left out
    Node tree(const Node* before) const {
        Node node = expand(unit_);
        place(node, before);
        return node;
    }

  private:
    void place(Node& node, const Node* before) const {
        if (auto* product = std::get_if<Product>(&node.kind))
            product->which = {unit_.element(index_, product->which.first), 0};
        auto* round = std::get_if<Round>(&node.kind);
        auto* fuse = std::get_if<Fuse>(round == nullptr ? &node.kind : &round->get().kind);
        if (fuse == nullptr) {
            if (round != nullptr) place(round->get(), before);
            return;
        }
        const auto is_c = [](const Child& child) { return is_accumulator(child.get()); };
        // With +0 among them, terms that add up to zero give +0.
        if (before == nullptr && std::erase_if(fuse->children, is_c) > 0) round->zero_sign_ieee = false;
        for (Child& child : fuse->children)
            if (is_c(child))
                child.get() = *before;
            else
                place(child.get(), before);
    }

    const Unit& unit_;
    int index_;
};

/// Roundings to numbers as they come back, none of which gives −0 for terms that cancel, and the accumulator a term
/// like others directly under one.
bool is_plain(const Node& node, const Unit& unit) {
    const auto* product = std::get_if<Product>(&node.kind);
    if (product != nullptr) return !product->limit;
    const auto* round = std::get_if<Round>(&node.kind);
    if (round != nullptr && (round->format != unit.d || round->mode == Rounding::rd)) return false;
    const auto* fuse = std::get_if<Fuse>(round == nullptr ? &node.kind : &round->get().kind);
    if (fuse == nullptr) return round != nullptr && is_plain(round->get(), unit);
    return !fuse->carry && std::all_of(fuse->children.begin(), fuse->children.end(), [&](const Child& child) {
        const auto* c = std::get_if<Accumulator>(&child.get().kind);
        if (c == nullptr) return is_plain(child.get(), unit);
        return round != nullptr && !c->as && !c->flush && child.zero == ZeroExponent{} && !child.drop;
    });
}

} // namespace

std::optional<Unit> written_out(const Unit& unit) {
    if (unit.place != AccumulatorPlace::last || unit.K < 2 || unit.K > 16) return std::nullopt;
    if (unit.nan.kind == NanRule::Kind::propagate || !is_plain(unit.tree, unit)) return std::nullopt;
    Node sum = Block(unit, 0).tree(nullptr);
    for (int block = 1; block < unit.blocks(); ++block) sum = Block(unit, block).tree(&sum);

    Fuse last;
    last.children.push_back({.node = {std::move(sum)}, .F = {}, .rounding = Rounding::rz, .zero = {}, .drop = {}});
    last.children.push_back({.node = {Node{Accumulator{}}}, .F = {}, .rounding = Rounding::rz, .zero = {}, .drop = {}});
    Round root;
    root.format = unit.d;
    root.child.push_back(Node{std::move(last)});

    Unit whole = unit;
    whole.L = whole.K;
    whole.interleave = 0;
    whole.place = AccumulatorPlace::chained;
    whole.tree = Node{std::move(root)};
    return whole;
}

} // namespace discern
