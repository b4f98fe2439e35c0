// The argument by cases over the last sum of the tree: where it adds c and that gives every zero a known sign.
#include "zero_signs.hpp"

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

} // namespace

bool zero_signs_count(const parametric::ParametricNode& tree, const ParameterTerms& parameters, KnownOfC c) {
    if (tree.round.zsign_ieee == parametric::no_slot ||
        !parameters.at(tree.round.zsign_ieee).any([](int ieee) { return ieee != 0; }))
        return false;
    if (parameters.at(tree.round.mode).any([](int mode) { return static_cast<Rounding>(mode) == Rounding::rd; }))
        return true;
    // match: such a c among what is added last => a zero sum is +0
    const auto& sum = tree.child.front();
    return std::none_of(sum.edges.begin(), sum.edges.end(),
                        [&](const auto& edge) { return is_plus_zero_or_whole(edge, parameters, c); });
}

} // namespace discern
