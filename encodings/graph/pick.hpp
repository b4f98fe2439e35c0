// A parameter in the encoder: its possible values, each with the condition under which the parameter has it.
//
// A unit is a space without choices, so its parameters have one value each, under the condition 1; then the
// functions here add nothing to the graph. A parameter of a space has as many as are possible, and what depends on it
// is built for each of them, or once with masks where values are many.
#pragma once

#include "ranged.hpp"
#include "term.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace discern {

template <typename T>
struct Pick {
    /// The values, all different, and their conditions (1 bit), of which exactly one is 1.
    std::vector<std::pair<T, Term>> options;

    bool is_fixed() const { return options.size() == 1; }
    /// The value of a fixed one; of others the first.
    const T& first() const { return options.front().first; }
    template <typename Predicate>
    bool any(Predicate predicate) const {
        return std::any_of(options.begin(), options.end(), [&](const auto& o) { return predicate(o.first); });
    }
    template <typename Predicate>
    bool all(Predicate predicate) const {
        return std::all_of(options.begin(), options.end(), [&](const auto& o) { return predicate(o.first); });
    }

    /// The same choice between what a function makes of the values; values of one result are one.
    template <typename F>
    auto mapped(Terms& t, F function) const {
        Pick<decltype(function(first()))> result;
        for (const auto& [value, condition] : options) {
            auto image = function(value);
            const auto same = std::find_if(result.options.begin(), result.options.end(),
                                           [&](const auto& o) { return o.first == image; });
            if (same == result.options.end())
                result.options.emplace_back(std::move(image), condition);
            else
                same->second = t.bvor(same->second, condition);
        }
        if (result.is_fixed()) result.options.front().second = t.truth(true);
        return result;
    }

    /// Whether the value that is picked has a property (1 bit).
    template <typename Predicate>
    Term when(Terms& t, Predicate predicate) const {
        std::vector<Term> conditions;
        for (const auto& [value, condition] : options)
            if (predicate(value)) conditions.push_back(condition);
        if (conditions.size() == options.size()) return t.truth(true);
        return t.any_of(conditions);
    }

    /// What a function makes of the value that is picked; all results have one width.
    template <typename F>
    Term choose(Terms& t, F function) const {
        Term result = function(options.back().first);
        for (std::size_t i = options.size() - 1; i-- > 0;)
            result = t.ite(options[i].second, function(options[i].first), result);
        return result;
    }
};

template <typename T>
Pick<T> fixed(Terms& t, T value) {
    return {{{std::move(value), t.truth(true)}}};
}

/// That value where the condition is 1, else what is picked.
template <typename T>
Pick<T> either(Terms& t, Term condition, T value, Pick<T> pick) {
    if (condition == t.truth(false)) return pick;
    Pick<T> result;
    result.options.emplace_back(value, t.bvor(condition, pick.when(t, [&](const T& own) { return own == value; })));
    for (const auto& [own, when] : pick.options)
        if (const Term left = t.bvand(when, t.bvnot(condition)); own != value && left != t.truth(false))
            result.options.emplace_back(own, left);
    return result;
}

/// What a function makes of the values of two picks; values of one result are one.
template <typename T, typename U, typename F>
auto of_both(Terms& t, const Pick<T>& one, const Pick<U>& other, F function) {
    using Result = decltype(function(one.first(), other.first()));
    Pick<std::pair<T, U>> pairs;
    for (const auto& [x, of_x] : one.options)
        for (const auto& [y, of_y] : other.options) pairs.options.push_back({{x, y}, t.bvand(of_x, of_y)});
    return pairs.mapped(t, [&](const std::pair<T, U>& p) -> Result { return function(p.first, p.second); });
}

/// What a function makes of the value that is picked, as an integer.
template <typename T, typename F>
Ranged choose_ranged(Terms& t, const Pick<T>& pick, F function) {
    Ranged result = function(pick.options.back().first);
    for (std::size_t i = pick.options.size() - 1; i-- > 0;)
        result = ite(t, pick.options[i].second, function(pick.options[i].first), result);
    return result;
}

/// The integer that is picked.
Ranged ranged_pick(Terms& t, const Pick<int>& pick);

} // namespace discern
