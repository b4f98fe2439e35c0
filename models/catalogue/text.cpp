#include "text.hpp"

#include "models/error.hpp"
#include "models/notation.hpp"
#include "models/suggest.hpp"
#include "models/unit/texts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <map>

namespace discern::catalogue_text {

namespace {

constexpr std::string_view separator = " : ";
constexpr std::size_t most_choices = 4096; ///< of one line

using texts::trimmed;

std::vector<std::string> words_of(std::string_view text) {
    const auto words = texts::words(text, " \t");
    return {words.begin(), words.end()};
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// What one choice of every {…} makes of a text, and what $A is then.
struct Choice {
    std::string text;
    std::map<std::string, std::string> values;
};

/// The parts of a text between bars that are in no braces.
std::vector<std::string_view> alternatives(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t from = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size()) depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
        if (i < text.size() && (text[i] != '|' || depth != 0)) continue;
        parts.push_back(text.substr(from, i - from));
        from = i + 1;
    }
    return parts;
}

std::size_t end_of_braces(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < text.size(); ++i) {
        depth += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
        if (depth == 0) return i;
    }
    throw Error("'{' is not closed");
}

/// Every choice, the first braces' slowest.
std::vector<Choice> choices(std::string_view text) {
    const auto open = text.find('{');
    if (open == std::string_view::npos) return {{std::string(text), {}}};
    const auto close = end_of_braces(text, open);
    std::string_view inner = text.substr(open + 1, close - open - 1);
    std::string letter;
    if (inner.size() > 2 && inner[1] == '=') {
        letter = inner.substr(0, 1);
        inner.remove_prefix(2);
    }
    std::vector<Choice> all;
    const std::vector<Choice> behind = choices(text.substr(close + 1));
    for (const std::string_view part : alternatives(inner)) {
        const auto colon = letter.empty() ? std::string_view::npos : part.find(':');
        for (const Choice& own : choices(part.substr(0, colon)))
            for (const Choice& rest : behind) {
                Choice one{std::string(text.substr(0, open)) + own.text + rest.text, rest.values};
                one.values.insert(own.values.begin(), own.values.end());
                if (!letter.empty())
                    one.values[letter] =
                        colon == std::string_view::npos ? own.text : std::string(part.substr(colon + 1));
                all.push_back(std::move(one));
                if (all.size() > most_choices) throw Error("the braces have too many choices");
            }
    }
    return all;
}

/// $NAME replaced by its value; the names that are not known stay if they may be choices, of one letter.
std::string with_values(std::string_view text, const std::map<std::string, std::string>& values, bool letters_stay) {
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] != '$') {
            all += text[at++];
            continue;
        }
        std::size_t end = at + 1;
        while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
            ++end;
        const std::string name(text.substr(at + 1, end - at - 1));
        const auto found = values.find(name);
        if (found != values.end())
            all += found->second;
        else if (letters_stay && name.size() == 1)
            all += text.substr(at, end - at);
        else
            throw Error(sentence("there is no ", excerpt("$" + name, 40), " above; let ", name, " = … is right"));
        at = end;
    }
    return all;
}

class Reader {
  public:
    explicit Reader(std::string_view name) : name_(name) {}

    File read(std::string_view text) {
        for (std::size_t from = 0; from < text.size();) {
            const auto end = std::min(text.find('\n', from), text.size());
            ++number_;
            try {
                line(text.substr(from, end - from));
            } catch (const Error& error) {
                throw Error(sentence(name_, ":", number_, ": ", error.what()));
            }
            from = end + 1;
        }
        for (const std::string& architecture : order_)
            for (UnitLine& unit : units_)
                if (unit.architecture == architecture) file_.units.push_back(std::move(unit));
        return std::move(file_);
    }

