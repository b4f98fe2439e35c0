#include "choices.hpp"

#include <cmath>

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

/// Makes `box` the union of both if that is a box. @return whether it is
bool joined(Box& box, const Box& other) {
    if (box.structure != other.structure) return false;
    std::size_t differing = box.sets.size(), count = 0;
    bool contains = true, is_contained = true;
    for (std::size_t v = 0; v < box.sets.size(); ++v) {
        if (box.sets[v] == other.sets[v]) continue;
        ++count;
        differing = v;
        contains = contains && box.sets[v].includes(other.sets[v]);
        is_contained = is_contained && other.sets[v].includes(box.sets[v]);
        if (count > 1 && !contains && !is_contained) return false;
    }
    if (contains) return true;
    if (is_contained) {
        box = other;
        return true;
    }
    if (count > 1) return false;
    box.sets[differing] = box.sets[differing] | other.sets[differing];
    return true;
}

} // namespace

void merge(std::vector<Box>& boxes) {
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < boxes.size(); ++i)
            for (std::size_t j = i + 1; j < boxes.size();) {
                if (!joined(boxes[i], boxes[j])) {
                    ++j;
                    continue;
                }
                if (j + 1 != boxes.size()) boxes[j] = std::move(boxes.back());
                boxes.pop_back();
                changed = true;
            }
    }
}

} // namespace discern::identify
