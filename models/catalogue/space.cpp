#include "models/space.hpp"

#include "models/bounds.hpp"
#include "models/catalogue.hpp"
#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/overrides.hpp"
#include "models/unit/texts.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace discern {

namespace {

using texts::trimmed;
constexpr std::size_t most_values = 4096; ///< of one choice
constexpr std::uint64_t largest_count = std::numeric_limits<std::uint64_t>::max();

/// The parts of a text between separators that stand outside of braces.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '{') ++depth;
        if (text[i] == '}') --depth;
        if (depth < 0 || depth > 1)
            throw Error("space: " + excerpt(text.substr(i)) +
                        ": a choice is {value|value} or {first..last}, and holds "
                        "no other choice");
        if (text[i] != separator || depth != 0) continue;
        parts.push_back(trimmed(text.substr(start, i - start)));
        start = i + 1;
    }
    if (depth != 0) throw Error("space: " + excerpt(text) + ": a brace is not closed; key={value|value} is right");
    parts.push_back(trimmed(text.substr(start)));
    return parts;
}

/// Appends what one alternative stands for: itself, or a range of integers.
void append_values(Choice& choice, std::string_view alternative) {
    const auto fail = [&](std::string_view why) {
        throw Error(sentence("space: ", choice.key, "={… ", excerpt(alternative), " …}: ", why));
    };
    if (alternative.empty()) fail("a value is missing; {value|value} or {first..last} is right");
    std::vector<std::string> values;
    if (const auto dots = alternative.find(".."); dots == std::string_view::npos) {
        values.emplace_back(alternative);
    } else {
        const auto low = texts::whole_number(trimmed(alternative.substr(0, dots)));
        const auto high = texts::whole_number(trimmed(alternative.substr(dots + 2)));
        if (!low || !high) fail("a range is two integers, as in {22..26}");
        if (*low > *high) fail("the first number of a range is the smaller one");
        if (static_cast<std::uint64_t>(std::int64_t{*high} - *low) >= most_values)
            fail(sentence("a choice has at most ", most_values, " values"));
        for (int value = *low; value <= *high; ++value) values.push_back(std::to_string(value));
    }
    for (std::string& value : values) {
        if (std::find(choice.values.begin(), choice.values.end(), value) != choice.values.end())
            fail("the value " + value + " is there twice; once is right");
        choice.values.push_back(std::move(value));
    }
    if (choice.values.size() > most_values) fail(sentence("a choice has at most ", most_values, " values"));
}

Choice read_choice(std::string_view item) {
    const auto equals = item.find('=');
    if (equals == std::string_view::npos)
        throw Error("space: " + excerpt(item) + " is no setting; key=value or key={value|value} is right");
    Choice choice{std::string(trimmed(item.substr(0, equals))), {}};
    const std::string_view value = trimmed(item.substr(equals + 1));
    if (!value.starts_with('{')) {
        if (value.find_first_of("|{}") != std::string_view::npos || value.find("..") != std::string_view::npos)
            throw Error("space: " + excerpt(item) + ": a choice stands in braces; " + choice.key +
                        "={value|value} or {first..last} is right");
        choice.values.emplace_back(value);
        return choice;
    }
    if (value.find('}') != value.size() - 1)
        throw Error("space: " + excerpt(item) + ": a comma must follow the choice's closing brace");
    const std::string_view body = value.substr(1, value.size() - 2);
    if (body.find(',') != std::string_view::npos)
        throw Error("space: " + excerpt(item) + ": values of a choice are separated by '|'");
    for (const std::string_view alternative : split(body, '|')) append_values(choice, alternative);
    return choice;
}

} // namespace

Space Space::parse(std::string_view text) {
    text = trimmed(text);
    const auto brace = text.find('{');
    Space space;
    space.base_ = trimmed(text.substr(0, brace));
    if (is_notation(space.base_))
        space.written_out_ = parse_unit(space.base_);
    else
        resolve_unit(space.base_); // the name alone must be right
    if (brace != std::string_view::npos) {
        const std::string_view body = text.substr(brace);
        if (body.back() != '}')
            throw Error("space: " + excerpt(body) +
                        ": {key=value,key={value|value},…} at the end of the unit is right");
        for (const std::string_view item : split(body.substr(1, body.size() - 2), ','))
            if (!item.empty()) space.choices_.push_back(read_choice(item));
    }
    parse_overrides(space.braces(std::vector<std::size_t>(space.choices_.size()))); // keys and repetitions
    space.require_useful_values();
    return space;
}

