// Finds the indices in the syntax tree, and of each what has to stand in the text (changes.hpp).
#include "indices.hpp"

#include "changes.hpp"
#include "reader.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace discern::rtl {

namespace {

using Names = std::set<std::string>;

bool has_no_signal(const SyntaxNode& x, const Names& constants) {
    bool none = !x.is("FCALL") || x.name.starts_with("\\$");
    each(x, [&](const SyntaxNode& node) { none = none && !(node.is("IDENTIFIER") && !constants.contains(node.name)); });
    return none;
}

std::optional<long long> constant(const SyntaxNode& x) {
    if (!x.is("CONSTANT") || x.more.find("bits='") == std::string::npos) return std::nullopt;
    const auto begin = x.more.find("bits='") + 6, end = x.more.find('\'', begin);
    long long value = 0;
    for (std::size_t i = begin; i < end; ++i) {
        if ((x.more[i] != '0' && x.more[i] != '1') || end - begin > 40) return std::nullopt;
        value = value * 2 + (x.more[i] - '0');
    }
    return value;
}

class OfModule {
  public:
    OfModule(const std::string& text, const std::vector<std::size_t>& lines, const SyntaxNode& module, Changes& changes,
             std::vector<Hazard>& places, const PlaceOfLine& place)
        : text_(text), lines_(lines), module_(module), changes_(changes), places_(places), place_(place) {
        each(module, [&](const SyntaxNode& node) {
            if (node.is("PARAMETER") || node.is("LOCALPARAM") || node.is("GENVAR") || node.is("ENUM_ITEM"))
                constants_.insert(node.name);
            if (node.is("FOR") && !node.parts.empty() && !node.parts.front().parts.empty())
                constants_.insert(node.parts.front().parts.front().name); // loops are unrolled
            if (node.is("WIRE") || node.is("MEMORY")) declared_[node.name].push_back(&node);
            if (node.is("STRUCT_ITEM")) members_[node.name].push_back(&node);
        });
    }

    void run() { statement(module_); }

  private:
    void statement(const SyntaxNode& node) {
        const bool assigns = node.is("ASSIGN_EQ") || node.is("ASSIGN_LE");
        if ((!assigns && !node.is("ASSIGN")) || node.parts.size() < 2) {
            if (node.is("IDENTIFIER")) reading(node, nullptr);
            if (!node.is("WIRE") && !node.is("MEMORY"))
                for (const SyntaxNode& part : node.parts) statement(part);
            return;
        }
        targets(node.parts.front(), node, true);
        for (std::size_t i = 1; i < node.parts.size(); ++i) reads(node.parts[i], &node.parts.front());
    }

    void targets(const SyntaxNode& to, const SyntaxNode& assignment, bool is_whole) {
        if (!to.is("IDENTIFIER")) {
            for (const SyntaxNode& part : to.parts) targets(part, assignment, false);
            return;
        }
        if (may_leave(to)) {
            if (!is_whole || assignment.is("ASSIGN")) refuse(to);
            Change change = change_of(Change::Kind::write, to);
            change.begin = offset(assignment.span.line, assignment.span.column, to);
            change.end = text_.find(';', offset(assignment.span.end_line, assignment.span.end_column, to));
            if (change.end == std::string::npos) refuse(to);
            ++change.end;
            add(std::move(change), to);
        }
        for (const SyntaxNode& range : ranges(to)) {
            if (begins_below(to, range)) {
                if (!is_whole) refuse(to);
                const auto [begin, end] = base_of(to, range);
                Change change{Change::Kind::base, begin, end, {{begin, end}}, {}};
                add(std::move(change), to);
            }
            for (const SyntaxNode& index : range.parts) reads(index, nullptr);
        }
    }

    /// @param own  what the same text assigns to, as `m[i] += 1` reads m[i]
    void reads(const SyntaxNode& node, const SyntaxNode* own) {
        if (node.is("IDENTIFIER")) reading(node, own);
        for (const SyntaxNode& part : node.parts) reads(part, own);
    }

