#include "choices.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace discern::parametric {

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

/// Boxes of one structure. A box's hash is the sum of those of its sets, so that the hash of all sets but one is a
/// subtraction.
class Merging {
  public:
    explicit Merging(std::span<Box> boxes) : boxes_(boxes) {
        for (std::size_t v = 0; v < boxes.front().sets.size(); ++v)
            if (std::any_of(boxes.begin(), boxes.end(),
                            [&](const Box& box) { return box.sets[v] != boxes.front().sets[v]; }))
                varied_.push_back(v);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            alive_.push_back(i);
            hashes_.push_back(0);
            for (const std::size_t v : varied_) hashes_[i] += hash(i, v);
        }
    }

    /// @return the indices of the boxes that are left
    std::vector<std::size_t> run() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const std::size_t v : varied_)
                if (alive_.size() > 1) changed = join_along(v) || changed;
        }
        return alive_;
    }

  private:
    std::uint64_t hash(std::size_t i, std::size_t v) const {
        return mixed(mixed(v + 1, boxes_[i].sets[v].word(0)), boxes_[i].sets[v].word(1));
    }
    bool equal_but_for(std::size_t variable, std::size_t i, std::size_t j) const {
        return std::all_of(varied_.begin(), varied_.end(),
                           [&](std::size_t v) { return v == variable || boxes_[i].sets[v] == boxes_[j].sets[v]; });
    }

    /// Joins boxes that differ in this variable alone. @return whether there were any
    bool join_along(std::size_t variable) {
        std::vector<std::pair<std::uint64_t, std::size_t>> by_rest;
        for (const std::size_t i : alive_) by_rest.emplace_back(hashes_[i] - hash(i, variable), i);
        std::sort(by_rest.begin(), by_rest.end());
        alive_.clear();
        for (auto first = by_rest.begin(); first != by_rest.end();) {
            const auto last =
                std::find_if(first, by_rest.end(), [&](const auto& x) { return x.first != first->first; });
            const std::size_t kept = alive_.size();
            for (; first != last; ++first) {
                const std::size_t i = first->second;
                const auto same = std::find_if(alive_.begin() + static_cast<std::ptrdiff_t>(kept), alive_.end(),
                                               [&](std::size_t j) { return equal_but_for(variable, i, j); });
                if (same == alive_.end()) {
                    alive_.push_back(i);
                    continue;
                }
                hashes_[*same] -= hash(*same, variable);
                boxes_[*same].sets[variable] = boxes_[*same].sets[variable] | boxes_[i].sets[variable];
                hashes_[*same] += hash(*same, variable);
            }
        }
        return alive_.size() < by_rest.size();
    }

    std::span<Box> boxes_;
    std::vector<std::size_t> varied_; ///< variables in which the boxes differ
    std::vector<std::size_t> alive_;
    std::vector<std::uint64_t> hashes_;
};

} // namespace

void merge(std::vector<Box>& boxes) {
    if (boxes.size() < 2) return;
    std::stable_sort(boxes.begin(), boxes.end(), [](const Box& x, const Box& y) { return x.structure < y.structure; });
    std::vector<Box> merged;
    for (auto first = boxes.begin(); first != boxes.end();) {
        const auto last =
            std::find_if(first, boxes.end(), [&](const Box& box) { return box.structure != first->structure; });
        const std::span<Box> of_structure(&*first, static_cast<std::size_t>(last - first));
        for (const std::size_t i : Merging(of_structure).run()) merged.push_back(std::move(of_structure[i]));
        first = last;
    }
    boxes = std::move(merged);
}

} // namespace discern::parametric