  private:
    void line(std::string_view text) {
        const bool belongs_to_last = !text.empty() && (text[0] == ' ' || text[0] == '\t');
        text = trimmed(text);
        if (text.empty() || text[0] == '#') return;
        const auto space = std::min(text.find(' '), text.size());
        const std::string_view first = text.substr(0, space);
        const std::string_view rest = trimmed(text.substr(space));
        if (belongs_to_last) return more_of_last(text);
        if (first == "let") return let(rest);
        const std::string known = with_values(rest, lets_, true);
        if (first == "on") return on(known);
        if (first == "evidence") return evidence(known);
        if (first == "products") return products(known);
        if (first == "unplaced") return unplaced(known);
        if (first == "family")
            family_ = known;
        else if (first == "remark")
            remark_ = known;
        else
            unit(with_values(text, lets_, true));
    }

    void let(std::string_view text) {
        const auto is = text.find(" = ");
        if (is == std::string_view::npos || is == 0) throw Error("let NAME = TEXT is right");
        lets_[std::string(trimmed(text.substr(0, is)))] = with_values(text.substr(is + 3), lets_, true);
    }

    void on(const std::string& names) {
        on_ = words_of(names);
        if (on_.empty()) throw Error("an architecture is missing; on NAME … is right");
        for (const std::string& name : on_)
            if (std::find(order_.begin(), order_.end(), name) == order_.end()) order_.push_back(name);
    }

    void unit(const std::string& text) {
        const auto colon = text.find(separator);
        if (colon == std::string::npos)
            throw Error(sentence(excerpt(text, 60),
                                 " is no line of a catalogue; INSTRUCTION : NOTATION is right, or let, "
                                 "on, family, remark or evidence"));
        if (on_.empty()) throw Error("a unit before the first architecture; on NAME … comes first");
        if (family_.empty()) throw Error("a unit before the first family; family TEXT comes first");
        last_.clear();
        for (const Choice& choice : choices(std::string_view(text).substr(0, colon))) {
            const std::string notation = with_values(text.substr(colon + separator.size()), choice.values, false);
            const Unit read = parsed(choice.text, notation);
            for (const std::string& architecture : on_) {
                last_.push_back({units_.size(), choice.values});
                units_.push_back({{.name = architecture + "/" + choice.text,
                                   .architecture = architecture,
                                   .instruction = choice.text,
                                   .unit = read,
                                   .family = family_,
                                   .remark = remark_},
                                  "",
                                  ""});
            }
        }
    }

    /// `paper : …` and `any K : …` of the units of the last line.
    void more_of_last(std::string_view text) {
        const auto colon = std::min(text.find(separator), text.size());
        const std::string_view what = text.substr(0, colon);
        if (colon == text.size() || (what != "paper" && what != "any K"))
            throw Error(sentence(excerpt(text, 60), " says nothing of the unit above; paper : NOTATION or any K : "
                                                    "NOTATION is right"));
        if (last_.empty()) throw Error(sentence("there is no unit above of which ", what, " could be said"));
        const std::string known = with_values(text.substr(colon + separator.size()), lets_, true);
        std::string before;
        for (const Last& last : last_) {
            UnitLine& unit = units_[last.index];
            const std::string notation = with_values(trimmed(known), last.values, false);
            (what == "paper" ? unit.paper : unit.any_K) = notation;
            if (notation != before) what == "paper" ? parsed(unit.instruction, notation) : unit_for(unit, 2);
            before = notation;
        }
    }

    static Unit parsed(const std::string& instruction, const std::string& notation) {
        try {
            return parse_unit(notation);
        } catch (const Error& error) {
            throw Error(sentence(instruction, ": ", error.what()));
        }
    }

