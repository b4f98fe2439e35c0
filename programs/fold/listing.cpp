#include "listing.hpp"

#include "models/unit/sentence.hpp"
#include "pattern.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

namespace discern::programs {

namespace {

constexpr std::size_t longest_line = 160;
constexpr std::size_t longest_chain = 1 << 16;

/// 0..31 64..95 of numbers in order.
std::string runs_of(const std::vector<std::uint32_t>& values) {
    std::string text;
    for (std::size_t i = 0; i < values.size();) {
        std::size_t end = i + 1;
        while (end < values.size() && values[end] == values[end - 1] + 1) ++end;
        text += sentence(text.empty() ? "" : " ", values[i], end - i > 1 ? sentence("..", values[end - 1]) : "");
        i = end;
    }
    return text;
}

class Listing {
  public:
    Listing(Terms& terms, std::size_t limit) : terms_(terms), graph_(terms.graph), limit_(limit) {}

    std::vector<ListedTerm> of(NodeId top) {
        count_chains(top);
        count(top);
        std::vector<std::pair<NodeId, bool>> waiting = {{top, false}};
        while (!waiting.empty()) {
            const auto [id, is_ready] = waiting.back();
            waiting.pop_back();
            if (texts_.contains(id)) continue;
            if (is_ready) {
                say(id, id == top);
                continue;
            }
            waiting.emplace_back(id, true);
            const auto& parts = parts_of(id);
            for (auto part = parts.rbegin(); part != parts.rend(); ++part) waiting.emplace_back(*part, false);
        }
        if (left_out_ > 0) lines_.insert(lines_.end() - 1, {sentence("… ", left_out_, " lines more"), {}, {}});
        return std::move(lines_);
    }

  private:
    /// A term as it is said: a chain of a unit is one step.
    struct Said {
        std::vector<NodeId> parts;
        std::string chain; ///< UNIT@[K=128], max.f32[s=0..31], or empty
        char bound = 0;    ///< the letter that runs in it
    };
    /// What a term is called. One whose index of one letter is a number is a member of a family: t0[s=3] of t0[s].
    struct Text {
        std::string concrete, general; ///< with the number, and with the letter
        std::optional<std::pair<char, std::uint32_t>> index;
    };

    const std::vector<NodeId>& parts_of(NodeId id) { return said(id).parts; }

    const Said& said(NodeId id) {
        const auto [found, is_new] = said_.try_emplace(id);
        if (!is_new) return found->second;
        Said made;
        const Kind kind = graph_.kind(id);
        if (kind == Kind::unit && !is_single(id))
            made = chain_of(id);
        else if (kind == Kind::function && graph_[id].count > 2 && is_extreme(id))
            made = extreme_of(id);
        else if (kind == Kind::unit || (kind == Kind::function && rest_of(id)))
            made = repeated(id);
        else if (kind == Kind::function || kind == Kind::row || kind == Kind::bytes)
            graph_.operands(id, made.parts);
        return said_[id] = std::move(made);
    }

    bool is_extreme(NodeId id) const {
        const std::string_view name = graph_.operation_of(id).name;
        return name.starts_with("max.") || name.starts_with("min.");
    }

    /// A maximum of terms, most of which differ in one index. They may be in any order.
    Said extreme_of(NodeId id) {
        const std::vector<NodeId> all(graph_.arguments(id).begin(), graph_.arguments(id).end());
        std::unordered_map<OpId, std::size_t> counts;
        for (const NodeId operand : all) ++counts[graph_[operand].op];
        const auto most = std::max_element(counts.begin(), counts.end(), [](const auto& x, const auto& y) {
            return std::pair(x.second, x.first) < std::pair(y.second, y.first);
        });
        std::vector<NodeId> alike, others;
        for (const NodeId operand : all) (graph_[operand].op == most->first ? alike : others).push_back(operand);
        auto pattern = pattern_of(graph_, alike);
        if (!pattern || pattern->values.size() < 2) return {all, {}, 0};
        std::sort(pattern->values.begin(), pattern->values.end());
        others.insert(others.begin(), pattern->term);
        return {others,
                sentence(graph_.operation_of(id).name, "[", std::string(1, pattern->letter), "=",
                         runs_of(pattern->values), "]"),
                pattern->letter};
    }