    void reading(const SyntaxNode& node, const SyntaxNode* own) {
        const bool is_own = own != nullptr && own->span.line == node.span.line && own->span.column == node.span.column;
        if (!is_own && may_leave(node)) add(change_of(Change::Kind::read, node), node);
    }

    // ---- what may lie outside

    static std::vector<SyntaxNode> ranges(const SyntaxNode& identifier) {
        std::vector<SyntaxNode> all;
        for (const SyntaxNode& part : identifier.parts) {
            if (part.is("RANGE")) all.push_back(part);
            if (part.is("MULTIRANGE"))
                for (const SyntaxNode& range : part.parts) all.push_back(range);
        }
        return all;
    }

    /// Dimensions of the memory, without those of its words.
    std::vector<SyntaxNode> dimensions(const SyntaxNode& memory) const {
        std::vector<SyntaxNode> all = ranges(memory);
        const bool has_type = std::ranges::any_of(memory.parts, [](const SyntaxNode& x) { return x.is("WIRETYPE"); });
        if (memory.parts.size() > 1 && !has_type && !all.empty()) all.erase(all.begin());
        return all;
    }

    const SyntaxNode* memory_of(const SyntaxNode& identifier) const {
        const auto found = declared_.find(identifier.name);
        if (found == declared_.end()) return nullptr;
        const auto memory = std::ranges::find_if(found->second, [](const SyntaxNode* x) { return x->is("MEMORY"); });
        return memory == found->second.end() ? nullptr : *memory;
    }

    /// A member of a structure, beyond which are its neighbours, or what a block has in it.
    bool is_member(const SyntaxNode& identifier) const {
        return !declared_.contains(identifier.name) && identifier.name.find('.') != std::string::npos;
    }

    bool may_leave(const SyntaxNode& identifier) const {
        const std::vector<SyntaxNode> given = ranges(identifier);
        if (given.empty()) return false;
        if (is_member(identifier)) return !is_inside_member(identifier.name, given.front());
        const SyntaxNode* const memory = memory_of(identifier);
        if (memory == nullptr) return false;
        const std::vector<SyntaxNode> dims = dimensions(*memory);
        for (std::size_t i = 0; i < dims.size() && i < given.size(); ++i)
            if (given[i].parts.size() != 1 || !is_inside(given[i].parts.front(), dims[i])) return true;
        return false;
    }

    /// A member is found by its name alone, so that all of that name have to have room.
    bool is_inside_member(const std::string& name, const SyntaxNode& range) const {
        if (std::ranges::all_of(range.parts, [&](const SyntaxNode& x) { return has_no_signal(x, constants_); }))
            return true;
        const auto found = members_.find(name.substr(name.rfind('.') + 1));
        return range.parts.size() == 1 && found != members_.end() &&
               std::ranges::all_of(found->second, [&](const SyntaxNode* member) {
                   return member->parts.size() == 1 && is_inside(range.parts.front(), member->parts.front());
               });
    }

    bool is_inside(const SyntaxNode& index, const SyntaxNode& dimension) const {
        if (has_no_signal(index, constants_)) return true; // yosys knows it
        if (dimension.parts.size() != 2) return false;
        auto one = constant(dimension.parts[0]), other = constant(dimension.parts[1]);
        if (!one || !other) return false;
        const auto [low, high] = std::minmax(*one, *other);
        const auto bits = width(index);
        return bits && *bits < 32 && low == 0 && (1ll << *bits) - 1 <= high;
    }

    /// Of an expression without sign, where it is seen at once.
    std::optional<int> width(const SyntaxNode& x) const {
        if (x.is("CONCAT")) {
            int sum = 0;
            for (const SyntaxNode& part : x.parts) {
                const auto bits = width(part);
                if (!bits) return std::nullopt;
                sum += *bits;
            }
            return sum;
        }
        if (!x.is("IDENTIFIER")) return std::nullopt;
        const std::vector<SyntaxNode> given = ranges(x);
        const auto found = declared_.find(x.name);
        if (found == declared_.end() || found->second.size() != 1 || !found->second.front()->is("WIRE"))
            return std::nullopt;
        const SyntaxNode& wire = *found->second.front();
        if (given.empty()) {
            if (wire.more.find(" signed") != std::string::npos || wire.parts.size() > 1) return std::nullopt;
            if (wire.parts.empty()) return 1;
            return wire.parts.front().is("RANGE") ? width_of(wire.parts.front()) : std::nullopt;
        }
        return given.size() == 1 ? width_of(given.front()) : std::nullopt;
    }