    /// What stands between the separators, of which the last part may have more.
    static std::array<std::string_view, 4> four(std::string_view text, std::string_view right) {
        std::array<std::string_view, 4> parts;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto colon = i == 3 ? std::string_view::npos : text.find(separator);
            if (i < 3 && colon == std::string_view::npos) throw Error(std::string(right) + " is right");
            parts[i] = trimmed(text.substr(0, colon));
            if (i < 3) text.remove_prefix(colon + separator.size());
        }
        return parts;
    }

    /// Visits each of several names.
    template <typename Visit>
    static void for_each_name(std::string_view names, Visit visit) {
        while (!names.empty()) {
            const auto comma = std::min(names.find(','), names.size());
            visit(std::string(trimmed(names.substr(0, comma))));
            names.remove_prefix(std::min(comma + 1, names.size()));
        }
    }

    void products(std::string_view text) {
        const auto parts = four(text, "products NAME, … : ARCHITECTURE : CAPABILITY : SOURCE");
        for_each_name(parts[0], [&](std::string name) {
            file_.products.push_back(
                {std::move(name), std::string(parts[1]), std::string(parts[2]), std::string(parts[3])});
        });
    }

    void unplaced(std::string_view text) {
        const auto colon = text.find(separator);
        if (colon == std::string_view::npos) throw Error("unplaced NAME, … : SENTENCE is right");
        for_each_name(text.substr(0, colon), [&](std::string name) {
            file_.unplaced.push_back({std::move(name), std::string(trimmed(text.substr(colon + separator.size())))});
        });
    }

    void evidence(std::string_view text) {
        const auto parts = four(text, "evidence KEY … : NAME … : KIND : SOURCE");
        EvidenceLine row{.keys = "", .names = {}, .evidence = evidence_from(parts[2]), .source = std::string(parts[3])};
        if (parts[0] != "*") row.keys = " " + std::string(parts[0]) + " ";
        for (const std::string& name : words_of(parts[1]))
            for (Choice& choice : choices(name)) row.names.push_back(std::move(choice.text));
        file_.evidence.push_back(std::move(row));
    }

    static Evidence evidence_from(std::string_view text) {
        std::vector<std::string> known;
        for (int i = 0; i <= static_cast<int>(Evidence::open); ++i) {
            if (discern::name(static_cast<Evidence>(i)) == text) return static_cast<Evidence>(i);
            known.emplace_back(discern::name(static_cast<Evidence>(i)));
        }
        throw Error(sentence(excerpt(text, 40), " is no kind of evidence", did_you_mean(text, known),
                             "; silicon, paper, "
                             "toolbox, assembler, emulator and open are"));
    }

    struct Last {
        std::size_t index;
        std::map<std::string, std::string> values;
    };

    std::string_view name_;
    int number_ = 0;
    std::map<std::string, std::string> lets_;
    std::vector<std::string> on_, order_;
    std::string family_, remark_;
    std::vector<UnitLine> units_; ///< in the order of the lines
    std::vector<Last> last_;      ///< the units of the last line
    File file_;
};

} // namespace

File read(std::string_view name, std::string_view text) { return Reader(name).read(text); }

const std::vector<File>& files() {
    static const std::vector<File> all = [] {
        std::vector<File> list;
        for (const Source& source : sources()) list.push_back(read(source.name, source.text));
        return list;
    }();
    return all;
}

Unit unit_for(const UnitLine& line, int K) {
    if (line.any_K.empty()) throw Error(line.instruction + " is written for one K alone");
    const auto logarithm = static_cast<int>(std::bit_width(static_cast<unsigned>(K - 1)));
    std::string text = line.any_K;
    for (auto at = text.find("+log2#"); at != std::string::npos; at = text.find("+log2#")) {
        auto first = at;
        while (first > 0 && std::isdigit(static_cast<unsigned char>(text[first - 1])) != 0) --first;
        if (first == at) throw Error(line.instruction + ": a number is missing before +log2#");
        text.replace(first, at + 6 - first, std::to_string(std::stoi(text.substr(first, at - first)) + logarithm));
    }
    return parse_unit(replaced(std::move(text), "#", std::to_string(K)));
}

bool fits(std::string_view pattern, std::string_view name) {
    const auto star = pattern.find('*');
    if (star == std::string_view::npos) return pattern == name;
    if (!name.starts_with(pattern.substr(0, star))) return false;
    name.remove_prefix(star);
    const std::string_view behind = pattern.substr(star + 1);
    if (behind.empty()) return true;
    for (std::size_t skip = 0; skip <= name.size(); ++skip)
        if (fits(behind, name.substr(skip))) return true;
    return false;
}

} // namespace discern::catalogue_text
