#include "listing.hpp"

#include "models/unit/sentence.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>

namespace discern::programs {

namespace {

/// In the arguments of a leaf of a pattern: the index that runs.
constexpr std::uint32_t running_index = own_index - 1;
constexpr std::size_t longest_line = 160;

/// What terms have in common that differ in one index.
struct Pattern {
    NodeId term = 0;
    char letter = 'k';
    std::vector<std::uint32_t> values; ///< of the index; empty: the terms are one
};

class Generalising {
  public:
    explicit Generalising(Graph& graph) : graph_(graph) {}

    std::optional<Pattern> of(const std::vector<NodeId>& terms) {
        pattern_ = {};
        const auto term = merge(terms, 0);
        if (!term) return std::nullopt;
        pattern_.term = *term;
        return pattern_;
    }

  private:
    std::optional<NodeId> merge(const std::vector<NodeId>& terms, int depth) {
        const Node& first = graph_[terms[0]];
        if (std::all_of(terms.begin(), terms.end(), [&](NodeId term) { return term == terms[0]; })) return terms[0];
        for (const NodeId term : terms)
            if (graph_[term].op != first.op || graph_[term].count != first.count || depth > 64) return std::nullopt;
        const Kind kind = graph_.kind(terms[0]);
        if (kind == Kind::leaf) return merge_leaves(terms);
        if (kind == Kind::constant || kind == Kind::unwritten || kind == Kind::bytes) return std::nullopt;
        const OpId op = first.op;
        const unsigned size = first.size;
        const std::uint32_t count = first.count;
        std::vector<NodeId> merged, column(terms.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            for (std::size_t t = 0; t < terms.size(); ++t) column[t] = graph_.arguments(terms[t])[i];
            const auto argument = merge(column, depth + 1);
            if (!argument) return std::nullopt;
            merged.push_back(*argument);
        }
        return graph_.node(op, size, merged);
    }

    std::optional<NodeId> merge_leaves(const std::vector<NodeId>& terms) {
        const auto first = graph_.arguments(terms[0]);
        std::vector<std::uint32_t> indices(first.begin(), first.end());
        std::optional<std::size_t> runs;
        for (const NodeId term : terms)
            for (std::size_t i = 0; i < indices.size(); ++i)
                if (graph_.arguments(term)[i] != first[i]) {
                    if (runs && *runs != i) return std::nullopt;
                    runs = i;
                }
        std::vector<std::uint32_t> values;
        for (const NodeId term : terms) values.push_back(graph_.arguments(term)[*runs]);
        if (!pattern_.values.empty() && pattern_.values != values) return std::nullopt;
        pattern_.values = std::move(values);
        const OpId op = graph_[terms[0]].op;
        const unsigned size = graph_[terms[0]].size;
        pattern_.letter = Terms::letters(graph_.operation(op).name)[*runs];
        indices[*runs] = running_index;
        return graph_.node(op, size, indices);
    }

    Graph& graph_;
    Pattern pattern_;
};

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
        if (kind == Kind::unit)
            made = chain_of(id);
        else if (kind == Kind::function && graph_[id].count > 2 && is_extreme(id))
            made = extreme_of(id);
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
        auto pattern = Generalising(graph_).of(alike);
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
        Generalising generalising(graph_);
        const auto a = generalising.of(elements(0)), b = generalising.of(elements(1));
        if (!a || !b ||
            (!a->values.empty() && !b->values.empty() && (a->values != b->values || a->letter != b->letter)))
            return std::nullopt;
        const Pattern& running = a->values.empty() ? *b : *a;
        return Step{a->term, b->term, running.letter, running.values};
    }

    /// As many instructions of a chain as have operands of one pattern, from the last one down.
    Said chain_of(NodeId id) {
        const OpId unit = graph_[id].op;
        std::string name = graph_.operation(unit).name;
        const auto last = step_of(id);
        NodeId base = graph_.arguments(id)[2];
        if (!last) return {{graph_.arguments(id).begin(), graph_.arguments(id).end()}, std::move(name), 0};
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
        const std::string runs = runs_of(values);
        const bool is_plain = last->letter == 'k' && runs == sentence("0..", values.size() - 1);
        name += is_plain ? sentence("@[K=", values.size(), "]")
                         : sentence("@[", std::string(1, last->letter), "=", runs, "]");
        Said made{{last->a, last->b, base}, std::move(name), last->letter};
        made.parts.insert(made.parts.end(), scales.begin(), scales.end());
        return made;
    }

    /// How often a term is an argument of others, as far as that has been counted.
    std::uint32_t uses_of(NodeId id) const {
        const auto found = graph_uses_.find(id);
        return found == graph_uses_.end() ? 0 : found->second;
    }

    /// Of the graph below a term: how often each chain's end is used.
    void count_chains(NodeId top) {
        std::vector<NodeId> waiting = {top}, operands;
        std::unordered_map<NodeId, bool> seen;
        while (!waiting.empty()) {
            const NodeId id = waiting.back();
            waiting.pop_back();
            if (std::exchange(seen[id], true)) continue;
            graph_.operands(id, operands);
            for (const NodeId operand : operands) {
                if (graph_.kind(operand) == Kind::unit) ++graph_uses_[operand];
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
