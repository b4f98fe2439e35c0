#include "carries.hpp"

#include <algorithm>

namespace discern::certificate {

namespace {

constexpr std::size_t most_ways = 8; // in which a node is a sum; an addition has one, an exchange makes one more

std::array<std::uint32_t, 3> sorted(std::array<std::uint32_t, 3> x) {
    std::sort(x.begin(), x.end());
    return x;
}

} // namespace

void Carries::enter_sum(std::size_t gate) {
    const std::uint32_t sum = node_of(representative_[gate]);
    std::vector<Summands>& ways = summands_[sum];
    const auto add = [&](Summands way) {
        if (ways.size() >= most_ways || std::find(ways.begin(), ways.end(), way) != ways.end()) return;
        ways.push_back(way);
        sum_of_.emplace(way, sum);
    };
    const std::array<std::uint32_t, 2> in = {input(gate, 0), input(gate, 1)};
    add(sorted({0, in[0], in[1]}));
    // Of three, by way of a sum of two.
    std::vector<Summands> threes;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const auto inner = summands_.find(in[k]);
        if (inner == summands_.end()) continue;
        for (const Summands& two : inner->second)
            if (two[0] == 0) threes.push_back(sorted({two[1], two[2], in[1 - k]}));
    }
    for (const Summands& three : threes) add(three);
}

std::vector<std::pair<Literal, Literal>> Carries::enter(std::size_t gate) {
    std::vector<std::pair<Literal, Literal>> pairs;
    const Gate kind = nodes_[gate].gate;
    if (kind == Gate::xor_) enter_sum(gate);
    if (kind != Gate::majority && kind != Gate::and_) return pairs;
    const Summands own = sorted({input(gate, 0), input(gate, 1), kind == Gate::majority ? input(gate, 2) : 0});
    const Literal carry = representative_[gate];
    if (!sum_of_.contains(own)) return pairs; // an and-gate that is no carry
    if (!carry_of_.emplace(own, carry).second) return pairs;

    // Carries of the same weight: those of additions to the sum that belongs to this carry, and those of the additions
    // whose sums are inputs of this gate.
    if (const auto sum = sum_of_.find(own); sum != sum_of_.end())
        for (const Literal next : carries_[sum->second]) pairs.emplace_back(carry, next);
    for (const std::uint32_t summand : own) {
        const auto ways = summands_.find(summand);
        if (ways == summands_.end()) continue;
        carries_[summand].push_back(carry);
        for (const Summands& way : ways->second)
            if (const auto before = carry_of_.find(way); before != carry_of_.end())
                pairs.emplace_back(carry, before->second);
    }
    return pairs;
}

} // namespace discern::certificate
