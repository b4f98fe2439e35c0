// The words of which the trees of the default space are written, as a table with a row for each word.
#include "parts.hpp"

#include "models/unit/tree_shape.hpp"
#include "values.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace discern::identify {

namespace {

using Kind = ParametricNode::Kind;
using Node = ParametricNode;
using Edge = ParametricEdge;

/// A word of a tree: a node, or behind '@' the alignment of a child of a sum; and the parameters that vary in it.
struct Part {
    std::string_view word;
    Kind kind;
    std::optional<OwnerKind> owner; ///< of its parameters
    std::vector<std::string_view> varies;
    std::string_view suffix{}; ///< of the names of what varies
};
const Part parts[] = {
    {"p", Kind::product, OwnerKind::product, {"product", "limit", "yields", "ftz in"}},
    {"h", Kind::product, OwnerKind::product, {"product", "limit", "yields", "ftz in", "(as f16)"}},
    {"x", Kind::product, OwnerKind::product, {}},                            // and multiplied as IEEE 754 has it
    {"q", Kind::product, OwnerKind::product, {"limit", "yields", "ftz in"}}, // not aligned: its exponent does not count
    // and its infinities and NaN have parameters of their own
    {"s", Kind::product, OwnerKind::product, {"yields", "ftz in", "infnan", "nanzero", "infzero"}},
    {"g", Kind::group, OwnerKind::group, {"empty"}},
    {"c", Kind::accumulator, OwnerKind::accumulator, {"ftz c", "as"}},
    {"sum", Kind::fuse, OwnerKind::fuse, {"floor", "carry"}},
    {"floored", Kind::fuse, OwnerKind::fuse, {"floor"}},
    {"add", Kind::fuse, OwnerKind::fuse, {}},
    {"round", Kind::round, OwnerKind::round, {"format", "round", "overflow", "ftz out", "zsign", "usign"}},
    // of IEEE, to nearest, to d's format, f32, f64, or more digits than d has; and of what begins a lane
    {"near", Kind::round, OwnerKind::round, {"(d)"}},
    // to f32, and then to d in a mode of its own
    {"inner", Kind::round, OwnerKind::round, {"(f32)", "round", "overflow", "ftz out", "zsign", "usign"}},
    {"narrow", Kind::round, OwnerKind::round, {"(d)", "round to d"}},
    {"single", Kind::round, OwnerKind::round, {"(f32)"}},
    {"double", Kind::round, OwnerKind::round, {"(f64)"}},
    {"wide", Kind::round, OwnerKind::round, {"accumulator"}},
    {"lane", Kind::round, OwnerKind::round, {"(d)", "zsign of lanes", "usign of lanes"}},
    {"start",
     Kind::round,
     OwnerKind::round,
     {"format", "round", "overflow", "ftz out", "zsign of lanes", "usign of lanes"}}, // of lanes that flush
    {"z", Kind::accumulator, OwnerKind::accumulator, {}},                             // +0, where there is no c
    {"truncsum", Kind::fuse, OwnerKind::fuse, {"plus"}},
    {"sticky", Kind::fuse, OwnerKind::fuse, {"floor", "(sticky)"}},
    {"framed", Kind::fuse, OwnerKind::fuse, {"frame", "opposed"}},
    {"@Fp", {}, OwnerKind::child, {"Fp", "align products"}},
    {"@Fq", {}, OwnerKind::child, {"F", "align"}},
    {"trunc", Kind::round, OwnerKind::round, {"precision", "sum", "(to infinity)"}}, // with the exponents of f32
    {"late", Kind::round, OwnerKind::round, {"format", "round", "overflow", "ftz out", "zsign", "usign"}, " of c"},
    {"@F", {}, OwnerKind::child, {"F", "align", "zero"}},
    {"@inner", {}, OwnerKind::child, {"F", "align"}},
    {"@Fc", {}, OwnerKind::child, {"Fc", "align", "zero"}},
    {"@group", {}, OwnerKind::child, {"F", "align", "zero group"}},
    {"@half", {}, OwnerKind::child, {"F", "sum"}},
    {"@Fs", {}, OwnerKind::child, {"F2", "sum"}},
    {"@c", {}, OwnerKind::child, {"Fc", "sum", "zero", "drop"}},
    {"@Fl", {}, OwnerKind::child, {"F", "align", "zero of c", "less"}},
    {"@Fo", {}, OwnerKind::child, {"F2 of all", "sum"}},
    {"@cl", {}, OwnerKind::child, {"F2 of all", "sum", "zero of c", "drop", "less"}},
    {"@cgroup", {}, OwnerKind::child, {"F", "align", "zero beside groups"}},
    {"@Ftrunc", {}, OwnerKind::child, {"F2 before truncation", "sum"}},
    {"@ctrunc", {}, OwnerKind::child, {"Fc", "sum", "zero beside truncation", "drop"}},
    {"@exact", {}, OwnerKind::child, {}},
};

class Reader {
  public:
    Reader(Structure& structure, Facts facts, std::string_view text) : s_(structure), facts_(facts), text_(text) {}

