#include "members.hpp"

#include "draw.hpp"

#include <stdexcept>

namespace discern::claims {

std::vector<Member> members_of(const std::string& space) { return members(std::vector{Space::parse(space)}); }

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

std::string Results::difference_within(const std::vector<std::size_t>& which) const {
    std::string found;
    for (std::size_t n = 1; n < which.size() && found.empty(); ++n) {
        const auto at = first_difference(which[0], which[n]);
        if (!at) continue;
        const Member &one = members_[which[0]], &other = members_[which[n]];
        std::size_t i = 0;
        inputs_.for_each([&](const Inputs& x) {
            if (i++ != *at) return true;
            found = one.text + " and " + other.text + " give " + result_text(one.unit, x) + " and " +
                    result_text(other.unit, x) + " for " + as_options(one.unit, x);
            return false;
        });
    }
    return found;
}

WrittenUnit draw_space(Random& random, int most_bits, std::size_t most) {
    Size size;
    size.most_bits = most_bits;
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
