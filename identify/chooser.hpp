// Lazy choices: one evaluation for a whole box.
//
// An evaluation that needs a parameter asks for it, and says what the parameter changes: a key for each value. Values
// of one key stay together; only where there are several keys does the evaluation fork. Forks are found by running the
// evaluation again along a trace of what was chosen before, depth first, so that the evaluation itself is written as if
// there were no choices. (Non-determinism by re-execution, as in stateless model checking.)
#pragma once

#include "models/parametric/choices.hpp"

#include <utility>
#include <vector>

namespace discern::identify {

using namespace parametric;

class Chooser {
  public:
    explicit Chooser(const Box& box) : box_(box), sets_(box.sets) {}

    /// What is still possible on the present path.
    const ValueSet& possible(std::size_t variable) const { return sets_[variable]; }
    const std::vector<ValueSet>& sets() const { return sets_; }

    /// Narrows the variable to values of one key. @param key_of  of an index; the result must be comparable by ==
    /// @return one of the values that remain
    template <typename KeyOf>
    std::size_t ask(std::size_t variable, KeyOf key_of) {
        ValueSet& set = sets_[variable];
        if (set.is_single()) return set.first();
        if (at_ == trace_.size()) trace_.push_back({groups(set, key_of), 0});
        const Choice& choice = trace_[at_++];
        set = choice.groups[choice.chosen];
        return set.first();
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

    template <typename KeyOf>
    static std::vector<ValueSet> groups(const ValueSet& set, KeyOf key_of) {
        using Key = decltype(key_of(std::size_t{}));
        std::vector<std::pair<Key, ValueSet>> found;
        set.for_each([&](std::size_t i) {
            Key key = key_of(i);
            for (auto& [known, values] : found)
                if (known == key) {
                    values.insert(i);
                    return;
                }
            found.emplace_back(std::move(key), ValueSet::single(i));
        });
        std::vector<ValueSet> groups;
        for (auto& [key, values] : found) groups.push_back(values);
        return groups;
    }

    const Box& box_;
    std::vector<ValueSet> sets_;
    std::vector<Choice> trace_;
    std::size_t at_ = 0;
};

} // namespace discern::identify
