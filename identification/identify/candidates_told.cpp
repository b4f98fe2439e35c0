// The report on the remaining candidates: structures with the values that their parameters still may have, and the
// observations that excluded the others.
#include "candidates.hpp"

#include "models/parametric/family.hpp"

#include <algorithm>
#include <set>

namespace discern::identify {

namespace {

constexpr std::size_t most_told = 8; ///< values of a parameter, in a description

} // namespace

std::string Candidates::structure_name() const {
    return list_.empty() ? space_[named().part->box.structure].name : "a member of the list";
}

std::vector<Remaining> Candidates::remaining() const {
    std::vector<Remaining> result;
    for (const auto& [structure, sets] : unions()) {
        Remaining one{{space_[structure], {}}, {}, description(structure, sets), structure};
        std::set<std::size_t> put_off;
        for (const Part& part : parts_) {
            if (part.box.structure != structure) continue;
            one.space.boxes.push_back(part.box);
            put_off.insert(part.put_off.begin(), part.put_off.end());
        }
        for (const std::size_t n : put_off) one.put_off.push_back(observations_[n]);
        const bool is_named = structure == named().part->box.structure;
        result.insert(is_named ? result.begin() : result.end(), std::move(one));
    }
    return result;
}

std::vector<Finding> Candidates::findings() const {
    const Named& one = named();
    // After which observations something was another than before.
    const auto changes = [&](auto of) {
        std::vector<std::size_t> observations;
        for (std::size_t at = 1; at < history_.size(); ++at)
            if (of(history_[at]) != of(history_[at - 1])) observations.push_back(history_[at].observation);
        return observations;
    };
    if (!list_.empty()) {
        Finding member{"member", one.listed != nullptr ? one.listed->name : "", {}, changes([](const Step& step) {
                           return step.bits;
                       })};
        for (const Listed* other : listed())
            if (other != one.listed) member.also.push_back(other->name);
        return {member};
    }
    const std::size_t structure = one.part->box.structure;
    std::vector<Finding> result;
    for (Slot v = 0; v < one.member.size(); ++v) {
        const Variable& variable = space_[structure].variables[v];
        if (variable.values.size() < 2) continue;
        Finding finding{variable.name, variable.text(one.member[v]), {}, changes([&](const Step& step) {
                            return step.sets.at(structure)[v];
                        })};
        history_.back().sets.at(structure)[v].for_each([&](std::size_t i) {
            if (i != one.member[v]) finding.also.push_back(variable.text(i));
        });
        result.push_back(std::move(finding));
    }
    return result;
}

/// The structure with the values that its boxes leave, where these are several; of a list, its members.
std::string Candidates::description(std::size_t structure, const std::vector<ValueSet>& sets) const {
    if (!list_.empty()) {
        auto members = listed();
        std::erase_if(members, [&](const Listed* one) { return one->structure != structure; });
        if (members.empty()) return "nothing of the list that was found soon";
        return members.front()->name +
               (members.size() > 1 ? " and " + std::to_string(members.size() - 1) + " more" : "");
    }
    const Structure& s = space_[structure];
    std::string text;
    for (Slot v = 0; v < s.variables.size(); ++v) {
        if (sets[v].is_single()) continue;
        std::string values;
        std::size_t told = 0;
        sets[v].for_each([&](std::size_t i) {
            if (++told <= most_told) values += (values.empty() ? "" : "|") + s.variables[v].text(i);
        });
        if (told > most_told) values += "|…";
        text += (text.empty() ? "" : ", ") + s.variables[v].name + "=" + values;
    }
    return s.name + (text.empty() ? "" : " {" + text + "}");
}

} // namespace discern::identify
