#include "members.hpp"

#include "draw.hpp"

#include "models/parametric/family.hpp"

#include <algorithm>
#include <stdexcept>

namespace discern::claims {

std::vector<Member> members_of(const std::string& space) { return members(std::vector{Space::parse(space)}); }

std::vector<std::vector<Unit>> by_skeleton(const std::vector<Member>& members) {
    std::vector<std::vector<Unit>> groups;
    for (const Member& member : members) {
        bool known = false;
        for (auto& group : groups) {
            if (known || !parametric::same_skeleton(group.front(), member.unit)) continue;
            group.push_back(member.unit);
            known = true;
        }
        if (!known) groups.push_back({member.unit});
    }
    return groups;
}

MemberIndex::MemberIndex(const std::vector<Member>& members) {
    for (std::size_t i = 0; i < members.size(); ++i) by_text_.emplace(members[i].text, i);
}

std::size_t MemberIndex::operator()(const std::string& text) const {
    const auto found = by_text_.find(text);
    if (found == by_text_.end()) throw std::runtime_error("no member of the space: " + text);
    return found->second;
}

Results::Results(const std::vector<Member>& members, const AllInputs& inputs)
    : members_(members), inputs_(inputs), results_(members.size()) {}

const std::vector<std::uint64_t>& Results::of(std::size_t member) const {
    std::vector<std::uint64_t>& row = results_[member];
    if (!row.empty()) return row;
    const Evaluator evaluate(members_[member].unit);
    row.reserve(inputs_.count());
    inputs_.for_each([&](const Inputs& x) {
        row.push_back(evaluate(x));
        return true;
    });
    return row;
}

std::optional<std::size_t> Results::first_difference(std::size_t one, std::size_t other) const {
    const auto &x = of(one), &y = of(other);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] != y[i] && !same_result(members_[one].unit, x[i], y[i]) &&
            !same_result(members_[other].unit, x[i], y[i]))
            return i;
    return std::nullopt;
}

bool Results::same(std::size_t one, std::size_t other) const { return !first_difference(one, other); }

bool Results::explains(std::size_t one, std::size_t observed) const {
    const auto &x = of(one), &y = of(observed);
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] != y[i] && !same_result(members_[one].unit, x[i], y[i])) return false;
    return true;
}

/// Inputs on which the two differ, in words; empty if there are none.
std::string Results::difference(std::size_t one, std::size_t other) const {
    const auto at = first_difference(one, other);
    if (!at) return "";
    const Member &first = members_[one], &second = members_[other];
    std::string found;
    std::size_t i = 0;
    inputs_.for_each([&](const Inputs& x) {
        if (i++ != *at) return true;
        found = first.text + " and " + second.text + " give " + result_text(first.unit, x) + " and " +
                result_text(second.unit, x) + " for " + as_options(first.unit, x);
        return false;
    });
    return found;
}

std::string Results::difference_within(const std::vector<std::size_t>& which) const {
    // Two that are the same as a third need not be the same as each other where a NaN is any NaN: each rule is a
    // representative.
    std::vector<std::size_t> compared;
    std::string found;
    for (const std::size_t n : which) {
        for (const std::size_t other : compared)
            if (found.empty()) found = difference(other, n);
        if (std::none_of(compared.begin(), compared.end(),
                         [&](std::size_t m) { return members_[m].unit.nan == members_[n].unit.nan; }))
            compared.push_back(n);
    }
    return found;
}

WrittenUnit draw_space(Random& random, int most_bits, std::size_t most) {
    Size size;
    size.most_bits = most_bits;
    size.large = most_bits >= large_units && random.one_in(3);
    for (;;) {
        const Unit unit = draw_unit(random, size);
        const auto choices = draw_choices(random, unit);
        if (!choices) continue;
        WrittenUnit space{unit, *choices};
        const std::size_t n = members_of(space.text()).size();
        if (n >= 2 && n <= most) return space;
    }
}

} // namespace discern::claims
