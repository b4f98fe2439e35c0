// The argument by cases over the last sum of the tree: where it adds c and that gives every zero a known sign.
#include "zero_signs.hpp"

#include "encodings/number/folding.hpp"

#include <algorithm>

namespace discern {

namespace {

using Kind = parametric::ParametricNode::Kind;

/// Whether the child is c, its zeros are +0 or read as +0, and it is added exactly.
bool is_plus_zero_or_whole(const parametric::ParametricNode::Edge& edge, const ParameterTerms& parameters, KnownOfC c) {
    const parametric::ParametricNode& node = edge.node.front();
    const auto plus = [](int ftz) { return static_cast<OperandFlush>(ftz) == OperandFlush::plus; };
    // A subnormal number that is flushed to a zero of its own sign may give −0.
    const auto same = [&](int ftz) {
        return c.never_subnormal || static_cast<OperandFlush>(ftz) != OperandFlush::keeps_sign;
    };
    return node.kind == Kind::accumulator &&
           ((c.never_minus_zero && parameters.at(node.accumulator.ftz).all(same)) ||
            parameters.at(node.accumulator.ftz).all(plus)) &&
           parameters.at(edge.F).all([](int F) { return F == parametric::exact; }) &&
           parameters.at(edge.drop).all([](int places) { return places == parametric::none; });
}

bool has_frame(const parametric::ParametricNode& node, const ParameterTerms& parameters) {
    const auto is_frame = [](int frame) { return static_cast<SignFrame>(frame) != SignFrame::none; };
    return (node.kind == Kind::fuse && node.fuse.frame != parametric::no_slot &&
            parameters.at(node.fuse.frame).any(is_frame)) ||
           std::any_of(node.child.begin(), node.child.end(),
                       [&](const auto& child) { return has_frame(child, parameters); }) ||
           std::any_of(node.edges.begin(), node.edges.end(),
                       [&](const auto& edge) { return has_frame(edge.node.front(), parameters); });
}

bool some_zero_has_its_own_sign(const parametric::ParametricNode& root, const ParameterTerms& parameters) {
    return root.round.zsign_ieee != parametric::no_slot &&
           parameters.at(root.round.zsign_ieee).any([](int ieee) { return ieee != 0; });
}

} // namespace

bool zero_signs_count(const Terms& t, const parametric::ParametricNode& tree, const ParameterTerms& parameters,
                      KnownOfC c) {
    if (!some_zero_has_its_own_sign(tree, parameters)) return false;
    if (parameters.at(tree.round.mode).any([](int mode) { return static_cast<Rounding>(mode) == Rounding::rd; }))
        return true;
    // match: such a c among what is added last => a zero sum is +0
    const auto& sum = tree.child.front();
    return !t.may_fold(Folding::plus_zero_last) ||
           std::none_of(sum.edges.begin(), sum.edges.end(),
                        [&](const auto& edge) { return is_plus_zero_or_whole(edge, parameters, c); });
}

bool next_block_reads_zero_signs(const parametric::ParametricNode& tree, const ParameterTerms& parameters) {
    return some_zero_has_its_own_sign(tree, parameters) || has_frame(tree, parameters);
}

} // namespace discern