    static std::optional<int> width_of(const SyntaxNode& range) {
        if (range.parts.size() == 1) return 1;
        if (range.parts.size() != 2) return std::nullopt;
        const auto left = constant(range.parts[0]), right = constant(range.parts[1]);
        if (!left || !right) return std::nullopt;
        return static_cast<int>(std::abs(*left - *right)) + 1;
    }

    /// A part-select with a computed position that may begin below the word.
    bool begins_below(const SyntaxNode& to, const SyntaxNode& range) const {
        if (range.parts.size() != 2) return false;
        if (std::ranges::all_of(range.parts, [&](const SyntaxNode& x) { return has_no_signal(x, constants_); }))
            return false;
        const auto found = declared_.find(to.name);
        const bool goes_up = range.parts[1].is("ADD"); // +:
        if (!goes_up || found == declared_.end() || found->second.size() != 1) return true;
        const SyntaxNode& wire = *found->second.front();
        if (!wire.is("WIRE") || wire.parts.size() != 1 || wire.parts.front().parts.size() != 2) return true;
        const auto low = constant(wire.parts.front().parts[1]);
        const auto high = constant(wire.parts.front().parts[0]);
        bool has_sign = false; // of what the position is made of: it may be negative
        each(range.parts[1], [&](const SyntaxNode& x) {
            if (!x.is("IDENTIFIER")) return;
            const auto of = declared_.find(x.name);
            has_sign = has_sign || of == declared_.end() || std::ranges::any_of(of->second, [](const SyntaxNode* one) {
                           return one->more.find(" signed") != std::string::npos;
                       });
        });
        return has_sign || low != 0 || (high && *high < 0);
    }

    // ---- texts

    [[noreturn]] void refuse(const SyntaxNode& at) const {
        throw CannotRead(sentence("yosys reads otherwise than a simulator at ", place_(at.line), ": ",
                                  sentence_of(Construct::index_outside, {excerpt(at.name.substr(1))})));
    }

    std::size_t offset(int line, int column, const SyntaxNode& of) const {
        if (line < 1 || static_cast<std::size_t>(line) > lines_.size() || column < 1) refuse(of);
        return lines_[static_cast<std::size_t>(line) - 1] + static_cast<std::size_t>(column) - 1;
    }

    std::size_t after_space(std::size_t at) const {
        return std::min(text_.find_first_not_of(" \t\n\r", at), text_.size());
    }

    /// Behind the bracket that closes the one here.
    std::size_t closed(std::size_t open, const SyntaxNode& of) const {
        int depth = 0;
        for (std::size_t i = open; i < text_.size(); ++i) {
            if (text_[i] == '[' || text_[i] == '(' || text_[i] == '{') ++depth;
            if (text_[i] == ']' || text_[i] == ')' || text_[i] == '}') --depth;
            if (depth == 0) return i + 1;
        }
        refuse(of);
    }

    /// The brackets behind a name.
    std::vector<std::pair<std::size_t, std::size_t>> brackets(const SyntaxNode& of) const {
        const std::string name = of.name.substr(1);
        std::size_t at = offset(of.span.line, of.span.column, of);
        if (text_.compare(at, name.size(), name) != 0) refuse(of);
        at = after_space(at + name.size());
        std::vector<std::pair<std::size_t, std::size_t>> all;
        while (at < text_.size() && text_[at] == '[') {
            const std::size_t end = closed(at, of);
            all.emplace_back(at + 1, end - 1);
            at = after_space(end);
        }
        return all;
    }

