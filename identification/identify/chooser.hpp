// Lazy choices: one evaluation for a whole box.
//
// An evaluation that needs a parameter asks for it, and says what the parameter changes: a key for each value. Values
// of one key stay together; only where there are several keys does the evaluation fork. Forks are found by running the
// evaluation again along a trace of what was chosen before, depth first, so that the evaluation itself is written as if
// there were no choices. (Non-determinism by re-execution, as in stateless model checking.)
#pragma once

#include "models/parametric/structure.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace discern::identify {

using namespace parametric;

class Chooser {
  public:
    Chooser(const Structure& structure, const Box& box) : structure_(structure), box_(box), sets_(box.sets) {}

    /// The values that are still possible on the present path.
    const std::vector<ValueSet>& sets() const { return sets_; }

    /// One of the possible values, for uses in which all of them have the same effect.
    int one(Slot slot) const { return at(slot, sets_[slot].first()); }
    /// Narrows the parameter to values of one key, comparable by ==. @return one of those that remain
    template <typename KeyOf>
    int choose(Slot slot, KeyOf key_of) {
        ValueSet& set = sets_[slot];
        if (!set.is_single()) {
            if (at_ == trace_.size()) trace_.push_back({groups(slot, key_of), 0});
            const Choice& choice = trace_[at_++];
            set = choice.groups[choice.chosen];
        }
        return one(slot);
    }
    template <typename Visit>
    void for_possible(Slot slot, Visit visit) const {
        sets_[slot].for_each([&](std::size_t i) { visit(at(slot, i)); });
    }
    template <typename Predicate>
    bool any(Slot slot, Predicate predicate) const {
        bool any = false;
        for_possible(slot, [&](int v) { any = any || predicate(v); });
        return any;
    }

    /// Goes to the next path. @return false if there is none
    bool next() {
        at_ = 0;
        sets_ = box_.sets;
        while (!trace_.empty()) {
            Choice& last = trace_.back();
            if (++last.chosen < last.groups.size()) return true;
            trace_.pop_back();
        }
        return false;
    }

  private:
    struct Choice {
        std::vector<ValueSet> groups;
        std::size_t chosen;
    };

    int at(Slot slot, std::size_t index) const { return structure_.variables[slot].values[index]; }

    template <typename KeyOf>
    std::vector<ValueSet> groups(Slot slot, KeyOf key_of) const {
        std::vector<decltype(key_of(0))> keys;
        std::vector<ValueSet> groups;
        sets_[slot].for_each([&](std::size_t i) {
            auto key = key_of(at(slot, i));
            const auto known = static_cast<std::size_t>(std::ranges::find(keys, key) - keys.begin());
            if (known == keys.size()) {
                keys.push_back(std::move(key));
                groups.emplace_back();
            }
            groups[known].insert(i);
        });
        return groups;
    }

    const Structure& structure_;
    const Box& box_;
    std::vector<ValueSet> sets_;
    std::vector<Choice> trace_;
    std::size_t at_ = 0;
};

} // namespace discern::identify