    /// The operands of one instruction, where they differ in one index.
    struct Step {
        NodeId a = 0, b = 0;
        char letter = 'k';
        std::vector<std::uint32_t> values;
        bool continues(const Step& other) const {
            return a == other.a && b == other.b && letter == other.letter && !values.empty();
        }
    };

    std::optional<Step> step_of(NodeId id) {
        const auto elements = [&](std::size_t argument) {
            const auto row = graph_.arguments(graph_.arguments(id)[argument]);
            return std::vector<NodeId>(row.begin(), row.end());
        };
        const auto a = pattern_of(graph_, elements(0)), b = pattern_of(graph_, elements(1));
        if (!a || !b ||
            (!a->values.empty() && !b->values.empty() && (a->values != b->values || a->letter != b->letter)))
            return std::nullopt;
        const Pattern& running = a->values.empty() ? *b : *a;
        return Step{a->term, b->term, running.letter, running.values};
    }

    /// "UNIT@[K=128]", "UNIT@[k=0..1 4..5]", "fma.rn.f32[k=0..63]"
    std::string with_range(NodeId id, char letter, const std::vector<std::uint32_t>& values) const {
        const std::string runs = runs_of(values);
        const bool is_unit = graph_.kind(id) == Kind::unit;
        const bool is_plain = is_unit && letter == 'k' && runs == sentence("0..", values.size() - 1);
        return sentence(graph_.operation_of(id).name, is_unit ? "@[" : "[",
                        is_plain ? sentence("K=", values.size()) : sentence(std::string(1, letter), "=", runs), "]");
    }

    /// As many instructions of a chain as have operands of one pattern, from the last one down.
    Said chain_of(NodeId id) {
        const OpId unit = graph_[id].op;
        const auto last = step_of(id);
        NodeId base = graph_.arguments(id)[2];
        if (!last) return {{graph_.arguments(id).begin(), graph_.arguments(id).end()}, graph_.operation(unit).name, 0};
        std::vector<std::vector<std::uint32_t>> steps = {last->values};
        const std::vector<NodeId> scales(graph_.arguments(id).begin() + 3, graph_.arguments(id).end());
        while (scales.empty() && graph_.kind(base) == Kind::unit && graph_[base].op == unit && uses_of(base) < 2) {
            const auto step = step_of(base);
            if (!step || !step->continues(*last)) break;
            steps.push_back(step->values);
            base = graph_.arguments(base)[2];
        }
        std::vector<std::uint32_t> values;
        for (auto step = steps.rbegin(); step != steps.rend(); ++step)
            values.insert(values.end(), step->begin(), step->end());
        Said made{{last->a, last->b, base}, with_range(id, last->letter, values), last->letter};
        made.parts.insert(made.parts.end(), scales.begin(), scales.end());
        return made;
    }

    /// The argument in which a chain of one sum, or of one multiply-add, goes on; nothing if it ends here.
    std::optional<std::size_t> rest_of(NodeId id) const {
        const std::string_view name = graph_.operation_of(id).name;
        const auto arguments = graph_.arguments(id);
        const auto goes_on = [&](std::size_t at) {
            return graph_[arguments[at]].op == graph_[id].op && uses_of(arguments[at]) < 2;
        };
        if (graph_.kind(id) == Kind::unit || (name.starts_with("fma.") && arguments.size() == 3))
            return goes_on(2) ? std::optional(2) : std::nullopt;
        if (!name.starts_with("add.") || arguments.size() != 2 || goes_on(0) == goes_on(1)) return std::nullopt;
        return goes_on(0) ? 0 : 1;
    }

    /// A unit of one product, whose rows have one element.
    bool is_single(NodeId id) const {
        const auto arguments = graph_.arguments(id);
        return arguments.size() == 3 && graph_[arguments[0]].count == 1 && graph_[arguments[1]].count == 1;
    }

    /// A chain of sums or multiply-adds whose operands differ in one index: fma.rn.f32[k=0..63](A[m,k], B[n,k], +0).
    Said repeated(NodeId id) {
        std::vector<NodeId> links = {id};
        for (auto rest = rest_of(id); rest && links.size() < longest_chain; rest = rest_of(links.back()))
            links.push_back(graph_.arguments(links.back())[*rest]);
        if (graph_.operation_of(id).name.starts_with("add.")) links.pop_back(); // whose two operands are alike
        // The longest part from the last one down whose operands have one pattern.
        std::optional<Said> best;
        std::size_t least = 2, most = links.size();
        while (least <= most) {
            const std::size_t length = most - (most - least) / 2;
            if (auto made = repeated({links.begin(), links.begin() + static_cast<std::ptrdiff_t>(length)})) {
                best = std::move(made);
                least = length + 1;
            } else {
                most = length - 1;
            }
        }
        if (best) return *best;
        Said alone{{graph_.arguments(id).begin(), graph_.arguments(id).end()}, {}, 0};
        if (graph_.kind(id) == Kind::unit) alone.chain = graph_.operation_of(id).name;
        return alone;
    }

