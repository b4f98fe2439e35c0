#include "signatures.hpp"

#include <algorithm>
#include <bit>

namespace discern::certificate {

void keep_only(std::uint64_t allowed, std::span<std::uint64_t> words) {
    const int one = std::countr_zero(allowed);
    for (std::uint64_t& word : words) word = (word & allowed) | (((word >> one) & 1u) != 0 ? ~allowed : 0);
}

std::optional<std::uint32_t> Signatures::like(std::size_t node, std::span<const std::uint32_t> except,
                                              Which which) const {
    const auto found = classes_.find(signatures_[node]);
    if (found == classes_.end()) return std::nullopt;
    const auto first_between = [&](auto begin, auto end) -> std::optional<std::uint32_t> {
        const auto other = std::find_if(begin, end, [&](std::uint32_t x) {
            return std::find(except.begin(), except.end(), x) == except.end() && agree_since(node, x);
        });
        return other == end ? std::nullopt : std::optional(*other);
    };
    const auto& nodes = found->second;
    return which == Which::first ? first_between(nodes.begin(), nodes.end())
                                 : first_between(nodes.rbegin(), nodes.rend());
}

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
    // That takes long where there are many gates, so it waits for as many vectors again.
    if (classes_.empty() || values_.size() > 2 * classified_) classify();
}

void Signatures::classify() {
    for (; classified_ < values_.size(); ++classified_)
        for (std::size_t i = 0; i < nodes_.size(); ++i) mix(i, values_[classified_][i]);
    // Nodes that agreed may differ on the new vectors; nodes that differed still do.
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> classes;
    classes.reserve(classes_.size());
    for (auto& [old, members] : classes_)
        for (const std::uint32_t member : members) classes[signatures_[member]].push_back(member);
    classes_ = std::move(classes);
}

bool Signatures::agree_since(std::size_t one, std::size_t other) const {
    const std::uint64_t differ = inverted(one, other) ? ~0ull : 0;
    for (std::size_t batch = values_.size(); batch-- > classified_;) // the last ones tell the most apart
        if ((values_[batch][one] ^ values_[batch][other]) != differ) return false;
    return true;
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
            if (batch < classified_) mix(i, values[i]);
        }
    }
}

} // namespace discern::certificate
