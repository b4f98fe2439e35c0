// A union-find structure of units that are said to be equivalent; pairs that are said to differ are looked up at the
// end.
#include "consistency.hpp"

namespace discern::store {

std::size_t Relations::Group::number(const std::string& hash) {
    const auto [at, is_new] = numbers.try_emplace(hash, parents.size());
    if (is_new) {
        parents.push_back(at->second);
        hashes.push_back(hash);
    }
    return at->second;
}

std::size_t Relations::Group::root(std::size_t at) {
    while (parents[at] != at) at = parents[at] = parents[parents[at]];
    return at;
}

void Relations::same(const std::string& limits, const std::string& one, const std::string& other) {
    Group& group = groups_[limits];
    const std::size_t first = group.root(group.number(one)), second = group.root(group.number(other));
    group.parents[second] = first;
}

void Relations::apart(const std::string& limits, std::span<const std::string> hashes, std::size_t where) {
    Group& group = groups_[limits];
    Apart& apart = group.apart.emplace_back();
    apart.where = where;
    for (const std::string& hash : hashes) apart.numbers.push_back(group.number(hash));
}

std::vector<Relations::Contradiction> Relations::contradictions() {
    std::vector<Contradiction> found;
    for (auto& [limits, group] : groups_)
        for (const Apart& apart : group.apart) {
            std::unordered_map<std::size_t, std::size_t> first; // by root
            for (const std::size_t number : apart.numbers)
                if (const auto [at, is_new] = first.try_emplace(group.root(number), number); !is_new)
                    found.push_back({limits, group.hashes[at->second], group.hashes[number], apart.where});
        }
    return found;
}

} // namespace discern::store