    /// Where the text outside of brackets has the word first.
    std::size_t split(std::pair<std::size_t, std::size_t> in, std::string_view word) const {
        int depth = 0, choices = 0;
        for (std::size_t i = in.first; i < in.second; ++i) {
            const char c = text_[i];
            if (c == '[' || c == '(' || c == '{') ++depth;
            if (c == ']' || c == ')' || c == '}') --depth;
            if (depth != 0) continue;
            if (text_.compare(i, word.size(), word) == 0 && choices == 0) return i;
            if (c == '?') ++choices;
            if (c == ':') --choices;
        }
        return std::string::npos;
    }

    /// "(L)" and "(R)" of a dimension as it is declared.
    std::pair<std::string, std::string> bounds(std::pair<std::size_t, std::size_t> in) const {
        const auto part = [&](std::size_t begin, std::size_t end) {
            return "(" + text_.substr(begin, end - begin) + ")";
        };
        const std::size_t colon = split(in, ":");
        if (colon == std::string::npos) return {"0", part(in.first, in.second) + " - 1"};
        return {part(in.first, colon), part(colon + 1, in.second)};
    }

    Change change_of(Change::Kind kind, const SyntaxNode& identifier) const {
        const auto given = brackets(identifier);
        Change change{kind, offset(identifier.span.line, identifier.span.column, identifier), 0, {}, {}};
        if (given.empty()) refuse(identifier);
        change.end = given.back().second + 1;
        const auto bound = [&](const std::string& left, const std::string& right) {
            change.bounds.push_back("(({i} >= " + left + " && {i} <= " + right + ") || ({i} <= " + left +
                                    " && {i} >= " + right + "))");
        };
        if (is_member(identifier)) refuse(identifier); // yosys does not say how wide it is
        const SyntaxNode& memory = *memory_of(identifier);
        const auto declared = brackets(memory);
        const std::size_t count = dimensions(memory).size();
        if (declared.size() < count || given.size() < count || declared_.at(identifier.name).size() != 1)
            refuse(identifier);
        for (std::size_t i = 0; i < count; ++i) {
            const auto [left, right] = bounds(declared[i]);
            change.indices.push_back(given[i]);
            bound(left, right);
        }
        change.is_signed = memory.more.find(" signed") != std::string::npos && given.size() == count;
        return change;
    }

    /// What stands before +: or -:.
    std::pair<std::size_t, std::size_t> base_of(const SyntaxNode& to, const SyntaxNode& range) const {
        const auto given = brackets(to);
        const std::vector<SyntaxNode> all = ranges(to);
        const auto place = static_cast<std::size_t>(
            std::ranges::find_if(all, [&](const SyntaxNode& x) { return x.parts.size() == range.parts.size(); }) -
            all.begin());
        if (place >= given.size()) refuse(to);
        const auto in = given[place];
        const std::size_t at = std::min(split(in, "+:"), split(in, "-:"));
        if (at == std::string::npos) refuse(to);
        return {in.first, at};
    }

    void add(Change change, const SyntaxNode& of) {
        const Key key = key_of(change);
        if (changes_.emplace(key, std::move(change)).second)
            places_.push_back({Construct::index_outside, module_.name, of.line,
                               sentence_of(Construct::index_outside, {excerpt(of.name.substr(1))})});
    }

    const std::string& text_;
    const std::vector<std::size_t>& lines_;
    const SyntaxNode& module_;
    Changes& changes_;
    std::vector<Hazard>& places_;
    const PlaceOfLine& place_;
    Names constants_;
    std::map<std::string, std::vector<const SyntaxNode*>> declared_,
        members_; ///< members of structures, by their names
};

} // namespace

std::optional<WrittenOut> indices_written_out(const std::string& text, const std::vector<SyntaxNode>& modules,
                                              const PlaceOfLine& place) {
    std::vector<std::size_t> lines = {0};
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '\n') lines.push_back(i + 1);
    Changes changes;
    WrittenOut out;
    for (const SyntaxNode& module : modules) OfModule(text, lines, module, changes, out.places, place).run();
    if (changes.empty()) return std::nullopt;
    out.text = text_with(changes, text);
    return out;
}

} // namespace discern::rtl
