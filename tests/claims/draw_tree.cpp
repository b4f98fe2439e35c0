#include "draw_tree.hpp"

#include <algorithm>
#include <utility>

namespace discern::claims {

namespace {

Selection every(int first, int step) { return {first, step}; }

Node product(Selection which) {
    Product p;
    p.which = which;
    return {p};
}

Node sum(std::vector<Node> terms) {
    Fuse fuse;
    for (Node& term : terms) {
        fuse.children.emplace_back();
        fuse.children.back().node = {std::move(term)};
    }
    return {std::move(fuse)};
}

Node sum_of(Node node) {
    std::vector<Node> one;
    one.push_back(std::move(node));
    return sum(std::move(one));
}

Node rounded(FormatId id, Node node) {
    Round round;
    round.format = id;
    round.child = {std::move(node)};
    return {std::move(round)};
}

/// Formats that have infinities and NaN, or any; wide enough not to be met, or about as small as the operands.
FormatId inner_format(Random& random, const Unit& unit, const Size& size) {
    using enum FormatId;
    if (random.one_in(2)) return unit.d;
    if (random.one_in(3)) return any_of(random, std::vector{f32, f16, bf16, tf32});
    return draw_format(random, 9, size.fixed_point, size.special_values);
}

Node leaf(Selection which, int group) {
    if (group == 0) return product(which);
    Group g;
    g.which = which;
    g.size = group;
    return {g};
}

/// Puts c into one of the terms that are sums, if there is any.
bool add_to_inner_sum(Random& random, std::vector<Node>& terms, Node& c) {
    std::vector<Fuse*> sums;
    for (Node& term : terms) {
        Node* node = &term;
        if (auto* round = std::get_if<Round>(&node->kind)) node = &round->get();
        if (auto* fuse = std::get_if<Fuse>(&node->kind)) sums.push_back(fuse);
    }
    if (sums.empty()) return false;
    std::vector<Child>& children = any_of(random, sums)->children;
    children.emplace_back();
    children.back().node = {std::move(c)};
    return true;
}

} // namespace

Node draw_tree(Random& random, const Unit& unit, int group, const Size& size) {
    const int n = group == 0 ? unit.L : unit.L / group; // leaves
    std::vector<Node> terms;
    const FormatId inner = inner_format(random, unit, size);
    const bool mixed = group != 0 && n > 1 && random.one_in(4);
    switch (mixed ? -1 : std::max(random.below(n > 1 ? 9 : 6) - 2, 0)) {
    case -1: // a group, and products
        terms.push_back(random.one_in(2) ? leaf(every(0, 0), group) : sum_of(leaf(every(0, 0), group)));
        terms.push_back(random.one_in(2) ? product(every(group, 1)) : sum_of(product(every(group, 1))));
        break;
    case 0:
    case 1: terms.push_back(leaf(every(0, 1), group)); break;                         // one fused sum
    case 2: terms.push_back(sum_of(leaf(every(0, 1), group))); break;                 // a sum of a sum
    case 3: terms.push_back(rounded(inner, sum_of(leaf(every(0, 1), group)))); break; // rounded in between
    case 4:                                                                           // two sums
        terms.push_back(sum_of(leaf(every(0, 2), group)));
        terms.push_back(sum_of(leaf(every(1, 2), group)));
        break;
    case 5: // each rounded
        for (int i = 0; i < n; ++i) terms.push_back(rounded(inner, leaf(every(i, 0), group)));
        break;
    default: { // one after the other
        Node node = leaf(every(0, 0), group);
        for (int i = 1; i < n; ++i) {
            std::vector<Node> both;
            both.push_back(std::move(node));
            both.push_back(leaf(every(i, 0), group));
            node = sum(std::move(both));
            if (random.one_in(2)) node = rounded(inner, std::move(node));
        }
        terms.push_back(std::move(node));
    }
    }
    if (unit.c || unit.blocks() > 1) {
        Node c{Accumulator{}};
        if (random.one_in(6)) c = rounded(inner_format(random, unit, size), std::move(c));
        const bool first = random.one_in(4);
        if (!random.one_in(6) || !add_to_inner_sum(random, terms, c))
            terms.insert(first ? terms.begin() : terms.end(), std::move(c));
    }
    Node node = sum(std::move(terms));
    while (random.one_in(5)) node = rounded(inner_format(random, unit, size), std::move(node)); // and again
    return rounded(unit.d, std::move(node));
}

} // namespace discern::claims