    ParametricNode node() {
        token(" (,");
        const Part& part = part_of(token(letters));
        ParametricNode result;
        result.kind = part.kind;
        if (const std::string_view digits = token("0123456789:"); part.kind == Kind::group)
            result.size = std::stoi(std::string(digits));
        else if (!digits.empty())
            result.which = {std::stoi(std::string(digits)), digits.find(':') == digits.npos ? 0 : digits.back() - '0'};
        if (part.kind == Kind::fuse) children(result);
        if (part.kind == Kind::round) {
            result.child = {node()};
            ++at_; // ')'
        }
        switch (part.kind) {
        case Kind::product: put_slots(part, result.product); break;
        case Kind::group: put_slots(part, result.group); break;
        case Kind::accumulator:
            if (is_there(part)) put_slots(part, result.accumulator);
            break;
        case Kind::fuse: put_slots(part, result.fuse); break;
        case Kind::round: put_slots(part, result.round); break;
        }
        return result;
    }

  private:
    void children(ParametricNode& sum) {
        int products = 0;
        bool with_c = false;
        while (text_[at_] != ')') {
            const bool is_zero = text_.find_first_not_of(" (,", at_) == text_.find('z', at_);
            Edge edge;
            edge.node = {node()};
            const Node& child = edge.node.front();
            const Part& aligned = part_of(text_[at_] == '@' ? token("@F" + letters) : "@exact");
            if (child.kind == Kind::accumulator && !facts_.shape.c && !is_zero) continue;
            if (child.kind == Kind::product) products += count(child.which, s_.frame.L);
            with_c = with_c || child.kind == Kind::accumulator;
            const bool is_sum = child.kind == Kind::fuse || child.kind == Kind::round;
            put_slots<ChildAttributes<SlotOf>>(aligned, edge, is_sum ? own : ignore);
            sum.edges.push_back(std::move(edge));
        }
        ++at_;
        facts_.products = products;
        facts_.with_c = with_c;
    }

    bool is_there(const Part& accumulator) const { return facts_.shape.c || accumulator.word == "z"; }

    /// The variables of the parameters that vary in the part; of the others, with their one value.
    template <typename Slots>
    void put_slots(const Part& part, Slots& slots, int zero = ignore) {
        for (const Parameter* p : part.owner ? parameters_of(*part.owner) : std::vector<const Parameter*>()) {
            const int fixed = p->meaning == Meaning::zero ? zero : p->standard;
            Varying varied = varying(*p, part.varies, fixed, facts_);
            if (varied.name.front() != '(') varied.name += part.suffix; // else it does not vary
            auto known = std::ranges::find_if(s_.variables, [&](const Variable& v) { return v.name == varied.name; });
            if (known == s_.variables.end())
                known = s_.variables.insert(known, {varied.name, p->meaning, std::move(varied.values)});
            p->slot_of(slots) = static_cast<Slot>(known - s_.variables.begin());
        }
    }

    /// Reads the characters of a set that follow.
    std::string_view token(std::string_view characters) {
        const std::size_t start = at_, end = text_.find_first_not_of(characters, start);
        at_ = std::min(end, text_.size());
        return text_.substr(start, at_ - start);
    }
    static const Part& part_of(std::string_view word) {
        for (const Part& part : parts)
            if (part.word == word) return part;
        throw std::logic_error("a structure of the space has no part '" + std::string(word) + "'");
    }

    const std::string letters = "abcdefghijklmnopqrstuvwxyz";
    Structure& s_;
    Facts facts_;
    std::string_view text_;
    std::size_t at_ = 0;
};

} // namespace

ParametricNode tree_of_words(Structure& structure, const Shape& shape, Modes modes, std::string_view text) {
    return Reader(structure, Facts(shape, modes), text).node();
}

} // namespace discern::identify
