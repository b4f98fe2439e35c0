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

std::string difference_within(const std::vector<Member>& members, const std::vector<std::size_t>& which,
                              const AllInputs& inputs) {
    for (std::size_t i = 1; i < which.size(); ++i) {
        const Member &one = members[which[0]], &other = members[which[i]];
        const auto x = first_difference(one.unit, other.unit, inputs);
        if (!x) continue;
        return one.text + " and " + other.text + " give " + result_text(one.unit, x->inputs()) + " and " +
               result_text(other.unit, x->inputs()) + " for " + as_options(one.unit, x->inputs());
    }
    return "";
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
