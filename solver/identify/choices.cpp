#include "choices.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace discern::identify {

double Box::bits() const {
    double sum = 0;
    for (const ValueSet& set : sets) sum += std::log2(static_cast<double>(set.count()));
    return sum;
}

bool Box::contains(const Assignment& member) const {
    for (std::size_t v = 0; v < sets.size(); ++v)
        if (!sets[v].contains(member[v])) return false;
    return true;
}

namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
    return hash ^ (hash >> 29);
}

bool equal_but_for(const Box& x, const Box& y, std::size_t variable) {
    if (x.structure != y.structure) return false;
    for (std::size_t v = 0; v < x.sets.size(); ++v)
        if (v != variable && x.sets[v] != y.sets[v]) return false;
    return true;
}

/// Joins boxes that differ in this variable alone. @return whether there were any
bool join_along(std::size_t variable, std::vector<Box>& boxes) {
    std::unordered_multimap<std::uint64_t, std::size_t> by_rest;
    std::vector<Box> kept;
    for (Box& box : boxes) {
        if (variable >= box.sets.size()) {
            kept.push_back(std::move(box));
            continue;
        }
        std::uint64_t hash = box.structure;
        for (std::size_t v = 0; v < box.sets.size(); ++v)
            if (v != variable) hash = mixed(mixed(hash, box.sets[v].word(0)), box.sets[v].word(1));
        bool joined = false;
        const auto [first, last] = by_rest.equal_range(hash);
        for (auto at = first; at != last && !joined; ++at)
            if (equal_but_for(kept[at->second], box, variable)) {
                ValueSet& set = kept[at->second].sets[variable];
                set = set | box.sets[variable];
                joined = true;
            }
        if (joined) continue;
        by_rest.emplace(hash, kept.size());
        kept.push_back(std::move(box));
    }
    const bool changed = kept.size() < boxes.size();
    boxes = std::move(kept);
    return changed;
}

} // namespace

void merge(std::vector<Box>& boxes) {
    std::size_t variables = 0;
    for (const Box& box : boxes) variables = std::max(variables, box.sets.size());
    for (bool changed = boxes.size() > 1; changed;) {
        changed = false;
        for (std::size_t v = 0; v < variables && boxes.size() > 1; ++v) changed = join_along(v, boxes) || changed;
    }
}

} // namespace discern::identify
