// Which registers a net is, and how they are set.
#include "state.hpp"

#include "designs/read/cells.hpp"

#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <set>

namespace discern::rtl {

std::vector<StatePart> parts_of_state(const Design& design, const StateUse& state) {
    std::vector<StatePart> parts;
    std::set<Net> seen;
    for (std::size_t i = 0; i < state.bits.size(); ++i) {
        const Net bit = state.bits[i];
        const auto driver = design.drivers.find(bit);
        if (net::is_constant(bit) || driver == design.drivers.end() || driver->second.is_port ||
            !is_register(design.cells[driver->second.cell]))
            throw Error(sentence("--state: bit ", i, " of net ", excerpt(state.name),
                                 " is not that of a register; the state is what registers hold"));
        if (!seen.insert(bit).second)
            throw Error(sentence("--state: bit ", i, " of net ", excerpt(state.name),
                                 " is one of its lower bits again, so it cannot be every c"));
        const auto& [cell, is_port, pin, place] = driver->second;
        if (!parts.empty() && parts.back().cell == cell && parts.back().place + parts.back().count == place)
            ++parts.back().count;
        else
            parts.push_back({.cell = cell, .place = place, .at = i, .count = 1});
    }
    return parts;
}

void set_state(Terms& t, Machine& machine, const Design& design, const StateUse& state, Term c) {
    for (const StatePart& part : parts_of_state(design, state)) {
        const Term bits = t.extract(c, static_cast<int>(part.at), static_cast<int>(part.count));
        machine.set_bits(part.cell, static_cast<int>(part.place), bits);
    }
}

std::vector<std::string> assignable(const Design& design, const StateUse& state, const StatePart& part) {
    const auto begin = state.bits.begin() + static_cast<std::ptrdiff_t>(part.at);
    const std::vector<Net> bits(begin, begin + static_cast<std::ptrdiff_t>(part.count));
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, const std::vector<Net>& word) {
        const auto found = std::search(word.begin(), word.end(), bits.begin(), bits.end());
        if (found == word.end()) return;
        const auto low = static_cast<std::size_t>(found - word.begin());
        const std::string text =
            bits.size() == word.size() ? name : sentence(name, "[", low + bits.size() - 1, ":", low, "]");
        if (std::ranges::find(names, text) == names.end()) names.push_back(text);
    };
    if (const auto given = design.words.find(state.name); given != design.words.end()) add(given->first, given->second);
    for (const auto& [name, word] : design.words) add(name, word);
    return names;
}

} // namespace discern::rtl
