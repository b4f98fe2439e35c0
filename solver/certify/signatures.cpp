#include "signatures.hpp"

#include <algorithm>

namespace discern::certificate {

void Signatures::mix(std::size_t node, std::uint64_t value) {
    std::uint64_t x = signatures_[node] ^ (phases_[node] ? ~value : value);
    x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15ull;
    signatures_[node] = x ^ (x >> 29);
}

void Signatures::add_vectors(std::span<const std::uint64_t> inputs) {
    std::vector<std::uint64_t>& values = values_.emplace_back(nodes_.size());
    std::copy(inputs.begin(), inputs.end(), values.begin() + 1);
    for (std::size_t i = inputs_ + 1; i < nodes_.size(); ++i) values[i] = gate_value(nodes_[i], values);
    if (values_.size() == 1) {
        signatures_.resize(nodes_.size());
        phases_.resize(nodes_.size());
        for (std::size_t i = 0; i < nodes_.size(); ++i) phases_[i] = (values[i] & 1u) != 0;
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) mix(i, values[i]);

    // What agreed may do so no longer; what did not never will.
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> classes;
    classes.reserve(classes_.size());
    for (auto& [old, members] : classes_) {
        const std::uint64_t first = signatures_[members.front()];
        const bool stays = std::all_of(members.begin(), members.end(),
                                       [&](std::uint32_t member) { return signatures_[member] == first; });
        if (stays)
            classes[first] = std::move(members);
        else
            for (const std::uint32_t member : members) classes[signatures_[member]].push_back(member);
    }
    classes_ = std::move(classes);
}

void Signatures::add_gates() {
    const std::size_t begin = signatures_.size();
    signatures_.resize(nodes_.size());
    phases_.resize(nodes_.size());
    for (std::size_t batch = 0; batch < values_.size(); ++batch) {
        std::vector<std::uint64_t>& values = values_[batch];
        for (std::size_t i = begin; i < nodes_.size(); ++i) {
            values.push_back(gate_value(nodes_[i], values));
            if (batch == 0) phases_[i] = (values[i] & 1u) != 0;
            mix(i, values[i]);
        }
    }
}

} // namespace discern::certificate