bool has_choices(std::string_view text) {
    // Braces are of overrides only, and braces within them of choices.
    const std::size_t brace = text.find('{');
    return brace != std::string_view::npos && text.find('{', brace + 1) != std::string_view::npos;
}

/// Changes at most one pick other than that of `fixed` so that the picks make a unit; false if there is no such change.
bool Space::repair(std::vector<std::size_t>& picks, std::size_t fixed) const {
    if (member(picks)) return true;
    for (std::size_t other = 0; other < choices_.size(); ++other) {
        if (other == fixed) continue;
        const std::size_t before = picks[other];
        for (std::size_t pick = 0; pick < choices_[other].values.size(); ++pick) {
            picks[other] = pick;
            if (member(picks)) return true;
        }
        picks[other] = before;
    }
    return false;
}

void Space::require_useful_values() const {
    std::vector<std::size_t> home(choices_.size());
    if (!repair(home, choices_.size())) resolve(home); // which says what is wrong with the first values
    for (std::size_t choice = 0; choice < choices_.size(); ++choice)
        for (std::size_t pick = 0; pick < choices_[choice].values.size(); ++pick) {
            std::vector<std::size_t> at = home;
            at[choice] = pick;
            if (repair(at, choice)) continue;
            try {
                resolve(at);
            } catch (const Error& why) {
                throw Error(sentence("space: ", choices_[choice].key, "=", choices_[choice].values[pick],
                                     " makes no unit, also with any one other choice changed: ", why.what()));
            }
        }
}

std::uint64_t Space::size() const {
    std::uint64_t product = 1;
    for (const Choice& choice : choices_)
        if (__builtin_mul_overflow(product, std::uint64_t{choice.values.size()}, &product)) return largest_count;
    return product;
}

std::vector<std::size_t> Space::picks(std::uint64_t n) const {
    if (n >= size()) throw std::logic_error("space: there is no such combination");
    std::vector<std::size_t> picks(choices_.size());
    for (std::size_t i = choices_.size(); i-- > 0; n /= choices_[i].values.size())
        picks[i] = static_cast<std::size_t>(n % choices_[i].values.size());
    return picks;
}

std::string Space::braces(std::span<const std::size_t> picks) const {
    if (picks.size() != choices_.size()) throw std::logic_error("space: one pick for every choice is right");
    if (choices_.empty()) return "";
    std::string text;
    for (std::size_t i = 0; i < choices_.size(); ++i)
        text += (i == 0 ? "{" : ",") + choices_[i].key + "=" + choices_[i].values.at(picks[i]);
    return text + "}";
}

std::string Space::member_text(std::span<const std::size_t> picks) const { return base_ + braces(picks); }

Unit Space::resolve(std::span<const std::size_t> picks) const {
    return written_out_ ? with_overrides(*written_out_, braces(picks)) : resolve_unit(member_text(picks));
}

std::optional<Unit> Space::member(std::span<const std::size_t> picks) const {
    try {
        return resolve(picks);
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::vector<Space> read_spaces(std::string_view argument) {
    argument = trimmed(argument);
    if (!argument.starts_with('@')) return {Space::parse(argument)};
    const std::string file(argument.substr(1));
    std::ifstream in(file);
    if (!in) throw Error("cannot read the file of spaces " + excerpt(file, 200));
    std::vector<Space> spaces;
    std::string line;
    for (std::size_t number = 1; next_line(in, line, sentence(file, ":", number, ": ")); ++number) {
        const std::string_view text = trimmed(std::string_view(line).substr(0, line.find('#')));
        if (text.empty()) continue;
        try {
            spaces.push_back(Space::parse(text));
        } catch (const Error& wrong) {
            throw Error(sentence(file, ":", number, ": ", wrong.what()));
        }
    }
    if (in.bad()) throw Error("cannot read the file of spaces " + excerpt(file, 200));
    if (spaces.empty()) throw Error("the file " + excerpt(file, 200) + " has no space in it; one a line is right");
    return spaces;
}

std::vector<Member> members(std::span<const Space> spaces, std::uint64_t limit) {
    std::uint64_t total = 0;
    for (const Space& space : spaces)
        if (__builtin_add_overflow(total, space.size(), &total)) total = largest_count;
    if (total > limit)
        throw Error(sentence("the space has ", total, " combinations; at most ", limit, " are possible"));
    std::vector<Member> all;
    for (const Space& space : spaces)
        for (std::uint64_t n = 0; n < space.size(); ++n) {
            const std::vector<std::size_t> picks = space.picks(n);
            if (std::optional<Unit> unit = space.member(picks))
                all.push_back({space.member_text(picks), std::move(*unit)});
        }
    return all;
}

} // namespace discern