    std::optional<Said> repeated(const std::vector<NodeId>& links) {
        std::vector<std::vector<NodeId>> columns;
        NodeId base = 0;
        for (auto link = links.rbegin(); link != links.rend(); ++link) { // in the order in which they are added
            const auto arguments = graph_.arguments(*link);
            const bool is_fma = arguments.size() == 3;
            const NodeId next = link == links.rbegin() ? NodeId(0) : *(link - 1);
            const std::size_t rest = is_fma                   ? 2
                                     : link == links.rbegin() ? rest_of(*link).value_or(0)
                                                              : arguments[0] != next;
            if (link == links.rbegin()) base = arguments[rest];
            std::size_t column = 0;
            for (std::size_t i = 0; i < arguments.size(); ++i) {
                if (i == rest) continue;
                if (columns.size() <= column) columns.emplace_back();
                columns[column++].push_back(graph_.kind(arguments[i]) == Kind::row ? graph_.arguments(arguments[i])[0]
                                                                                   : arguments[i]);
            }
        }
        std::vector<NodeId> parts;
        std::optional<Pattern> running;
        for (const auto& column : columns) {
            const auto pattern = pattern_of(graph_, column);
            if (!pattern) return std::nullopt;
            parts.push_back(pattern->term);
            if (pattern->values.empty()) continue;
            if (running && (running->letter != pattern->letter || running->values != pattern->values))
                return std::nullopt;
            running = pattern;
        }
        if (!running) return std::nullopt;
        parts.push_back(base);
        return Said{std::move(parts), with_range(links[0], running->letter, running->values), running->letter};
    }

    /// How often a term is an argument of others, as far as that has been counted.
    std::uint32_t uses_of(NodeId id) const {
        const auto found = graph_uses_.find(id);
        return found == graph_uses_.end() ? 0 : found->second;
    }

    /// Of the graph below a term: how often what may be in a chain is used.
    void count_chains(NodeId top) {
        std::vector<NodeId> waiting = {top}, operands;
        std::unordered_map<NodeId, bool> seen;
        while (!waiting.empty()) {
            const NodeId id = waiting.back();
            waiting.pop_back();
            if (std::exchange(seen[id], true)) continue;
            graph_.operands(id, operands);
            for (const NodeId operand : operands) {
                const Kind kind = graph_.kind(operand);
                if (kind == Kind::unit || kind == Kind::function) ++graph_uses_[operand];
                waiting.push_back(operand);
            }
        }
    }

    void count(NodeId top) {
        std::vector<NodeId> waiting = {top};
        while (!waiting.empty()) {
            const NodeId id = waiting.back();
            waiting.pop_back();
            if (uses_[id]++ > 0) continue;
            const auto& parts = parts_of(id);
            waiting.insert(waiting.end(), parts.begin(), parts.end());
        }
    }

    Text leaf(NodeId id) const {
        const std::string& operation = graph_.operation_of(id).name;
        const std::string_view letters = Terms::letters(operation);
        const auto indices = graph_.arguments(id);
        Text text;
        int numbers = 0;
        const std::string name(Terms::array_name(operation));
        for (const char letter : terms_.axes.at(operation)) {
            const std::uint32_t index = indices[letters.find(letter)];
            const std::string comma = text.concrete.empty() ? "" : ",";
            const bool is_number = index != own_index && index != running_index;
            text.concrete += comma + (is_number ? std::to_string(index) : std::string(1, letter));
            text.general += comma + std::string(1, letter);
            if (is_number || (index == running_index && !text.index)) text.index = std::pair(letter, index);
            numbers += is_number;
        }
        text.concrete = name + "[" + text.concrete + "]";
        text.general = name + "[" + text.general + "]";
        if (numbers > 1) text.index.reset();
        return text;
    }

