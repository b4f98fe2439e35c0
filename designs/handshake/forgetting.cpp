#include "forgetting.hpp"

#include "models/unit/sentence.hpp"

#include <optional>
#include <span>

namespace discern::rtl {

void Forgetting::flatten(Term word, std::vector<Term>& highest_first) const {
    if (t_.op(word) != Op::concat) return highest_first.push_back(word);
    for (const Term part : t_.args(word)) flatten(part, highest_first);
}

std::vector<Term> Forgetting::operator()(const std::vector<Term>& whole, Renaming stays) {
    for (; noted_open_ < machine_.open().size(); ++noted_open_)
        if (const Open& open = machine_.open()[noted_open_]; open.kind == Open::Kind::x)
            undefined_.insert(open.variable.id);
    std::size_t numbered = 0; // what is undefined, in the order in which it comes
    std::vector<Term> registers;
    for (const std::size_t r : machine_.registers())
        registers.push_back(forgotten(whole[registers.size()], r, stays, numbered));
    return registers;
}

Term Forgetting::forgotten(Term whole, std::size_t r, Renaming& stays, std::size_t& numbered) {
    std::vector<Term> highest_first;
    flatten(whole, highest_first);
    std::optional<Term> word;
    int low = 0;
    for (std::size_t i = highest_first.size(); i-- > 0;) {
        Term part = highest_first[i];
        const int width = t_.width(part);
        if (!t_.is_constant(part))
            part = stays_whole(part, stays, numbered) ? t_.substitute(part, stays) : anything(r, low, width);
        word = word ? t_.concat(part, *word) : part;
        low += width;
    }
    return *word;
}

/// Whether it depends on operations on their way and on x alone. What is x stays, with another number.
bool Forgetting::stays_whole(Term part, Renaming& stays, std::size_t& numbered) {
    std::vector<Term> new_undefined;
    for (const Term x : t_.cone(std::span(&part, 1))) {
        if (t_.op(x) != Op::variable || stays.contains(x.id)) continue;
        if (!undefined_.contains(x.id)) return false;
        new_undefined.push_back(x);
    }
    for (const Term x : new_undefined) stays.emplace(x.id, undefined(numbered++, t_.width(x)));
    return true;
}

Term Forgetting::undefined(std::size_t number, int width) {
    const Term term = t_.variable(sentence("handshake x ", number, " of ", width), width);
    undefined_.insert(term.id);
    return term;
}

Term Forgetting::anything(std::size_t r, int low, int width) {
    const auto key = std::tuple(r, low, width);
    const auto found = anything_.find(key);
    if (found != anything_.end()) return found->second;
    const Term term = machine_.any(width, Open::Kind::state, machine_.name_of_register(r));
    return anything_.emplace(key, term).first->second;
}

} // namespace discern::rtl