    std::string constant(NodeId id) const {
        const std::uint64_t bits = graph_.bits(id);
        if (bits == 0) return "+0";
        std::string digits;
        for (unsigned i = graph_[id].size * 2u; i-- > 0;) digits += "0123456789abcdef"[bits >> (4 * i) & 15];
        return "0x" + digits;
    }

    /// The index that the parts of a term have in common: of those that have one, if it is the same.
    std::optional<std::pair<char, std::uint32_t>> index_of(const Said& term) const {
        std::optional<std::pair<char, std::uint32_t>> index;
        for (const NodeId part : term.parts) {
            const auto& own = texts_.at(part).index;
            if (!own || own->first == term.bound) continue;
            if (index && index != own) return std::nullopt;
            index = own;
        }
        return index;
    }

    std::string list(std::span<const std::uint32_t> parts, bool is_general) const {
        std::string text;
        for (const NodeId part : parts) {
            const Text& one = texts_.at(part);
            text += (text.empty() ? "" : ", ") + (is_general ? one.general : one.concrete);
        }
        return text;
    }

    std::string text_of(NodeId id, bool is_general) {
        const Said& term = said(id);
        switch (graph_.kind(id)) {
        case Kind::leaf:
        case Kind::constant: return constant(id);
        case Kind::unwritten: return "unwritten";
        case Kind::row: return "{" + list(term.parts, is_general) + "}";
        case Kind::unit: return term.chain + "(" + list(term.parts, is_general) + ")";
        case Kind::function:
            if (!term.chain.empty()) return term.chain + "(" + list(term.parts, is_general) + ")";
            return graph_.operation_of(id).name + "(" + list(graph_.arguments(id), is_general) + ")";
        case Kind::bytes: break;
        }
        std::string text;
        for (const Code code : graph_.arguments(id)) {
            const std::string byte = is_known(code)
                                         ? std::to_string(code)
                                         : list(std::array{node_of(code)}, is_general) + sentence(".", byte_of(code));
            text += (text.empty() ? "" : " ") + byte;
        }
        return "bytes(" + text + ")";
    }

    /// A line of its own, or a member of a family that has one.
    void give_line(NodeId id, Text& text, bool is_last) {
        const std::string letter = text.index && !is_last ? sentence("[", std::string(1, text.index->first), "]") : "";
        const std::string& said_as = letter.empty() ? text.concrete : text.general;
        bool is_listed = false;
        const auto [line, is_new] = names_.try_emplace(said_as + letter, sentence("t", next_));
        if (is_new || is_last) {
            is_listed = lines_.size() < limit_ || is_last;
            if (is_listed)
                lines_.push_back({sentence("t", next_, letter, " = ", said_as), {}, id});
            else
                ++left_out_;
            ++next_;
        }
        const std::string name = line->second;
        text.general = name + letter;
        const bool is_number = text.index && text.index->second != running_index;
        text.concrete = letter.empty() || !is_number
                            ? text.general
                            : sentence(name, "[", std::string(1, text.index->first), "=", text.index->second, "]");
        if (is_listed) lines_.back().name = text.concrete;
    }

    void say(NodeId id, bool is_last) {
        const Kind kind = graph_.kind(id);
        const bool is_short = kind == Kind::leaf || kind == Kind::constant || kind == Kind::unwritten;
        Text text;
        if (kind == Kind::leaf)
            text = leaf(id);
        else
            text = {text_of(id, false), text_of(id, true), index_of(said(id))};
        if (!text.index) text.general = text.concrete;
        if (is_last || (!is_short && (uses_[id] > 1 || kind == Kind::unit || text.concrete.size() > longest_line)))
            give_line(id, text, is_last);
        texts_[id] = std::move(text);
    }

    Terms& terms_;
    Graph& graph_;
    std::size_t limit_, next_ = 0, left_out_ = 0;
    std::unordered_map<NodeId, Said> said_;
    std::unordered_map<NodeId, std::uint32_t> uses_, graph_uses_;
    std::unordered_map<NodeId, Text> texts_;
    std::unordered_map<std::string, std::string> names_; ///< of lines, by what they say
    std::vector<ListedTerm> lines_;
};

} // namespace

std::vector<ListedTerm> listing_of(Terms& terms, NodeId term, std::size_t limit) {
    return Listing(terms, limit).of(term);
}

} // namespace discern::programs
